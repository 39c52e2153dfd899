"""Frames: what pandas, polars, pyarrow and DuckDB each do in their own way."""

import datetime as dt
import math
from collections import Counter
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from adapters.arrivals import FRAMES, entries, labels, read
from baserate.adapters.frames import read_frame
from baserate.errors import DataError, MissingValueError


@pytest.mark.parametrize("frame", [None, [1, 2], {"y": [1]}, "file.csv", np.zeros((2, 2))])
def test_only_frames_are_frames(frame):
    with pytest.raises(DataError, match="data must be a data frame, got "):
        read_frame(frame, target="y", predictions=["p"])


@pytest.mark.parametrize("kind", ["pandas", "pandas nullable", "polars", "pyarrow"])
def test_a_frame_is_not_changed(kind):
    data = {
        "y": [1, 0, None],
        "s": [0.5, math.nan, 0.1],
        "w": [1.0, 2.0, None],
        "g": ["a", None, "b"],
    }
    frame, twin = FRAMES[kind](data), FRAMES[kind](data)
    read(frame, target="y", score="s", weight="w", groups="g", missing="drop")
    assert str(frame) == str(twin)


# Strings as Python objects: those of Arrow, which pandas 3 takes by itself, hold no half signs.
STRINGS = pd.StringDtype("python")


@pytest.mark.parametrize("head", ["a\0", "\0", "\udc80", "\\x00"])
@pytest.mark.parametrize("dtype", [object, "string"])
@pytest.mark.parametrize("last", ["c", None])
def test_texts_that_pandas_takes_for_equal_are_told_apart(head, dtype, last):
    """Its tables of strings end at zero bytes: https://github.com/pandas-dev/pandas/issues/34551."""
    texts = [f"{head}b", f"{head}c", r"a\x00b", last] * 3
    groups = pd.Series(texts, dtype=STRINGS if dtype == "string" else dtype)
    frame = pd.DataFrame({"y": [1, 0, 1, 1] * 3, "p": [1, 0] * 6, "g": groups})
    frame.index = range(7, 7 + len(frame))
    cases = read(frame, target="y", prediction="p", groups="g", missing="drop")
    found = Counter()
    for (_, _, (group,)), number in entries(cases).items():
        found[group] += number
    assert found == dict.fromkeys(filter(None, texts), 3)


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["a", "b", "a", None], dtype="category"),
        pd.Series(["a", "b", "a", None], dtype="string"),
        pd.Series(["a", "b", "a", None], dtype="string[pyarrow]"),
        pd.Series(["a", "b", "a", None], dtype=pd.ArrowDtype(pa.string())),
        pd.Series(["a", "b", "a", None], dtype=object),
        pd.Series(["a", "b", "a", np.nan], dtype=object),
        pl.Series(["a", "b", "a", None], dtype=pl.Categorical),
        pl.Series(["a", "b", "a", None], dtype=pl.Enum(["b", "a", "unused"])),
        pa.array(["a", "b", "a", None]).dictionary_encode(),
    ],
    ids=lambda labels: f"{type(labels).__module__.split('.')[0]} {getattr(labels, 'dtype', '')}",
)
def test_text_in_every_dress(labels):
    build = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = build[type(labels).__module__.split(".")[0]]({"y": labels, "p": labels, "g": labels})
    cases = read(frame, target="y", prediction="p", groups="g", missing="drop")
    assert entries(cases) == {("a", "a", ("a",)): 2, ("b", "b", ("b",)): 1}
    assert cases.n_missing == 1


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([1, 0, 1, pd.NA], dtype="Int8"),
        pd.Series([1, 0, 1, np.nan]),
        pd.Series([True, False, True, pd.NA], dtype="boolean"),
        pd.Series([True, False, True, None], dtype=object),
        pd.Series([1, 0, 1, None], dtype="category"),
        pd.Series([1, 0, 1, None], dtype=pd.ArrowDtype(pa.int64())),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_pandas_numbers_and_booleans_as_labels_and_as_scores(labels):
    frame = pd.DataFrame({"y": labels, "s": labels.copy(), "w": labels.copy()})
    cases = read(frame, target="y", score="s", weight="w", missing="drop")
    assert entries(cases) == {(1, True, ()): 2}  # the weight of the other row is 0
    assert sum(cases.weight) == 2
    assert not any(isinstance(label, np.generic) for label in cases.truth.labels)


def test_objects_of_many_types_are_many_labels():
    mixed = pd.Series([1, "1", True, None, pd.NaT, "1"], dtype=object)
    cases = read(
        pd.DataFrame({"y": mixed, "p": ["x"] * 6}), target="y", prediction="p", missing="drop"
    )
    assert cases.n_missing == 2
    assert entries(cases)["1", "x", ()] == 2
    assert sum(cases.count) == 4


def test_decimals_and_big_integers_are_scores():
    scores = [Decimal("0.5"), Decimal("0.49"), Decimal(1)]
    for frame in (
        pd.DataFrame({"y": ["a", "b", "c"], "s": scores}),
        pl.DataFrame({"y": ["a", "b", "c"], "s": scores}),
        pa.table({"y": ["a", "b", "c"], "s": scores}),
    ):
        found = entries(read(frame, target="y", score="s"))
        assert found == {("a", True, ()): 1, ("b", False, ()): 1, ("c", True, ()): 1}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_float32_score_is_compared_as_it_is(kind):
    scores = np.array([0.7, 0.5, 0.1], dtype=np.float32)  # 0.7 in float32 is below 0.7
    frame = FRAMES[kind]({"y": np.array([1, 2, 3]), "s": scores})
    found = entries(read(frame, target="y", score="s", threshold=0.7))
    assert found == {(1, False, ()): 1, (2, False, ()): 1, (3, False, ()): 1}


