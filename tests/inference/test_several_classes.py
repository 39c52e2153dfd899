"""Intervals of metrics of several classes: shares, exact laws, simulated averages, two classes."""

import numpy as np
import pytest
from scipy.stats import beta, dirichlet

from baserate import ClassTable, ConfusionMatrix, errors, interval, metrics, probability
from baserate.cases.several_classes import ClassCounted
from baserate.inference.class_draws import Margins, _average_over
from baserate.inference.intervals import class_intervals
from baserate.inference.several_classes import effective_table
from baserate.metrics import CLASS_HEADLINES, ClassMetric
from baserate.metrics.class_weights import utility_of_decisions

TABLE = ClassTable([[30, 4, 1], [6, 18, 3], [0, 2, 8]], ["a", "b", "c"])
TWO = ClassTable([[50, 10], [5, 35]], ["well", "ill"])
ENDS = ("value", "low", "high")


def ends(found):
    return tuple(getattr(found, name) for name in ENDS)


@pytest.mark.parametrize("name", ["accuracy", "error_rate"])
@pytest.mark.parametrize("method", ["bayes", "wilson", "exact"])
def test_shares_have_the_interval_of_a_proportion(name, method):
    four = ConfusionMatrix(tp=56, fn=16, fp=0, tn=0)
    found = interval(metrics.class_metric(name), TABLE, method=method)
    assert found == interval(name, four, method=method)


@pytest.mark.parametrize("part", ["jaccard", "f2", "specificity", "false_discovery_rate"])
def test_micro_averages_follow_from_the_share_of_hits(part):
    metric = metrics.average(part, "micro")
    p = beta.ppf([0.025, 0.975], 56.5, 16.5)
    tp, wrong, tn = p, 1 - p, 1 + p  # of three classes, per case
    truth = {
        "jaccard": tp / (tp + 2 * wrong),
        "f2": 5 * tp / (5 * tp + 5 * wrong),
        "specificity": tn / (tn + wrong),
        "false_discovery_rate": wrong,
    }[part]
    found = interval(metric, TABLE)
    np.testing.assert_allclose((found.low, found.high), np.sort(truth), rtol=1e-10)
    assert found.route == "jeffreys"


def test_a_mean_over_cases_has_the_law_of_a_weighted_sum_of_dirichlet_shares():
    weights = np.array([[2.0, -1, -3], [-0.5, 1, 0], [-4, 0.25, 5]])
    metric = ClassMetric(
        name="worth",
        definition="sum of w n / N",
        meaning="",
        of_cells=lambda cells: (cells * weights).sum((-2, -1)) / cells.sum((-2, -1)),
        weights=lambda _: weights,
    )
    found = interval(metric, TABLE)
    prior = np.where(np.eye(3) == 1, 1 / 6, 1 / 12)
    drawn = dirichlet.rvs((TABLE.counts + prior).ravel(), 200_000, random_state=3) @ weights.ravel()
    width = found.high - found.low
    assert found.route == "exact"
    np.testing.assert_allclose(
        (found.low, found.high), np.quantile(drawn, [0.025, 0.975]), atol=0.01 * width
    )


def drawn_cells(counts, size, seed, prior=None):
    """Draw cells from the documented posterior by other means; `prior` is that of each error."""
    rng = np.random.default_rng(seed)
    counts, k = np.asarray(counts, dtype=float), len(counts)
    on = np.eye(k, dtype=bool)
    right = rng.beta(counts[on].sum() + 0.5, counts[~on].sum() + 0.5, size)[:, None]
    cells = np.zeros((size, k, k))
    cells[:, on] = right * dirichlet.rvs(counts[on] + 1 - 1 / k, size, random_state=rng)
    shape = counts[~on] + (0.5 / (k - 1) if prior is None else prior)
    cells[:, ~on] = (1 - right) * dirichlet.rvs(shape, size, random_state=rng)
    return cells


