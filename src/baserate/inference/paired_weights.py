"""Two classifiers on the same cases, which have weights: each case is sampled by itself.

Only sums of weights and of their squares are needed, in the cells of what A decided, what B decided
and the class, so that a million cases take no longer than ten. With z_g how much a weight of one in
cell g moves metric(A) - metric(B), W_g and S_g the sums of weights and of squared weights, the
linearised variance is n/(n - 1) (Σ S z² - (Σ W z)²/n), and the interval is Student's, with the
effective cases of each cell (Kish's W²/S), joined by Welch's rule, less one, as its degrees of
freedom. The p-value is a weighted McNemar test: where the classifiers do equally well, any case
could as well have both swapped. It never exceeds the root of Kish's effective number of cases that
tell both apart, so that fewer than four of them never reject at 5%.

In simulations with lognormal weights (σ up to 1), whether they go with who is right or not, 50
cases and more, tests at a level of 5% reject equal classifiers 0.8 to 5.9% of the time (sums of
weights taken for counts: 7 to 26%), and 95% intervals hold the truth 94 to 99.5% of it
(``benchmarks/bench_weighted_audit.py``).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan, sqrt
from typing import Any, Self

import numpy as np

from baserate._arrays import Array, Index
from baserate.cases.clusters import ClassDesign, Design
from baserate.cases.several_classes import ClassCounted
from baserate.cases.units import Law
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix, of_four
from baserate.curves.estimates import ScoreComparison
from baserate.inference.class_design import COSTLY, class_changes, costly, slopes_at
from baserate.inference.several_classes import of_hit_share
from baserate.inference.survey_design import kinds, law_of, slopes
from baserate.metrics import ClassMetric, Metric

ROUTE = "approximate, weighted"
ALIKE = "nothing shows how much cases differ: collect more cases"
NO_SLOPES = "it has no slopes where the two tables meet"
A, B, CLASS = np.indices((2, 2, 2)).reshape(3, -1)  # of the cells of two classes


class CellSlopes:
    """How much a weight in each cell of a table moves a metric; 0 in cells without cases."""

    def __init__(self, filled: Index, values: Array) -> None:
        self.filled, self.values = filled, values

    def at(self, cells: Index) -> Array:
        """Return those of some cells, each K i + j."""
        place = np.minimum(np.searchsorted(self.filled, cells), len(self.filled) - 1)
        return np.where(self.filled[place] == cells, self.values[place], 0.0)


class Side(ABC):
    """The table of one classifier on sampled cases, and what is known of each metric of it."""

    total: Any  # the cells, (K, K)
    table: Any
    design: Any  # how they vary with the clusters, or under replicate weights

    @abstractmethod
    def law(self, metric: Any) -> Law:
        """Return the metric and how it moves with each unit."""

    @abstractmethod
    def slopes_at(self, metric: Any, total: Array, *, swaps: bool = False) -> CellSlopes:
        """Return the derivatives of a metric at these cells; for `swaps`, that ties stay ties."""

    def slopes_of(self, metric: Any) -> CellSlopes:
        """Return its derivatives at the table."""
        return self.slopes_at(metric, self.total)

    @abstractmethod
    def each(self, slopes: CellSlopes) -> Array:
        """Return the sum over the cases of each unit of slopes in their cells."""

    @abstractmethod
    def of_all(self, metric: Any) -> bool:
        """Whether all cases are of one kind, as for a share of all; else those of a class are."""

    def too_costly(self, metric: Any) -> str | None:  # noqa: ARG002
        """Return why a metric is not asked for, or None."""
        return None


@dataclass(frozen=True, eq=False)
class OfTwo(Side):
    """A table of two classes: the positive one comes first."""

    total: Array
    design: Design | None = None

    @property
    def table(self) -> ConfusionMatrix:
        """The table, of cases or of sums of weights."""
        return of_four(self.total.ravel().tolist())

    def law(self, metric: Metric) -> Law:
        """Return the metric and how it moves with each unit."""
        assert self.design is not None
        return law_of(metric, self.design)

    def slopes_at(self, metric: Metric, total: Array, *, swaps: bool = False) -> CellSlopes:  # noqa: ARG002
        """Return the derivatives of a metric at these cells."""
        return CellSlopes(np.arange(4), slopes(metric, total.ravel()))

    def each(self, slopes: CellSlopes) -> Array:
        """Return the sum over the cases of each unit of slopes in their cells."""
        assert self.design is not None
        return self.design.tables @ slopes.values

    def of_all(self, metric: Metric) -> bool:
        """Whether all cases are of one kind, as for a share of all; else those of a class are."""
        return not kinds(metric).any()


@dataclass(frozen=True, eq=False)
class Decided(Side):
    """A table of several classes."""

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
    def design(self) -> ClassDesign | None:
        """How the cells vary with the clusters, or under replicate weights."""
        return self.counted.design

    def law(self, metric: ClassMetric) -> Law:
        """Return the metric and how it moves with each unit, without a floor."""
        assert self.design is not None
        if metric.name not in self.laws:
            [self.laws[metric.name]] = class_changes([metric], self.table, self.design)
        return self.laws[metric.name]

    def slopes_at(self, metric: ClassMetric, total: Array, *, swaps: bool = False) -> CellSlopes:
        """Return the derivatives at these cells; for swaps of a mean what each case is worth."""
        filled = np.flatnonzero(total)
        if swaps and metric.weights is not None:
            return CellSlopes(filled, metric.weights(len(total)).ravel()[filled])
        return CellSlopes(filled, slopes_at([metric], ClassTable(total), total, filled)[0])

    def slopes_of(self, metric: ClassMetric) -> CellSlopes:
        """Return its derivatives at the table."""
        if metric.name not in self.slopes:
            self.slopes[metric.name] = self.slopes_at(metric, self.total)
        return self.slopes[metric.name]

    def each(self, slopes: CellSlopes) -> Array:
        """Return the sum over the cases of each unit of slopes in their cells."""
        d = self.design
        assert d is not None
        return np.bincount(d.unit, slopes.at(d.cell) * d.amount, len(d.units)).astype(np.float64)

    def of_all(self, metric: ClassMetric) -> bool:
        """Whether all cases are of one kind, as for a share of all; else those of a class are."""
        return of_hit_share(metric, len(self.total))

    def too_costly(self, metric: ClassMetric) -> str | None:
        """Return why a metric is not asked for, or None."""
        return COSTLY if self.design is not None and costly(metric, self.design) else None


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """What two classifiers decided on the same weighted cases, in cells of pairs of decisions."""

    sums: Array  # of weights, in each cell
    squared: Array  # of their squares
    n: int  # cases
    a: Index  # what A decided in each cell, what B, and the class
    b: Index
    truth: Index
    one: Side
    other: Side
    right: Index  # the right decision in each class

    @property
    def tables(self) -> tuple[Any, Any]:
        """The tables of both classifiers."""
        return self.one.table, self.other.table

    @cached_property
    def _cells(self) -> tuple[Index, Index]:
        """Which cell of its table each classifier has put the cases in."""
        first = self.truth * len(self.right)
        return first + self.a, first + self.b

    def moved(self, metric: Any) -> Array:
        """Return how much a weight of one in each cell moves the difference."""
        sides = zip((self.one, self.other), self._cells, strict=True)
        a, b = (side.slopes_of(metric).at(cells) for side, cells in sides)
        return a - b

    def swapped(self, metric: Any) -> Array:
        """Return how much the difference is of each cell, as at the mean of both tables.

        What is half of how far it moves where both decisions of a case are swapped.
        """
        a, b = map(self.at_mean(metric).at, self._cells)
        return a - b

    def at_mean(self, metric: Any) -> CellSlopes:
        """Return the derivatives at the mean of both tables, which swaps leave as it is."""
        return self.one.slopes_at(metric, (self.one.total + self.other.total) / 2, swaps=True)

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None for independent cases."""
        return None

    def compared(self, metric: Any, level: float) -> ScoreComparison:
        """Compare both by a metric."""
        tables = self.tables
        if (reason := self.one.too_costly(metric)) is not None:
            a, b = (float(metric(table)) for table in tables)
            lost = {"reason": reason, "p_value_reason": reason, "confidence_level": level}
            return ScoreComparison(difference=a - b, value_a=a, value_b=b, **lost)
        known: dict[str, Any] = {"confidence_level": level, "n_clusters": self.n_clusters}
        for table in tables:
            if (reason := metric.undefined_reason(table)) is not None:
                lost = {"reason": reason, "p_value_reason": reason}
                return ScoreComparison(difference=nan, **lost, **known)
        law = self.law(metric)
        (low, high), reason = law.around(level), self.why_not(law)
        p_value, p_route = self.tested(metric, law)
        return ScoreComparison(
            difference=law.value,
            low=low,
            high=high,
            p_value=p_value,
            value_a=float(metric(tables[0])),
            value_b=float(metric(tables[1])),
            route=None if reason else self.route,
            reason=reason,
            p_value_route=p_route,
            p_value_reason=None if p_route else reason or NO_SLOPES,
            design_effect=self.design_effect(metric),
            **known,
        )

    @property
    def route(self) -> str:
        """How intervals are computed."""
        return ROUTE

    def why_not(self, law: Law) -> str | None:
        """Return why there is no interval, or None."""
        return law.reason and (NO_SLOPES if isnan(law.jackknifed) else ALIKE)

    def law(self, metric: Any) -> Law:
        """Return Student's law of the difference."""
        a, b = (float(metric(table)) for table in self.tables)
        moved = self.moved(metric)
        variance, (low, high) = self._variance(moved), metric.bounds
        moves = np.sqrt([variance if isnan(variance) else max(variance, 0.0)])  # of all cases
        reach = low - high, high - low
        # The effective cases of all cells, joined by their shares of the variance.
        parts, size, joined = self.squared * moved**2, self.sums**2, 1.0
        each = np.divide(parts**2 * self.squared, size, out=np.zeros(size.shape), where=size > 0)
        if each.any():
            joined = max(float(parts.sum()) ** 2 / float(each.sum()) - 1, 1.0)
        return Law(a - b, moves, np.arange(1), np.ones(1), reach, joined)

    def tested(self, metric: Any, _law: Law, /) -> tuple[float, str | None]:
        """Return the two-sided p-value of no difference, and how; 1 where no case tells apart."""
        from scipy.special import ndtr

        moved = self.swapped(metric)
        variance = float((self.squared * moved**2).sum())
        if not variance > 0:
            return (nan, None) if isnan(variance) else (1.0, ROUTE)
        z = float((self.sums * moved).sum()) / sqrt(variance)
        return 2 * float(ndtr(-abs(z))), ROUTE

    def design_effect(self, metric: Any) -> float:
        """Return how many times the variance of as many cases of weight one this is."""
        moved, total = self.moved(metric), float(self.sums.sum())
        if self.n < 2 or not total:
            return nan
        centre = float((self.sums * moved).sum()) ** 2 / total
        alone = total / (self.n - 1) * (float((self.sums * moved**2).sum()) - centre)
        return self.linearised(metric) / alone if alone > 0 else nan

    def linearised(self, metric: Any) -> float:
        """Return the linearised variance of the difference."""
        return self._variance(self.moved(metric))

    def _variance(self, moved: Array) -> float:
        if self.n < 2:
            return nan
        centre = float((self.sums * moved).sum()) ** 2 / self.n
        return self.n / (self.n - 1) * (float((self.squared * moved**2).sum()) - centre)


class WeightedPair(WeightedCells):
    """The same of two classes."""

    @classmethod
    def of(cls, sums: Any, squared: Any, n: int, *designs: Design) -> Self:
        """Take sums of weights, and of their squares, by decision of A, decision of B and class."""
        sums = np.asarray(sums, dtype=float)
        totals = [sums.sum(axis=other).T for other in (1, 0)]
        if designs:
            totals = [design.total.reshape(2, 2) for design in designs]
        one, other = map(OfTwo, totals, designs or (None, None))
        squares = np.asarray(squared, dtype=float).ravel()
        return cls(sums.ravel(), squares, n, A, B, CLASS, one, other, np.arange(2))

    def against(self, *, positive: bool) -> "WeightedPair":
        """Return the first classifier beside one decision that is always taken."""
        sums, squared = np.zeros((2, 2, 2, 2))
        for amount, beside in ((self.sums, sums), (self.squared, squared)):
            beside[:, 0 if positive else 1] = amount.reshape(2, 2, 2).sum(axis=1)
        return WeightedPair.of(sums, squared, self.n)
