"""Chance of several classes against brute force over all draws, in exact fractions."""

from functools import cache
from itertools import permutations
from math import factorial, isnan, nan, prod

import numpy as np
import pytest

import baserate as br
from baserate import ClassTable, beats_chance, skill
from baserate.baselines import dutch_draw_multiclass, random_guess_multiclass
from baserate.baselines.class_chance import of_guess, of_margins
from baserate.baselines.class_draws import best_draw
from baserate.baselines.multiclass import class_chance
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import CLASS_CATALOGUE, average, class_metric, class_utility
from oracles import class_chance_twins as twins

METRICS = [
    *CLASS_CATALOGUE,
    class_metric("linear_kappa"),
    average("jaccard", "micro"),
    average("jaccard"),
    average("jaccard", "weighted"),
    average("jaccard", undefined="omit"),
    average("geometric_mean", undefined="omit"),
    average("precision", undefined="omit"),
    average("matthews_correlation"),
    average("geometric_mean"),
    average("f1", "weighted", undefined="omit"),
    average("false_positive_rate"),
    average("positive_likelihood_ratio"),
    average("false_negative_rate", "weighted"),
    average("gilbert_skill_score"),
    average("gilbert_skill_score", "weighted"),
    average("prevalence_threshold", "weighted"),
]
TOTALS = [(3, 2), (3, 2, 2), (4, 1, 1), (2, 1, 1, 1)]
ABSENT = [(4, 0, 2), (1, 0, 0), (0, 3, 0)]


@cache
def every_draw(metric, truth):
    """Return (mean given defined, probability of being defined) for every way to draw."""
    found = {}
    for called in twins.compositions(sum(truth), len(truth)):
        law = twins.dealt(truth, called)
        values = np.atleast_1d(metric(ClassTable(np.array(list(law))))).tolist()
        values = dict(zip(law, values, strict=True))
        found[called] = twins.given_defined(values, law, lambda v: v)
    return found


@pytest.mark.sweep(9, start=6)
@pytest.mark.parametrize("truth", TOTALS)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_the_best_draw_is_the_best_of_all(metric, truth):
    sign = -1 if metric.direction == "lower" else 1
    draws = every_draw(metric, truth)
    sure = [sign * mean for mean, defined in draws.values() if defined == 1]
    best = dutch_draw_multiclass(metric, truth)
    if not sure:
        assert isnan(best.value)
        assert best.reason
        return
    assert best.value == pytest.approx(sign * max(sure), abs=1e-12)
    assert draws[tuple(best.guess)][0] == pytest.approx(best.value, abs=1e-12)


@pytest.mark.sweep(20, start=8)
@pytest.mark.parametrize("truth", TOTALS)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("strategy", ["uniform", "proportional", "mode"])
def test_independent_guesses_mix_draws(metric, truth, strategy):
    found = random_guess_multiclass(metric, truth, strategy=strategy)
    total = mass = 0.0
    for called, (mean, defined) in every_draw(metric, truth).items():
        ways = factorial(sum(truth)) / prod(map(factorial, called))
        weight = defined * ways * prod(g**k for g, k in zip(found.guess, called, strict=True))
        if weight:
            total, mass = total + weight * mean, mass + weight
    wanted = total / mass if mass > 1e-12 else nan
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.sweep(3, start=2)
@pytest.mark.parametrize("truth", ABSENT)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_classes_without_cases_do_not_mislead(metric, truth):
    """The doors refuse such totals; tables may have them."""
    sign, draws = -1 if metric.direction == "lower" else 1, every_draw(metric, truth)
    sure = [sign * mean for mean, defined in draws.values() if defined == 1]
    value, draw = best_draw(metric, truth)
    wanted = sign * max(sure) if sure else nan
    assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    if sure:
        assert draws[draw][0] == pytest.approx(wanted, abs=1e-12)
    for shares in ((0.5, 0.25, 0.25), (1, 0, 0), (0, 0.5, 0.5)):
        total = mass = 0.0
        for called, (mean, defined) in draws.items():
            ways = factorial(sum(truth)) / prod(map(factorial, called))
            weight = defined * ways * prod(g**k for g, k in zip(shares, called, strict=True))
            if weight:
                total, mass = total + weight * mean, mass + weight
        wanted = total / mass if mass > 1e-12 else nan
        assert of_guess(metric, truth, shares) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.sweep(25, start=2)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_same_alarms_deals_the_predictions_of_the_table(metric):
    table = ClassTable([[2, 1, 0], [0, 1, 1], [1, 0, 1]])
    wanted, _ = every_draw(metric, (3, 2, 2))[3, 2, 2]
    found = skill(metric, table, guess="same_alarms")
    assert found.chance == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_skill_says_why_there_is_none():
    table = ClassTable([[3, 1, 0], [1, 3, 0], [0, 1, 0]])
    found = skill("macro_precision", table)
    assert isnan(found.value)
    assert "undefined" in found.reason
    with pytest.raises(InvalidArgumentError, match="name of a guess"):
        skill("accuracy", table, guess=0.3)


