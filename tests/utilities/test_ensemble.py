"""Uncertain utilities."""

import numpy as np
import pytest

from baserate import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.utilities import UtilityEnsemble, UtilityMatrix

U4, U5 = [[15, -335], [-35, 165]], [[45, -335], [-65, 165]]
TABLES = {
    "A": ConfusionMatrix(tp=27, fn=23, fp=15, tn=35),
    "B": ConfusionMatrix(tp=43, fn=7, fp=18, tn=32),
}


def test_the_mean_decides():
    e = UtilityEnsemble([U4, U5], weights=[1, 3])
    assert e.mean == UtilityMatrix([[37.5, -335], [-57.5, 165]])
    p = [[0.9, 0.1], [0.86, 0.14], [0.5, 0.5]]  # thresholds 10/11 and 50/61
    assert e.decision_shares(p).tolist() == [[0.75, 0.25], [0.75, 0.25], [0, 1]]
    assert e.decision_shares([0.95, 0.05]).tolist() == [1, 0]


def test_classifiers_share_the_matrices():
    """A is better under (4), B under (5): 3.5 against -3.5, 4.7 against 7.3."""
    e = UtilityEnsemble([U4, U5], weights=[1, 3])
    assert e.classifier_shares(TABLES) == {"A": 0.25, "B": 0.75}
    twice = e.classifier_shares({**TABLES, "C": TABLES["B"]})
    assert twice == {"A": 0.25, "B": 0.375, "C": 0.375}


def test_equal_decisions_share_a_matrix():
    e = UtilityEnsemble([[[1, 0], [0, 1]], [[3, 0], [0, 1]]])
    assert e.decision_shares([0.5, 0.5]).tolist() == [0.75, 0.25]


def test_shares_against_simulation():
    """The share of noisy matrices whose threshold lies below p is the share of decisions."""
    rng = np.random.default_rng(0)
    stack = np.array(U4) + rng.normal(0, 40, (2000, 2, 2))
    s, t = stack[:, 0, 0] - stack[:, 1, 0], stack[:, 1, 1] - stack[:, 0, 1]
    for p in (0.8, 0.9, 0.95):
        share = np.mean(s * p > t * (1 - p))
        found = UtilityEnsemble(stack).decision_shares([p, 1 - p])
        assert found == pytest.approx([share, 1 - share])


def test_names_and_frozen_arrays():
    e = UtilityEnsemble([U4, U5], classes=["long", "short"])
    assert e.mean.decisions == e.decisions == ("long", "short")
    with pytest.raises(ValueError, match="read-only"):
        e.matrices[0, 0, 0] = 1


@pytest.mark.parametrize(
    ("matrices", "weights", "message"),
    [
        (U4, None, "matrices must be several matrices, got"),
        ([U4, U5], [1], "weights must be one number for each of 2 matrices"),
        ([U4, U5], [0, 0], "not all 0"),
        ([U4, U5], [1, -1], r"weights must lie in \[0, inf\), got -1.0"),
        ([U4, [[1, np.nan], [0, 1]]], None, "must hold finite numbers"),
    ],
)
def test_bad_ensembles(matrices, weights, message):
    with pytest.raises(InvalidArgumentError, match=message):
        UtilityEnsemble(matrices, weights)


def test_tables_must_be_comparable():
    e = UtilityEnsemble([U4, U5])
    other = ConfusionMatrix(tp=1, fn=1, fp=2, tn=4)
    with pytest.raises(InvalidArgumentError, match=r"class shares of 'A', \[0.5, 0.5\], got 'C'"):
        e.classifier_shares({"A": TABLES["A"], "C": other})
    assert e.classifier_shares({"A": TABLES["A"], "C": other.at_base_rate(0.5)})
    with pytest.raises(InvalidArgumentError, match="tables must not be empty"):
        e.classifier_shares({})
    with pytest.raises(InvalidArgumentError, match="a single table with cases, got 'Z'"):
        e.classifier_shares({"Z": np.zeros((2, 2))})
