"""The answer in words."""

import math
from dataclasses import replace

import pytest

from baserate import ConfusionMatrix
from baserate._figures import guess
from baserate.facts.verdict import VerdictFact
from baserate.report.evaluation_words import answer, negative_label, positive_label

SURE = VerdictFact.of("informedness", (0.26, 0.24, 0.28), p_value=0.0004)
OPEN = VerdictFact.of("informedness", (0.26, -0.04, 0.48), p_value=0.2)
FOUND = (
    "Of the 2,053 positives, 37% are found (recall); of the 1,238 alarms, 62% are right "
    "(precision)."
)


def known(fact, *, value=0.6, chance=0.42, skill=0.31, p=0.0004, name="f1", **more):
    interval = {"low": 0.52, "high": 0.68}
    return fact(name, value, chance=chance, skill=skill, p_value=p, **{**interval, **more})


def counted(cells):
    return ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def test_what_is_found_leads_then_whether_that_is_better_than_guessing(on_record, make, fact):
    shares = (
        fact("recall", 0.37, low=0.35, high=0.39),
        fact("precision", 0.62, low=0.588, high=0.642),
    )
    on_record(answer(make(metrics=(known(fact),), shares=shares, better_than_guessing=SURE)))


@pytest.mark.parametrize(
    ("found", "p", "said"),
    [
        ((0.26, 0.04, 0.45), 0.03, "yes (informedness 0.26, 0.040 to 0.45; 0 is guessing; p = 0."),
        ((0.02, 0.01, 0.03), 0.001, "yes, but by little (informedness 0.020, 0.010 to 0.030; 0 is"),
        # the test and the interval must agree
        ((0.2, -0.01, 0.4), 0.04, "cannot tell (informedness 0.20, -0.010 to 0.40; 0 is guessing)"),
        ((0.5, 0.02, 0.8), 0.08, "cannot tell (informedness 0.50, 0.020 to 0.80; 0 is guessing; p"),
        ((-0.01, -0.24, 0.31), 0.65, "cannot tell (informedness -0.010, -0.24 to 0.31; 0 is gues"),
        # no: whatever advantage there may be is not worth having
        ((0.01, -0.03, 0.05), 0.3, "no (informedness 0.010, -0.030 to 0.050; less than 0.05 is"),
        ((0.01, -0.03, 0.0501), 0.3, "cannot tell (informedness"),
        ((-0.12, -0.18, -0.05), 1.0, "no, it does worse (informedness -0.12, -0.18 to -0.050; 0"),
        ((-0.12, -0.18, -0.05), math.nan, "no, it does worse (informedness -0.12, -0.18 to -0.05"),
        ((0.2, 0.1, 0.3), math.nan, "yes (informedness 0.20, 0.10 to 0.30; 0 is guessing)"),
        ((0.2, math.nan, math.nan), 0.2, "cannot tell (informedness 0.20, without an interval;"),
    ],
)
def test_a_verdict_has_three_states(make, found, p, said):
    verdict = VerdictFact.of("informedness", found, p_value=p)
    facts = make(metrics=(), better_than_guessing=verdict, p_value=p)
    assert answer(facts)[1].startswith(f"Better than guessing: {said}")
    assert bool(verdict) == (verdict.answer == "yes")


def test_what_is_open_says_how_many_cases_would_decide(make):
    facts = make(metrics=(), better_than_guessing=replace(OPEN, enough=2345))
    assert answer(facts)[2] == "If these values stayed, about 2,400 cases would decide."


@pytest.mark.parametrize("table", [(7, 3, 0, 0), (0, 0, 7, 3)])
def test_cases_of_one_class_cannot_tell(on_record, make, table):
    """And there is no precision, which is 1 or 0 whatever the classifier."""
    on_record(answer(make(table=counted(table), metrics=())))


def test_reversed_answers_say_how_often_the_opposite_ones_are_right(on_record, make):
    verdict = VerdictFact.of("informedness", (-0.44, -0.55, -0.3), reversed=True)
    table = counted((10, 40, 160, 90))
    on_record(answer(make(table=table, metrics=(), better_than_guessing=verdict)))


