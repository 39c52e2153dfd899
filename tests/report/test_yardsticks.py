"""Two yardsticks: what luck scores with as many alarms, and what the best guess scores."""

import re
from fractions import Fraction
from math import comb, isnan

import pytest

import baserate as br

TABLE = br.ConfusionMatrix(tp=6, fn=4, fp=3, tn=17)
BY_HAND = {  # of one table with tp true positives, in exact fractions
    "recall": lambda tp: Fraction(tp, 10),
    "precision": lambda tp: Fraction(tp, 9),
    "f1": lambda tp: Fraction(2 * tp, 19),
    "jaccard": lambda tp: Fraction(tp, 19 - tp),
    "accuracy": lambda tp: Fraction(30 - 19 + 2 * tp, 30),
}


def by_luck(metric):
    """The mean over all ways to draw 9 alarms of 30 cases, 10 of them positive."""
    ways = {tp: comb(10, tp) * comb(20, 9 - tp) for tp in range(10)}
    return float(sum(n * BY_HAND[metric](tp) for tp, n in ways.items()) / comb(30, 9))


def test_luck_is_the_mean_over_all_ways_to_raise_as_many_alarms():
    found = br.evaluate(TABLE, metrics=list(BY_HAND)).facts
    for fact in found.metrics:
        assert fact.same_alarms == pytest.approx(by_luck(fact.name), rel=1e-12)
    assert found.metric("recall").chance == 1  # whoever calls everyone positive misses no one


def test_only_the_table_of_all_cases_has_luck_beside_the_guess():
    found = br.evaluate({"a": TABLE, "b": TABLE + TABLE}, metrics="recall").facts
    assert found.metrics[0].same_alarms == pytest.approx(0.3)
    assert all(isnan(group.metrics[0].same_alarms) for group in found.groups)


def test_the_table_shows_both_and_says_which_is_which(on_record):
    guesses = {
        "the best": {},
        "luck, which stands once": {"guess": "same_alarms"},
        "a coin": {"guess": "uniform"},
        "a chance of one's own": {"guess": 0.25},
        "p of each metric, not of luck": {"p_value": "sup"},
    }
    pages = {how: br.evaluate(TABLE, metrics="recall, f1", **of).render("markdown")
             for how, of in guesses.items()}  # fmt: skip
    on_record({how: page.split("## Metrics")[1].split("\n##")[0] for how, page in pages.items()})


def test_weights_leave_luck_to_what_is_linear_in_recall_and_specificity():
    truth, calls = [1, 1, 0, 0, 0], [1, 0, 1, 0, 0]
    found = br.evaluate(truth, calls, weight=[1, 2, 1.5, 1, 0.5], metrics="recall, f1").facts
    assert found.metric("recall").same_alarms == pytest.approx(2.5 / 6)  # the share of alarms
    assert isnan(found.metric("f1").same_alarms)


def test_a_bar_marks_both():
    page = br.evaluate(TABLE, metrics="informedness").render("html")
    assert page.count('class="mark"') == page.count('class="second"') == 1
    assert re.search(r'aria-label="0[.]450, [^"]+, by luck 0[.]000, the best guess 0[.]000, ', page)


def told(result):
    return " ".join(result.render(details=True).split())


def test_weights_claim_neither_chance_nor_test_nor_skill_that_nobody_found():
    truth, calls = ["a", "b", "c", "a", "b"] * 8, ["a", "b", "b", "a", "c"] * 8
    how = {"weight": [1, 2, 1.5, 1, 0.5] * 8}
    report = {
        metric: told(br.evaluate(truth, calls, metrics=metric, **how))
        for metric in ("macro_f1", "accuracy")
    }
    for said in ("What the guess scores on average is enumerated", "Skill refers to it"):
        assert said not in report["macro_f1"]
        assert said in report["accuracy"]
    assert not any("the test excludes" in text for text in report.values())
    assert "known only of means over cases or over rates of classes" in report["macro_f1"]
    assert "specificity" not in report["macro_f1"]
    two = told(br.evaluate([x == "a" for x in truth], [x == "a" for x in calls], **how))
    assert "Better than guessing is judged" in two
    assert "the test excludes" not in two
