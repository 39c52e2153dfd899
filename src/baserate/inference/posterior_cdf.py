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

from baserate._arrays import Array, Index
from baserate._quadrature import beta_nodes
from baserate.inference.metric_law import product_of
from baserate.inference.posterior import ENOUGH, Odds, Plan, Posterior, quick_quantiles
from baserate.inference.roots import Point, bracketed_root

STEEP = 1.2
NODES = 40
EFFORTS = (16, 24, 36, 54)
LOOKS = np.array([0.001, *np.linspace(0.01, 0.99, 15), 0.999])
MARGIN = 3
BLOCK = 1 << 16  # nodes at a time: what a cache holds
CORNER_GRID = 65
GOLDEN, GOLDEN_STEPS = (5**0.5 - 1) / 2, 40
ACCURACY = 1e-11


def distribution(posterior: Posterior, plan: Plan, nodes: int = NODES) -> Callable[[Array], Array]:
    """Return the distribution function for the values in an array."""
    rate = posterior.rates[plan.inner]
    kinks = bool(plan.outer) and rate.least_parameter < ENOUGH
    if kinks or any(sharp > STEEP for sharp in plan.sharpness):
        return Panelled(posterior, plan, nodes)
    return Smooth(posterior, plan, nodes / NODES)


def distribution_within(
    posterior: Posterior, plan: Plan, accuracy: float, *, looks: Array = LOOKS, slack: float = 10.0
) -> tuple[Callable[[Array], Array], float]:
    """Return a distribution function with as few nodes as will do, and its error.

    The error is how far a finer rule differs, at the quantiles `looks`, times a margin. Where the
    rules converge slowly, at an end of a law that few counts leave, `slack` times as much will do.
    """
    values, weights = posterior.guide
    levels, tried = quick_quantiles(values, weights, looks), []
    coarse = distribution(posterior, plan, EFFORTS[0])
    at_coarse = coarse(levels)
    for nodes in EFFORTS[1:]:
        finer = distribution(posterior, plan, nodes)
        at_finer = finer(levels)
        tried.append((coarse, MARGIN * float(np.abs(at_finer - at_coarse).max())))
        if tried[-1][1] <= accuracy:
            return tried[-1]
        coarse, at_coarse = finer, at_finer
    return next((rule for rule in tried if rule[1] <= slack * accuracy), tried[-1])


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
        shape = np.broadcast_shapes(np.shape(s), *(point.y.shape for point in points))
        level = np.broadcast_to(s, shape).ravel()
        flat = {i: np.broadcast_to(odds, shape).ravel() for i, odds in others.items()}

        def function(inner: Array, at: Index) -> Array:
            # A single undefined point has probability zero: it may count as the threshold.
            difference = self.metric(inner, {i: odds[at] for i, odds in flat.items()}) - level[at]
            return np.where(np.isnan(difference), 0.0, difference)

        left, right, inside = (
            Point(np.broadcast_to(x, shape), np.broadcast_to(y - s, shape)) for x, y in points
        )
        relative = max(1e-6 * self.rate.spread, 1e-15)
        threshold = bracketed_root(function, left, right, inside, relative=relative)
        share = np.where((left.y + right.y) < 0, 1.0, 0.0)
        found = np.flatnonzero(~np.isnan(threshold))
        below = self.rate.below(threshold.flat[found])
        share.flat[found] = below if self.plan.rising else 1 - below
        return share


class Smooth:
    """The distribution function by a fixed product of Gauss rules."""

    def __init__(self, posterior: Posterior, plan: Plan, effort: float = 1.0) -> None:
        self.threshold = Threshold(posterior, plan)
        rates = [posterior.rates[i] for i in plan.outer]
        rules = [
            beta_nodes(rate.a, rate.b, ceil(effort * nodes_for(sharp, posterior.size)))
            for rate, sharp in zip(rates, plan.sharpness, strict=True)
        ]
        odds = np.meshgrid(*(rule.odds for rule in rules), indexing="ij")
        self.others: Odds = {i: x.ravel() for i, x in zip(plan.outer, odds, strict=True)}
        self.weights = product_of([rule.weights for rule in rules])

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """What every s needs: the metric at three values of the inner rate."""
        return self.threshold.points(self.others)

    def __call__(self, levels: Array) -> Array:
        """P(metric <= s) for each s."""
        return self.threshold.below(levels[:, None], self.others, self.points) @ self.weights


