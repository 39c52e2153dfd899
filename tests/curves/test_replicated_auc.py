"""Areas without each cluster of a stratum, beside sums over pairs in exact fractions."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest

from baserate.cases.strata import Jackknife
from baserate.curves.replicated_auc import areas_under, beaten

N = 60
RANDOM = np.random.default_rng(3)
TRUTH = RANDOM.random(N) < 0.4
SCORE = RANDOM.integers(0, 12, N) / 4  # with ties
WEIGHT = RANDOM.integers(1, 9, N) / 8
UNIT = np.arange(N) % 9
STRATUM = np.array([0, 0, 1, 1, 1, 0, 2, 2, 2, 2])  # of ten units, of which the last has no case


def won(one: int, other: int) -> Fraction:
    """Return 1, 1/2 or 0: whether the first case scores more than the other."""
    apart = SCORE[one] - SCORE[other]
    return Fraction(1 + int(np.sign(apart)), 2)


def area(weight: list[Fraction], truth=TRUTH) -> Fraction | None:
    sides = [[i for i in range(N) if truth[i] == side and weight[i]] for side in (True, False)]
    pairs = sum(weight[i] * weight[j] for i in sides[0] for j in sides[1])
    top = sum(weight[i] * weight[j] * won(i, j) for i in sides[0] for j in sides[1])
    return top / pairs if pairs else None


def without(unit: int) -> list[Fraction]:
    """Return the weights without a unit, for which the others of its stratum stand."""
    k = int(np.sum(STRATUM[unit] == STRATUM))
    more = [Fraction(k, k - 1) if STRATUM[u] == STRATUM[unit] else Fraction(1) for u in UNIT]
    return [Fraction(w) * m * (u != unit) for w, m, u in zip(WEIGHT, more, UNIT, strict=True)]


def test_areas_without_each_cluster_are_those_of_all_pairs():
    units = Jackknife(WEIGHT, UNIT[None], STRATUM)
    expected = [float(area(without(unit))) for unit in range(len(STRATUM))]
    assert areas_under(TRUTH, SCORE, units) == pytest.approx(expected, rel=1e-14)
    by_weights = areas_under(TRUTH, SCORE, np.array([*units]))
    assert by_weights == pytest.approx(expected, rel=1e-14)


def test_there_is_none_without_the_only_cluster_of_a_class():
    truth = UNIT == 4
    found = areas_under(truth, SCORE, Jackknife(WEIGHT, UNIT[None], STRATUM))
    assert [isnan(x) for x in found] == [unit == 4 for unit in range(len(STRATUM))]
    assert found[0] == pytest.approx(float(area(without(0), truth)), rel=1e-14)


def test_cases_meet_those_of_their_part():
    part = UNIT % 3
    _, at = np.unique(SCORE, return_inverse=True)
    expected = []
    for i in range(N):
        met = [j for j in range(N) if part[j] == part[i] and TRUTH[j] != TRUTH[i]]
        side = [(i, j) if TRUTH[i] else (j, i) for j in met]
        expected.append(
            float(sum(Fraction(WEIGHT[j]) * won(*pair) for j, pair in zip(met, side, strict=True)))
        )
    assert beaten(at, TRUTH, WEIGHT, part) == pytest.approx(expected, rel=1e-14)
