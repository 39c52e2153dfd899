"""Continuous laws on a bounded range, and the one that every linear metric obeys."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate._beta import betaincinv, matching_beta
from baserate._checks import confidence, float_array, numbers_in
from baserate._gamma_sums import dirichlet_sides, quantiles
from baserate.errors import InvalidArgumentError
from baserate.inference.beta import Beta


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


@dataclass(frozen=True, eq=False)
class DirichletLinear(BoundedLaw):
    """The law of Y = Σ w θ, where the shares θ are Dirichlet(α).

    Mean m = Σ w α / α₀ and variance Σ (w - m)² α / α₀ / (α₀ + 1), with α₀ = Σ α. For independent
    gamma variables G of shapes α, Y <= c exactly if Σ (w - c) G <= 0, so the distribution function
    is one integral, 1/2 - (1/π) ∫₀^∞ Im Π (1 - iu (w - c))^(-α) du/u. It is computed along another
    path, with an error below 1e-12, relative in a small tail. With only two different weights Y is
    a shifted and scaled Beta variable.

    Parameters
    ----------
    weights, concentration : sequences of the same length
        Finite weights w and parameters α > 0. Equal weights are merged.

    Raises
    ------
    InvalidArgumentError
        A weight is not finite, a parameter is not positive, or the lengths differ.

    References
    ----------
    Provost and Cheong (2000), Canadian Journal of Statistics 28:417, for the integral. Imhof
    (1961), Biometrika 48:419, doi:10.1093/biomet/48.3-4.419, who first used it.

    Examples
    --------
    Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t, compare classifiers by
    utility. The first one's 100 decisions, with one more in each cell, leave its mean utility
    uncertain by 16 dollars:

    >>> from baserate.inference.bounded_law import DirichletLinear
    >>> y = DirichletLinear([15, -335, -35, 165], [28, 16, 24, 36])
    >>> round(y.mean, 2), round(y.sd, 1)
    (1.54, 16.0)
    >>> print("{:.1f} to {:.1f}".format(*y.interval()))
    -31.3 to 31.5
    """

    weights: Any
    concentration: Any

    def __post_init__(self) -> None:
        w, alpha = (
            np.ravel(float_array(name, getattr(self, name)))
            for name in ("weights", "concentration")
        )
        if not (w.size and np.isfinite(w).all()):
            rule = "must be finite numbers, at least one"
            raise InvalidArgumentError.from_rule("weights", rule, self.weights, "pass utilities")
        alpha = numbers_in("concentration", alpha, "(0, inf)", "add a prior count to empty cells")
        if alpha.shape != w.shape:
            rule = f"must have as many numbers as weights, {w.size}"
            remedy = "pass one parameter per weight"
            raise InvalidArgumentError.from_rule("concentration", rule, alpha.size, remedy)
        values, place = np.unique(w, return_inverse=True)
        object.__setattr__(self, "weights", values)
        object.__setattr__(self, "concentration", np.bincount(place, alpha))

    @property
    def knots(self) -> Array:
        """The different weights: between two of them the density is smooth."""
        return self.weights

    @property
    def mean(self) -> float:
        """Σ w α / α₀."""
        return float(self.weights @ self.concentration / self.concentration.sum())

    @property
    def variance(self) -> float:
        """Σ (w - mean)² α / α₀ / (α₀ + 1)."""
        total = self.concentration.sum()
        return float((self.weights - self.mean) ** 2 @ self.concentration / total / (total + 1))

    def _inside(self, c: Array, *, density: bool) -> tuple[Array, Array, Array]:
        if self.weights.size > 2:
            return dirichlet_sides(self.weights, self.concentration, c, density=density)
        (low, high), (b, a) = self.weights, self.concentration
        share, x, rest = Beta(a, b), (c - low) / (high - low), (high - c) / (high - low)
        height = np.exp(share.log_density(x, rest)) / (x * rest * (high - low))
        return *share.sides(x, rest), height

    def _solve(self, level: Array) -> Array:
        if self.weights.size == 2:
            b, a = self.concentration
            return self._from_share(betaincinv(a, b, level))
        return super()._solve(level)