def test_a_metric_that_was_asked_for_leads(on_record, make, fact):
    jaccard, f1, nothing = known(fact, name="jaccard"), known(fact), fact("lift", math.nan)
    count = fact("true_positives", 0.0, low=0.0, high=2.125, chance=10.0, skill=-0.5, p_value=0.5)
    worse = known(fact, value=0.4, chance=0.42, skill=-0.03, high=0.41)
    asked = {
        "a share": (f1,),
        "the first of two": (jaccard, f1),
        "the first that has a value": (nothing, fact("yule_q", 0.25)),
        "not what the next sentence says anyway": (fact("recall", 1.0, chance=1.0),),
        "nor before another": (fact("recall", 1.0, chance=1.0), jaccard),
        "a count": (count,),
        "a count without an interval": (fact("true_positives", 0.0),),
        "perhaps below the best guess": (replace(worse, low=0.1, high=0.5),),
        "below the best guess": (replace(worse, low=0.35),),
    }
    on_record(
        {
            how: answer(make(metrics=metrics, asked_for=tuple(one.name for one in metrics)))
            for how, metrics in asked.items()
        }
    )
    assert answer(make(metrics=(jaccard, f1)))[0] == FOUND


def test_where_guessing_does_surely_better_by_a_usual_metric_that_is_said_last(
    on_record, make, fact
):
    base, n = 2053, 6366  # everyone positive: 2 tp/(2 tp + fp + fn)
    everyone = 2 * base / (base + n)
    f1 = known(fact, value=0.46, chance=everyone, skill=-0.05, low=0.44, high=0.484)
    facts = make(metrics=(f1,), better_than_guessing=SURE)
    on_record({"last": answer(facts), "asked": answer(replace(facts, asked_for=("f1",)))})
    within = replace(facts, metrics=(replace(f1, high=0.5),))
    for other in (within, replace(facts, better_than_guessing=OPEN)):
        assert "does better" not in " ".join(answer(other))


@pytest.mark.parametrize(
    ("low", "high", "sure"), [(5.0, 9.0, "yes"), (5.0, 10.5, "cannot tell"), (10.0, 12.0, "no")]
)
def test_a_cost_of_ones_own_is_judged_by_its_interval(make, fact, low, high, sure):
    ends = {"low": low, "high": high}
    cost = fact("cost", 8.0, direction="lower", chance=10.0, skill=0.2, **ends)
    said = answer(make(metrics=(cost,), better_than_guessing=SURE))
    assert said[0] == f"Better than guessing by cost: {sure}."
    assert said[1].startswith("Cost is 8.00")
    assert said[2] == FOUND
    assert said[3].startswith("Better than guessing with as many alarms: yes")


def test_restated_precision_is_told_at_its_base_rate(on_record, make, fact):
    there = fact("precision.at_base_rate(0.5)", 0.77, low=0.75, high=0.79)
    on_record(answer(make(metrics=(), shares=(there,), restated=True, base_rate=0.5)))


def test_classes_that_are_empty_single_or_few(on_record, make):
    tables = {
        "no alarms": (0, 50, 0, 50),
        "one positive": (1, 0, 1, 50),
        "one positive, not found": (0, 1, 1, 50),
        "few positive": (3, 4, 50, 50),
        "few of both": (1, 0, 4, 5),
        "few negative": (0, 0, 2, 5),
        "ten are not few": (5, 5, 5, 5),
    }
    on_record({how: answer(make(table=counted(n), metrics=())) for how, n in tables.items()})


def test_weights_count_by_their_effective_number(on_record, make):
    sizes = {"effective_n": 12.0, "effective_positive": 6.5, "effective_negative": 5.5}
    on_record(answer(make(table=counted((500.5, 500, 500, 500)), metrics=(), **sizes)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dutch_draw", "the best guess"),
        ("uniform", "tossing a coin"),
        ("mode", "always guessing the commoner label"),
        ("0.3", "guessing positive with probability 0.3"),
    ],
)
def test_the_guess_has_a_name(name, words):
    assert guess(name) == words


@pytest.mark.parametrize(
    ("positive", "labels", "names"),
    [
        ("yes", ("no", "yes"), ('"yes"', '"no"')),
        (1, (0, 1), ('"1"', '"0"')),
        ("a", ("a", "b", "c"), ('"a"', 'not "a"')),
        ("a", ("a",), ('"a"', 'not "a"')),
        ("positive", (), ('"positive"', '"negative"')),
        ("ill", (), ('"ill"', 'not "ill"')),
    ],
)
def test_both_classes_have_names(make, positive, labels, names):
    facts = make(positive=positive, labels=labels)
    assert (positive_label(facts), negative_label(facts)) == names
