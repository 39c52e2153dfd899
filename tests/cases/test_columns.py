"""Every kind of column, with the answer counted by hand: tp 3, fn 1, fp 1, tn 2."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from baserate.cases import confusion_matrix, count_labels, encoder
from baserate.counts import ConfusionMatrix
from baserate.errors import LabelError, MissingValueError

TRUTH = [True, False, True, True, False, False, True]
PREDICTION = [True, True, False, True, False, False, True]
TABLE = ConfusionMatrix(tp=3, fn=1, fp=1, tn=2)
TEXT = np.dtypes.StringDType


def ints(values):
    return [None if value is None else int(value) for value in values]


def floats(values):
    return [None if value is None else float(value) for value in values]


def words(values):
    return [None if value is None else "yes" if value else "no" for value in values]


def strided(values):
    return np.repeat(np.array(values), 2)[::2]


def fresh(values):  # every entry an object of its own
    return [float(value) / 3 * 3 for value in values]


def masked(values):
    return np.ma.array([bool(value) for value in values], mask=[value is None for value in values])


BOOLEANS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy strided": strided,
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy masked": masked,
    "pandas": pd.Series,
    "pandas index": pd.Index,
    "pandas boolean": lambda v: pd.Series(v, dtype="boolean"),
    "pandas extension array": pd.array,
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas arrow": lambda v: pd.Series(v, dtype="bool[pyarrow]"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda v: pa.chunked_array([v[:3], v[3:]]),
    "narwhals": lambda v: nw.from_native(pl.Series(v), series_only=True),
    "narwhals pandas": lambda v: nw.from_native(pd.Series(v), series_only=True),
}
NUMBERS = {
    "list of int": ints,
    "list of float": floats,
    "list of NumPy scalars": lambda v: list(np.array(ints(v))),
    "own objects": fresh,
    "int8": lambda v: np.array(v, dtype="i1"),
    "int64": lambda v: np.array(v, dtype="i8"),
    "uint64": lambda v: np.array(v, dtype="u8"),
    "big-endian": lambda v: np.array(v, dtype=">i4"),
    "float32": lambda v: np.array(v, dtype="f4"),
    "float64": lambda v: np.array(v, dtype="f8"),
    "pandas int": lambda v: pd.Series(ints(v)),
    "pandas Int64": lambda v: pd.Series(ints(v), dtype="Int64"),
    "pandas Float64": lambda v: pd.Series(ints(v), dtype="Float64"),
    "pandas category": lambda v: pd.Series(ints(v), dtype="category"),
    "pandas arrow": lambda v: pd.Series(ints(v), dtype="int64[pyarrow]"),
    "polars": lambda v: pl.Series(ints(v)),
    "polars decimal": lambda v: pl.Series(ints(v), dtype=pl.Decimal(10, 2)),
    "pyarrow": lambda v: pa.array(ints(v)),
    "pyarrow dictionary": lambda v: pa.array(ints(v)).dictionary_encode(),
    "pyarrow decimal": lambda v: pa.array(ints(v), pa.decimal128(20, 0)),
}
STRINGS = {
    "list": list,
    "list of numpy strings": lambda v: list(np.array(v)),
    "U3": np.array,
    "U8": lambda v: np.array(v, dtype="U8"),
    "U3 strided": strided,
    "U3 big-endian": lambda v: np.array(v, dtype=">U3"),
    "S": lambda v: np.array(v, dtype="S"),
    "S8": lambda v: np.array(v, dtype="S8"),
    "StringDType": lambda v: np.array(v, dtype=TEXT()),
    "object": lambda v: np.array(v, dtype=object),
    "bytes": lambda v: [value.encode() for value in v],
    "pandas": pd.Series,
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "polars": pl.Series,
    "polars categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars enum": lambda v: pl.Series(v, dtype=pl.Enum(["maybe", "yes", "no"])),
    "pyarrow": pa.array,
    "pyarrow large": lambda v: pa.array(v, pa.large_string()),
    "pyarrow view": lambda v: pa.array(v, pa.string_view()),
    "pyarrow dictionary": lambda v: pa.chunked_array([pa.array(v).dictionary_encode()]),
}
NULLABLE = {
    "list": list,
    "list of int": ints,
    "list of words": words,
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy float": lambda v: np.array(floats(v), dtype=float),
    "numpy masked": masked,
    "numpy masked int": lambda v: masked(v).astype(int),
    "StringDType None": lambda v: np.array(words(v), dtype=TEXT(na_object=None)),
    "StringDType nan": lambda v: np.array(
        [np.nan if w is None else w for w in words(v)], dtype=TEXT(na_object=np.nan)
    ),
    "pandas object": pd.Series,
    "pandas float": lambda v: pd.Series(floats(v)),
    "pandas boolean": lambda v: pd.Series(v, dtype="boolean"),
    "pandas Int64": lambda v: pd.Series(ints(v), dtype="Int64"),
    "pandas Float64": lambda v: pd.Series(floats(v), dtype="Float64"),
    "pandas string": lambda v: pd.Series(words(v), dtype="string"),
    "pandas category": lambda v: pd.Series(words(v), dtype="category"),
    "pandas arrow": lambda v: pd.Series(v, dtype="bool[pyarrow]"),
    "polars bool": pl.Series,
    "polars int": lambda v: pl.Series(ints(v)),
    "polars float": lambda v: pl.Series(floats(v)),
    "polars nan": lambda v: pl.Series(floats(v)).fill_null(float("nan")),
    "polars categorical": lambda v: pl.Series(words(v), dtype=pl.Categorical),
    "pyarrow bool": pa.array,
    "pyarrow int": lambda v: pa.array(ints(v)),
    "pyarrow nan": lambda v: pa.array([float("nan") if x is None else float(x) for x in v]),
    "pyarrow view": lambda v: pa.array(words(v), pa.string_view()),
    "pyarrow dictionary": lambda v: pa.array(words(v)).dictionary_encode(),
}


@pytest.mark.parametrize("make", BOOLEANS.values(), ids=BOOLEANS)
def test_booleans(make):
    counted = count_labels(make(TRUTH), make(PREDICTION))
    assert counted.table == TABLE
    assert counted.positive is True
    assert counted.labels == (False, True)


@pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS)
def test_numbers(make):
    counted = count_labels(make(TRUTH), make(PREDICTION))
    assert counted.table == TABLE
    assert counted.positive == 1
    assert counted.labels == (0, 1)
    assert not isinstance(counted.positive, np.generic)


@pytest.mark.parametrize("make", STRINGS.values(), ids=STRINGS)
def test_strings(make):
    counted = count_labels(make(words(TRUTH)), make(words(PREDICTION)), pos_label="yes")
    assert counted.table == TABLE
    assert counted.labels == ("no", "yes")
    assert {type(label) for label in counted.labels} == {str}


@pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS)
def test_two_kinds_of_column_meet(make):
    assert confusion_matrix(make(TRUTH), PREDICTION) == TABLE
    assert confusion_matrix(np.array(TRUTH), make(PREDICTION)) == TABLE


@pytest.mark.parametrize("make", NULLABLE.values(), ids=NULLABLE)
def test_missing_labels_are_counted_or_dropped(make):
    truth, prediction = [None, *TRUTH, False], [None, *PREDICTION, None]
    with pytest.raises(
        MissingValueError, match="missing values: 1 in 'y_true', 2 in 'y_pred'; pass"
    ):
        confusion_matrix(make(truth), make(prediction))
    positive = "yes" if "yes" in map(str, make(TRUTH)) else None
    counted = count_labels(make(truth), make(prediction), pos_label=positive, missing="drop")
    assert counted.table == TABLE
    assert (counted.n, counted.n_missing) == (7, 2)
    assert None not in counted.labels


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("yes", "y_true must be a column of labels, got 'str': pass a list, an array"),
        ({"a": 1}, "y_true must be a column of labels, got 'dict'"),
        ({1, 0}, "y_true must be a column of labels, got 'set'"),
        (None, "y_true must be a column of labels, got 'NoneType'"),
        (1, "y_true must be a column of labels, got 'int'"),
        ((x for x in [1, 0]), "y_true must be a column of labels, got 'generator'"),
        (pd.DataFrame({"y": [1, 0]}), "y_true must be a column of labels, got 'DataFrame'"),
        (pl.DataFrame({"y": [1, 0]}), "y_true must be a column of labels, got 'DataFrame'"),
        (pa.table({"y": [1, 0]}), "y_true must be a column of labels, got 'Table'"),
        (pl.Series([[1], [0]]), "y_true must be a column of labels, got 'a column of List"),
        (np.array(1), r"y_true must be one-dimensional, got \(\): pass one label per case"),
        (np.array([[1, 0]]), r"y_true must be one-dimensional, got \(1, 2\)"),
        ([[1], [0]], r"y_true must hold one plain label per case, got \[1\]: pass a flat column"),
        ([np.array([1, 2]), np.array([1, 2])], "y_true must hold one plain label per case"),
        (np.array([1j, 0]), "y_true must hold labels, got 'dtype complex128': pass booleans"),
    ],
)
def test_what_is_not_a_column_of_labels(values, message):
    with pytest.raises(LabelError, match=message):
        confusion_matrix(values, [1, 0])


@pytest.mark.parametrize("make", [pl.Series, pa.array])
def test_null_and_nan_are_both_missing(make):
    nan = float("nan")
    truth = make([None, nan, 1.0, 0.0, nan, None])
    counted = count_labels(truth, make([1.0, 0.0, 1.0, 0.0, nan, 0.0]), missing="drop")
    assert counted.table == ConfusionMatrix(tp=1, fn=0, fp=0, tn=1)
    assert counted.n_missing == 4


def test_objects_made_for_one_block_do_not_pass_for_others(monkeypatch):
    monkeypatch.setattr(encoder, "BLOCK", 1)
    names = [f"label {i}".encode() for i in range(6)]
    column = np.ma.array([*names, b"gone"], mask=[False] * 6 + [True])
    counted = count_labels(column, column, pos_label="label 0", missing="drop")
    assert counted.labels == tuple(name.decode() for name in names)
    assert counted.table == ConfusionMatrix(tp=1, fn=0, fp=0, tn=5)


def test_one_list_among_many_labels():
    labels = [*range(50), [1]]
    with pytest.raises(LabelError, match=r"y_true must hold one plain label per case, got \[1\]"):
        confusion_matrix(labels, labels)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_no_cases(make):
    with pytest.raises(LabelError, match="y_true holds no cases: pass at least one labelled case"):
        confusion_matrix(make([]), make([]))


@pytest.mark.parametrize(
    "column",
    [
        np.array(words(TRUTH)),
        np.array([1.0, np.nan, 0.0]),
        np.array([1, None, 0], dtype=object),
        np.ma.array([1, 7, 0], mask=[False, True, False]),
    ],
)
def test_arrays_are_left_as_they_were(column):
    before = column.copy()
    column.flags.writeable = False
    count_labels(column, column, pos_label=column[0], missing="drop")
    np.testing.assert_array_equal(column, before)


def test_frames_and_lists_are_left_as_they_were():
    labels, series = [1, None, 0], pd.Series([1, None, 0], dtype="Int64", name="y")
    before = series.copy()
    count_labels(labels, series, missing="drop")
    assert labels == [1, None, 0]
    pd.testing.assert_series_equal(series, before)
