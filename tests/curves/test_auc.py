"""The area under the ROC curve: its interval, and its law under random labels."""

from fractions import Fraction
from math import comb, isnan, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm
from sklearn.metrics import roc_auc_score

from baserate.curves import _mann_whitney, partial_auc, roc_auc, sweep
from baserate.errors import InvalidArgumentError
from oracles import curve_twins as twins

TIED = st.lists(st.integers(0, 3), min_size=2, max_size=9)


def sample(seed, positive, negative, *, shift=0.5, ties=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [positive, negative])
    scores = rng.normal(size=len(y)) + shift * y
    return y, scores if ties is None else np.round(scores * ties)


@given(TIED, st.data())
def test_p_value_counts_the_labellings_that_do_as_well(scores, data):
    truth = data.draw(st.permutations([True, False, *[True, False] * 4][: len(scores)]))
    n_positive = sum(truth)
    reached = twins.area_under_roc(truth, scores)
    areas = [twins.area_under_roc(t, scores) for t in twins.labellings(scores, n_positive)]
    found = roc_auc(sweep(truth, scores))
    assert found.p_value_route == "exact"
    expected = Fraction(sum(area >= reached for area in areas), len(areas))
    assert found.p_value == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("skew", [1, 2, 6, 7])
def test_p_value_with_few_of_either_class(skew):
    scores = [5, 5, 4, 3, 3, 2, 1, 1]
    for chosen in range(8):
        truth = [i in {(chosen + j) % 8 for j in range(skew)} for i in range(8)]
        reached = twins.area_under_roc(truth, scores)
        areas = [twins.area_under_roc(t, scores) for t in twins.labellings(scores, skew)]
        expected = sum(area >= reached for area in areas) / len(areas)
        assert roc_auc(sweep(truth, scores)).p_value == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("positive", "negative"), [(1, 1), (3, 7), (20, 30), (8, 200), (60, 5)])
def test_exact_law_is_scipys_without_ties(positive, negative):
    y, scores = sample(positive, positive, negative)
    expected = mannwhitneyu(scores[y], scores[~y], alternative="greater", method="exact").pvalue
    found = roc_auc(sweep(y, scores))
    assert found.p_value_route == "exact"
    assert found.p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize("place", [0, 3, 10, 40])
def test_a_single_case_of_a_class_is_exact_at_any_size(rare, place):
    scores = [3] * 5 + [2] * 20 + list(range(10, 35))
    truth = [(i == place) == rare for i in range(50)]
    s = sweep(truth, scores)
    alone = roc_auc(s)
    sizes, few, many = np.add(*s.by_score), int(s.n_positive), int(s.n_negative)
    steps = _mann_whitney._exact(sizes, few, many, _mann_whitney._twice_u(*s.by_score))
    assert alone.p_value_route == "exact"
    assert alone.p_value == pytest.approx(steps, rel=1e-12)
    many = 10**6
    ranks = np.arange(many)
    assert roc_auc(sweep(ranks == many - 3, ranks)).p_value == pytest.approx(3 / many)


@pytest.mark.parametrize("ties", [None, 3])
def test_many_cases_take_the_normal_law_and_say_so(ties):
    y, scores = sample(1, 200, 300, shift=0.2, ties=ties)
    expected = mannwhitneyu(scores[y], scores[~y], alternative="greater", method="asymptotic")
    found = roc_auc(sweep(y, scores))
    assert found.p_value_route == "normal"
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


def test_the_two_laws_meet(monkeypatch):
    y, scores = sample(4, 70, 60, shift=0.3, ties=5)
    exact = roc_auc(sweep(y, scores))
    monkeypatch.setattr(_mann_whitney, "BUDGET", 0)
    normal = roc_auc(sweep(y, scores))
    assert (exact.p_value_route, normal.p_value_route) == ("exact", "normal")
    assert normal.p_value == pytest.approx(exact.p_value, rel=0.03)


def test_perfect_separation_has_its_own_p_value():
    y = [1] * 12 + [0] * 15
    assert roc_auc(sweep(y, list(range(27, 0, -1)))).p_value == pytest.approx(1 / comb(27, 12))
    assert roc_auc(sweep(y, list(range(27)))).p_value == 1.0
    assert roc_auc(sweep(y, [0] * 27)).p_value == 1.0


@given(TIED.filter(lambda scores: len(scores) > 4), st.data())
def test_interval_is_delongs_on_the_logit_scale(scores, data):
    truth = data.draw(st.permutations([True, False, *[True, False] * 4][: len(scores)]))
    found = roc_auc(sweep(truth, scores), confidence_level=0.9)
    if found.route != "delong":
        return
    area = float(twins.area_under_roc(truth, scores))
    error = sqrt(twins.delong_variance(truth, scores))
    reach = norm.ppf(0.95) * error / (area * (1 - area))
    logits = [log(end / (1 - end)) for end in (found.low, area, found.high)]
    assert logits[1] - logits[0] == pytest.approx(reach, rel=1e-9, abs=1e-12)
    assert logits[2] - logits[1] == pytest.approx(reach, rel=1e-9, abs=1e-12)


def test_interval_covers_as_often_as_it_says(monkeypatch):
    monkeypatch.setattr(_mann_whitney, "BUDGET", 0)  # its p-value is not asked for
    rng, hits, runs = np.random.default_rng(7), 0, 2000
    area = norm.cdf(1 / sqrt(2))  # two normal classes a distance of 1 apart
    y = np.repeat([True, False], [40, 60])
    for _ in range(runs):
        found = roc_auc(sweep(y, rng.normal(size=100) + y))
        hits += found.low <= area <= found.high
    assert 0.93 < hits / runs < 0.97


