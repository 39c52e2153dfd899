"""Quantiles of laws too long to list: close in on the value, then list the tables in between.

On the scale of normal quantiles a distribution function is nearly straight, so that the chord
between two points of it says where to look next, and is off by the square of their distance. A few
sums over all tables leave so few tables between two numbers that these can be sorted.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from baserate._arith import slack
from baserate._windows import Array
from baserate.questions._law import Law
from baserate.questions._masses import Sides
from baserate.questions._ties import Cut, grouped

# Draws that say where to look first, and how far to both sides of the quantile, in probability.
_DRAWS, _APART = 2000, 0.03
# Tables that are listed rather than parted further.
_LISTED = 200_000
# A normal quantile beyond that of any float.
_BEYOND = 40.0


class Tables(Protocol):
    """Tables that a number parts, without a list of them."""

    def part(self, cut: Cut) -> tuple[Sides, int]:
        """Return the mass on both sides of a number, and how many tables reach up to it at most."""
        ...

    def between(self, low: Cut, high: Cut) -> tuple[Array, Array]:
        """Return the values above one number and up to another, and their probabilities."""
        ...

    def least_above(self, cut: Cut) -> float:
        """Return the least value above a number."""
        ...


@dataclass(frozen=True, slots=True)
class Point:
    """A number, the mass up to it and its normal quantile, and the tables up to it."""

    x: float
    mass: float
    z: float
    count: int


@dataclass(slots=True)
class Closing:
    """The search for the least value up to which there is a given mass."""

    law: Law
    tables: Tables
    mass: float
    total: float
    low: Point | None = None
    high: Point | None = None

    def value(self) -> float:
        """Return the value."""
        first, second = self._guesses()
        for x in (first, second):
            self._look(x)
        step = second - first or abs(first) / 100 or 0.01
        while self.low is None or self.high is None:
            x = first - step if self.low is None else second + step
            self._look(x)
            step *= 2
        low, high = self.low, self.high
        turn = 0
        while high.count - low.count > _LISTED:
            if high.x - low.x <= slack(max(abs(low.x), abs(high.x))):
                return self.tables.least_above(self._cut(low.x))
            self._look(self._probe(low, high, turn))
            low, high, turn = self.low, self.high, turn + 1
        return self._listed(low, high)

    def _guesses(self) -> tuple[float, float]:
        """Return two numbers that some draws suggest, or that are near the value at the mean."""
        values = np.asarray(self.law.value(*self.law.model.sample(_DRAWS, 0)))
        values = values[~np.isnan(values)]
        if not values.size:
            return 0.0, 1.0
        q = self.mass / self.total
        first, second = np.quantile(values, np.clip((q - _APART, q + _APART), 0, 1))
        return float(first), float(second)

    def _look(self, x: float) -> None:
        point = self._at(x)
        if point.mass >= self.mass:
            self.high = point
        else:
            self.low = point

    def _at(self, x: float) -> Point:
        sides, count = self.tables.part(self._cut(x))
        mass = sides.below + sides.equal
        return Point(x, mass, _normal_quantile(mass, sides.above), count)

    def _probe(self, low: Point, high: Point, turn: int) -> float:
        """Follow the chord, to either side by turns; every third time, halve."""
        width, rise = high.x - low.x, high.z - low.z
        aim = _normal_quantile(self.mass, self.total - self.mass)
        share = (aim - low.z) / rise if rise > 0 else 0.5
        aside = 0.1 * min(1.0, rise)
        if turn % 3 == 2 and rise > 1:
            share = 0.5
        share += aside if turn % 2 else -aside
        return low.x + width * min(max(share, 0.01), 0.99)

    def _listed(self, low: Point, high: Point) -> float:
        values, weights = grouped(*self.tables.between(self._cut(low.x), self._cut(high.x)))
        first = int(np.searchsorted(low.mass + np.cumsum(weights), self.mass))
        return float(values[min(first, len(values) - 1)])

    def _cut(self, x: float) -> Cut:
        return Cut.at(self.law.metric, x)


def _normal_quantile(below: float, above: float) -> float:
    from scipy.special import ndtri

    less = min(below, above)
    z = min(_BEYOND, -float(ndtri(less / (below + above)))) if less > 0 else _BEYOND
    return z if below > above else -z
