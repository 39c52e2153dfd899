"""Classifiers on independent cases of equal weight: the same ones, or test sets of their own."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import Any, Self

import numpy as np

from baserate.cases.several_classes import ClassCounted
from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix, has_both
from baserate.errors import UnsupportedError
from baserate.evaluation.asked import NO_GUESS
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.class_stakes import yield_of
from baserate.evaluation.rivals import (
    CONSTANT,
    MANY_PAIRS,
    MID_P,
    PRIOR,
    Array,
    Rivals,
    difference,
    restated,
    variance_of_worth,
)
from baserate.evaluation.stakes import constants_of, is_constant, worth
from baserate.facts.comparison import DifferenceFact
from baserate.facts.stakes import YieldFact
from baserate.inference import interval, yield_posterior
from baserate.inference.best_of_several import probability_best_separate
from baserate.inference.class_comparison import compare_class_yields, compare_classes, even_prior
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.metric_comparison import MetricComparison
from baserate.inference.metric_limits import SHARES
from baserate.inference.paired import (
    alone,
    compare_paired,
    joint_prior,
    mcnemar_test,
    score_limits,
    swapped_cases,
)
from baserate.inference.paired_clusters import paired_classes, swapped_sums
from baserate.inference.paired_weights import Decided
from baserate.inference.separate_samples import compare_separate
from baserate.metrics import ClassMetric, Metric, binary_metric
from baserate.utilities import UtilityMatrix
from baserate.utilities.constant_decisions import ConstantDecisions

RATES = ("recall", "specificity")
TESTED = ("accuracy", *RATES)
ACCURACY = UtilityMatrix([[1.0, 0.0], [0.0, 1.0]])
FEWER_DRAWS = 1024  # of each pair, where pairs are many


@dataclass(frozen=True, kw_only=True)
class TwoClasses(Rivals):
    """Classifiers of two classes, and what their decisions are worth."""

    tables: Mapping[Any, ConfusionMatrix]
    cases: BinaryCases | None = None  # the same cases; None for separate test sets
    utilities: UtilityMatrix = ACCURACY  # the positive first
    base_rate: float | None = None  # at which yields are stated; None: that of the cases
    level: float

    @classmethod
    def of_cases(cls, cases: BinaryCases, **asked: Any) -> Self:
        """Take the same cases for all."""
        tables = {name: cases.table(k) for k, name in enumerate(cases.names)}
        return cls(cases=cases, tables=tables, **asked)

    def within(self, index: int) -> Self:
        """Return the same in one group of the cases, at its own base rate."""
        assert self.cases is not None
        how: Any = {"utilities": self.utilities, "level": self.level}
        return self.of_cases(self.cases.within(index), **how)

    @cached_property
    def metric(self) -> Metric:
        """The yield."""
        return restated(self.utilities.as_metric(), self.base_rate)

    @cached_property
    def yields(self) -> Mapping[str, float]:
        """What decisions of each are worth per case."""
        u, at = self.utilities, self.base_rate
        return {name: worth(table, u, at) for name, table in self.tables.items()}

    @cached_property
    def constants(self) -> ConstantDecisions:
        """The constant decisions at this base rate."""
        return constants_of(self.utilities, self.table(0), self.base_rate)

    @property
    def constant(self) -> tuple[Any, float]:
        """The best constant decision, and what it is worth."""
        return self.constants.best, self.constants.value

    @property
    def n(self) -> float:
        """Cases, of all test sets together."""
        return sum(t.n for t in self.tables.values()) if self.cases is None else self.cases.n

    @property
    def shares(self) -> tuple[float, float] | None:
        """Class shares that yields are stated at; None: those of the cases."""
        return None if self.base_rate is None else (self.base_rate, 1 - self.base_rate)

    def table(self, k: int) -> ConfusionMatrix:
        """Return the table of one."""
        return list(self.tables.values())[k]

    def worth(self, k: int) -> YieldFact:
        """Return what one is worth, beside the best constant decision."""
        value, u, best = [*self.yields.values()][k], self.utilities, self.constants.best
        low, high = self.limits(k)
        found = YieldFact(value=value, low=low, high=high, skill=self.constants.skill(value))
        if best is None:
            return replace(found, beats_reason=NO_GUESS)
        if is_constant(self.table(k), u, best):
            return replace(found, beats_reason=CONSTANT)
        return replace(found, beats_constant=self.beats(k, u.decision_names.index(best)))

    def limits(self, k: int) -> tuple[float, float]:
        """Return the interval of a yield."""
        found = interval(self.metric, self.table(k), confidence_level=self.level)
        return found.low, found.high

    def beats(self, k: int, row: int) -> float:
        """How surely one yields more than one decision always taken: 0 is the positive one."""
        gains = self.utilities.matrix - self.utilities.matrix[row]
        law = yield_posterior(self.table(k), gains, prior=PRIOR, class_shares=self.shares)
        return float(law.sf(0.0))

    @property
    def at(self) -> float | None:
        """The base rate at which two are compared."""
        return self.base_rate

    @property
    def one_class(self) -> bool:
        """Whether the same cases are all of one class."""
        return self.cases is not None and not has_both(self.table(0))

    @property
    def priced(self) -> bool:
        """Whether it is known what decisions are worth: not of one class."""
        return not self.one_class

    @property
    def tested_by(self) -> tuple[str, ...]:
        """What two on the same cases are tested by: of one class its rate is the accuracy."""
        return TESTED[:1] if self.one_class else TESTED

    def joint(self, i: int, j: int) -> Any:
        """Return how often two decided what on the same cases."""
        assert self.cases is not None
        return self.cases.cells((i, j))

    def alone(self, i: int, j: int) -> tuple[int, int, int, int] | None:
        """Return positives only A got right, only B; negatives only A, only B; None if separate."""
        if self.cases is None:
            return None
        cells = self.cases.cells((i, j))
        counts = cells[0, 1, 0], cells[1, 0, 0], cells[1, 0, 1], cells[0, 1, 1]
        return tuple(int(count) for count in counts)  # pyright: ignore[reportReturnType]

    @abstractmethod
    def compared(self, metric: Metric, i: int, j: int, **how: Any) -> Any:
        """Compare two by a metric: difference, interval and chance."""

    def tested(self, _metric: Metric, _i: int, _j: int) -> dict[str, Any]:
        """Return the p-value of equal metrics, and its kind."""
        return {}

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the interval of the difference, and how probably one dominates.

        One dominates where both rates are higher, which are independent: positives say nothing of
        negatives.
        """
        gap = self.compared(restated(self.utilities.as_metric(), self.at), i, j)
        recall, specificity = (self.compared(binary_metric(x), i, j).higher for x in RATES)
        return {
            "low": gap.low,
            "high": gap.high,
            "a_better": self.ahead(i, j),
            "a_dominates": recall * specificity,
            "b_dominates": (1 - recall) * (1 - specificity),
        }

    def sure(self, _metric: Metric, _i: int, _j: int) -> tuple[float, float] | None:
        """Return limits that luck passes as seldom as they say, if such are known."""
        return None

    def gap(self, metric: Metric, i: int, j: int, rng: Any) -> DifferenceFact:
        """Return how far the two differ by one metric; of many pairs none is simulated."""
        at = restated(metric, self.at)
        tested = {**self.tested(at, i, j), "sure": self.sure(at, i, j)}
        try:
            return difference(self.compared(at, i, j, rng=rng), metric.name, **tested)
        except UnsupportedError:
            a, b = (float(at(self.table(k))) for k in (i, j))
            return DifferenceFact(
                name=metric.name, value_a=a, value_b=b, difference=a - b, reason=MANY_PAIRS,
                direction=metric.direction, **tested,
            )  # fmt: skip


