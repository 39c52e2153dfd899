"""Two classifiers compared by whole clusters: swaps one by one, McNemar, and coverage."""

from fractions import Fraction
from itertools import product
from math import isnan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from baserate import metrics
from baserate.errors import InvalidCountError, LabelError, UnknownNameError
from baserate.inference import difference, mcnemar_test, paired_counts

LINEAR = ("accuracy", "recall", "specificity", "balanced_accuracy", "informedness")
CELLS = st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=6)


def tables(joint):
    """Return (tp, fn, fp, tn) of A and of B in each cluster, as fractions."""
    both = []
    for axis in (1, 0):
        cells = [np.asarray(part).sum(axis=axis) for part in joint]
        both.append(
            [[Fraction(int(c[i, j])) for i, j in ((0, 0), (1, 0), (0, 1), (1, 1))] for c in cells]
        )
    return both


def value(name, rows):
    """Return a metric of summed clusters by its definition; None where undefined."""
    tp, fn, fp, tn = (sum(column) for column in zip(*rows, strict=True))
    p, n = tp + fn, fp + tn
    try:
        return {
            "accuracy": lambda: (tp + tn) / (p + n),
            "recall": lambda: tp / p,
            "specificity": lambda: tn / n,
            "balanced_accuracy": lambda: (tp / p + tn / n) / 2,
            "informedness": lambda: tp / p + tn / n - 1,
            "f1": lambda: 2 * tp / (2 * tp + fn + fp),
            "precision": lambda: tp / (tp + fp),
        }[name]()
    except ZeroDivisionError:
        return None


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", LINEAR)
@given(CELLS)
@settings(max_examples=25)
def test_every_swap_of_whole_clusters_is_counted(name, cells):
    joint = np.array(cells).reshape(-1, 2, 2, 2)
    joint = joint[joint.any(axis=(1, 2, 3))]
    if not len(joint):
        return
    a, b = tables(joint)
    values = value(name, a), value(name, b)
    found = difference(name, paired=joint, method="exact")
    if None in values:
        assert isnan(found.p_value)
        assert found.reason
        return
    apart, reached = abs(values[0] - values[1]), 0
    for swaps in product((False, True), repeat=len(a)):
        one = [y if s else x for x, y, s in zip(a, b, swaps, strict=True)]
        other = [x if s else y for x, y, s in zip(a, b, swaps, strict=True)]
        reached += abs(value(name, one) - value(name, other)) >= apart
    assert found.value == pytest.approx(float(values[0] - values[1]), abs=1e-14)
    assert found.p_value_route == "exact"
    assert found.p_value == pytest.approx(reached / 2 ** len(a), rel=1e-12)


@pytest.mark.parametrize("apart", [(0.3, 0.3, -0.3, -0.2, -0.2, -0.2), (sqrt(2), 1, sqrt(3), -pi)])
def test_clusters_of_weights_swap_their_sums_with_or_without_a_common_unit(apart):
    joint = np.zeros((len(apart), 2, 2, 2))
    joint[:, 1, 0, 0], joint[:, 0, 1, 0] = np.maximum(apart, 0), np.maximum(np.negative(apart), 0)
    sums = [abs(np.dot(signs, apart)) for signs in product((1, -1), repeat=len(apart))]
    found = difference("accuracy", paired=joint, method="exact")
    assert found.p_value == sum(s > sums[0] - 1e-9 for s in sums) / len(sums)


def test_ratios_swap_by_their_slopes_at_the_mean_table():
    joint = np.random.default_rng(1).integers(0, 4, (9, 2, 2, 2))
    a, b = tables(joint)
    tp, fn, fp, _ = (sum(column) / 2 for column in zip(*a, *b, strict=True))
    whole = 2 * tp + fn + fp  # F1 = 2 tp/whole; tp moves with fn, fp with tn
    u, v = 2 * (whole - tp) / whole**2, -2 * tp / whole**2
    steps = [u * (x[0] - y[0]) + v * (x[2] - y[2]) for x, y in zip(a, b, strict=True)]
    sums = [
        sum(sign * step for sign, step in zip(signs, steps, strict=True))
        for signs in product((1, -1), repeat=len(steps))
    ]
    exact = Fraction(sum(abs(s) >= abs(sums[0]) for s in sums), len(sums))
    found = difference("f1", paired=joint, method="exact")
    assert found.p_value == pytest.approx(float(exact), rel=1e-12)
    assert isnan(found.low)
    assert found.reason.startswith("swaps tell whether both are equal")


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_cases_that_are_their_own_clusters_have_mcnemars_exact_test(only_a, only_b, both):
    n = only_a + only_b + both
    if not n:
        return
    right = np.array([[1, 0]] * only_a + [[0, 1]] * only_b + [[1, 1]] * both)
    y = np.arange(n) % 2
    a, b = (np.where(side, y, 1 - y) for side in right.T)
    joint = paired_counts(y, a, b, cluster=np.arange(n))
    found = difference("accuracy", paired=joint, method="exact")
    assert found.p_value == pytest.approx(mcnemar_test(only_a, only_b).exact_p, rel=1e-10)
    assert isnan(found.design_effect) or found.design_effect == pytest.approx(1, rel=1e-6)


