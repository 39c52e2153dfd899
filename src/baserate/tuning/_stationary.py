"""Where a metric stops to grow along the density-ratio rules of a population.

Along those rules dM/dδ has the sign of q(δ) - δ, with q the quotient of the metric's slopes in
specificity and in recall: a rule is only worth its place if its density ratio is what the metric
asks for. A root of q = δ is a maximum if the difference falls through it, a minimum if it rises.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.curves.populations import Array, Population, Rates, rates_at
from baserate.errors import UnsupportedError
from baserate.tuning._ratios import Bound, Ratios
from baserate.tuning._slopes import Differentiable, Slopes, value_of

_FLAT = 1e-3  # a relative change of the quotient that no rounding makes


@dataclass(frozen=True, slots=True)
class Rule:
    """A density ratio, its four rates, and the metric's value there."""

    ratio: float
    rates: Rates
    value: float


@dataclass(frozen=True, slots=True)
class End:
    """One end of the rules.

    Attributes
    ----------
    rising : bool
        The metric grows toward this end.
    value : float
        At the last rule before it.
    best : Rule or None
        The optimum beyond it, if there is one: the trivial rule, or a ratio that only the trivial
        rule fulfils in double precision.
    """

    rising: bool
    value: float
    best: Rule | None


@dataclass(frozen=True, slots=True)
class Survey:
    """Every maximum and minimum, and what happens at the two ends."""

    maxima: tuple[Rule, ...]
    minima: tuple[Rule, ...]
    everything: End
    nothing: End


def survey(target: Differentiable, population: Population, grid: Ratios) -> Survey:
    """Find the roots of q = δ between the points of a wide grid of log δ."""
    scan = _scan(target, grid)
    signs = np.where(scan.excess >= 0, 1, -1)
    maxima, minima = (
        tuple(
            _root(target, population, scan.x[i], scan.x[i + 1])
            for i in np.flatnonzero(np.diff(signs) == change)
        )
        for change in (-2, 2)
    )
    return Survey(
        maxima=maxima,
        minima=minima,
        everything=_end(target, population, grid, scan, upper=False),
        nothing=_end(target, population, grid, scan, upper=True),
    )


@dataclass(frozen=True, slots=True)
class _Scan:
    """log δ, log q - log δ and the metric, where all are known."""

    x: Array
    excess: Array
    value: Array


def _scan(target: Differentiable, grid: Ratios) -> _Scan:
    """Return the excess log q - log δ, checked with all digits wherever its sign changes."""
    x, rates = grid.x, grid.rates
    found = target.fast(rates)
    excess, value = _excess(found, x), found.value
    checked = np.zeros(x.shape, dtype=bool)
    while (doubtful := _beside_changes(excess) & ~checked).any():
        better = target.exact(Rates(*(rate[doubtful] for rate in rates)))
        excess[doubtful], value[doubtful] = _excess(better, x[doubtful]), better.value
        checked |= doubtful
    # Elsewhere the metric is flat to all its digits, or its slope drowns in rounding.
    known = np.abs(excess) > grid.noise
    known |= (excess == 0) & (grid.noise == 0)
    if not known.any():
        raise UnsupportedError(
            f"{target.metric.name} is constant to within rounding along the rules of this "
            "population: no threshold matters."
        )
    return _Scan(x[known], excess[known], value[known])


def _excess(slopes: Slopes, x: Array) -> Array:
    quotient = slopes.quotient
    positive = quotient > 0
    return np.where(positive, np.log(np.where(positive, quotient, 1)), np.nan) - x


def _beside_changes(excess: Array) -> NDArray[np.bool_]:
    """Return the two ends, and the known points on both sides of every change of sign."""
    known = np.flatnonzero(~np.isnan(excess))
    marked = np.zeros(excess.shape, dtype=bool)
    if known.size:
        changes = np.flatnonzero(np.diff(excess[known] >= 0))
        marked[known[np.r_[0, changes, changes + 1, known.size - 1]]] = True
    return marked


def _root(target: Differentiable, population: Population, low: float, high: float) -> Rule:
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        rates = rates_at(population, np.exp(x))
        return float(_excess(target.exact(rates), np.array([x]))[0])

    root: Any = brentq(excess, low, high, xtol=1e-15)
    return _rule(target, population, float(np.exp(root)))


def _rule(target: Differentiable, population: Population, ratio: float) -> Rule:
    rates = rates_at(population, ratio)
    return Rule(ratio, rates, float(value_of(target.metric, rates, target.base_rate)[0]))


def _end(
    target: Differentiable, population: Population, grid: Ratios, scan: _Scan, *, upper: bool
) -> End:
    """Look beyond the last rule whose rates double precision can hold."""
    last = -1 if upper else 0
    rising = bool(scan.excess[last] > 0) == upper
    value = float(scan.value[last])
    if not rising:
        return End(rising=False, value=value, best=None)
    log_quotient = scan.excess + scan.x
    inner = log_quotient[-10:] if upper else log_quotient[:10]
    # A quotient that has settled is reached somewhere beyond; near a bound it may trail the ratio.
    if np.ptp(inner) <= 1e-12 and abs(scan.excess[last]) > 1e-6:
        rule = _rule(target, population, float(np.exp(inner[last])))
        at_least = float(np.fmax(rule.value, value))
        return End(rising=True, value=value, best=replace(rule, value=at_least))
    trivial = _rule(target, population, np.inf if upper else 0.0)
    if trivial.value >= value - 1e-12 * abs(value):
        return End(rising=True, value=value, best=trivial)
    bound = grid.above if upper else grid.below
    best = None if bound is None else _at_bound(target, bound, upper=upper)
    return End(rising=True, value=value, best=best)


def _at_bound(target: Differentiable, bound: Bound, *, upper: bool) -> Rule | None:
    """Look for a maximum closer to a bound of the ratio than its digits can tell.

    What is left of both classes there has nearly one ratio, so a part τ of it is called positive
    (above) or negative (below). The metric rises toward the bound; there is a maximum if it falls
    as τ goes to 0. Where it is flat to the precision of that picture, all of it is as good.
    """
    from scipy.optimize import brentq

    rising = 1.0 if upper else -1.0

    def growth(log_part: float) -> float:
        slopes = target.exact(_part_of(bound.rates, float(np.exp(log_part)), upper=upper))
        return rising * float(_excess(slopes, np.array([bound.x]))[0])

    parts = np.linspace(-200.0, 0.0, 41)
    growths = np.array([growth(part) for part in parts])
    parts, growths = parts[~np.isnan(growths)], growths[~np.isnan(growths)]
    if not growths.size or growths[0] > -_FLAT:
        return None
    part: Any = 0.0
    if growths[-1] > 0:
        last = int(np.flatnonzero(growths < 0)[-1])
        part = brentq(growth, parts[last], parts[last + 1])
    rates = _part_of(bound.rates, float(np.exp(part)), upper=upper)
    value = float(value_of(target.metric, rates, target.base_rate)[0])
    return Rule(float(np.exp(bound.x)), rates, value)


def _part_of(rates: Rates, part: float, *, upper: bool) -> Rates:
    """Shrink the hits and false alarms of a rule, or its misses and correct rejections."""
    recall, miss_rate, false_positive_rate, specificity = rates
    if upper:
        s, f = recall * part, false_positive_rate * part
        return Rates(s, 1 - s, f, 1 - f)
    m, t = miss_rate * part, specificity * part
    return Rates(1 - m, m, 1 - t, t)
