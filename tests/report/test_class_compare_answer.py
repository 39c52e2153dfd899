"""The first lines of a comparison of several classes: what was asked for, and no unnamed stakes."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, recall_score

import baserate as br
from baserate.report.compare_lead import Lead, _said

RNG = np.random.default_rng(3)
TRUTH = RNG.choice(["x", "y", "z"], 150)
DECIDED = {
    name: np.where(RNG.random(150) < share, TRUTH, RNG.choice(["x", "y", "z"], 150))
    for name, share in {"A": 0.7, "B": 0.6, "C": 0.3}.items()
}
TWO = {name: DECIDED[name] for name in "AB"}


def lines(decided, **asked):
    found = br.compare(TRUTH, decided, **asked)
    return " ".join(found.render().split("\n\n")[0].split()), found.facts


def test_accuracy_its_difference_and_its_test_come_first():
    said, facts = lines(TWO)
    [pair] = facts.pairs
    assert said.startswith("Accuracy: A 0.787 (95% interval 0.716 to 0.846), B 0.773 (0.702 to")
    evidence = f"(a difference of {pair.difference:.3f}, {pair.low:.3f} to {pair.high:.3f}, p = "
    assert f"Which is better cannot be told {evidence}{pair.p_value:.2g}, P(A better) = " in said
    assert "worth using" not in said  # nobody named utilities


def test_a_guess_that_is_right_more_often_makes_nothing_worthless():
    """Four in five cases are of one class: a useful classifier may be right less often."""
    truth = np.array(["x"] * 160 + ["y"] * 20 + ["z"] * 20)
    rng = np.random.default_rng(1)
    decided = {
        name: np.where(rng.random(200) < 0.7, truth, rng.choice(["y", "z"], 200)) for name in "AB"
    }
    found = br.compare(truth, decided)
    assert found.facts.stakes.constant_value > max(c.value for c in found.facts.classifiers)
    assert "worth using" not in found.render()
    assert " worse" not in found.render().split("\n\n")[0]


@pytest.mark.parametrize("name", ["f1", "recall"])
def test_a_metric_of_every_class_leads_with_its_mean(name):
    said, facts = lines(TWO, metrics=name)
    assert facts.asked == (f"macro_{name}",)
    score = {"f1": f1_score, "recall": recall_score}[name]
    first, second = (score(TRUTH, DECIDED[which], average="macro") for which in "AB")
    shown = {"f1": "F1", "recall": "recall"}[name]
    assert said.startswith(f"Macro {shown}: A {first:.3f} (95% interval ")
    assert f"(a difference of {first - second:.3f}, " in said
    assert "Accuracy:" not in said


@pytest.mark.slow
def test_what_was_asked_for_comes_first():
    said, facts = lines(DECIDED, metrics="macro_f1")
    assert facts.asked == ("macro_f1",)
    assert said.startswith("Macro F1: A 0.787 (95% interval")
    assert "Which of A and B is better cannot be told (a difference of 0.01" in said
    assert "Accuracy" not in said


def test_utilities_are_stakes():
    said, facts = lines(DECIDED, utility=[[1, -1, -10], [0, 1, -10], [-1, 0, 1]])
    assert said.startswith("Yield per case: A ")
    chances = {one.name: one.beats_constant for one in facts.classifiers}
    assert 0.025 < chances["B"] < chances["A"] < 0.975
    assert chances["C"] < 0.025
    assert "whether A (P = 0.71) and B (P = 0.35) do better cannot be told; C (P" in said
    assert "P(A is the best) = " in said
    assert "allowing for the choice among 3." in said


@pytest.mark.slow
def test_many_classifiers_on_the_same_cases_have_chances():
    """Joint decisions of 20 classifiers would have been too many to draw."""
    rng = np.random.default_rng(7)
    decided = {
        f"m{k}": np.where(rng.random(150) < 0.6, TRUTH, rng.choice(["x", "y", "z"], 150))
        for k in range(12)
    }
    said, facts = lines(decided, metrics="accuracy")
    best = [one.best for one in facts.classifiers]
    assert sum(best) == pytest.approx(1)
    assert max(best) < 0.5
    assert "66 tests, adjusted by Holm" in said or "of 66 pairs" in said


def test_a_metric_by_which_both_are_as_good_ranks_nobody():
    """Recalls 1/2, 1 and 1 against 1, 1/2 and 1; accuracies 7/8 and 6/8."""
    decided = {"A": list("cabbbbcc"), "B": list("aabbcccc")}
    found = br.compare(list("aabbbbcc"), decided)
    [pair] = found.facts.pairs
    assert {m.name: m.difference for m in pair.metrics}["balanced_accuracy"] == 0
    assert "alanced accuracy rank" not in found.render()


def test_of_several_pairs_the_adjusted_test_alone_counts():
    torn = Lead(value=0.1, low=0.01, high=0.2, p=0.2)
    assert _said(torn, 1) == {True, False}
    assert _said(torn, 2) == {False}
