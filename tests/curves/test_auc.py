"""The area under the ROC curve: its interval, and its law under random labels."""

import json
from fractions import Fraction
from math import comb, isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, mannwhitneyu, norm, rankdata

from baserate.curves import ScoreHistogram, area_spread, auc, permutation_laws, roc_auc, sweep
from baserate.curves.area_spread import (
    AreaSpread,
    FurtherCase,
    area_limits,
    limit_variance,
    spread_of,
    wilson_limits,
)
from baserate.errors import InvalidArgumentError, UnknownNameError
from oracles import area_twins
from oracles import curve_twins as twins

ASAH = json.loads((Path(__file__).parents[1] / "golden" / "asah.json").read_text("utf-8"))
TIED = st.lists(st.integers(0, 3), min_size=2, max_size=9)


def sample(seed, positive, negative, *, shift=0.5, ties=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [positive, negative])
    scores = rng.normal(size=len(y)) + shift * y
    return y, scores if ties is None else np.round(scores * ties)


@given(TIED, st.data())
@settings(max_examples=40)
def test_p_value_counts_the_labellings_that_do_as_well(scores, data):
    n_positive = data.draw(st.integers(1, len(scores) - 1))
    truth = data.draw(st.permutations([i < n_positive for i in range(len(scores))]))
    reached = twins.area_under_roc(truth, scores)
    areas = [twins.area_under_roc(t, scores) for t in twins.labellings(scores, n_positive)]
    found = roc_auc(sweep(truth, scores), method="exact")
    assert found.p_value_route == "exact"
    expected = Fraction(sum(area >= reached for area in areas), len(areas))
    assert found.p_value == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize(("positive", "negative"), [(1, 1), (3, 7), (20, 30), (8, 200), (60, 5)])
def test_exact_law_is_scipys_without_ties(positive, negative):
    y, scores = sample(positive, positive, negative)
    expected = mannwhitneyu(scores[y], scores[~y], alternative="greater", method="exact").pvalue
    found = roc_auc(sweep(y, scores), method="exact")
    assert found.p_value_route == "exact"
    assert found.p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.sweep(4, start=2)
@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize("place", [0, 3, 10, 40])
def test_a_single_case_of_a_class_is_exact_at_any_size(rare, place):
    scores = [3] * 5 + [2] * 20 + list(range(10, 35))
    truth = [(i == place) == rare for i in range(50)]
    s = sweep(truth, scores)
    alone = roc_auc(s, method="exact")
    sizes, few, many = np.add(*s.by_score), int(s.n_positive), int(s.n_negative)
    steps = permutation_laws._exact(sizes, few, many, permutation_laws._twice_u(*s.by_score))
    assert alone.p_value_route == "exact"
    assert alone.p_value == pytest.approx(steps, rel=1e-12)
    many = 10**6
    ranks = np.arange(many)
    assert roc_auc(sweep(ranks == many - 3, ranks), method="exact").p_value == pytest.approx(
        3 / many
    )


@pytest.mark.parametrize("ties", [None, 3])
def test_many_cases_take_the_normal_law_and_say_so(ties):
    y, scores = sample(1, 200, 300, shift=0.2, ties=ties)
    expected = mannwhitneyu(scores[y], scores[~y], alternative="greater", method="asymptotic")
    found = roc_auc(sweep(y, scores), method="exact")
    assert found.p_value_route == "asymptotic"
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


def test_perfect_separation_has_its_own_p_value():
    y = [1] * 12 + [0] * 15
    first = roc_auc(sweep(y, list(range(27, 0, -1))), method="exact")
    assert first.p_value == pytest.approx(1 / comb(27, 12))
    assert (isnan(first.low), first.reason.startswith("random labels tell")) == (True, True)
    assert roc_auc(sweep(y, list(range(27))), method="exact").p_value == 1.0
    assert roc_auc(sweep(y, [0] * 27), method="exact").p_value == 1.0


