"""Chance with more than two classes, against brute force over draws and over guesses."""

from fractions import Fraction
from itertools import permutations
from math import isnan

import pytest

from baserate import ClassTable, metrics
from baserate.baselines import dutch_draw, dutch_draw_multiclass, random_guess_multiclass, skill
from baserate.errors import InvalidArgumentError, UnknownNameError
from oracles.class_chance_twins import compositions


def weighted(counts, k):
    return sum(Fraction(2 * a * p * p, p + a) for p, a in zip(counts, k, strict=True))


@pytest.mark.parametrize("counts", [(9, 2, 1), (5, 4, 3), (10, 1, 1), (7, 3, 1, 1), (40, 1, 1, 1)])
def test_weighted_f1_against_all_predicted_counts(counts):
    best = max(compositions(sum(counts), len(counts)), key=lambda k: weighted(counts, k))
    b = dutch_draw_multiclass("weighted_f1", counts)
    assert weighted(counts, b.guess) == weighted(counts, best)
    n = sum(counts)
    assert b.value == pytest.approx(float(weighted(counts, best) / n**2))


@pytest.mark.parametrize("counts", [(9, 2, 1), (300, 5, 77, 77, 1), (10**9, 10**8 + 7, 3)])
def test_weighted_f1_is_no_better_after_any_exchange(counts):
    k = dutch_draw_multiclass("weighted_f1", counts).guess
    assert sum(k) == sum(counts)
    for a, b in permutations(range(len(counts)), 2):
        if k[a]:
            moved = [x - (c == a) + (c == b) for c, x in enumerate(k)]
            assert weighted(counts, moved) <= weighted(counts, k)


@pytest.mark.parametrize("size", [2, 3, 10])
def test_macro_f1_is_one_over_the_number_of_classes(size):
    best = float(dutch_draw_multiclass("macro_f1", range(1, size + 1)))
    assert best == pytest.approx(1 / size, rel=1e-14)


def test_a_guess_may_have_any_chances():
    found = random_guess_multiclass("accuracy", (3, 1), strategy=[0.25, 0.75])
    assert (float(found), found.guess) == (pytest.approx((3 * 0.25 + 0.75) / 4), (0.25, 0.75))


def test_matthews_correlation_of_a_constant_guess_is_undefined():
    assert isnan(float(random_guess_multiclass("matthews_correlation", (3, 2), strategy="mode")))
    assert float(random_guess_multiclass("matthews_correlation", (3, 2))) == 0


@pytest.mark.parametrize(("options", "skill", "passed"), [(4, 0.467, 70), (2, 0.2, 80)])
def test_exam_of_the_approximation(options, skill, passed):
    """Burger and Meertens, section 1: 100 questions, 60 right, the pass mark is a 6 of 10."""
    chance = random_guess_multiclass("accuracy", [100 // options] * options)
    assert round(chance.skill(0.6), 3) == skill
    assert 100 * chance.score_at(0.6) == pytest.approx(passed)


def test_skill_is_undefined_where_chance_is():
    assert isnan(
        random_guess_multiclass("matthews_correlation", (3, 2), strategy="mode").skill(0.5)
    )
    assert dutch_draw_multiclass("macro_f1", (5, 5)).skill(0.75) == 0.5


def test_two_classes_agree_with_the_binary_draw():
    b = dutch_draw("accuracy", n_positive=3, n_negative=9)
    assert float(dutch_draw_multiclass("accuracy", (3, 9))) == b.value


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("accuracy", [3]), InvalidArgumentError, "class_counts must have at least two classes"),
        (("accuracy", [3, 0]), InvalidArgumentError, "class_counts must be a whole number of at"),
        (("auc", [3, 2]), UnknownNameError, "auc is a measure of scores"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    for question in (dutch_draw_multiclass, random_guess_multiclass):
        with pytest.raises(error, match=message):
            question(*arguments)


@pytest.mark.parametrize(
    ("strategy", "error", "message"),
    [
        ("unifrom", UnknownNameError, "Did you mean 'uniform'"),
        ([0.5, 0.4], InvalidArgumentError, "must be 2 chances that sum to one"),
        ([1.0], InvalidArgumentError, "must be 2 chances"),
        ([1.5, -0.5], InvalidArgumentError, "must be 2 chances"),
    ],
)
def test_wrong_strategies(strategy, error, message):
    with pytest.raises(error, match=message):
        random_guess_multiclass("accuracy", [3, 2], strategy=strategy)


def test_perfect_is_what_the_metric_gives_a_table_without_errors():
    # 50, 30, 20: all into the largest errs in half of all cases, and no error is perfect.
    chance = dutch_draw_multiclass("error_rate", [50, 30, 20])
    assert (chance.value, chance.perfect) == (0.5, 0.0)
    assert chance.skill(0.1) == pytest.approx(0.8, rel=1e-14)
    assert chance.score_at(0.8) == pytest.approx(0.1, rel=1e-14)
    assert chance.skill(0.5) == 0
    table = ClassTable([[5, 0, 0], [0, 3, 0], [0, 0, 2]])
    for metric in metrics.CLASS_CATALOGUE:
        if metric.direction != "neither":
            found = dutch_draw_multiclass(metric, [5, 3, 2])
            assert found.perfect == pytest.approx(float(metric(table)), nan_ok=True)


def test_a_guess_is_averaged_over_the_classes_that_the_table_has_values_in():
    # F1 of a class that gets k of 10 cases, of which 5 are its own, is k / (5 + k) on average;
    # that of one called without being there is 0, and it must be called to have a value.
    table = ClassTable([[4, 1, 0], [1, 3, 1], [0, 0, 0]])
    wanted = max(
        sum(Fraction(k, 5 + k) for k in (first, second)) / 3
        for first in range(10)
        for second in range(10 - first)
    )
    found = skill("macro_f1.defined", table)
    assert found.score == pytest.approx((8 / 10 + 6 / 9) / 3)
    assert found.chance == pytest.approx(float(wanted), rel=1e-12)
    # Called 5, 4 and 1 times, as here.
    assert skill("macro_f1.defined", table, guess="same_alarms").chance == pytest.approx(
        float(wanted), rel=1e-12
    )
    for guess in ("proportional", "uniform", "mode"):
        none = skill("macro_f1.defined", table, guess=guess)
        assert isnan(none.chance)
        assert none.reason.endswith(
            "averages classes here of which a guess may leave one without value"
        )
    two = ClassTable([[4, 1, 0], [1, 4, 0], [0, 0, 0]])
    assert skill("macro_f1.defined", two).chance == pytest.approx(0.5)
