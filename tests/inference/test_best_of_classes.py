"""Which of several classifiers of several classes is best: by draws of other means."""

from itertools import product

import numpy as np
import pytest

from baserate.errors import InvalidCountError, UnsupportedError
from baserate.inference import ClassPairs, compare_class_yields
from baserate.inference.best_of_classes import best_on_same_cases, best_on_separate_cases

RNG = np.random.default_rng(8)
WORTH = np.array([[1.0, -1, -4], [0, 2, -3], [-1, 0, 1]])
TRUTH = RNG.integers(3, size=40)
DECIDED = [np.where(RNG.random(40) < 0.6, TRUTH, RNG.integers(3, size=40)) for _ in range(3)]


def test_three_on_the_same_cases_are_drawn_with_the_documented_prior():
    ahead = (np.diagonal(WORTH) - WORTH)[~np.eye(3, dtype=bool)]
    ways = [np.outer(ahead, way) for way in product((0, 1), repeat=3)]  # who is right gains
    payoffs = np.vstack([WORTH[np.stack(DECIDED), TRUTH].T, *ways])
    alpha = np.concatenate([np.ones(40), np.full(8 * 6, 2 / 8 / 6)])
    drawn = np.random.default_rng(1).dirichlet(alpha, 40_000) @ payoffs
    expected = np.bincount(drawn.argmax(axis=1), minlength=3) / len(drawn)
    found = best_on_same_cases(TRUTH, DECIDED, WORTH, rng=2)
    assert found.probabilities == pytest.approx(tuple(expected), abs=0.012)
    assert found.route == "simulation"
    assert 0 < max(found.standard_errors) < 0.003


def test_two_have_the_exact_integral_of_their_pair():
    pairs = ClassPairs.of_cases(TRUTH, *DECIDED[:2], 3)
    sure = compare_class_yields(WORTH, pairs).probability_a_better
    assert best_on_same_cases(TRUTH, DECIDED[:2], WORTH).probabilities == (sure, 1 - sure)
    assert best_on_same_cases(TRUTH, DECIDED[:2], np.ones((3, 3))).probabilities == (0.5, 0.5)


def test_separate_cases_are_integrated():
    cells = [np.diag([9, 8, 7]) + i for i in range(3)]
    prior = np.where(np.eye(3), 1 / 6, 1 / 12)
    rng = np.random.default_rng(3)
    drawn = [rng.dirichlet((x + prior).ravel(), 200_000) @ WORTH.ravel() for x in cells]
    expected = np.bincount(np.argmax(drawn, axis=0), minlength=3) / 200_000
    found = best_on_separate_cases(cells, WORTH)
    assert found.probabilities == pytest.approx(tuple(expected), abs=0.005)


def test_too_many_or_too_few_are_refused():
    with pytest.raises(InvalidCountError, match="two classifiers or more"):
        best_on_same_cases(TRUTH, DECIDED[:1], WORTH)
    with pytest.raises(UnsupportedError, match="pass rng"):
        best_on_same_cases(TRUTH, DECIDED, WORTH)
    with pytest.raises(UnsupportedError, match="compare fewer"):
        best_on_same_cases(TRUTH, DECIDED * 6, np.eye(3), rng=0)
