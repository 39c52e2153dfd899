"""Classifiers on the same cases, sampled in clusters or with weights, compared by their yields."""

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from baserate.cases.counted import Counted
from baserate.cases.units import Law
from baserate.curves.estimates import ScoreComparison
from baserate.evaluation.independent_pairs import TwoClasses, restated
from baserate.facts.pairs import DifferenceFact
from baserate.inference import interval
from baserate.inference.best_of_several import Best
from baserate.inference.paired_weights import WeightedPair
from baserate.inference.shrinkage import shrunken_best
from baserate.metrics import Metric, binary_metric

NO_LAW = "difference_without_law"  # why it is unknown which of several is best
TESTED = ("accuracy", "recall", "specificity")


class SampledPairs(ABC):
    """What is known of every two classifiers where cases are not all alike and independent.

    Attributes
    ----------
    metric : Metric or ClassMetric
        The yield.
    counted : tuple of Counted, or of ClassCounted
        The table of each classifier, and how its cells vary.
    base_rate : float or None
        At which yields are stated; None: that of the cases.
    level : float
    """

    metric: Any
    counted: Any
    base_rate: float | None
    level: float

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None for independent cases."""
        return None

    @property
    def effective_clusters(self) -> float | None:
        """So many clusters of equal size say as much; None for independent cases."""
        design = self.counted[0].design
        return None if self.n_clusters is None else design.effective_clusters

    @property
    def n_replicates(self) -> int | None:
        """Sets of replicate weights; None without."""
        return None

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
            "a_better": self.above(i, j),
        }

    @abstractmethod
    def compared(self, metric: Any, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric: difference, interval and test."""

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

    def law(self, i: int, j: int) -> Law:
        """Return Student's law of the difference of two yields."""
        return self.law_of(self.metric, i, j)

    @abstractmethod
    def law_of(self, metric: Any, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""

    def above(self, i: int, j: int) -> float:
        """How surely one classifier yields more than another: Student's law of the difference."""
        return self.law(i, j).above

    def best(self, rng: Any) -> Best:
        """Return how surely each classifier yields the most; nan where a difference has no law."""
        k = len(self.counted)
        if k == 2:
            sure = self.above(0, 1)
            return Best(probabilities=(sure, 1 - sure), standard_errors=(0.0, 0.0), route="student")
        laws = {pair: self.law(*pair) for pair in combinations(range(k), 2)}
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
        tests = {f"p_{name}": self.p_value(binary_metric(name), i, j) for name in TESTED}
        return {**super().pair(i, j), **tests}

    def p_value(self, metric: Metric, i: int, j: int) -> float:
        """Return the p-value of no difference by a metric."""
        return self.compared(metric, i, j).p_value

    @abstractmethod
    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""

    @abstractmethod
    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""


class WeightedPairs(SampledOfTwo):
    """Cases are independent, and count by their weights."""

    def compared(self, metric: Metric, i: int, j: int) -> ScoreComparison:
        """Compare two classifiers by a metric; approximate."""
        return self._both(i, j).compared(metric, self.level)

    def law_of(self, metric: Metric, i: int, j: int) -> Law:
        """Return Student's law of the difference of two classifiers by a metric."""
        return self._both(i, j).law(metric)

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


def _untold(law: Law) -> bool:
    """Whether nothing shows how sure a difference is; two that are equal in every way have none."""
    equal = law.error == law.value == 0
    return isnan(law.value) or isnan(law.error) or (law.reason is not None and not equal)
