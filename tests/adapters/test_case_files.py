"""Scored cases read from files and frames of every kind."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from baserate.adapters.cases import cases_of_file, cases_of_frame
from baserate.errors import DataError, MissingValueError

FRAME = pd.DataFrame(
    {
        "sick": ["yes", "no", "yes", "no", "no"],
        "risk": [0.9, 0.25, 0.5, 0.5, -3.0],
        "fold": [10, 2, 2, 10, 10],
    }
)
COLUMNS = {"target": "sick", "score": "risk", "fold": "fold", "positive": "yes"}


def rows(cases):
    folds = [cases.folds[i] for i in cases.fold]
    return sorted(zip(cases.truth.tolist(), cases.score.tolist(), folds, strict=True))


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
    cases, source = cases_of_file(written(tmp_path, kind), **COLUMNS)
    assert rows(cases) == WANTED
    assert cases.folds == (2, 10)
    assert "cases" in source


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).lazy()])
def test_frames(frame):
    cases = cases_of_frame(frame, **COLUMNS)
    assert rows(cases) == WANTED


def test_text_that_says_true_is_a_label(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("y,s\nTRUE,1\nfalse,2\ntrue,3\n")
    cases, _ = cases_of_file(path, target="y", score="s")
    assert sorted(cases.score[cases.truth].tolist()) == [1, 3]
    assert cases.fold is None


def test_missing_rows_are_refused_or_dropped(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("y,s\n1,0.5\n0,NA\n,0.25\n0,0.75\n")
    with pytest.raises(MissingValueError, match="1 in 'y', 1 in 's'"):
        cases_of_file(path, target="y", score="s")
    cases, _ = cases_of_file(path, target="y", score="s", missing="drop")
    assert cases.n_missing == 2
    assert sorted(cases.score.tolist()) == [0.5, 0.75]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_missing_fold_is_refused_or_dropped(tmp_path, kind):
    path = tmp_path / f"f.{kind}"
    frame = pl.DataFrame(
        {"y": [1, 0, 1, 0], "s": [0.5, 0.2, 0.3, 0.1], "k": ["NA", "NA", "b", None]}
    )
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    columns = {"target": "y", "score": "s", "fold": "k"}
    with pytest.raises(MissingValueError, match=rf"f.{kind} has missing values: 1 in 'k'; pass"):
        cases_of_file(path, **columns)
    cases, _ = cases_of_file(path, **columns, missing="drop")
    assert (cases.n_missing, cases.folds, cases.fold.tolist()) == (1, ("NA", "b"), [0, 0, 1])
    assert cases_of_frame(frame, **columns, missing="drop").folds == ("NA", "b")


def test_a_group_of_nan_is_missing(tmp_path):
    path = tmp_path / "g.parquet"
    frame = pl.DataFrame(
        {"y": [1, 0, 1, 0], "s": [0.5, 0.2, 0.3, 0.1], "g": [1.5, 2.0, None, np.nan]}
    )
    frame.write_parquet(path)
    columns = {"target": "y", "score": "s", "groups": ("g",)}
    for read in (
        lambda **how: cases_of_file(path, **how)[0],
        lambda **how: cases_of_frame(frame, **how),
    ):
        with pytest.raises(MissingValueError, match="missing values: 2 in 'g'"):
            read(**columns)
        cases = read(**columns, missing="drop")
        assert (cases.n_missing, cases.grouping.keys) == (2, ((1.5,), (2.0,)))


def test_columns_that_do_not_fit(tmp_path):
    path = written(tmp_path, "csv")
    with pytest.raises(DataError, match="no column 'rsik'"):
        cases_of_file(path, target="sick", score="rsik")
    with pytest.raises(DataError, match="holds text"):
        cases_of_file(path, target="fold", score="sick")
    with pytest.raises(DataError, match="pass a column of numbers"):
        cases_of_frame(FRAME, target="fold", score="sick")
    with pytest.raises(DataError, match="must be a data frame"):
        cases_of_frame(object(), target="a", score="b")


def test_many_rows_keep_truth_and_score_together(tmp_path):
    n = 300_000
    score = np.random.default_rng(0).permutation(n) / n
    path = tmp_path / "big.parquet"
    pd.DataFrame({"y": score > 0.3, "s": score}).to_parquet(path)
    cases, _ = cases_of_file(path, target="y", score="s")
    assert len(cases.truth) == n
    assert (cases.truth == (cases.score > 0.3)).all()