@pytest.mark.parametrize("kind", ["polars", "polars lazy", "pyarrow", "duckdb"])
def test_nan_and_null_are_both_missing_where_they_differ(kind):
    data = {"y": [1.0, math.nan, None, 1.0], "s": [math.nan, 0.1, 0.9, 0.8]}
    with pytest.raises(MissingValueError, match="2 in 'y', 1 in 's'"):
        read(FRAMES[kind](data), target="y", score="s")
    cases = read(FRAMES[kind](data), target="y", score="s", missing="drop")
    assert (entries(cases), cases.n_missing) == ({(1.0, True, ()): 1}, 3)


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"])
def test_a_group_that_is_nan_is_the_missing_group(kind):
    data = {"y": [1, 1, 1], "p": [1, 1, 1], "g": [math.nan, None, 2.0]}
    roles = {"target": "y", "prediction": "p", "groups": "g", "missing": "drop"}
    cases = read(FRAMES[kind](data), **roles)
    assert (entries(cases), cases.n_missing) == ({(1, 1, (2.0,)): 1}, 2)


@pytest.mark.parametrize(
    "open_lazily", [pl.scan_parquet, lambda path: duckdb.read_parquet(str(path))]
)
@pytest.mark.parametrize("threshold", [0.1, 0.95])
def test_statistics_of_a_parquet_file_do_not_hide_nan(tmp_path, open_lazily, threshold):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"y": [1, 0, 1], "s": [0.2, 0.9, math.nan]}), path)
    roles = {"target": "y", "score": "s", "threshold": threshold}
    with pytest.raises(MissingValueError, match="1 in 's'"):
        read(open_lazily(path), **roles)
    assert sum(read(open_lazily(path), **roles, missing="drop").count) == 2


@pytest.mark.parametrize("dates", [[dt.date(2020, 1, 1), dt.date(2021, 1, 1)]])
@pytest.mark.parametrize("kind", ["polars", "pyarrow", "duckdb"])
def test_dates_are_groups_but_no_scores(kind, dates):
    data = {"y": [1, 0], "d": dates, "p": [1, 0]}
    cases = read(FRAMES[kind](data), target="y", prediction="p", groups="d")
    assert sorted(labels(cases.groups["d"])) == dates
    with pytest.raises(DataError, match="Column 'd' of the data frame is of type Date: pass a col"):
        read(FRAMES[kind](data), target="y", score="d")


@pytest.mark.parametrize("kind", ["polars", "polars lazy", "pyarrow", "duckdb", "pandas"])
@pytest.mark.parametrize("role", ["target", "prediction", "groups"])
def test_a_nested_column_is_no_label(kind, role):
    data = {"y": [1, 0], "p": [1, 0], "n": [[1], [2]]}
    with pytest.raises(DataError, match=r"Column 'n' of the data frame .*nested type"):
        read(FRAMES[kind](data), **({"target": "y", "prediction": "p"} | {role: "n"}))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_may_be_called_anything(kind):
    names = ["t", "p", "s", "w", "g0", "n", "has_w", "Y", "y", "a; \"b\" 'c'"]
    data = {name: [f"{name} 1", f"{name} 2", f"{name} 1"] for name in names}
    data |= {"s": [0.5, 0.1, 0.5], "w": [1.0, 2.0, 3.0]}
    roles = {"score": "w", "threshold": 1.5, "weight": "s", "groups": ["t", "p", "Y", names[-1]]}
    cases = read(FRAMES[kind](data), target="y", **roles)
    groups = [tuple(data[name][i] for name in roles["groups"]) for i in range(3)]
    assert entries(cases) == {
        ("y 1", False, groups[0]): 1,
        ("y 2", True, groups[1]): 1,
        ("y 1", True, groups[2]): 1,
    }


def test_pandas_columns_need_no_text_for_a_name_and_no_tidy_index():
    frame = pd.DataFrame({0: ["a", "b", "a"], 1: ["0.5", "0.1", "x"]}, index=[7, 7, 1])
    assert sum(read(frame.assign(p=1), target=0, prediction="p").count) == 3
    with pytest.raises(
        DataError, match="Column 1 of the data frame holds text in 1 row, such as 'x'"
    ):
        read(frame, target=0, score=1)
    assert entries(read(frame.head(2), target=0, score=1)) == {
        ("a", True, ()): 1,
        ("b", False, ()): 1,
    }


@pytest.mark.parametrize("ask", [br.evaluate, br.audit, br.thresholds])
def test_scores_beside_columns_whose_names_are_numbers(ask):
    names = ("truth", "score", "site", "weight")
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    columns = (truth, ((rng.random(80) + truth) / 2).round(2), ["a", "b"] * 40, rng.random(80))
    found = []
    for called in (names, range(4)):
        target, score, groups, weight = called
        named = {"target": target, "score": score, "groups": groups, "weight": weight}
        frame = pd.DataFrame(dict(zip(called, columns, strict=True)))
        found.append([*ask(frame, **named).to_dict(flat=True).values()])
    assert found[0] == found[1] != []


def test_a_column_of_nothing_but_gaps_is_counted():
    for kind in ("pandas", "polars", "pyarrow"):
        frame = FRAMES[kind]({"y": [1, 0], "s": [None, None]})
        with pytest.raises(MissingValueError, match="2 in 's'"):
            read(frame, target="y", score="s")
