"""Sums of two independent bounded variables: what a yield obeys when the class shares are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baserate.inference._beta import Beta
from baserate.inference._bounded_law import BoundedLaw
from baserate.inference._expectation import expectation
from baserate.inference._two_betas import sum_density, sum_exceeds
from baserate.inference.dirichlet_linear import DirichletLinear

Array = NDArray[np.float64]


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
        level = c - self.start
        laws = self.x, self.y, self.a, self.b
        mirrored = self.x.mirrored, self.y.mirrored, self.a, self.b
        above = np.clip(sum_exceeds(*laws, level).value, 0.0, 1.0)
        below = np.clip(sum_exceeds(*mirrored, self.a + self.b - level).value, 0.0, 1.0)
        height = sum_density(*laws, level).value if density else np.zeros_like(c)
        return below, above, height


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
        narrow, wide = sorted((self.first, self.second), key=lambda law: law.variance)

        def mean_of(function: str, level: float) -> float:
            answer = getattr(wide, function)
            return expectation(narrow, lambda at: answer(level - at), level - wide.knots)

        below, above = (np.array([mean_of(name, level) for level in c]) for name in ("cdf", "sf"))
        height = [mean_of("pdf", level) if density else 0.0 for level in c]
        return below, above, np.array(height)
