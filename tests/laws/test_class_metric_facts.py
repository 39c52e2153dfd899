"""Declare, then measure: metrics of several classes, on every table of up to 6 cases, 3 classes."""

from dataclasses import replace
from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest

from baserate import ClassTable, metrics
from baserate._arith import ratio
from baserate.metrics import ClassMetric, average, class_metric
from baserate.metrics._laws import all_tables
from oracles import class_twins


def every_table(n_max, k=3):
    """All tables with at most so many cases, a batch."""
    counts = np.zeros((1, k * k), dtype=int)
    for cell in range(k * k):
        room = n_max - counts.sum(-1)
        more = [np.where(np.arange(k * k) == cell, m, 0) + counts[room >= m] for m in range(7)]
        counts = np.concatenate(more)
    return ClassTable(counts.reshape(-1, k, k))


TABLES = every_table(6)
PAIRS = every_table(6, 2)
LISTED = [tuple(map(tuple, table)) for table in TABLES.counts.tolist()]
WHOLE = [class_metric(name) for name in class_twins.CLASS_TWINS]
KINDS = [("macro", "omit"), ("weighted", "propagate"), ("micro", "propagate")]
SEVERAL = ("f1", "precision", "mcc", "kappa", "lift", "error_ratio", "tp", "f_beta(beta=3)")
AVERAGES = [
    *(average(m) for m in metrics.CATALOGUE),
    *(average(m, kind, undefined=policy) for m in SEVERAL for kind, policy in KINDS),
]
METRICS = [*WHOLE, *AVERAGES]
# Of a kind that the catalogue lacks: with a root, and without value where a class has no cases.
ROOTED = ClassMetric(
    name="geometric_mean",
    definition="(Π n[c, c] / n[c, .])^(1/K)",
    meaning="Geometric mean of the classes' recalls.",
    of_margins=lambda hits, truth, _: np.prod(ratio(hits, truth), -1) ** (1 / truth.shape[-1]),
    two_classes=metrics.geometric_mean,
)
FEW = [*WHOLE, ROOTED, *map(class_metric, ("macro_f1", "weighted_precision", "micro_mcc"))]
TWO_TOO = [m for m in [*METRICS, ROOTED] if m.two_classes]
CONSTANT = ("macro_marginal_benefit", "micro_error_ratio")  # whatever is guessed
ORDERED = ("weighted_kappa", "utility")  # labels stand for places there

each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)


def twin_of(metric):
    if metric.part is None or metric.name in class_twins.CLASS_TWINS:
        return class_twins.CLASS_TWINS[metric.name]
    omit = metric.undefined_classes == "omit"
    return class_twins.average(metric.part.name, metric.kind, omit=omit)


def same(one, other):
    return np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_there_are_as_many_tables_as_there_should_be():
    assert len(LISTED) == len(set(LISTED)) == 5005  # C(15, 9)


@pytest.mark.sweep(32, start=26)
@each_metric
def test_values_equal_exact_fractions(metric):
    twin = twin_of(metric)
    exact = [class_twins.value(twin, table) for table in LISTED]
    assert same(metric(TABLES), [np.nan if v is None else v for v in exact])


def bounds(metric):
    value = metric(TABLES)
    value = value[~np.isnan(value)]
    low, high = metric.bounds
    assert value.min() >= low
    assert value.max() <= high


def without_errors(tables):
    all_right = (tables.hits.sum(-1) == tables.n) & (tables.class_counts > 0).all(-1)
    return tables[all_right]


def best(metric):
    values = metric(without_errors(TABLES))
    if not metric.name.startswith(ORDERED):
        values = np.append(values, metric(without_errors(PAIRS)))
    if np.isnan(metric.best):
        assert np.isnan(values).all() or np.ptp(values) > 0
    else:
        assert (values == metric.best).all()


def direction(metric):
    """No table beats the one without errors that has its class totals."""
    perfect = metric(ClassTable(TABLES.class_counts[..., None] * np.eye(3, dtype=int)))
    gain = metric(TABLES) - perfect
    if metric.undefined_classes == "omit":  # a class that is left out may raise the mean
        gain += 0 * average(metric.part, metric.kind)(TABLES)
    gain = gain[~np.isnan(gain)]
    if metric.direction == "higher":
        assert not (gain > 1e-12).any()
    if metric.direction == "lower":
        assert not (gain < -1e-12).any()


