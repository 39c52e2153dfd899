"""Whatever holds columns is taken: Arrow batches, buffers, column vectors, sequences, tensors."""

import warnings
from array import array
from collections import UserList, deque

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.exceptions import DataConversionWarning

import baserate as br
from adapters.arrivals import entries, read
from baserate.adapters.frames import read_frame
from baserate.errors import DataError, LabelError

Y, P, S = [1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [0.9, 0.4, 0.1, 0.6, 0.8]
TABLE = br.ConfusionMatrix(tp=2, fn=1, fp=1, tn=1)
ARROW = pa.table({"y": Y, "unused": [[1]] * 5, "p": P, "s": S})


class Stream:
    """What speaks Arrow's stream interface and nothing else but its schema."""

    schema = ARROW.schema

    def __arrow_c_stream__(self, requested_schema=None):
        return ARROW.__arrow_c_stream__(requested_schema)


STREAMS = {
    "batch": lambda: ARROW.to_batches()[0],
    "reader": lambda: ARROW.to_reader(max_chunksize=2),
    "stream": Stream,
}


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("make", STREAMS.values(), ids=STREAMS)
def test_arrow_batches_and_streams_are_frames(make):
    cases = read_frame(make(), target="y", predictions=["p"])
    assert entries(cases) == entries(read_frame(ARROW, target="y", predictions=["p"]))
    assert br.evaluate(make(), target="y", prediction="p").to_dict()["table"] == TABLE.to_dict()
    held = read_frame(make(), target="y", predictions=["p"], scores=["s"])
    assert held.scores["s"].tolist() == S
    assert held.binary().table("p") == TABLE
    with pytest.raises(DataError, match="has no column 'q'"):
        read_frame(make(), target="y", predictions=["q"])


def doubled(kind, path):
    """A frame or a file with one name twice that nobody asks for, and one that somebody does."""
    names, columns = ["y", "other", "p", "other", "s", "s"], [Y, P, P, Y, S, P]
    table = pa.Table.from_arrays([pa.array(column) for column in columns], names=names)
    if kind == "pyarrow":
        return table
    if kind == "batch":
        return table.to_batches()[0]
    if kind == "pandas":
        return pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        rows = zip(*columns, strict=True)
        path.write_text("\n".join(",".join(map(str, row)) for row in (names, *rows)) + "\n")
    return path


@pytest.mark.sweep(6, start=2)
@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "batch", "csv", "parquet", "arrow"])
def test_names_that_occur_twice_are_refused_only_where_they_are_asked_for(kind, tmp_path):
    data = doubled(kind, tmp_path / f"twice.{kind}")
    cases = read(data, target="y", prediction="p")
    cells = {(int(t), int(p)): n for (t, p, *_), n in entries(cases).items()}
    assert cells == {(1, 1): 2, (1, 0): 1, (0, 1): 1, (0, 0): 1}
    with pytest.raises(DataError, match="has more than one column called 's': rename them"):
        read(data, target="y", score="s")
    with pytest.raises(DataError, match="has more than one column called 'other', 's': rename"):
        read(data, target="other", score="s")


SEQUENCES = {
    "array": lambda v: array("d", v),
    "array of bytes": lambda v: array("b", map(int, v)),
    "memory view": lambda v: memoryview(np.array(v)),
    "user list": UserList,
    "deque": deque,
    "arrow array": pa.array,
}


@pytest.mark.parametrize("make", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences_and_buffers_are_columns(make):
    assert br.confusion_matrix(make(Y), make(P)) == TABLE
    whole = [10, 4, 1, 6, 8]
    assert br.sweep(Y, make(whole)).thresholds.tolist() == [np.inf, 10, 8, 6, 4, 1]
    assert br.confusion_matrix(Y, P, sample_weight=make(whole)).tp == 18


def test_a_range_is_a_sequence():
    assert br.sweep([0, 0, 1], range(3)).roc_auc() == 1


@pytest.mark.parametrize("wrong", ["ab", b"ab", bytearray(b"ab"), {1: 2}, {1, 2}, iter([1, 0])])
def test_what_is_no_column_stays_refused(wrong):
    with pytest.raises(LabelError, match="y_true must be a column of labels"):
        br.confusion_matrix(wrong, [1, 0])


def test_column_vectors_are_taken_with_the_warning_of_scikit_learn():
    columns = [np.array(values)[:, None] for values in (Y, P, S)]
    with pytest.warns(DataConversionWarning, match=r"y_true is a column vector of shape \(5, 1\)"):
        assert br.confusion_matrix(columns[0], P) == TABLE
    with pytest.warns(DataConversionWarning, match="y_pred is a column vector"):
        assert br.confusion_matrix(Y, columns[1]) == TABLE
    with pytest.warns(DataConversionWarning, match="y_score is a column vector"):
        assert br.sweep(Y, columns[2]).thresholds.tolist()[1:] == sorted(S, reverse=True)
    with pytest.warns(DataConversionWarning, match="sample_weight is a column vector"):
        assert br.confusion_matrix(Y, P, sample_weight=columns[2]).tp == pytest.approx(1.7)
    masked = np.ma.masked_array(columns[0], mask=[[False]] * 4 + [[True]])
    with pytest.warns(DataConversionWarning, match="y_true is a column vector"):
        assert br.confusion_matrix(masked, P, missing="drop").n == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in ((1, 5), (5, 2), (5, 1, 1)):
            with pytest.raises(LabelError, match="y_true must be one-dimensional"):
                br.confusion_matrix(np.ones(shape, int), P)


def test_column_vectors_of_other_array_libraries():
    xp = pytest.importorskip("array_api_strict")
    with pytest.warns(DataConversionWarning, match="column vector"):
        assert br.confusion_matrix(xp.asarray(Y)[:, None], xp.asarray(P)[:, None]) == TABLE


class Tensor:
    """A tensor of a narrow float, as torch has it."""

    __module__ = "torch_like"

    def __init__(self, values, *, floating=True):
        self.values, self.floating = np.asarray(values), floating

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        raise TypeError("Got unsupported ScalarType BFloat16")

    def is_floating_point(self):
        return self.floating

    def double(self):
        return np.asarray(self.values, dtype=float).view(Double)


class Double(np.ndarray):
    def numpy(self):
        return np.asarray(self)


def test_narrow_floats_of_tensors_are_widened_or_refused_with_the_remedy():
    assert br.sweep(Y, Tensor(S)).thresholds.tolist()[1:] == sorted(S, reverse=True)
    assert br.evaluate(Y, score=Tensor(S)).to_dict()["table"] == TABLE.to_dict()
    assert br.confusion_matrix(Y, P, sample_weight=Tensor(S)).fp == 0.6
    with pytest.raises(DataError, match="y_score must be readable by NumPy, got 'Tensor': move it"):
        br.sweep(Y, Tensor(S, floating=False))


def test_narrow_floats_of_other_packages_are_widened():
    narrow = pytest.importorskip("ml_dtypes")
    scores = np.array([0.7, 0.9, 0.1, 0.7]).astype(narrow.bfloat16)
    found = br.sweep([1, 1, 0, 0], scores)
    assert found.thresholds.tolist() == [np.inf, 0.8984375, 0.69921875, 0.10009765625]
    labels = np.array([1, 0, 0, 1]).astype(narrow.bfloat16)
    assert br.confusion_matrix([1, 1, 0, 0], labels) == br.ConfusionMatrix(tp=1, fn=1, fp=1, tn=1)
    assert br.confusion_matrix([1, 1, 0, 0], labels, sample_weight=scores).tp == 0.69921875
