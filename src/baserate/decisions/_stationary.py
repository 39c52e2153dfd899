"""Where a metric stops to grow along the density-ratio rules of a population.

Along those rules dM/dδ has the sign of q(δ) - δ, with q the quotient of the metric's slopes in
specificity and in recall: a rule is only worth its place if its density ratio is what the metric
asks for. A root of q = δ is a maximum if the difference falls through it, a minimum if it rises.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.curves._population import Array, Population, Rates, rates_at
from baserate.decisions._slopes import Differentiable, Slopes, value_of
from baserate.errors import UnsupportedError

_WIDEST = 690.0  # of log δ
_RATE = 1e-150  # rules with a smaller rate are taken as the trivial ones
_POINTS = 201


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


def survey(target: Differentiable, population: Population) -> Survey:
    """Find the roots of q = δ on a wide grid of log δ."""
    scan = _scan(target, *_grid(population))
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
        everything=_end(target, population, scan, upper=False),
        nothing=_end(target, population, scan, upper=True),
    )


@dataclass(frozen=True, slots=True)
class _Scan:
    """log δ, log q - log δ and the metric, where all are known."""

    x: Array
    excess: Array
    value: Array


def _grid(population: Population) -> tuple[Array, Rates]:
    """Return values of log δ, denser near zero, at which no rate is lost."""
    low, high = -_WIDEST, _WIDEST
    for _ in range(40):
        x = np.sinh(np.linspace(np.arcsinh(low), np.arcsinh(high), _POINTS))
        rates = rates_at(population, np.exp(x))
        kept = np.flatnonzero(np.minimum.reduce(rates) >= _RATE)
        if not kept.size:
            break
        if kept.size >= _POINTS // 2:
            return x[kept], Rates(*(rate[kept] for rate in rates))
        low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, _POINTS - 1)]
    raise UnsupportedError(
        "The two classes are so far apart that no rule has errors of both kinds in double "
        "precision: every rule in between is perfect."
    )


def _scan(target: Differentiable, x: Array, rates: Rates) -> _Scan:
    """Return the excess log q - log δ, checked with all digits wherever its sign changes."""
    found = target.fast(rates)
    excess, value = _excess(found, x), found.value
    checked = np.zeros(x.shape, dtype=bool)
    while (doubtful := _beside_changes(excess) & ~checked).any():
        better = target.exact(Rates(*(rate[doubtful] for rate in rates)))
        excess[doubtful], value[doubtful] = _excess(better, x[doubtful]), better.value
        checked |= doubtful
    known = ~np.isnan(excess)  # elsewhere the metric is flat to all its digits
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


def _end(target: Differentiable, population: Population, scan: _Scan, *, upper: bool) -> End:
    """Look beyond the last rule whose rates double precision can hold."""
    last = -1 if upper else 0
    rising = bool(scan.excess[last] > 0) == upper
    value = float(scan.value[last])
    if not rising:
        return End(rising=False, value=value, best=None)
    log_quotient = scan.excess + scan.x
    inner = log_quotient[-10:] if upper else log_quotient[:10]
    if np.ptp(inner) <= 1e-12:  # a quotient that has settled is reached somewhere beyond
        rule = _rule(target, population, float(np.exp(inner[last])))
        at_least = float(np.fmax(rule.value, value))
        return End(rising=True, value=value, best=replace(rule, value=at_least))
    trivial = _rule(target, population, np.inf if upper else 0.0)
    attained = trivial.value >= value - 1e-12 * abs(value)
    return End(rising=True, value=value, best=trivial if attained else None)
