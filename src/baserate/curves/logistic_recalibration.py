"""Logistic recalibration: the best level and slope of the logits, by maximum likelihood.

logit P(positive) = a + b logit(score). The log-likelihood is concave, so that what is left after
the best level is taken for each slope, the profile, is concave too: its top, and the two places
where it has fallen by a given amount, are the only ones, and Newton's rule finds them from outside.
These are the ends of intervals.

Many scores are pooled first: a sum over cases of a smooth function of the logit is a sum over a few
nodes of each short stretch of logits, up to rounding (Chebyshev interpolation).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, isfinite, nan, sqrt
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate.curves.estimates import Estimate

FLAT = 1e-12  # what is left of the gradient at the top, relative to its greatest size
STEEPEST = 1e12
BESIDE = 0.01
WIDEST = 3000  # halvings of a bracket as wide as floats go
STEEP = 2.0  # slopes beyond are fitted to logits pooled more finely
STEEPER = 16.0  # so much, where pooled logits have no slope
LAST = 1e-6  # a step of Newton's rule beside the whole way: the square of it is left
MANY = 10_000  # logits, from which on they are pooled
# The nearest singularity of log(1 + exp(a + b x)) is π / b away: with 12 nodes on stretches of
# 1 / (2 b) the interpolation errs by (8 π)^-12, below rounding.
NODES, STRETCH = 12, 0.5


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log-likelihood of level and slope."""

    x: Array  # logits; after pooling, nodes
    size: Array  # how many cases (or what weight) has each; of nodes it may be negative
    positives: float  # their number
    trend: float  # the sum of their logits

    def value(self, level: float, slope: float) -> float:
        """Return the log-likelihood."""
        total = self.size @ np.logaddexp(0.0, level + slope * self.x)
        return level * self.positives + slope * self.trend - float(total)

    def gradient(self, level: float, slope: float) -> Array:
        """Return its derivatives by level and slope."""
        from scipy.special import expit

        expected = self.size * expit(level + slope * self.x)
        return np.array([self.positives - expected.sum(), self.trend - expected @ self.x])

    def information(self, level: float, slope: float) -> Array:
        """Return minus its second derivatives, of shape (2, 2)."""
        from scipy.special import expit

        p = expit(level + slope * self.x)
        weight = self.size * p * (1 - p)
        off = float(weight @ self.x)
        return np.array([[weight.sum(), off], [off, weight @ self.x**2]])

    def level(self, slope: float) -> float:
        """Return the best level at this slope."""
        return level_shift(slope * self.x, self.size, self.positives)

    def profile(self, slope: float) -> tuple[float, float]:
        """Return the log-likelihood at the best level, and its derivative by the slope."""
        level = self.level(slope)
        return self.value(level, slope), float(self.gradient(level, slope)[1])

    @cached_property
    def best(self) -> tuple[float, float] | None:
        """Level and slope at the top; None where scores are too extreme for it to be found."""
        # Centred and scaled, the two parameters hardly depend on each other.
        centre, scale = float(self.x.mean()), float(self.x.std())
        shifted = self.trend - centre * self.positives
        unit = Likelihood((self.x - centre) / scale, self.size, self.positives, shifted / scale)
        found = _climbed(unit) or _nested(unit)
        if found is None:
            return None
        slope = found[1] / scale
        return found[0] - slope * centre, slope


def likelihood(x: Array, positive: Array, negative: Array, steepest: float = 1.0) -> Likelihood:
    """Return the log-likelihood of slopes up to `steepest`; x in order, at least two values."""
    nodes = pooled(x, positive + negative, STRETCH / steepest)
    return Likelihood(*nodes, float(positive.sum()), float(positive @ x))


