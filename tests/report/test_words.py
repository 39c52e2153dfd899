"""The answer in words."""

import math

import pytest

from baserate import ConfusionMatrix
from baserate.report.evaluation_words import answer, negative_label, positive_label
from baserate.report.words import guess


def known(fact, *, value=0.6, chance=0.42, skill=0.31, p=0.0004, name="f1", **more):
    interval = {"low": 0.52, "high": 0.68}
    return fact(name, value, chance=chance, skill=skill, p_value=p, **interval, **more)


def test_with_chance_the_answer_is_the_verdict_the_skill_and_what_is_found(make, fact):
    assert answer(make(metrics=(known(fact),))) == (
        "Better than guessing: yes (p < 0.001).",
        (
            "F1 is 0.60 (95% interval 0.52 to 0.68); the best guess scores 0.42, "
            "so that is 31% of the way from the best guess to perfection."
        ),
        (
            "Of the 2,053 positives, 37% are found (recall); "
            "of the 1,238 alarms, 62% are right (precision)."
        ),
    )


@pytest.mark.parametrize(
    ("table", "p", "verdict"),
    [
        ((30, 10, 10, 30), 0.0499, "yes (p = 0.050)"),
        ((30, 10, 10, 30), 0.05, "cannot tell (p = 0.050)"),
        ((12, 10, 10, 12), 0.214, "cannot tell (p = 0.21)"),
        ((10, 30, 30, 10), 0.99999, "no (p = 1.00)"),
        ((0, 40, 0, 40), 1.0, "no (p = 1.00)"),
        ((7, 3, 0, 0), 1.0, "cannot tell, for the cases are of one class"),
        ((0, 0, 7, 3), 1.0, "cannot tell, for the cases are of one class"),
    ],
)
def test_the_verdict_follows_p_and_the_side_of_chance(make, fact, table, p, verdict):
    counts = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)))
    first = answer(make(table=counts, metrics=(known(fact, p=p),)))[0]
    assert first == f"Better than guessing: {verdict}."


def test_the_p_value_is_the_first_that_is_known(make, fact):
    metrics = (fact("base_rate", direction="neither"), known(fact, p=0.033))
    assert answer(make(metrics=metrics))[0] == "Better than guessing: yes (p = 0.033)."


@pytest.mark.parametrize(
    ("value", "chance", "skill", "direction"),
    [(0.4, 0.42, -0.03, "higher"), (0.5, 0.42, -0.19, "lower")],
)
def test_a_score_below_the_best_guess_is_said_to_be_one(
    make, fact, value, chance, skill, direction
):
    metric = known(fact, value=value, chance=chance, skill=skill, direction=direction)
    said = answer(make(metrics=(metric,)))
    assert said[0] == "Better than guessing: yes (p < 0.001), but not by F1."
    assert said[1].endswith("the best guess scores 0.42, which is better.")


def test_f1_speaks_before_other_metrics_and_other_metrics_without_it(make, fact):
    jaccard, f1 = known(fact, name="jaccard"), known(fact)
    assert answer(make(metrics=(jaccard, f1)))[1].startswith("F1 is")
    assert answer(make(metrics=(jaccard,)))[1].startswith("Jaccard index is")


def test_a_metric_by_which_guessing_is_perfect_is_no_yardstick(make, fact):
    perfect = known(fact, name="recall", value=1.0, chance=1.0, skill=math.nan)
    assert answer(make(metrics=(perfect,)))[:2] == (
        "Better than guessing: yes (p < 0.001).",
        (
            "Of the 2,053 positives, 37% are found (recall); "
            "of the 1,238 alarms, 62% are right (precision)."
        ),
    )
    said = answer(make(metrics=(perfect, known(fact, name="jaccard"))))
    assert said[1].startswith("Jaccard index is 0.60")


def test_a_count_is_written_as_a_count(make, fact):
    counted = fact("true_positives", 0.0, low=0.0, high=2.125, chance=10.0, skill=-0.5, p_value=0.5)
    said = answer(make(metrics=(counted,)))
    assert said[1] == (
        "True positives: 0 (95% interval 0 to 2.125); the best guess scores 10, which is better."
    )
    assert answer(make(metrics=(fact("true_positives", 0.0),)))[-1] == "True positives: 0."


def test_without_p_nothing_is_claimed_beyond_the_score(make, fact):
    said = answer(make(metrics=(known(fact, p=math.nan),)))
    assert said[0].startswith("F1 is 0.60")
    assert not any("Better than guessing" in sentence for sentence in said)


def test_without_chance_the_base_rate_is_the_yardstick(make, fact):
    said = answer(make(metrics=(fact("accuracy", 0.7224),)))
    assert said[-1] == 'Accuracy is 0.72; always saying "no" would score 0.68.'
    assert "guess" not in " ".join(said)


def test_the_commoner_label_is_the_positive_one_above_one_half(make, fact):
    table = ConfusionMatrix(tp=60, fn=20, fp=10, tn=10)
    said = answer(make(table=table, metrics=(fact("accuracy", 0.7),)))
    assert said[-1] == 'Accuracy is 0.70; always saying "yes" would score 0.80.'


def test_a_metric_asked_for_is_named_when_accuracy_was_not(make, fact):
    said = answer(make(metrics=(fact("lift", math.nan), fact("yule_q", 0.25))))
    assert said[-1] == "Yule's Q is 0.25."


def test_restated_metrics_are_told_at_their_base_rate(make, fact):
    restated = {"restated": True, "base_rate": 0.5}
    said = answer(make(metrics=(fact("accuracy.at_base_rate(0.5)", 0.63),), **restated))
    assert said[0].endswith("of the 4,313 negatives, 89% are left in peace (specificity).")
    assert said[-1] == (
        'At a base rate of 0.5, accuracy is 0.63; always saying "no" would score 0.50.'
    )


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((0, 50, 0, 50), "of the 50 positives, 0% are found (recall); there are no alarms."),
        ((0, 0, 20, 50), "there are no positives; of the 20 alarms, 0% are right (precision)."),
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
        ((0, 0, 20, 50), "Few data: no case is positive; read"),
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
