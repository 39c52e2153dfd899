"""Power, smallest gaps and sizes against exact fractions."""

from fractions import Fraction
from itertools import product
from math import isnan

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import betabinom, binom

from baserate import ConfusionMatrix, metrics
from baserate.counts import CELLS
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups import trials
from baserate.groups.count_laws import Chances
from baserate.groups.null import Null
from baserate.groups.power import (
    crossing,
    group_size,
    match_power,
    smallest_gap,
    smallest_gaps,
    smallest_of,
)
from baserate.groups.rejection_regions import rejections
from docs.error_rates import match_error_rate
from oracles import group_twins
from oracles import match_twins as twins

GROUP = ConfusionMatrix(tp=6, fn=4, fp=3, tn=9)
REST = ConfusionMatrix(tp=30, fn=10, fp=8, tn=32)
BIG = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
ALPHA = Fraction(1, 20)


@pytest.mark.parametrize("uncertain", [True, False])
@pytest.mark.parametrize("gap", [0, "-1/4", "1/8"])
def test_power_of_a_rate_in_fractions(gap, uncertain):
    half = Fraction(1, 2)
    law = (
        twins.beta_binomial(10, 30 + half, 10 + half)
        if uncertain
        else twins.binomial(10, Fraction(3, 4))
    )
    expected = twins.rate_power(law, Fraction(3, 4) + Fraction(gap), ALPHA)
    found = match_power(
        "recall", GROUP, REST, gap=float(Fraction(gap)), uncertain_reference=uncertain
    )
    assert found == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize("share", [0, "1/2", "-1/2"])
@pytest.mark.parametrize("name", ["f1", "accuracy", "matthews_correlation", "error_rate"])
@pytest.mark.parametrize("condition", ["classes", "none"])
def test_power_of_other_metrics_in_fractions(name, share, condition):
    group, reference, share = (2, 1, 1, 3), (30, 10, 8, 32), Fraction(share)
    null = twins.law_of(7, group, reference, None)
    pi = Fraction(3, 7) if condition == "classes" else Fraction(1, 2)
    rates = [_moved(Fraction(3, 4), share), _moved(Fraction(4, 5), share)]
    start = float(_expected(name, pi, Fraction(3, 4), Fraction(4, 5)))
    gap = float(_expected(name, pi, *rates)) - start
    r, s = rates
    cells = [pi * r, pi * (1 - r), (1 - pi) * (1 - s), (1 - pi) * s]
    truth = group_twins.multinomial(7, [int(c * 5600) for c in cells])
    if condition == "classes":
        null, truth = (twins.held(law, group, (("tp", "fn"),)) for law in (null, truth))
    p = twins.all_p_values(name, null)
    seen = sum(w for t, w in truth.items() if t in p and p[t] <= Fraction(1, 4))
    expected = Fraction(seen, sum(truth.values()))
    if condition == "none" and name in {"accuracy", "error_rate"}:  # one count of 7 cases
        x = {"accuracy": 62, "error_rate": 18}[name]
        law = twins.beta_binomial(7, x + twins.HALF, 80 - x + twins.HALF)
        rate = _expected(name, *(Fraction(x) for x in (pi, *rates)))
        expected = twins.rate_power(law, rate, Fraction(1, 4))
    table = ConfusionMatrix(**dict(zip(group_twins.CELLS, group, strict=True)))
    found = match_power(name, table, REST, gap=gap, alpha=0.25, condition=condition)
    assert found == pytest.approx(float(expected), rel=1e-6)


def _moved(rate, share):
    return rate + share * (1 - rate) if share > 0 else rate * (1 + share)


def _expected(name, pi, r, s):
    cells = (pi * r, pi * (1 - r), (1 - pi) * (1 - s), (1 - pi) * s)
    return twins.metric_twins.value(name, *cells)


