"""A rate with a Beta law, in odds x/(1 - x): both ends of [0, 1] keep their digits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from baserate._quadrature import Nodes, beta_nodes, legendre_nodes

Array = NDArray[np.float64]
TAIL = 1e-15  # probability beyond either end of what is looked at


@dataclass(frozen=True)
class Rate:
    """A rate x ~ Beta(a, b)."""

    a: float
    b: float

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Odds beyond which lies next to no probability."""
        low, high = betaincinv(self.a, self.b, TAIL), betaincinv(self.b, self.a, TAIL)
        return float(low / (1 - low)), float((1 - high) / high)

    @property
    def centre(self) -> float:
        """Odds of the mean."""
        return self.a / self.b

    @property
    def least(self) -> float:
        """The smaller parameter."""
        return min(self.a, self.b)

    @property
    def skew(self) -> float:
        """Factor by which the law's long tail makes it wider than its standard deviation says."""
        return 2.0 if self.least < 4 else 1.0

    @property
    def spread(self) -> float:
        """Standard deviation of the logarithm of the odds, roughly, and at most one."""
        return min(1.0, (1 / self.a + 1 / self.b) ** 0.5)

    def cdf(self, odds: Array | float) -> Array:
        """P(rate <= odds/(1 + odds)), computed from its smaller side."""
        if self.a <= self.b:
            return betainc(self.a, self.b, odds / (1 + odds))
        return 1 - betainc(self.b, self.a, 1 / (1 + odds))

    def gauss(self, n: int) -> Nodes:
        """Return the Gauss rule of the law."""
        return beta_nodes(self.a, self.b, n)

    def between(self, low: Array, high: Array, n: int) -> Nodes:
        """Return a rule for each pair of odds, in a further last axis; its weights sum to the mass.

        x = low + (high - low) sin²(πu/2) with Gauss-Legendre in u, so that square roots at both
        ends (of the density at half a count, and of a tail that begins there) become smooth. With
        an empty cell what matters may lie many powers of ten closer to the end: sine twice, and
        half as many nodes again.
        """
        empty_cell = self.least < 2
        u, step = legendre_nodes(n + n // 2 if empty_cell else n)
        if empty_cell:
            u, step = np.sin(np.pi / 2 * u) ** 2, step * np.sin(np.pi * u)
        sine, cosine = np.sin(np.pi / 2 * u), np.cos(np.pi / 2 * u)
        low, high = np.asarray(low)[..., None], np.asarray(high)[..., None]
        width = (high - low) / ((1 + low) * (1 + high))
        x = low / (1 + low) + width * sine**2
        y = 1 / (1 + high) + width * cosine**2
        weights = np.exp(self._log_density(x, y)) * sine * cosine * step
        total = weights.sum(axis=-1, keepdims=True)
        mass = self.cdf(high) - self.cdf(low)
        with np.errstate(invalid="ignore"):
            weights = np.where(total > 0, weights * (mass / total), 0.0)
        return Nodes(x / y, weights)

    def _log_density(self, x: Array, y: Array) -> Array:
        """Log density up to a constant: relative to the mean, so that large counts cancel."""
        x0, y0 = self.a / (self.a + self.b), self.b / (self.a + self.b)
        d = np.where(x < y, x - x0, y0 - y)
        return (self.a - 1) * _log_ratio(x, d, x0) + (self.b - 1) * _log_ratio(y, -d, y0)


def _log_ratio(x: Array, difference: Array, x0: float) -> Array:
    """Return log(x / x0): by the difference where they are near, by the quotient elsewhere."""
    relative = difference / x0
    near = np.abs(relative) < 0.5
    return np.where(near, np.log1p(np.where(near, relative, 0.0)), np.log(x / x0))
