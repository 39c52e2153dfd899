"""Sums of two independent bounded variables: what a yield obeys when the class shares are known.

For two Beta variables: a finite piece of an axis is written p + (q - p)/(1 + exp(-u)). Powers at
either end, which is all the roughness that Beta densities have, become exponentials in u, and
whatever is rough beyond the ends lies π away from the real axis: so the trapezoidal rule in u
converges exponentially, for half a count as for a million. Half of the nodes give a second answer,
whose distance shows the error.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from baserate._arrays import Array
from baserate.errors import UnsupportedError
from baserate.inference.beta import Beta
from baserate.inference.bounded_law import BoundedLaw, DirichletLinear
from baserate.inference.highest_of_laws import highest

Sides = tuple[Array, Array, Array]  # P(sum <= level), P(sum > level) and the density

STEP = 0.35
FEWEST = 48
MOST = 1000  # nodes at first; refinement doubles them
BEYOND = 26.0  # how far into a pure power the nodes go; the rest is a geometric series
FARTHEST = 200.0
AGREE = 1e-7  # of the rule with half the nodes; the error of the full rule is about its square
REFINEMENTS = 4
PEAK = 8.0  # parameters from which a density is small at both ends
AT_ONCE = 1 << 17  # nodes


class LevelBand(NamedTuple):
    """The x in [p, 1 - rest] at which a x + b Y passes the level for some, but not all, Y."""

    p: Array
    rest: Array
    length: Array
    low: Array  # the Y needed at the upper end
    high: Array  # one minus the Y needed at the lower end
    bottom: Array  # logits of the place within the band, between which all of it matters
    top: Array

    def part(self, rows: Any) -> "LevelBand":
        """Return some of the levels."""
        return LevelBand(*(column[rows] for column in self))


def sum_sides(x: Beta, y: Beta, a: float, b: float, level: Array, *, density: bool) -> Sides:
    """Return both tails and the density of a X + b Y for a, b > 0, at inner levels.

    X and Y are independent.
    """
    # A peak needs nodes of its own; what lies at an end is smooth in u, however narrow it is.
    if (y.least_parameter >= PEAK, -b * y.sd) > (x.least_parameter >= PEAK, -a * x.sd):
        return sum_sides(y, x, b, a, level, density=density)
    band = _band(x, y, a, b, level)
    step = min(STEP, 0.5 * (1 / x.a + 1 / x.b) ** 0.5)
    widest = float(np.max(band.top - band.bottom, initial=0.0))
    nodes = 4 * ceil(max(FEWEST, min(MOST, widest / step)) / 4)
    found, doubtful = np.zeros((3, level.size)), np.arange(level.size)
    for _ in range(REFINEMENTS + 1):
        rows = band.part(doubtful)
        found[:, doubtful], doubt = _ruled(x, y, a / b, rows, nodes, density=density)
        doubtful = doubtful[doubt > AGREE]
        if not doubtful.size:
            break
        nodes *= 2
    else:
        raise UnsupportedError(
            f"a sum of Beta variables could not be integrated with {nodes} nodes: "
            "use a prior of at least 0.1, or ask for a simulation."
        )
    # Below the band even the largest Y is not enough, and above it any Y is.
    below = found[0] + x.cdf(band.p, band.rest + band.length)
    above = found[1] + x.mirrored.cdf(band.rest, band.p + band.length)
    return np.minimum(below, 1.0), np.minimum(above, 1.0), found[2] / b


def _band(x: Beta, y: Beta, a: float, b: float, level: Array) -> LevelBand:
    p, q = np.maximum((level - b) / a, 0.0), np.minimum(level / a, 1.0)
    rest, length = np.maximum((a - level) / a, 0.0), np.maximum(q - p, 0.0)
    low, high = np.maximum((level - a) / b, 0.0), np.maximum((b - level) / b, 0.0)
    scale = a / b * length
    with np.errstate(divide="ignore", invalid="ignore"):
        starts = [x.onset / length, y.mirrored.onset / scale, p / length, high / scale]
        stops = [x.mirrored.onset / length, y.onset / scale, rest / length, low / scale]
        bottom = _end((x.least - p) / length, starts)
        top = -_end((x.mirrored.least - rest) / length, stops)
    open_ = (top > bottom) & (length > 0)
    return LevelBand(
        p, rest, length, low, high, np.where(open_, bottom, 0.0), np.where(open_, top, 0.0)
    )


def _ruled(
    x: Beta, y: Beta, ratio: float, band: LevelBand, nodes: int, *, density: bool
) -> tuple[Array, Array]:
    """Apply the trapezoidal rule in u, to a block of levels at a time."""
    size = max(1, AT_ONCE // nodes)
    parts = (band.part(slice(i, i + size)) for i in range(0, band.p.size, size))
    found = [_block(x, y, ratio, part, nodes, density=density) for part in parts]
    values, doubts = zip(*found, strict=True)
    return np.concatenate(values, axis=1), np.concatenate(doubts)


def _block(
    x: Beta, y: Beta, ratio: float, band: LevelBand, nodes: int, *, density: bool
) -> tuple[Array, Array]:
    p, rest, length, low, high, bottom, top = (column[:, None] for column in band)
    u = bottom + (top - bottom) * np.linspace(0.0, 1.0, nodes + 1)
    share, other = expit(u), expit(-u)
    at, left = p + length * share, rest + length * other
    need, spare = low + ratio * length * other, high + ratio * length * share
    step = (band.top - band.bottom) / nodes
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        weight = np.exp(x.log_density(at, left)) * (length * share / at) * (other / left)
        weight = np.where(top > bottom, weight, 0.0)
        sides = [weight * side for side in y.sides(need, spare)]
        if density:
            sides.append(weight * np.exp(y.log_density(need, spare)) / need / spare)
    # A step, the double and the fourfold: if how far the rule with half the nodes is off is an
    # accident of their places, that with a quarter shows it by the square of its own distance.
    full, half, quarter = (
        np.array([_with_tails(values[:, ::k]) * (k * step) for values in sides]) for k in (1, 2, 4)
    )
    off = np.maximum(np.abs(half - full), np.abs(quarter - full) ** 2)
    doubt = (off / np.maximum(1.0, full)).max(axis=0)
    return full if density else np.concatenate((full, [0 * step])), doubt


def _end(certain: Array, onsets: list[Array]) -> Array:
    """Return the logit of the share below which nothing lies, or only a power of the distance."""
    onset = np.min([np.where(start > 0, np.minimum(start, 1.0), 1.0) for start in onsets], axis=0)
    pure = np.maximum(np.log(onset) - BEYOND, -FARTHEST)
    known = np.clip(certain, 0.0, 1.0)
    return np.clip(
        np.where(known > 0, np.maximum(np.log(known) - np.log1p(-known), pure), pure),
        -FARTHEST,
        FARTHEST,
    )


def _with_tails(values: Array) -> Array:
    """Sum each row, and beyond both of its ends the geometric series that it goes on with."""
    return (
        values.sum(axis=1)
        + _series(values[:, 0], values[:, 1])
        + _series(values[:, -1], values[:, -2])
    )


def _series(last: Array, before: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = last / before
        return np.where((ratio > 0) & (ratio < 0.999), last * ratio / (1 - ratio), 0.0)


@dataclass(frozen=True, eq=False)
class TwoBetas(BoundedLaw):
    """The law of start + a X + b Y for a, b > 0 and independent Beta variables X and Y."""

    x: Beta
    y: Beta
    a: float
    b: float
    start: float

    @property
    def knots(self) -> Array:
        """The values at which X and Y are 0 or 1."""
        return self.start + np.unique([0.0, self.a, self.b, self.a + self.b])

    @property
    def mean(self) -> float:
        """Return start + a E[X] + b E[Y]."""
        return self.start + self.a * self.x.mean + self.b * self.y.mean

    @property
    def variance(self) -> float:
        """a² Var X + b² Var Y."""
        return (self.a * self.x.sd) ** 2 + (self.b * self.y.sd) ** 2

    def _inside(self, c: Array, *, density: bool) -> tuple[Array, Array, Array]:
        return sum_sides(self.x, self.y, self.a, self.b, c - self.start, density=density)


@dataclass(frozen=True, eq=False)
class TwoLinear(BoundedLaw):
    """The law of the sum of two independent weighted sums of Dirichlet shares."""

    first: DirichletLinear
    second: DirichletLinear

    @property
    def knots(self) -> Array:
        """Sums of a knot of either law."""
        return np.unique(np.add.outer(self.first.knots, self.second.knots))

    @property
    def mean(self) -> float:
        """Sum of the means."""
        return self.first.mean + self.second.mean

    @property
    def variance(self) -> float:
        """Sum of the variances."""
        return self.first.variance + self.second.variance

    def _inside(self, c: Array, *, density: bool) -> tuple[Array, Array, Array]:
        found = [highest((self.first, Rest(self.second, level))) for level in c]
        below, above = np.array([one.shares for one in found]).T[::-1]
        return below, above, np.array([one.meeting if density else 0.0 for one in found])


@dataclass(frozen=True, eq=False)
class Rest(BoundedLaw):
    """The law of level - Y."""

    law: BoundedLaw
    level: float

    @property
    def knots(self) -> Array:
        """What is left of the level at each knot."""
        return self.level - self.law.knots[::-1]

    @property
    def mean(self) -> float:
        """What is left at the mean."""
        return self.level - self.law.mean

    @property
    def variance(self) -> float:
        """That of the law."""
        return self.law.variance

    def _inside(self, c: Array, *, density: bool) -> tuple[Array, Array, Array]:
        below, above, height = self.law.evaluate(self.level - c, density=density)
        return above, below, height
