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


def test_the_table_shows_both_and_says_which_is_which():
    page = br.evaluate(TABLE, metrics="recall, f1").render("markdown")
    assert "| metric | value | interval | by luck | best guess | skill |" in page
    assert re.search(r"\| recall \| 0[.]600 \| [^|]+ \| 0[.]300 \| 1[.]000 \| – \|", page)
    assert (
        "By luck: what guessing with as many alarms scores on average; p refers to it. "
        "Best guess: the best that guessing can score on average, with any number of alarms "
        "(Dutch Draw). Skill refers to it: 0 is that guess, 1 perfection" in page
    )


def test_where_luck_is_the_guess_it_stands_once():
    page = br.evaluate(TABLE, metrics="recall", guess="same_alarms").render("markdown")
    assert "| metric | value | interval | by luck | skill |" in page
    assert "best guess" not in page


@pytest.mark.parametrize(
    ("guess", "heading", "told"),
    [
        ("uniform", "coin", "Coin: what tossing a coin scores on average. Skill"),
        (0.25, "guess", "Guess: what guessing positive with probability 0.25 scores on average."),
    ],
)
def test_another_guess_is_called_by_its_name(guess, heading, told):
    page = br.evaluate(TABLE, metrics="recall", guess=guess).render("markdown")
    assert f"| by luck | {heading} | skill |" in page
    assert told in page


def test_p_is_said_to_refer_to_luck_only_where_it_does():
    page = br.evaluate(TABLE, metrics="recall", p_value="sup").render("markdown")
    assert "scores on average. Best guess" in page


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
