"""A continuous law on a bounded range: what follows from its distribution function and density."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain
from baserate._beta_limits import matching_beta
from baserate._checks import confidence, numbers_in
from baserate._large_beta import betaincinv
from baserate._normal_scale import quantiles

Array = NDArray[np.float64]


class BoundedLaw(ABC):
    """Distribution function, density, quantiles and intervals of a law between two ends."""

    @property
    @abstractmethod
    def knots(self) -> Array:
        """Both ends, and the places between them at which the density is not smooth."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Expected squared distance from the mean."""

    @abstractmethod
    def _inside(self, c: Array, *, density: bool) -> tuple[Array, Array, Array]:
        """P(Y <= c), P(Y > c) and the density (if asked for) strictly between the ends."""

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return self.variance**0.5

    def cdf(self, c: Any) -> Any:
        """P(Y <= c), for a number or an array."""
        return plain(self.evaluate(c)[0])

    def sf(self, c: Any) -> Any:
        """P(Y > c), for a number or an array."""
        return plain(self.evaluate(c)[1])

    def pdf(self, c: Any) -> Any:
        """Density, for a number or an array; infinite at a value that has a probability."""
        return plain(self.evaluate(c, density=True)[2])

    def evaluate(self, c: Any, *, density: bool = False) -> tuple[Array, Array, Array]:
        """P(Y <= c), P(Y > c) and the density (if asked for), all at once."""
        c = np.asarray(c, dtype=float)
        flat = c.ravel()
        low, high = self.knots[[0, -1]]
        below = np.where(np.isnan(flat), np.nan, (flat >= high).astype(float))
        above, height = 1 - below, np.where((low == high) & (flat == low), np.inf, 0.0)
        inside = (flat > low) & (flat < high)
        if inside.any():
            found = self._inside(flat[inside], density=density)
            # An integral's rounding may lead out of what is possible.
            below[inside], above[inside] = np.clip(found[:2], 0.0, 1.0)
            height[inside] = np.maximum(found[2], 0.0)
        return below.reshape(c.shape), above.reshape(c.shape), height.reshape(c.shape)

    def quantile(self, q: Any) -> Any:
        """Return the value that Y does not exceed with probability q in (0, 1)."""
        level = np.asarray(numbers_in("q", q, "(0, 1)", "pass a probability"), dtype=float)
        if self.knots[0] == self.knots[-1]:
            return plain(np.full(level.shape, self.knots[0]))
        return plain(self._solve(level.ravel()).reshape(level.shape))

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return both quantiles of the equal-tailed interval."""
        level = confidence(confidence_level)
        low, high = self.quantile(np.array([(1 - level) / 2, (1 + level) / 2]))
        return float(low), float(high)

    def _solve(self, level: Array) -> Array:
        """Search between the ends, from the Beta law of equal moments."""
        low, high = self.knots[[0, -1]]
        share, rest = (self.mean - low) / (high - low), (high - self.mean) / (high - low)
        law = matching_beta(share, rest, self.variance / (high - low) ** 2)
        start = self._from_share(betaincinv(*law, level))

        def evaluate(c: Array) -> tuple[Array, Array, Array]:
            return self.evaluate(c, density=True)

        return quantiles(evaluate, level, start, (float(low), float(high)))

    def _from_share(self, share: Array) -> Array:
        low, high = self.knots[[0, -1]]
        return low * (1 - share) + high * share
