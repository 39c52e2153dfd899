"""Scored cases read from files and frames of every kind."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from adapters.arrivals import labels
from baserate.adapters.files import read_file
from baserate.adapters.frames import read_frame
from baserate.errors import DataError, MissingValueError

FRAME = pd.DataFrame(
    {
        "sick": ["yes", "no", "yes", "no", "no"],
        "risk": [0.9, 0.25, 0.5, 0.5, -3.0],
        "fold": [10, 2, 2, 10, 10],
    }
)
COLUMNS = {"target": "sick", "scores": ["risk"], "keys": {"fold": "fold"}}


def rows(cases):
    columns = cases.binary("yes").truth.tolist(), cases.scores["risk"].tolist()
    return sorted(zip(*columns, labels(cases.keys["fold"]), strict=True))


WANTED = sorted(zip(FRAME.sick == "yes", FRAME.risk, FRAME.fold, strict=True))


def written(tmp_path, kind):
    path = tmp_path / f"cases.{kind}"
    if kind == "csv":
        FRAME.to_csv(path, index=False)
    elif kind == "parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_json(path, orient="records", lines=True)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_files(tmp_path, kind):
    cases = read_file(written(tmp_path, kind), **COLUMNS)
    assert rows(cases) == WANTED
    assert cases.binary("yes").fold.keys == ((2,), (10,))
    assert "cases" in cases.source


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).lazy()])
def test_frames(frame):
    cases = read_frame(frame, **COLUMNS)
    assert rows(cases) == WANTED


def test_text_that_says_true_is_a_label(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("y,s\nTRUE,1\nfalse,2\ntrue,3\n")
    cases = read_file(path, target="y", scores=["s"]).binary()
    assert sorted(cases.scores["s"][cases.truth].tolist()) == [1, 3]
    assert cases.fold is None


def test_missing_rows_are_refused_or_dropped(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("y,s\n1,0.5\n0,NA\n,0.25\n0,0.75\n")
    with pytest.raises(MissingValueError, match="1 in 'y', 1 in 's'"):
        read_file(path, target="y", scores=["s"])
    cases = read_file(path, target="y", scores=["s"], missing="drop")
    assert cases.n_missing == 2
    assert sorted(cases.scores["s"].tolist()) == [0.5, 0.75]


@pytest.mark.slow
def test_a_truth_of_null_is_missing_and_no_negative(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"y": 1, "s": 0.5}\n{"y": null, "s": 0.4}\n{"y": 0, "s": 0.1}\n')
    cases = read_file(path, target="y", scores=["s"], missing="drop")
    assert (cases.n, cases.n_missing) == (2, 1)
    assert br.thresholds(path, target="y", score="s", missing="drop").facts.n_negative == 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_missing_fold_is_refused_or_dropped(tmp_path, kind):
    path = tmp_path / f"f.{kind}"
    frame = pl.DataFrame(
        {"y": [1, 0, 1, 0], "s": [0.5, 0.2, 0.3, 0.1], "k": ["NA", "NA", "b", None]}
    )
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    columns = {"target": "y", "scores": ["s"], "keys": {"fold": "k"}}
    with pytest.raises(MissingValueError, match=rf"f.{kind} has missing values: 1 in 'k'; pass"):
        read_file(path, **columns)
    for cases in (
        read_file(path, **columns, missing="drop"),
        read_frame(frame, **columns, missing="drop"),
    ):
        assert (cases.n_missing, sorted(labels(cases.keys["fold"]))) == (1, ["NA", "NA", "b"])
    with pytest.raises(MissingValueError, match=r"The data frame has missing values: 1 in 'k'"):
        read_frame(frame, **columns)


def test_a_group_of_nan_is_missing(tmp_path):
    path = tmp_path / "g.parquet"
    frame = pl.DataFrame(
        {"y": [1, 0, 1, 0], "s": [0.5, 0.2, 0.3, 0.1], "g": [1.5, 2.0, None, np.nan]}
    )
    frame.write_parquet(path)
    columns = {"target": "y", "scores": ["s"], "groups": ("g",)}
    for read in (partial(read_file, path), partial(read_frame, frame)):
        with pytest.raises(MissingValueError, match="missing values: 2 in 'g'"):
            read(**columns)
        cases = read(**columns, missing="drop")
        assert (cases.n_missing, cases.binary().groups) == (2, ((1.5,), (2.0,)))


def test_columns_that_do_not_fit(tmp_path):
    path = written(tmp_path, "csv")
    with pytest.raises(DataError, match="no column 'rsik'"):
        read_file(path, target="sick", scores=["rsik"])
    with pytest.raises(DataError, match="holds text"):
        read_file(path, target="fold", scores=["sick"])
    with pytest.raises(DataError, match="pass a column of numbers"):
        read_frame(FRAME, target="fold", scores=["sick"])
    with pytest.raises(DataError, match="must be a data frame"):
        read_frame(object(), target="a", scores=["b"])


def test_many_rows_keep_truth_and_score_together(tmp_path):
    n = 300_000
    score = np.random.default_rng(0).permutation(n) / n
    path = tmp_path / "big.parquet"
    pd.DataFrame({"y": score > 0.3, "s": score}).to_parquet(path)
    cases = read_file(path, target="y", scores=["s"]).binary()
    assert len(cases.truth) == n
    assert (cases.truth == (cases.scores["s"] > 0.3)).all()


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_weights_stay_beside_scores(tmp_path, kind):
    frame = pl.DataFrame({"y": [1, 0, 1], "s": [0.5, 0.2, 0.3], "w": [2.0, 0.5, 1.0]})
    path = tmp_path / f"weights.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)

    def read(column):
        roles = {"target": "y", "scores": ["s"], "weight": column}
        return read_frame(frame, **roles) if kind == "frame" else read_file(path, **roles)

    counted = read("w").binary().cut("s", 0.5).counted()
    assert counted.table == br.ConfusionMatrix(tp=2.0, fn=1.0, fp=0.0, tn=0.5)
    assert counted.effective_n == pytest.approx(3.5**2 / 5.25, rel=1e-14)
    frame = frame.with_columns(pl.col("w") * -1)
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    with pytest.raises(br.errors.InvalidArgumentError, match="must be non-negative and finite"):
        read("w")


BIG = 2**53


@pytest.mark.sweep(6, start=3)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("other", ["0.5", str(2**64), ""])
def test_whole_numbers_beyond_floats_beside_others_are_refused(tmp_path, kind, other):
    path = tmp_path / f"scores.{kind}"
    rows = list(
        zip((1, 1, 0, 0), (BIG + 1, BIG + 3, BIG, other or "null"), (1, 2, 3, 4), strict=True)
    )
    if kind == "csv":
        path.write_text("y,s,t\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    else:
        lines = (f'{{"y": {y}, "s": {s}, "t": {t}}}\n' for y, s, t in rows)
        path.write_text("".join(lines))
    with pytest.raises(
        DataError, match=r"'s' holds whole numbers beyond 2.53, which floats would me"
    ):
        read_file(path, target="y", scores=["s", "t"], missing="drop")


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_whole_numbers_that_floats_would_merge_are_kept_apart(tmp_path, kind):
    path = tmp_path / f"scores.{kind}"
    frame = pl.DataFrame({"y": [1, 1, 0, 0], "s": [BIG + 1, BIG + 3, BIG, BIG - 1]})
    writers = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    writers[kind](path)
    read = br.evaluate(path, target="y", score="s", threshold=BIG + 1, metrics="recall")
    assert read.to_dict()["table"] == {"tp": 2, "fn": 0, "fp": 0, "tn": 2}
    [cut] = br.thresholds(path, target="y", score="s", metrics="accuracy").facts.cuts
    assert (cut.threshold, cut.value) == (BIG + 1, 1.0)


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_several_classes_of_files(tmp_path, kind):
    truth, prediction, ward = [10, 2, 2, 3, 10], [10, 2, 3, 3, 2], ["n", "s", "n", "s", "s"]
    data = pd.DataFrame({"truth": truth, "prediction": prediction, "ward": ward})
    path = tmp_path / f"classes.{kind}"
    writers = {"csv": data.to_csv, "parquet": data.to_parquet}
    if kind == "jsonl":
        data.to_json(path, orient="records", lines=True)
    else:
        writers[kind](path, index=False)
    roles = {"target": "truth", "predictions": ["prediction"], "groups": ["ward"]}
    found = read_file(path, **roles).classes().counted()
    assert found.table == br.ClassTable([[1, 1, 0], [0, 1, 0], [1, 0, 1]], [2, 3, 10])
    assert found.groups[("n",)].counts.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1]]
