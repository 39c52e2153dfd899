"""Scored cases read from arrays."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from baserate.cases.arrays import read_arrays
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

TRUTH = ["ill", "well", "ill", "well"]
SCORE = [0.9, 0.1, 0.4, 0.4]


def scored(truth, score, fold=None, *, positive=None, **options):
    keys = {} if fold is None else {"fold": fold}
    return read_arrays(truth, scores={"y_score": score}, keys=keys, **options).binary(positive)


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series, pl.Series, pa.array])
def test_any_column_will_do(wrap):
    cases = scored(wrap(TRUTH), wrap(SCORE), wrap([2, 1, 10, 2]), positive="ill")
    assert cases.truth.tolist() == [True, False, True, False]
    assert cases.scores["y_score"].tolist() == SCORE
    assert cases.fold.keys == ((1,), (2,), (10,))
    assert cases.fold.codes.tolist() == [1, 0, 2, 1]
    assert (cases.positive, cases.labels, cases.n_missing) == ("ill", ("ill", "well"), 0)


def test_scores_keep_their_type():
    large = np.array([2**53, 2**53 + 1])
    assert scored([0, 1], large).scores["y_score"].dtype == np.int64
    assert scored([0, 1], np.float32([0.1, 0.2])).scores["y_score"].dtype == np.float32


@pytest.mark.parametrize(
    ("truth", "score", "fold", "where"),
    [
        (["a", None, "b"], [1, 2, 3], None, "1 in 'y_true'"),
        (["a", "a", "b"], [1, None, float("nan")], None, "2 in 'y_score'"),
        (["a", "a", "b"], [1, 2, 3], ["x", None, "x"], "1 in 'fold'"),
    ],
)
def test_missing_is_an_error_or_dropped(truth, score, fold, where):
    with pytest.raises(MissingValueError, match=where):
        scored(truth, score, fold, positive="a")
    dropped = scored(truth, score, fold, positive="a", missing="drop")
    assert len(dropped.truth) == len(dropped.scores["y_score"]) == 3 - int(where[0])
    assert dropped.n_missing == int(where[0])


@pytest.mark.parametrize(
    ("truth", "score", "error", "message"),
    [
        ([1, 0], [0.5], LabelError, r"y_score must have as many cases as y_true \(2\), got 1"),
        ([1, 0], ["a", "b"], InvalidArgumentError, "y_score must hold one real number per case"),
        ([1, 0], np.ones((2, 2)), InvalidArgumentError, "one-dimensional"),
        (["a", "b"], [1, 2], LabelError, "do not say which class is positive"),
        ([], [], LabelError, "holds no cases"),
    ],
)
def test_what_cannot_be_read(truth, score, error, message):
    with pytest.raises(error, match=message):
        scored(truth, score)
