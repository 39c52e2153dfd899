"""Classifiers on the same cases, sampled in clusters or with weights: how far they differ."""

from collections.abc import Sequence
from dataclasses import replace
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
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.evaluation_facts import effective
from baserate.evaluation.independent_pairs import ClassRivals, SameCases, TwoClasses
from baserate.evaluation.rivals import Rivals, restated
from baserate.facts.comparison import DifferenceFact
from baserate.facts.stakes import YieldFact
from baserate.inference import interval
from baserate.inference.binary_intervals import design_interval
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.paired_clusters import ClusteredPair, paired_classes
from baserate.inference.paired_weights import Decided, WeightedCells, WeightedPair
from baserate.metrics import ClassMetric, binary_metric

Codes = NDArray[np.intp]


class SampledPairs(Rivals):
    """What is known of every two classifiers where cases are not all alike and independent."""

    metric: Any  # the yield
    counted: Any  # the table of each classifier, and how its cells vary
    base_rate: float | None = None  # at which yields are stated; None: that of the cases

    @property
    def about(self) -> dict[str, Any]:
        """How many clusters or replicates there are, and what weights are worth."""
        first, design = self.counted[0], self.counted[0].design
        found = {"effective_n": first.effective_n} if first.weighted else {}
        if design is None:
            return found
        if not design.of_clusters:
            return {**found, **design.sizes}
        return {**found, **design.sizes, "effective_clusters": design.effective_clusters}

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the least known difference."""
        return min((law.degrees for law in self.laws.values() if law.error > 0), default=np.inf)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of the yields of two: interval, test and chance."""
        found = self.compared(self.metric, i, j)
        return {
            "low": found.low,
            "high": found.high,
            "reason": found.reason,
            "p_difference": found.p_value,
            "p_route": found.p_value_route,
            "design_effect": found.design_effect,
            "a_better": self.laws[i, j].above,
        }

    def compared(self, metric: Any, i: int, j: int, **_: Any) -> ScoreComparison:
        """Compare two by a metric: difference, interval and test."""
        both: Any = self.both(i, j)
        return both.compared(metric, self.level)

    def law_of(self, metric: Any, i: int, j: int) -> Law:
        """Return Student's law of the difference of two by a metric."""
        both: Any = self.both(i, j)
        return both.law(metric)

    @cached_property
    def laws(self) -> dict[tuple[int, int], Law]:
        """The laws of all differences of yields."""
        places = combinations(range(len(self.counted)), 2)
        return {pair: self.law_of(self.metric, *pair) for pair in places}

    def gap(self, metric: Any, i: int, j: int, rng: Any) -> DifferenceFact:  # noqa: ARG002
        """Return how far two differ by one metric; nothing is simulated."""
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
            direction=metric.direction,
        )

    def ahead(self, i: int = 0, j: int = 1) -> float:
        """How surely one is worth more than another."""
        return self.laws[i, j].above

    def variance(self, i: int, j: int) -> float:
        """Return the variance of the difference of two yields; nan where it has no law."""
        law = self.laws[i, j]
        return nan if _untold(law) else law.error**2


class SampledOfTwo(SampledPairs, TwoClasses):
    """The same of two classes."""

    @cached_property
    def counted(self) -> tuple[Counted, ...]:
        """The table of each classifier, and how its cells vary."""
        assert self.cases is not None
        return tuple(self.cases.counted(k) for k in range(len(self.cases.names)))

    @property
    def about(self) -> dict[str, Any]:
        """How the cases were sampled, and what those of each class are worth."""
        return {**super().about, **effective(self.counted[0])}

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of the yields of two, and tests of each class."""
        tests = ((name, self.compared(binary_metric(name), i, j)) for name in self.tested_by)
        return {**super().pair(i, j), **{f"p_{name}": found.p_value for name, found in tests}}


class WeightedPairs(SampledOfTwo):
    """Cases are independent, and count by their weights."""

    def beats(self, k: int, row: int) -> float:
        """How surely a classifier yields more than one decision always taken."""
        return self.both(k, k).against(positive=row == 0).law(self.metric).above

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield, as `evaluate` has it of weighted cases."""
        found = self.counted[k]
        how = {"squared_weights": found.squared, "confidence_level": self.level}
        ends = interval(self.metric, found.table, **how)
        return ends.low, ends.high

    def joint(self, i: int, j: int) -> WeightedPair:
        """Return what is known of any metric of two classifiers."""
        assert self.cases is not None
        sums, squared = (self.cases.cells((i, j), amount) for amount in ("weight", "squared"))
        return WeightedPair.of(sums, squared, self.cases.n)


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

    def beats(self, k: int, row: int) -> float:
        """How surely a classifier yields more than one decision always taken."""
        own, positive = self.designs[k], row == 0
        cells = np.zeros((2, 2, 2))
        cells[:, 0 if positive else 1] = own.total[[0, 2, 1, 3]].reshape(2, 2)
        pair = ClusteredPair.of(cells, cells, own.n_cases, own, _always(own, positive=positive))
        return pair.law(self.metric).above

    def joint(self, i: int, j: int) -> ClusteredPair:
        """Return what is known of any metric of two classifiers."""
        assert self.cases is not None
        joint = self.cases.cells((i, j), "weight").astype(float)
        both = self.designs[i], self.designs[j]
        return ClusteredPair.of(joint, joint, both[0].n_cases, *both)