class Panelled:
    """The distribution function by rules between the places where the threshold leaves [0, 1]."""

    def __init__(self, posterior: Posterior, plan: Plan, nodes: int) -> None:
        self.posterior, self.plan, self.nodes = posterior, plan, nodes
        self.threshold = Threshold(posterior, plan)
        self.middle, self.first = plan.outer[-1], plan.outer[0]
        self.one_axis = len(plan.outer) == 1

    def __call__(self, levels: Array) -> Array:
        """P(metric <= s) for each s."""
        levels = np.asarray(levels, dtype=float)
        at_once = max(1, BLOCK // self.nodes ** len(self.plan.outer))
        starts = range(0, levels.size, at_once)
        return np.concatenate([self._block(levels[i : i + at_once]) for i in starts])

    def _block(self, levels: Array) -> Array:
        row, first, weights = self._first_axis(levels)
        s = levels[row]
        low, high, certain = self._uncertain(s, first)
        share = certain
        open_ = np.flatnonzero(high > low)
        if open_.size:
            lone = 4 * self.nodes if self.one_axis else self.nodes
            middle, mass = self.posterior.rates[self.middle].between(low[open_], high[open_], lone)
            others = self._others(first[open_, None], middle)
            below = self.threshold.below(s[open_, None], others, self.threshold.points(others))
            share[open_] += (below * mass).sum(axis=-1)
        return np.bincount(row, weights * share, levels.size).astype(np.float64)

    def _others(self, first: Array, middle: Array) -> Odds:
        return {self.middle: middle} if self.one_axis else {self.first: first, self.middle: middle}

    def _first_axis(self, levels: Array) -> tuple[Index, Array, Array]:
        """Return nodes along the first axis: which of the levels each serves, odds and weight."""
        every = np.arange(levels.size)
        if self.one_axis:
            return every, np.ones(levels.size), np.ones(levels.size)
        rate, sharp = self.posterior.rates[self.first], self.plan.sharpness[0]
        owner, cuts = self._corner_cuts(levels)
        split = every if sharp > STEEP else np.unique(owner)
        owner = np.concatenate((split, owner, split))
        ends = [np.full(split.size, end) for end in rate.ends]
        edges = np.concatenate((ends[0], cuts, ends[1]))
        order = np.lexsort((edges, owner))
        owner, edges = owner[order], edges[order]
        piece = np.flatnonzero(owner[1:] == owner[:-1])
        odds, weights = rate.between(edges[piece], edges[piece + 1], self.nodes)
        whole = np.setdiff1d(every, split)
        rule = beta_nodes(rate.a, rate.b, nodes_for(sharp, self.posterior.size))
        parts = (np.repeat(owner[piece], odds.shape[1]), np.repeat(whole, rule.odds.size))
        return (
            np.concatenate(parts),
            np.concatenate((odds.ravel(), np.tile(rule.odds, whole.size))),
            np.concatenate((weights.ravel(), np.tile(rule.weights, whole.size))),
        )

    @cached_property
    def _corners(self) -> tuple[Array, Array, Array]:
        """The metric along the first axis with the two other rates at the ends of their range."""
        grid = np.geomspace(*self.posterior.rates[self.first].ends, CORNER_GRID)
        pair = (self.posterior.rates[i].ends for i in (self.plan.inner, self.middle))
        ends = np.array(list(product(*pair)))
        values = self._at_corner(grid, ends[:, :1], ends[:, 1:])
        turns = np.diff(np.sign(np.diff(values, axis=1)), axis=1)
        corner, cell = np.nonzero(np.abs(turns) == 2)
        if not corner.size:
            return grid, ends, values
        turning = self._turning(ends[corner], turns[corner, cell], grid[cell], grid[cell + 2])
        grid = np.unique(np.concatenate((grid, turning)))
        return grid, ends, self._at_corner(grid, ends[:, :1], ends[:, 1:])

    def _turning(self, ends: Array, turn: Array, low: Array, high: Array) -> Array:
        """Return where along the first axis a corner's values turn: by golden section.

        Two crossings closer to each other than the grid would be taken for none.
        """
        low, high = np.log(low), np.log(high)
        for _ in range(GOLDEN_STEPS):
            first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            at_first, at_second = (
                turn * self._at_corner(np.exp(x), ends[:, 0], ends[:, 1]) for x in (first, second)
            )
            right = at_first > at_second
            low, high = np.where(right, first, low), np.where(right, high, second)
        return np.exp((low + high) / 2)

    def _at_corner(self, first: Array, inner: Array, middle: Array) -> Array:
        return self.threshold.metric(inner, self._others(first, middle)) + 0 * first

    def _corner_cuts(self, levels: Array) -> tuple[Index, Array]:
        """Return where along the first axis the curves {metric = s} cross a corner, and whose."""
        grid, ends, values = self._corners
        sign = np.sign(values[..., None] - levels)
        corner, cell, owner = np.nonzero(sign[:, :-1] * sign[:, 1:] < 0)
        s, (inner, middle) = levels[owner], ends[corner].T

        def function(first: Array, at: Index | slice = slice(None)) -> Array:
            return self._at_corner(first, inner[at], middle[at]) - s[at]

        left, right = (Point(grid[cell + i], values[corner, cell + i] - s) for i in range(2))
        centre = np.sqrt(left.x * right.x)
        inside = Point(centre, function(centre))
        return owner, bracketed_root(function, left, right, inside, relative=1e-10)

    def _uncertain(self, s: Array, first: Array) -> tuple[Array, Array, Array]:
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
        mass = np.diff(rate.below(edges), axis=0)
        certain = np.where(~crosses & (at_ends[0] + at_ends[1] < 0), mass, 0.0).sum(axis=0)
        piece, column = np.argmax(crosses, axis=0), np.arange(first.size)
        start = edges[piece, column]
        end = np.where(crosses.any(axis=0), edges[piece + 1, column], start)
        return start, end, certain

    def _edge_cut(self, s: Array, first: Array, inner: float) -> Array:
        """Return where along the middle axis the threshold reaches an end of the inner rate."""
        rate = self.posterior.rates[self.middle]

        def function(middle: Array, at: Index | slice = slice(None)) -> Array:
            others = self._others(first[at], middle)
            return self.threshold.metric(np.asarray(inner), others) - s[at]

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