def test_skill_of_digits_and_of_many_classes_is_quick():
    rng = np.random.default_rng(1)
    many = ClassTable(np.diag(rng.integers(5, 80, 300)) + rng.poisson(0.02, (300, 300)))
    for guess in ("dutch_draw", "same_alarms", "proportional"):
        for name in ("accuracy", "macro_f1", "matthews_correlation", "error_rate"):
            assert 0 < float(skill(name, many, guess=guess)) <= 1


@pytest.mark.sweep(2, start=1)
@pytest.mark.parametrize(
    "cells", [[[3, 1, 0], [1, 2, 0], [0, 1, 1]], [[1, 2, 0], [2, 1, 0], [0, 0, 1]]]
)
def test_p_value_is_that_of_all_permutations(cells):
    table = ClassTable(cells)
    law = twins.hits_by_permuting(table.class_counts.tolist(), table.predicted_counts.tolist())
    wanted = sum(p for hits, p in law.items() if hits >= table.hits.sum())
    found = beats_chance(table)
    assert found.route == "exact"
    assert found.p_value == pytest.approx(float(wanted), rel=1e-14)


@pytest.mark.slow
def test_large_tables_have_a_bound_or_are_dealt():
    sure = beats_chance(ClassTable(np.diag([170] * 10) + 1))
    assert (sure.p_value, sure.route) == (1e-300, "upper bound")
    hard = np.full((10, 10), 18)
    guessed = beats_chance(ClassTable(hard))
    assert guessed.route == "permutation"
    assert 0.4 < guessed.p_value < 0.6
    assert 0 < guessed.error < 0.01
    assert beats_chance(ClassTable(hard)).p_value == guessed.p_value


def test_weights_are_refused():
    with pytest.raises(UnsupportedError, match="weights"):
        beats_chance(ClassTable(np.eye(3) / 2))
    with pytest.raises(UnsupportedError, match="weights"):
        skill("macro_f1", ClassTable(np.eye(3) + 0.5))
    assert skill("accuracy", ClassTable(np.eye(3) + 0.5)).chance == pytest.approx(1 / 3)


def test_names_stand_for_metrics():
    assert br.dutch_draw_multiclass("macro_precision", [5, 3, 2]).value == pytest.approx(1 / 3)


def test_right_cases_of_a_coin_are_their_share():
    """A guess is right with probability 1/3, whatever the class: so is a share of right cases."""
    for metric in (class_metric("accuracy"), average("recall", "micro"), average("f1", "micro")):
        found = random_guess_multiclass(metric, (5, 3, 1), strategy="uniform")
        assert found.value == pytest.approx(1 / 3, rel=1e-14)


def test_worth_by_margins_is_its_mean_over_all_deals():
    """A worth that is no mirror image of itself: truth in the place of the prediction shows."""
    worth = np.array([[0, -1, -7], [-2, 0, -3], [-11, -5, 0]])  # decisions in rows
    truth, called = [0, 0, 0, 1, 1, 2], [0, 1, 2, 2, 2, 2]
    deals = [
        np.mean([worth[c, t] for t, c in zip(truth, deal, strict=True)])
        for deal in permutations(called)
    ]
    counts = np.bincount(truth, minlength=3), np.bincount(called, minlength=3)
    assert of_margins(class_utility(worth), *counts) == pytest.approx(np.mean(deals))
    assert of_margins(class_utility(worth), *counts[::-1]) != pytest.approx(np.mean(deals))


@pytest.mark.parametrize("guess", ["dutch_draw", "same_alarms"])
def test_weighted_chance_of_worth_and_of_what_is_better_when_lower(guess):
    """The best constant guess errs least; its complement is right most."""
    table = ClassTable([[2.5, 0.5, 0], [1.5, 1, 0.5], [0.25, 0, 1.75]])
    shares, called = (
        np.asarray(side) / table.n for side in (table.class_counts, table.predicted_counts)
    )
    right = shares.max() if guess == "dutch_draw" else shares @ called
    assert class_chance(class_metric("accuracy"), table, guess) == pytest.approx(right)
    assert class_chance(class_metric("error_rate"), table, guess) == pytest.approx(1 - right)
    worth = -np.array([[0, 1, 7], [2, 0, 3], [11, 5, 0]])
    each = worth @ shares
    expected = each.max() if guess == "dutch_draw" else called @ each
    assert class_chance(class_utility(worth), table, guess) == pytest.approx(expected)


@pytest.mark.parametrize("guess", ["dutch_draw", "same_alarms", "proportional"])
@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "balanced_accuracy",
        "macro_specificity",
        "weighted_specificity",
        "macro_false_positive_rate",
    ],
)
def test_sums_of_weights_have_the_chance_of_as_many_cases(name, guess):
    counts = np.array([[5, 2, 1], [0, 3, 1], [2, 1, 6]])
    whole, halves = (ClassTable(counts * unit) for unit in (1, 0.5))
    metric = class_metric(name)
    assert class_chance(metric, halves, guess) == pytest.approx(class_chance(metric, whole, guess))
