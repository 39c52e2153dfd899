"""Quantiles of a metric against the number of cases: how far a small group's score strays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import shape_of, whole_number
from baserate._result import Result
from baserate._windows import DEEP, Integers
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric
from baserate.models import Multinomial, MultivariateHypergeometric
from baserate.models.model import four_numbers
from baserate.questions.law import BUDGET, Batch, InheritedLaw, n_pairs, pairs
from baserate.questions.listed_laws import grouped
from baserate.questions.question import Route, follow
from baserate.questions.undefined import mass_defined

# A quantile is reached if all but so little of its level is, as in `quantile`; windows leave out a
# tenth of that, so that they may be shorter than where small tails are asked for.
_SLACK, _DEPTH = 1e-12, 32.0
# Up to so many tables, listing them costs less than finding the laws of lumps.
_CHEAP = 20_000
# So many values are sorted at once; of more, those in the bins around the quantile.
_SORTED, _BINS = 10_000, 1 << 16
_INSTEAD = "ask for smaller sizes; cdf and sf at the values in question reach further"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricQuantiles(Result):
    """Quantiles of a metric in samples of several sizes, given that it is defined.

    Attributes
    ----------
    metric : str
    value : float
        The metric of the reference itself, to which the quantiles tend as samples grow.
    sizes : array of shape (n_sizes,)
    levels : array of shape (n_levels,)
    quantiles : array of shape (n_levels, n_sizes)
        nan where the metric is undefined at every table of that size.
    probability_defined : array of shape (n_sizes,)
        Probability that a sample of that size has a value at all.
    routes : tuple of str
        "lumps" or "enumeration" for each size; both are exact up to rounding.
    """

    metric: str
    value: float
    sizes: Integers
    levels: Array
    quantiles: Array
    probability_defined: Array
    routes: tuple[str, ...]


def metric_quantiles(
    metric: str | Metric,
    reference: Any,
    sizes: Any,
    levels: Sequence[float],
    *,
    replace: bool = True,
) -> MetricQuantiles:
    """Return the quantiles of a metric in random samples of a reference, for each sample size.

    The q-quantile at size n is the smallest v with P(metric <= v | defined) >= q under
    Multinomial(n, reference), or without replacement under MultivariateHypergeometric, compared
    with a slack of 1e-12: that of `quantile`, for many levels and sizes at once. Drawn against n it
    is the fan in which scores of groups that are like the reference lie (Briscoe, Kepler, DeFord,
    Gebremedhin 2025, Algorithmic Accountability in Small Data, AISTATS).
    """
    metric = binary_metric(metric)
    cells = four_numbers("reference", reference)
    totals = [whole_number("sizes", size, minimum=1) for size in _listed(sizes)]
    if replace:
        laws = [InheritedLaw(metric, Multinomial(n=n, cells=cells)) for n in totals]
    else:
        draws = [MultivariateHypergeometric(n=n, population=reference) for n in totals]
        laws = [InheritedLaw(metric, draw) for draw in draws]
    found = [_quantiles(law, levels) for law in laws]
    return MetricQuantiles(
        metric=metric.name,
        value=float(laws[0].value(*map(float, cells))),
        sizes=np.array(totals, dtype=np.int64),
        levels=np.array(levels),
        quantiles=np.array([values for values, _ in found]).T,
        probability_defined=np.array([mass_defined(law) for law in laws]),
        routes=tuple(route for _, route in found),
    )


def _listed(sizes: Any) -> list[Any]:
    """Return the elements of a sequence that is not empty."""
    several = len(shape_of("sizes", sizes)) > 1
    elements = [] if several else np.atleast_1d(np.asarray(sizes)).tolist()
    if not elements:
        rule, remedy = "must be a list of numbers", "pass for example sizes=[10, 100]"
        raise InvalidArgumentError.from_rule("sizes", rule, sizes, remedy)
    return elements


class _FanValues(NamedTuple):
    """The values of all tables at which the metric is defined, in any order, and their masses."""

    values: Array
    weights: Array

    @classmethod
    def of(cls, batches: Iterator[Batch]) -> "_FanValues":
        kept = ((b.values, b.weights, ~np.isnan(b.values) & (b.weights > 0)) for b in batches)
        parts = [(values[held], weights[held]) for values, weights, held in kept]
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _quantiles(law: InheritedLaw, levels: Sequence[float]) -> tuple[list[float], str]:
    """Return the quantiles of one law, and the route to them."""
    depth = _depth(law)

    def enumerated(law: InheritedLaw) -> _FanValues:
        return _FanValues.of(law.batches(depth))

    def by_lumps(law: InheritedLaw) -> _FanValues:
        return _FanValues.of(pairs(law, depth))

    routes = (
        Route("enumeration", lambda law: law.n_tables(depth) <= _CHEAP, enumerated),
        Route("lumps", lambda law: n_pairs(law, depth) <= BUDGET, by_lumps),
        Route("enumeration", lambda law: law.n_tables(depth) <= BUDGET, enumerated),
    )
    found, route = follow(routes, law, None, otherwise=_INSTEAD)
    return _read(law.metric, found, levels), route


def _depth(law: InheritedLaw) -> float:
    """Go deeper where the metric is rarely defined: what is left out is relative to that mass."""
    defined = mass_defined(law)
    return min(DEEP, _DEPTH - log(defined)) if defined > 0 else _DEPTH


def _read(metric: Metric, found: _FanValues, levels: Sequence[float]) -> list[float]:
    """Read the quantiles off values that need not be sorted, all of them at once."""
    values, weights = found
    if not values.size:
        return [np.nan] * len(levels)
    bins = _bins(values)
    reached: Array = np.cumsum(np.bincount(bins, weights), dtype=np.float64)
    return [_in_bins(metric, found, bins, reached, level) for level in levels]


def _bins(values: Array) -> Integers:
    """Return in which of many equal bins each value lies; of few values, all in one."""
    low, spread = values.min(), np.ptp(values)
    if values.size <= _SORTED or spread == 0:
        return np.zeros(values.shape, dtype=np.int64)
    return ((values - low) * ((_BINS - 1) / spread)).astype(np.int64)


def _in_bins(
    metric: Metric, found: _FanValues, bins: Integers, reached: Array, level: float
) -> float:
    """Sort the bin in which the quantile is reached and, since sums round, both beside it."""
    goal = (level - _SLACK) * reached[-1]
    at = min(int(np.searchsorted(reached, goal)), len(reached) - 1)
    near = np.abs(bins - at) <= 1
    values, weights = grouped(metric, found.values[near], found.weights[near])
    before = reached[at - 2] if at > 1 else 0.0
    first = int(np.searchsorted(before + np.cumsum(weights), goal))
    return float(values[min(first, len(values) - 1)])