def of_two(joint: BinaryCases, **asked: Any) -> TwoClasses:
    """Take the same cases of two classes, however they were sampled."""
    kind = SameCases if joint.weight is None else WeightedPairs
    if joint.replicated is not None or joint.cluster is not None:
        kind = ClusteredPairs
    return kind.of_cases(joint, **asked)


def _always(design: Design, *, positive: bool) -> Design:
    """Return the cells of the same cases if one decision is taken in all of them."""

    def decided(cells: Any) -> Any:
        tp, fn, fp, tn = np.moveaxis(np.asarray(cells), -1, 0)
        none, p, n = np.zeros_like(tp), tp + fn, fp + tn
        return np.stack((p, none, n, none) if positive else (none, p, none, n), axis=-1)

    return replace(design, total=decided(design.total), tables=decided(design.tables))


def of_classes(contest: ClassContest, level: float) -> ClassRivals:
    """Take classifiers of several classes, however their cases were sampled."""
    cases = contest.cases
    alike = cases is None or (cases.cluster is cases.weight is cases.replicated is None)
    return (ClassRivals if alike else SampledClasses)(contest=contest, level=level)


class SampledClasses(SampledPairs, ClassRivals):
    """The same of several classes.

    Where decisions are no classes, tables have an empty class for each that is missing.
    """

    @cached_property
    def cases(self) -> ClassCases:
        """The cases, with decisions that are no classes among the labels of their tables."""
        assert self.contest.cases is not None
        return replace(self.contest.cases.with_decisions_as_labels(), grouping=None)

    @cached_property
    def metric(self) -> ClassMetric:
        """The yield."""
        return self.contest.stakes.metric(self.cases.labels)

    @cached_property
    def decided(self) -> tuple[Decided, ...]:
        """The table of each classifier, and what is known of its metrics."""
        return tuple(Decided(self.cases.counted(k)) for k in range(len(self.cases.names)))

    @cached_property
    def counted(self) -> tuple[ClassCounted, ...]:
        """The table of each classifier, and how its cells vary."""
        return tuple(one.counted for one in self.decided)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers, by the names that a pair of several has."""
        found = super().pair(i, j)
        tested = {"p_value": found.pop("p_difference"), "p_route": found["p_route"]}
        route = "undefined" if found["reason"] else "student"
        return {**self.alone(i, j), **found, **tested, "route": route}

    def gaps(
        self, metrics: Sequence[Any], i: int, j: int, rng: Any = None
    ) -> tuple[DifferenceFact, ...]:
        """Return how far two differ by each metric, where decisions are classes."""
        return () if self.contest.stakes.named else Rivals.gaps(self, metrics, i, j, rng)

    def worth(self, k: int) -> YieldFact:
        """Return what a classifier is worth, as `evaluate` has it."""
        found, stakes = self.counted[k], self.contest.stakes
        if found.design is not None:
            return stakes.worth_of(found, self.level)
        cells = [*self.contest.cells.values()][k]
        worth = stakes.worth(cells, self.level, each=found.effective_n / found.table.n)
        if worth.beats_reason:
            return worth
        constant = stakes.fact(cells.sum(axis=0)).constant
        return replace(worth, beats_constant=self._beats(k, self.cases.labels.index(constant)))

    def _beats(self, k: int, row: int) -> float:
        """How surely a classifier yields more than one decision always taken."""
        called = self._called(k)
        constant = np.full_like(called, row)
        always = replace(self.cases, predictions={"always": constant}).counted()
        return self._of(called, constant, self.decided[k], Decided(always)).law(self.metric).above

    @cached_property
    def of_class(self) -> dict[Any, TwoClasses]:
        """What compares them in each class against the rest."""
        every = self.cases.labels
        return {x: of_two(self.cases.one_vs_rest(x), level=self.level) for x in every}

    def _called(self, k: int) -> Codes:
        return np.asarray(self.cases.predictions[self.cases.names[k]])

    def joint(self, i: int, j: int) -> WeightedCells:
        """Return what two decided on the same cases."""
        both = self.decided[i], self.decided[j]
        return self._of(self._called(i), self._called(j), *both)

    def _of(self, a: Codes, b: Codes, one: Decided, other: Decided) -> WeightedCells:
        cases, size = self.cases, len(self.cases.labels)
        squared = cases.count if cases.squared is None else cases.squared
        sums, squares = (
            ClassPairs.of_cases(cases.truth, a, b, size, count=amount)
            for amount in (cases.amount, squared)
        )
        return paired_classes(sums, squares.counts, one, other, self._right)

    @cached_property
    def _right(self) -> Codes:
        """The right decision in each class: itself, or the best where decisions are no classes."""
        labels, stakes = self.cases.labels, self.contest.stakes
        right = np.arange(len(labels))
        if stakes.named:
            best = stakes.matrix.argmax(axis=0).tolist()
            right[: len(best)] = [labels.index(stakes.decisions[i]) for i in best]
        return right


def _untold(law: Law) -> bool:
    """Whether nothing shows how sure a difference is; two that are equal in every way have none."""
    equal = law.error == law.value == 0
    return isnan(law.value) or isnan(law.error) or (law.reason is not None and not equal)
