"""Where to look for a best rule: the density ratios that a population has, densely enough."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baserate.curves.populations import Array, Population, Rates, rates_at
from baserate.errors import UnsupportedError

_WIDEST = 690.0  # of log δ
_RATE = 1e-150  # rules with a smaller rate are taken as the trivial ones
_POINTS = 201
_FADED = 1e-100  # a rate that is larger at the last ratio does not fade out, but is cut off
_CLOSEST, _CLEAR = 1e-12, 1e-7  # distances of log δ from a bound
_ROUNDING = 1e-13  # of log δ; a rate at distance d from a bound has this relative error over d


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