def test_separated_classes_have_an_exact_bound():
    found = roc_auc(sweep([1, 1, 1, 0, 0, 0, 0], [7, 6, 5, 4, 3, 2, 1]))
    assert (found.route, found.value, found.high) == ("pairs", 1.0, 1.0)
    assert found.low**3 == pytest.approx(0.025)  # three pairs without a common case, all ordered
    inverse = roc_auc(sweep([1, 1, 1, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7]))
    assert (inverse.low, inverse.value) == (0.0, 0.0)
    assert inverse.high == pytest.approx(1 - found.low)


def test_a_bound_for_separated_classes_is_conservative():
    rng, missed, runs = np.random.default_rng(3), 0, 4000
    y = np.repeat([True, False], [3, 5])
    area = 0.97
    shift = norm.ppf(area) * sqrt(2)
    for _ in range(runs):
        found = roc_auc(sweep(y, rng.normal(size=8) + shift * y))
        missed += found.route == "pairs" and area < found.low
    assert missed / runs <= 0.025


@pytest.mark.parametrize(
    ("truth", "scores", "reason"),
    [
        ([1, 1, 0], [2, 2, 2], "all scores are equal"),
        ([1, 0, 0], [2, 1, 3], "one positive does not show how much positives differ"),
        ([1, 1, 0], [1, 3, 2], "one negative does not show how much negatives differ"),
    ],
)
def test_no_interval_without_spread(truth, scores, reason):
    found = roc_auc(sweep(truth, scores))
    assert isnan(found.low)
    assert isnan(found.high)
    assert found.reason.startswith(reason)
    assert found.p_value > 0


@pytest.mark.parametrize(("label", "reason"), [(0, "no positives"), (1, "no negatives")])
def test_one_class_has_no_area(label, reason):
    found = roc_auc(sweep([label] * 3, [1, 2, 3]))
    assert isnan(found.value)
    assert isnan(found.p_value)
    assert (found.reason, found.p_value_reason, found.chance) == (reason, reason, 0.5)


def test_equal_weights_change_nothing_but_the_test():
    y, scores = sample(2, 15, 25, ties=4)
    plain = roc_auc(sweep(y, scores))
    weighted = roc_auc(sweep(y, scores, sample_weight=np.full(40, 0.3)))
    for name in ("value", "low", "high"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-12)
    assert isnan(weighted.p_value)
    assert "without weights" in weighted.p_value_reason


def test_weighted_interval_covers_the_area_of_the_population():
    """Cases of one half of the positives are drawn twice as often, and weigh half as much."""
    rng, hits, runs = np.random.default_rng(5), 0, 1000
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


def test_weighted_separation_has_no_bound():
    found = roc_auc(sweep([1, 1, 0], [3, 2, 1], sample_weight=[1, 2, 1]))
    assert (found.value, found.route) == (1.0, None)
    assert found.reason.startswith("the classes are separated")


def test_bad_levels_and_bad_sweeps():
    with pytest.raises(InvalidArgumentError, match="confidence_level must lie in"):
        roc_auc(sweep([1, 0], [1, 2]), confidence_level=95)
    with pytest.raises(InvalidArgumentError, match="y_score must be given beside labels"):
        roc_auc([1, 2])


def test_skill_is_the_share_of_pairs_won_less_that_of_pairs_lost():
    found = roc_auc([0, 1, 0, 1, 1], [1, 2, 3, 3, 4])  # 4 won, 1 lost, 1 tied
    assert found.skill == pytest.approx((4 - 1) / 6)
    assert found.to_dict()["skill"] == found.skill


def test_floats():
    assert float(roc_auc(sweep([1, 0], [2, 1]))) == 1.0
    assert float(partial_auc(sweep([1, 0], [2, 1]), max_fpr=0.1)) == 1.0


@pytest.mark.parametrize("max_fpr", [0.01, 0.1, 1 / 3, 0.5, 0.999])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [None, 2])
def test_partial_area_is_scikit_learns(max_fpr, weighted, ties):
    y, scores = sample(9, 40, 60, ties=ties)
    weights = np.random.default_rng(1).random(100) if weighted else None
    found = partial_auc(sweep(y, scores, sample_weight=weights), max_fpr=max_fpr)
    expected = roc_auc_score(y, scores, sample_weight=weights, max_fpr=max_fpr)
    assert found.value == pytest.approx(expected, rel=1e-12)


def test_partial_area_up_to_everything_is_the_area():
    y, scores = sample(9, 40, 60, ties=2)
    s = sweep(y, scores)
    found = partial_auc(s, max_fpr=1)
    assert found.area == pytest.approx(s.roc_auc(), rel=1e-14)
    assert found.value == pytest.approx(s.roc_auc(), rel=1e-14)


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.1, "a"])
def test_refused_limits(max_fpr):
    with pytest.raises(InvalidArgumentError, match="max_fpr must lie in"):
        partial_auc(sweep([1, 0], [1, 2]), max_fpr=max_fpr)


def test_partial_area_of_one_class():
    found = partial_auc(sweep([1, 1], [1, 2]), max_fpr=0.5)
    assert isnan(found.value)
    assert found.reason == "no negatives"
