"""`baserate compare`: the story of two classifiers, from counts and from cases, and bad input."""

import json
import re
from html.parser import HTMLParser
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


def one_line(text):
    return " ".join(text.split())


@pytest.mark.slow
def test_the_story_from_published_counts(run):
    code, out, err = run("compare", COUNTS, "--counts", "--utility", STORY, "--details")
    assert (code, err) == (0, "")
    text = one_line(out)
    assert text.startswith(
        "Yield per case: A 3.500 (95% interval -30.63 to 32.65), B -3.500 (-38.91 to 27.02). "
        "Which is better cannot be told (a difference of 7.000, "
    )
    assert "P(A better) = 0.62). Always choosing" in text
    assert '"use as 1" earns 65: A (P > 0.999) and B (P > 0.999) do worse.' in text
    assert (
        "Accuracy, balanced accuracy, precision, recall, F1, Matthews correlation and Cohen's "
        "kappa rank B before A here; yield does not."
    ) in text
    # tau* = 16/19 (Dyrland et al., section 2), the story's tau = 10/11.
    assert "0.842" in text
    assert "here tau is 0.909" in text


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


@pytest.mark.slow
def test_another_positive_label_turns_the_utilities_round(run, cases):
    found = json.loads(
        run(*of_cases(cases, "--utility", STORY, "--positive", "1", "--format", "json"))[1]
    )
    assert found["positive"] == 1
    assert found["stakes"]["matrix"] == [[165, -35], [-335, 15]]
    assert found["stakes"]["tau"] == pytest.approx(1 / 11)
    assert [c["value"] for c in found["classifiers"]] == [3.5, -3.5]
    assert found["pairs"][0]["a_better"] == pytest.approx(0.6562, abs=5e-4)
    assert found["constant"] == "use as 1"


@pytest.mark.slow
def test_costs_and_base_rates(run, cases):
    words = of_cases(cases, "--cost", "fp=1,fn=20", "--base-rate", "0.5,0.2,0.02", "--positive", 0)
    facts = json.loads(run(*words, "--format", "json")[1])
    assert facts["stakes"]["tau"] == pytest.approx(1 / 21)
    restated = {place["base_rate"]: place for place in facts["base_rates"]}
    assert list(restated) == [0.5, 0.2, 0.02]
    # pi 20 (1 - recall) + (1 - pi) (1 - specificity), with rates .86 and .64.
    assert restated[0.2]["yields"]["B"] == pytest.approx(-(0.2 * 20 * 0.14 + 0.8 * 0.36))
    assert restated[0.02]["yields"]["A"] == pytest.approx(-(0.02 * 20 * 0.46 + 0.98 * 0.3))
    assert restated[0.02]["constant"] == "1"
    assert restated[0.02]["constant_value"] == pytest.approx(-0.4)


@pytest.mark.slow
def test_nothing_at_stake_is_said(run, cases):
    out = one_line(run(*of_cases(cases))[1])
    assert out.startswith("Accuracy: B 0.750 (95% interval 0.659 to 0.827), A 0.620 (0.523 to")
    # McNemar's mid-p of 22 against 9; P(accuracy of B higher): Beta(22.5, 9.5) beyond 1/2, 0.9910.
    assert "B is better than A (a difference of 0.130" in out
    assert "p = 0.020, P(B better) = 0.991)." in out
    assert "Worth using depends on costs: name yours" in out
    assert "not worth using" not in out


class Page(HTMLParser):
    """Collect what a page would fetch, and its headings."""

    def __init__(self):
        super().__init__()
        self.links, self.titles, self.inside = [], [], None

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in {"src", "href"}]
        self.inside = tag

    def handle_data(self, data):
        if self.inside == "h2":
            self.titles.append(data.strip())

    def handle_endtag(self, tag):
        self.inside = None


@pytest.mark.slow
def test_the_page_is_complete_and_fetches_nothing(run, cases, tmp_path):
    path = tmp_path / "story.html"
    code, out, _ = run(*of_cases(cases, "--utility", STORY, "--output", path))
    assert (code, out) == (0, "")
    text = path.read_text()
    page = Page()
    page.feed(text)
    assert not [link for link in page.links if not link.startswith(("#", "data:"))]
    assert not re.search(r"url\((?!#|data:)|@import", text)
    assert page.titles[:4] == [
        "Classifiers",
        "Metrics",
        "Differences of metrics",
        "Pairs",
    ]
    assert " do worse." in text
    assert "nan" not in text.lower().split("</style>")[-1]


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


@pytest.mark.slow
def test_scores_are_cut_at_a_threshold_without_points(run, tmp_path):
    path = scored(tmp_path)
    words = ("compare", path, "--target", "y", "--format", "json")
    only = json.loads(run(*words, "--score", "p", "--cost", "fp=1,fn=3")[1])
    assert [c["name"] for c in only["classifiers"]] == ["p @ 0.5", "p @ tau"]


def test_groups_have_their_own_best(run, tmp_path):
    path = tmp_path / "groups.csv"
    rows = [("1,1,0,f", 20), ("0,0,0,f", 20), ("1,0,1,m", 10), ("0,0,0,m", 10), ("0,1,1,m", 1)]
    path.write_text("y,A,B,sex\n" + "".join(f"{row}\n" * times for row, times in rows))
    words = ("compare", path, "--target", "y", "--prediction", "A", "B", "--group", "sex")
    facts = json.loads(run(*words, "--format", "json")[1])
    best = {place["group"]["sex"]: place for place in facts["groups"]}
    assert best["f"]["yields"] == {"A": 1.0, "B": 0.5}
    assert best["m"]["yields"] == pytest.approx({"A": 10 / 21, "B": 20 / 21})
    assert best["f"]["best"]["A"] > 0.99
    assert best["m"]["best"]["B"] > 0.99


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


def test_help_names_every_option(run):
    code, out, _ = run("compare", "--help")
    assert code == 0
    for option in ("--utility", "--cost", "--points", "--base-rate", "--counts", "--seed"):
        assert option in out