@pytest.mark.sweep(9, start=2)
@pytest.mark.parametrize("method", [None, "conservative", "delong"])
@pytest.mark.parametrize("how", ["plain", "weights", "counted"])
def test_p_is_below_a_level_where_the_interval_excludes_a_half(how, method):
    """Seen: p .048 beside .4959 to .5475."""
    decided = set()
    for seed in range(40):
        y, scores = sample(seed, 30, 50, shift=(seed % 5 - 1) / 4)
        weights = np.random.default_rng(seed).uniform(0.5, 1.5, 80) if how == "weights" else None
        given = (y, scores, weights)
        if how == "counted":
            given = (ScoreHistogram().add(y, norm.cdf(scores)).suppressed(4), None, None)
        for level in (0.8, 0.95):
            found = roc_auc(
                *given[:2], sample_weight=given[2], method=method, confidence_level=level
            )
            excluded = not found.low <= 0.5 <= found.high
            assert excluded == (found.p_value < 1 - level)
            decided.add(excluded)
    assert decided == {True, False}


@pytest.mark.slow
@given(st.permutations(range(7)), st.integers(1, 6))
def test_the_law_behind_a_limit_has_the_moments_of_random_weights(ranks, n_positive):
    truth = [i < n_positive for i in range(7)]
    pairs = area_twins.won(truth, ranks)
    spread = spread_of(sweep(truth, ranks))
    assert spread.area == pytest.approx(float(twins.area_under_roc(truth, ranks)), rel=1e-14)
    _, free = area_twins.bootstrap_moments(pairs, lost=False)
    assert spread.variance == pytest.approx(float(free), rel=1e-12, abs=1e-15)
    mean, variance = area_twins.bootstrap_moments(pairs, lost=True)
    kept = FurtherCase.beside(spread.fewer, 0.025)
    assert spread.area * kept.mean == pytest.approx(float(mean), rel=1e-13)
    found = limit_variance(spread.area, spread.variance, kept)
    assert found == pytest.approx(float(variance), rel=1e-12, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("n_positive", "shift"), [(5, 1.5), (190, 1.0)])
def test_a_limit_is_the_quantile_of_the_area_with_random_weights(n_positive, shift):
    y, scores = sample(n_positive, n_positive, 200 - n_positive, shift=shift)
    found = roc_auc(y, scores, method="conservative")
    won = (scores[y][:, None] > scores[~y]).astype(float)
    shape = won.shape
    if shape[0] <= shape[1]:
        won = np.vstack([won, np.zeros(shape[1])])
    else:
        won = np.hstack([won, np.zeros((shape[0], 1))])
    rng = np.random.default_rng(0)
    w, v = (rng.dirichlet(np.ones(n), size=5_000) for n in won.shape)
    areas = np.einsum("ri,ri->r", w @ won, v)
    assert np.quantile(areas, 0.025) == pytest.approx(found.low, abs=0.2 * areas.std())


@pytest.mark.parametrize("won", range(6))
def test_all_or_nothing_has_the_limits_of_clopper_and_pearson(won):
    """Of 5 positives some beat all 100 negatives, the others none."""
    truth = [1] * 5 + [0] * 100
    scores = [2] * won + [0] * (5 - won) + [1] * 100
    found = roc_auc(truth, scores, method="conservative")
    low = beta.ppf(0.025, won, 6 - won) if won else 0.0
    high = beta.ppf(0.975, won + 1, 5 - won) if won < 5 else 1.0
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert found.route == ("exact" if won in {0, 5} else "conservative")
    assert won < 5 or found.p_value == pytest.approx(2 / 2**5, rel=1e-9)  # half would win them all


@pytest.mark.parametrize("method", ["wilson", "conservative"])
def test_no_cliff_beside_separation(method):
    """One pair of 5 x 1000 lost moves the lower limit by little."""
    scores = np.arange(1005.0)
    apart, almost = np.arange(1005) >= 1000, np.arange(1005) >= 1000
    almost[[1000, 999]] = almost[[999, 1000]]
    ends = [roc_auc(truth, scores, method=method).low for truth in (apart, almost)]
    assert 0 < ends[0] - ends[1] < 0.001


