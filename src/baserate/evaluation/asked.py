"""What is asked of every table, of two classes or of several, however it was counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, NamedTuple

from baserate.baselines import beats_chance, skill
from baserate.cases.clusters import Design
from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.counts import ConfusionMatrix
from baserate.errors import DataError, UnsupportedError
from baserate.facts.evaluation import (
    GuessingTest,
    IntervalOfShares,
    IntervalRoute,
    MetricFact,
    TestOfTwo,
)
from baserate.inference import interval
from baserate.inference.binary_intervals import Interval, design_interval
from baserate.inference.survey_design import guessing_test
from baserate.metrics import ClassMetric, Metric

# Why there is no p-value, and no chance level; reports say it in words.
WEIGHTED, WEIGHTED_NOT_LINEAR = "weighted", "weighted_not_linear"
UNDECIDED, NO_GUESS = "clusters_alike", "nothing_to_guess"


class Routes(NamedTuple):
    """What the facts call how intervals and p-values were found."""

    interval: IntervalRoute
    p_value: GuessingTest


BY_CLUSTERS = Routes("jackknife", "clusters")
BY_REPLICATES = Routes("replicates", "replicates")
BY_RUNS = Routes("runs", "runs")


class Tested(NamedTuple):
    """The probability that guessing does as well and how it was found, or why it is missing."""

    p_value: float
    p_value_reason: str | None = None
    p_value_route: GuessingTest | None = None

    @property
    def told(self) -> dict[str, Any]:
        """What every metric tells of it."""
        return {"p_value": self.p_value, "p_value_reason": self.p_value_reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of every table, of two classes or of several, however it was counted."""

    metrics: tuple[Any, ...]
    guess: str | float
    base_rate: float | None = None
    level: float
    p_value: TestOfTwo = "fisher"
    interval: IntervalOfShares | None = None  # None: "bayes", or by clusters where there are any
    asked_for: tuple[str, ...] = ()  # the metrics that were named one by one

    def methods(self, counted: Counted | ClassCounted) -> Routes:
        """Return what the facts call intervals and p-values; refuse what cannot be evaluated."""
        if not counted.table.n:
            raise DataError("There are no cases: all counts are 0, so nothing can be evaluated.")
        if counted.design is None:
            return Routes(self.interval or "bayes", self.p_value)
        if self.interval is not None:
            raise UnsupportedError(
                f"interval {self.interval!r} takes cases as independent, and these lie in "
                "clusters: leave it out (then it is the jackknife over clusters)."
            )
        if self.p_value != "fisher":
            raise UnsupportedError(
                f"p_value {self.p_value!r} takes cases as independent, and these lie in clusters: "
                "leave it out (then it is a test of whole clusters)."
            )
        if counted.design.of_clusters:
            return BY_CLUSTERS
        return BY_RUNS if "n_runs" in counted.design.sizes else BY_REPLICATES

    def ends_of(self, metric: Metric, tables: ConfusionMatrix, squared: Any) -> Any:
        """Return intervals at tables of two classes: of shares as they were asked for."""
        method: Any = "bayes" if metric.proportion is None else self.interval or "bayes"
        how = {"confidence_level": self.level, "squared_weights": squared}
        return interval(metric, tables, method=method, **how)

    def fact(self, metric: Metric | ClassMetric, table: Any, ends: Mapping[str, Any]) -> MetricFact:
        """Return what is known of a metric at a table, given its interval and what stands by it."""
        known = {"value": float(metric(table)), **ends} if "value" not in ends else ends
        return MetricFact(
            name=metric.name,
            direction=metric.direction,
            **known,
            undefined_reason=metric.undefined_reason(table) if isnan(known["value"]) else None,
            definition=metric.definition,
            meaning=metric.meaning,
            bounds=metric.bounds,
        )

    def beside_guess(
        self, metric: Any, table: Any, guess: str | float, *, weighted: bool
    ) -> dict[str, Any]:
        """Compare with a guess, or say why there is no comparison."""
        directed = metric.direction != "neither"
        own_base_rate = self.base_rate is None  # a restated chance does not depend on the weights
        if weighted and directed and own_base_rate and not metric.linear_in_rates:
            return {"chance_reason": WEIGHTED_NOT_LINEAR}
        try:
            found = skill(metric, table, guess=guess)
        except UnsupportedError as error:
            return {"chance_reason": str(error)}
        return {"chance": found.chance, "skill": found.value, "chance_reason": found.reason}


def tested(table: Any, design: Any, *, weighted: bool) -> Tested:
    """Return the probability that guessing as often each class does as well."""
    if design is not None:
        p_value = guessing_test(design)
        return Tested(p_value, UNDECIDED) if isnan(p_value) else Tested(p_value)
    if weighted:
        return Tested(nan, WEIGHTED)
    try:
        found: Any = beats_chance(table)
    except UnsupportedError as error:
        return Tested(nan, str(error))
    return Tested(found.p_value, None, found.route)


def by_clusters(metric: Metric, design: Design, level: float) -> dict[str, Any]:
    """Return both ends at a table of cases in clusters, and what they rest on."""
    return resting_on(design_interval(metric, design, level))


def resting_on(found: Interval) -> dict[str, Any]:
    """Return both ends of an interval, and what they rest on, by the names that facts have."""
    reason = found.reason if isnan(found.low) and not isnan(found.value) else None
    known = found.design_effect is not None and not isnan(found.value + found.low)
    effect = {"design_effect": found.design_effect, "effective_n": found.effective_n}
    return {"low": found.low, "high": found.high, "interval_reason": reason} | (
        effect if known else {}
    )


def sampled(design: Any, accuracy_of: Callable[[Any], Interval]) -> dict[str, Any]:
    """Return how many clusters or replicates there are, and what they make of the accuracy."""
    if design is None:
        return {}
    clustered, accuracy = design.of_clusters, accuracy_of(design)
    return {
        **design.sizes,
        "effective_clusters": design.effective_clusters if clustered else None,
        "design_effect": accuracy.design_effect,
        "independent_n": accuracy.effective_n,
    }
