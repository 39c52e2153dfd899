"""Classifiers on independent cases of equal weight: the same ones, or test sets of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.facts.comparison import DifferenceFact
from baserate.groups import adjust
from baserate.inference.best_of_several import Best, probability_best_separate, shrunken_best
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.metric_comparison import MetricComparison
from baserate.inference.paired import compare_paired, joint_prior, mcnemar_test, swapped_cases
from baserate.inference.separate_samples import compare_separate
from baserate.metrics import Metric
from baserate.utilities import UtilityMatrix

Array = NDArray[np.float64]

PRIOR = 0.5  # of a case in each cell of a table, as `interval` has it
MANY_PAIRS = "many_pairs"  # why a difference that would be simulated has no interval
MID_P = "mid-p"  # how p-values of the same cases are computed
LEADING, MANY = 3, 8  # metrics asked for by name whose differences are told; of more, of none
RATES = ("recall", "specificity")


@dataclass(frozen=True, kw_only=True)
class TwoClasses:
    """Classifiers on the same cases of two classes, and what their decisions are worth."""

    joint: BinaryCases
    utilities: UtilityMatrix  # the positive first
    base_rate: float | None  # at which yields are stated; None: that of the cases
    level: float

    @cached_property
    def metric(self) -> Metric:
        """The yield."""
        return restated(self.utilities.as_metric(), self.base_rate)


class SameCases(TwoClasses):
    """What is known of every two classifiers on the same cases."""

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what only classifiers on the same cases have: interval, tests, dominance."""
        cells = self.joint.cells((i, j))
        gap = compare_paired(self.metric, cells, confidence_level=self.level)
        p_a, p_b, n_a, n_b = discordant(self.joint, i, j)
        alone = {
            "accuracy": (p_a + n_a, p_b + n_b),
            "recall": (p_a, p_b),
            "specificity": (n_a, n_b),
        }
        chances = [compare_paired(rate, cells) for rate in RATES]
        return {
            "a_better": gap.better,
            "low": gap.low,
            "high": gap.high,
            "p_difference": swapped_cases(self.metric, cells),
            "p_route": MID_P,
            **{f"p_{name}": mcnemar_test(*pair).p_value for name, pair in alone.items()},
            **dominances(chances),
        }

    def gap(self, metric: Metric, i: int, j: int, rng: Any) -> DifferenceFact:
        """Return how far the two differ by a metric."""
        at, cells = restated(metric, self.base_rate), self.joint.cells((i, j))
        values = [float(at(self.joint.table(k))) for k in (i, j)]
        known = not isnan(sum(values))
        tested = {
            "p_value": swapped_cases(at, cells) if known else float("nan"),
            "p_route": MID_P if known else None,
        }
        try:
            found = compare_paired(at, cells, confidence_level=self.level, rng=rng)
        except UnsupportedError:
            return untold(metric.name, *values, **tested)
        return difference(found, metric.name, **tested)

    def best(self, rng: Any) -> Best:
        """Return the probability that each classifier has the highest expected yield."""
        k, u = len(self.joint.names), self.utilities.matrix
        shares = None if self.base_rate is None else (self.base_rate, 1 - self.base_rate)
        if k == 2:
            sure = compare_paired(self.metric, self.joint.cells((0, 1))).better
            found = (sure, 1 - sure)
            return Best(probabilities=found, standard_errors=(0.0, 0.0), route="integral")
        values = [float(self.metric(self.joint.table(i))) for i in range(k)]
        variances = np.zeros((k, k))
        for i, j in combinations(range(k), 2):
            gains = u[:, None] - u[None]  # decision of A, of B, class
            of = variance(gains, self.joint.cells((i, j)) + joint_prior(self.metric), shares)
            variances[i, j] = variances[j, i] = of
        return shrunken_best(values, variances, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SeparateCases:
    """The same of test sets of their own, at class shares that are known."""

    tables: Mapping[str, ConfusionMatrix]
    utilities: UtilityMatrix
    base_rate: float
    level: float

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the interval of the difference, and how probably one dominates."""
        a, b = self._two(i, j)
        metric = self.utilities.as_metric().at_base_rate(self.base_rate)
        gap = compare_separate(metric, a, b, confidence_level=self.level)
        return {
            "low": gap.low,
            "high": gap.high,
            **dominances([compare_separate(rate, a, b) for rate in RATES]),
        }

    def gap(self, metric: Metric, i: int, j: int, rng: Any) -> DifferenceFact:
        """Return how far the two differ by a metric."""
        at, two = metric.at_base_rate(self.base_rate), self._two(i, j)
        try:
            found = compare_separate(at, *two, confidence_level=self.level, rng=rng)
        except UnsupportedError:
            return untold(metric.name, float(at(two[0])), float(at(two[1])))
        return difference(found, metric.name)

    def best(self, rng: Any) -> Best:
        """Return the probability that each classifier has the highest expected yield."""
        tables, u = list(self.tables.values()), self.utilities
        shares = (self.base_rate, 1 - self.base_rate)
        if len(tables) == 2:
            return probability_best_separate(tables, u.matrix, class_shares=shares, prior=PRIOR)
        cells = [np.array([[t.tp, t.fp], [t.fn, t.tn]], dtype=float) for t in tables]
        own = np.array([variance(u.matrix, one + PRIOR, shares) for one in cells])
        apart = (own[:, None] + own[None]) * (1 - np.eye(len(own)))
        metric = u.as_metric().at_base_rate(self.base_rate)
        return shrunken_best([float(metric(table)) for table in tables], apart, rng=rng)

    def _two(self, i: int, j: int) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        tables = list(self.tables.values())
        return tables[i], tables[j]


def restated(metric: Metric, base_rate: float | None) -> Metric:
    """Return a metric at a stated base rate, if there is one."""
    return metric if base_rate is None else metric.at_base_rate(base_rate)


def discordant(joint: BinaryCases, i: int, j: int) -> tuple[int, int, int, int]:
    """Return positives only A got right, only B; negatives only A, only B."""
    cells = joint.cells((i, j))
    counts = cells[0, 1, 0], cells[1, 0, 0], cells[1, 0, 1], cells[0, 1, 1]
    return tuple(int(count) for count in counts)  # pyright: ignore[reportReturnType]


def difference(found: MetricComparison, name: str, **tested: Any) -> DifferenceFact:
    """Return what is told of a difference of two classifiers by one metric."""
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
        reason="undefined for one of them" if isnan(found.difference) else None,
        **tested,
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


def untold(name: str, a: float, b: float, **tested: Any) -> DifferenceFact:
    """Return a difference without an interval: of many pairs none is simulated."""
    return DifferenceFact(
        name=name, value_a=a, value_b=b, difference=a - b, reason=MANY_PAIRS, **tested
    )


def dominances(rates: list[MetricComparison]) -> dict[str, float]:
    """Return how probably A, or B, is better whatever the stakes.

    It is where both rates are higher, which are independent: positives say nothing of negatives.
    """
    recall, specificity = (found.higher for found in rates)
    return {
        "a_dominates": recall * specificity,
        "b_dominates": (1 - recall) * (1 - specificity),
    }


def variance(worth: Array, cells: Array, shares: tuple[float, float] | None) -> float:
    """Return the posterior variance of a yield, or of a difference; classes are the last axis."""
    if shares is not None:
        parts = (variance(worth[..., c], cells[..., c], None) for c in range(2))
        return sum(share**2 * part for share, part in zip(shares, parts, strict=True))
    some = cells > 0
    return DirichletLinear(worth[some], cells[some]).variance if some.any() else 0.0
