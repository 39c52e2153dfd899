"""Credible limits: quantiles of the law that a metric inherits from the posterior of a table."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from baserate.counts import ConfusionMatrix
from baserate.inference._distribution import distribution_within
from baserate.inference._evidence import Evidence, evidence
from baserate.inference._posterior import Posterior, quick_quantiles
from baserate.inference._roots import Point, bracketed_root
from baserate.inference.resampling import quasi_monte_carlo
from baserate.metrics import Metric

Array = NDArray[np.float64]


ACCURACY = 3e-9  # of a distribution function
AROUND = np.array([0.3, 1.0, 3.0])  # times the probability beyond an end: where its error is seen
FAINT = 1e-3  # the guide knows no rarer quantiles
SOLVED = 1e-7  # of the width: some six times the worst of thousands of ends
CLOSE_ENOUGH = 1e-9  # on the normal scale; less than a tenth of that as a probability
MOST_MOVES = 40


class Limits(NamedTuple):
    """Two ends, the route that found them, and what is known about their error."""

    low: float
    high: float
    route: str
    error: float = 0.0
    undefined: float = 0.0


def credible(
    metric: Metric,
    table: ConfusionMatrix,
    confidence_level: float,
    squared: ConfusionMatrix | None = None,
) -> Limits:
    """Return posterior quantiles: exact if the metric is monotone in its rates, else simulated."""
    return credible_given(metric, evidence(table, squared), confidence_level)


def credible_given(metric: Metric, known: Evidence, confidence_level: float) -> Limits:
    """Return posterior quantiles, given the laws of base rate, recall and false positive rate."""
    tail = (1 - confidence_level) / 2
    levels = np.array([tail, 1 - tail])
    posterior = Posterior(metric, known)
    values, _ = posterior.guide
    if np.ptp(values) <= 64 * np.finfo(float).eps * np.max(np.abs(values)):
        return Limits(float(values.flat[0]), float(values.flat[0]), "constant")
    if metric.trend_in_fp == "unknown" or (plan := posterior.plan) is None:
        return Limits(*quasi_monte_carlo(metric, known, levels))
    near = np.clip(np.concatenate([tail * AROUND, 1 - tail * AROUND]), FAINT, 1 - FAINT)
    cdf, error = distribution_within(posterior, plan, ACCURACY, looks=near)
    ends = quantiles(cdf, posterior.guide, levels, metric.bounds)
    low, high = ends.tolist()
    return Limits(low, high, "gauss", _as_length(cdf, ends, error))


def _as_length(cdf: Callable[[Array], Array], ends: Array, error: float) -> float:
    """Return how far an error of the probability can move either end; inf beyond all digits.

    The ends themselves are solved to a small part of the width.
    """
    width = ends[1] - ends[0]
    step = width / 1000
    # Inwards, where the law surely has some probability.
    slopes = np.abs(cdf(ends + np.array([step, -step])) - cdf(ends)) / step
    return float(np.max(error / slopes) + SOLVED * width) if slopes.all() else np.inf


def quantiles(
    cdf: Callable[[Array], Array],
    guide: tuple[Array, Array],
    levels: Array,
    bounds: tuple[float, float],
) -> Array:
    """Return where a distribution function reaches these levels.

    Solved on the normal scale, on which most of these laws are nearly straight.
    """

    def function(s: Array, at: NDArray[np.intp] | slice = slice(None)) -> Array:
        return ndtri(np.clip(cdf(s), 1e-300, 1 - 1e-16)) - goal[at]

    goal = ndtri(levels)
    tails = np.minimum(levels, 1 - levels)
    near, far = np.minimum(2 * tails, 0.9), tails / 2
    left = quick_quantiles(*guide, np.where(levels < 0.5, far, 1 - near))
    right = quick_quantiles(*guide, np.where(levels < 0.5, near, 1 - far))
    left, right = _bracket(function, left, right, bounds, least=1e-9 * np.ptp(guide[0]))
    inside = np.clip(quick_quantiles(*guide, levels), left.x, right.x)
    inside = np.where((inside > left.x) & (inside < right.x), inside, (left.x + right.x) / 2)
    middle = Point(inside, function(inside))
    found = bracketed_root(
        function,
        left,
        right,
        middle,
        relative=1e-13,
        absolute=1e-10 * (right.x - left.x),
        close_enough=CLOSE_ENOUGH,
    )
    # A law with an atom at its end never crosses a level within that atom: the end is the quantile.
    return np.where(np.isnan(found), np.where(left.y > 0, left.x, right.x), found)


def _bracket(
    function: Callable[[Array], Array],
    left: Array,
    right: Array,
    bounds: tuple[float, float],
    *,
    least: float,
) -> tuple[Point, Point]:
    """Move the ends outward, but within the metric's bounds, until the levels lie between."""
    at_left, at_right = Point(left, function(left)), Point(right, function(right))
    width = np.maximum(right - left, least)
    for _ in range(MOST_MOVES):
        width = 2 * width
        left = np.where(at_left.y > 0, _outward(left, -width, bounds[0]), left)
        right = np.where(at_right.y < 0, _outward(right, width, bounds[1]), right)
        stays, remains = np.array_equal(left, at_left.x), np.array_equal(right, at_right.x)
        if stays and remains:
            break
        at_left = at_left if stays else Point(left, function(left))
        at_right = at_right if remains else Point(right, function(right))
    return at_left, at_right


def _outward(end: Array, step: Array, bound: float) -> Array:
    return end + step if np.isinf(bound) else bound + (end - bound) / 4
