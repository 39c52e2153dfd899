"""P(metric <= s) under a posterior: a threshold in one rate, Gauss rules in the others.

Two rules. `Smooth` has fixed nodes, and serves where the threshold's probability is a smooth
function of the other rates. With few counts in a cell, or where another rate moves the metric more,
that probability has kinks, or a steep step, where the threshold enters or leaves [0, 1]:
`Panelled` finds these places for each s, and gives every piece between them a rule of its own.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import product
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from baserate.inference._posterior import ENOUGH, Odds, Plan, Posterior
from baserate.inference._roots import Point, bracketed_root

Array = NDArray[np.float64]

STEEP = 1.2
PANEL_NODES = 40
LONE_NODES = 160  # with no second axis nodes are cheap
CORNER_GRID = 65
ACCURACY = 1e-11


def distribution(posterior: Posterior, plan: Plan) -> Callable[[Array], Array]:
    """Return the distribution function for the values in an array."""
    rate = posterior.rates[plan.inner]
    kinks = bool(plan.outer) and rate.least < ENOUGH
    if kinks or any(sharp > STEEP for sharp in plan.sharpness):
        panelled = Panelled(posterior, plan)
        return lambda levels: np.array([panelled(float(s)) for s in levels])
    return Smooth(posterior, plan)


class Threshold:
    """The value of the rate `inner` at which the metric is s, as a probability to lie below s."""

    def __init__(self, posterior: Posterior, plan: Plan) -> None:
        self.posterior, self.plan = posterior, plan
        self.rate = posterior.rates[plan.inner]

    def points(self, others: Odds) -> tuple[Point, ...]:
        """Return the metric at both ends of the inner rate, and near its centre.

        Not at the centre: rates with equal counts share it, and a metric may be undefined there.
        """
        near_centre = self.rate.centre * (1 + self.rate.spread / 7)
        return tuple(
            Point(np.asarray(odds), self.metric(np.asarray(odds), others))
            for odds in (*self.rate.ends, near_centre)
        )

    def metric(self, inner: Array, others: Odds) -> Array:
        """Return the metric at odds of the inner rate and of the others."""
        return self.posterior.value({**others, self.plan.inner: inner})

    def below(self, s: Array, others: Odds, points: tuple[Point, ...]) -> Array:
        """P(metric <= s | the other rates)."""

        def function(odds: Array) -> Array:
            # A single undefined point has probability zero: it may count as the threshold.
            difference = self.metric(odds, others) - s
            return np.where(np.isnan(difference), 0.0, difference)

        shape = np.broadcast_shapes(np.shape(s), *(point.y.shape for point in points))
        left, right, inside = (
            Point(np.broadcast_to(x, shape), np.broadcast_to(y - s, shape)) for x, y in points
        )
        relative = max(1e-6 * self.rate.spread, 1e-15)
        threshold = bracketed_root(function, left, right, inside, relative=relative)
        share = self.rate.cdf(threshold) if self.plan.rising else 1 - self.rate.cdf(threshold)
        return np.where(np.isnan(threshold), (left.y + right.y) < 0, share)


class Smooth:
    """The distribution function by a fixed product of Gauss rules."""

    def __init__(self, posterior: Posterior, plan: Plan) -> None:
        self.threshold = Threshold(posterior, plan)
        rules = [
            posterior.rates[i].gauss(nodes_for(sharp, posterior.size))
            for i, sharp in zip(plan.outer, plan.sharpness, strict=True)
        ]
        odds = np.meshgrid(*(rule.odds for rule in rules), indexing="ij")
        self.others: Odds = {i: x.ravel() for i, x in zip(plan.outer, odds, strict=True)}
        weights = np.ones(1)
        for rule in rules:
            weights = np.multiply.outer(weights, rule.weights).ravel()
        self.weights = weights

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """What every s needs: the metric at three values of the inner rate."""
        return self.threshold.points(self.others)

    def __call__(self, levels: Array) -> Array:
        """P(metric <= s) for each s."""
        return self.threshold.below(levels[:, None], self.others, self.points) @ self.weights


class Panelled:
    """The distribution function by rules between the places where the threshold leaves [0, 1]."""

    def __init__(self, posterior: Posterior, plan: Plan) -> None:
        self.posterior, self.plan = posterior, plan
        self.threshold = Threshold(posterior, plan)
        self.middle, self.first = plan.outer[-1], plan.outer[0]
        self.one_axis = len(plan.outer) == 1

    def __call__(self, s: float) -> float:
        """P(metric <= s)."""
        first, weights = self._first_axis(s)
        low, high, certain = self._uncertain(s, first)
        nodes = LONE_NODES if self.one_axis else PANEL_NODES
        middle, share = self.posterior.rates[self.middle].between(low, high, nodes)
        others = self._others(first[:, None], middle)
        inner = self.threshold.below(np.asarray(s), others, self.threshold.points(others))
        return float(weights @ (certain + (inner * share).sum(axis=-1)))

    def _others(self, first: Array, middle: Array) -> Odds:
        return {self.middle: middle} if self.one_axis else {self.first: first, self.middle: middle}

    def _first_axis(self, s: float) -> tuple[Array, Array]:
        if self.one_axis:
            return np.ones(1), np.ones(1)
        rate = self.posterior.rates[self.first]
        cuts = self._corner_cuts(s)
        sharp = self.plan.sharpness[0]
        if not cuts.size and sharp <= STEEP:
            return rate.gauss(nodes_for(sharp, self.posterior.size))
        edges = np.concatenate(([rate.ends[0]], cuts, [rate.ends[1]]))
        rule = rate.between(edges[:-1], edges[1:], PANEL_NODES)
        return rule.odds.ravel(), rule.weights.ravel()

    @cached_property
    def _corners(self) -> tuple[Array, Array]:
        """The metric along the first axis with the two other rates at the ends of their range."""
        grid = np.geomspace(*self.posterior.rates[self.first].ends, CORNER_GRID)
        inner, middle = (np.array(self.posterior.rates[i].ends) for i in self._pair)
        return grid, np.array(
            [self._at_corner(grid, i, m) for i, m in product(inner, middle)], dtype=float
        )

    @property
    def _pair(self) -> tuple[int, int]:
        return self.plan.inner, self.middle

    def _at_corner(self, first: Array, inner: Array, middle: Array) -> Array:
        return self.threshold.metric(inner, self._others(first, middle)) + 0 * first

    def _corner_cuts(self, s: float) -> Array:
        """Return where along the first axis the curve {metric = s} crosses a corner."""
        grid, values = self._corners
        sign = np.sign(values - s)
        corner, cell = np.nonzero(sign[:, :-1] * sign[:, 1:] < 0)
        ends = np.array(list(product(*(self.posterior.rates[i].ends for i in self._pair))))[corner]

        def function(first: Array) -> Array:
            return self._at_corner(first, ends[:, 0], ends[:, 1]) - s

        left, right = (Point(grid[cell + i], values[corner, cell + i] - s) for i in range(2))
        middle = np.sqrt(left.x * right.x)
        inside = Point(middle, function(middle))
        return np.sort(bracketed_root(function, left, right, inside, relative=1e-10))

    def _uncertain(self, s: float, first: Array) -> tuple[Array, Array, Array]:
        """Return the range of the middle rate with a threshold inside, and P(below s) elsewhere."""
        rate = self.posterior.rates[self.middle]
        low, high = (np.full(first.shape, end) for end in rate.ends)
        cuts = np.sort([self._edge_cut(s, first, end) for end in self.threshold.rate.ends], axis=0)
        cuts = np.where(np.isnan(cuts), low, cuts)
        edges = np.sort(np.array([low, *cuts, high]), axis=0)
        centre = np.sqrt(edges[:-1]) * np.sqrt(edges[1:])
        at_ends = [
            self.threshold.metric(np.asarray(end), self._others(first, centre)) - s
            for end in self.threshold.rate.ends
        ]
        crosses = (np.sign(at_ends[0]) * np.sign(at_ends[1]) < 0) & (edges[1:] > edges[:-1])
        mass = np.diff(rate.cdf(edges), axis=0)
        certain = np.where(~crosses & (at_ends[0] + at_ends[1] < 0), mass, 0.0).sum(axis=0)
        piece, column = np.argmax(crosses, axis=0), np.arange(first.size)
        start = edges[piece, column]
        end = np.where(crosses.any(axis=0), edges[piece + 1, column], start)
        return start, end, certain

    def _edge_cut(self, s: float, first: Array, inner: float) -> Array:
        """Return where along the middle axis the threshold reaches an end of the inner rate."""
        rate = self.posterior.rates[self.middle]

        def function(middle: Array) -> Array:
            return self.threshold.metric(np.asarray(inner), self._others(first, middle)) - s

        left, right, inside = (
            Point(x, function(x))
            for x in (np.full(first.shape, odds) for odds in (*rate.ends, rate.centre))
        )
        return bracketed_root(function, left, right, inside, relative=1e-10)


def nodes_for(sharpness: float, size: float) -> int:
    """Return how many Gauss nodes bring the error to about 1e-11.

    For normal variables the error falls like τ^nodes, with τ the share of the variance that comes
    from the integrated rate. A quarter is added for skewed laws, and small tables get more.
    """
    share = sharpness**2 / (1 + sharpness**2)
    least = 10 if size >= 1000 else 14 if size >= 100 else 20
    wanted = ceil(1.25 * log(ACCURACY) / log(max(share, 1e-12)))
    return max(least, min(80, wanted))
