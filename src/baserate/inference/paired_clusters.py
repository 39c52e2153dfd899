"""Two classifiers on the same cases, which come in clusters: what is independent is the cluster.

By Student's law of the difference, and by swapping both in whole clusters: S is linear in what each
decides, with the derivatives of the metric at the mean of both tables, which swaps leave as it is.

With 6, 10, 20 and 200 clusters of 8 cases on average, unequal and with an intraclass correlation of
.3, the law rejects equal classifiers in at most .4, 1.0, 2.3 and 4.9% of samples at a level of 5%,
swaps in .2, 2.6, 5.4 and 5.1% (``benchmarks/bench_clusters_paired.py``); with 25 clusters and three
classes in 2.5 to 2.8%, and in 4.1 to 4.8%. Swaps find more: a difference that they find in 81% of
those samples, the law finds in 70%.
"""

from fractions import Fraction
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._arrays import Array, Index
from baserate.cases.units import TABLES, Floor, Law, spread
from baserate.curves.permutation_laws import tails_of_steps, two_sided
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired_weights import Decided, Side, WeightedCells, WeightedPair
from baserate.inference.survey_design import parts_of_kinds
from baserate.metrics import Metric

ROUTE = "asymptotic"  # of interval and p-value: Student's law
QUARTER = 0.25  # of a case, in each of eight cells of two classes
FINEST, COARSEST = 10**6, 50  # denominators of the ratio of two weights
UNITS, EVEN = 100, 1e-11  # parts of the smallest sum of weights, to which all others are even
ROUGH = 10**4  # parts of the largest, to which sums of slopes are known well enough
ROUNDING = 1e-9  # of the largest, which slopes by differences leave of nothing
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

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None with replicate weights, which do not tell them."""
        return self.one.design.n_units if self.one.design.of_clusters else None

    def law(self, metric: Any) -> Law:
        """Return the law of the difference, no surer than so few clusters allow."""
        floor = self._floor(metric) if self.one.design.of_clusters else None
        return self.one.law(metric).minus(self.other.law(metric), floor)

    def _floor(self, metric: Any) -> Floor | None:
        """Return the least variance: A and B may part in ways not seen yet.

        Half a case more for each of: both right, only A, only B, neither; spread over the classes
        that occur.
        """
        design, k = self.one.design, len(self.right)
        of_class = self.one.total.sum(axis=1)
        known = np.flatnonzero(of_class)
        times = design.n_cases / self.sums.sum() if self.sums.any() else 0.0

        def of_units(weights: Array) -> Array:
            return times * np.concatenate([part.class_counts @ weights for part in design.parts()])

        like = Floor.of(of_units(np.ones(k))[:, None], np.ones(1), TABLES)
        if like is None:
            return None
        more = np.full(4 * len(known), 2 * QUARTER / len(known) * like.variance)
        cells = np.concatenate((times * self.sums, more))
        moved = np.concatenate((self.moved(metric), *self._unseen(metric)[:, known])) / times
        kind, of_class = np.concatenate((self.truth, np.tile(known, 4))), times * of_class
        if share := self.one.of_all(metric):
            kind, of_class = np.zeros_like(kind), of_class.sum(keepdims=True)
        parts = parts_of_kinds(moved, cells, kind, len(of_class)) * (design.n_cases / cells.sum())
        each = np.sqrt(np.divide(parts, of_class, out=np.zeros_like(parts), where=of_class > 0))
        each = np.repeat(each, k) if share else each
        return Floor.weighed(of_units(each), float(parts.sum()), TABLES)

    def _unseen(self, metric: Any) -> Array:
        """Return how a case of each class moves it: both right, only A, only B, neither."""
        (right_a, wrong_a), (right_b, wrong_b) = (
            self._sides(side, metric) for side in (self.one, self.other)
        )
        return np.stack(
            (right_a - right_b, right_a - wrong_b, wrong_a - right_b, wrong_a - wrong_b)
        )

    def _sides(self, side: Side, metric: Any) -> tuple[Array, Array]:
        """Return by class how much a right decision moves a metric, and a wrong one as it errs."""
        k, slopes = len(self.right), side.slopes_of(metric)
        right = np.arange(k) * k + self.right
        truth = slopes.filled // k
        wrong = slopes.filled != right[truth]
        amount = side.total.ravel()[slopes.filled] * wrong
        errors = np.bincount(truth, amount, k)
        moved = np.bincount(truth, amount * slopes.values, k)
        return slopes.at(right), np.divide(moved, errors, out=np.zeros(k), where=errors > 0)

    def linearised(self, metric: Any) -> float:
        """Return the linearised variance of the difference, by clusters or replicate weights."""
        a, b = (side.each(side.slopes_of(metric)) for side in (self.one, self.other))
        each, m, scale = a - b, self.one.design.n_units, self.one.design.scale
        if scale is not None:
            return spread(scale, each - float(self.sums @ self.moved(metric)))
        return m / (m - 1) * float(each @ each - each.sum() ** 2 / m) if m > 1 else np.nan

    def swapped_clusters(self, metric: Any) -> tuple[float, str | None]:
        """Return the p-value of swapping both in whole clusters, and how it was computed."""
        slopes = self.at_mean(metric)
        a, b = self.one.each(slopes), self.other.each(slopes)
        least = ROUNDING * float((np.abs(a) + np.abs(b)).max(initial=0.0))
        apart = np.where(np.abs(a - b) <= least, 0.0, a - b)
        return swapped_sums(apart, by_slopes=metric.weights is None)


class ClusteredPair(ByUnits, WeightedPair):
    """The same of two classes."""

    def swapped_clusters(self, metric: Metric) -> tuple[float, str | None]:
        """Return P(``|S|`` as large) over all swaps of A and B in whole clusters, and how."""
        slope = self.at_mean(metric).values
        u, v = float(slope[0] - slope[1]), float(slope[2] - slope[3])
        if isnan(u) or isnan(v):
            return nan, None
        apart = (self.one.design.tables - self.other.design.tables)[:, [0, 2]]
        apart = apart if (apart == np.rint(apart)).all() else _in_units(apart)
        for most in (FINEST, COARSEST):
            steps = np.rint(apart @ _whole(u, v, most)).astype(np.int64)
            if (found := tails_of_steps(steps)) is not None:
                return found, "exact"
        return two_sided(steps.astype(float))


def paired_classes(
    pairs: ClassPairs, squared: Array, one: Decided, other: Decided, right: Index
) -> WeightedCells:
    """Return what compares two classifiers of several classes, by what is known of their cases."""
    kind = WeightedCells if one.design is None else ByUnits
    n, cells = one.counted.n, (pairs.a, pairs.b, pairs.truth)
    return kind(pairs.counts, squared, n, *cells, one, other, right)


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