def least_variance(name, joint):
    """Return that of cases whose intraclass correlation is min(.2, 4/m), by its definition."""
    both = [np.array([[float(x) for x in row] for row in side]) for side in tables(joint)]
    steps = []
    for side in both:
        cells = side.sum(axis=0)
        value_at = lambda c: value(name, [[Fraction(x) for x in c]])  # noqa: E731
        nudge = [1e-5 * np.eye(4)[i] for i in range(4)]
        steps.append([float(value_at(cells + h) - value_at(cells - h)) / 2e-5 for h in nudge])
    place = {(0, 0): 0, (1, 0): 1, (0, 1): 2, (1, 1): 3}  # (decision, class): tp, fn, fp, tn
    sizes, n = joint.sum(axis=(1, 2, 3)), joint.sum()
    m, size = n**2 / (sizes @ sizes), sizes @ sizes / n
    cells = joint.sum(axis=0) + (1 + (size - 1) * min(0.2, 4 / m)) / 4
    moved = {
        (i, j, c): steps[0][place[i, c]] - steps[1][place[j, c]]
        for i, j, c in product((0, 1), repeat=3)
    }
    centre = sum(cells[k] * moved[k] for k in moved) ** 2 / cells.sum()
    square = sum(cells[k] * moved[k] ** 2 for k in moved)
    spread = 1 - centre / square
    of_class = [sum(cells[k] * moved[k] ** 2 for k in moved if k[2] == c) for c in (0, 1)]
    parts = [spread * part * n / cells.sum() for part in of_class]
    classes = joint.sum(axis=(1, 2))
    if name == "accuracy":
        parts, classes = [sum(parts)], sizes[:, None]
    weighed = sum(classes[:, c] * sqrt(part / classes[:, c].sum()) for c, part in enumerate(parts))
    m, size = weighed.sum() ** 2 / (weighed @ weighed), weighed @ weighed / sum(parts)
    return sum(parts) * (1 + (size - 1) * min(0.2, 4 / m))


def test_the_variance_is_that_of_leaving_out_clusters():
    joint = np.random.default_rng(3).integers(0, 5, (8, 2, 2, 2))
    a, b = tables(joint)
    for name in ("accuracy", "f1", "precision"):
        whole = value(name, a) - value(name, b)
        moves = []
        for left in range(len(a)):
            rest = [[row for i, row in enumerate(side) if i != left] for side in (a, b)]
            moves.append(whole - value(name, rest[0]) + value(name, rest[1]))
        squares = [move**2 for move in moves]
        freedom = 3 * sum(squares) ** 2 / sum(s**2 for s in squares)  # two more than usual
        variance = max(float(sum(squares)), least_variance(name, joint))
        law = student(min(max(float(freedom), 1), 7))
        reach = law.ppf(0.975) * sqrt(variance)
        found = difference(name, paired=joint)
        assert found.p_value == pytest.approx(2 * law.sf(abs(float(whole)) / sqrt(variance)))
        assert found.low == pytest.approx(max(-1, float(whole) - reach), rel=1e-9)
        assert found.high == pytest.approx(min(1, float(whole) + reach), rel=1e-9)


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("name", "k"), [("accuracy", 2), ("f1", 2), ("accuracy", 3), ("macro_f1", 3)]
)
@given(st.integers(0, 10**6), st.integers(3, 12))
@settings(max_examples=25)
def test_the_interval_ends_at_zero_at_the_level_that_p_leaves(name, k, seed, clusters):
    """So at any level they say the same of 0."""
    rng = np.random.default_rng(seed)
    shares = np.ones((k, k, k)) + 4 * np.eye(k)[:, None]  # A is right more often
    joint = rng.poisson(shares * rng.exponential(size=(clusters, 1, 1, 1)) / 2)
    found = difference(name, paired=joint)
    if found.reason or found.p_value > 0.999:
        return
    ends = difference(name, paired=joint, confidence_level=1 - found.p_value)
    assert min(abs(ends.low), abs(ends.high)) < 1e-9
    assert (found.p_value <= 0.05) == (found.low > 0 or found.high < 0)


def test_several_classes_in_any_order_are_as_sure():
    joint = np.random.default_rng(2).integers(0, 4, (7, 3, 3, 3))
    turned = joint[:, ::-1, ::-1, ::-1]
    for method in (None, "exact"):
        found, other = (difference("macro_f1", paired=x, method=method) for x in (joint, turned))
        assert (found.value, found.p_value) == pytest.approx((other.value, other.p_value))
        assert (found.low, found.high) == pytest.approx((other.low, other.high), nan_ok=True)