@pytest.mark.parametrize("name", ["recall", "f1", "mcc", "fnr", "base_rate", "accuracy"])
def test_the_smallest_gap_is_where_the_power_arrives(name):
    group = ConfusionMatrix(tp=40, fn=10, fp=5, tn=45)
    found = smallest_gap(name, group, BIG, power=0.7)
    assert float(found) == min(found.below, found.above)
    for sign, size in ((-1, found.below), (1, found.above)):
        reached = match_power(name, group, BIG, gap=sign * size * (1 + 1e-6))
        short = match_power(name, group, BIG, gap=sign * size * (1 - 1e-6))
        assert reached >= 0.7 - 1e-9
        assert short <= 0.7 + 1e-9
        assert match_power(name, group, BIG, gap=sign * size * 0.8) < 0.7


# A reference of one case, found: the test expects some misses among 3000, and rejects a group that
# has none. A few misses are no surprise to it; a great many are one again.
@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_power_may_fall_before_it_rises(alternative):
    group, one = ConfusionMatrix(tp=3000, fn=0, fp=1, tn=1), ConfusionMatrix(tp=1, fn=0, fp=0, tn=1)
    asked = {"alternative": alternative}
    assert match_power("recall", group, one, gap=0, **asked) == 1
    assert match_power("recall", group, one, gap=-0.0625, **asked) < 0.01
    found = smallest_gap("recall", group, one, **asked)
    assert isnan(found.above)
    if alternative == "greater":
        assert isnan(found.below)
        assert found.reason == "no gap, however large, is likely enough to be seen"
        return
    # Rejected is X <= cut of scipy's beta-binomial; 0.8 of the binomial law must lie there.
    cut = int(np.flatnonzero(betabinom(3000, 1.5, 0.5).cdf(np.arange(3001)) <= 0.025)[-1])
    rate = brentq(lambda r: binom(3000, r).cdf(cut) - 0.8, 0.01, 0.9)
    assert found.below == pytest.approx(1 - rate, abs=1e-6)


def test_a_test_that_always_rejects_needs_no_gap():
    group = ConfusionMatrix(tp=5, fn=0, fp=1, tn=1)
    found = smallest_gap("recall", group, BIG, alpha=0.9999, power=0.01)
    assert (found.below, found.above) == (0, 0)


@pytest.mark.slow
def test_merged_cells_are_one_count():
    group, one = ConfusionMatrix(tp=90, fn=10, fp=5, tn=95), ConfusionMatrix(tp=1, fn=0, fp=0, tn=0)
    law = twins.beta_binomial(200, Fraction(3, 2), Fraction(1, 2))
    for gap in ("0", "-1/16", "-9/10"):
        expected = twins.rate_power(law, 1 + Fraction(gap), Fraction(1, 20))
        found = match_power("ppr", group, one, gap=float(Fraction(gap)))
        assert found == pytest.approx(float(expected), rel=1e-9, abs=1e-14)
    found = smallest_gap("ppr", group, one, alpha=0.025)
    assert found.below > 0.9
    assert match_power("ppr", group, one, gap=-found.below, alpha=0.025) >= 0.8


def test_a_group_too_small_for_any_gap():
    tiny = ConfusionMatrix(tp=1, fn=0, fp=0, tn=1)
    found = smallest_gap("recall", tiny, BIG)
    assert isnan(float(found))
    assert found.reason == "no gap, however large, is likely enough to be seen"
    one_way = smallest_gap("recall", ConfusionMatrix(tp=5, fn=0, fp=0, tn=1), BIG)
    assert isnan(one_way.above)  # five of five happens one time in three anyway
    assert float(one_way) == one_way.below


def test_a_number_of_cases_has_the_mix_of_the_reference():
    by_table = smallest_gap("recall", ConfusionMatrix(tp=50, fn=0, fp=0, tn=50), BIG)
    by_number = smallest_gap("recall", 100, BIG)
    assert by_table == by_number
    assert smallest_gap("f1", 100, BIG) == smallest_gap(
        "f1", ConfusionMatrix(tp=50, fn=0, fp=0, tn=50), BIG
    )