def pooled(x: Array, size: Array, stretch: float) -> tuple[Array, Array]:
    """Return few nodes and weights that give the sums Σ size f(x) of smooth functions.

    On every stretch, a function is its interpolant in the Chebyshev nodes; the weights of these are
    the sums of the interpolating polynomials.
    """
    if len(x) < MANY:
        return x, size
    place = np.floor(x / stretch)
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    if len(first) * NODES * 2 > len(x):
        return x, size
    middle = (place[first] + 0.5) * stretch
    u = (x - np.repeat(middle, np.diff(np.append(first, len(x))))) * (2 / stretch)
    angle = np.pi * (np.arange(NODES) + 0.5) / NODES
    weights, before, now = np.zeros((len(first), NODES)), size * u, size.astype(float)
    for r in range(NODES):  # T_r+1 = 2 u T_r - T_r-1
        moment = np.add.reduceat(now, first) * ((2 if r else 1) / NODES)
        weights += moment[:, None] * np.cos(r * angle)
        before, now = now, 2 * u * now - before
    nodes = middle[:, None] + np.cos(angle) * (stretch / 2)
    return nodes.ravel(), weights.ravel()


def level_shift(logits: Array, size: Array, positives: float) -> float:
    """Solve Σ size expit(logits + a) = positives for a, with 0 < positives < Σ size.

    The sum grows with a. Where every probability is at most the share of positives it is too small,
    where every one is at least that share it is too large: this brackets the one root.
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    target = float(logit(positives / size.sum()))
    low, high = target - float(logits.max()), target - float(logits.min())
    if high <= low:
        return low
    # Pooled logits end up to 0.0044 of their stretch before the logits that they stand for.
    low, high = low - BESIDE * (high - low), high + BESIDE * (high - low)

    def excess(a: float) -> float:
        return float(size @ expit(logits + a)) - positives

    if excess(low) >= 0:  # equal up to rounding
        return low
    if excess(high) <= 0:
        return high
    root: Any = brentq(excess, low, high, xtol=1e-13, maxiter=WIDEST)
    return float(root)


def _fallen(
    of: Callable[[float], tuple[float, float]], top: float, away: float, wanted: float
) -> float:
    """Return where a concave function has fallen to `wanted`; nan where that is not found.

    `of` gives value and derivative. Newton's rule on a concave function goes beyond the root in one
    step at most, and from there returns without ever passing it.
    """
    at = top + away
    for _ in range(100):
        value, slope = of(at)
        step = (wanted - value) / slope if slope else nan
        if not isfinite(step):
            return nan
        at += step
        if abs(step) <= LAST * abs(at - top):
            return at
    return nan


def _climbed(unit: Likelihood) -> tuple[float, float] | None:
    """Solve for the top, where the gradient vanishes.

    None where that fails: saturated probabilities leave no curvature to steer by.
    """
    from scipy.optimize import root

    size = np.abs(unit.size)
    scale = np.array([size.sum(), size @ np.abs(unit.x)])  # the greatest size of the gradient

    def gradient(b: Array) -> Array:
        return unit.gradient(b[0], b[1]) / scale

    def curvature(b: Array) -> Array:
        return -unit.information(b[0], b[1]) / scale[:, None]

    found: Any = root(gradient, np.zeros(2), jac=curvature, options={"xtol": 1e-14})
    if not np.all(np.abs(gradient(found.x)) <= FLAT):
        return None
    return float(found.x[0]), float(found.x[1])


def _nested(unit: Likelihood) -> tuple[float, float] | None:
    """Find the slope at which the best level leaves no trend: slower, but it cannot be singular.

    At the best level for each slope, the likelihood is concave in the slope, so that its
    derivative, the trend left over, falls.
    """
    from scipy.optimize import brentq

    def trend(b: float) -> float:
        return unit.profile(b)[1]

    side, start = (1.0 if trend(0.0) > 0 else -1.0), 1.0
    while trend(side * start) * side > 0:
        start *= 2
        if start > STEEPEST:
            return None
    root: Any = brentq(trend, 0.0, side * start, xtol=1e-12)
    return unit.level(float(root)), float(root)


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """What is fitted to: logits, cases or weights of each class there, squared weights above."""

    x: Array
    positive: Array
    negative: Array
    squares: tuple[Array, Array] | None
    confidence_level: float

    def intercept(self) -> Estimate | None:
        """Return the intercept at slope 1."""
        of = likelihood(self.x, self.positive, self.negative)
        level = level_shift(of.x, of.size, of.positives)
        curvature = float(of.information(level, 1.0)[0, 0])
        inflation = self._inflation(level, 1.0, np.array([1.0, 0.0]), curvature)

        def at_slope_1(level: float) -> tuple[float, float]:
            return of.value(level, 1.0), float(of.gradient(level, 1.0)[0])

        return self._estimate(at_slope_1, level, curvature, inflation, perfect=0.0)

    def slope(self) -> tuple[Estimate, tuple[float, float]] | None:
        """Return the slope, and of the joint fit the intercept and the p-value.

        Around their mean, logits that differ little keep their digits however steep the slope.
        """
        size = self.positive + self.negative
        centre = float(size @ self.x / size.sum())
        x = self.x - centre
        steepest = max(1.0, 1 / sqrt(size @ x**2 / size.sum()))
        while True:
            of = likelihood(x, self.positive, self.negative, steepest)
            found = self._profiled(of, *of.best, centre) if of.best else None
            reach = max(abs(found.low), abs(found.high)) if found else STEEPER * steepest
            if len(of.x) == len(x) or reach <= STEEP * steepest:
                break
            steepest = reach
        if found is None or of.best is None:
            return None
        level, slope = of.best
        fallen = max(0.0, of.value(level, slope) - of.value(centre, 1.0))
        # A chi-square of two degrees of freedom.
        p_value = nan if self.squares is not None else exp(-fallen)
        return found, (level - slope * centre, p_value)

    def _profiled(
        self, of: Likelihood, level: float, slope: float, centre: float
    ) -> Estimate | None:
        [[a, b], [_, c]] = of.information(level, slope).tolist()
        # Of the slope's equation, once what the level takes up is left out.
        direction = np.array([-b / a if a > 0 else 0.0, 1.0])
        curvature = c + direction[0] * b
        # Where logits are not taken from their mean.
        level, direction[0] = level - slope * centre, direction[0] - centre
        inflation = self._inflation(level, slope, direction, curvature)
        return self._estimate(of.profile, slope, curvature, inflation, perfect=1.0)

    def _inflation(self, level: float, slope: float, direction: Array, curvature: float) -> float:
        """Return the robust variance of the gradient in a direction over the plain one.

        Robust is the sum of squares, Σ weight² (outcome - p)² ((1, x) direction)².
        """
        from scipy.special import expit

        if self.squares is None:
            return 1.0
        p = expit(level + slope * self.x)
        up, down = (np.diff(side) for side in self.squares)
        square = up * (1 - p) ** 2 + down * p**2
        noise = float(square @ (direction[0] + direction[1] * self.x) ** 2)
        return noise / curvature if curvature > 0 else nan

    def _estimate(
        self,
        of: Callable[[float], tuple[float, float]],
        top: float,
        curvature: float,
        inflation: float,
        perfect: float,
    ) -> Estimate | None:
        """Return the top with its interval, and the p-value of the perfect value."""
        from scipy.special import chdtrc, chdtri

        amount = float(chdtri(1, 1 - self.confidence_level)) * inflation / 2
        low = high = nan
        if amount > 0:
            away, wanted = (
                sqrt(2 * amount / curvature) if curvature > 0 else 1.0,
                of(top)[0] - amount,
            )
            low, high = (_fallen(of, top, side * away, wanted) for side in (-1, 1))
        if not (isfinite(top) and low < top < high):
            return None
        fallen = max(0.0, of(top)[0] - of(perfect)[0])
        return Estimate(
            value=top,
            low=low,
            high=high,
            confidence_level=self.confidence_level,
            perfect=perfect,
            p_value=float(chdtrc(1, 2 * fallen / inflation)),
            route="asymptotic",
            p_value_route="asymptotic",
        )


def logits(risks: Array) -> Array:
    """Return log(p / (1 - p)): around 1/2, where 2 p - 1 is exact, with all its digits."""
    x = np.log(risks) - np.log1p(-risks)
    even = np.abs(risks - 0.5) <= 0.25
    x[even] = 2 * np.arctanh(2 * risks[even] - 1)
    return x
