"""The first lines of a comparison of several classes: what was asked for, and no unnamed stakes."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

import baserate as br
from baserate.report.compare_lead import Lead, _said
from tests.golden.texts import opening

RNG = np.random.default_rng(3)
TRUTH = RNG.choice(["x", "y", "z"], 150)
DECIDED = {
    name: np.where(RNG.random(150) < share, TRUTH, RNG.choice(["x", "y", "z"], 150))
    for name, share in {"A": 0.7, "B": 0.6, "C": 0.3}.items()
}
TWO = {name: DECIDED[name] for name in "AB"}


def test_accuracy_or_what_was_asked_for_its_difference_and_its_test_come_first(on_record):
    """And nothing is called worth using where nobody named utilities."""
    utility = [[1, -1, -10], [0, 1, -10], [-1, 0, 1]]
    answers = {
        "accuracy": br.compare(TRUTH, TWO),
        "a metric of every class by its mean": br.compare(TRUTH, TWO, metrics="recall"),
        "an average of three": br.compare(TRUTH, DECIDED, metrics="macro_f1"),
        "utilities are stakes": br.compare(TRUTH, DECIDED, utility=utility),
    }
    on_record({how: opening(found) for how, found in answers.items()})
    values = [f1_score(TRUTH, DECIDED[name], average="macro") for name in "AB"]
    found = br.compare(TRUTH, TWO, metrics="f1")
    assert found.facts.asked == ("macro_f1",)
    assert str(found).startswith(f"Macro F1: A {values[0]:.3f} (95% interval ")
    assert f"(a difference of {values[0] - values[1]:.3f}, " in str(found).replace("\n", " ")


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


@pytest.mark.slow
def test_many_classifiers_on_the_same_cases_have_chances():
    """Joint decisions of 20 classifiers would have been too many to draw."""
    rng = np.random.default_rng(7)
    decided = {
        f"m{k}": np.where(rng.random(150) < 0.6, TRUTH, rng.choice(["x", "y", "z"], 150))
        for k in range(12)
    }
    found = br.compare(TRUTH, decided, metrics="accuracy")
    best = [one.best for one in found.facts.classifiers]
    assert sum(best) == pytest.approx(1)
    assert max(best) < 0.5
    assert "66 tests, adjusted by Holm" in opening(found) or "of 66 pairs" in opening(found)


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
