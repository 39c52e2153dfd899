"""Both ends of an interval at many tables: of the one share that decides a metric, or credible."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from math import isfinite
from typing import Any

import numpy as np
from scipy.special import ndtri

from baserate._arrays import Array
from baserate._beta import betainccinv, betaincinv, clopper_pearson
from baserate.class_counts import ClassTable
from baserate.counts import CELLS, ConfusionMatrix, as_float
from baserate.errors import UnsupportedError
from baserate.inference.credible_limits import Limits, credible_batch
from baserate.inference.linearity import at_share, deciding_share
from baserate.inference.posterior import cases_per_weight, evidence, refuse_beyond
from baserate.metrics import ClassMetric, Metric, recall

SHARES = frozenset({"accuracy", "error_rate"})  # of all cases, whatever their classes
FINE = 1e-12  # of a number of cases
MOST_CASES = 1e15  # that are searched, all but as many as intervals take


def flat(table: ConfusionMatrix) -> ConfusionMatrix:
    """Return the tables of a batch in one row, or one table as a batch."""
    return ConfusionMatrix(**{name: np.ravel(as_float(getattr(table, name))) for name in CELLS})


def limits(
    metric: Metric,
    table: ConfusionMatrix,
    squared: ConfusionMatrix | None,
    level: float,
    *,
    method: str,
    tolerance: float,
    value: Array,
) -> Limits:
    """Return both ends at every table of a row, where the metric has this `value`."""
    share, size = deciding_share(metric), value.size
    if share is None:
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
    none = np.zeros(size)
    routes = np.where(as_float(table.n) > 0, route, "constant").astype(object)
    return Limits(ends[0], ends[1], routes, none, none)


def sure_limits(
    metric: Metric | ClassMetric, table: ConfusionMatrix | ClassTable, level: float
) -> tuple[float, float] | None:
    """Return limits that hold at least as often as they say, or None where none are known.

    Those of Clopper and Pearson, of what one share of cases decides, such as recall and F1: given
    the cases that the share is of, either is wrong in (1 - level) / 2 of samples at most.
    """
    # It asks here for the limits of shares, so that either file would load the other first.
    interval = import_module("baserate.inference.intervals").interval
    try:
        found = interval(metric, table, confidence_level=level, method="exact")
    except UnsupportedError:  # no share decides, or weights are no counts, or too many for floats
        return None
    return found.low, found.high


def as_sure(
    metric: Metric | ClassMetric,
    table: ConfusionMatrix | ClassTable,
    level: float,
    ends: tuple[float, float],
) -> tuple[float, float] | None:
    """Return limits as sure as Clopper and Pearson's, of cases that are weighted or in clusters.

    They are those of as many independent cases as give Jeffreys' law these `ends`, either by
    itself; None where no one share decides the metric.
    """
    measured: Any = metric  # of tables of its own kind
    value = float(measured(table))
    if isinstance(table, ClassTable):
        if measured.name not in SHARES:
            return None
        measured, table = recall, ConfusionMatrix(tp=value, fn=1 - value, fp=0.0, tn=0.0)
    share = deciding_share(measured)
    if share is None or not (measured.scale_invariant and isfinite(value + sum(ends))):
        return None
    cells = {name: float(getattr(table, name)) for name in CELLS}
    whole = sum(cells[name] for side in share for name in side)

    def at(cases: float, end: int, method: str) -> float:
        scaled = flat(ConfusionMatrix(**{k: x * cases / whole for k, x in cells.items()}))
        how: Any = {"method": method, "tolerance": 0.0, "value": np.array([value])}
        return float(limits(measured, scaled, None, level, **how)[end][0])

    low, high = (_as_far(partial(at, end=end), ends[end], value) for end in (0, 1))
    return low, high


def _as_far(at: Callable[..., float], known: float, value: float) -> float:
    """Return Clopper and Pearson's end of as many cases as have Jeffreys' end where it is known."""

    def beyond(cases: float) -> float:
        return abs(at(cases, method="bayes") - value) - abs(known - value)

    cases = MOST_CASES
    while cases > FINE and beyond(cases) < 0:
        cases /= 2
    if cases == MOST_CASES:  # no end but the value itself
        return known
    if cases <= FINE:  # wider than no case at all would have
        return at(FINE, method="exact")
    narrow = 2 * cases
    while narrow - cases > FINE * cases:
        middle = (cases + narrow) / 2
        cases, narrow = (middle, narrow) if beyond(middle) >= 0 else (cases, middle)
    return at(cases, method="exact")


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
