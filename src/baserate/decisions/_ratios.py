"""Where to look for a best rule: the density ratios that a population has, densely enough."""

from dataclasses import dataclass

import numpy as np

from baserate.curves._population import Array, Population, Rates, rates_at
from baserate.errors import UnsupportedError

_WIDEST = 690.0  # of log δ
_RATE = 1e-150  # rules with a smaller rate are taken as the trivial ones
_POINTS = 201
_FADED = 1e-100  # a rate that is larger at the last ratio does not fade out, but is cut off
_HALVINGS = 48


@dataclass(frozen=True, slots=True)
class Ratios:
    """Values of log δ in rising order, the rates of their rules, and whether δ is bounded.

    Where the density ratio is bounded, the last rule found still has errors and hits of all kinds,
    and the next number in double precision has not.
    """

    x: Array
    rates: Rates
    bounded_below: bool
    bounded_above: bool


def ratios_of(population: Population) -> Ratios:
    """Return ratios at which no rate is lost, denser near δ = 1 and towards a bound."""
    x, kept, rates = _spread(population)
    last = kept[-1]
    above = _is_cut_off(rates, last)
    below = _is_cut_off(rates, kept[0])
    extra = [
        *(_towards(population, x[last], x[min(last + 1, len(x) - 1)]) if above else ()),
        *(_towards(population, x[kept[0]], x[max(kept[0] - 1, 0)]) if below else ()),
    ]
    x = np.unique([*x[kept], *extra])
    return Ratios(x, rates_at(population, np.exp(x)), below, above)


def _spread(population: Population) -> tuple[Array, Array, Rates]:
    """Zoom in until half of the points have all four rates."""
    low, high = -_WIDEST, _WIDEST
    for _ in range(40):
        x = np.sinh(np.linspace(np.arcsinh(low), np.arcsinh(high), _POINTS))
        rates = rates_at(population, np.exp(x))
        kept = np.flatnonzero(np.minimum.reduce(rates) >= _RATE)
        if not kept.size:
            break
        if kept.size >= _POINTS // 2:
            return x, kept, rates
        low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, _POINTS - 1)]
    raise UnsupportedError(
        "The two classes are so far apart that no rule has errors of both kinds in double "
        "precision: every rule in between is perfect."
    )


def _is_cut_off(rates: Rates, at: int) -> bool:
    return min(float(rate[at]) for rate in rates) > _FADED


def _towards(population: Population, inside: float, outside: float) -> Array:
    """Return points ever closer to the bound between a ratio inside and one outside."""
    start = inside
    while abs(outside - inside) > 2 * np.spacing(abs(inside)):
        x = np.linspace(inside, outside, 33)
        held = np.minimum.reduce(rates_at(population, np.exp(x))) >= _RATE
        last = int(np.flatnonzero(held)[-1])
        if last == len(x) - 1 or x[last] == inside == x[min(last + 1, len(x) - 1)]:
            break
        inside, outside = float(x[last]), float(x[last + 1])
    return inside + (start - inside) * 0.5 ** np.arange(_HALVINGS)
