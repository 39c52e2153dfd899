"""Where decisions are best, and what outputs are worth."""

import warnings
from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate import ConfusionMatrix
from baserate.errors import InvalidCountError, UnsupportedError
from baserate.utilities import UtilityMatrix, information
from baserate.utilities.envelope import decision_intervals
from oracles import utility_twins as twin

NUMBERS = st.integers(-6, 6)


def lists(rows, columns, values=NUMBERS):
    row = st.lists(values, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


def quiet(matrix, **names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return UtilityMatrix(matrix, [f"d{i}" for i in range(len(matrix))], **names)


def test_three_decisions_for_two_classes():
    """Discard below 1/19, re-examine up to 1/5, promote above."""
    u = UtilityMatrix(
        [[0, -50], [-20, 100], [-5, 40]],
        ["discard", "promote", "examine"],
        ["bad", "good"],
        positive=1,
    )
    assert decision_intervals(u) == {
        "discard": (0, float(Fraction(1, 19))),
        "examine": (float(Fraction(1, 19)), float(Fraction(1, 5))),
        "promote": (float(Fraction(1, 5)), 1),
    }
    for p, best in (
        (Fraction(1, 20), 0),
        (Fraction(1, 18), 2),
        (Fraction(19, 100), 2),
        (Fraction(21, 100), 1),
    ):
        assert u.decide([float(1 - p), float(p)]) == best
        assert twin.decide(u.matrix.tolist(), [1 - p, p]) == best


def chow_utilities(reject_cost):
    """Return those of Chow's rule: right 1, wrong 0, no label 1 - `reject_cost`."""
    return UtilityMatrix([[1, 0], [0, 1], [1 - reject_cost] * 2], ["no", "yes", "reject"])


def test_reject_interval():
    assert decision_intervals(chow_utilities(0.25))["reject"] == (0.25, 0.75)
    assert decision_intervals(chow_utilities(0.5))["reject"] == (0.5, 0.5)
    assert all(map(isnan, decision_intervals(chow_utilities(0.6))["reject"]))


def test_decimal_utilities_are_taken_as_written():
    """Three lines meet in p = 1/3; as binary fractions 0.1, 0.2 and 0.3 miss one another."""
    u = UtilityMatrix([[0.3, 0], [0, 0.15], [0.1, 0.1]], ["a", "b", "c"])
    assert decision_intervals(u)["c"] == (float(Fraction(1, 3)), float(Fraction(1, 3)))


@pytest.mark.slow
@given(lists(4, 2), st.integers(0, 1))
def test_intervals_equal_brute_force(matrix, positive):
    found = decision_intervals(quiet(matrix, positive=positive))
    for k in range(61):
        p = Fraction(k, 60)
        values = twin.expected(matrix, [p, 1 - p] if positive == 0 else [1 - p, p])
        for d, (low, high) in enumerate(found.values()):
            if values[d] == max(values):
                assert low <= float(p) <= high
            else:
                assert not low < float(p) < high


def test_intervals_need_two_classes_and_one_matrix():
    with pytest.raises(UnsupportedError, match="needs two classes, got 3"):
        decision_intervals(UtilityMatrix(np.eye(3)))
    stack = UtilityMatrix([[[1, 0], [0, 1]]] * 2)
    with pytest.raises(UnsupportedError, match="one matrix for all cases"):
        decision_intervals(stack)


@pytest.mark.slow
@given(lists(3, 2), lists(3, 2, st.integers(0, 20)))
def test_value_of_information_equals_brute_force(matrix, counts):
    if not sum(map(sum, counts)):
        return
    found = information(quiet(matrix), counts)
    assert found.value >= 0
    assert found.value == pytest.approx(float(twin.value_of_information(matrix, counts)), abs=1e-12)
    assert found.with_outputs - found.without_outputs == pytest.approx(found.value, abs=1e-12)
    assert found.perfect >= found.with_outputs - 1e-12


def test_information_of_the_story_is_zero():
    u = UtilityMatrix([[15, -335], [-35, 165]])
    for counts in ([[27, 15], [23, 35]], ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)):
        found = information(u, counts)
        assert (found.value, found.without_outputs, found.decisions) == (0, 65, (1, 1))
    # Five outputs for two decisions.
    found = information(u, [[30, 0], [10, 1], [5, 5], [4, 14], [1, 30]])
    assert found.decisions == (0, 0, 1, 1, 1)  # 10 : 1 is a tie, and 0 is listed first
    assert found.value == pytest.approx(0.3 * 50)


def test_information_checks_its_counts():
    u = UtilityMatrix([[15, -335], [-35, 165]])
    assert isnan(information(u, [[0, 0]]).value)
    for counts in ([[1, 2, 3]], [[[1, 2]]]):
        with pytest.raises(InvalidCountError, match="one table with 2 columns"):
            information(u, counts)
