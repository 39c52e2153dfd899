"""Where a metric stops to grow along the density-ratio rules of a population.

Along those rules dM/dδ has the sign of q(δ) - δ, with q the quotient of the metric's slopes in
specificity and in recall: a rule is only worth its place if its density ratio is what the metric
asks for. A root of q = δ is a maximum if the difference falls through it, a minimum if it rises.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import number_in
from baserate._result import Result
from baserate.curves.populations import Empirical, Population, Rates, rates_at
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.derivatives import Differentiable, Slopes, require_increasing, value_of

_WIDEST = 690.0  # of log δ
_RATE = 1e-150  # rules with a smaller rate are taken as the trivial ones
_POINTS = 201
_FADED = 1e-100  # a rate that is larger at the last ratio does not fade out, but is cut off
_CLOSEST, _CLEAR = 1e-12, 1e-7  # distances of log δ from a bound
_ROUNDING = 1e-13  # of log δ; a rate at distance d from a bound has this relative error over d
_FLAT = 1e-3  # a relative change of the quotient that no rounding makes


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of the density ratio: log δ there, and the rates of a rule just before it."""

    x: float
    rates: Rates


@dataclass(frozen=True, slots=True)
class Ratios:
    """Values of log δ in rising order, the rates of their rules, and whether δ is bounded.

    Where the density ratio is bounded, rates vanish at a bound and not in a tail, and rounding of
    the ratio is felt: `noise` is the relative error of a quotient of two rates.
    """

    x: Array
    rates: Rates
    noise: Array
    below: Bound | None
    above: Bound | None


def ratios_of(population: Population) -> Ratios:
    """Return ratios at which no rate is lost, denser near δ = 1 and towards a bound."""
    x, kept, rates = _spread(population)
    first, last = int(kept[0]), int(kept[-1])
    above = _bound(population, rates, last, x[last], x[min(last + 1, len(x) - 1)])
    below = _bound(population, rates, first, x[first], x[max(first - 1, 0)])
    near = [
        bound.x + (x[k] - bound.x) * 0.5 ** np.arange(1, 60)
        for bound, k in ((below, first), (above, last))
        if bound is not None
    ]
    x = np.unique(np.concatenate((x[kept], *near)))
    noise = np.zeros(x.shape)
    for bound in (below, above):
        if bound is not None:
            distance = np.abs(x - bound.x)
            x, noise, distance = (v[distance >= _CLOSEST] for v in (x, noise, distance))
            noise += _ROUNDING / distance
    return Ratios(x, rates_at(population, np.exp(x)), noise, below, above)


def _spread(population: Population) -> tuple[Array, NDArray[np.intp], Rates]:
    """Zoom in until half of the points have all four rates."""
    low, high = -_WIDEST, _WIDEST
    for _ in range(40):
        x = np.sinh(np.linspace(np.arcsinh(low), np.arcsinh(high), _POINTS))
        rates = rates_at(population, np.exp(x))
        kept = np.flatnonzero(_all_held(rates))
        if not kept.size:
            break
        if kept.size >= _POINTS // 2:
            return x, kept, rates
        low, high = float(x[max(kept[0] - 1, 0)]), float(x[min(kept[-1] + 1, _POINTS - 1)])
    raise UnsupportedError(
        "The two classes are so far apart that no rule has errors of both kinds in double "
        "precision: every rule in between is perfect."
    )


def _all_held(rates: Rates) -> NDArray[np.bool_]:
    return np.minimum.reduce(np.stack(rates)) >= _RATE


def _bound(
    population: Population, rates: Rates, at: int, inside: float, outside: float
) -> Bound | None:
    """Bisect the bound between a ratio inside and one outside; None where rates fade out."""
    if min(float(rate[at]) for rate in rates) < _FADED or inside == outside:
        return None
    while abs(outside - inside) > _CLOSEST / 4:
        x = np.linspace(inside, outside, 65)
        last = int(np.flatnonzero(_all_held(rates_at(population, np.exp(x))))[-1])
        inside, outside = float(x[last]), float(x[min(last + 1, 64)])
    clear = inside - np.copysign(_CLEAR, outside - inside)
    return Bound(inside, rates_at(population, np.exp(clear)))


