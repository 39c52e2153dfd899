"""Scores become predictions at a threshold; ties are positive, gaps stay gaps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from baserate.cases.arrays import read_arrays
from baserate.cases.scores import score_array
from baserate.curves import sweep
from baserate.errors import InvalidArgumentError, MissingValueError


def cut(scores, threshold, **options):
    """Say which scores reach the threshold."""
    cases = read_arrays([0] * len(scores), scores={"score": scores}, **options).binary()
    return cases.cut("score", threshold).decisions["score"]


@pytest.mark.parametrize(
    "make", [list, np.array, pd.Series, pl.Series, lambda v: np.array(v, "f4")]
)
def test_a_score_at_the_threshold_is_positive(make):
    assert cut(make([0.25, 0.5, 0.75]), None).tolist() == [False, True, True]
    assert cut(make([0.25, 0.5, 0.75]), 0.75).tolist() == [False, False, True]
    assert cut(make([0.25, 0.5, 0.75]), 0).tolist() == [True, True, True]


def test_missing_scores_are_missing_however_they_are():
    masked = np.ma.masked_array([0.9, 0.8], mask=[False, True])
    for scores in ([0.9, np.nan], [0.9, None], masked, pd.Series([0.9, None], dtype="Float64")):
        assert cut(scores, 0.5, missing="drop").tolist() == [True]
        with pytest.raises(MissingValueError, match="1 in 'score'"):
            cut(scores, 0.5)


def test_infinite_scores_are_cut():
    assert cut([-np.inf, np.inf], 3).tolist() == [False, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf, "0.5", True, [0.5]])
def test_bad_thresholds(bad):
    with pytest.raises(InvalidArgumentError, match="threshold must be a finite number"):
        cut([0.1], bad)


def test_scores_need_a_threshold_outside_the_unit_interval():
    with pytest.raises(InvalidArgumentError, match=r"score runs from 0 to 3\): pass threshold"):
        cut([3, 1], None)
    with pytest.raises(InvalidArgumentError, match="score must hold one real number per case"):
        cut(["a"], None)


def test_whole_numbers_beyond_floats_are_cut_as_such():
    first = 2**53
    for scores in ([first, first + 1], np.array([first, first + 1], "u8")):
        assert cut(scores, first + 1).tolist() == [False, True]
    assert cut([1, 2, 3], 1.5).tolist() == [False, True, True]
    assert cut(np.float32([0.7]), 0.7).tolist() == [False]  # 0.699999988 as a double


READERS = (
    lambda scores: sweep([0, 1], scores),
    lambda scores: read_arrays([0, 1], scores={"y_score": scores}),
    lambda scores: cut(scores, 1),
)
NO_NUMBERS = (
    ["0.1", "0.2"],
    np.array(["0.1", "0.2"]),
    np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
    [np.datetime64("2020-01-01"), np.datetime64("2020-01-02")],
    np.array([1, 2], "m8[s]"),
    [1j, 2],
    [10**400, 0.5],
    [object(), 1],
    np.array([1j, 2]),
    [[1], [2]],
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("scores", NO_NUMBERS)
def test_what_is_no_number_is_refused_by_one_rule(read, scores):
    with pytest.raises(InvalidArgumentError, match="score must hold one real number per case"):
        read(scores)


@pytest.mark.parametrize("read", READERS)
def test_numbers_that_floats_would_merge_are_refused(read):
    with pytest.raises(InvalidArgumentError, match=r"stay apart as 64-bit numbers.*ranks"):
        read([2**70, 2**70 + 1])


def test_scores_that_are_all_missing_are_missing():
    assert np.isnan(score_array("score", [None, None])).all()