def margins(cells):
    return np.diagonal(cells, axis1=1, axis2=2), cells.sum(2), cells.sum(1)


def drawn_by_hand(formula, counts, size, seed):
    """Draw a metric, stretched to the spread of its errors in new tables of as many cases."""
    cells = drawn_cells(counts, size, seed)
    n = int(np.sum(counts))
    again = np.random.default_rng(seed + 1).multinomial(n, cells.reshape(size, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        each, new = formula(*margins(cells)), formula(*margins(again.reshape(cells.shape) / n))
    kept = ~np.isnan(new)
    errors = np.where(kept, new - each, 0).sum(1)[kept.any(1)] / kept.sum(1)[kept.any(1)]
    values = each.mean(1)
    low, middle, high = np.quantile(values, [0.16, 0.5, 0.84])
    wider = np.subtract(*np.quantile(errors, [0.84, 0.16])) / (high - low)
    return np.clip(middle + (values - middle) * max(wider, 1), -1, 1)


def f1_by_hand(hits, truth, called):
    return 2 * hits / (truth + called)


def kappa_by_hand(hits, truth, called):
    by_chance = (truth * called).sum(1)
    return ((hits.sum(1) - by_chance) / (1 - by_chance))[:, None]


def recall_by_hand(hits, truth, _called):
    return hits / truth


def mcc_by_hand(hits, truth, called):
    both = hits.sum(1) - (truth * called).sum(1)
    return (both / np.sqrt((1 - (truth**2).sum(1)) * (1 - (called**2).sum(1))))[:, None]


@pytest.mark.sweep(8, start=6)
@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("macro_f1", f1_by_hand),
        ("cohen_kappa", kappa_by_hand),
        ("balanced_accuracy", recall_by_hand),
        ("matthews_correlation", mcc_by_hand),
    ],
)
@pytest.mark.parametrize(
    "counts",
    [TABLE.counts, np.diag([5, 9, 3, 4]), [[3, 0, 2], [4, 0, 0], [1, 0, 9]]],
    ids=["usual", "perfect", "never predicted"],
)
def test_averages_agree_with_another_sampler(name, formula, counts):
    found = interval(metrics.class_metric(name), ClassTable(counts))
    values = drawn_by_hand(formula, counts, 100_000, 7)
    low, high = np.quantile(values, [0.025, 0.975])
    assert found.route == "simulation"
    assert found.error < 0.15 * (found.high - found.low)
    # Three standard errors of the reference sample beside the stated error.
    slack = found.error + 0.01 * (high - low)
    assert abs(found.low - max(0, min(low, found.value))) < slack
    assert abs(found.high - min(1, max(high, found.value))) < slack


@pytest.mark.parametrize("power", [1, 2])
def test_a_weighted_kappa_spreads_half_a_case_over_all_errors(power):
    counts = np.diag([90, 80, 70, 60, 50]) + np.diag([9, 8, 7, 6], 1) + np.diag([5, 6, 7, 8], -1)
    cells = drawn_cells(counts, 40_000, 5, prior=0.5 / 20)
    bad = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) ** power
    chance = np.einsum("si,sj,ij->s", cells.sum(2), cells.sum(1), bad)
    low, high = np.quantile(1 - (bad * cells).sum((1, 2)) / chance, [0.025, 0.975])
    found = interval(f"weighted_kappa({['linear', 'quadratic'][power - 1]})", ClassTable(counts))
    assert abs(found.low - low) < found.error
    assert abs(found.high - high) < found.error


def test_metrics_asked_together_or_alone_say_the_same():
    names = [*CLASS_HEADLINES, "quadratic_kappa"]
    together = class_intervals(names, TABLE)
    assert list(together) == [metrics.class_metric(name).name for name in names]
    for name, found in together.items():
        assert found == interval(metrics.class_metric(name), TABLE)


def test_one_class_against_the_rest_has_the_binary_answer():
    found = interval("recall", TABLE.one_vs_rest())
    assert found[1] == interval("recall", TABLE.one_vs_rest("b"))


