"""P(a (X₁ - X₂) + b (Y₁ - Y₂) > 0) for independent Beta variables: recalls and specificities."""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from baserate.errors import UnsupportedError
from baserate.inference._beta import Beta
from baserate.inference._two_betas import (
    AGREE,
    STEP,
    difference_density,
    difference_exceeds,
    trapezoid,
)

Array = NDArray[np.float64]

FARTHEST = 34.0  # reach of a piece's logit; the density at 0 grows at most like a logarithm
SMOOTH = 8.0  # with such parameters a difference of two Beta variables is smooth at 0
WIDTHS = 8.5  # standard deviations that hold all but 1e-16 of such a difference
NODES = 48
REFINEMENTS = 4


class Pair(NamedTuple):
    """A difference X - Y of two Beta variables, times `scale` > 0."""

    x: Beta
    y: Beta
    scale: float

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return self.scale * (self.x.sd**2 + self.y.sd**2) ** 0.5

    @property
    def mean(self) -> float:
        """Mean of X - Y, before it is scaled."""
        return self.x.mean - self.y.mean

    @property
    def turned(self) -> "Pair":
        """The pair Y - X."""
        return Pair(self.y, self.x, self.scale)

    @property
    def least(self) -> float:
        """The smallest of the four parameters."""
        return min(self.x.a, self.x.b, self.y.a, self.y.b)


def differences_exceed(pairs: list[Pair]) -> float:
    """P(the sum of both scaled differences > 0); a pair of scale 0 does not count."""
    pairs = sorted((pair for pair in pairs if pair.scale > 0), key=lambda pair: pair.sd)
    zero, one = np.zeros(1), np.ones(1)
    if not pairs:
        return 0.0
    if len(pairs) == 1:
        return float(difference_exceeds(pairs[0].x, pairs[0].y, zero, one).value[0])
    narrow, wide = pairs
    smooth = narrow.least >= SMOOTH
    rule = _across_zero if smooth else _from_zero
    return rule(narrow, wide)


def _across_zero(narrow: Pair, wide: Pair) -> float:
    """Integrate over the difference with the smaller spread, straight through 0."""
    sd = narrow.sd / narrow.scale
    for nodes in _growing(NODES):
        d = np.clip(narrow.mean + WIDTHS * sd * np.linspace(-1, 1, nodes + 1), -1, 1)
        reach = -d * (narrow.scale / wide.scale)
        values = _density(narrow, d) * _exceeds(wide, reach)
        found = trapezoid(values[None], np.array([2 * WIDTHS * sd / nodes]))
        if found.doubt[0] <= AGREE:
            return float(found.value[0])
    return _from_zero(narrow, wide)


def _density(pair: Pair, d: Array) -> Array:
    values, size = np.empty_like(d), np.abs(d)
    for side, part in ((pair, d >= 0), (pair.turned, d < 0)):
        values[part] = difference_density(side.x, side.y, size[part], 1 - size[part]).value
    return values


def _exceeds(pair: Pair, d: Array) -> Array:
    values, size = np.empty_like(d), np.minimum(np.abs(d), 1.0)
    right = d >= 0
    values[right] = difference_exceeds(pair.x, pair.y, size[right], 1 - size[right]).value
    values[~right] = 1 - difference_exceeds(pair.y, pair.x, size[~right], 1 - size[~right]).value
    return values


def _from_zero(narrow: Pair, wide: Pair) -> float:
    """Integrate over both signs apart, since either density may have a corner or a pole at 0."""
    head = difference_exceeds(narrow.x, narrow.y, np.zeros(1), np.ones(1)).value[0]
    # A negative narrow difference wins if the wide one gains more, a positive one if it loses less.
    return float(head + _one_sign(narrow.turned, wide) - _one_sign(narrow, wide.turned))


def _one_sign(narrow: Pair, wide: Pair) -> float:
    """P(narrow difference > 0, wide difference > the narrow one)."""
    own, other = min(1.0, wide.scale / narrow.scale), min(1.0, narrow.scale / wide.scale)
    x, y = narrow.x, narrow.y
    most, least = 1 - x.mirrored.least - y.least, x.least + y.mirrored.least - 1
    if most <= 0 or least >= own:
        return 0.0
    high = min(float(logit(min(most / own, 1.0))), FARTHEST)
    low = min(0.0, high) - FARTHEST if least <= 0 else float(logit(min(least / own, 1.0)))
    for nodes in _growing(max(NODES, 2 * ceil((high - low) / STEP / 2))):
        u = np.linspace(low, high, nodes + 1) if high > low else np.full(nodes + 1, high)
        share, rest = expit(u), expit(-u)
        density = difference_density(x, y, own * share, (1 - own) + own * rest).value
        beyond = difference_exceeds(wide.x, wide.y, other * share, (1 - other) + other * rest)
        values = density * beyond.value * (own * share * rest)
        found = trapezoid(values[None], np.array([(high - low) / nodes]))
        if found.doubt[0] <= AGREE:
            return float(found.value[0])
    message = (
        "P(A better) could not be integrated to full accuracy: use a prior of at least 0.1, or "
        "class shares that differ less."
    )
    raise UnsupportedError(message)


def _growing(first: int) -> list[int]:
    return [first * 2**k for k in range(REFINEMENTS + 1)]
