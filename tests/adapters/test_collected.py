"""Counted rows that come back from an engine: the labels are those of the rows, one by one."""

from datetime import date

import narwhals.stable.v2 as nw
import numpy as np
import pytest

from baserate.adapters._frame_rows import MISSING, _numbered, decisions_of, labels_of, spread_of

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

COLUMNS = {
    "text": ["b", "a", None, "b", "", "\u00e9"],
    "text without nulls": ["b", "a", "b"],
    "whole": [3, 1, 3, -(2**62)],
    "whole with null": [3, None, 2**62 + 1, 2**62],
    "boolean": [True, False, True],
    "boolean with null": [None, False, True],
    "nothing": [None, None],
    "date": [date(2020, 1, 2), None, date(2020, 1, 1)],
    "real": [0.5, 1.0, 0.5],
}
LIBRARIES = {
    "polars": pl.Series,
    "pyarrow": lambda values: pa.chunked_array([values[:1], values[1:]], pa.array(values).type),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "pandas, nullable": lambda values: pd.Series(pd.array(values)),
    "pandas of pyarrow": lambda values: pd.Series(pa.array(values).to_pandas(
        types_mapper=pd.ArrowDtype)),
}  # fmt: skip


def rows(found):
    return [found.labels[code] for code in found.codes]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", COLUMNS)
def test_codes_stand_for_the_labels_of_each_row(kind, library):
    values = COLUMNS[kind]
    found = rows(labels_of(nw.from_native(LIBRARIES[library](values), series_only=True), "x"))
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_labels_that_python_takes_for_equal_stay_apart():
    series = nw.from_native(pd.Series([1, True, "1", None], dtype=object), series_only=True)
    found = rows(labels_of(series, "x"))
    assert list(map(type, found)) == [int, bool, str, type(None)]


@pytest.mark.parametrize(
    "series",
    [
        pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
        pl.Series(["b", "a", None, "b"], dtype=pl.Enum(["a", "b", "c"])),
        pa.chunked_array([pa.array(["b", "a", None, "b"]).dictionary_encode()]),
        pd.Series(["b", "a", None, "b"], dtype="category"),
    ],
    ids=["polars", "polars enum", "pyarrow", "pandas"],
)
def test_categories_that_are_text_are_read_as_text(series):
    series = nw.from_native(series, series_only=True)
    found = labels_of(series, "x")
    assert rows(found) == ["b", "a", None, "b"]
    assert sorted(found.found().values(), key=str) == [None, "a", "b"]


def test_categories_that_are_numbers_stay_numbers():
    series = nw.from_native(pd.Series([3, 1, None, 3], dtype="category"), series_only=True)
    assert rows(labels_of(series, "x")) == [3, 1, None, 3]


def test_whole_numbers_wider_than_those_of_numpy_are_read():
    series = nw.from_native(pl.Series([2**100, None, 1], dtype=pl.Int128), series_only=True)
    assert rows(labels_of(series, "x")) == [2**100, None, 1]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["b", "a", None], pl.String),
        (["b", "a", None], pl.Categorical),
        ([3, None, 1], pl.Int64),
        ([None, True, False], pl.Boolean),
    ],
)
def test_no_row_becomes_a_python_object(values, kind, monkeypatch):
    series = nw.from_native(pl.Series(values * 1000, dtype=kind), series_only=True)
    lengths = []
    plain = type(series).to_list
    monkeypatch.setattr(type(series), "to_list", lambda one: lengths.append(len(one)) or plain(one))
    assert rows(labels_of(series, "x")) == values * 1000
    assert max(lengths, default=0) <= 2


def test_decisions_and_ranges():
    series = nw.from_native(pl.Series([1, MISSING, 0]), series_only=True)
    assert rows(decisions_of(series)) == [True, None, False]
    low, high, *_ = spread_of(np.array([0.5, -1.0]), np.array([0.75, np.inf]))
    assert (low, high) == (-1.0, np.inf)
    assert spread_of(np.array([]), np.array([]))[:2] == (0.0, 0.0)


def test_a_column_without_rows_has_no_labels_and_no_codes():
    labels, codes = _numbered(nw.from_native(pl.Series([], dtype=pl.String), series_only=True))
    assert labels == []
    assert codes.tolist() == []