def test_copies_of_a_case_say_as_much_as_one():
    alone = (
        np.random.default_rng(5).integers(0, 2, (40, 2, 2, 2))
        * np.eye(8).reshape(8, 2, 2, 2)[np.random.default_rng(6).integers(0, 8, 40)]
    )
    once, often = (difference("accuracy", paired=times * alone) for times in (1, 5))
    assert (often.low, often.high, often.p_value) == pytest.approx(
        (once.low, once.high, once.p_value)
    )
    n = alone.sum()
    assert once.design_effect == pytest.approx(1, rel=1e-6)
    assert often.design_effect == pytest.approx(5 * (5 * n - 1) / (5 * (n - 1)), rel=1e-6)


def test_many_unequal_clusters_have_a_saddle_point(monkeypatch):
    rng = np.random.default_rng(7)
    joint = rng.integers(0, 3, (30, 2, 2, 2))
    exact = difference("accuracy", paired=joint, method="exact")
    monkeypatch.setattr("baserate.curves.permutation_laws.BUDGET", 0)
    monkeypatch.setattr("baserate.curves.permutation_laws.MOST_BITS", 0)
    found = difference("accuracy", paired=joint, method="exact")
    assert (exact.p_value_route, found.p_value_route) == ("exact", "asymptotic")
    assert found.p_value == pytest.approx(exact.p_value, rel=0.2)


@pytest.mark.slow
def test_the_size_of_the_test_is_held():
    rng, rejected, runs = np.random.default_rng(11), np.zeros(5), 150
    for _ in range(runs):
        y, a, b, cluster = answers(rng, 20, (0.8, 0.8))
        joint = paired_counts(y, a, b, cluster=cluster)
        every = product(("accuracy", "f1"), (None, "exact"))
        found = [difference(name, paired=joint, method=method).p_value for name, method in every]
        alone = joint.sum(axis=0)
        found.append(
            mcnemar_test(
                *map(int, (alone[0, 1, 0] + alone[1, 0, 1], alone[1, 0, 0] + alone[0, 1, 1]))
            ).p_value
        )
        rejected += np.array(found) <= 0.05
    assert (rejected[:4] / runs < 0.05 + 2.5 * sqrt(0.05 / runs)).all()
    assert rejected[4] / runs > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accuracy", "f1"])
def test_intervals_hold(name):
    rng, held, runs = np.random.default_rng(12), 0, 300
    many = answers(np.random.default_rng(0), 40_000, (1.0, 0.6))
    truth = difference(name, paired=paired_counts(*many[:3])[None]).value
    for _ in range(runs):
        y, a, b, cluster = answers(rng, 20, (1.0, 0.6))
        found = difference(name, paired=paired_counts(y, a, b, cluster=cluster))
        held += found.low <= truth <= found.high
    assert 0.925 < held / runs <= 0.985


def answers(rng, k, shifts, icc=0.3):
    """Draw k topics of unequal size, and whether two models answer their questions rightly."""
    cluster = np.repeat(np.arange(k), 1 + rng.negative_binomial(1.3, 0.16, size=k))
    n = len(cluster)
    y, hard = rng.random(n) < 0.4, rng.normal(size=n)
    decided = []
    for shift in shifts:
        topic = sqrt(icc) * rng.normal(size=k)[cluster]
        noise = sqrt(1 - icc) * (sqrt(0.3) * hard + sqrt(0.7) * rng.normal(size=n))
        decided.append(np.where(topic + noise + shift > 0, y, ~y))
    return y, *decided, cluster


def test_where_there_is_no_interval():
    one = np.arange(8).reshape(1, 2, 2, 2)
    assert difference("accuracy", paired=one).reason == "all cases lie in one cluster"
    joint = np.zeros((3, 2, 2, 2), dtype=int)
    joint[:, 1, 1, 1] = 2
    assert difference("recall", paired=joint).reason.startswith("no positives")
    same = difference("accuracy", paired=joint)
    assert same.reason.startswith("nothing shows how much clusters differ")
    assert (same.value, same.p_value_reason) == (0.0, same.reason)
    assert isnan(same.p_value)
    assert difference("accuracy", paired=joint, method="exact").p_value == 1.0
    joint[0, 0, 1, 0] = 3
    found = difference("recall", paired=joint)
    assert found.reason == "it is undefined without one of the clusters"
    assert found.value == 1.0
    assert isnan(found.p_value)


@pytest.mark.slow
def test_every_metric_has_an_answer():
    joint = np.random.default_rng(9).integers(1, 4, (6, 2, 2, 2))
    turned = joint.swapaxes(1, 2)
    for metric in metrics.CATALOGUE:
        found, other = difference(metric, paired=joint), difference(metric, paired=turned)
        assert found.value == pytest.approx(-other.value)
        assert found.p_value == pytest.approx(other.p_value, nan_ok=True)
        assert isnan(found.low) or found.low <= found.value <= found.high


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="method"):
        difference("accuracy", paired=np.ones((5, 2, 2, 2)), method="swaps")
    with pytest.raises(InvalidCountError, match="paired must hold counts of at least 0"):
        difference("accuracy", paired=-np.ones((2, 2, 2, 2)))
    with pytest.raises(LabelError, match="cluster must have as many cases"):
        paired_counts([1, 0], [1, 0], [0, 0], cluster=["a"])
