"""Every result prints as a sentence or a small table, never as a raw record."""

import re
from html import escape

import numpy as np
import pytest

import baserate as br

A = br.ConfusionMatrix(tp=18, fn=2, fp=5, tn=75)
B = br.ConfusionMatrix(tp=12, fn=8, fp=5, tn=75)
THREE = br.ClassTable([[8, 1, 1], [2, 9, 0], [0, 3, 6]])
RNG = np.random.default_rng(1)
Y = RNG.random(120) < 0.4
S = np.clip(0.4 + 0.25 * (Y - 0.4) + RNG.normal(0, 0.15, 120), 0.01, 0.99)
MONEY = br.UtilityMatrix([[15, -335], [-35, 165]])
GUESSED = br.models.Hypergeometric(n_positive=30, n_negative=70, n_predicted=50)

RESULTS = {
    "recall 0.90 (95% credible interval 0.716 to 0.979, Jeffreys)": lambda: br.interval(
        "recall", A
    ),
    "recall 0.90 (95% interval 0.683 to 0.988, Clopper-Pearson)": lambda: br.interval(
        "recall", A, method="exact"
    ),
    "recall is undefined: no positives (tp + fn = 0)": lambda: br.interval(
        "recall", br.ConfusionMatrix(tp=0, fn=0, fp=1, tn=1)
    ),
    "recall >= 0.8 with probability 0.87, from 18 of 20": lambda: br.probability(
        "recall", (18, 2), ">= 0.8"
    ),
    "recall > 0.5 with probability > 0.999, from 18 of 20": lambda: br.probability(
        "recall", (18, 2), "> 0.5"
    ),
    "recall > 0.9 with probability < 0.001, from 0 of 200": lambda: br.probability(
        "recall", (0, 200), "> 0.9"
    ),
    "recall 0.90, 0.60 in the reference, p = 0.045": lambda: br.match_test("recall", A, B),
    "beats chance: p < 0.001": lambda: br.beats_chance(A),
    "highest expected F1 of a guess 0.46, calling all 100 positive": lambda: br.dutch_draw(
        "f1", n_positive=30, n_negative=70
    ),
    "highest expected balanced accuracy of a guess 0.50, however many it calls positive": lambda: (
        br.dutch_draw("balanced_accuracy", n_positive=3, n_negative=7)
    ),
    "highest expected precision of a guess 0.30, calling 1 to 10 positive": lambda: br.dutch_draw(
        "precision", n_positive=3, n_negative=7
    ),
    "highest expected accuracy of a guess 0.70, calling 0 positive": lambda: br.dutch_draw(
        "accuracy", n_positive=3, n_negative=7
    ),
    "lowest expected F1 of a guess 0.000, calling 0 positive": lambda: br.dutch_draw(
        "f1", n_positive=3, n_negative=7, goal="min"
    ),
    "accuracy of guessing positive with probability 0.30: 0.58": lambda: br.random_guess(
        "accuracy", n_positive=3, n_negative=7, strategy=0.3
    ),
    "highest expected precision of a guess 0.30, calling above 0% to 100% positive": lambda: (
        br.dutch_draw(["precision"], base_rate=0.3).draws[0].best
    ),
    "skill in recall 0.90, chance 0.000": lambda: br.skill("recall", A, guess=0.0),
}
TABLES = {
    "calibration": lambda: br.calibration(Y, S),
    "bayes threshold of F1": lambda: br.bayes_threshold(
        "f1", br.populations.LDA(distance=1.5), base_rate=0.3
    ),
    "smoothed": lambda: br.smooth(A, B),
    "robustness of F1": lambda: br.is_robust("f1"),
    "admissible of F1": lambda: br.admissible("f1"),
    "utility comparison": lambda: br.compare_utilities(A, B, MONEY),
    "atoms": lambda: br.pmf("recall", GUESSED),
    "metric fact": lambda: br.evaluate(Y, S > 0.5).facts.metrics[0],
    "audit facts": lambda: br.audit(Y, S > 0.5, groups=np.arange(120) % 3).facts,
}
OTHERS = (
    lambda: br.difference("recall", A, B),
    lambda: br.difference("macro_f1", THREE, br.ClassTable([[9, 1, 0], [1, 9, 1], [0, 1, 8]])),
    lambda: br.interval("macro_f1", THREE),
    lambda: br.roc_auc(Y, S),
    lambda: br.compare_auc(Y, S, 1 - S),
    lambda: br.optimal_threshold("mcc", Y, S),
    lambda: br.random_guess("f1", n_positive=30, n_negative=70),
    lambda: br.dutch_scaler("f1", A),
    lambda: br.expect("mcc", GUESSED),
    lambda: br.sample_size("gap(recall)", group=50, reference=B),
    lambda: br.sample_size("recall >= 0.8@low", expected=0.9),
    lambda: br.groups.group_difference("recall", {"a": A, "b": B}),
    lambda: br.inference.mcnemar_test(3, 9),
)