def test_metrics_without_direction_move_by_flagging():
    """B = (fp - fn) / n: flagging a quarter of what is left adds a quarter of tn and fn to it."""
    group, gap = ConfusionMatrix(tp=10, fn=10, fp=10, tn=10), 0.25 * (10 + 32) / 80
    found = match_power("marginal_benefit", group, REST, gap=gap, alpha=0.2)
    flagged = (Fraction(30) + Fraction(10, 4), Fraction(30, 4), Fraction(16), Fraction(24))
    truth = _multinomial_floats(40, [float(c / 80) for c in flagged])
    null = twins.law_of(40, None, (30, 10, 8, 32), None)
    total = sum(null.values())
    sums, b = {}, lambda t: t[2] - t[1]
    for t, w in null.items():
        sums[b(t)] = sums.get(b(t), 0) + w
    lower = {x: Fraction(sum(w for y, w in sums.items() if y <= x), total) for x in sums}
    upper = {x: Fraction(sum(w for y, w in sums.items() if y >= x), total) for x in sums}
    seen = sum(w for t, w in truth.items() if min(lower[b(t)], upper[b(t)]) <= Fraction(1, 10))
    assert found == pytest.approx(seen, rel=1e-7)


def _multinomial_floats(n, cells):
    from math import factorial, prod

    def chance(t):
        ways = factorial(n)
        for x in t:
            ways //= factorial(x)
        return ways * prod(c**x for c, x in zip(cells, t, strict=True))

    return {t: chance(t) for t in group_twins.tables(n)}


def test_undefined_power_says_why():
    no_positives = ConfusionMatrix(tp=0, fn=0, fp=5, tn=45)
    assert isnan(match_power("recall", no_positives, BIG, gap=-0.1))
    assert smallest_gap("recall", no_positives, BIG).reason == "no positives"
    found = smallest_gap("recall", GROUP, no_positives)
    assert found.reason == "in the reference: no positives (tp + fn = 0)"
    assert isnan(match_power("f1", GROUP, no_positives, gap=-0.1))
    sized = group_size("recall", no_positives, gap=-0.1)
    assert (sized.n, sized.reason) == (None, "in the reference: no positives (tp + fn = 0)")


HIGH = ConfusionMatrix(tp=4950, fn=50, fp=500, tn=4500)  # its power dips every hundred cases


@pytest.mark.parametrize(
    ("rest", "gap"), [(BIG, -0.2), (BIG, -0.07), (BIG, 0.12), (HIGH, -0.02), (HIGH, -0.015)]
)
def test_sizes_reach_the_power_and_stay(rest, gap):
    found = group_size("recall", rest, gap=gap, power=0.8)
    assert found.counted == "positives"
    assert found.n == 2 * found.size

    def power(k):
        return match_power("recall", ConfusionMatrix(tp=k, fn=0, fp=0, tn=0), rest, gap=gap)

    assert power(found.size - 1) < 0.8
    stretch = max(10, found.size // 8)
    assert all(power(k) >= 0.8 for k in range(found.size, found.size + stretch + 1))


@pytest.mark.parametrize("name", ["f1", "mcc", "fnr", "base_rate"])
def test_sizes_of_other_metrics(name):
    gap = 0.15 if name in {"fnr", "base_rate"} else -0.15
    found = group_size(name, BIG, gap=gap)
    assert found.n == (found.size if found.counted == "cases" else 2 * found.size)
    one = found.n // found.size
    assert match_power(name, found.n, BIG, gap=gap) >= 0.8
    assert match_power(name, found.n - one, BIG, gap=gap) < 0.8


def test_no_size_is_enough_against_an_uncertain_reference():
    found = group_size("recall", REST, gap=-0.05)
    assert (found.n, found.size) == (None, None)
    assert "no group of up to 100,000 cases" in found.reason
    assert group_size("recall", REST, gap=-0.05, uncertain_reference=False).size > 400


def test_gaps_that_cannot_be_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"gap must lie between -0.8 and 0.2, got 0.3"):
        match_power("recall", GROUP, BIG, gap=0.3)
    for gap in ("x", None, float("nan"), float("inf")):
        with pytest.raises(
            InvalidArgumentError, match=r"gap must be a finite number.*such as -0.1"
        ):
            match_power("recall", GROUP, BIG, gap=gap)
        with pytest.raises(InvalidArgumentError, match="gap must be a finite number"):
            group_size("recall", BIG, gap=gap)
    with pytest.raises(InvalidArgumentError, match="gap must lie between"):
        group_size("f1", BIG, gap=-0.9)
    with pytest.raises(InvalidArgumentError, match="gap must not be 0"):
        group_size("f1", BIG, gap=0)
    with pytest.raises(InvalidArgumentError, match="power must lie in"):
        smallest_gap("f1", GROUP, BIG, power=1)
    with pytest.raises(UnsupportedError, match="tables to list"):
        match_power("f1", 400, BIG, gap=-0.1, condition="none")


