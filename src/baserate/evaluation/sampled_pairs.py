"""Classifiers on the same cases, sampled in clusters or with weights: how far they differ."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.clusters import Design
from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCases, ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import Law
from baserate.curves.estimates import ScoreComparison
from baserate.evaluation.class_stakes import ClassStakes
from baserate.evaluation.independent_pairs import TwoClasses, restated
from baserate.facts.comparison import DifferenceFact
from baserate.facts.stakes import ClassWorthFact
from baserate.inference import design_interval, interval
from baserate.inference.best_of_several import Best, shrunken_best
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired_clusters import ClusteredPair
from baserate.inference.paired_weights import WeightedPair
from baserate.inference.sampled_class_pairs import Decided, WeightedClasses, paired_classes
from baserate.metrics import ClassMetric, binary_metric
from baserate.metrics.class_weights import mean_utility
from baserate.utilities import UtilityMatrix

Codes = NDArray[np.intp]
NO_LAW = "difference_without_law"  # why it is unknown which of several is best
TESTED = ("accuracy", "recall", "specificity")
LEAST = 3  # classes of a table that has a mean utility


class SampledPairs(ABC):
    """What is known of every two classifiers where cases are not all alike and independent."""

    metric: Any  # the yield
    counted: Any  # the table of each classifier, and how its cells vary
    base_rate: float | None  # at which yields are stated; None: that of the cases
    level: float

    @property
    def about(self) -> dict[str, Any]:
        """How many clusters or replicates there are, and what weights are worth."""
        first, design = self.counted[0], self.counted[0].design
        found = {"effective_n": first.effective_n} if first.weighted else {}
        if design is None:
            return found
        if design.scale is not None:
            return {**found, "n_replicates": design.n_units}
        clusters = {"n_clusters": design.n_units, "effective_clusters": design.effective_clusters}
        return {**found, **clusters}

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers: interval, tests and chance."""
        found = self.compared(self.metric, i, j)
        return {
            "low": found.low,
            "high": found.high,
            "reason": found.reason,
            "p_difference": found.p_value,
            "p_route": found.p_value_route,
            "design_effect": found.design_effect,
            "a_better": self.law_of(self.metric, i, j).above,
        }

    @abstractmethod
    def _both(self, i: int, j: int) -> ClusteredPair | WeightedPair | WeightedClasses:
        """Return what is known of any metric of two classifiers."""

    def compared(self, metric: Any, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric: difference, interval and test."""
        both: Any = self._both(i, j)
        return both.compared(metric, self.level)

    def law_of(self, metric: Any, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""
        both: Any = self._both(i, j)
        return both.law(metric)

    def gap(self, metric: Any, i: int, j: int, _rng: Any = None) -> DifferenceFact:
        """Return how far two classifiers differ by a metric."""
        at = restated(metric, self.base_rate)
        found = self.compared(at, i, j)
        above = nan if isnan(found.difference) else self.law_of(at, i, j).above
        return DifferenceFact(
            name=metric.name,
            value_a=found.value_a,
            value_b=found.value_b,
            difference=found.difference,
            low=found.low,
            high=found.high,
            a_better={"higher": above, "lower": 1 - above}.get(metric.direction, nan),
            route=found.route or "undefined",
            p_value=found.p_value,
            p_route=found.p_value_route,
            reason=found.reason,
        )

    def best(self, rng: Any) -> Best:
        """Return how surely each classifier yields the most; nan where a difference has no law."""
        k = len(self.counted)
        if k == 2:
            sure = self.law_of(self.metric, 0, 1).above
            return Best(probabilities=(sure, 1 - sure), standard_errors=(0.0, 0.0), route="student")
        laws = {pair: self.law_of(self.metric, *pair) for pair in combinations(range(k), 2)}
        if any(map(_untold, laws.values())):
            return Best(probabilities=(nan,) * k, standard_errors=(0.0,) * k, route="undefined")
        variances = np.zeros((k, k))
        for (i, j), law in laws.items():
            variances[i, j] = variances[j, i] = law.error**2
        freedom = min((law.degrees for law in laws.values() if law.error > 0), default=np.inf)
        values = [0.0, *(-laws[0, j].value for j in range(1, k))]
        return shrunken_best(values, variances, freedom=freedom, rng=rng)


class SampledOfTwo(TwoClasses, SampledPairs):
    """The same of two classes."""

    @cached_property
    def counted(self) -> tuple[Counted, ...]:
        """The table of each classifier, and how its cells vary."""
        return tuple(self.joint.counted(k) for k in range(len(self.joint.names)))

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers, and tests of each class."""
        tests = {f"p_{name}": self.compared(binary_metric(name), i, j).p_value for name in TESTED}
        return {**super().pair(i, j), **tests}

    @abstractmethod
    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""

    @abstractmethod
    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""


class WeightedPairs(SampledOfTwo):
    """Cases are independent, and count by their weights."""

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        return self._both(k, k).against(positive=positive).law(self.metric).above

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield, as `evaluate` has it of weighted cases."""
        found = self.counted[k]
        how = {"squared_weights": found.squared, "confidence_level": self.level}
        ends = interval(self.metric, found.table, **how)
        return ends.low, ends.high

    def _both(self, i: int, j: int) -> WeightedPair:
        sums, squared = (self.joint.cells((i, j), amount) for amount in ("weight", "squared"))
        return WeightedPair(sums, squared, self.joint.n)


class ClusteredPairs(SampledOfTwo):
    """Cases come in clusters, which are independent as a whole, or have replicate weights."""

    @cached_property
    def designs(self) -> tuple[Design, ...]:
        """How the cells of each classifier's table vary with the clusters."""
        return tuple(one.design for one in self.counted if one.design is not None)

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""
        found = design_interval(self.metric, self.designs[k], self.level)
        return found.low, found.high

    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own = self.designs[k]
        cells = np.zeros((2, 2, 2))
        cells[:, 0 if positive else 1] = own.total[[0, 2, 1, 3]].reshape(2, 2)
        pair = ClusteredPair.of(own, _always(own, positive=positive), cells)
        return pair.law(self.metric).above

    def _both(self, i: int, j: int) -> ClusteredPair:
        joint = self.joint.cells((i, j), "weight").astype(float)
        return ClusteredPair.of(self.designs[i], self.designs[j], joint)


def sampled_of_two(joint: BinaryCases, **asked: Any) -> SampledOfTwo | None:
    """Return what goes by clusters or weights; None where cases are independent and equal."""
    if joint.replicated is not None or joint.cluster is not None:
        return ClusteredPairs(joint=joint, **asked)
    return None if joint.weight is None else WeightedPairs(joint=joint, **asked)


def _always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))


@dataclass(frozen=True, kw_only=True)
class SampledClasses(SampledPairs):
    """What is known of every two classifiers of several classes.

    Where decisions are no classes, tables have an empty class for each that is missing.
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
        return mean_utility(self._square.matrix)

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


def _untold(law: Law) -> bool:
    """Whether nothing shows how sure a difference is; two that are equal in every way have none."""
    equal = law.error == law.value == 0
    return isnan(law.value) or isnan(law.error) or (law.reason is not None and not equal)
