"""What leads the answer of an evaluation, and what it is told apart from."""

import math
from dataclasses import replace

import numpy as np
import pytest

import baserate as br
from baserate.facts import CutFact
from baserate.report.evaluation_words import answer
from baserate.report.threshold import is_surely_better, moved

CUT = CutFact(
    name="f1", direction="higher", threshold=0.3, low=0.2, high=0.4, step=(0.29, 0.3),
    value=0.66, corrected=0.62, default=0.5, table=br.ConfusionMatrix(tp=9, fn=3, fp=4, tn=20),
)  # fmt: skip


@pytest.mark.slow
def test_that_there_is_one_class_only_comes_before_what_risks_are():
    found = br.evaluate([1] * 13, score=[0.2, 0.3, 0.9] * 4 + [0.3], positive=1)
    first, *others = answer(found.facts)
    assert first == "Better than guessing: cannot tell, for the cases are of one class."
    assert any(said.startswith("Risks are underestimated: 13 observed") for said in others)


@pytest.mark.slow
def test_whether_it_is_any_good_comes_before_risks_unless_a_risk_was_the_cut():
    truth, score = timid(1.0)  # surely wrong risks
    first, *others = answer(br.evaluate(truth, score=score).facts)
    assert first.startswith("Better than guessing: yes")
    assert any("too extreme" in said for said in others)
    first, *others = answer(br.evaluate(truth, score=score, threshold=0.2).facts)
    assert "too extreme" in first
    assert any(said.startswith("Better than guessing: yes") for said in others)


def timid(slope, n=400):
    """Labels that depend on x by one slope, and scores that claim another; medians fit."""
    x = np.linspace(-3, 3, n)
    truth = np.arange(n) * 0.618034 % 1 < 1 / (1 + np.exp(-slope * x))
    return truth, 1 / (1 + np.exp(-3 * x))


@pytest.mark.slow
def test_a_verdict_on_labels_is_told_apart_from_one_on_probabilities():
    told = "That is about the predicted labels; what is said of risks is about the probabilities"
    truth, score = timid(0.06)
    found = br.evaluate(truth, score=score)
    assert "(calibration slope" in found.render("markdown").split("\n\n")[1]
    assert not found.facts.p_value < 0.05
    assert told in found.render("markdown")
    truth, score = timid(1.0)  # wrong risks, sure labels: no clash
    found = br.evaluate(truth, score=score)
    assert "too extreme" in found.render("markdown")
    assert told not in found.render("markdown")


@pytest.mark.parametrize(
    ("p", "cut", "sure"),
    [
        (0.001, {}, True),
        (0.2, {}, False),  # the score may rank by luck
        (math.nan, {}, False),
        (0.001, {"high": 0.55}, False),  # resampled cases put the best cut on either side
        (0.001, {"low": 0.6, "high": math.inf}, True),
        (0.001, {"low": math.nan, "high": math.nan}, False),
    ],
)
def test_another_cut_is_advised_only_if_the_data_vouch_for_it(score, measured, p, cut, sure):
    changed = replace(CUT, **cut)
    facts = score(ranking=(measured("roc_auc", 0.7, 0.45, 0.9, p),), cuts=(changed,))
    assert is_surely_better(changed, facts) == sure
    assert bool(moved(facts)) == sure


def test_without_a_test_the_interval_of_the_area_tells(score, measured):
    facts = score(ranking=(measured("roc_auc", 0.7, 0.6, 0.8),), cuts=(CUT,))
    assert moved(facts) == (
        "A better cut is 0.3: expect F1 0.62 on new cases, against 0.50 at 0.5.",
    )
