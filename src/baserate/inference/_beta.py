"""A Beta variable that knows x and 1 - x apart, so that neither end of [0, 1] loses digits."""

from dataclasses import dataclass
from functools import cached_property
from math import log, log1p, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaincinv, gammaln

Array = NDArray[np.float64]

TAIL = 1e-16  # probability beyond either end of what is looked at
FAINT = 1e-3  # a difference from one of which too few digits are left
STIRLING = 16.0  # from here on four terms of Stirling's series have all digits


@dataclass(frozen=True)
class Beta:
    """X ~ Beta(a, b)."""

    a: float
    b: float

    @property
    def mirrored(self) -> "Beta":
        """The law of 1 - X."""
        return Beta(self.b, self.a)

    @property
    def mean(self) -> float:
        """Return a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        n = self.a + self.b
        return (self.a * self.b / (n + 1)) ** 0.5 / n

    @property
    def least_parameter(self) -> float:
        """The smaller of a and b."""
        return min(self.a, self.b)

    @cached_property
    def least(self) -> float:
        """X below which lies next to no probability."""
        return float(betaincinv(self.a, self.b, TAIL))

    @property
    def onset(self) -> float:
        """X below which the density is a power of x, roughly."""
        return min(1.0, (self.a + 1) / (self.a + self.b))

    def cdf(self, x: Array, rest: Array) -> Array:
        """P(X <= x), where rest = 1 - x."""
        return self.sides(x, rest)[0]

    def sides(self, x: Array, rest: Array) -> tuple[Array, Array]:
        """P(X <= x) and P(X > x), where rest = 1 - x; the smaller one keeps its digits."""
        lower, nearer = x < rest, np.minimum(x, rest)
        first, second = np.where(lower, self.a, self.b), np.where(lower, self.b, self.a)
        share = betainc(first, second, nearer)
        beyond = np.asarray(1 - share)
        faint = beyond < FAINT
        beyond[faint] = betaincc(first[faint], second[faint], nearer[faint])
        return np.where(lower, share, beyond), np.where(lower, beyond, share)

    def log_density(self, x: Array, rest: Array) -> Array:
        """Logarithm of x (1 - x) times the density, relative to the mean: large counts cancel."""
        x0, y0 = self.mean, self.b / (self.a + self.b)
        apart = np.where(x < rest, x - x0, y0 - rest)
        return (
            self._peak + self.a * _log_ratio(x, apart, x0) + self.b * _log_ratio(rest, -apart, y0)
        )

    @cached_property
    def _peak(self) -> float:
        a, b = self.a, self.b
        smaller, larger = min(a, b), max(a, b)
        spread = 0.5 * (log(smaller / (2 * pi)) - log1p(smaller / larger))
        return spread - _correction(a) - _correction(b) + _correction(a + b)


def _correction(z: float) -> float:
    """Return log Γ(z) minus Stirling's formula."""
    if z < STIRLING:
        return float(gammaln(z)) - ((z - 0.5) * log(z) - z + 0.5 * log(2 * pi))
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / z**2) / z**2) / z**2) / z


def _log_ratio(x: Array, difference: Array, x0: float) -> Array:
    relative = difference / x0
    near = np.abs(relative) < 0.5
    with np.errstate(divide="ignore"):
        return np.where(near, np.log1p(np.where(near, relative, 0.0)), np.log(x / x0))
