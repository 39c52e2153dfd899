"""Facts of an evaluation: every metric of all cases, of every group, of every class."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.numbers import Number, Part, Telling, numbers_of
from baserate.facts.report import SampledFacts
from baserate.facts.scores import EstimateFact, NetBenefitFact, SuppressionFact
from baserate.facts.stakes import ClassStakesFact, ClassWorthFact
from baserate.facts.threshold import ThresholdFacts
from baserate.facts.verdict import VerdictFact

# How an interval was found; reports have words for each.
IntervalOfShares = Literal["bayes", "wilson", "exact"]
IntervalOfDesign = Literal["jackknife", "replicates", "runs"]
IntervalRoute = IntervalOfShares | IntervalOfDesign
# How it was tested whether predictions are better than guessing.
TestOfTwo = Literal["fisher", "sup"]
TestOfClasses = Literal["exact", "permutation", "upper bound"]
TestOfDesign = Literal["clusters", "replicates", "runs"]
GuessingTest = TestOfTwo | TestOfClasses | TestOfDesign


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFact(Telling):
    """What is known about one metric at one table; nan where something is unknown or undefined.

    Only a metric outside the catalogue needs `definition`, `meaning` and `bounds` here: a report
    looks up the others by name. `beyond_guess` is by how much a utility is better than the guess on
    the same cases, an interval. `independent_low` and `independent_high` are the interval that as
    many independent cases of these weights would have, of a metric that was asked for.
    """

    reasons: ClassVar[tuple[str, ...]] = ("undefined_reason", "interval_reason")
    of_table: ClassVar[bool] = True
    name: str
    direction: str = field(metadata=HIDDEN)
    value: float
    low: float = math.nan
    high: float = math.nan
    same_alarms: float = math.nan
    chance: float = math.nan
    skill: float = math.nan
    p_value: float = math.nan
    design_effect: float | None = None
    effective_n: float | None = None
    independent_low: float | None = None
    independent_high: float | None = None
    undefined_reason: str | None = None
    interval_reason: str | None = None
    chance_reason: str | None = None
    p_value_reason: str | None = None
    definition: str = field(default="", metadata=HIDDEN)
    meaning: str = field(default="", metadata=HIDDEN)
    bounds: tuple[float, float] | None = field(default=None, metadata=HIDDEN)
    beyond_guess: tuple[float, float] | None = field(default=None, metadata=HIDDEN)


RAW = ("value", "low", "high", "same_alarms", "chance", "skill")  # of what stands beside


@dataclass(frozen=True, slots=True, kw_only=True)
class RestatedFact(MetricFact):
    """A metric restated at another base rate, beside the same metric at that of the cases."""

    raw: MetricFact

    @property
    def more(self) -> tuple[Number, ...]:
        """What these cases give."""
        return (Number(f"raw({self.raw.name})", self.raw),)

    def row(self) -> dict[str, Any]:
        """Return one row of both."""
        row = self.to_dict()
        raw = row.pop("raw")
        return row | {f"raw_{name}": raw[name] for name in RAW}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedFacts(SampledFacts):
    """What an evaluation says whatever the number of classes.

    `asked_for` are the metrics that were named one by one: the answer is about the first of them.
    """

    guess: str
    interval: IntervalRoute = "bayes"
    better_than_guessing: VerdictFact | None = None
    p_value: float = math.nan
    metrics: tuple[MetricFact | RestatedFact, ...]
    asked_for: tuple[str, ...] = ()
    effective_clusters: float | None = None
    design_effect: float | None = None
    independent_n: float | None = None
    prediction: str | None = None

    def metric(self, name: str) -> MetricFact | None:
        """Return the fact of this canonical name, restated or not; None if it was not asked for."""
        return next((m for m in self.metrics if m.name.split(".at_base_rate")[0] == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFact(Result):
    """One group: its values in the group columns, its table, its metrics.

    Of several classifiers, whose groups these are, also whether each is better than guessing, and
    what the sentence about it says of recall and precision.
    """

    group: Mapping[str, Any]
    table: ConfusionMatrix
    metrics: tuple[MetricFact | RestatedFact, ...]
    better_than_guessing: VerdictFact | None = None
    shares: tuple[MetricFact, ...] = field(default=(), metadata=HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFacts(EvaluatedFacts):
    """Everything that `evaluate` found out.

    `shares` are recall, precision and specificity, which the answer tells whatever was asked for.
    """

    positive: Any
    labels: tuple[Any, ...]
    table: ConfusionMatrix | None
    base_rate: float
    p_reversed: float = math.nan
    p_value_method: GuessingTest = "fisher"
    shares: tuple[MetricFact, ...] = field(default=(), metadata=HIDDEN)
    groups: tuple[GroupFact, ...] = ()
    restated: bool = False
    n_cases: int | None = None
    effective_positive: float | None = None
    effective_negative: float | None = None
    suppression: SuppressionFact | None = None
    score: str | None = None
    threshold: float | None = None
    default_threshold: bool = False
    cut_by: str | None = None
    thresholds: ThresholdFacts | None = None
    ranking_reason: str | None = None

    @property
    def classes(self) -> ConfusionMatrix:
        """A table with the class totals: that of all cases, or of any of several classifiers."""
        return self.groups[0].table if self.table is None else self.table

    @property
    def typical(self) -> tuple[MetricFact, ...]:
        """The metrics of all cases, or of the first of several classifiers."""
        return self.groups[0].metrics if self.table is None else self.metrics

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each group."""
        scored = self.thresholds
        measured, cuts = ((), ()) if scored is None else (scored.measured, scored.cuts)
        if self.restated:  # the curve is that of the cases
            measured = [one for one in measured if not isinstance(one, NetBenefitFact)]
        known = (*self.shares, *cuts)
        calibrated = {
            (*one.group.values(),): one.observed_expected.numbers
            for one in (() if scored is None else scored.risks_of_groups)
        }
        yield Part({}, self.metrics, measured, numbers_of(known), table=self.table)
        for one in self.groups:
            known = (*numbers_of(one.shares), *calibrated.get((*one.group.values(),), ()))
            yield Part(one.group, one.metrics, (), known, table=one.table)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFact(Result):
    """One class against the rest."""

    label: Any
    table: ConfusionMatrix
    metrics: tuple[MetricFact, ...]
    score_measures: tuple[EstimateFact, ...] = ()

    def measure(self, name: str) -> EstimateFact | None:
        """Return what is known of the score under this name; None if nothing is."""
        return next((m for m in self.score_measures if m.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionFact(Result):
    """One class taken for another one."""

    truth: Any
    prediction: Any
    n: float
    share: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtremeFact(Result):
    """The least or the greatest share of several, with an interval that knows of the choice."""

    share: float
    low: float
    high: float
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFact(Result):
    """Wrong cases of classes in an order: those two classes off or more, those too high, too low.

    `p_value`: that wrong cases are as often too high as too low; nan, as the limits, unless cases
    are independent and of equal weight.
    """

    far: float
    share: float
    low: float = math.nan
    high: float = math.nan
    too_high: float
    too_low: float
    p_value: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassGroupFact(Result):
    """One group: its values in the group columns, its cases, its metrics.

    `metrics` are computed when they are first looked at: reports show the largest groups only.
    """

    group: Mapping[str, Any]
    n: float
    table: ClassTable = field(metadata=HIDDEN)
    metrics: Sequence[MetricFact]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassEvaluationFacts(EvaluatedFacts):
    """Everything that `evaluate` found out about several classes.

    `right` is the share of cases that are called what they are, which the answer tells in any case.
    """

    table: ClassTable
    p_value_route: GuessingTest | None = None
    p_value_reason: str | None = None
    right: MetricFact | None = field(default=None, metadata=HIDDEN)
    classes: tuple[ClassFact, ...]
    confusions: tuple[ConfusionFact, ...] = ()
    least_found: ExtremeFact | None = None
    most_confused: ExtremeFact | None = None
    order: OrderFact | None = None  # where a number ends each label, or weighted kappa was asked
    absent: tuple[Any, ...] = ()
    never_predicted: tuple[Any, ...] = ()
    groups: tuple[ClassGroupFact, ...] = ()
    stakes: ClassStakesFact | None = None
    worth: ClassWorthFact | None = None
    scores: tuple[str, ...] = ()
    tied: int | None = None
    restated: ClassVar[bool] = False  # class shares are those of the cases
    score_measures: tuple[EstimateFact, ...] = ()
    score_absent: Mapping[str, str] = field(default_factory=dict[str, str])
    ranked_within: int = 0
    named: tuple[str, ...] = field(default=(), metadata=HIDDEN)  # measures of scores asked for

    @property
    def measures_named(self) -> tuple[EstimateFact, ...]:
        """The measures that were asked for: of two classes one name, of several that of all."""
        every = {
            short: one
            for one in self.score_measures
            for short in (one.name.removeprefix("confidence_").removesuffix("_ovr"), one.name)
        }
        return tuple(every[name] for name in self.named if name in every)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes."""
        return self.table.labels

    def measure(self, name: str) -> EstimateFact | None:
        """Return what is known of the scores under this name; None if nothing is."""
        return next((m for m in self.score_measures if m.name == name), None)

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each class against the rest, then each group."""
        others = [*numbers_of(filter(None, (self.right, self.worth)))]
        if self.worth is not None and self.stakes is not None:
            others += [self.worth.at_stake(self.stakes.kind)]
        yield Part({}, self.metrics, self.score_measures, others, table=self.table)
        for one in self.classes:
            yield Part({"class": one.label}, one.metrics, one.score_measures, table=one.table)
        for one in self.groups:
            yield Part(one.group, one.metrics, table=one.table)