class SameCases(TwoClasses):
    """What is known of every two classifiers on the same cases."""

    def compared(self, metric: Metric, i: int, j: int, **how: Any) -> MetricComparison:
        """Compare two by a metric: difference, interval and chance."""
        return compare_paired(metric, self.both(i, j), confidence_level=self.level, **how)

    def ahead(self, i: int = 0, j: int = 1) -> float:
        """How surely one yields more than another."""
        return self.compared(self.metric, i, j).better

    def tested(self, metric: Metric, i: int, j: int) -> dict[str, Any]:
        """Return the p-value of equal metrics, and its kind."""
        if isnan(sum(float(metric(self.table(k))) for k in (i, j))):
            return {"p_value": nan, "p_route": None}
        return {"p_value": swapped_cases(metric, self.both(i, j)), "p_route": MID_P}

    def sure(self, metric: Metric, i: int, j: int) -> tuple[float, float] | None:
        """Return limits that luck passes as seldom as they say, of shares of the same cases."""
        found = alone(metric, self.both(i, j))
        return found and score_limits(*found, self.level)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return what only classifiers on the same cases have too: tests."""
        p_a, p_b, n_a, n_b = self.alone(i, j) or (0,) * 4
        alone = {
            "accuracy": (p_a + n_a, p_b + n_b),
            "recall": (p_a, p_b),
            "specificity": (n_a, n_b),
        }
        tests = {f"p_{name}": mcnemar_test(*alone[name]).p_value for name in self.tested_by}
        p_value = swapped_cases(self.metric, self.both(i, j))
        return {**super().pair(i, j), "p_difference": p_value, "p_route": MID_P, **tests}

    def variance(self, i: int, j: int) -> float:
        """Return the posterior variance of the difference of two yields."""
        u = self.utilities.matrix
        gains = u[:, None] - u[None]  # decision of A, of B, class
        return variance_of_worth(gains, self.both(i, j) + joint_prior(self.metric), self.shares)


@dataclass(frozen=True, kw_only=True)
class SeparateCases(TwoClasses):
    """The same of test sets of their own, at class shares that are known, unless these are not."""

    known_shares: bool = True

    @property
    def at(self) -> float | None:
        """The base rate at which two are compared: that of the first, if none is stated."""
        own = float(self.table(0).base_rate) if self.known_shares else None
        return own if self.base_rate is None else self.base_rate

    @property
    def priced(self) -> bool:
        """Whether it is known what decisions are worth: at class shares that are known."""
        return self.at is not None

    @cached_property
    def yields(self) -> Mapping[str, float]:
        """What decisions of each are worth per case."""
        return super().yields if self.priced else dict.fromkeys(self.tables, nan)

    def worth(self, k: int) -> YieldFact:
        """Return what one is worth, beside the best constant decision."""
        return super().worth(k) if self.priced else YieldFact(value=nan)

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the interval of the difference, its test, and how probably one dominates."""
        return super().pair(i, j) if self.priced else {}

    def compared(self, metric: Metric, i: int, j: int, **how: Any) -> MetricComparison:
        """Compare two by a metric: difference, interval and chance."""
        two = self.table(i), self.table(j)
        return compare_separate(metric, *two, confidence_level=self.level, **how)

    def ahead(self, i: int = 0, j: int = 1) -> float:
        """How surely one yields more than another."""
        if self.at is None:
            return nan
        how: Any = {"class_shares": (self.at, 1 - self.at), "prior": PRIOR}
        two = self.table(i), self.table(j)
        return probability_best_separate(two, self.utilities.matrix, **how).probabilities[0]

    def variance(self, i: int, j: int) -> float:
        """Return the posterior variance of the difference of two yields."""
        return self._own[i] + self._own[j] if self.priced else nan

    @cached_property
    def _own(self) -> list[float]:
        assert self.at is not None
        shares = self.at, 1 - self.at
        cells = (np.array([[t.tp, t.fp], [t.fn, t.tn]], dtype=float) for t in self.tables.values())
        return [variance_of_worth(self.utilities.matrix, one + PRIOR, shares) for one in cells]


