"""Limits for the mean of a bounded quantity that hold with few cases, whatever its law.

With a further observation at the upper bound, and Dirichlet(1, ..., 1) weights on all n + 1, the
weighted mean is beyond its quantile 1 - α with probability α; that quantile is the upper limit.
The lower limit has its further observation at the lower bound. Of zeros and ones both are the
limits of Clopper and Pearson. Only for these, and a few other laws, is it proved that they hold;
for all others nobody has found a case where they do not.

References
----------
Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of a
nonnegative variable, Mathematical Methods of Statistics 14:451. Learned-Miller and Thomas (2019),
A new confidence interval for the mean of a bounded random variable, arXiv:1905.06208.
"""

from collections.abc import Callable
from functools import cache
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._beta import betaincinv, matching_beta
from baserate._gamma_sums import dirichlet_sides, quantiles
from baserate.curves.estimates import ScoreComparison

Limits = tuple[float, float]

NEGLIGIBLE = 1e-6  # cases, as of weights: less than any limit could show
NOTHING = 1e-30  # of the distance between the ends: nothing lies as close to one of them
BESIDE = 1e-15  # of the largest distance from a bound: what is nearer lies on it
MANY = 512  # distinct values from which on they are pooled
CELLS = 64  # of equal width, and as many of equal numbers of cases
FURTHEST = 20.0  # normal scores, 5e-89: beyond, an error is told as "at most"


