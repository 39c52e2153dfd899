"""Bracketed root finding on arrays, by steps that are exact for ratios of linear functions.

Given its rates and the base rate, a metric is a ratio of linear functions of each cell more often
than not, and so of the odds of each rate: three points then determine it, and the first step
lands on the root. A Brent or Chandrupatla step (inverse quadratic) would need five.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from baserate._arrays import Array, Index

Function = Callable[[Array, Index], Array]

MOST_TURNS = 120  # halving every other turn shrinks any bracket to its last digit by then


class Point(NamedTuple):
    """Where, and the function there."""

    x: Array
    y: Array


def bracketed_root(
    function: Function,
    left: Point,
    right: Point,
    inside: Point,
    *,
    relative: float,
    absolute: Array | float = 0.0,
    close_enough: float = 0.0,
) -> Array:
    """Return the roots of functions that are monotone between `left` and `right`.

    `function(x, at)` evaluates those functions that `at` lists, as places in the flattened array:
    few roots take many more steps than most. A root is accepted when it is known to within
    `relative` times itself plus `absolute`, or where |y| <= `close_enough`. Where both ends have
    the same sign the answer is nan.
    """
    shape = np.broadcast_shapes(*(np.shape(point.y) for point in (left, right, inside)))
    left, right, inside = (
        Point(*(np.broadcast_to(part, shape).ravel() for part in point))
        for point in (left, right, inside)
    )
    absolute = np.broadcast_to(absolute, shape).ravel()
    answer = np.full(left.x.size, np.nan)
    crosses = np.sign(left.y) * np.sign(right.y) < 0
    for end in (left, right, inside):
        exact = crosses & np.isnan(answer) & (np.abs(end.y) <= close_enough)
        answer[exact] = end.x[exact]
    at = np.flatnonzero(crosses & np.isnan(answer))
    (left, right, third) = _narrowed(*(_take(point, at) for point in (left, right, inside)))
    last, absolute = inside.x[at], absolute[at]
    for turn in range(MOST_TURNS):
        if not at.size:
            break
        guess = _step(left, right, third) if turn < 8 or turn % 2 else _middle(left, right)
        reach = relative * np.abs(guess) + absolute
        near = np.abs(guess - last) <= reach
        # A step this short is tested by stepping over it: only a change of sign makes it the root.
        from_left = last == left.x
        beyond = np.clip(np.where(from_left, guess + reach, guess - reach), left.x, right.x)
        x = np.where(near, beyond, guess)
        probe = Point(x, function(x, at))
        passed = near & ((np.sign(probe.y) == np.sign(right.y)) == from_left)
        exact = np.abs(probe.y) <= close_enough
        answer[at] = np.where(passed, guess, np.where(exact, probe.x, np.nan))
        (left, right, third), last = _narrowed(left, right, probe), probe.x
        open_ = np.flatnonzero(~(passed | exact))
        if open_.size < at.size:
            left, right, third = (_take(point, open_) for point in (left, right, third))
            at, last, absolute = at[open_], last[open_], absolute[open_]
    answer[at] = _middle(left, right)
    return answer.reshape(shape)


def _take(point: Point, at: Index) -> Point:
    return Point(point.x[at], point.y[at])


def _narrowed(left: Point, right: Point, probe: Point) -> tuple[Point, Point, Point]:
    """Replace the end that has the probe's sign; the end given up becomes the third point."""
    first = np.sign(probe.y) == np.sign(left.y)
    return (_pick(first, probe, left), _pick(first, right, probe), _pick(first, left, right))


def _pick(choose: Array, a: Point, b: Point) -> Point:
    return Point(np.where(choose, a.x, b.x), np.where(choose, a.y, b.y))


def _step(left: Point, right: Point, third: Point) -> Array:
    guess = linear_ratio_step(*left, *right, *third)
    return np.where((guess > left.x) & (guess < right.x), guess, _middle(left, right))


def linear_ratio_step(x0: Array, y0: Array, x1: Array, y1: Array, x2: Array, y2: Array) -> Array:
    """Find the zero between x0 and x1 of the ratio of linear functions through three points.

    By equal cross-ratios; nan where it does not lie between.
    """
    with np.errstate(all="ignore"):
        p, q = y0 * (y2 - y1) * (x2 - x0), y1 * (y0 - y2) * (x2 - x1)
        guess = (q * x0 + p * x1) / (q + p)
        return np.where((guess >= x0) & (guess <= x1), guess, np.nan)


class Secants:
    """Roots of increasing functions, many at once: secants on a nearly straight scale."""

    def __init__(self, guess: Array, slope: Array, bounds: tuple[float, float]) -> None:
        self.x, self.slope = guess, slope  # of x per unit of y
        self.low, self.high = (np.full(guess.shape, float(end)) for end in bounds)
        self.last_x, self.last_y = np.full((2, guess.size), np.nan)
        self.done = np.zeros(guess.size, dtype=bool)

    def learn(self, y: Array, close: float) -> None:
        """Take in what the functions are at the current places, and move on.

        A root that is found stays where it is, however long others take.
        """
        x, found, slope = self.x, self.done, self.slope
        self.low, self.high = np.where(y < 0, x, self.low), np.where(y > 0, x, self.high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            secant = (x - self.last_x) / (y - self.last_y)
            better = np.isfinite(secant) & (secant > 0) & (np.abs(y - self.last_y) > close)
            self.slope = np.where(better, secant, self.slope)
            new = x - np.clip(y, -2.0, 2.0) * self.slope
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            outward = x - np.sign(y) * (1 + 2 * np.abs(x))
            middle = np.where(bounded, (self.low + self.high) / 2, outward)
        inside = (new > self.low) & (new < self.high)
        self.last_x, self.last_y = x, y
        moved = np.where(inside, new, np.where(y == 0, x, middle))
        self.x, self.slope = np.where(found, x, moved), np.where(found, slope, self.slope)
        self.done = found | (np.abs(y) <= close)


def _middle(left: Point, right: Point) -> Array:
    """Halve geometrically what is positive, since odds range over many powers of ten."""
    with np.errstate(invalid="ignore"):
        geometric = np.sqrt(left.x) * np.sqrt(right.x)
    return np.where(left.x > 0, geometric, (left.x + right.x) / 2)