@dataclass(frozen=True, kw_only=True)
class ClassRivals(Rivals):
    """Classifiers of several classes, on the same cases or on test sets of their own."""

    contest: ClassContest
    level: float

    @property
    def n(self) -> float:
        """Cases, of all test sets together."""
        return self.contest.n

    @cached_property
    def yields(self) -> Mapping[str, float]:
        """What decisions of each are worth per case."""
        matrix = self.contest.stakes.matrix
        return {name: yield_of(matrix, cells) for name, cells in self.contest.cells.items()}

    @cached_property
    def constant(self) -> tuple[Any, float]:
        """The best constant decision, and what it is worth."""
        found = self.contest.stakes.fact(self.contest.class_counts)
        return found.constant, found.constant_value

    def within(self, index: int) -> Self:
        """Return the same in one group of the cases."""
        return replace(self, contest=self.contest.within(index))

    def worth(self, k: int) -> YieldFact:
        """Return what one is worth, beside the best constant decision on its cases."""
        return self.contest.stakes.worth(self._cells[k], self.level)

    @cached_property
    def counted(self) -> tuple[ClassCounted, ...]:
        """The class table of each; none where decisions are no classes."""
        tables = [t for t in map(self.contest.table, self.contest.names) if t is not None]
        return tuple(ClassCounted(table=table, n=int(table.n)) for table in tables)

    @property
    def _cells(self) -> list[Array]:
        return [*self.contest.cells.values()]

    def joint(self, i: int, j: int) -> Any:
        """Return what two decided on the same cases."""
        return self.contest.pairs(i, j)

    def alone(self, i: int, j: int) -> dict[str, Any]:
        """Count the cases that one alone gets right, or decides best, and test them."""
        if self.contest.cases is None:
            return {}
        pairs, stakes = self.contest.pairs(i, j), self.contest.stakes
        best = stakes.matrix.argmax(axis=0)[pairs.truth] if stakes.named else pairs.truth
        right_a, right_b = best == pairs.a, best == pairs.b
        alone = pairs.counts[right_a & ~right_b].sum(), pairs.counts[right_b & ~right_a].sum()
        found = mcnemar_test(int(alone[0]), int(alone[1]))
        tested = {"p_value": found.p_value, "p_route": MID_P}
        return {"only_a": found.only_a, "only_b": found.only_b, **tested}

    def pair(self, i: int, j: int) -> dict[str, Any]:
        """Return the interval of the difference of two yields, and what tests them."""
        how: Any = {"confidence_level": self.level}
        gap = compare_class_yields(self.contest.stakes.matrix, *self._sides(i, j), **how)
        known = {"low": gap.low, "high": gap.high, "a_better": gap.better, "route": gap.route}
        return {**known, **self.alone(i, j)}

    def _sides(self, i: int, j: int) -> list[Any]:
        if self.contest.cases is None:
            return [self._cells[i], self._cells[j]]
        return [self.both(i, j)]

    def gaps(
        self, metrics: Sequence[Any], i: int, j: int, rng: Any = None
    ) -> tuple[DifferenceFact, ...]:
        """Return how far two differ by each metric; what is simulated has the same seed always."""
        if self.contest.stakes.named or not metrics:
            return ()
        apart = self.contest.cases is None
        sides = [self.counted[k].table for k in (i, j)] if apart else self._sides(i, j)
        draws = FEWER_DRAWS if rng is None else None
        how: Any = {"confidence_level": self.level, "n_draws": draws}
        every = compare_classes(metrics, *sides, **how).values()
        return tuple(
            difference(one, metric.name, **({} if apart else self._known(metric, i, j)))
            for metric, one in zip(metrics, every, strict=True)
        )

    def _known(self, metric: ClassMetric, i: int, j: int) -> dict[str, Any]:
        """Test accuracy by McNemar's test, any other metric by swaps of both answers of a case.

        Limits that luck passes as seldom as they say are known of shares of all cases.
        """
        found: dict[str, Any] = {}
        if metric.name in SHARES:
            only = self.alone(i, j)
            more, less = only["only_a"], only["only_b"]
            if metric.direction == "lower":
                more, less = less, more
            found["sure"] = score_limits(more, less, int(self.n), self.level)
            if metric.name == "accuracy":
                return found | {key: only[key] for key in ("p_value", "p_route")}
        pairs, a, b = self.both(i, j), *(Decided(self.counted[k]) for k in (i, j))
        right = np.arange(pairs.n_classes)
        swapped = paired_classes(pairs, pairs.counts, a, b, right).swapped(metric)
        each = np.repeat(swapped, pairs.counts.astype(int))
        p_value, route = swapped_sums(each[each != 0], by_slopes=metric.weights is None)
        return found | {"p_value": p_value, "p_route": route}

    @cached_property
    def of_class(self) -> dict[Any, TwoClasses]:
        """What compares them in each class against the rest."""
        labels, cases = self.contest.stakes.classes, self.contest.cases
        if cases is not None:
            alone = replace(cases, grouping=None)
            return {x: SameCases.of_cases(alone.one_vs_rest(x), level=self.level) for x in labels}
        every = [one.table.one_vs_rest() for one in self.counted]
        how: Any = {"known_shares": False, "level": self.level}
        return {
            label: SeparateCases(tables=dict(enumerate(one[k] for one in every)), **how)
            for k, label in enumerate(labels)
        }

    def ahead(self, i: int = 0, j: int = 1) -> float:
        """How surely one is worth more than another."""
        matrix = self.contest.stakes.matrix
        ahead = compare_class_yields(matrix, *self._sides(i, j)).better
        return ahead if np.ptp(matrix, axis=0).any() else 0.5

    def variance(self, i: int, j: int) -> float:
        """Return the posterior variance of the difference of two yields."""
        matrix = self.contest.stakes.matrix
        if self.contest.cases is not None:
            return variance_on_same_cases(matrix, self.both(i, j))
        prior = even_prior(*matrix.shape)
        return sum(variance_of_worth(matrix, self._cells[k] + prior, None) for k in (i, j))


def variance_on_same_cases(worth: Array, pairs: ClassPairs) -> float:
    """Return the posterior variance of the difference of two yields.

    The prior is half a case for each of: both best, only A, only B, neither.
    """
    gains = worth[pairs.a, pairs.truth] - worth[pairs.b, pairs.truth]
    lost = worth.max(axis=0) - worth
    typical = float(np.sqrt((lost[lost > 0] ** 2).mean())) if lost.any() else 0.0
    gains = np.concatenate((gains, (typical, -typical, 0.0)))
    return variance_of_worth(gains, np.concatenate((pairs.counts, (0.5, 0.5, 1.0))), None)
