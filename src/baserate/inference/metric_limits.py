"""Both ends of an interval at many tables: of the one share that decides a metric, or credible.

Credible limits are quantiles of the law that a metric inherits from the posterior of a table.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from baserate._arrays import Array, Index
from baserate._beta import betainccinv, betaincinv, clopper_pearson
from baserate.counts import CELLS, ConfusionMatrix, as_float
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.linearity import at_share, cell_weights, deciding_share
from baserate.inference.metric_law import BEYOND, MetricLaw
from baserate.inference.posterior import (
    Evidence,
    Posterior,
    cases_per_weight,
    evidence,
    is_dirichlet,
    quick_quantiles,
    refuse_beyond,
)
from baserate.inference.posterior_cdf import EFFORTS, MARGIN, distribution, distribution_within
from baserate.inference.posterior_law import known_law
from baserate.inference.roots import Point, bracketed_root
from baserate.inference.simulation import quasi_monte_carlo
from baserate.metrics import Metric, binary_metric

SHARES = frozenset({"accuracy", "error_rate"})  # of all cases, whatever their classes
TOLERANCE = 1e-6  # of an end, as a share of the width
LEAST_WIDTH = 0.1  # standard deviations: the width of an interval of little confidence
AROUND = np.array([0.3, 1.0, 3.0])  # times the probability beyond an end: where its error is seen
FAINT = 1e-3  # the guide knows no rarer quantiles
CLOSE_ENOUGH = 0.02  # times the accuracy of a probability, on the normal scale
MOST_MOVES = 40
WIDER = 16  # times per move: a ratio of two shares may end at one over a tail squared
AT_ONCE = 2  # axes to sum over for all tables together; one more is cheaper table by table
FINEST = EFFORTS[-1] * 4 // 3  # nodes of the rule that tells the error at the ends
CONSTANT = 64 * np.finfo(float).eps


class Limits(NamedTuple):
    """Two ends, the route that found them, and what is known about their error."""

    low: Any
    high: Any
    route: Any
    error: Any = 0.0
    undefined: Any = 0.0


def flat(table: ConfusionMatrix) -> ConfusionMatrix:
    """Return the tables of a batch in one row, or one table as a batch."""
    return ConfusionMatrix(**{name: np.ravel(as_float(getattr(table, name))) for name in CELLS})


def limits(
    metric: Metric,
    table: ConfusionMatrix,
    squared: ConfusionMatrix | None,
    level: float,
    *,
    method: str = "bayes",
    tolerance: float = TOLERANCE,
) -> Limits:
    """Return both ends at every table of a row at which the metric has a value."""
    share = deciding_share(metric)
    if share is None:
        value = np.atleast_1d(np.asarray(metric(table), dtype=float))
        # Where the value is the best or the worst there is, it is that end itself.
        needed = np.stack([value > metric.bounds[0], value < metric.bounds[1]], axis=1)
        found = credible_batch(metric, evidence(table, squared), level, tolerance, needed)
        low, high = (np.where(needed[:, i], found[i], (np.inf, -np.inf)[i]) for i in (0, 1))
        return found._replace(low=low, high=high)
    cells: dict[str, Any] = dict(zip(CELLS, map(as_float, table), strict=True))
    scale = cases_per_weight(table, squared, share)
    x, y = (scale * sum(cells[cell] for cell in side) for side in share)
    if method != "wilson":
        refuse_beyond(x + y)
    route, solve = PROPORTIONS[method]
    ends, rests = solve(x, y, level), solve(y, x, level)[::-1]  # the rests with their own digits
    if metric.proportion is None:
        ends = [at_share(metric, table, p, q) for p, q in zip(ends, rests, strict=True)]
    none = np.zeros(np.size(x + y))
    routes = np.where(as_float(table.n) > 0, route, "constant").astype(object)
    return Limits(ends[0], ends[1], routes, none, none)


def credible_given(
    metric: Metric, known: Evidence, confidence_level: float, tolerance: float = TOLERANCE
) -> Limits:
    """Return posterior quantiles: exact if the metric is monotone in its rates, else simulated."""
    found = credible_batch(metric, known, confidence_level, tolerance, np.True_)
    return Limits(*(part.item() for part in found))


def credible_batch(
    metric: Metric,
    known: Evidence,
    confidence_level: float,
    tolerance: float,
    needed: Any,
) -> Limits:
    """Return posterior quantiles of many tables at once, each part an array of one axis.

    Of every row only the ends that are `needed` are vouched for.
    """
    laws: Any = tuple(tuple(np.atleast_1d(part) for part in law) for law in known.laws)
    known = Evidence(*(np.atleast_1d(part) for part in known[:2]), laws=laws)
    tail = (1 - confidence_level) / 2
    levels, score = np.array([tail, 1 - tail]), ndtri(tail)
    height = np.exp(-score * score / 2) / np.sqrt(2 * np.pi)
    accuracy = tolerance * height * max(-2 * score, LEAST_WIDTH)
    ends, error = np.full((2, known.n.size, 2), np.nan)
    weights = cell_weights(metric)
    if weights is not None and is_dirichlet(known):
        concentration = np.concatenate((*known.laws[1:],)).T
        exact = (DirichletLinear(weights, row) for row in concentration)
        ends = np.array([law.interval(confidence_level) for law in exact])
        error = np.zeros(ends.shape)
    elif metric.trend_in_fp != "unknown" and (law := MetricLaw(metric, known)).axes <= AT_ONCE:
        ends, off, slope = law.limits(tail, accuracy, needed)
        off = np.maximum(off, 2 * law.axes * BEYOND * accuracy)  # no finer rule brings it to light
        error = off * slope / height + tolerance / 10 * slope
    needed = np.broadcast_to(needed, ends.shape)
    route = np.where(ends[:, 0] == ends[:, 1], "constant", "gauss").astype(object)
    undefined = np.zeros(known.n.size)
    error = np.where(needed, error, 0.0).max(axis=1)
    for i in np.flatnonzero((np.isnan(ends) & needed).any(axis=1)).tolist():
        one = _one_by_one(metric, known.row(i), levels, accuracy, needed[i])
        ends[i], route[i], error[i], undefined[i] = (one.low, one.high), *one[2:]
    return Limits(ends[:, 0], ends[:, 1], route, error, undefined)


def _one_by_one(
    metric: Metric, known: Evidence, levels: Array, accuracy: float, needed: Any
) -> Limits:
    """Return the limits of a law that needs care: with kinks, or of a metric of unknown trend."""
    found = known_law(metric, known)
    if found is not None and found.quantile is not None:
        low, high = found.quantile(levels).tolist()
        return Limits(low, high, "constant" if low == high else "gauss")
    posterior = Posterior(metric, known)
    values, _ = posterior.guide
    if np.ptp(values) <= CONSTANT * np.max(np.abs(values)):
        return Limits(float(values.flat[0]), float(values.flat[0]), "constant")
    if metric.trend_in_fp == "unknown" or (plan := posterior.plan) is None:
        return Limits(*quasi_monte_carlo(metric, known, levels))
    tail = levels[0]
    near = np.clip(np.concatenate([tail * AROUND, 1 - tail * AROUND]), FAINT, 1 - FAINT)
    cdf, error = distribution_within(posterior, plan, accuracy, looks=near)
    close = CLOSE_ENOUGH * accuracy
    ends = quantiles(cdf, posterior.guide, levels, metric.bounds, close)
    # Far out a rule may be further off than where it was looked at.
    off = MARGIN * np.abs(distribution(posterior, plan, FINEST)(ends) - cdf(ends))
    low, high = ends.tolist()
    # How far errors of the probability can move both ends; inf beyond all digits. Looked at
    # inwards, where the law surely has some probability.
    step = (ends[1] - ends[0]) / 1000
    slopes = np.abs(cdf(ends + np.array([step, -step])) - cdf(ends)) / step
    with np.errstate(divide="ignore"):
        length = (np.maximum(error, off) + close) / slopes
    return Limits(low, high, "gauss", float(np.max(np.where(needed, length, 0.0))))


def quantiles(
    cdf: Callable[[Array], Array],
    guide: tuple[Array, Array],
    levels: Array,
    bounds: tuple[float, float],
    close_enough: float,
) -> Array:
    """Return where a distribution function reaches these levels.

    Solved on the normal scale, on which most of these laws are nearly straight.
    """

    def function(s: Array, at: Index | slice = slice(None)) -> Array:
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
        close_enough=close_enough,
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
        width = WIDER * width
        left = np.where(at_left.y > 0, _outward(left, -width, bounds[0]), left)
        right = np.where(at_right.y < 0, _outward(right, width, bounds[1]), right)
        stays, remains = np.array_equal(left, at_left.x), np.array_equal(right, at_right.x)
        if stays and remains:
            break
        at_left = at_left if stays else Point(left, function(left))
        at_right = at_right if remains else Point(right, function(right))
    return at_left, at_right


def _outward(end: Array, step: Array, bound: float) -> Array:
    return end + step if np.isinf(bound) else bound + (end - bound) / WIDER


METRICS = {"difference": "informedness", "ratio": "positive_likelihood_ratio"}


def two_shares(
    operation: Literal["difference", "ratio"],
    first: tuple[Any, Any],
    second: tuple[Any, Any],
    *,
    confidence_level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> Limits:
    """Return limits of X - Y or X/Y for independent X ~ Beta(*first) and Y ~ Beta(*second).

    Arrays of parameters are solved in one pass; all parts of the answer are arrays of one axis.
    """
    laws: list[Any] = [
        tuple(np.atleast_1d(np.asarray(x, dtype=float)) for x in law) for law in (first, second)
    ]
    size = np.broadcast(*laws[0], *laws[1]).size
    one = np.ones(size)
    refuse_beyond([np.max(sum(law), initial=0.0) for law in laws])
    known = Evidence(one, one, ((one, one), *laws))
    metric = binary_metric(METRICS[operation])
    return credible_batch(metric, known, confidence_level, tolerance, np.True_)


def jeffreys(x: Array, y: Array, confidence_level: float) -> tuple[Array, Array]:
    """Return the central quantiles of Beta(x + 1/2, y + 1/2), also at x = 0 and y = 0."""
    tail = (1 - confidence_level) / 2
    return betaincinv(x + 0.5, y + 0.5, tail), betainccinv(x + 0.5, y + 0.5, tail)


def wilson(x: Array, y: Array, confidence_level: float) -> tuple[Array, Array]:
    """Return the two p with |x/m - p| = z sqrt(p (1 - p) / m)."""
    m, z = x + y, float(-ndtri((1 - confidence_level) / 2))
    centre, other = x + z * z / 2, y + z * z / 2
    half = z * np.sqrt(x / np.maximum(m, 1) * y + z * z / 4)
    low = np.where(x > 0, (centre - half) / (m + z * z), 0.0)
    return low, np.where(y > 0, 1 - (other - half) / (m + z * z), 1.0)


# How the ends are found, by method, and the route that says so.
PROPORTIONS = {
    "bayes": ("jeffreys", jeffreys),
    "wilson": ("wilson", wilson),
    "exact": ("clopper-pearson", clopper_pearson),
}
