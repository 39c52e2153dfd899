"""Two classifiers on the same cases, which come in clusters: what is independent is the cluster.

By Student's law of the difference, and by swapping both in whole clusters: S is linear in what each
decides, with the derivatives of the metric at the mean of both tables, which swaps leave as it is.

With 6, 10, 20 and 200 clusters of 8 cases on average, unequal and with an intraclass correlation of
.3, the law rejects equal classifiers in at most .4, 1.0, 2.3 and 4.9% of samples at a level of 5%,
swaps in .2, 2.6, 5.4 and 5.1% (``benchmarks/bench_clusters_paired.py``); with 25 clusters and three
classes in 2.5 to 2.8%, and in 4.1 to 4.8%. Swaps find more: a difference that they find in 81% of
those samples, the law finds in 70%.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, nan
from typing import Any, Self

import numpy as np

from baserate._arrays import Array
from baserate.cases.clusters import Design
from baserate.cases.units import TABLES, Floor, Law
from baserate.curves.permutation_laws import tails_of_steps, two_sided
from baserate.inference.paired_weights import WeightedCells, WeightedPair
from baserate.inference.survey_design import kinds, law_of, parts_of_kinds, slopes
from baserate.metrics import Metric

ROUTE = "asymptotic"  # of interval and p-value: Student's law
QUARTER = 0.25  # of a case, in each of eight cells
FINEST, COARSEST = 10**6, 50  # denominators of the ratio of two weights
UNITS, EVEN = 100, 1e-11  # parts of the smallest sum of weights, to which all others are even
ROUGH = 10**4  # parts of the largest, to which sums of slopes are known well enough
SAME = 1e-7  # relative, of slopes that are differences


class ByUnits(WeightedCells):
    """Cases in clusters or with replicate weights: interval and p-value are of one law."""

    @property
    def route(self) -> str:
        """How intervals are computed."""
        return ROUTE

    def why_not(self, law: Law) -> str | None:
        """Return why there is no interval, or None."""
        return law.reason

    def tested(self, _metric: Any, law: Law, /) -> tuple[float, str | None]:
        """Return the p-value of the law that the interval has."""
        return law.p_value(), None if law.reason else ROUTE

    @abstractmethod
    def swapped_clusters(self, metric: Any) -> tuple[float, str | None]:
        """Return P(``|S|`` as large) over all swaps of A and B in whole clusters, and how."""


@dataclass(frozen=True, eq=False)
class ClusteredPair(ByUnits, WeightedPair):
    """Two classifiers of two classes, whose cells vary with the same units.

    `sums` has the weight of cases in which A decided i, B decided j and the class is c.
    """

    a: Design
    b: Design

    @classmethod
    def of(cls, a: Design, b: Design, joint: Array) -> Self:
        """Take what is known of either, and of both together."""
        return cls(sums=joint, squared=joint, n=a.n_cases, a=a, b=b)

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None with replicate weights, which do not tell them."""
        return self.a.n_units if self.a.scale is None else None

    @property
    def _totals(self) -> tuple[Array, Array]:
        return self.a.total, self.b.total

    def law(self, metric: Metric) -> Law:
        """Return the law of the difference, no surer than so few clusters allow."""
        floor = None if self.a.scale is not None else self._floor(metric)
        return law_of(metric, self.a).minus(law_of(metric, self.b), floor)

    def _floor(self, metric: Metric) -> Floor | None:
        """Return the least variance of a difference, with a quarter of a case more in each cell.

        Cases that say as little as those of the clusters: A and B may part in ways not seen yet.
        """
        joint, n = self.sums, self.n
        times = n / joint.sum() if joint.any() else 0.0
        alike, cells = kinds(metric), times * joint
        sizes = times * self.a.tables @ (alike[:, None] == np.arange(2))
        like = Floor.of(sizes.sum(axis=1, keepdims=True), np.ones(1), TABLES)
        if like is None:
            return None
        cells = cells + QUARTER * like.variance
        moved = (self.moved(metric) / times).ravel()
        parts = parts_of_kinds(moved, cells.ravel(), np.tile(alike[[0, 2]], 4))
        return Floor.of(sizes, parts * (n / cells.sum()), TABLES)

    def linearised(self, metric: Metric) -> float:
        """Return the linearised variance of the difference, by clusters."""
        one, other = slopes(metric, self.a.total), slopes(metric, self.b.total)
        own = one @ self.a.covariance() @ one + other @ self.b.covariance() @ other
        return float(own - 2 * one @ self.a.covariance(self.b) @ other)

    def swapped_clusters(self, metric: Metric) -> tuple[float, str | None]:
        """Return P(``|S|`` as large) over all swaps of A and B in whole clusters, and how."""
        slope = slopes(metric, (self.a.total + self.b.total) / 2)
        u, v = float(slope[0] - slope[1]), float(slope[2] - slope[3])
        if isnan(u) or isnan(v):
            return nan, None
        apart = (self.a.tables - self.b.tables)[:, [0, 2]]
        apart = apart if (apart == np.rint(apart)).all() else _in_units(apart)
        for most in (FINEST, COARSEST):
            steps = np.rint(apart @ _whole(u, v, most)).astype(np.int64)
            if (found := tails_of_steps(steps)) is not None:
                return found, "exact"
        return two_sided(steps.astype(float))


def swapped_sums(apart: Array, *, by_slopes: bool = False) -> tuple[float, str | None]:
    """Return the same, given A less B as a single number of each cluster.

    Of slopes by differences, what lies within their rounding is one number.
    """
    if np.isnan(apart).any():
        return nan, None
    if by_slopes and apart.any():
        apart = np.rint(apart * (ROUGH / np.abs(apart).max()))
    whole = apart if (apart == np.rint(apart)).all() else _in_units(apart)
    found = tails_of_steps(np.rint(whole).astype(np.int64))
    return two_sided(whole) if found is None else (found, "exact")


def _in_units(apart: Array) -> Array:
    """Return sums of weights as whole numbers of their common unit, which keeps ties.

    Where they have none, of a millionth of the largest: the test is exact with these too.
    """
    sizes = np.abs(apart)
    sizes = sizes[sizes > EVEN * sizes.max()]  # equal sums may differ by rounding
    for times in range(1, UNITS + 1):
        scaled = sizes * (times / sizes.min())
        if (np.abs(scaled - np.rint(scaled)) <= EVEN * scaled).all():
            return np.rint(apart * (times / sizes.min()))
    return np.rint(apart * (FINEST / sizes.max()))


def _whole(u: float, v: float, most: int) -> tuple[int, int]:
    """Return whole numbers in about the ratio of two weights: the test is exact with any."""
    if abs(v) > abs(u):
        other, one = _whole(v, u, most)
        return one, other
    if not u:
        return 0, 0
    ratio, sign = Fraction(v / u), 1 if u > 0 else -1
    near = (ratio.limit_denominator(10**digits) for digits in range(1, 6))
    simple = next((found for found in near if abs(found - ratio) <= SAME), ratio)
    weights = simple.limit_denominator(most)
    return sign * weights.denominator, sign * weights.numerator