@pytest.mark.parametrize("uncertain", [True, False])
@pytest.mark.parametrize("mid", [True, False])
def test_error_rates_in_fractions(uncertain, mid):
    exact = twins.error_rate(Fraction(3, 10), 9, 7, Fraction(1, 5), uncertain=uncertain, mid=mid)
    found = match_error_rate(
        rate=0.3, n=9, n_reference=7, alpha=0.2, uncertain_reference=uncertain, mid_p=mid
    )
    assert found == pytest.approx(float(exact), rel=1e-11)


LARGE = ("f1", "precision", "npv", "accuracy", "dor")


def _grid(laws, sizes):
    """Return the likely counts of either class, and their joint chances, by SciPy alone."""
    spans = [
        np.arange(max(0, int(law.mean() - 9 * law.std())),
                  min(size, int(law.mean() + 9 * law.std())) + 1)
        for law, size in zip(laws, sizes, strict=True)
    ]  # fmt: skip
    pmfs = [law.pmf(span) for law, span in zip(laws, spans, strict=True)]
    return spans, np.outer(*pmfs)


@pytest.mark.sweep(10, start=2)
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize(("p", "q", "times", "share"), [(200, 400, 1, 0.3), (2500, 6000, 99, 0.05)])
def test_the_power_of_large_groups_by_summing_all_likely_tables(name, p, q, times, share):
    """Given its class totals a group of any size has a power; shares of errors are put right."""
    group, formula = ConfusionMatrix(tp=p, fn=0, fp=0, tn=q), metrics.get(name).formula
    counts = [times * x for x in (30, 10, 8, 32)]
    rest = ConfusionMatrix(**dict(zip(group_twins.CELLS, counts, strict=True)))
    a, b, c, d = (x + 0.5 for x in counts)
    (tp, fp), null = _grid([betabinom(p, a, b), betabinom(q, c, d)], (p, q))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(tp[:, None], p - tp[:, None], fp[None], q - fp[None])
    values = np.nan_to_num(values, nan=np.inf)  # an odds ratio without errors
    order = np.argsort(values, axis=None)
    ordered = values.ravel()[order]
    below, above = np.cumsum(null.ravel()[order]), np.cumsum(null.ravel()[order][::-1])[::-1]
    low = ordered[below <= 0.05].max()
    high = ordered[above <= 0.05].min()
    recall, alarms = 0.75 + share * 0.25, 0.2 * (1 - share)
    cells = p * recall, p * (1 - recall), q * alarms, q * (1 - alarms)
    gap = formula(*cells) - formula(p * 0.75, p * 0.25, q * 0.2, q * 0.8)
    (tp, fp), truth = _grid([binom(p, recall), binom(q, alarms)], (p, q))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(tp[:, None], p - tp[:, None], fp[None], q - fp[None])
    values = np.nan_to_num(values, nan=np.inf)  # an odds ratio without errors
    expected = truth[(values < low) | (values > high)].sum()
    found = match_power(name, group, rest, gap=gap, alpha=0.1, condition="classes")
    assert 0.05 < expected < 0.999
    assert found == pytest.approx(expected, abs=2e-4)  # ties at the two ends