@pytest.mark.slow
def test_a_batch_holds_the_answers_to_its_tables():
    counts = np.array([TABLE.counts, 2 * TABLE.counts, *[TABLE.counts + 1] * 18])
    many = class_intervals(CLASS_HEADLINES, ClassTable(counts[None], TABLE.labels))
    for name, found in many.items():
        assert found.low.shape == (1, 20)
        one = class_intervals(name, ClassTable(2 * TABLE.counts))[name]
        assert found[0, 1] == one


def test_where_a_class_lacks_there_is_no_interval_but_a_reason():
    lacking = ClassTable([[9, 1, 0], [2, 8, 0], [0, 0, 0]], ["a", "b", "c"])
    found = class_intervals(["macro_f1", "accuracy", "macro_f1.defined"], lacking)
    assert np.isnan(ends(found["macro_f1"])).all()
    assert "c" in found["macro_f1"].reason
    assert found["macro_f1"].route == "undefined"
    assert found["accuracy"].reason is None
    defined = found["macro_f1.defined"]
    # The third class, of which nothing is known, does not draw the average down.
    assert defined.low < defined.value < defined.high
    assert defined.low > 0.6


def test_effective_cases_of_weights():
    heavy = ClassTable(TABLE.counts * 3.0, TABLE.labels)
    squared = ClassTable(TABLE.counts * 9.0, TABLE.labels)
    counted = ClassCounted(table=heavy, n=72, squared=squared)
    plain, weighted = (
        class_intervals(CLASS_HEADLINES, TABLE),
        class_intervals(CLASS_HEADLINES, counted),
    )
    for name, found in weighted.items():
        np.testing.assert_allclose(ends(found), ends(plain[name]), rtol=1e-9)
        assert found.effective_n == pytest.approx(72)


def test_bootstrap_takes_every_metric_and_needs_a_seed():
    found = class_intervals(CLASS_HEADLINES, TABLE, method="bootstrap", rng=1, n_resamples=4000)
    bayes = class_intervals(CLASS_HEADLINES, TABLE)
    for name, one in found.items():
        assert one.route == "percentile"
        assert one.low == pytest.approx(bayes[name].low, abs=0.05)
    with pytest.raises(errors.InvalidArgumentError, match="rng"):
        class_intervals("macro_f1", TABLE, method="bootstrap")


@pytest.mark.parametrize("method", ["wilson", "exact", "jackknife"])
def test_methods_for_shares_refuse_averages(method):
    with pytest.raises(errors.UnsupportedError, match="bayes"):
        class_intervals("macro_f1", TABLE, method=method)


def test_tables_of_another_kind_are_refused():
    with pytest.raises(errors.InvalidArgumentError, match="ClassTable"):
        class_intervals("macro_f1", TWO.one_vs_rest("ill"))
    with pytest.raises(errors.UnknownNameError, match="several classes"):
        interval(metrics.class_metric("macro_f1"), TWO.one_vs_rest("ill"))
    with pytest.raises(errors.UnsupportedError, match="weighted"):
        class_intervals("accuracy", ClassTable(TABLE.counts / 3), method="wilson")


def test_a_metric_of_all_cells_is_drawn_too():
    def linear_kappa(cells):
        place = np.arange(cells.shape[-1])
        gap = np.abs(place[:, None] - place)
        share = cells / cells.sum((-2, -1), keepdims=True)
        expected = share.sum(-1)[..., :, None] * share.sum(-2)[..., None, :]
        return 1 - (gap * share).sum((-2, -1)) / (gap * expected).sum((-2, -1))

    metric = ClassMetric(name="mine", definition="", meaning="", of_cells=linear_kappa)
    found = interval(metric, TABLE)
    same = ClassMetric(
        name="unweighted",
        definition="",
        meaning="",
        of_cells=lambda c: kappa_by_hand(*_shares(c))[..., 0],
    )
    assert found.low < found.value < found.high
    kappa = interval(metrics.class_metric("cohen_kappa"), TABLE)
    np.testing.assert_allclose(ends(interval(same, TABLE)), ends(kappa), rtol=1e-9)


