"""Means and ratios of totals of cases in clusters, or under replicate weights: how sure they are.

A mean loss is the sum of all losses over the sum of all weights, an O:E ratio positives over the
sum of all risks: both are ratios of two totals, and move with the clusters that add to both.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from baserate.inference.survey_design import Changes, student_limits

Array = NDArray[np.float64]

ALONE = "all cases lie in one cluster"
ALIKE = "nothing shows how much it varies: no cluster or replicate changes it"
DECIDES = "it is undefined without one of the clusters"


class Units(NamedTuple):
    """What is independent of each other: clusters by number, or replicate weights of each case.

    Attributes
    ----------
    weight : array of shape (n,)
    cluster : array of int, shape (n,), or None
    replicates : array of shape (R, n), or None
        Weights too, in place of the clusters.
    scale : array of shape (R,), or None
        What the squared deviation of each replicate counts.
    """

    weight: Array
    cluster: NDArray[np.intp] | None
    replicates: Array | None = None
    scale: Array | None = None

    def totals(self, amount: Array) -> Array:
        """Return the weighted total of an amount without each cluster, or under each replicate."""
        if self.replicates is not None:
            return self.replicates @ amount
        assert self.cluster is not None
        _, codes = np.unique(self.cluster, return_inverse=True)
        parts = np.bincount(codes, self.weight * amount)
        return parts.sum() - parts

    def changes(self, values: Array, whole: float) -> Changes:
        """Return how much a number changes without each cluster, or under each replicate."""
        n = len(values)
        scale = np.ones(n) if self.scale is None else self.scale
        known = None if self.scale is None else n - 1.0
        return Changes(np.arange(n), whole - values, scale, known, n)

    def of_ratio(self, top: Array, bottom: Array) -> "Sure":
        """Return the ratio of two weighted totals, and how it changes.

        Examples
        --------
        >>> import numpy as np
        >>> from baserate.inference.design_ratios import Units
        >>> units = Units(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
        >>> loss = np.array([0.1, 0.2, 0.3, 0.2, 0.4, 0.6])
        >>> sure = units.of_ratio(loss, np.ones(6))
        >>> round(sure.value, 3), sure.changes.values.round(3).tolist()
        (0.3, [-0.075, -0.025, 0.1])
        """
        top = np.where((self.weight > 0) | np.isfinite(top), top, 0.0)  # nobody suffers that loss
        with np.errstate(invalid="ignore"):  # an infinite loss, less itself or without weight
            value = float(_over(self.weight @ top, self.weight @ bottom))
            ratios = _over(self.totals(top), self.totals(bottom))
            return Sure(value, self.changes(ratios, value))


class Sure(NamedTuple):
    """A number, and how it changes with clusters or replicate weights."""

    value: float
    changes: Changes

    def limits(self, bounds: tuple[float, float], level: float) -> tuple[float, float, str | None]:
        """Return a Student interval on a scale where the bounds are at infinity, or why not.

        The ratio estimator's variance, by the jackknife around the value itself, which errs
        upwards; see `design_limits`.
        """
        found = student_limits(self.value, self.changes, bounds, level)
        if found is None:
            return np.nan, np.nan, ALIKE
        if np.isnan(found.low):
            return np.nan, np.nan, ALONE if self.changes.n_units < 2 else DECIDES
        return float(found.low), float(found.high), None

    def p_of_one(self) -> float:
        """Return the two-sided p-value of a ratio of 1, by the law that its interval has."""
        error = np.sqrt(self.changes.variance)
        if not (error > 0 and self.value > 0) or len(self.changes.values) < 2:
            return np.nan
        t = np.log(self.value) * self.value / error
        return float(2 * stdtr(self.changes.degrees_of_freedom, -abs(t)))

    def minus(self, other: "Sure") -> "Sure":
        """Return the difference of two numbers of the same cases."""
        return Sure(self.value - other.value, self.changes.minus(other.changes))

    def around(self, level: float) -> tuple[float, float, float, str | None]:
        """Return the Student interval and the two-sided p-value of a difference, or why not."""
        error, degrees = float(np.sqrt(self.changes.variance)), self.changes.degrees_of_freedom
        if self.changes.n_units < 2 or np.isnan(error):
            return np.nan, np.nan, np.nan, ALONE if self.changes.n_units < 2 else DECIDES
        if not error > 0:
            return np.nan, np.nan, np.nan, ALIKE
        far = float(stdtrit(degrees, (1 + level) / 2)) * error
        p_value = float(2 * stdtr(degrees, -abs(self.value) / error))
        return float(self.value - far), float(self.value + far), p_value, None


def _over(top: Any, bottom: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(top) / bottom
