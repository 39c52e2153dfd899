"""Areas under a part of the ROC curve, from either side."""

import json
from fractions import Fraction
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from baserate.curves import partial_auc, roc_auc, sweep
from baserate.curves.partial_areas import _kept
from baserate.errors import InvalidArgumentError
from oracles import area_twins
from oracles import curve_twins as twins

ASAH = json.loads((Path(__file__).parents[1] / "golden" / "asah.json").read_text("utf-8"))


def sample(seed, positive, negative, *, shift=0.5, ties=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [positive, negative])
    scores = rng.normal(size=len(y)) + shift * y
    return y, scores if ties is None else np.round(scores * ties)


@pytest.mark.parametrize("max_fpr", [0.01, 0.1, 1 / 3, 0.5, 0.999])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [None, 2])
def test_partial_area_is_scikit_learns(max_fpr, weighted, ties):
    y, scores = sample(9, 40, 60, ties=ties)
    weights = np.random.default_rng(1).random(100) if weighted else None
    found = partial_auc(sweep(y, scores, sample_weight=weights), max_fpr=max_fpr)
    expected = roc_auc_score(y, scores, sample_weight=weights, max_fpr=max_fpr)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert found.low <= found.value <= found.high


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 4), min_size=7, max_size=7),
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(4, 5)]),
)
def test_the_area_of_either_side_is_made_of_trapezoids(scores, limit):
    truth = [True] * 3 + [False] * 4
    path = [(Fraction(fp, 4), Fraction(tp, 3)) for tp, fp in twins.points(truth, scores)]
    found = partial_auc(truth, scores, max_fpr=float(limit), standardized=False)
    assert found.value == pytest.approx(float(area_twins.partial_area(path, limit)), abs=1e-14)
    turned = [(1 - y, 1 - x) for x, y in reversed(path)]
    found = partial_auc(truth, scores, min_recall=1 - float(limit), standardized=False)
    assert found.value == pytest.approx(float(area_twins.partial_area(turned, limit)), abs=1e-14)


# As pROC prints them (its tests/testthat/print_output), between two limits.
PRINTED = [
    ("wfns", "max_fpr", 0.1, 0.01, 0.03305),
    ("s100b", "max_fpr", 0.1, 0.01, 0.02983),
    ("s100b", "min_recall", 0.9, 0.99, 0.01376),
]


@pytest.mark.parametrize(("score", "argument", "wide", "narrow", "printed"), PRINTED)
def test_the_areas_that_proc_prints(score, argument, wide, narrow, printed):
    areas = [
        partial_auc(ASAH["poor"], ASAH[score], **{argument: end}, standardized=False).value
        for end in (wide, narrow)
    ]
    assert areas[0] - areas[1] == pytest.approx(printed, abs=6e-6)


@pytest.mark.parametrize("whole", [{"max_fpr": 1}, {"min_recall": 0}])
@pytest.mark.parametrize(("positive", "negative"), [(40, 60), (60, 40), (1, 5)])
def test_a_part_that_is_everything_is_the_area(whole, positive, negative):
    y, scores = sample(9, positive, negative, ties=2)
    found, expected = partial_auc(y, scores, **whole), roc_auc(y, scores, method="conservative")
    for name in ("value", "low", "high", "chance", "perfect", "skill"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-11)


@pytest.mark.parametrize("part", [{"max_fpr": 0.2}, {"min_recall": 0.8}])
def test_the_area_itself_has_the_same_skill(part):
    y, scores = sample(3, 30, 50, shift=1.5)
    scaled, raw = partial_auc(y, scores, **part), partial_auc(y, scores, **part, standardized=False)
    assert (scaled.chance, scaled.perfect) == pytest.approx((0.5, 1.0))
    assert (raw.chance, raw.perfect) == pytest.approx((0.02, 0.2))
    assert raw.skill == pytest.approx(scaled.skill, rel=1e-12)
    assert (raw.low - 0.02) / 0.18 == pytest.approx(2 * scaled.low - 1, rel=1e-11)


def test_perfect_scores_are_bounded_by_the_few_negatives_of_the_part():
    """Of 100 negatives w lie above a positive; where none does, w may be 1 - 0.025^(1/100)."""
    y = np.repeat([True, False], [1000, 100])
    found = partial_auc(y, y * 1.0, max_fpr=0.1, standardized=False)
    assert (found.value, found.high) == pytest.approx((0.1, 0.1))
    assert found.low == pytest.approx(0.1 - (1 - 0.025 ** (1 / 100)), rel=1e-12)
    assert partial_auc(y, y * 1.0, max_fpr=0.02, standardized=False).low == 0.0


@pytest.mark.parametrize(("cases", "width"), [(5, 0.5), (30, 0.1), (30, 1.0), (2, 0.01)])
def test_what_a_further_negative_leaves_is_integrated(cases, width):
    kept = _kept(cases, width, 0.025)

    def moment(power):
        law = lambda w: (1 - w / width) ** power * cases * (1 - w) ** (cases - 1)  # noqa: E731
        return quad(law, 0, width)[0]

    assert kept.mean == pytest.approx(moment(1), rel=1e-10)
    assert kept.lack == pytest.approx(1 - moment(1), rel=1e-10)
    assert kept.variance == pytest.approx(moment(2) - moment(1) ** 2, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["max_fpr", "min_recall"])
def test_it_covers_with_few_cases(side):
    rng, missed, runs = np.random.default_rng(3), [0, 0], 400
    y = np.repeat([True, False], [10, 90])
    recall = lambda f: norm.sf(norm.isf(f) - 2)  # noqa: E731
    truth = quad(recall, 0, 0.2)[0]  # by symmetry of both sides
    part = {side: 0.2 if side == "max_fpr" else 0.8}
    for _ in range(runs):
        found = partial_auc(y, rng.normal(size=100) + 2 * y, **part, standardized=False)
        missed[0] += truth < found.low
        missed[1] += truth > found.high
    assert max(missed) / runs < 0.04


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.1, "a"])
def test_refused_limits(max_fpr):
    with pytest.raises(InvalidArgumentError, match="max_fpr must lie in"):
        partial_auc(sweep([1, 0], [1, 2]), max_fpr=max_fpr)


def test_refusals():
    for part in ({}, {"max_fpr": 0.1, "min_recall": 0.9}):
        with pytest.raises(InvalidArgumentError, match="max_fpr must be given, or min_recall"):
            partial_auc([1, 0], [1, 2], **part)
    with pytest.raises(InvalidArgumentError, match="min_recall must lie in"):
        partial_auc([1, 0], [1, 2], min_recall=1)


def test_one_class_has_no_part():
    found = partial_auc(sweep([1, 1], [1, 2]), max_fpr=0.5)
    assert isnan(found.value)
    assert found.reason == "no negatives"
    assert float(partial_auc(sweep([1, 0], [2, 1]), max_fpr=0.1)) == 1.0
