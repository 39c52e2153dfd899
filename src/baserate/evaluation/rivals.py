"""What is known of several classifiers, whatever the number of classes and the way of sampling."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import inf, isnan, nan
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate.facts.comparison import DifferenceFact
from baserate.facts.stakes import YieldFact
from baserate.groups import adjust
from baserate.inference.best_of_several import Best, shrunken_best
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.metric_comparison import MetricComparison
from baserate.metrics import Metric

Array = NDArray[np.float64]

PRIOR = 0.5  # of a case in each cell of a table, as `interval` has it
MANY_PAIRS = "many_pairs"  # why a difference that would be simulated has no interval
NO_LAW = "difference_without_law"  # why it is unknown which of several is best
MID_P = "mid-p"  # how p-values of the same cases are computed
CONSTANT = "decides_constantly"  # why nobody asks whether it beats the best constant decision


class Rivals(ABC):
    """Classifiers, and what their decisions are worth: one by one, and two by two."""

    level: float
    n: Any  # cases, of all test sets together
    yields: Any  # what decisions of each are worth per case, by name
    constant: Any  # the best constant decision, and what it is worth
    about: Any = MappingProxyType({})  # how cases were sampled; independent ones not
    gap: Any  # how far two differ by one metric
    freedom: Any = inf  # degrees of freedom of the least known difference

    @abstractmethod
    def within(self, index: int) -> Self:
        """Return the same in one group of the cases."""

    @abstractmethod
    def worth(self, k: int) -> YieldFact:
        """Return what one is worth, beside the best constant decision."""

    @abstractmethod
    def joint(self, i: int, j: int) -> Any:
        """Return what two decided on the same cases."""

    @abstractmethod
    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what is known of the yields of two: interval, tests, chance."""

    def gaps(
        self, metrics: Sequence[Any], i: int, j: int, rng: Any = None
    ) -> tuple[DifferenceFact, ...]:
        """Return how far two differ by each metric; nothing is simulated without `rng`."""
        return tuple(self.gap(metric, i, j, rng) for metric in metrics)

    @abstractmethod
    def ahead(self, i: int = 0, j: int = 1) -> float:
        """How surely one is worth more than another."""

    @abstractmethod
    def variance(self, i: int, j: int) -> float:
        """Return the variance of the difference of two yields; nan where it has no law."""

    def both(self, i: int, j: int) -> Any:
        """Return what two decided on the same cases; those asked for last are kept."""
        if (i, j) not in self._kept:
            self._kept.clear()
            self._kept[i, j] = self.joint(i, j)
        return self._kept[i, j]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], Any]:
        return {}

    def best(self, rng: Any) -> Best:
        """Return how surely each is worth the most; nan where a difference has no law."""
        k = len(self.yields)
        if k == 2:
            sure = self.ahead()
            return Best(
                probabilities=(sure, 1 - sure), standard_errors=(0.0, 0.0), route="integral"
            )
        if k == 1:
            return Best(probabilities=(nan,), standard_errors=(0.0,), route="undefined")
        variances = np.zeros((k, k))
        for i, j in combinations(range(k), 2):
            variances[i, j] = variances[j, i] = self.variance(i, j)
        if np.isnan(variances).any():
            return Best(probabilities=(nan,) * k, standard_errors=(0.0,) * k, route="undefined")
        return shrunken_best([*self.yields.values()], variances, freedom=self.freedom, rng=rng)

    def place(self, rng: Any) -> dict[str, Any]:
        """Return yields and the best, as in a group or at a base rate."""
        chances, (constant, value) = self.best(rng).probabilities, self.constant
        return {
            "yields": dict(self.yields),
            "constant": constant,
            "constant_value": value,
            "best": {} if isnan(sum(chances)) else dict(zip(self.yields, chances, strict=True)),
        }


def restated(metric: Metric, base_rate: float | None) -> Metric:
    """Return a metric at a stated base rate, if there is one."""
    return metric if base_rate is None else metric.at_base_rate(base_rate)


def difference(found: MetricComparison, name: str, **tested: Any) -> DifferenceFact:
    """Return what is told of a difference of two classifiers by one metric."""
    law = {"p_value": found.p_value, "p_route": found.route}  # of separate test sets
    return DifferenceFact(
        name=name,
        value_a=found.value_a,
        value_b=found.value_b,
        difference=found.difference,
        low=found.low,
        high=found.high,
        a_better=found.better,
        route=found.route,
        error=found.error,
        direction=found.direction,
        reason="undefined for one of them" if isnan(found.difference) else None,
        **law | tested,
    )


def adjusted_for_pairs(pairs: Sequence[Any]) -> list[Any]:
    """Return pairs with tests adjusted for their number: of yields, and metric by metric."""
    apart = adjust([pair.p_difference for pair in pairs]).tolist()
    columns = zip(*(pair.metrics for pair in pairs), strict=True)
    every = [adjust([one.p_value for one in column]).tolist() for column in columns]
    return [
        replace(
            pair,
            adjusted_p=apart[k],
            metrics=tuple(
                replace(one, adjusted_p=ps[k]) for one, ps in zip(pair.metrics, every, strict=True)
            ),
        )
        for k, pair in enumerate(pairs)
    ]


def variance_of_worth(worth: Array, cells: Array, shares: tuple[float, float] | None) -> float:
    """Return the posterior variance of a yield, or of a difference; classes are the last axis."""
    if shares is not None:
        parts = (variance_of_worth(worth[..., c], cells[..., c], None) for c in range(2))
        return sum(share**2 * part for share, part in zip(shares, parts, strict=True))
    some = cells > 0
    return DirichletLinear(worth[some], cells[some]).variance if some.any() else 0.0
