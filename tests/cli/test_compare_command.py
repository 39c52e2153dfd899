"""`baserate compare`: the story of two classifiers, from counts and from cases, and bad input."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
STORY = EXAMPLES / "story.toml"
COUNTS = EXAMPLES / "story_counts.csv"
# Of each class and pair of decisions so many cases: the margins are those of the story, and
# (2, 18, 7, 4) cases are right by A only and by B only, in class 0 and in class 1.
JOINT = {
    (0, 0, 0): 25, (0, 0, 1): 2, (0, 1, 0): 18, (0, 1, 1): 5,
    (1, 1, 1): 28, (1, 1, 0): 7, (1, 0, 1): 4, (1, 0, 0): 11,
}  # fmt: skip


@pytest.fixture
def cases(tmp_path):
    lines = [f"{t},{a},{b}" for (t, a, b), times in JOINT.items() for _ in range(times)]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["truth,A,B", *lines]) + "\n")
    return path


def of_cases(path, *more):
    return ("compare", path, "--target", "truth", "--prediction", "A", "--prediction", "B", *more)


@pytest.mark.slow
def test_the_numbers_of_the_story(run):
    code, out, _ = run("compare", COUNTS, "--counts", "--utility", STORY, "--format", "json")
    assert code == 0
    facts = json.loads(out)
    assert facts["schema"] == 1
    a, b = facts["classifiers"]
    assert [(c["name"], c["value"], c["rank"]) for c in (a, b)] == [("A", 3.5, 1), ("B", -3.5, 2)]
    assert facts["constants"] == {"use as 0": -160.0, "use as 1": 65.0}
    assert (facts["constant"], facts["perfect"]) == ("use as 1", 90.0)
    # With half a case in each cell, by nested Gauss and adaptive rules of scipy: 0.61714.
    assert facts["pairs"][0]["a_better"] == pytest.approx(0.61714, abs=5e-5)
    assert (a["best"], b["best"]) == pytest.approx((0.61714, 0.38286), abs=5e-5)
    assert facts["pairs"][0]["tau_star"] == 16 / 19
    assert facts["pairs"][0]["discordant"] is None
    assert facts["stakes"]["matrix"] == [[15, -335], [-35, 165]]
    assert [span["best"] for span in facts["by_base_rate"]] == [
        ["always use as 1"],
        ["B"],
        ["always use as 0"],
    ]
    assert [m["name"] for m in facts["rankings"] if not m["wrong"]] == ["specificity"]
    assert (facts["paired"], facts["n"], facts["positive"]) == (False, 200, "0")


@pytest.mark.slow
def test_the_same_cases_are_compared_case_by_case(run, cases):
    facts = json.loads(run(*of_cases(cases, "--utility", STORY, "--format", "json"))[1])
    [pair] = facts["pairs"]
    assert pair["discordant"] == [2, 18, 7, 4]
    # Twenty million gamma draws of (2, 18, 7, 4) + 1/2.
    assert pair["a_better"] == pytest.approx(0.6562, abs=5e-4)
    assert pair["low"] < pair["difference"] == 7.0 < pair["high"]
    # McNemar: 9 of 31, 2 of 20 and 4 of 11, twice the binomial tail less the mass of the last.
    p = (pair["p_accuracy"], pair["p_recall"], pair["p_specificity"])
    assert p == pytest.approx((0.020061, 0.000221, 0.387695), abs=1e-6)
    assert facts["classifiers"][0]["table"] == {"tp": 27, "fn": 23, "fp": 15, "tn": 35}
    assert (facts["positive"], facts["labels"]) == (0, [0, 1])


def scored(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [(1, 0.9, 3), (1, 0.6, 9), (1, 0.3, 5), (0, 0.7, 1), (0, 0.2, 4), (0, 0.1, 2)]
    path.write_text("y,p,s\n" + "".join(f"{y},{p},{s}\n" for y, p, s in rows))
    return path


def test_scores_are_cut_where_metrics_are_best_and_at_tau(run, tmp_path):
    path = scored(tmp_path)
    words = ("compare", path, "--target", "y", "--score", "p", "--score", "s", "--points",
             "mcc,robust_mcc(d=0.1)", "--cost", "fp=1,fn=3", "--format", "json")  # fmt: skip
    facts = json.loads(run(*words)[1])
    cuts = {c["name"]: (c["score"], c["cut"], c["cut_by"]) for c in facts["classifiers"]}
    assert cuts == {
        "p @ mcc, robust_mcc(d=0.1), tau": ("p", 0.3, "mcc"),  # nothing lies in [0.25, 0.3)
        "s @ mcc, robust_mcc(d=0.1)": ("s", 5.0, "mcc"),
    }
    assert facts["classifiers"][0]["cut_also"] == ["robust_mcc(d=0.1)", "tau"]
    assert [score["name"] for score in facts["scores"]] == ["p", "s"]
    # Pairs in order: p has 7 of 9, s 8 of 9.
    assert [score["auc"] for score in facts["scores"]] == pytest.approx([7 / 9, 8 / 9])
    assert facts["curves"][0]["relation"] == "b"


def test_counts_of_one_classifier_or_of_different_class_shares(run, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("name,tp,fn,fp,tn\nA,27,23,15,35\n")
    assert "there is one only (A)" in run("compare", path, "--counts")[2]
    path.write_text("tp,fn,fp,tn\n27,23,15,35\n43,7,18,32\n")
    assert "there is none with a name" in run("compare", path, "--counts")[2]
    path.write_text("name,tp,fn,fp,tn\nA,27,23,15,35\nB,8,2,18,72\n")
    code, _, err = run("compare", path, "--counts")
    assert code == 2
    assert "--base-rate must be stated for classifiers tested on different class shares" in err
    facts = json.loads(run("compare", path, "--counts", "--base-rate", 0.25, "--format", "json")[1])
    assert (facts["base_rate"], facts["restated"]) == (0.25, True)
    # Accuracy at a quarter positives: rates (.54, .70) and (.8, .8).
    values = [c["value"] for c in facts["classifiers"]]
    assert values == pytest.approx([0.25 * 0.54 + 0.75 * 0.7, 0.8])
    accuracy = [c["metrics"][0]["value"] for c in facts["classifiers"]]
    assert accuracy == pytest.approx(values)
