"""A score is cut by one rule wherever it comes from: as exact real numbers."""

from fractions import Fraction
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import baserate as br
from baserate.adapters.engines import tally_file
from baserate.adapters.frames import tally_frame
from baserate.decisions.optimal import rules_at
from baserate.errors import InvalidArgumentError
from baserate.evaluation.compare_cuts import contest_of
from baserate.labels.joint import joint_of_arrays
from baserate.labels.scores import cut, reaches

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
    assert cut(scores, at).tolist() == flagged
    joint = joint_of_arrays(Y, {"other": [1, 0, 1, 0]}, {"s": scores}, {})
    contest = contest_of(joint, {}, points=None, threshold=at, tau=None)
    assert contest.tables["s"] == right
    swept = br.sweep(Y, scores)
    if not (isinstance(at, int) and abs(at) > BIG):
        assert swept.tables[int(rules_at(swept, at))] == right


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


@pytest.mark.parametrize("kind", [*READ, "parquet", "csv", "jsonl"])
@pytest.mark.parametrize(
    ("scores", "at"),
    [case for case in CASES if case[0].dtype.char not in "eg"],
    ids=lambda v: str(getattr(v, "dtype", v))[:20],
)
def test_frames_and_files_cut_as_arrays_do(tmp_path, kind, scores, at):
    columns, flagged = {"y": Y, "s": scores}, exactly(scores, at)
    roles = {"target": "y", "score": "s", "threshold": at}
    if kind in READ and scores.dtype == "u8" and at >= 2**63:
        with pytest.raises(InvalidArgumentError, match=r"must lie below 2\^63"):
            tally_frame(READ[kind](columns), **roles)
        return
    if kind in READ:
        tally = tally_frame(READ[kind](columns), **roles)
    else:
        tally = tally_file(written(columns, tmp_path / f"scores.{kind}"), **roles).tally
    found = dict.fromkeys([(y, p) for y in (0, 1) for p in (False, True)], 0)
    for y, p, n in zip(tally.truth, tally.prediction, tally.count, strict=True):
        found[int(y), p] += n
    assert found == {
        (y, p): sum(map(((y, p)).__eq__, zip(Y, flagged, strict=True))) for y, p in found
    }


def written(columns, path):
    rows = list(zip(columns["y"], columns["s"].tolist(), strict=True))
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".csv":
        path.write_text("y,s\n" + "".join(f"{y},{s!r}\n" for y, s in rows))
    else:
        path.write_text("".join(f'{{"y": {y}, "s": {s!r}}}\n' for y, s in rows))
    return path
