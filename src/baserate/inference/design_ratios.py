"""Means and ratios of totals of cases in clusters, or under replicate weights: how sure they are.

A mean loss is the sum of all losses over the sum of all weights, an O:E ratio positives over the
sum of all risks: both are ratios of two totals, and move with the clusters that add to both.
"""

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.cases.units import SCORES, SCORES_APART, Floor, Law, Likeness, Limits

Array = NDArray[np.float64]

ALIKE = "nothing shows how much it varies: no cluster or replicate changes it"


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
    n_cases : float or None
        Where rows stand for several cases; None for one each.
    """

    weight: Array
    cluster: NDArray[np.intp] | None
    replicates: Array | None = None
    scale: Array | None = None
    n_cases: float | None = None

    def totals(self, amount: Array) -> Array:
        """Return the weighted total of an amount without each cluster, or under each replicate."""
        if self.replicates is not None:
            return self.replicates @ amount
        assert self.cluster is not None
        _, codes = np.unique(self.cluster, return_inverse=True)
        parts = np.bincount(codes, self.weight * amount)
        return parts.sum() - parts

    def law(self, value: float, without: Array, bounds: Limits) -> Law:
        """Return the law of a number, given what it is without each unit."""
        n = len(without)
        scale = np.ones(n) if self.scale is None else self.scale
        known = None if self.scale is None else n - 1.0
        return Law(value, value - without, np.arange(n), scale, bounds, known)

    def of_ratio(
        self, top: Array, bottom: Array, bounds: Limits = (0.0, inf), wrong: float | None = None
    ) -> Law:
        """Return the ratio of two weighted totals, and how it moves.

        `wrong` is the ratio in a cluster that is all wrong, if that is known; all right, it is 0.

        Examples
        --------
        >>> import numpy as np
        >>> from baserate.inference.design_ratios import Units
        >>> units = Units(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
        >>> loss = np.array([0.1, 0.2, 0.3, 0.2, 0.4, 0.6])
        >>> law = units.of_ratio(loss, np.ones(6))
        >>> round(law.value, 3), law.moves.round(3).tolist()
        (0.3, [-0.075, -0.025, 0.1])
        """
        top = np.where((self.weight > 0) | np.isfinite(top), top, 0.0)  # nobody suffers that loss
        with np.errstate(invalid="ignore"):  # an infinite loss, less itself or without weight
            value = float(_over(self.weight @ top, self.weight @ bottom))
            ratios = _over(self.totals(top), self.totals(bottom))
            floor = self.floor(top - value * bottom, float(self.weight @ bottom), SCORES)
            law = self.law(value, ratios, bounds)
        if floor is None or wrong is None:
            return replace(law, floor=floor)
        return replace(law, floor=floor, centre=floor.centre(value, wrong, right=0.0))

    def floor(self, off: Array, bottom: float, likeness: Likeness) -> Floor | None:
        """Return the least variance of a ratio: each case moves it by `off` over the bottom."""
        if self.cluster is None or not (bottom and np.isfinite(off).all()):
            return None
        whole, n = float(self.weight.sum()), self.n_cases or float(len(self.weight))
        alone = whole / max(n - 1, 1) * float(self.weight @ (off / bottom) ** 2)
        sizes = np.bincount(self.cluster, self.weight).astype(np.float64) * (n / whole)
        return Floor.of(sizes[:, None], np.array([alone]), likeness)

    def apart(self, first: Law, second: Law, amount: Array) -> Law:
        """Return the law of the difference of two means, given by how much each case's parts."""
        off = amount - (first.value - second.value)
        return first.minus(second, self.floor(off, float(self.weight.sum()), SCORES_APART))


def _over(top: Any, bottom: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(top) / bottom