def test_equal_scores_bound_what_is_not_seen():
    """With all tied, either limit leaves a share 0.025^(1/3) of the half that is known."""
    found = roc_auc([1, 1, 1, 0, 0, 0, 0], [2] * 7, method="conservative")
    assert (found.value, found.reason, found.p_value) == (0.5, None, 1.0)
    assert found.low <= 0.5 * 0.025 ** (1 / 3)
    assert found.high == pytest.approx(1 - found.low)


@pytest.mark.parametrize("method", ["wilson", "conservative"])
def test_many_cases_have_delongs_interval(method):
    y, scores = sample(8, 100_000, 300_000, shift=1.0)
    s = sweep(y, scores)
    found = roc_auc(s, method=method)
    spread = spread_of(s)
    error = sqrt(spread.positive / 99_999 + spread.negative / 299_999)
    reach = norm.ppf(0.975) * error
    assert found.value - found.low == pytest.approx(reach, rel=0.01)
    assert found.high - found.value == pytest.approx(reach, rel=0.01)


@pytest.mark.parametrize("truth", [[1, 1, 0], [0, 0, 1]])
def test_a_single_case_of_a_class_has_an_interval_that_says_little(truth):
    found = roc_auc(truth, [1, 3, 2], method="conservative")
    assert (found.value, found.reason) == (0.5, None)
    assert found.low <= 0.5 * 0.025  # by Markov's inequality one case shows no more
    assert found.high >= 1 - 0.5 * 0.025


@pytest.mark.parametrize(("label", "reason"), [(0, "no positives"), (1, "no negatives")])
def test_one_class_has_no_area(label, reason):
    found = roc_auc(sweep([label] * 3, [1, 2, 3]))
    assert isnan(found.value)
    assert isnan(found.p_value)
    assert (found.reason, found.p_value_reason, found.chance) == (reason, reason, 0.5)


