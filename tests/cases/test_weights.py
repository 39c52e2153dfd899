import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from baserate.cases import confusion_matrix, count_labels
from baserate.errors import InvalidArgumentError, MissingValueError

TRUTH = [1, 1, 0, 0]
PREDICTION = [1, 0, 1, 0]
WEIGHTS = [0.5, 2.0, 0.0, 1.25]


@pytest.mark.parametrize(
    "make",
    [
        list, tuple, np.array, pd.Series, pl.Series, pa.array,
        lambda w: np.array(w, dtype="f4"),
        lambda w: np.array(w, dtype=object),
        lambda w: np.ma.array(w, mask=[False] * len(w)),
        lambda w: pd.Series(w, dtype="Float64"),
        lambda w: pd.Series(w, dtype="double[pyarrow]"),
        lambda w: pa.chunked_array([w[:1], w[1:]]),
    ],
)  # fmt: skip
def test_weights_of_every_kind(make):
    counted = count_labels(TRUTH, PREDICTION, sample_weight=make(WEIGHTS))
    assert counted.table.to_dict() == {"tp": 0.5, "fn": 2.0, "fp": 0.0, "tn": 1.25}
    assert counted.n == 3  # a row of weight 0 counts nowhere
    assert counted.effective_n == pytest.approx(3.75**2 / (0.25 + 4 + 1.5625), rel=1e-14)


@pytest.mark.parametrize(
    "weights",
    [
        [np.nan, 2, 0, 1.25],
        [None, 2, 0, 1.25],
        np.ma.array(WEIGHTS, mask=[True, False, False, False]),
        pd.Series([None, 2, 0, 1.25], dtype="Float64"),
        pl.Series([None, 2.0, 0.0, 1.25]),
        pa.array([None, 2, 0, 1.25]),
    ],
)
def test_a_missing_weight_is_a_missing_value(weights):
    with pytest.raises(
        MissingValueError, match="missing values: 1 in 'sample_weight'; pass missing="
    ):
        confusion_matrix(TRUTH, PREDICTION, sample_weight=weights)
    counted = count_labels(TRUTH, PREDICTION, sample_weight=weights, missing="drop")
    assert counted.table.to_dict() == {"tp": 0.0, "fn": 2.0, "fp": 0.0, "tn": 1.25}
    assert (counted.n, counted.n_missing) == (2, 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [1, 1, -0.5, 1],
            "sample_weight must be non-negative and finite, got -0.5: pass numbers of",
        ),
        ([1, 1, np.inf, 1], "sample_weight must be non-negative and finite, got inf"),
        (["1", "1", "1", "1"], "sample_weight must hold numbers, got '1'"),
        (np.array(["1", "1", "1", "1"]), "sample_weight must hold numbers, got '1'"),
        (pl.Series(["1", "1", "1", "1"]), "sample_weight must hold numbers, got '1'"),
        ([[1], [1], [1], [1]], "sample_weight must hold numbers"),
        ([1, 2j, 1, 1], "sample_weight must hold numbers"),
        ([[1], [1, 2], [1], [1]], "sample_weight must hold numbers"),
        ([1, 1, 1], r"sample_weight must have as many cases as y_true \(4\), got 3"),
        (np.ones((4, 2)), r"sample_weight must be one-dimensional, got \(4, 2\)"),
        (2.0, "sample_weight must be a column"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(InvalidArgumentError, match=message):
        confusion_matrix(TRUTH, PREDICTION, sample_weight=weights)


def test_whole_weights_count_like_repeated_cases():
    table = confusion_matrix(TRUTH, PREDICTION, sample_weight=[3, 2, 1, 4])
    repeated = confusion_matrix(np.repeat(TRUTH, [3, 2, 1, 4]), np.repeat(PREDICTION, [3, 2, 1, 4]))
    assert table == repeated
