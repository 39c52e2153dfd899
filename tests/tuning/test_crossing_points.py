"""Crossings of curves whose roots are known."""

import numpy as np
import pytest

from baserate.tuning.curve_crossings import crossing_points, crossing_totals


def found(gap, at):
    return crossing_points(gap, at, gap(at))


def test_roots_of_a_polynomial():
    roots = [0.1, 0.25, 0.5, 0.77]
    at = np.linspace(0, 1, 41)
    ends = found(lambda x: np.prod([x - r for r in roots], axis=0), at)
    assert [low for low, _ in ends] == pytest.approx(roots, abs=1e-12)


def test_two_roots_between_neighbouring_places():
    ends = found(lambda x: (x - 0.3) ** 2 - 1e-8, np.linspace(0, 1, 5))
    assert [low for low, _ in ends] == pytest.approx([0.2999, 0.3001], abs=1e-11)


def test_two_roots_before_the_second_place_and_after_the_last_but_one():
    at = np.linspace(0, 1, 6)
    ends = found(lambda x: (x - 0.05) * (x - 0.12), at)
    assert [low for low, _ in ends] == pytest.approx([0.05, 0.12], abs=1e-12)
    ends = found(lambda x: (x - 0.95) * (x - 0.88), at)
    assert [low for low, _ in ends] == pytest.approx([0.88, 0.95], abs=1e-12)
    ends = found(lambda x: (x - 0.3) * (x - 0.7), np.array([0.0, 1.0]))
    assert [low for low, _ in ends] == pytest.approx([0.3, 0.7], abs=1e-12)


def test_touching_is_no_crossing():
    assert found(lambda x: (x - 0.3) ** 2, np.linspace(0, 1, 11)) == []


def test_a_stretch_on_which_curves_coincide():
    at = np.linspace(0, 1, 11)
    [(low, high)] = found(lambda x: np.maximum(x - 0.6, 0) + np.minimum(x - 0.3, 0), at)
    assert (low, high) == pytest.approx((0.3, 0.6))


def test_equal_curves_and_unknown_ones_do_not_cross():
    at = np.linspace(0, 1, 11)
    assert found(np.zeros_like, at) == []
    assert found(lambda x: np.where(abs(x - 0.5) < 0.2, np.nan, x - 0.5), at) == []


def test_whole_numbers():
    asked = []

    def gap(shares):
        asked.append(round(shares[0] * 1000))
        return shares - 0.3337

    totals = np.array([1, 500, 999])
    assert crossing_totals(gap, totals / 1000 - 0.3337, totals, 1000) == [(0.333, 0.334)]
    assert len(asked) <= 9