def test_equal_weights_change_nothing():
    y, scores = sample(2, 15, 25, ties=4)
    plain = roc_auc(sweep(y, scores))
    weighted = roc_auc(sweep(y, scores, sample_weight=np.full(40, 0.3)))
    for name in ("value", "low", "high", "p_value"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    labelled = roc_auc(sweep(y, scores, sample_weight=np.full(40, 0.3)), method="exact")
    assert isnan(labelled.p_value)
    assert "without weights" in labelled.p_value_reason


@pytest.mark.slow
def test_weighted_interval_covers_the_area_of_the_population():
    """Cases of one half of the positives are drawn twice as often, and weigh half as much."""
    rng, hits, runs = np.random.default_rng(5), 0, 500
    # Positives: half N(0, 1), half N(2, 1); the second half is over-sampled by two.
    area = (0.5 + norm.cdf(2 / sqrt(2))) / 2
    y = np.repeat([True, False], [60, 60])
    easy = np.arange(120) < 40
    weights = np.where(easy, 0.5, 1.0)
    for _ in range(runs):
        scores = rng.normal(size=120) + 2 * easy
        found = roc_auc(sweep(y, scores, sample_weight=weights))
        hits += found.low <= area <= found.high
    assert hits / runs > 0.93


def test_weighted_separation_counts_effective_cases():
    weighted = sweep([1, 1, 0, 0, 0], [3, 2, 1, 0, 0], sample_weight=[1, 3, 1, 1, 1])
    found = roc_auc(weighted, method="conservative")
    assert (found.value, found.route) == (1.0, "conservative")
    assert found.low == pytest.approx(0.025 ** (1 / 1.6), rel=1e-9)  # (1 + 3)² / (1 + 9)


def test_skill_is_the_share_of_pairs_won_less_that_of_pairs_lost():
    found = roc_auc([0, 1, 0, 1, 1], [1, 2, 3, 3, 4])  # 4 won, 1 lost, 1 tied
    assert found.skill == pytest.approx((4 - 1) / 6)
    assert found.to_dict()["skill"] == found.skill
    assert float(found) == pytest.approx(4.5 / 6)


def worth(won):
    """Return the effective pairs of a matrix of pairs, as `Spread.effective_pairs` defines them."""
    p, q = won.shape
    m, area = min(p, q), won.mean()
    whole = area * (1 - area)
    if whole == 0:
        single, shared = 1.0, 0.0
    else:
        single = won.var() / whole
        rows, columns = (
            min(won.mean(axis).var(ddof=1) / whole, 1) if won.shape[1 - axis] > 1 else 0.0
            for axis in (1, 0)
        )
        shared = ((q - 1) * rows + (p - 1) * columns) / (p + q - 2) if p + q > 2 else 0.0
    lacking = max(0.0, single / 3 - shared)
    shared += lacking * (1 - 4 * whole * (m - 1) / (4 * whole * (m - 1) + 10))
    k = m * (0.5 + 2 * whole)
    shared, single = (k * shared + 1) / (k + 1), (m * single + 1) / (m + 1)
    return p * q / (single + (p + q - 2) * shared)


@given(TIED, st.data())
@settings(max_examples=25)
def test_the_default_is_a_score_interval_of_so_many_pairs(scores, data):
    """Either end is where the area lies z errors off, of the error that the end would have."""
    truth = np.array(data.draw(st.permutations([True, False, *[True, False] * 4][: len(scores)])))
    x, y = np.array(scores)[truth], np.array(scores)[~truth]
    won = (x[:, None] > y) + (x[:, None] == y) / 2
    area, pairs = won.mean(), worth(won)
    found = roc_auc(truth, scores)

    def apart(end):
        return (area - end) ** 2 - norm.isf(0.025) ** 2 * end * (1 - end) / pairs

    low = brentq(apart, 1e-12, min(area, 1 - 1e-12), xtol=1e-14) if area > 0 else 0.0
    high = brentq(apart, max(area, 1e-12), 1 - 1e-12, xtol=1e-14) if area < 1 else 1.0
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.p_value == pytest.approx(2 * norm.sf(2 * abs(area - 0.5) * sqrt(pairs)), rel=1e-7)
    assert (found.route, found.p_value_route) == ("wilson", "wilson")


def test_without_the_further_case_luck_alone_has_mann_and_whitneys_variance(monkeypatch):
    """Where placements differ less than by luck, and none is trusted: (m + n + 1) / 12mn."""
    monkeypatch.setattr(area_spread, "TRUSTED", 1e12)
    spread = AreaSpread(0.5, 0.0, 0.0, 4e6, 5e6)
    assert 0.25 / spread.effective_pairs == pytest.approx((9e6 + 1) / 12 / 4e6 / 5e6, rel=1e-5)


def test_five_positives_can_show_something():
    """An area of .87 that one in 650 orders reaches; the conservative interval holds 1/2."""
    y, scores = np.arange(100) >= 95, np.arange(100.0)
    scores[95:] = np.array([94, 91, 86, 80, 60]) + 0.5
    one_sided = mannwhitneyu(scores[y], scores[~y], alternative="greater", method="exact").pvalue
    found = roc_auc(y, scores)
    assert found.value == pytest.approx((95 + 92 + 87 + 81 + 61) / 475)
    assert 2 * one_sided < found.p_value < 0.02
    assert roc_auc(y, scores, method="conservative").p_value > 0.1


@pytest.mark.sweep(24, start=17)
@pytest.mark.parametrize(("positive", "negative"), [(5, 95), (10, 10), (10, 90), (3, 30)])
@pytest.mark.parametrize("area", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("wide", [1.0, 2.0])
def test_limits_hold_with_few_cases(positive, negative, area, wide):
    """95% in all, nearly, by default; 97.5% on either side by the conservative limits."""
    rng, missed, beyond, runs = np.random.default_rng(8), 0, np.zeros(2), 600
    mean = norm.ppf(area) * sqrt(1 + wide**2)
    y = np.repeat([True, False], [positive, negative])
    for _ in range(runs):
        scores = rng.normal(size=len(y)) * np.where(y, wide, 1.0) + mean * y
        spread = spread_of(sweep(y, scores))
        low, high = wilson_limits(spread, 0.025)
        missed += not low <= area <= high
        low, high = area_limits(spread, 0.025)
        beyond += area < low, area > high
    assert missed / runs < 0.08  # 93.5% or more, and two standard errors
    assert max(beyond) / runs < 0.04  # two standard errors above 0.025


def test_no_rounding_of_weights_lifts_an_area_above_1():
    y, scores = [1, 1, 0, 0, 0, 0, 0, 0], [9, 8, 1, 2, 6, 5, 4, 3]
    weights = [2.0, 3.7, 3.7, 0.5, 2.0, 2.0, 0.5, 3.7]
    found = roc_auc(y, scores, sample_weight=weights)
    assert found.value == found.high == 1.0


@pytest.mark.parametrize("name", ASAH["expected"]["variance"])
def test_the_interval_that_proc_prints(name):
    found = roc_auc(ASAH["poor"], ASAH[name], method="delong")
    reach = norm.isf(0.025) * sqrt(ASAH["expected"]["variance"][name])
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))
    if name in ASAH["expected"]["delong_interval"]:
        printed = ASAH["expected"]["delong_interval"][name]
        assert (found.low, found.value, found.high) == pytest.approx(printed, rel=1e-11)
        level = 1 - found.p_value  # two-sided, of 1/2, which such an interval just touches
        touching = roc_auc(ASAH["poor"], ASAH[name], method="delong", confidence_level=level)
        assert touching.low == pytest.approx(0.5, abs=1e-9)
    assert (found.route, found.p_value_route) == ("asymptotic", "asymptotic")


