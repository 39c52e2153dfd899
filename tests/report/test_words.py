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


def test_what_is_found_leads_then_whether_that_is_better_than_guessing(make, fact):
    shares = (
        fact("recall", 0.37, low=0.35, high=0.39),
        fact("precision", 0.62, low=0.588, high=0.642),
    )
    facts = make(metrics=(known(fact),), shares=shares, better_than_guessing=SURE)
    assert answer(facts) == (
        (
            "Of the 2,053 positives, 37% are found (recall; 95% interval 35% to 39%); "
            "of the 1,238 alarms, 62% are right (precision; 59% to 64%)."
        ),
        "Better than guessing: yes (informedness 0.26, 0.24 to 0.28; 0 is guessing; p < 0.001).",
    )


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


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ((7, 3, 0, 0), "Of the 10 positives, 70% are found (recall)."),
        ((0, 0, 7, 3), "Of the 10 negatives, 30% are not flagged (specificity)."),
    ],
)
def test_cases_of_one_class_cannot_tell(make, table, said):
    counts = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    share, then, beside, *few = answer(make(table=counts, metrics=()))
    assert share == said  # and no precision, which is 1 or 0 whatever the classifier
    assert then == "Better than guessing: cannot tell, for the cases are of one class."
    assert "br.probability(" in beside
    assert not few  # that there is none of the other was said


def test_reversed_answers_say_how_often_the_opposite_ones_are_right(make):
    table = ConfusionMatrix(tp=10, fn=40, fp=160, tn=90)
    verdict = VerdictFact.of("informedness", (-0.44, -0.55, -0.3), reversed=True)
    said = answer(make(table=table, metrics=(), better_than_guessing=verdict))
    assert said[1].startswith("Better than guessing: no, its answers look reversed (informedness")
    assert said[2].startswith("The opposite ones are right in 67% of these cases; check which lab")


def test_a_metric_that_was_asked_for_leads(make, fact):
    jaccard, f1 = known(fact, name="jaccard"), known(fact)
    assert answer(make(metrics=(jaccard, f1)))[0] == FOUND
    assert answer(make(metrics=(f1,), asked_for=("f1",)))[:2] == (
        (
            "F1 is 0.60 (95% interval 0.52 to 0.68); the best guess scores 0.42, "
            "so that is 31% of the way from the best guess to perfection."
        ),
        FOUND,
    )
    both = make(metrics=(jaccard, f1), asked_for=("jaccard", "f1"))
    assert answer(both)[0].startswith("Jaccard index is")


@pytest.mark.parametrize(
    ("low", "ends"), [(0.1, "which the interval allows."), (0.42, "which is better.")]
)
def test_a_value_below_the_best_guess_is_said_to_be_one(make, fact, low, ends):
    metric = known(fact, value=0.4, chance=0.42, skill=-0.03, low=low, high=low + 0.4)
    if low == 0.42:
        metric = replace(metric, low=0.35, high=0.41)
    said = answer(make(metrics=(metric,), asked_for=("f1",)))
    assert said[0].endswith(f"the best guess scores 0.42, {ends}")


def test_where_guessing_does_surely_better_by_a_usual_metric_that_is_said_last(make, fact):
    base, n = 2053, 6366  # everyone positive: 2 tp/(2 tp + fp + fn)
    everyone = 2 * base / (base + n)
    f1 = known(fact, value=0.46, chance=everyone, skill=-0.05, low=0.44, high=0.484)
    facts = make(metrics=(f1,), better_than_guessing=SURE)
    assert answer(facts)[-1] == "By F1, calling everyone positive does better: 0.49 against 0.46."
    within = replace(facts, metrics=(replace(f1, high=0.5),))
    assert "does better" not in " ".join(answer(within))
    assert "does better" not in " ".join(answer(replace(facts, better_than_guessing=OPEN)))
    asked = answer(replace(facts, asked_for=("f1",)))
    assert asked[0] == "Better than guessing by F1: no."
    assert asked[1].endswith("which is better.")
    assert asked[3].startswith("Better than guessing with as many alarms: yes")
    assert len(asked) == 4


def test_what_the_sentence_on_labels_says_anyway_is_not_said_twice(make, fact):
    metrics = (fact("recall", 1.0, chance=1.0), known(fact, name="jaccard"))
    assert answer(make(metrics=metrics[:1], asked_for=("recall",)))[0] == FOUND
    said = answer(make(metrics=metrics, asked_for=("recall", "jaccard")))
    assert said[0].startswith("Jaccard index is 0.60")


def test_a_count_is_written_as_a_count(make, fact):
    counted = fact("true_positives", 0.0, low=0.0, high=2.125, chance=10.0, skill=-0.5, p_value=0.5)
    asked = {"asked_for": ("true_positives",)}
    assert answer(make(metrics=(counted,), **asked))[0] == (
        "True positives: 0 (95% interval 0 to 2.125); the best guess scores 10, which is better."
    )
    said = answer(make(metrics=(fact("true_positives", 0.0),), **asked))
    assert said[0] == "True positives: 0."


def test_of_what_was_asked_for_the_first_that_has_a_value_leads(make, fact):
    metrics = (fact("lift", math.nan), fact("yule_q", 0.25))
    said = answer(make(metrics=metrics, asked_for=("lift", "yule_q")))
    assert said[0] == "Yule's Q is 0.25."


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


def test_restated_precision_is_told_at_its_base_rate(make, fact):
    there = fact("precision.at_base_rate(0.5)", 0.77, low=0.75, high=0.79)
    said = answer(make(metrics=(), shares=(there,), restated=True, base_rate=0.5))
    assert said[0].endswith(
        "of the 4,313 negatives, 89% are not flagged (specificity). At a base rate of 0.5, if "
        "both stay as they are, 77% of the alarms would be right (precision; 75% to 79%)."
    )


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((0, 50, 0, 50), "of the 50 positives, 0% are found (recall); there are no alarms."),
        ((1, 0, 1, 50), "the only positive is found (recall)"),
        ((0, 1, 1, 50), "the only positive is not found (recall); the only alarm is not right"),
    ],
)
def test_classes_that_are_empty_or_single(make, table, expected):
    counts = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    assert expected.lower() in answer(make(table=counts, metrics=()))[0].lower()


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((3, 4, 50, 50), "Few data: only 7 cases are positive; read"),
        ((1, 0, 4, 5), "Few data: only one case is positive and only 9 cases are negative; read"),
        ((0, 0, 2, 5), "Few data: only 7 cases are negative; read"),
    ],
)
def test_few_cases_of_a_class_are_called_few(make, table, expected):
    counts = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    assert answer(make(table=counts, metrics=()))[-1].startswith(expected)


def test_ten_of_each_are_not_called_few(make):
    table = ConfusionMatrix(tp=5, fn=5, fp=5, tn=5)
    assert not any("Few data" in s for s in answer(make(table=table, metrics=())))


def test_weights_count_by_their_effective_number(make):
    table = ConfusionMatrix(tp=500.5, fn=500, fp=500, tn=500)
    sizes = {"effective_n": 12.0, "effective_positive": 6.5, "effective_negative": 5.5}
    said = answer(make(table=table, metrics=(), **sizes))
    assert "50% by weight are found (recall)" in said[0]
    assert said[-1].startswith("Few data: only 6.5 effective cases are positive and only 5.5")


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
