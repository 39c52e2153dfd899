"""The command as a user runs it: right counts, one clear line for bad input, nothing half done."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from baserate.metrics import CATALOGUE

AFFAIRS = Path(__file__).parents[2] / "examples" / "affairs.csv"
ODD = ("true label; really", 'the "prediction"', "group <b>, one")


def write_csv(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


@pytest.fixture
def odd(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.choice(["ja", "nein, nie"], size=400, p=[0.3, 0.7])
    predicted = np.where(rng.random(400) < 0.8, truth, rng.choice(["ja", "nein, nie"], size=400))
    group = rng.choice(['<b>bold</b>, "x"', "a|b", "Zoë"], size=400)
    path = tmp_path / "odd names.csv"
    write_csv(path, ODD, zip(truth, predicted, group, strict=True))
    return path, truth, predicted, group


def arguments(path, *more):
    return ["evaluate", path, "--target", ODD[0], "--prediction", ODD[1], *more]


def test_odd_names_and_labels_give_scikit_learns_values(run, odd):
    path, truth, predicted, group = odd
    code, out, _ = run(*arguments(path, "--positive", "ja", "--group", ODD[2], "--format", "json"))
    assert code == 0
    report = json.loads(out)
    tn, fp, fn, tp = sk.confusion_matrix(truth == "ja", predicted == "ja").ravel().tolist()
    assert report["table"] == {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    assert (report["positive"], report["n"], report["missing"]) == ("ja", 400, 0)
    groups = {g["group"][ODD[2]]: g for g in report["groups"]}
    assert set(groups) == set(group.tolist())
    for name, part in groups.items():
        inside = group == name
        recall = next(m for m in part["metrics"] if m["name"] == "recall")
        known = sk.recall_score(truth[inside], predicted[inside], pos_label="ja")
        assert recall["value"] == pytest.approx(known, abs=1e-12)


def small(tmp_path, rows, header=("y", "p", "s"), name="data.csv"):
    return write_csv(tmp_path / name, header, rows)


@pytest.mark.parametrize("name", ["cut.parquet", "folder"])
def test_half_a_file_and_a_folder_are_one_clear_line(run, tmp_path, name):
    (tmp_path / "folder").mkdir()
    pd.DataFrame({"y": [1, 0] * 500, "p": [1, 1] * 500}).to_parquet(tmp_path / "cut.parquet")
    whole = (tmp_path / "cut.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    code, out, err = run("evaluate", tmp_path / name, "--target", "y", "--prediction", "p")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err


def test_one_class_and_three_classes_with_positive(run, tmp_path):
    path = small(tmp_path, [(1, 1, 0.9), (1, 0, 0.3)])
    few = ["--metrics", "recall,specificity"]
    options = ["--target", "y", "--prediction", "p", *few]
    code, out, _ = run("evaluate", path, *options, "--positive", "1")
    assert code == 0
    assert "no negatives" in out
    rows = [("a", "a", 1), ("b", "c", 1), ("c", "a", 1), ("a", "b", 1)]
    path = small(tmp_path, rows, name="three.csv")
    options = ["--target", "y", "--prediction", "p", "--positive", "a", *few]
    code, out, _ = run("evaluate", path, *options, "--format", "json")
    report = json.loads(out)
    assert (code, report["table"]) == (0, {"tp": 1, "fn": 1, "fp": 1, "tn": 1})
    assert report["labels"] == ["a", "b", "c"]
    assert "rest" in run("evaluate", path, *options)[1]


def test_counts_file(run, tmp_path):
    path = small(
        tmp_path, [("Black", 273, 170, 1043, 1692), ("White", 77, 129, 380, 1679)],
        header=("race", "TP", "FN", "FP", "TN"),
    )  # fmt: skip
    code, out, _ = run("evaluate", path, "--counts", "--format", "json", "--metrics", "recall")
    report = json.loads(out)
    assert code == 0
    assert report["table"] == {"tp": 350, "fn": 299, "fp": 1423, "tn": 3371}
    assert [g["group"] for g in report["groups"]] == [{"race": "Black"}, {"race": "White"}]
    assert report["groups"][1]["metrics"][0]["value"] == pytest.approx(77 / 206)
    code, _, err = run("evaluate", path, "--counts", "--target", "race")
    assert (code, "--counts" in err) == (2, True)


def test_details_list_every_scalar_metric_of_the_catalogue(run):
    options = ["--target", "affair", "--prediction", "predicted", "--positive", "yes"]
    report = json.loads(run("evaluate", AFFAIRS, *options, "--details", "--format", "json")[1])
    assert [m["name"] for m in report["metrics"]] == [m.name for m in CATALOGUE]


@pytest.mark.slow
def test_groups_have_what_their_table_shows_and_what_is_asked_of_them(run):
    options = ["--target", "affair", "--prediction", "predicted", "--positive", "yes"]
    options += ["--group", "occupation", "--format", "json"]

    def of_groups(*words):
        [names] = {
            tuple(m["name"] for m in group["metrics"])
            for group in json.loads(run("evaluate", AFFAIRS, *options, *words)[1])["groups"]
        }
        return names

    rates = ("accuracy", "recall", "precision", "f1")
    assert of_groups() == rates
    assert of_groups("--metrics", "recall,lift") == ("recall", "lift")
    assert of_groups("--metrics", "headline,lift") == (*rates, "lift")
    assert of_groups("--fail-under", "specificity=0.5@groups") == (
        "accuracy", "recall", "specificity", "precision", "f1"
    )  # fmt: skip


def test_metrics_command(run):
    code, out, _ = run("metrics", "--format", "json")
    listed = json.loads(out)
    assert code == 0
    names = [m["name"] for m in (listed["metrics"] if isinstance(listed, dict) else listed)]
    assert [n for n in names if "(" not in n][: len(CATALOGUE)] == [m.name for m in CATALOGUE]
    assert "matthews_correlation" in run("metrics")[1]


def test_version_and_help(run):
    assert run("--version")[1].strip()[0].isdigit()
    code, out, _ = run("evaluate", "--help")
    assert code == 0
    assert "--fail-under" in out
    assert "join cells of fewer cases" in " ".join(run("count", "--help")[1].split())


@pytest.mark.slow
def test_counts_on_standard_input_are_called_so(run, monkeypatch):
    counts = b"name,tp,fn,fp,tn\na,8,2,3,7\nb,5,5,0,11\n"
    for command in ("evaluate", "compare", "audit"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(counts)))
        extra = ("--base-rate", 0.5) if command == "compare" else ()
        out = run(command, "-", "--counts", "--format", "json", *extra)[1]
        assert json.loads(out)["source"] == "standard input"
