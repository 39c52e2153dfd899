"""No case is counted twice, and no group stands in two rows because files store it in two ways."""

import datetime as dt
import json
import os

import pandas as pd
import pytest

import baserate as br
from baserate.errors import DataError

HOW = {"score": ["--score", "s"], "prediction": ["--prediction", "p"]}


@pytest.fixture
def sites(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = pd.DataFrame({"y": [1, 0] * 6, "s": [0.1, 0.7, 0.9] * 4, "p": [1, 0, 0] * 4})
    cases["sex"] = [0, 1, 1, 0] * 3
    cases.to_csv("a.csv", index=False)
    cases[1:][::-1].to_parquet("b.parquet")
    cases[1:].to_csv("c.csv", index=False)


def refused(result, *words):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in words), err


def count(run, name, how, suffix):
    stem = name.split(".")[0]
    words = ["--target", "y", *HOW[how], "--group", "sex", "--output", f"{stem}.{suffix}"]
    assert run("count", name, *words)[0] == 0


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(("how", "suffix"), [("score", "json"), ("prediction", "json")])
def test_text_of_one_site_and_numbers_of_another_are_one_group(run, sites, how, suffix):
    for name in ("a.csv", "b.parquet"):
        count(run, name, how, suffix)
    found = []
    for names in (["a", "b"], ["b", "a"]):
        words = [f"{name}.{suffix}" for name in names]
        assert run("merge", *words, "--output", f"both.{suffix}")[0] == 0
        with open("both.json") as file:
            found.append(json.load(file))
    rows = found[0]["groups"] if how == "score" else [[row["sex"]] for row in found[0]]
    assert (rows, found[0] == found[1]) == ([[0], [1]], True)
    both = ["a.csv", "b.parquet"]
    words = ["--target", "y", *HOW[how], "--group", "sex", "--output", "at_once.json"]
    assert run("count", *both, *words)[0] == 0
    with open("at_once.json") as file:
        assert json.load(file) == found[0]


@pytest.mark.parametrize(
    ("texts", "others"),
    [(["0", "?"], [0, 1]), (["1", "01"], [1, 2]), (["2024-01-02", "x"], [dt.date(2024, 1, 2)])],
)
def test_what_would_look_alike_in_two_rows_is_refused(texts, others):
    one, two = (
        br.ScoreHistogram().add([0, 1] * 8, [0.2, 0.4] * 8, groups=pd.Series((k * 16)[:16]))
        for k in (texts, others)
    )
    for pair in ((one, two), (two, one)):
        with pytest.raises(DataError, match="'group' must hold labels of one type, got the text"):
            _ = pair[0] + pair[1]


def test_text_beside_other_numbers_stays():
    one = br.ScoreHistogram().add([0, 1], [0.2, 0.4], groups=["?", "01"])
    two = br.ScoreHistogram().add([0, 1], [0.2, 0.4], groups=[7, 8])
    assert (one + two).groups == ((7,), (8,), ("01",), ("?",))


@pytest.mark.parametrize(("how", "suffix"), [("score", "arrow"), ("prediction", "csv")])
def test_counts_are_added_up_once(run, sites, tmp_path, how, suffix):
    for name in ("a.csv", "c.csv"):
        count(run, name, how, "json")
    count(run, "b.parquet", how, suffix)  # the cases of c, in another order and format
    os.link("a.json", "linked.json")
    same = "is the same file as a.json, whose cases would count twice: name it once."
    for other in ("a.json", "linked.json"):
        refused(run("merge", "a.json", other, "--output", "x.json"), same)
    alike = "so that its cases would count twice: leave one of them out, or pass --twice if"
    refused(run("merge", "c.json", f"b.{suffix}", "--output", "x.json"), alike)
    assert not (tmp_path / "x.json").exists()
    assert run("merge", "c.json", f"b.{suffix}", "--twice", "--output", "x.json")[0] == 0
    assert run("merge", "a.json", "c.json", "--output", "x.json")[0] == 0


def test_cases_are_counted_once(run, sites, tmp_path):
    words = ["--target", "y", "--score", "s", "--output", "x.json"]
    refused(run("count", "a.csv", "a.csv", *words), "a.csv is the same file as a.csv")
    refused(run("count", "a.csv", "*.csv", *words), "a.csv is the same file as a.csv")
    (tmp_path / "d.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    refused(run("count", "a.csv", "d.csv", *words), "d.csv holds the same as a.csv, so that")
    assert run("count", "a.csv", "d.csv", "--twice", *words)[0] == 0
    assert br.ScoreHistogram.load("x.json").n == 24