def _shares(cells):
    cells = np.atleast_3d(cells) if cells.ndim == 3 else cells[None]
    share = cells / cells.sum((1, 2), keepdims=True)
    return np.diagonal(share, axis1=1, axis2=2), share.sum(2), share.sum(1)


def test_an_end_that_would_leave_out_the_value_is_the_value():
    never, always = np.array([[0, 4, 1], [6, 0, 3], [0, 2, 0]]), np.diag([5, 3, 4])
    accuracy = metrics.class_metric("accuracy")
    found = interval(accuracy, ClassTable([never, TABLE.counts, always]))
    assert found.extended.tolist() == ["low", None, "high"]
    assert (found.low[0], found.high[2]) == (0.0, 1.0)
    assert interval(accuracy, ClassTable(never)).extended == "low"


def test_more_cases_than_floats_can_tell_apart_are_refused():
    few, many = ([[2 * s, s], [s, 3 * s]] for s in (1e13, 1e17))
    cells = [np.kron(np.eye(2), each) for each in (few, many)]
    found = interval("mcc", ClassTable(cells[0]))
    assert found.low < found.value < found.high
    with pytest.raises(errors.UnsupportedError, match=r"at most 1e\+16 cases, got 1.4e\+18"):
        interval("mcc", ClassTable(cells[1]))


@pytest.mark.parametrize("kind", ["macro", "weighted"])
@pytest.mark.parametrize("name", ["f1", "precision"])
def test_averages_over_some_classes_are_those_of_each_table(kind, name):
    """Drawn tables one by one, in plain sums: a weighted average counts classes by their cases."""
    cells = np.random.default_rng(5).gamma(2.0, size=(50, 3, 3)) * [[9], [3], [1]]
    hits = np.diagonal(cells, axis1=1, axis2=2)
    draws = Margins(hits, cells.sum(2), cells.sum(1), lambda: cells)
    kept = np.array([True, False, True])
    metric = metrics.average(name, kind, undefined="omit")
    found = _average_over(metric, draws, kept)
    for value, table in zip(found, cells, strict=True):
        truth, called, hit = table.sum(1), table.sum(0), np.diag(table)
        each = 2 * hit / (truth + called) if name == "f1" else hit / called
        weight = np.where(kept, truth if kind == "weighted" else 1, 0)
        assert value == pytest.approx(each @ weight / weight.sum())


def test_light_weights_are_more_cases_than_they_sum_to():
    """Twenty cases of weight 1/2 sum to ten, and say as much as twenty."""
    half = ClassTable([[4, 1, 0.5], [0.5, 2, 0], [0, 0.5, 1.5]])
    squares = half.n / 2  # each weight 1/2
    full = effective_table(half, squares)
    assert full.n == 2 * half.n
    assert np.array_equal(full.counts, 2 * half.counts)
    twice = ClassTable(np.asarray(2 * half.counts, dtype=int))

    light = class_intervals("accuracy", half, squared_weights=squares)["accuracy"]
    whole = class_intervals("accuracy", twice)["accuracy"]
    assert (light.low, light.high) == pytest.approx((whole.low, whole.high))


def test_decisions_that_are_no_classes_have_one_law():
    worth = np.array([[3.0, -1, 0], [0, 1, 2]])
    metric = utility_of_decisions(worth, (3, 4), (0, 1, 2), np.full((2, 3), 1 / 6))
    counts = np.zeros((5, 5), dtype=int)
    counts[:3, 3:] = [[9, 2], [1, 3], [0, 6]]
    found = interval(metric, ClassTable(counts))
    below = probability(metric, ClassTable(counts), f"< {found.low}")
    assert float(below) == pytest.approx(0.025, abs=1e-6)