def test_delongs_interval_needs_spread_and_single_scores():
    apart = roc_auc([0, 0, 1, 1], [1, 2, 3, 4], method="delong")
    assert (apart.value, isnan(apart.low), isnan(apart.p_value)) == (1.0, True, True)
    assert apart.reason.startswith("the cases do not show how much they differ")
    with pytest.raises(InvalidArgumentError, match=r"^cluster.*leave method out"):
        roc_auc([0, 1, 0, 1], [1, 2, 3, 4], method="delong", cluster=[1, 1, 2, 2])
    with pytest.raises(UnknownNameError):
        roc_auc([0, 1], [1, 2], method="wald")


def test_the_spread_of_more_scores_than_fit_a_piece_is_that_of_midranks():
    """What each case wins, by ranks among all less ranks within its class (Sun and Xu 2014)."""
    rng = np.random.default_rng(5)
    truth = rng.random(50_000) < 0.3
    scores = (rng.normal(size=truth.size) + truth).round(4)
    ranks, m, n = rankdata(scores), truth.sum(), (~truth).sum()
    won = (ranks[truth] - rankdata(scores[truth])) / n
    lost = 1 - (ranks[~truth] - rankdata(scores[~truth])) / m
    found = spread_of(sweep(truth, scores))
    assert found.area == pytest.approx(won.mean(), rel=1e-13)
    assert (found.positive, found.negative) == pytest.approx((won.var(), lost.var()), rel=1e-11)
    assert len(sweep(truth, scores).thresholds) > 1 << 14


def test_the_p_value_of_an_interval_looks_at_the_scores_once(monkeypatch):
    looked = []
    monkeypatch.setattr(auc, "spread_of", lambda swept: looked.append(swept) or spread_of(swept))
    assert 0 < roc_auc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7]).p_value < 1
    assert len(looked) == 1
