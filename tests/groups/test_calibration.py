"""Calibration by group: exact p-values, their adjustment, and what each group could have shown."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest

from baserate.curves import calibration
from baserate.errors import InvalidArgumentError, MissingValueError, UnknownNameError
from baserate.groups import adjust, compare_calibration
from oracles import count_twins


def cases(seed=1, n=240):
    rng = np.random.default_rng(seed)
    scores = rng.beta(2, 5, n).round(3)
    groups = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    wrong = np.where(groups == "b", 1.9, 1.0)
    return (rng.random(n) < np.minimum(scores * wrong, 1)).astype(int), scores, groups


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg"])
def test_each_group_is_calibration_of_its_cases_adjusted_for_their_number(method):
    y, scores, groups = cases()
    found = compare_calibration(y, scores, groups, method=method)
    labels = sorted(set(groups.tolist()))
    assert [one.group for one in found.groups] == labels
    alone = [calibration(y[groups == g], scores[groups == g], pos_label=1) for g in labels]
    assert [one.n for one in found.groups] == [int((groups == g).sum()) for g in labels]
    for one, other in zip(found.groups, alone, strict=True):
        assert one.observed_expected.to_dict() == other.observed_expected.to_dict()
        assert (one.observed, one.expected) == (other.observed, other.expected)
        assert float(one.observed_expected) == one.observed / one.expected
    raw = [other.observed_expected.p_value for other in alone]
    adjusted = [one.adjusted_p_value for one in found.groups]
    np.testing.assert_allclose(adjusted, adjust(raw, method), rtol=1e-14)
    assert [one.group for one in found.miscalibrated] == [
        g for g, p in zip(labels, adjusted, strict=True) if p <= 0.05
    ]
    assert (found.n_tests, found.adjustment) == (3, method)


def scaled(risks, ratio):
    """Return risks whose odds are all multiplied by one factor, so that they sum to ratio times."""
    low, high = Fraction(0), Fraction(10**6)
    wanted = ratio * sum(risks)
    for _ in range(60):
        middle = (low + high) / 2
        there = [p * middle / (1 - p + p * middle) for p in risks]
        low, high = (middle, high) if sum(there) < wanted else (low, middle)
    return [float(p) for p in there]


@pytest.mark.parametrize("power", [0.5, 0.8])
def test_what_could_be_seen_is_seen_with_that_power(power):
    """Sum the law of fractions over the counts that the adjusted test would reject."""
    rng = np.random.default_rng(4)
    risks = rng.beta(2, 4, 40).round(2) + 0.01
    found = compare_calibration(
        [1] * 12 + [0] * 28 + [0, 1], [*risks, 0.5, 0.5], ["a"] * 40 + ["b"] * 2, power=power
    )
    group = found.groups[0]
    stated = [Fraction(float(p)) for p in risks]
    law = [float(p) for p in count_twins.poisson_binomial(stated)]
    lower, upper = np.cumsum(law), np.cumsum(law[::-1])[::-1]
    rejected = 2 * np.minimum(lower, upper) <= 0.05 / 2
    for ratio in (group.below, group.above):
        shifted = scaled(stated, Fraction(ratio))
        there = [float(p) for p in count_twins.poisson_binomial(shifted)]
        assert np.array(there)[rejected].sum() == pytest.approx(power, abs=1e-7)
    assert group.below < 1 < group.above
    few = found.groups[1]
    assert isnan(few.below)
    assert few.reason.startswith("no O:E ratio below or above 1, however far, would be seen: coll")


def test_rare_positives_can_be_too_many_but_not_too_few():
    [group] = compare_calibration([1, *[0] * 19], [0.05] * 20, ["a"] * 20).groups
    assert isnan(group.below)
    assert group.above > 1
    assert group.reason.startswith("no O:E ratio below 1, however far, would be seen: collect")


def test_power_exceeds_the_level():
    with pytest.raises(InvalidArgumentError, match=r"power must exceed alpha = 0.9, .*, got 0.3"):
        compare_calibration([0, 1] * 5, [0.4] * 10, ["a"] * 10, alpha=0.9, power=0.3)


def test_groups_of_several_columns_are_combinations():
    y, scores, groups = cases()
    sex = np.where(np.arange(len(y)) % 2, "f", "m")
    found = compare_calibration(y, scores, {"site": groups, "sex": sex})
    assert [one.group for one in found.groups] == [(g, s) for g in "abc" for s in "fm"]
    assert sum(one.n for one in found.groups) == len(y)


def test_weights_keep_the_ratio_and_lose_the_test():
    y, scores, groups = cases()
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    found = compare_calibration(y, scores, groups, sample_weight=weights)
    inside = groups == "a"
    expected = (weights * y)[inside].sum() / (weights * scores)[inside].sum()
    assert float(found.groups[0].observed_expected) == pytest.approx(expected, rel=1e-12)
    assert isnan(found.groups[0].adjusted_p_value)
    assert "pass the cases without weights" in found.groups[0].reason
    assert found.n_tests == 0
    assert found.miscalibrated == ()


def test_a_group_without_positives_is_tested():
    found = compare_calibration([1, 0, 0, 0, 0], [0.5] * 5, [1, 1, 2, 2, 2])
    assert found.groups[1].observed_expected.p_value == pytest.approx(0.25)
    assert found.groups[1].adjusted_p_value == pytest.approx(0.5)


def test_what_is_refused():
    y, scores, groups = cases()
    with pytest.raises(InvalidArgumentError, match=r"alpha must lie in \(0, 1\), got 5"):
        compare_calibration(y, scores, groups, alpha=5)
    with pytest.raises(UnknownNameError, match="holm"):
        compare_calibration(y, scores, groups, method="bonferroni")
    with pytest.raises(MissingValueError, match="groups"):
        compare_calibration([1, 0], [0.5, 0.4], ["a", None])
