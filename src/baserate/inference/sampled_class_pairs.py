"""Two classifiers of several classes on the same cases, which lie in clusters or have weights.

As of two classes (see `paired_clusters` and `paired_weights`), by any metric of the class table.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate.cases.clusters import ClassDesign
from baserate.cases.several_classes import ClassCounted
from baserate.cases.units import TABLES, Floor, Law
from baserate.class_counts import ClassTable
from baserate.curves.estimates import ScoreComparison
from baserate.inference.class_design import COSTLY, class_changes, costly, slopes_at
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired_clusters import QUARTER, ByUnits, swapped_sums
from baserate.inference.paired_weights import WeightedCells
from baserate.inference.several_classes import of_hit_share
from baserate.inference.survey_design import parts_of_kinds
from baserate.metrics import ClassMetric

Cells = NDArray[np.intp]

ROUNDING = 1e-9  # of the largest, which slopes by differences leave of nothing


class CellSlopes:
    """How much a weight in each cell of a class table moves a metric; 0 in cells without cases."""

    def __init__(self, metric: ClassMetric, total: Array) -> None:
        self.filled: Cells = np.flatnonzero(total)
        [self.values] = slopes_at([metric], ClassTable(total), total, self.filled)

    def at(self, cells: Cells) -> Array:
        """Return those of some cells, each K i + j."""
        place = np.minimum(np.searchsorted(self.filled, cells), len(self.filled) - 1)
        return np.where(self.filled[place] == cells, self.values[place], 0.0)


@dataclass(frozen=True, eq=False)
class Decided:
    """The class table of one classifier, and what is known of each metric of it."""

    counted: ClassCounted
    laws: dict[str, Law] = field(default_factory=dict[str, Law])
    slopes: dict[str, CellSlopes] = field(default_factory=dict[str, CellSlopes])

    @property
    def table(self) -> ClassTable:
        """The table, of cases or of sums of weights."""
        return self.counted.table

    @cached_property
    def total(self) -> Array:
        """Its cells."""
        return self.table.counts.astype(np.float64)

    @property
    def design(self) -> ClassDesign:
        """How the cells vary with the clusters, or under replicate weights."""
        assert self.counted.design is not None
        return self.counted.design

    def law(self, metric: ClassMetric) -> Law:
        """Return the metric and how it moves with each unit, without a floor."""
        if metric.name not in self.laws:
            [self.laws[metric.name]] = class_changes([metric], self.table, self.design)
        return self.laws[metric.name]

    def slopes_of(self, metric: ClassMetric) -> CellSlopes:
        """Return its derivatives."""
        if metric.name not in self.slopes:
            self.slopes[metric.name] = CellSlopes(metric, self.total)
        return self.slopes[metric.name]

    def each(self, slopes: CellSlopes) -> Array:
        """Return the sum over the cases of each unit of slopes in their cells."""
        d = self.design
        return np.bincount(d.unit, slopes.at(d.cell) * d.amount, len(d.units)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class WeightedClasses(WeightedCells):
    """Two classifiers of several classes on independent, weighted cases; cells are of pairs."""

    pairs: ClassPairs  # what both decided in which class, of K classes or decisions
    one: Decided
    other: Decided
    right: Cells  # the right decision in each class

    @property
    def tables(self) -> tuple[ClassTable, ClassTable]:
        """The class tables of both classifiers."""
        return self.one.table, self.other.table

    @cached_property
    def _cells(self) -> tuple[Cells, Cells]:
        """Which cell of its table each classifier has put the cases in."""
        first, k = self.pairs.truth * len(self.right), self.pairs
        return first + k.a, first + k.b

    def compared(self, metric: ClassMetric, level: float) -> ScoreComparison:
        """Compare both by a metric."""
        design = self.one.counted.design
        if design is not None and costly(metric, design):
            a, b = (float(metric(table)) for table in self.tables)
            lost = {"reason": COSTLY, "p_value_reason": COSTLY, "confidence_level": level}
            return ScoreComparison(difference=a - b, value_a=a, value_b=b, **lost)
        return super().compared(metric, level)

    def moved(self, metric: ClassMetric) -> Array:
        """Return how much a weight of one in each cell moves the difference."""
        sides = zip((self.one, self.other), self._cells, strict=True)
        a, b = (side.slopes_of(metric).at(cells) for side, cells in sides)
        return a - b

    def swapped(self, metric: ClassMetric) -> Array:
        """Return how much the difference is of each cell, as at the mean of both tables."""
        slopes = self.at_mean(metric)
        a, b = map(slopes.at, self._cells)
        return a - b

    def at_mean(self, metric: ClassMetric) -> CellSlopes:
        """Return the derivatives at the mean of both tables, which swaps leave as it is.

        Of a mean over cases what each case is worth, so that ties stay ties.
        """
        slopes = CellSlopes(metric, (self.one.total + self.other.total) / 2)
        if metric.weights is not None:
            slopes.values = metric.weights(len(self.right)).ravel()[slopes.filled]
        return slopes


class ClusteredClasses(ByUnits, WeightedClasses):
    """The same of cases in clusters, with weights or without, or with replicate weights."""

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None with replicate weights, which do not tell them."""
        return self.one.design.n_units if self.one.design.scale is None else None

    def law(self, metric: ClassMetric) -> Law:
        """Return the law of the difference, no surer than so few clusters allow."""
        floor = None if self.one.design.scale is not None else self._floor(metric)
        return self.one.law(metric).minus(self.other.law(metric), floor)

    def _floor(self, metric: ClassMetric) -> Floor | None:
        """Return the least variance, as that of two classes: A and B may part as not seen yet.

        Half a case more for each of: both right, only A, only B, neither; spread over the classes
        that occur.
        """
        design, k = self.one.design, len(self.right)
        of_class = self.one.total.sum(axis=1)
        known = np.flatnonzero(of_class)
        times = design.n_cases / self.sums.sum() if self.sums.any() else 0.0
        sizes = np.bincount(design.unit, times * design.amount, len(design.units)).astype(float)
        like = Floor.of(sizes[:, None], np.ones(1), TABLES)
        if like is None:
            return None
        more = np.full(4 * len(known), 2 * QUARTER / len(known) * like.variance)
        cells = np.concatenate((times * self.sums, more))
        moved = np.concatenate((self.moved(metric), *self._unseen(metric)[:, known])) / times
        kind, of_class = np.concatenate((self.pairs.truth, np.tile(known, 4))), times * of_class
        if share := of_hit_share(metric, k):
            kind, of_class = np.zeros_like(kind), of_class.sum(keepdims=True)
        parts = parts_of_kinds(moved, cells, kind, len(of_class)) * (design.n_cases / cells.sum())
        each = np.sqrt(np.divide(parts, of_class, out=np.zeros_like(parts), where=of_class > 0))
        each = np.repeat(each, k) if share else each
        weighed = times * np.concatenate([part.class_counts @ each for part in design.parts()])
        return Floor.weighed(weighed, float(parts.sum()), TABLES)

    def _unseen(self, metric: ClassMetric) -> Array:
        """Return how a case of each class moves it: both right, only A, only B, neither."""
        (right_a, wrong_a), (right_b, wrong_b) = (
            self._sides(side, metric) for side in (self.one, self.other)
        )
        return np.stack(
            (right_a - right_b, right_a - wrong_b, wrong_a - right_b, wrong_a - wrong_b)
        )

    def _sides(self, side: Decided, metric: ClassMetric) -> tuple[Array, Array]:
        """Return by class how much a right decision moves a metric, and a wrong one as it errs."""
        k, slopes = len(self.right), side.slopes_of(metric)
        right = np.arange(k) * k + self.right
        truth = slopes.filled // k
        wrong = slopes.filled != right[truth]
        amount = side.total.ravel()[slopes.filled] * wrong
        errors = np.bincount(truth, amount, k)
        moved = np.bincount(truth, amount * slopes.values, k)
        return slopes.at(right), np.divide(moved, errors, out=np.zeros(k), where=errors > 0)

    def linearised(self, metric: ClassMetric) -> float:
        """Return the linearised variance of the difference, by clusters or replicate weights."""
        a, b = (side.each(side.slopes_of(metric)) for side in (self.one, self.other))
        each, m, scale = a - b, self.one.design.n_units, self.one.design.scale
        if scale is not None:
            return float(scale @ (each - float(self.sums @ self.moved(metric))) ** 2)
        return m / (m - 1) * float(each @ each - each.sum() ** 2 / m) if m > 1 else np.nan

    def swapped_clusters(self, metric: ClassMetric) -> tuple[float, str | None]:
        """Return the p-value of swapping both in whole clusters, and how it was computed."""
        slopes = self.at_mean(metric)
        a, b = self.one.each(slopes), self.other.each(slopes)
        least = ROUNDING * float((np.abs(a) + np.abs(b)).max(initial=0.0))
        apart = np.where(np.abs(a - b) <= least, 0.0, a - b)
        return swapped_sums(apart, by_slopes=metric.weights is None)


def paired_classes(
    pairs: ClassPairs, squared: Array, one: Decided, other: Decided, right: Cells
) -> WeightedClasses:
    """Return what compares two classifiers by what is known of their cases."""
    kind = WeightedClasses if one.counted.design is None else ClusteredClasses
    how: Any = {"pairs": pairs, "one": one, "other": other, "right": right}
    return kind(sums=pairs.counts, squared=squared, n=one.counted.n, **how)