def mean_limits(
    values: Any, counts: Any, bounds: tuple[float, float], confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return an interval for the mean of the population that the values come from.

    `counts` says how often each value occurs; with weights, multiply them so that they sum to the
    effective number of cases, and call the interval approximate. Every value lies within `bounds`,
    which are those of the population, not of the sample; a limit without a bound is infinite. From
    513 distinct values on, neighbours are pooled, which moves the limits by less than 1e-9 of their
    distance from the mean.
    """
    return tail_limits(*few(values, counts), bounds, (1 - confidence_level) / 2)


def tail_limits(
    values: Array, counts: Array, bounds: tuple[float, float], tail: float
) -> tuple[float, float]:
    """Return the limits beyond each of which the mean lies with probability `tail` at most."""
    low, high = bounds
    lower = _lower_limit(values, counts, low, tail)
    return lower + 0.0, 0.0 - _lower_limit(-values, counts, -high, tail)  # no -0.0


def difference_limits(
    means: Limits, limits: tuple[Limits, Limits], correlations: Limits = (0.0, 0.0)
) -> Limits:
    """Return an interval for the first mean less the second, of independent samples or not.

    It reaches √(a² + b² - 2 ρ a b) down, where the limits reach a below the first mean and b above
    the second, and ρ is their correlation there; likewise up, with a correlation of its own (Zou
    and Donner 2008, Statistics in Medicine 27:1693, doi:10.1002/sim.3095).
    """
    (first, second), ((low, high), (least, most)) = means, limits
    down, up = (
        sqrt(max(0.0, a * a + b * b - 2 * correlation * a * b))
        for a, b, correlation in zip(
            (first - low, high - first), (most - second, second - least), correlations, strict=True
        )
    )
    return first - second - down, first - second + up


def p_value_of(limits: Callable[[float], Limits], value: float, null: float = 0.0) -> float:
    """Return twice the error to either side at which an interval just reaches the null.

    So at any level the interval holds the null where p exceeds one less the level, and only there.
    `limits` gives the interval for an error; p is 1 where even the shortest holds the null.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    @cache
    def beyond(z: float) -> float:
        low, high = limits(float(ndtr(-z)))
        apart = low - null if value > null else null - high
        return -1.0 if isnan(apart) else apart  # a quantile too far out for SciPy: all is possible

    if value == null or not beyond(0.0) > 0:
        return 1.0
    far = 2.0
    while beyond(far) > 0:
        if far > FURTHEST:
            return 2 * float(ndtr(-far))
        far *= 1.5
    root: Any = brentq(beyond, 0.0, far, xtol=1e-11)
    return 2 * float(ndtr(-root))


def compared_by(
    limits: Callable[[float], Limits], values: Limits, level: float, route: str, apart: float
) -> ScoreComparison:
    """Return how far two values are apart, with the interval and p-value that limits give it."""
    low, high = limits((1 - level) / 2)
    return ScoreComparison(
        difference=apart,
        low=low,
        high=high,
        p_value=p_value_of(limits, apart),
        value_a=values[0],
        value_b=values[1],
        confidence_level=level,
        route=route,
        p_value_route=route,
    )


def _lower_limit(values: Array, counts: Array, bound: float, tail: float) -> float:
    """Return a quantile of the mean with Dirichlet weights, one further value at the bound."""
    if not isfinite(bound):
        return bound
    beside = values - bound <= BESIDE * (values.max() - bound)
    values, place = np.unique(
        np.append(np.where(beside, bound, values), bound), return_inverse=True
    )
    concentration = np.asarray(np.bincount(place, np.append(counts, 1.0)), dtype=float)
    low, high = float(values[0]), float(values[-1])
    if low == high:
        return low
    total, shares = concentration.sum(), (values - low) / (high - low)
    mean, rest = shares @ concentration / total, (1 - shares) @ concentration / total
    variance = (shares - mean) ** 2 @ concentration / total / (total + 1)
    share = float(betaincinv(*matching_beta(mean, rest, variance), tail))
    start = low * (1 - share) + high * share
    if values.size == 2:
        return start

    def evaluate(c: Array) -> tuple[Array, Array, Array]:
        if min(c[0] - low, high - c[0]) > NOTHING * (high - low):
            return dirichlet_sides(values, concentration, c, density=True)
        above = (c - low < high - c).astype(float)
        return 1 - above, above, np.zeros(1)

    found = quantiles(evaluate, np.array([tail]), np.array([start]), (low, high))
    return float(found[0])


def few(values: Any, counts: Any) -> tuple[Array, Array]:
    """Return the values that occur, pooled if they are many, and how often."""
    x, n = np.asarray(values, dtype=float), np.asarray(counts, dtype=float)
    x, n = x[n > 0], n[n > 0]
    if x.size > MANY:
        x, n = pooled(x, n)
    return x[n > NEGLIGIBLE], n[n > NEGLIGIBLE]


def pooled(values: Array, counts: Array) -> tuple[Array, Array]:
    """Return few values with counts that stand for many: a Gauss rule of two nodes in each cell.

    Cells are narrow, and hold few cases: log(1 - t x), which the law is a sum of, is nearly a cubic
    within each, and a rule that knows three moments sums it.
    """
    order = np.argsort(values)
    x, n = values[order], counts[order]
    # Cells begin at steps of equal width, and at every so many values.
    edges = np.linspace(x[0], x[-1], CELLS + 1)[1:-1]
    steps = np.arange(0, x.size, max(1, x.size // CELLS))
    heads = np.union1d(steps, np.searchsorted(x, edges))
    heads = heads[heads < x.size]
    size = np.add.reduceat(n, heads)
    mean = np.add.reduceat(n * x, heads) / size
    apart = x - np.repeat(mean, np.diff(heads, append=x.size))
    square = n * apart * apart
    variance = np.add.reduceat(square, heads) / size
    skew = np.add.reduceat(square * apart, heads) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(variance > 0, skew / variance / 2, 0.0)
    root = np.sqrt(half * half + variance)
    # The nodes a < 0 < b have ab = -variance; each is computed without cancellation.
    far = np.where(half < 0, half - root, half + root)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(far != 0, -variance / far, 0.0)
        share = np.where(far != near, far / (far - near), 1.0)  # of the near one
    first, last = x[heads], x[np.append(heads[1:], x.size) - 1]
    nodes = np.clip(np.concatenate((mean + near, mean + far)), np.tile(first, 2), np.tile(last, 2))
    return nodes, np.concatenate((size * share, size * (1 - share)))
