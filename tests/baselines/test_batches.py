"""Skill and guesses of many tables at once are those of each table, one by one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from baserate import ConfusionMatrix, metrics, random_guess, skill
from baserate.errors import InvalidArgumentError
from baserate.metrics._laws import all_tables
from oracles import chance_twins

SHOWN = ("value", "score", "chance", "perfect")


def one_by_one(metric, tables, guess):
    return [skill(metric, tables[i], guess=guess) for i in range(tables.shape[0])]


@pytest.mark.sweep(24, start=13)
@pytest.mark.parametrize("guess", ["dutch_draw", "same_alarms", "proportional", 0.3])
@pytest.mark.parametrize(
    "name", ["f1", "precision", "lift", "base_rate", "negative_likelihood_ratio", "yule_q"]
)
def test_skill_of_a_batch_is_that_of_its_tables(name, guess):
    tables = all_tables(5)[::3]
    found, single = skill(name, tables, guess=guess), one_by_one(name, tables, guess)
    for field in SHOWN:
        expected = np.array([getattr(one, field) for one in single])
        np.testing.assert_array_equal(getattr(found, field), expected)
    assert found.reason == tuple(one.reason for one in single)


def test_skill_keeps_the_shape_of_a_batch():
    tables = ConfusionMatrix(tp=[[18], [20]], fn=[[12], [10]], fp=[12, 5, 0], tn=[58, 65, 70])
    found = skill(metrics.precision.at_base_rate(0.02), tables)
    assert found.value.shape == found.chance.shape == (2, 3)
    assert len(found.reason) == 6
    assert found.value[1, 2] == 1


@pytest.mark.parametrize("name", ["f1", "precision", "matthews_correlation", "accuracy"])
def test_guesses_of_many_class_totals(name):
    positive, negative = np.array([[1], [3], [6]]), np.array([2, 4])
    found = random_guess(name, n_positive=positive, n_negative=negative, strategy="proportional")
    assert found.value.shape == found.g.shape == found.p_defined.shape == (3, 2)
    for (i, j), value in np.ndenumerate(found.value):
        p, q = int(positive[i, 0]), int(negative[j])
        exact = chance_twins.guess(name, p, q, Fraction(p, p + q))
        assert value == pytest.approx(float(exact[0]), rel=1e-12, abs=1e-12)


def test_guesses_of_many_chances():
    found = random_guess("recall", n_positive=30, n_negative=70, strategy=[0.1, 0.5])
    np.testing.assert_allclose(found.value, [0.1, 0.5], rtol=1e-13)
    assert len(found.route) == 2


def test_undefined_guesses_are_nan():
    found = random_guess("recall", n_positive=[0, 5], n_negative=7)
    assert math.isnan(found.value[0])
    assert found.p_defined.tolist() == [0, 1]


def test_totals_that_do_not_fit():
    with pytest.raises(InvalidArgumentError, match=r"must have shapes that fit each other"):
        random_guess("f1", n_positive=[1, 2], n_negative=[1, 2, 3])
    with pytest.raises(InvalidArgumentError, match="n_positive must lie in"):
        random_guess("f1", n_positive=[1, -2], n_negative=3)
