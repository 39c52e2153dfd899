"""Scores become predictions at a threshold; ties are positive, gaps stay gaps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from baserate.errors import InvalidArgumentError
from baserate.labels.scores import cut


@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, pl.Series, lambda v: np.array(v, "f4")]
)
def test_a_score_at_the_threshold_is_positive(make):
    assert cut(make([0.25, 0.5, 0.75]), None).tolist() == [False, True, True]
    assert cut(make([0.25, 0.5, 0.75]), 0.75).tolist() == [False, False, True]
    assert cut(make([0.25, 0.5, 0.75]), 0).tolist() == [True, True, True]


def test_missing_scores_are_masked_however_they_are_missing():
    masked = np.ma.masked_array([0.9, 0.8], mask=[False, True])
    for scores in ([0.9, np.nan], [0.9, None], masked, pd.Series([0.9, None], dtype="Float64")):
        assert cut(scores, 0.5).tolist() == [True, None]


def test_infinite_scores_are_cut():
    assert cut([-np.inf, np.inf], 3).tolist() == [False, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, "0.5", True, [0.5]])
def test_bad_thresholds(bad):
    with pytest.raises(InvalidArgumentError, match="threshold must be a finite number"):
        cut([0.1], bad)


def test_scores_need_a_threshold_outside_the_unit_interval():
    with pytest.raises(InvalidArgumentError, match=r"score runs from 0 to 3\): pass threshold"):
        cut([3, 1], None)
    with pytest.raises(InvalidArgumentError, match="score must be an array of numbers"):
        cut(["a"], None)
