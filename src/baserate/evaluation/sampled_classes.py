"""Classifiers of several classes on the same cases, sampled in clusters or with weights."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.units import Law
from baserate.curves.estimates import ScoreComparison
from baserate.evaluation.class_stakes import ClassStakes
from baserate.evaluation.clustered_pairs import sampled_of_two
from baserate.evaluation.sampled_pairs import SampledOfTwo, SampledPairs
from baserate.facts.stakes import ClassWorthFact
from baserate.inference.paired_class_draws import ClassPairs
from baserate.inference.sampled_class_pairs import Decided, WeightedClasses, paired_classes
from baserate.metrics import ClassMetric, class_utility
from baserate.utilities import UtilityMatrix

Codes = NDArray[np.intp]
LEAST = 3  # classes of a table that has a mean utility


@dataclass(frozen=True, kw_only=True)
class SampledClasses(SampledPairs):
    """What is known of every two classifiers of several classes.

    Where decisions are no classes, tables have an empty class for each that is missing.

    Attributes
    ----------
    joint : ClassCases
    stakes : ClassStakes
    base_rate : None
    level : float
    """

    joint: ClassCases
    stakes: ClassStakes
    level: float
    base_rate: float | None = None

    @classmethod
    def of(cls, cases: ClassCases, stakes: ClassStakes, level: float) -> "SampledClasses | None":
        """Take cases in clusters or with weights; None where they are independent and equal."""
        if cases.cluster is cases.weight is cases.replicated is None:
            return None
        size = max(*stakes.matrix.shape, LEAST) if stakes.named else len(stakes.classes)
        labels = cases.labels if size == len(cases.labels) else tuple(range(size))
        joint = replace(cases, labels=labels, grouping=None)
        return cls(joint=joint, stakes=stakes, level=level)

    @cached_property
    def metric(self) -> ClassMetric:
        """The yield."""
        return class_utility(self._square.matrix)

    @cached_property
    def _square(self) -> ClassStakes:
        """The utilities, with a decision for every class of the tables."""
        matrix, size = self.stakes.matrix, len(self.joint.labels)
        more = [(0, size - n) for n in matrix.shape]
        decisions = (*self.stakes.decisions, *[None] * more[0][1])
        matrix = np.pad(matrix, more, constant_values=matrix.min())
        return self.stakes._replace(matrix=matrix, decisions=decisions)

    @cached_property
    def decided(self) -> tuple[Decided, ...]:
        """The table of each classifier, and what is known of its metrics."""
        return tuple(Decided(self.joint.counted(k)) for k in range(len(self.joint.names)))

    @property
    def counted(self) -> tuple[ClassCounted, ...]:
        """The table of each classifier, and how its cells vary."""
        return tuple(one.counted for one in self.decided)

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None for independent cases, and for replicate weights."""
        design = self.counted[0].design
        return None if design is None or design.scale is not None else design.n_units

    @property
    def about(self) -> dict[str, Any]:
        """How many clusters or replicates there are, and what weights are worth."""
        first = self.counted[0]
        return {
            "n_clusters": self.n_clusters,
            "effective_clusters": self.effective_clusters,
            "n_replicates": self.n_replicates,
            "effective_n": first.effective_n if first.weighted else None,
        }

    @property
    def n_replicates(self) -> int | None:
        """Sets of replicate weights; None without."""
        design = self.counted[0].design
        return None if design is None or design.scale is None else design.n_units

    def compared(self, metric: ClassMetric, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric: difference, interval and test."""
        return self._both(i, j).compared(metric, self.level)

    def law_of(self, metric: ClassMetric, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""
        return self._both(i, j).law(metric)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers, by the names that a pair of several has."""
        found = super().pair(i, j)
        p_value = found.pop("p_difference")
        return {**found, "p_value": p_value, "route": "undefined" if found["reason"] else "student"}

    def worth(self, k: int, cells: NDArray[np.float64]) -> ClassWorthFact:
        """Return what a classifier is worth, as `evaluate` has it."""
        found = self.counted[k]
        if found.design is not None:
            return self._square.worth_of(found, self.level)
        worth = self.stakes.worth(cells, self.level, each=found.effective_n / found.table.n)
        if worth.beats_reason:
            return worth
        constant = self.stakes.fact(cells.sum(axis=0)).constant
        beats = self._beats(k, self.stakes.decisions.index(constant))
        return replace(worth, beats_constant=beats)

    def _beats(self, k: int, row: int) -> float:
        """How surely a classifier yields more than one decision always taken."""
        called = self._called(k)
        constant = np.full_like(called, row)
        always = replace(self.joint, predictions={"always": constant}).counted()
        return self._of(called, constant, self.decided[k], Decided(always)).law(self.metric).above

    @cached_property
    def of_class(self) -> dict[Any, SampledOfTwo]:
        """What compares them in each class against the rest."""
        accuracy = UtilityMatrix([[1.0, 0.0], [0.0, 1.0]])
        how = {"utilities": accuracy, "base_rate": None, "level": self.level}
        every = {x: sampled_of_two(self.joint.one_vs_rest(x), **how) for x in self.joint.labels}
        return {label: one for label, one in every.items() if one is not None}

    def _called(self, k: int) -> Codes:
        return np.asarray(self.joint.predictions[self.joint.names[k]])

    def _both(self, i: int, j: int) -> WeightedClasses:
        """Return two classifiers; those asked for last are kept."""
        if (i, j) not in self._kept:
            self._kept.clear()
            both = self.decided[i], self.decided[j]
            self._kept[i, j] = self._of(self._called(i), self._called(j), *both)
        return self._kept[i, j]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], WeightedClasses]:
        return {}

    def _of(self, a: Codes, b: Codes, one: Decided, other: Decided) -> WeightedClasses:
        joint, size = self.joint, len(self.joint.labels)
        weight = joint.count if joint.weight is None else joint.weight
        squared = joint.count if joint.squared is None else joint.squared
        sums, squares = (
            ClassPairs.of_cases(joint.truth, a, b, size, count=amount)
            for amount in (weight, squared)
        )
        return paired_classes(sums, squares.counts, one, other, self._right)

    @cached_property
    def _right(self) -> Codes:
        """The right decision in each class: itself, or the best where decisions are no classes."""
        right = np.arange(len(self.joint.labels))
        if self.stakes.named:
            best = self.stakes.matrix.argmax(axis=0)
            right[: len(best)] = best
        return right