def test_whole_numbers_are_printed_whole():
    said = str(br.count_undefined(["recall"], range(3, 151)))
    assert "3 to 150" in said
    assert "3.000" not in said


RAW = re.compile(r"\w\(\w+=|array\(|<object|\bnan\b|\bNone\b")


@pytest.mark.parametrize("said", RESULTS)
def test_what_has_one_number_is_a_sentence(said):
    assert repr(RESULTS[said]()) == str(RESULTS[said]()) == said


@pytest.mark.sweep(9, start=3)
@pytest.mark.parametrize("heading", TABLES)
def test_other_records_are_small_tables(heading):
    lines = repr(TABLES[heading]()).splitlines()
    assert lines[0] == heading
    assert all(line.startswith("  ") for line in lines[1:])
    assert 2 <= len(lines) <= 40


@pytest.mark.sweep(4)
@pytest.mark.parametrize("ask", [*RESULTS.values(), *TABLES.values(), *OTHERS])
def test_nothing_prints_as_a_raw_record(ask):
    assert not RAW.search(repr(ask()))


def test_a_batch_shows_its_first_tables():
    many = br.interval("recall", br.ConfusionMatrix(tp=np.arange(1, 31), fn=2, fp=1, tn=5))
    lines = repr(many).splitlines()
    assert lines[0] == "recall of 30 tables (95% intervals)"
    assert lines[1] == "  0.33 (0.039 to 0.823)"
    assert lines[-1] == "  and 18 more"


def test_a_cut_is_said_with_its_value():
    found = br.optimal_threshold("mcc", Y, S)
    where = f"{found.value:.2f} at a cut of {found.threshold:.3g}"
    assert repr(found).startswith(f"Matthews correlation {where}")


def test_a_table_prints_with_its_margins():
    assert str(A).splitlines() == [
        "truth     called positive  called negative  all",
        "positive               18                2   20",
        "negative                5               75   80",
        "all                    23               77  100",
    ]
    assert str(THREE).splitlines()[-1].split() == ["all", "10", "13", "7", "30"]
    many = br.ConfusionMatrix(tp=[1, 2], fn=2, fp=1, tn=5)
    assert str(many) == repr(many)


def test_notebooks_show_html():
    page = br.ClassTable([[8, 1], [2, 9]], ["<b>", "c"])._repr_html_()
    assert "<th>called &lt;b&gt;</th>" in page
    assert "<td>&lt;b&gt;</td><td>8</td><td>1</td><td>9</td>" in page
    assert br.interval("recall", A)._repr_html_() == f"<p>{br.interval('recall', A)}</p>"
    assert "<td>slope</td>" in br.calibration(Y, S)._repr_html_()
    many = br.ConfusionMatrix(tp=[1, 2], fn=2, fp=1, tn=5)
    assert many._repr_html_() == f"<pre>{escape(repr(many))}</pre>"
    assert "&lt;" not in br.probability("recall", A, ">= 0.8")._repr_html_()


def test_results_are_told_apart_by_value_and_not_by_words():
    assert br.interval("recall", A) == br.interval("recall", A)
    assert br.interval("recall", A) != br.interval("recall", A, confidence_level=0.9501)