@pytest.mark.parametrize("name", ["precision", "f1", "mcc", "positive_likelihood_ratio"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_rows_and_lists_agree(name, alternative, monkeypatch):
    group = ConfusionMatrix(tp=20, fn=10, fp=15, tn=45)
    asked = {"alternative": alternative, "condition": "classes"}
    listed = smallest_gap(name, group, REST, **asked)
    monkeypatch.setattr("baserate.groups.rejection_regions.FEW", 0)
    assert smallest_gap(name, group, REST, **asked) == listed
    for gone in ({"tp": 0, "fn": 0}, {"fp": 0, "tn": 0}):
        one_class = ConfusionMatrix(**({"tp": 20, "fn": 10, "fp": 15, "tn": 45} | gone))
        found = smallest_gap(name, one_class, REST, **asked)
        assert found.reason is not None or found.below >= 0 or found.above >= 0


@pytest.mark.parametrize("unit", [2.0**-47, 2.0**60])
def test_no_gap_depends_on_the_unit_of_utility(unit, monkeypatch):
    monkeypatch.setattr("baserate.groups.rejection_regions.FEW", 0)
    group, plain = ConfusionMatrix(tp=20, fn=10, fp=15, tn=45), np.array([[2.0, -1.0], [-3.0, 1.0]])
    one, other = (
        smallest_gap(metrics.utility(plain * scale), group, REST, condition="classes")
        for scale in (1.0, unit)
    )
    assert 0 < one.below < 2
    expected = one.below * unit, one.above * unit
    assert (other.below, other.above) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.slow
def test_a_metric_of_one_s_own_needs_no_declared_trend(monkeypatch):
    own = metrics.define(
        "own", lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fn + fp), direction="higher", bounds=(0, 1)
    )
    group = ConfusionMatrix(tp=20, fn=10, fp=15, tn=45)
    listed = smallest_gap(own, group, REST, condition="classes")
    monkeypatch.setattr("baserate.groups.rejection_regions.LARGEST", 0)
    sifted = smallest_gap(own, group, REST, condition="classes")
    assert (sifted.below, sifted.above) == (listed.below, listed.above)
    monkeypatch.undo()
    large = ConfusionMatrix(tp=1500, fn=500, fp=400, tn=1600)
    found, known = (smallest_gap(m, large, REST, condition="classes") for m in (own, "f1"))
    assert found.below == pytest.approx(known.below, rel=1e-6)
    assert found.above == pytest.approx(known.above, rel=1e-6)


@pytest.mark.parametrize("scale", [2.0**-47, 2.0**-300, 2.0**60])
def test_the_power_of_a_large_group_does_not_depend_on_the_unit_of_utility(scale):
    group = ConfusionMatrix(tp=60, fn=140, fp=100, tn=100)
    rest = ConfusionMatrix(tp=300, fn=100, fp=80, tn=320)
    plain = np.array([[3.0, -1.0], [-2.0, 0.5]])
    one, other = metrics.utility(plain), metrics.utility(plain * scale)
    power = match_power(one, group, rest, gap=-0.3)
    assert 0.5 < power < 0.99
    assert match_power(other, group, rest, gap=-0.3 * scale) == pytest.approx(power, rel=1e-9)


@pytest.mark.parametrize("n", [0, 1, 7, 1000, 1001])
def test_laws_of_many_chances(n):
    chances = np.array([0.0, 1e-6, 0.3, 0.5, 0.7, 1 - 1e-6, 1.0])
    expected = binom(n, chances[:, None]).pmf(np.arange(n + 1))
    np.testing.assert_allclose(Chances.known(chances).rows(n), expected, rtol=1e-9, atol=1e-15)


def test_the_crossing_is_the_first_of_its_places():
    """Steep, flat and kinked ways across: what halving 22 times would find."""
    goals = np.array([0.1234567, 0.5, 0.999])

    ways = (
        lambda x, goal: np.tanh(40 * (x - goal)),
        lambda x, goal: x**9 - goal**9,
        lambda x, goal: np.maximum(x - goal, 1e-3 * (x - goal)),
    )

    def excess(which, x):
        return np.array([ways[i](at, goals[i]) for i, at in zip(which, x, strict=True)])

    every, ends = np.arange(3), (np.zeros(3), np.ones(3))
    found = crossing(excess, every, *ends, *(excess(every, end) for end in ends))
    places = 2.0**22
    np.testing.assert_array_equal(found, np.ceil(goals * places) / places)


SHARES = {"tp": 13_000, "fn": 3_100, "fp": 14_000, "tn": 120_000}  # cells too large to list


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["precision", "f1", "matthews_correlation"])
def test_gaps_by_normal_laws_agree_with_exact_ones(name, monkeypatch):
    """Off by 1.4% at most at this level: here by 0.54%."""
    group = ConfusionMatrix(**SHARES)
    rest = ConfusionMatrix(**{cell: 5 * count for cell, count in SHARES.items()})
    near = smallest_gap(name, group, rest, alpha=0.001, condition="classes")
    monkeypatch.setattr(trials, "LARGE_CELL", np.inf)
    exact = smallest_gap(name, group, rest, alpha=0.001, condition="classes")
    assert (near.route, exact.route) == ("approximate", "exact")
    assert near.below == pytest.approx(exact.below, rel=0.3 / 3_100**0.5)
    assert near.above == pytest.approx(exact.above, rel=0.3 / 3_100**0.5)


