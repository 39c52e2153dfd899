"""What records say of themselves: unknown numbers, and verdicts by stated rules."""

import math
from dataclasses import MISSING, fields

import pytest

from baserate.facts.audit import AverageFinding, Finding, shade_of
from baserate.facts.comparison import ComparedFacts
from baserate.facts.numbers import Number
from baserate.facts.scores import EstimateFact
from baserate.facts.verdict import VerdictFact, answer_of
from facts.test_json_documented import RECORDS

NAN = math.nan
# Numbers that are known where nobody gives them: counts, errors of results without simulation, and
# the guess that a verdict is against, whose chance-corrected value is zero.
KNOWN = {"error": 0.0, "best_error": 0.0, "guess": 0.0, "smallest": 0.05}
KNOWN |= {"n_below": 0, "n_above": 0}


@pytest.mark.parametrize("record", sorted(RECORDS, key=lambda record: record.__name__))
def test_a_number_that_nobody_found_out_is_unknown_and_not_zero(record):
    given = [field for field in fields(record) if field.default is not MISSING]
    for field in given:
        if "float" in str(field.type) and field.default is not None:
            numbers = field.default if isinstance(field.default, tuple) else (field.default,)
            expected = KNOWN.get(field.name, NAN)
            for number in numbers:
                assert number == expected or (math.isnan(number) and math.isnan(expected)), (
                    field.name
                )


@pytest.mark.parametrize("record", sorted(RECORDS, key=lambda record: record.__name__))
def test_of_what_nobody_counted_there_is_none_and_the_only_one_is_first(record):
    given = {field.name: field.default for field in fields(record) if field.type is int}
    counts = {name: number for name, number in given.items() if number is not MISSING}
    assert counts == {name: 1 if name == "rank" else 0 for name in counts}


@pytest.mark.parametrize(
    ("found", "p_value", "guess", "expected"),
    [
        ((0.2, 0.1, 0.3), 0.01, 0.0, "yes"),
        ((0.2, 0.1, 0.3), NAN, 0.0, "yes"),
        ((0.2, 0.1, 0.3), 0.05, 0.0, "cannot tell"),  # the test does not bear the interval out
        ((0.2, 0.0, 0.3), 0.01, 0.0, "cannot tell"),  # an interval from the guess on is not beyond
        ((0.2, -0.1, 0.3), 0.01, 0.0, "cannot tell"),
        ((0.7, 0.6, 0.8), 0.01, 0.5, "yes"),
        ((0.2, NAN, NAN), 0.01, 0.0, "yes"),  # the test alone where there is no interval
        ((0.2, NAN, NAN), 0.05, 0.0, "cannot tell"),
        ((0.2, NAN, NAN), NAN, 0.0, "cannot tell"),
        ((0.0, -0.1, 0.05), 0.9, 0.0, "no"),  # at the smallest advantage worth having
        ((0.0, -0.1, 0.051), 0.9, 0.0, "cannot tell"),
        ((0.02, 0.01, 0.04), 0.01, 0.0, "yes"),  # small, but surely more than guessing
    ],
)
def test_yes_needs_interval_and_test_and_no_needs_an_interval_without_advantage(
    found, p_value, guess, expected
):
    verdict = VerdictFact.of("informedness", found, p_value=p_value, guess=guess)
    assert verdict.answer == expected
    assert bool(verdict) is (expected == "yes")
    assert (verdict.value, verdict.guess, verdict.smallest) == (found[0], guess, 0.05)


@pytest.mark.parametrize(
    ("low", "high", "answer", "turned"),
    [
        (0.51, 0.7, "yes", False),
        (0.4, 0.525, "no", False),  # informedness 2 (0.525) - 1 = 0.05
        (0.4, 0.53, "cannot tell", False),
        (0.3, 0.49, "no", True),
        (0.3, 0.5, "no", False),
    ],
)
def test_an_area_is_judged_as_informedness_is(low, high, answer, turned):
    area = EstimateFact(name="roc_auc", value=(low + high) / 2, low=low, high=high)
    verdict = VerdictFact.of_area(area)
    assert (verdict.answer, verdict.reversed) == (answer, turned)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (1.0, "yes"),
        (0.95, "yes"),
        (0.949, "cannot tell"),
        (0.5, "cannot tell"),
        (0.051, "cannot tell"),
        (0.05, "no"),
        (0.0, "no"),
        (NAN, "cannot tell"),
    ],
)
def test_an_answer_is_sure_from_nineteen_in_twenty_on(probability, expected):
    assert answer_of(probability) == expected


@pytest.mark.parametrize(
    ("tested", "low", "high", "expected"),
    [
        ("lower", -0.5, -0.3, "lower"),
        ("untested", -0.01, 0.01, "untested"),
        (None, -0.1, 0.05, "consistent"),
        (None, -0.05, 0.1, "consistent"),
        (None, -0.11, 0.05, "too_small"),
        (None, -0.05, 0.11, "too_small"),
        (None, -0.11, -0.08, "too_small"),
        (None, NAN, NAN, "too_small"),
    ],
)
def test_groups_are_consistent_where_no_difference_that_matters_is_left(
    tested, low, high, expected
):
    found = AverageFinding(
        name="accuracy", direction="higher", value=0.7, tested=tested, gap=0.1,
        difference_span=(low, high),
    )  # fmt: skip
    assert found.verdict == expected
    assert found.differs is (expected == "lower")


@pytest.mark.parametrize(
    ("verdict", "shade"),
    [
        ("lower", "worse"),
        ("higher", "better"),
        ("consistent", "consistent"),
        ("untested", "untested"),
    ],
)
def test_only_a_difference_is_better_or_worse(verdict, shade):
    found = Finding(name="recall", direction="higher", value=0.7, verdict=verdict)
    assert (found.shade, found.differs) == (shade, shade in {"worse", "better"})
    assert shade_of(verdict, "neither") == ("apart" if found.differs else verdict)


def test_pairs_are_tested_for_equal_yields_unless_a_comparison_says_otherwise():
    assert ComparedFacts.tests_yields.fget(None) is True


def test_nothing_has_no_sign():
    fact = EstimateFact(name="roc_auc", value=0.0, low=0.0, high=0.0)
    assert str(Number("difference", fact, turned=True).limits) == "(0.0, 0.0, 0.0)"
