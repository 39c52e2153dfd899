"""The vectorised root finder on functions whose roots are known."""

import numpy as np
import pytest

from baserate.inference.roots import Point, Secants, bracketed_root

TARGETS = np.array([1e-12, 1e-3, 0.5, 40.0, 1e9])


EVERY = np.arange(TARGETS.size)


def solve(function, low, high, inside, **rules):
    points = (
        Point(x, function(x, EVERY))
        for x in (np.full(TARGETS.shape, float(w)) for w in (low, high, inside))
    )
    return bracketed_root(function, *points, **rules)


@pytest.mark.parametrize(
    "shape",
    [lambda w: w, lambda w: w / (1 + w), np.sqrt, np.log, lambda w: -1 / w**3, np.arctan],
    ids=["line", "ratio", "sqrt", "log", "cube", "arctan"],
)
def test_finds_roots_over_forty_powers_of_ten(shape):
    found = solve(
        lambda w, at: shape(w / TARGETS[at]) - shape(1.0), 1e-20, 1e20, 1.0, relative=1e-9
    )
    np.testing.assert_allclose(found, TARGETS, rtol=2e-9)


def test_a_ratio_of_linear_functions_takes_two_evaluations():
    calls = []

    def function(w, at):
        calls.append(w)
        return (3 * w - TARGETS[at]) / (1 + 5 * w)

    found = solve(function, 1e-20, 1e20, 1.0, relative=1e-6)
    np.testing.assert_allclose(found, TARGETS / 3, rtol=1e-14)
    assert len(calls) - 3 <= 3


def test_no_change_of_sign_has_no_root():
    assert np.isnan(solve(lambda w, at: w + TARGETS[at], 1.0, 2.0, 1.5, relative=1e-9)).all()


def test_a_jump_is_located_to_the_absolute_tolerance():
    found = solve(
        lambda w, at: np.where(w > 0.3, 1.0, -1.0),
        -1,
        1,
        0.5,
        relative=0.0,
        absolute=1e-9,
    )
    np.testing.assert_allclose(found, 0.3, atol=2e-9)


def test_a_root_that_is_hit_is_found_however_close_is_asked_for():
    search = Secants(np.array([1.0, 2.0]), np.ones(2), (-np.inf, np.inf))
    search.learn(np.array([0.0, 0.5]), 0.0)
    assert search.done.tolist() == [True, False]
    assert search.x[0] == 1.0