def test_gaps_of_a_thousand_million_cases():
    group = ConfusionMatrix(**{cell: 6_000 * count for cell, count in SHARES.items()})
    rest = ConfusionMatrix(**{cell: 5 * int(count) for cell, count in group.to_dict().items()})
    theta, size, other = 130 / 161, 96_600_000, 483_000_000
    found = smallest_gap("recall", group, rest)
    cut, power = 1.959964 * np.sqrt(1 / size + 1 / other), 0.841621 * np.sqrt(1 / size)
    assert found.route == "exact"
    assert found.below == pytest.approx((cut + power) * np.sqrt(theta * (1 - theta)), rel=1e-3)
    assert smallest_gap("f1", group, rest).route == "approximate"


MANY = [(name, "auto") for name in ("recall", "f1", "mcc")] + [("marginal_benefit", "classes")]


def test_many_trials_at_once_are_the_trials_one_by_one():
    """Groups of all sizes, so that rows are padded; known references and such as have luck."""
    sizes = np.random.default_rng(4).integers(1, 60, (6, 4)).tolist()
    groups = [ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), s, strict=True))) for s in sizes]
    asked = [
        (trials.trial_of(trials.MetricTrial(m, condition, uncertain=True), null), m)
        for group in groups
        for other in (BIG, ConfusionMatrix(tp=30, fn=12, fp=9, tn=44))
        for null in [Null.of(group, other, uncertain=True, law="permutation")]
        for name, condition in MANY
        for m in [metrics.get(name)]
    ]
    together = smallest_gaps(asked, 0.01, 0.8)
    assert together == [smallest_of(*one, 0.01, 0.8) for one in asked]
    assert sum(not np.isnan(found.below) for found in together) > len(asked) / 2


LEVELS = [0.05, 6e-6, 1e-12]  # of the last, tails are summed without what windows leave out


@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("name", ["f1", "mcc", "precision", "fnr", "diagnostic_odds_ratio"])
def test_what_many_tests_reject_is_what_each_rejects(name, alpha):
    """Padded to the largest group, and its metric undefined in some tables, in some for no fp."""
    drawn = np.random.default_rng(5).integers(0, 9, (30, 4)).tolist()
    references = [(3000, 2000, 5000, 40000), (30, 12, 9, 44), (0, 1, 3, 0), (0, 0, 3, 5)]
    tables = [[ConfusionMatrix(**dict(zip(CELLS, c, strict=True))) for c in some]
              for some in (drawn, references)]  # fmt: skip
    laws = [(True, "permutation", "two-sided"), (True, None, "less"), (False, None, "greater")]
    for uncertain, law, side in laws:
        question = trials.MetricTrial(metrics.get(name), "classes", uncertain, side)
        nulls = (Null.of(*p, uncertain=uncertain, law=law) for p in product(*tables))
        asked = [trials.trial_of(question, null) for null in nulls]
        asked = [one for one in asked if one.reason is None]
        models, levels = zip(*(one.tails(alpha) for one in asked), strict=True)
        totals = [(int(one.null.group.n_positive), int(one.null.group.n_negative)) for one in asked]
        together = rejections(question.metric, models, totals, levels[0])
        for one, found in zip(asked, together, strict=True):
            for mine, alone in zip(found.spans, one.rejected(alpha).spans, strict=True):
                assert {*_rejected(mine)} == {*_rejected(alone)}


def _rejected(span):
    """Which tables these are: empty rows may begin anywhere."""
    rows = enumerate(zip(*(end.tolist() for end in span), strict=True))
    return [(tp, fp) for tp, ends in rows for fp in range(*ends)]
