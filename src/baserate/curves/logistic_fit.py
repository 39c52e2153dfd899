"""Calibration intercept and slope with their intervals, by the profile of the likelihood."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from baserate.curves.estimates import Estimate
from baserate.curves.logistic_recalibration import Likelihood, falls_by, level_shift, likelihood

Array = NDArray[np.float64]

STEEP = 2.0  # slopes beyond are fitted to logits pooled more finely
STEEPER = 16.0  # so much, where pooled logits have no slope


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """What is fitted to: logits, cases or weights of each class there, squared weights above."""

    x: Array
    positive: Array
    negative: Array
    squares: tuple[Array, Array] | None
    confidence_level: float

    def intercept(self) -> Estimate | None:
        """Return the intercept at slope 1."""
        of = likelihood(self.x, self.positive, self.negative)
        level = level_shift(of.x, of.size, of.positives)
        curvature = float(of.information(level, 1.0)[0, 0])
        inflation = self._inflation(level, 1.0, np.array([1.0, 0.0]), curvature)
        return self._estimate(of.at_slope_1, level, curvature, inflation, perfect=0.0)

    def slope(self) -> tuple[Estimate, tuple[float, float]] | None:
        """Return the slope, and of the joint fit the intercept and the p-value.

        Around their mean, logits that differ little keep their digits however steep the slope.
        """
        size = self.positive + self.negative
        centre = float(size @ self.x / size.sum())
        x = self.x - centre
        steepest = max(1.0, 1 / sqrt(size @ x**2 / size.sum()))
        while True:
            of = likelihood(x, self.positive, self.negative, steepest)
            found = self._profiled(of, *of.best, centre) if of.best else None
            reach = max(abs(found.low), abs(found.high)) if found else STEEPER * steepest
            if len(of.x) == len(x) or reach <= STEEP * steepest:
                break
            steepest = reach
        if found is None or of.best is None:
            return None
        level, slope = of.best
        fallen = max(0.0, of.value(level, slope) - of.value(centre, 1.0))
        # A chi-square of two degrees of freedom.
        p_value = nan if self.squares is not None else exp(-fallen)
        return found, (level - slope * centre, p_value)

    def _profiled(
        self, of: Likelihood, level: float, slope: float, centre: float
    ) -> Estimate | None:
        [[a, b], [_, c]] = of.information(level, slope).tolist()
        # Of the slope's equation, once what the level takes up is left out.
        direction = np.array([-b / a if a > 0 else 0.0, 1.0])
        curvature = c + direction[0] * b
        # Where logits are not taken from their mean.
        level, direction[0] = level - slope * centre, direction[0] - centre
        inflation = self._inflation(level, slope, direction, curvature)
        return self._estimate(of.profile, slope, curvature, inflation, perfect=1.0)

    def _inflation(self, level: float, slope: float, direction: Array, curvature: float) -> float:
        """Return the robust variance of the gradient in a direction over the plain one.

        Robust is the sum of squares, Σ weight² (outcome - p)² ((1, x) direction)².
        """
        from scipy.special import expit

        if self.squares is None:
            return 1.0
        p = expit(level + slope * self.x)
        up, down = (np.diff(side) for side in self.squares)
        square = up * (1 - p) ** 2 + down * p**2
        noise = float(square @ (direction[0] + direction[1] * self.x) ** 2)
        return noise / curvature if curvature > 0 else nan

    def _estimate(
        self,
        of: Callable[[float], tuple[float, float]],
        top: float,
        curvature: float,
        inflation: float,
        perfect: float,
    ) -> Estimate | None:
        """Return the top with its interval, and the p-value of the perfect value."""
        from scipy.special import chdtrc, chdtri

        amount = float(chdtri(1, 1 - self.confidence_level)) * inflation / 2
        low, high = falls_by(of, top, curvature, amount) if amount > 0 else (nan, nan)
        if not (isfinite(top) and low < top < high):
            return None
        fallen = max(0.0, of(top)[0] - of(perfect)[0])
        return Estimate(
            value=top,
            low=low,
            high=high,
            confidence_level=self.confidence_level,
            perfect=perfect,
            p_value=float(chdtrc(1, 2 * fallen / inflation)),
            route="asymptotic",
            p_value_route="asymptotic",
        )
