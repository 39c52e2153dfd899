"""Metrics that rank classifiers wrongly."""

import pytest

from baserate import ConfusionMatrix, metrics
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.utilities import UtilityMatrix, rankings

A = ConfusionMatrix(tp=27, fn=23, fp=15, tn=35)
B = ConfusionMatrix(tp=43, fn=7, fp=18, tn=32)
U4 = UtilityMatrix([[15, -335], [-35, 165]])
U5 = UtilityMatrix([[45, -335], [-65, 165]])


def test_table_1_under_both_utilities():
    """Every metric but specificity favours B; under (4) A yields more, under (5) B."""
    pair = {"A": A, "B": B}
    for ranking in rankings(pair, U4):
        assert (ranking.wrong == (("A", "B"),)) == (ranking.metric != "specificity")
        assert (ranking.right == (("A", "B"),)) == (ranking.metric == "specificity")
    for ranking in rankings(pair, U5):
        assert (ranking.wrong == (("B", "A"),)) == (ranking.metric == "specificity")


def test_at_another_base_rate():
    """Above 15/23 positive cases B yields more under (4), and only specificity errs."""
    found = rankings({"A": A, "B": B}, U4, ["mcc", "error_rate", "specificity"], base_rate=0.7)
    assert [bool(ranking.wrong) for ranking in found] == [False, False, True]


def test_ties_and_undefined_values_are_undecided():
    never = ConfusionMatrix(tp=0, fn=50, fp=0, tn=50)
    (found,) = rankings({"A": A, "never": never}, U4, ["precision"])
    assert found.undecided == (("never", "A"),)
    twin = ConfusionMatrix(tp=26, fn=24, fp=14, tn=36)
    (found,) = rankings({"A": A, "twin": twin}, U4, [metrics.accuracy])
    assert found.undecided == (("twin", "A"),)
    assert rankings({"A": A, "same": A}, U4, ["f1"])[0].right == ()
    assert rankings({}, U4, ["f1"])[0].metric == "f1"


def test_what_cannot_rank_is_refused():
    with pytest.raises(UnsupportedError, match="predicted_positive_rate ranks nothing"):
        rankings({"A": A, "B": B}, U4, ["ppr"])
    with pytest.raises(InvalidArgumentError, match="base_rate must be stated"):
        rankings({"A": A, "C": ConfusionMatrix(tp=1, fn=1, fp=3, tn=4)}, U4)
