"""Sums and differences of independent Beta variables, by one or two trapezoidal rules.

A finite piece of an axis is written p + (q - p)/(1 + exp(-u)). Powers at either end, which is all
the roughness that Beta densities have, become exponentials in u, and whatever is rough beyond the
ends lies π away from the real axis: so the trapezoidal rule in u converges exponentially, for half
a count as for a million. Half of the nodes give a second answer, whose distance shows the error.
"""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from baserate.errors import UnsupportedError
from baserate.inference._beta import Beta

Array = NDArray[np.float64]

STEP = 0.35
FEWEST = 48
MOST = 1000  # nodes at first; refinement doubles them
BEYOND = 26.0  # how far into a pure power the nodes go; the rest is a geometric series
FARTHEST = 200.0
AGREE = 3e-6  # of the rule with half the nodes; the error of the full rule is about its square
REFINEMENTS = 4


class Band(NamedTuple):
    """The x in [p, 1 - rest] at which a x + b Y passes the level for some, but not all, Y."""

    p: Array
    rest: Array
    length: Array
    low: Array  # the Y needed at the upper end
    high: Array  # one minus the Y needed at the lower end
    ratio: float  # a / b


class Integral(NamedTuple):
    """A value, and how far the rule with half the nodes is from it."""

    value: Array
    doubt: Array


def sum_exceeds(x: Beta, y: Beta, a: float, b: float, level: Array) -> Integral:
    """P(a X + b Y > level) for a, b > 0 and independent X and Y."""
    if b * y.sd < a * x.sd:
        return sum_exceeds(y, x, b, a, level)
    k = np.clip(level, 0.0, a + b)
    p, q = np.maximum((k - b) / a, 0.0), np.minimum(k / a, 1.0)
    rest = np.maximum((a - k) / a, 0.0)
    low, high = np.maximum((k - a) / b, 0.0), np.maximum((b - k) / b, 0.0)
    found = _inside(x, y, Band(p, rest, np.maximum(q - p, 0.0), low, high, a / b), density=False)
    beyond = 1 - x.cdf(q, rest)
    return Integral(
        np.where(k >= a + b, 0.0, np.where(k <= 0, 1.0, found.value + beyond)), found.doubt
    )


def sum_density(x: Beta, y: Beta, a: float, b: float, level: Array) -> Integral:
    """Density of a X + b Y."""
    k = np.clip(level, 0.0, a + b)
    p, q = np.maximum((k - b) / a, 0.0), np.minimum(k / a, 1.0)
    low, high = np.maximum((k - a) / b, 0.0), np.maximum((b - k) / b, 0.0)
    band = Band(p, np.maximum((a - k) / a, 0.0), np.maximum(q - p, 0.0), low, high, a / b)
    found = _inside(x, y, band, density=True)
    return Integral(found.value / b, found.doubt / b)


def difference_exceeds(x: Beta, y: Beta, d: Array, rest: Array) -> Integral:
    """P(X - Y > d) for d >= 0, where rest = 1 - d."""
    # X - Y > d is X + (1 - Y) > 1 + d, and both summands may trade places.
    first, second = (x, y.mirrored) if x.sd <= y.sd else (y.mirrored, x)
    return _inside(first, second, _shifted(d, rest), density=False)


def difference_density(x: Beta, y: Beta, d: Array, rest: Array) -> Integral:
    """Density of X - Y at d >= 0, where rest = 1 - d."""
    return _inside(x, y.mirrored, _shifted(d, rest), density=True)


def _shifted(d: Array, rest: Array) -> Band:
    zero = np.zeros_like(d)
    return Band(d, zero, rest, d, zero, 1.0)


def _inside(x: Beta, y: Beta, band: Band, *, density: bool) -> Integral:
    """Integrate density(x) P(Y > level - x), or density(x) density(level - x), over the band."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bottom, top = _reach(x, y, band, density=density)
    open_ = (top > bottom) & (band.length > 0)
    bottom, top = np.where(open_, bottom, 0.0), np.where(open_, top, 0.0)
    step = min(STEP, 0.5 * (1 / x.a + 1 / x.b) ** 0.5)
    nodes = 2 * ceil(max(FEWEST, min(MOST, float(np.max(top - bottom, initial=0.0)) / step)) / 2)
    found = _ruled(x, y, band, bottom, top, nodes, density=density)
    for _ in range(REFINEMENTS):
        if found.doubt.max(initial=0.0) <= AGREE * max(1.0, found.value.max(initial=0.0)):
            return found
        nodes *= 2
        found = _ruled(x, y, band, bottom, top, nodes, density=density)
    message = (
        f"a sum of Beta variables could not be integrated with {nodes} nodes: "
        "use a prior of at least 0.1, or ask for a simulation."
    )
    raise UnsupportedError(message)


def _ruled(
    x: Beta, y: Beta, band: Band, bottom: Array, top: Array, nodes: int, *, density: bool
) -> Integral:
    """Apply the trapezoidal rule in u."""
    u = bottom[:, None] + (top - bottom)[:, None] * np.linspace(0.0, 1.0, nodes + 1)
    share, other = expit(u), expit(-u)
    length = band.length[:, None]
    at, rest = band.p[:, None] + length * share, band.rest[:, None] + length * other
    need = band.low[:, None] + band.ratio * length * other
    spare = band.high[:, None] + band.ratio * length * share
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        values = np.exp(x.log_density(at, rest)) * (length * share / at) * (other / rest)
        if density:
            values *= np.exp(y.log_density(need, spare)) / need / spare
        else:
            values *= y.mirrored.cdf(spare, need)
    values = np.where((top > bottom)[:, None], values, 0.0)
    return trapezoid(values, (top - bottom) / nodes)


def _reach(x: Beta, y: Beta, band: Band, *, density: bool) -> tuple[Array, Array]:
    """Return the range of u that carries the integral."""
    other = y.mirrored
    scale = band.ratio * band.length
    lowest = np.maximum((x.least - band.p) / band.length, (other.least - band.high) / scale)
    highest = (x.mirrored.least - band.rest) / band.length
    if density:
        highest = np.maximum(highest, (y.least - band.low) / scale)
    starts = [x.onset / band.length, other.onset / scale, band.p / band.length, band.high / scale]
    stops = [
        x.mirrored.onset / band.length,
        y.onset / scale,
        band.rest / band.length,
        band.low / scale,
    ]
    # P(Y > level - x) approaches 1 by a power of its own, so that the sum of both must have faded.
    slow = BEYOND if density else max(BEYOND, 1.1 * BEYOND / (x.b + y.a))
    return _end(lowest, starts, BEYOND), -_end(highest, stops, slow)


def _end(certain: Array, onsets: list[Array], beyond: float) -> Array:
    """Return the logit of the share below which nothing lies, or only a power of the distance."""
    onset = np.min([np.where(start > 0, np.minimum(start, 1.0), 1.0) for start in onsets], axis=0)
    pure = np.maximum(np.log(onset) - beyond, -FARTHEST)
    known = np.clip(certain, 0.0, 1.0)
    return np.clip(
        np.where(known > 0, np.maximum(np.log(known) - np.log1p(-known), pure), pure),
        -FARTHEST,
        FARTHEST,
    )


def trapezoid(values: Array, step: Array) -> Integral:
    """Sum rows of values with a full step and with a double one."""
    full = _with_tails(values) * step
    return Integral(full, np.abs(_with_tails(values[:, ::2]) * (2 * step) - full))


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
