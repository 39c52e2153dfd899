"""Differences of two separate tables: ends against independent sums, tiny and lopsided first."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, betaincinv

from baserate import ConfusionMatrix, metrics
from baserate.errors import UnsupportedError
from baserate.groups.pair_intervals import pair_interval
from baserate.inference import interval, separate_samples
from baserate.inference.paired import compare_paired
from baserate.inference.posterior import Posterior
from baserate.inference.posterior_cdf import distribution
from baserate.inference.separate_samples import compare_separate
from oracles import difference_twins as twins
from quick import one_in

TINY = (0, 2, 1, 0)
OTHERS = [(3, 0, 0, 1), (2, 3, 0, 1)]
SHARED = ["f1", "f2", "matthews_correlation", "cohen_kappa", "lift", "informedness"]
MANY = (10**17, 10**16, 3, 4)


def table(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), map(int, cells), strict=True)))


def f1_of_jaccard(j):
    return 2 * j / (1 + j)


def jaccard_of_f1(f):
    return f / (2 - f)


def random_pairs(number):
    rng = np.random.default_rng(8)
    for i in range(number):
        size = (3, 3, 10, 100, 5000)[i % 5]
        yield (rng.integers(0, size + 1, (2, 4)) * (rng.random((2, 4)) < 0.8)).tolist()


def reached(found):
    """Which of the lower end, the upper end and 0 the law decides; an end may reach the value."""
    return [found.low < found.difference, found.high > found.difference, True]


@pytest.mark.slow
@pytest.mark.parametrize("metric", one_in(2, ["f1", "f1_harmonic"]))
def test_the_stated_error_holds_where_the_law_is_a_beta_law_in_disguise(metric):
    checked = 0
    for a, b in random_pairs(40):
        found = compare_separate(metric, table(a), table(b))
        if found.route == "undefined":
            continue
        laws = [(tp + 0.5, fn + fp + 0.5) for tp, fn, fp, _ in (a, b)]
        below = [
            twins.of_beta_variables(f1_of_jaccard, jaccard_of_f1, *laws, gap)
            for gap in (found.low, found.high, 0.0)
        ]
        expected = [0.025, 0.975, 1 - found.higher]
        assert found.error < 3e-6
        kept = reached(found)
        np.testing.assert_allclose(
            np.array(below)[kept], np.array(expected)[kept], rtol=0, atol=found.error
        )
        checked += 1
    assert checked > 20


@pytest.mark.sweep(5, start=3)
@pytest.mark.parametrize(
    ("metric", "alike"),
    [
        ("f1", "jaccard"),
        ("f1_harmonic", "jaccard"),
        ("robust_f(d0=0)", "jaccard"),
        ("weighted_accuracy(weight=0.5)", "accuracy"),
        ("utility([[0, -20], [-20, 0]])", "accuracy"),
    ],
)
def test_metrics_that_one_share_decides_find_a_better_alike(metric, alike):
    for a, b in (((1, 2, 3, 1), (2, 0, 1, 4)), ((1, 9, 10, 80), (40, 9, 30, 21))):
        found, wanted = (compare_separate(name, table(a), table(b)) for name in (metric, alike))
        difference = found.higher - wanted.higher
        assert abs(difference) <= found.error + 1e-12


def test_the_ratio_of_f1_has_the_law_of_their_intervals():
    a, b = (35, 5, 10, 50), (13, 9, 4, 2)
    found, s = pair_interval("ratio(f1)", table(a), table(b)), np.linspace(0, 1, 20001)[1::2]
    (x, p), (v, q) = (
        (f1_of_jaccard(s), np.diff(betainc(tp + 0.5, fn + fp + 0.5, np.linspace(0, 1, 10001))))
        for tp, fn, fp, _ in (a, b)
    )
    for end, level in ((found.low, 0.025), (found.high, 0.975)):
        below = np.interp(end * v, x, np.cumsum(p) - p / 2, left=0, right=1)
        assert q @ below == pytest.approx(level, abs=1e-6)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "metric", one_in(4, [*SHARED[1:], "yule_q", "gilbert_skill_score", "geometric_mean"])
)
def test_ends_of_tiny_tables_agree_with_an_equidistributed_sum(metric):
    formula = metrics.get(metric).formula
    for cells in OTHERS:
        found = compare_separate(metric, table((1, 2, 3, 1)), table(cells))
        if found.route == "undefined":
            continue
        gaps = (found.low, found.high, 0.0)
        below, error = twins.by_sobol([formula] * 2, (1, 2, 3, 1), cells, gaps, points=2**10)
        expected = [0.025, 0.975, 1 - found.higher]
        near = np.abs(below - expected) <= 8 * error + found.error
        assert near[reached(found)].all()
        assert error.max() < 1e-3


@pytest.mark.slow
def test_a_corner_that_turns_between_two_points_of_the_grid():
    """Kappa falls to -1 at base rate 1/2, and to -0.985 in a narrow range of base rates."""
    kappa = metrics.cohen_kappa
    posterior = Posterior(kappa, table(TINY))
    found = distribution(posterior, posterior.plan, 16)(np.array([-0.985267, -0.95]))
    below, error = twins.by_sobol(
        [kappa.formula, lambda tp, fn, fp, tn: 0 * tp], TINY, TINY, (-0.985267, -0.95)
    )
    assert (np.abs(found - below) <= 8 * error).all()
    assert error.max() < 1e-4


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    ("metric", "cells", "chance"),
    [
        ("cohen_kappa", (1, 1, 0, 0), 0),
        ("lift", (1, 1, 0, 0), 1),
        ("gilbert_skill_score", (2, 0, 2, 0), 0),
    ],
)
def test_a_kink_where_skill_begins_takes_few_panels(metric, cells, chance):
    metric = metrics.get(metric)
    law = separate_samples._tabulated(metric, tuple(map(float, cells)))
    assert law.edges.size <= 30  # 34 to 46 where panels are halved until they are that narrow
    at = chance + np.array([-1e-2, -1e-5, 1e-5, 1e-2])
    below, error = twins.by_sobol(
        [metric.formula, lambda tp, fn, fp, tn: 0 * tp], cells, cells, at, points=2**12
    )
    assert (np.abs(law.below(at) - below) <= 8 * error + law.error).all()
    assert error.max() < 1e-3


def test_recalls_of_large_tables_are_located_to_their_own_width():
    sides = [table((7 * 10**9, 3 * 10**9, 5, 5)), table((6 * 10**9, 4 * 10**9, 5, 5))]
    found = compare_separate("recall", *sides)
    p, q, n = 0.7, 0.6, 1e10  # the normal law is right to 1e-10 here
    sd = (p * (1 - p) / n + q * (1 - q) / n) ** 0.5
    expected = np.array([0.1 - 1.959963984540054 * sd, 0.1 + 1.959963984540054 * sd])
    np.testing.assert_allclose([found.low, found.high], expected, rtol=0, atol=1e-4 * sd)


@pytest.mark.parametrize("level", [0.95, 1 - 1e-9, 1 - 1e-12])
def test_a_difference_of_rates_stays_within_one(level):
    found = compare_separate(
        "recall", table((1, 2, 3, 1)), table((2, 0, 1, 4)), confidence_level=level
    )
    assert -1 <= found.low < found.high <= 1


NO_CASES, SOME = (0, 0, 0, 0), (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("metric", "cell"), [("true_positives", 0), ("false_negatives", 1), ("true_negatives", 3)]
)
def test_counts_of_a_table_without_cases_are_exactly_zero(metric, cell):
    share = stats.beta(SOME[cell] + 0.5, sum(SOME) - SOME[cell] + 0.5)
    found = compare_separate(metric, table(NO_CASES), table(SOME))
    expected = -10 * share.ppf([0.975, 0.025])
    np.testing.assert_allclose([found.low, found.high], expected, rtol=1e-9)
    assert (found.route, found.error) == ("exact", 0.0)
    assert (found.higher, found.better) in {(0.0, 0.0), (0.0, 1.0)}


def test_odds_ratios_beyond_ten_to_the_sixteen_are_told_apart():
    """Log odds are of Beta laws: draws of two Gamma variables each, half a case in each cell."""
    a, b = (10**8, 1, 1, 10**8), (10**8, 3, 1, 10**8)
    rng = np.random.default_rng(1)
    (tp, fn, fp, tn), others = (
        [np.log(rng.gamma(cell + 0.5, size=400_000)) for cell in cells] for cells in (a, b)
    )
    lead = tp - fn - fp + tn - (others[0] - others[1] - others[2] + others[3])
    found = compare_separate("diagnostic_odds_ratio", table(a), table(b))
    assert found.higher == pytest.approx((lead > 0).mean(), abs=0.003)


def test_two_constants_are_equal():
    found = compare_separate("true_positives", table(NO_CASES), table(NO_CASES))
    assert (found.low, found.high, found.route) == (0.0, 0.0, "exact")
    assert found.higher == found.better == 0.0


@pytest.mark.slow
def test_counts_of_two_tables_are_exact():
    first, second = stats.beta(3.5, 3.5), stats.beta(1.5, 9.5)  # 3 of 6, and 1 of 10 are tp
    found = compare_separate("true_positives", table((3, 1, 2, 0)), table(SOME))
    y = second.ppf((np.arange(200_000) + 0.5) / 200_000)
    below = [first.cdf((gap + 10 * y) / 6).mean() for gap in (found.low, found.high)]
    np.testing.assert_allclose(below, [0.025, 0.975], rtol=0, atol=1e-8)
    assert found.route == "exact"


def hidden(tp, fn, fp, tn):
    return 2 * tp / (2 * tp + fn + fp)


@pytest.mark.slow
def test_quasi_monte_carlo_intervals_are_as_near_as_they_say():
    simulated = metrics.define(
        "hidden_f1", hidden, direction="higher", lumps=None, trend_in_fp="unknown"
    )
    rng, checked = np.random.default_rng(1), 0
    for i in range(9):
        t = table(rng.integers(0, (4, 10, 100)[i % 3], 4))
        found = interval(simulated, t)
        if found.route == "undefined":
            continue
        tp, fn, fp, _ = map(float, t)  # nothing says that one share decides: half a case per cell
        exact = f1_of_jaccard(betaincinv(tp + 0.5, fn + fp + 1, [0.025, 0.975]))
        exact = np.minimum(exact[0], found.value), np.maximum(exact[1], found.value)
        off = np.abs(np.subtract((found.low, found.high), exact)).max()
        assert found.route == "quasi-monte-carlo"
        assert off <= found.error < 0.1
        checked += 1
    assert checked > 5


@pytest.mark.parametrize(
    "ask",
    [
        lambda: interval("recall", table(MANY)),
        lambda: interval("recall", table(MANY), method="exact"),
        lambda: interval("f1", table(MANY)),
        lambda: compare_separate("recall", table((10**17, 10**17, 1, 1)), table(TINY)),
        lambda: compare_separate("recall", table(MANY), table(TINY)),
        lambda: compare_paired("accuracy", np.full((2, 2, 2), 10**17)),
        lambda: pair_interval("ratio(recall)", table(TINY), table(MANY)),
    ],
)
def test_more_cases_than_beta_laws_have_digits_are_refused(ask):
    with pytest.raises(UnsupportedError, match=r"right for at most 1e\+16 cases.*metric alone"):
        ask()


def test_wilson_intervals_need_no_beta_law():
    found = interval("recall", table(MANY), method="wilson")
    sd = (10 / 11 * (1 / 11) / 1.1e17) ** 0.5
    assert found.high - found.low == pytest.approx(2 * 1.959963984540054 * sd, rel=1e-6)
