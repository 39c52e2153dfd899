"""Sums of two independent bounded variables: what a yield obeys when the class shares are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baserate.inference._beta import Beta
from baserate.inference._bounded_law import BoundedLaw
from baserate.inference._highest import highest
from baserate.inference._two_betas import sum_sides
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
