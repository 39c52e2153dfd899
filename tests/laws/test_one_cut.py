"""A score is cut by one rule wherever it comes from: as exact real numbers."""

import json
from fractions import Fraction
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.adapters.files import read_file
from baserate.adapters.frames import read_frame
from baserate.cases.arrays import read_arrays
from baserate.cases.scores import reaches
from baserate.errors import DataError, InvalidArgumentError
from baserate.evaluation.contest import contest_of
from quick import one_in

Y = [1, 1, 0, 0]
BIG = 2**53

CASES = [
    *((np.array([0.7, 0.9, 0.1, 0.7], dtype=kind), 0.7) for kind in ("f2", "f4", "f8", "g")),
    *((np.array([BIG + 1, BIG + 3, BIG, BIG + 1], "i8"), at) for at in (BIG + 1, float(BIG + 2))),
    (np.array([BIG + 1, BIG + 3, BIG, BIG + 1], "u8"), BIG + 2),
    (np.array([2**63, 2**64 - 1, 0, 2**63 - 1], "u8"), 2**63),
    (np.array([2**63, 2**64 - 1, 0, 2**63 - 1], "u8"), 2**64),
    (np.array([-(2**63), 5, 0, 2**63 - 1], "i8"), -(2**63) - 1),
    (np.array([1, 3, 200, 0], "u1"), -3),
    (np.array([1, 3, 100, 0], "i1"), 300),
    (np.array([1, 3, 100, 0], "i1"), 2.5),
    (np.array([float(BIG), BIG + 2.0, 0.0, BIG]), BIG + 1),
    (np.array([1e300, 2e300, 0.0, 1.0]), 10**300),
    (np.array([-1e300, 2e300, 0.0, 1.0]), -(10**400)),
]


def exactly(scores, at):
    """Whether each score reaches the threshold, as fractions."""
    return [Fraction(*score.as_integer_ratio()) >= Fraction(at) for score in map(plain, scores)]


def plain(score):
    return score.item() if score.dtype.kind in "iu" else score


@pytest.mark.parametrize(("scores", "at"), CASES, ids=lambda v: str(getattr(v, "dtype", v))[:20])
def test_every_array_is_cut_as_exact_numbers(scores, at):
    flagged = exactly(scores, at)
    right = br.confusion_matrix(Y, flagged)
    joint = read_arrays(Y, {"other": [1, 0, 1, 0]}, scores={"s": scores}).binary()
    assert joint.cut("s", at).decisions["s"].tolist() == flagged
    contest = contest_of(joint, {}, points=None, threshold=at, tau=None)
    assert contest.tables["s"] == right
    swept = br.sweep(Y, scores)
    if not (isinstance(at, int) and abs(at) > BIG):
        assert swept.tables[int(swept.rules_at(at))] == right


@pytest.mark.parametrize("at", [0.7, 0.5, inf, -inf, np.nan])
def test_thresholds_without_bound(at):
    for kind in ("f2", "f4", "f8", "i4"):
        scores = np.array([0, 1, 2], dtype=kind)
        assert reaches(scores, at).tolist() == [at <= score for score in (0.0, 1.0, 2.0)]


READ = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}


@pytest.mark.sweep(18, start=15)
@pytest.mark.parametrize("kind", [*READ, "parquet", "csv", "jsonl"])
@pytest.mark.parametrize(
    ("scores", "at"),
    one_in(3, [case for case in CASES if case[0].dtype.char not in "eg"]),
    ids=lambda v: str(getattr(v, "dtype", v))[:20],
)
def test_frames_and_files_cut_as_arrays_do(tmp_path, kind, scores, at):
    columns, flagged = {"y": Y, "s": scores}, exactly(scores, at)
    roles = {"target": "y", "scores": ["s"], "threshold": at}
    data = READ[kind](columns) if kind in READ else written(columns, tmp_path / f"scores.{kind}")
    read = read_frame if kind in READ else read_file
    right = br.confusion_matrix(Y, flagged)
    assert read(data, **roles).binary().cut("s", at).table("s") == right
    if kind in READ and scores.dtype == "u8" and at >= 2**63:
        with pytest.raises(InvalidArgumentError, match=r"must lie below 2\^63"):
            read(data, **roles, hold=0)
        return
    for hold in (0, 3):
        assert read(data, **roles, hold=hold).binary().table("s") == right


def written(columns, path):
    rows = list(zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True))
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".csv":
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in (columns, *rows)))
    else:
        records = (dict(zip(columns, row, strict=True)) for row in rows)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", [*READ, "parquet", "csv", "jsonl"])
@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_several_scores_never_merge_whole_numbers(tmp_path, kind, dtype):
    top = BIG if dtype == "i8" else 2**63
    whole = np.array([top + 1, top + 3, top, top + 1], dtype)
    columns = {"y": Y, "s": whole, "t": [1, 2, 3, 4]}
    data = READ[kind](columns) if kind in READ else written(columns, tmp_path / f"scores.{kind}")
    cases = (read_frame if kind in READ else read_file)(data, target="y", scores=["s", "t"])
    found = zip(cases.scores["t"].tolist(), cases.scores["s"].tolist(), strict=True)
    assert [score for _, score in sorted(found)] == whole.tolist()


@pytest.mark.parametrize("kind", READ)
def test_whole_numbers_beyond_floats_with_gaps_are_refused(kind):
    gap = pd.array([BIG + 1, None, 3, 4], dtype="Int64") if kind == "pandas" else None
    frame = READ[kind]({"y": Y, "s": [BIG + 1, None, 3, 4] if gap is None else gap, "t": Y})
    with pytest.raises(DataError, match="'s' holds whole numbers beyond"):
        read_frame(frame, target="y", scores=["s", "t"], missing="drop")