@dataclass(frozen=True, slots=True)
class RatioRule:
    """A density ratio, its four rates, and the metric's value there."""

    ratio: float
    rates: Rates
    value: float


@dataclass(frozen=True, slots=True)
class RuleEnd:
    """One end of the rules.

    The optimum beyond it, if there is one, is the trivial rule, or a ratio that only the trivial
    rule fulfils in double precision.
    """

    rising: bool  # the metric grows toward this end
    value: float  # at the last rule before it
    best: RatioRule | None


@dataclass(frozen=True, slots=True)
class Survey:
    """Every maximum and minimum, and what happens at the two ends."""

    maxima: tuple[RatioRule, ...]
    minima: tuple[RatioRule, ...]
    everything: RuleEnd
    nothing: RuleEnd

    @property
    def candidates(self) -> list[RatioRule]:
        """The maxima, and what is best beyond the ends."""
        beyond = (end.best for end in (self.everything, self.nothing))
        return [*self.maxima, *(rule for rule in beyond if rule is not None)]


def survey(target: Differentiable, population: Population, grid: Ratios) -> Survey:
    """Find the roots of q = δ between the points of a wide grid of log δ."""
    scan = _scan(target, grid)
    signs = np.where(scan.excess >= 0, 1, -1)
    maxima, minima = (
        tuple(
            root_between(target, population, scan.x[i], scan.x[i + 1])
            for i in np.flatnonzero(np.diff(signs) == change)
        )
        for change in (-2, 2)
    )
    return Survey(
        maxima=maxima,
        minima=minima,
        everything=end_of(target, population, grid, scan, upper=False),
        nothing=end_of(target, population, grid, scan, upper=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StationaryRatios(Result):
    """Density ratios at which a metric neither grows nor falls.

    Attributes
    ----------
    maxima, minima : tuple of float
    """

    maxima: tuple[float, ...]
    minima: tuple[float, ...]


def stationary_ratios(
    metric: str | Metric, population: Population, *, base_rate: float
) -> StationaryRatios:
    """Return every solution of δ = (∂M/∂t)/(∂M/∂s), told apart into maxima and minima.

    For seeing why `bayes_threshold` finds no optimum, or several. Not for an `Empirical`
    population, whose rules are finitely many.

    Parameters
    ----------
    metric : Metric or str
    population : LDA, QDA or any continuous Population
    base_rate : float
        In (0, 1).

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, equation 3.1.

    Examples
    --------
    Yule's Q is worst, not best, where its slope is zero:

    >>> from baserate.tuning import stationary_ratios
    >>> from baserate.curves.populations import LDA
    >>> found = stationary_ratios("yule_q", LDA(distance=1.0), base_rate=0.3)
    >>> found.maxima, len(found.minima), round(found.minima[0], 9)
    ((), 1, 1.0)
    """
    metric = binary_metric(metric)
    pi = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    require_increasing(metric, pi)
    if isinstance(population, Empirical):
        rule, remedy = "must be continuous", "compare its vertices with bayes_threshold"
        raise InvalidArgumentError.from_rule("population", rule, population, remedy)
    found = survey(Differentiable.of(metric, pi), population, ratios_of(population))
    beyond = tuple(rule for rule in found.candidates if 0 < rule.ratio < np.inf)
    return StationaryRatios(
        maxima=tuple(sorted(rule.ratio for rule in beyond)),
        minima=tuple(rule.ratio for rule in found.minima),
    )


@dataclass(frozen=True, slots=True)
class RatioScan:
    """log δ, log q - log δ and the metric, where all are known."""

    x: Array
    excess: Array
    value: Array


def _scan(target: Differentiable, grid: Ratios) -> RatioScan:
    """Return the excess log q - log δ, checked with all digits wherever its sign changes."""
    x, rates = grid.x, grid.rates
    found = target.fast(rates)
    excess, value = excess_of(found, x), found.value
    checked = np.zeros(x.shape, dtype=bool)
    while (doubtful := _beside_changes(excess) & ~checked).any():
        better = target.exact(Rates(*(rate[doubtful] for rate in rates)))
        excess[doubtful], value[doubtful] = excess_of(better, x[doubtful]), better.value
        checked |= doubtful
    # Elsewhere the metric is flat to all its digits, or its slope drowns in rounding.
    known = np.abs(excess) > grid.noise
    known |= (excess == 0) & (grid.noise == 0)
    if not known.any():
        raise UnsupportedError(
            f"{target.metric.name} is constant to within rounding along the rules of this "
            "population: no threshold matters."
        )
    return RatioScan(x[known], excess[known], value[known])


def excess_of(slopes: Slopes, x: Array) -> Array:
    """Return log q - log δ; nan where the quotient is unknown."""
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


def root_between(
    target: Differentiable, population: Population, low: float, high: float
) -> RatioRule:
    """Return the rule with q = δ between two values of log δ."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        rates = rates_at(population, np.exp(x))
        return float(excess_of(target.exact(rates), np.array([x]))[0])

    root: Any = brentq(excess, low, high, xtol=1e-15)
    return _rule(target, population, float(np.exp(root)))


def _rule(target: Differentiable, population: Population, ratio: float) -> RatioRule:
    rates = rates_at(population, ratio)
    return RatioRule(ratio, rates, float(value_of(target.metric, rates, target.base_rate)[0]))


def end_of(
    target: Differentiable, population: Population, grid: Ratios, scan: RatioScan, *, upper: bool
) -> RuleEnd:
    """Look beyond the last rule whose rates double precision can hold."""
    last = -1 if upper else 0
    rising = bool(scan.excess[last] > 0) == upper
    value = float(scan.value[last])
    if not rising:
        return RuleEnd(rising=False, value=value, best=None)
    log_quotient = scan.excess + scan.x
    inner = log_quotient[-10:] if upper else log_quotient[:10]
    # A quotient that has settled is reached somewhere beyond; near a bound it may trail the ratio.
    if np.ptp(inner) <= 1e-12 and abs(scan.excess[last]) > 1e-6:
        rule = _rule(target, population, float(np.exp(inner[last])))
        at_least = float(np.fmax(rule.value, value))
        return RuleEnd(rising=True, value=value, best=replace(rule, value=at_least))
    trivial = _rule(target, population, np.inf if upper else 0.0)
    if trivial.value >= value - 1e-12 * abs(value):
        return RuleEnd(rising=True, value=value, best=trivial)
    bound = grid.above if upper else grid.below
    best = None if bound is None else _at_bound(target, bound, upper=upper)
    return RuleEnd(rising=True, value=value, best=best)


def _at_bound(target: Differentiable, bound: Bound, *, upper: bool) -> RatioRule | None:
    """Look for a maximum closer to a bound of the ratio than its digits can tell.

    What is left of both classes there has nearly one ratio, so a part τ of it is called positive
    (above) or negative (below). The metric rises toward the bound; there is a maximum if it falls
    as τ goes to 0. Where it is flat to the precision of that picture, all of it is as good.
    """
    from scipy.optimize import brentq

    rising = 1.0 if upper else -1.0

    def growth(log_part: float) -> float:
        slopes = target.exact(_part_of(bound.rates, float(np.exp(log_part)), upper=upper))
        return rising * float(excess_of(slopes, np.array([bound.x]))[0])

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
    return RatioRule(float(np.exp(bound.x)), rates, value)


def _part_of(rates: Rates, part: float, *, upper: bool) -> Rates:
    """Shrink the hits and false alarms of a rule, or its misses and correct rejections."""
    recall, miss_rate, false_positive_rate, specificity = rates
    if upper:
        s, f = recall * part, false_positive_rate * part
        return Rates(s, 1 - s, f, 1 - f)
    m, t = miss_rate * part, specificity * part
    return Rates(1 - m, m, 1 - t, t)