def linear(metric):
    if metric.weights is not None:
        weighted = (metric.weights(3) * TABLES.counts).sum((-2, -1)) / np.maximum(TABLES.n, 1)
        assert same(metric(TABLES)[TABLES.n > 0], weighted[TABLES.n > 0])


def guesses(tables):
    """Tables with the same class totals, and how likely independence makes each of them."""
    groups, cells = {}, tables.counts.reshape(len(tables.counts), -1).tolist()
    sides = zip(tables.class_counts.tolist(), tables.predicted_counts.tolist(), strict=True)
    for i, (truth, predicted) in enumerate(sides):
        groups.setdefault((*truth, *predicted), []).append(i)
    for totals, members in groups.items():
        ways = prod(map(factorial, totals)) / factorial(sum(totals) // 2)
        chances = [ways / prod(map(factorial, cells[i])) for i in members]
        assert sum(chances) == pytest.approx(1)
        yield members, np.array(chances)


GUESSES = [(tables, list(guesses(tables))) for tables in (TABLES, PAIRS)]


def expectations(metric, tables, groups):
    """Expected values under guessing, of the totals that leave the metric defined everywhere."""
    value = metric(tables)
    for members, chances in groups:
        undefined = np.isnan(value[members])
        if metric.chance is not None:
            assert undefined.all() or not undefined.any()
        if not undefined.any():
            yield value[members] @ chances


def chance(metric):
    of_k = GUESSES[: 1 if metric.name.startswith(ORDERED) else 2]
    found = [e for tables, groups in of_k for e in expectations(metric, tables, groups)]
    if metric.chance is None and metric.name not in CONSTANT:
        assert max(found, default=1) - min(found, default=0) > 1e-9
    elif metric.name not in CONSTANT:
        assert same(found, metric.chance)


def scale(metric):
    tripled = same(metric(ClassTable(3 * TABLES.counts)), metric(TABLES))
    assert tripled == metric.scale_invariant


def weighs_errors(metric):
    """Classes may trade places, unless some errors count more; those of means, by their weights."""
    alike = all(
        same(metric(ClassTable(TABLES.counts[:, order][:, :, order])), metric(TABLES))
        for order in permutations(range(3))
    )
    assert metric.weighs_errors == (not alike and metric.weights is None)


def of_margins(metric):
    if metric.of_margins is not None:
        sides = TABLES.hits, TABLES.class_counts, TABLES.predicted_counts
        found = metric.at_margins(*sides)
        assert np.array_equal(found, metric(TABLES), equal_nan=True)
        if metric.of_cells is not None:
            assert np.array_equal(found, metric.of_cells(TABLES.counts * 1.0), equal_nan=True)


def of_hits(metric):
    """Right cases alone decide, of given totals; where it is no average, the more the better."""
    hits, value, groups = TABLES.hits.sum(-1), metric(TABLES), [m for m, _ in GUESSES[0][1]]
    at = [dict(zip(hits[m].tolist(), value[m].tolist(), strict=True)) for m in groups]
    known = [[of[h] for h in hits[m].tolist()] for m, of in zip(groups, at, strict=True)]
    decided = all(same(value[m], v) for m, v in zip(groups, known, strict=True))
    if metric.of_hits or metric.part is None:
        assert metric.of_hits == decided
        assert metric.of_margins or not metric.of_hits
    if metric.of_hits and metric.part is None:
        sign = {"higher": 1, "lower": -1}[metric.direction]
        gains = np.concatenate([np.diff([of[h] for h in sorted(of)]) for of in at])
        assert not (sign * gains < 1e-9).any()


VALUES = {m.name: m(TABLES) for m in METRICS}


def transpose(metric):
    """Its partner has its value where truth and prediction trade places; none left untold."""
    turned = metric(TABLES.transpose())
    if metric.transpose is not None:
        assert same(turned, class_metric(metric.transpose)(TABLES))
    elif metric.name not in (*CONSTANT, "macro_predicted_positives", "macro_predicted_negatives"):
        assert not [name for name, value in VALUES.items() if same(turned, value)]


LAWS = [bounds, best, direction, linear, chance, scale, weighs_errors, of_margins, of_hits]
LAWS += [transpose]


@pytest.mark.sweep(627, start=47)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@each_metric
def test_declared_facts_hold_on_every_table(metric, law):
    law(metric)


@pytest.mark.parametrize(
    ("name", "lie", "law"),
    [
        ("mcc", {"bounds": (0.0, 1.0)}, bounds),
        ("macro_f1", {"best": 0.9}, best),
        ("error_rate", {"direction": "higher"}, direction),
        ("accuracy", {"weights": lambda k: np.ones((k, k))}, linear),
        ("macro_f1", {"chance": 0.3}, chance),
        ("kappa", {"chance": None}, chance),
        ("macro_true_positives", {"scale_invariant": True}, scale),
        ("macro_f1", {"of_margins": lambda h, t, p: h.sum(-1)}, of_margins),
        ("mcc", {"of_hits": False}, of_hits),
        ("macro_f1", {"of_hits": True}, of_hits),
        ("accuracy", {"direction": "lower"}, of_hits),
        ("balanced_accuracy", {"transpose": "balanced_accuracy"}, transpose),
        ("macro_precision", {"transpose": None}, transpose),
        ("kappa", {"transpose": None}, transpose),
        ("mcc", {"weighs_errors": True}, weighs_errors),
        ("weighted_kappa(linear)", {"weighs_errors": False}, weighs_errors),
    ],
)
def test_a_wrong_declaration_is_found(name, lie, law):
    with pytest.raises(AssertionError):
        law(replace(class_metric(name), **lie))


def test_weights_that_are_all_alike_weigh_no_errors():
    alike = metrics.weighted_kappa(3 - 3 * np.eye(3))
    weighs_errors(alike)
    assert not alike.weighs_errors
    assert same(alike(TABLES), class_metric("kappa")(TABLES))


@pytest.mark.sweep(8, start=4)
@pytest.mark.parametrize("metric", FEW, ids=lambda m: m.name)
def test_a_reason_is_given_where_there_is_no_value(metric):
    tables = every_table(4)
    value = metric(tables)
    for i in range(len(value)):
        reason = metric.undefined_reason(tables[i])
        assert (reason is not None) == np.isnan(value[i])
        assert reason is None or reason == "no cases" or "is 0" not in reason


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([[2, 1, 0], [0, 3, 0], [0, 0, 0]], "no cases of class c and no predictions of class c"),
        ([[2, 1, 1], [0, 0, 0], [0, 3, 1]], "no cases of class b"),
        ([[2, 1, 1], [0, 0, 0], [0, 0, 0]], "only class a is true"),
    ],
)
def test_the_reason_names_classes_without_cases(counts, reason):
    assert ROOTED.undefined_reason(ClassTable(counts, ["a", "b", "c"])) == reason


def test_the_reason_names_all_classes_that_are_never_predicted():
    kappa = metrics.weighted_kappa([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    table = ClassTable([[3, 1, 0, 0], [1, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    reason = "no cases of classes 2, 3 and no predictions of classes 2, 3"
    assert kappa.undefined_reason(table) == reason


@pytest.mark.parametrize("metric", TWO_TOO, ids=lambda m: m.name)
def test_two_classes_are_the_binary_metric_to_the_last_digit(metric):
    binary = all_tables(12)
    tp, fn, fp, tn = binary
    cells = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    for factor in (1, 0.1):
        table = ClassTable(cells * factor, [0, 1])
        scaled = type(binary)(tp=tp * factor, fn=fn * factor, fp=fp * factor, tn=tn * factor)
        assert np.array_equal(metric(table), metric.two_classes(scaled), equal_nan=True)
        if metric.of_margins:  # margins of whole counts are exact
            sides = table.hits, table.class_counts, table.predicted_counts
            alike = same if factor != 1 else lambda a, b: np.array_equal(a, b, equal_nan=True)
            assert alike(metric.at_margins(*sides), metric(table))
