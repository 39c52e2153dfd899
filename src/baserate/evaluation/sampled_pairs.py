"""Classifiers on the same cases, sampled in clusters or with weights, compared by their yields."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from baserate.cases import BinaryCases
from baserate.cases.counted import Counted
from baserate.inference import Best, interval
from baserate.inference.best_by_differences import best_by_differences
from baserate.inference.paired_clusters import DifferenceLaw
from baserate.inference.paired_weights import WeightedPair
from baserate.metrics import Metric, binary_metric
from baserate.utilities import UtilityMatrix

TESTED = ("accuracy", "recall", "specificity")


@dataclass(frozen=True, kw_only=True)
class SampledPairs(ABC):
    """What is known of every two classifiers where cases are not all alike and independent.

    Attributes
    ----------
    joint : BinaryCases
    utilities : UtilityMatrix
        The positive first.
    base_rate : float or None
        At which yields are stated; None: that of the cases.
    level : float
    """

    joint: BinaryCases
    utilities: UtilityMatrix
    base_rate: float | None
    level: float

    @cached_property
    def metric(self) -> Metric:
        """The yield."""
        found = self.utilities.as_metric()
        return found if self.base_rate is None else found.at_base_rate(self.base_rate)

    @cached_property
    def counted(self) -> tuple[Counted, ...]:
        """The table of each classifier, and how its cells vary."""
        return tuple(self.joint.counted(k) for k in range(len(self.joint.names)))

    @property
    def n_clusters(self) -> int | None:
        """Clusters of the sample; None for independent cases."""
        return None

    @abstractmethod
    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers: interval, tests and chance."""

    @property
    def n_replicates(self) -> int | None:
        """Sets of replicate weights; None without."""
        return None

    @abstractmethod
    def law(self, i: int, j: int) -> DifferenceLaw:
        """Return Student's law of the difference of two yields."""

    def above(self, i: int, j: int) -> float:
        """How surely one classifier yields more than another: Student's law of the difference."""
        return self.law(i, j).above

    @abstractmethod
    def beats(self, k: int, *, positive: bool) -> float:
        """How surely a classifier yields more than one decision always taken."""

    @abstractmethod
    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a classifier's yield."""

    def best(self, rng: Any) -> Best:
        """Return how surely each classifier yields the most; nan where a difference has no law."""
        k = len(self.joint.names)
        if k == 2:
            sure = self.above(0, 1)
            return Best(probabilities=(sure, 1 - sure), standard_errors=(0.0, 0.0), route="student")
        laws = {pair: self.law(*pair) for pair in combinations(range(k), 2)}
        return best_by_differences(k, laws, rng=rng)


class WeightedPairs(SampledPairs):
    """Cases are independent, and count by their weights."""

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of two classifiers; approximate."""
        both = self._both(i, j)
        found = both.compared(self.metric, self.level)
        tests = {f"p_{name}": both.p_value(binary_metric(name)) for name in TESTED}
        return {
            "low": found.low,
            "high": found.high,
            "reason": found.reason,
            "p_difference": found.p_value,
            "p_route": found.p_value_route,
            "design_effect": found.design_effect,
            "a_better": both.law(self.metric).above,
            **tests,
        }

    def law(self, i: int, j: int) -> DifferenceLaw:
        """Return Student's law of the difference of two yields."""
        return self._both(i, j).law(self.metric)

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
