"""Facts of a comparison: what each classifier's decisions are worth, and which is best where."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.evaluation import MetricFact
from baserate.facts.numbers import Number, Part, Telling, numbers_of
from baserate.facts.report import SampledFacts
from baserate.facts.scores import EstimateFact, ScoreBinsFact, SuppressionFact
from baserate.facts.stakes import ClassStakesFact, ClassWorthFact, Stakes, StakesFact, YieldFact
from baserate.facts.verdict import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFact(Result):
    """Two ROC curves."""

    a: str
    b: str
    relation: str
    crossings: tuple[tuple[float, float], ...] = ()
    hull_relation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFact(Result):
    """One score by itself: how well it ranks, and what it loses as a probability."""

    name: str
    auc: float
    low: float = math.nan
    high: float = math.nan
    measures: tuple[EstimateFact, ...] = ()
    miscalibration: float = math.nan
    discrimination: float = math.nan
    bins: ScoreBinsFact | None = None
    suppression: SuppressionFact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePairFact(Telling):
    """Two scores on the same cases by one measure."""

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    a: str
    b: str
    measure: str
    value_a: float
    value_b: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    adjusted_p: float = math.nan
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    p_value_reason: str | None = None
    design_effect: float = math.nan

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The difference."""
        return (Number(f"difference({self.measure})", self, "difference"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfSeveral(YieldFact):
    """One classifier beside others, whatever the number of classes."""

    name: str
    best: float = math.nan
    rank: int = 1
    metrics: tuple[MetricFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActingFact(Result):
    """Net benefit of acting from a risk that was named, and how far it is above treating all.

    Treating none has 0.
    """

    threshold: float
    value: float
    low: float
    high: float
    treat_all: float
    above_all: float
    above_all_low: float
    above_all_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierFact(OneOfSeveral):
    """One classifier."""

    table: ConfusionMatrix
    thresholds: tuple[float, float] = (math.nan, math.nan)
    pays: tuple[float, float] = (math.nan, math.nan)
    score: str | None = None
    cut: float | None = None
    cut_by: str | None = None
    cut_also: tuple[str, ...] = ()
    acting: ActingFact | None = None  # where a threshold of probabilities is all that is at stake

    @property
    def n(self) -> float:
        """Cases that it was tested on, or the sum of their weights."""
        return self.table.n


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedClassifier(OneOfSeveral):
    """One classifier of several classes: its yield, and its metrics."""

    derived: ClassVar[tuple[str, ...]] = ("worth_using",)

    n: float
    table: ClassTable | None = None
    at_all_shares: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFact(Telling):
    """One metric of two classifiers: of the whole table, or of one class against the rest."""

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    name: str
    value_a: float
    value_b: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    a_better: float = math.nan
    route: str = "undefined"
    error: float = 0.0
    p_value: float = math.nan
    adjusted_p: float = math.nan
    p_route: str | None = None
    reason: str | None = None
    direction: str = field(default="higher", metadata=HIDDEN)
    # Limits that luck passes as seldom as they say, of shares of the same independent cases.
    sure: tuple[float, float] | None = field(default=None, metadata=HIDDEN)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The difference."""
        return (Number(f"difference({self.name})", self, "difference"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginFact(Result):
    """How much better a classifier is than the first, by one number, beside a margin.

    The lead is positive where it is better, whichever end of the number (`better`) is.
    """

    derived: ClassVar[tuple[str, ...]] = ("not_worse",)

    name: str
    new: str
    old: str
    better: str
    margin: float
    lead: float
    low: float = math.nan
    high: float = math.nan
    law: str = ""

    @property
    def not_worse(self) -> Answer:
        """Whether it is not worse by more than the margin: what the limit of the interval says."""
        if self.low > -self.margin:
            return "yes"
        return "no" if self.high < -self.margin else "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoOfSeveral(Telling):
    """Two classifiers, whatever the number of classes."""

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    a: str
    b: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    a_better: float = math.nan
    p_route: str | None = None
    adjusted_p: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()
    design_effect: float = math.nan
    reason: str | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The difference of yields."""
        return (Number("difference(yield)", self, "difference"),)

    def at_stake(self, kind: Stakes) -> Number:
        """Return it by the name of what is at stake: a cost has the other sign."""
        return Number(f"difference({kind})", self, "difference", turned=kind == "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFact(TwoOfSeveral):
    """Two classifiers."""

    classes: ClassVar[tuple[Any, ...]] = ()
    a_dominates: float = math.nan
    b_dominates: float = math.nan
    tau_star: float | None = None  # nan where one is better throughout
    a_thresholds: tuple[float, float] = (math.nan, math.nan)
    b_thresholds: tuple[float, float] = (math.nan, math.nan)
    flip: float | None = None
    discordant: tuple[int, int, int, int] | None = None
    p_accuracy: float = math.nan
    p_recall: float = math.nan
    p_specificity: float = math.nan
    p_difference: float = math.nan
    adjusted_p_accuracy: float = math.nan
    adjusted_p_recall: float = math.nan
    adjusted_p_specificity: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPairFact(Result):
    """Two classifiers on the cases of one class."""

    label: Any
    only_a: int | None = None
    only_b: int | None = None
    p_value: float = math.nan
    adjusted_p: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFact(Result):
    """A cost at which two classifiers are worth the same, all others being equal."""

    truth: Any
    prediction: Any
    cost: float
    above: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair(TwoOfSeveral):
    """Two classifiers of several classes."""

    route: str = "undefined"
    only_a: int | None = None
    only_b: int | None = None
    p_value: float = math.nan
    classes: tuple[ClassPairFact, ...] = ()
    turns: tuple[TurnFact, ...] = ()

    @property
    def p_difference(self) -> float:
        """The p-value of equal yields, as two classes have it."""
        return self.p_value


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRanking(Result):
    """How a metric orders pairs of classifiers, against how their yields do."""

    name: str
    first: tuple[str, ...] = ()
    wrong: tuple[tuple[str, str], ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFact(Result):
    """An interval of thresholds or of base rates, and everything that is best throughout it.

    A constant decision is called "always" and its name.
    """

    low: float
    high: float
    best: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFact(Result):
    """Yields of all classifiers in one place, such as in a group."""

    yields: Mapping[str, float]
    constant: Any
    constant_value: float
    best: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthFact(PlaceFact):
    """The same at a base rate, such as that of deployment."""

    base_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWorthFact(WorthFact):
    """The same in a group: its labels, its cases."""

    group: Mapping[str, Any]
    n: float
    worth: ClassVar[None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGroup(PlaceFact):
    """The same of several classes; `worth` is there if one classifier is looked at."""

    group: Mapping[str, Any]
    n: float
    worth: ClassWorthFact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFacts(SampledFacts):
    """What a comparison says whatever the number of classes."""

    paired: bool
    guess: str = "dutch_draw"
    asked: tuple[str, ...] = ()
    best_error: float = 0.0
    best_reason: str | None = None
    effective_clusters: float | None = None
    stakes: Any
    classifiers: tuple[Any, ...]
    pairs: tuple[Any, ...]
    groups: tuple[Any, ...] = ()
    scores: tuple[ScoreFact, ...] = ()
    score_pairs: tuple[ScorePairFact, ...] = ()
    margins: tuple[MarginFact, ...] = ()
    interval: ClassVar[None] = None  # the method of it cannot be asked for

    @property
    def tests_yields(self) -> bool:
        """Whether the p-values of pairs are of equal yields."""
        return True

    @property
    def ranked(self) -> tuple[Any, ...]:
        """The classifiers by yield, the best first."""
        return tuple(sorted(self.classifiers, key=lambda fact: fact.rank))

    @property
    def leading(self) -> Any:
        """The pair of the first and the second by yield."""
        names = {fact.name for fact in self.ranked[:2]}
        return next(pair for pair in self.pairs if {pair.a, pair.b} == names)

    def parts(self) -> Iterator[Part]:
        """Yield each classifier, group and score, then each pair, either of the two first."""
        kind = self.stakes.kind
        for one in self.classifiers:
            at, stake = {"classifier": one.name}, [one.at_stake(kind)]
            yield Part(at, (one, *one.metrics), (), stake, table=one.table)
        for one in self.groups:
            if one.worth is not None:
                yield Part(one.group, [one.worth], (), [one.worth.at_stake(kind)])
            for name, value in one.yields.items():
                worth, at = YieldFact(value=value), {**one.group, "classifier": name}
                yield Part(at, others=(*worth.numbers, worth.at_stake(kind)))
        for one in self.scores:
            area = EstimateFact(name="roc_auc", value=one.auc, low=one.low, high=one.high)
            yield Part({"classifier": one.name}, one.measures, [area])
        for pair in self.pairs:
            yield from _either_way(pair, {}, (*pair.metrics, pair), pair.at_stake(kind))
            for one in pair.classes:
                yield from _either_way(pair, {"class": one.label}, one.metrics)
        for pair in self.score_pairs:
            yield from _either_way(pair, {}, [pair])


def _either_way(
    pair: Any, place: Mapping[str, Any], told: Iterable[Telling], *others: Number
) -> Iterator[Part]:
    """Yield the differences of two classifiers, either of them first."""
    numbers = (*numbers_of(told), *others)
    back = [one._replace(turned=not one.turned) for one in numbers]
    for first, second, differences in ((pair.a, pair.b, numbers), (pair.b, pair.a, back)):
        yield Part({**place, "first": first, "second": second}, others=differences)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFacts(ComparedFacts):
    """Everything that `compare` found out; of one class nothing is at stake.

    `constants`, `constant`, `by_threshold` and `base_rate` are then empty, and so on.
    """

    derived: ClassVar[tuple[str, ...]] = ("graded",)
    positive: Any
    labels: tuple[Any, ...]
    base_rate: float
    restated: bool
    stakes: StakesFact
    constants: Mapping[str, float]
    constant: str | None
    perfect: float
    classifiers: tuple[ClassifierFact, ...]
    pairs: tuple[PairFact, ...]
    rankings: tuple[MetricRanking, ...] = ()
    by_threshold: tuple[SpanFact, ...] = ()
    by_base_rate: tuple[SpanFact, ...] = ()
    base_rates: tuple[WorthFact, ...] = ()
    group_names: tuple[str, ...] = ()
    groups: tuple[GroupWorthFact, ...] = ()
    curves: tuple[CurveFact, ...] = ()
    cut_named: bool = True
    positive_assumed: bool = False
    effective_positive: float | None = None
    effective_negative: float | None = None

    @property
    def effective_sizes(self) -> tuple[float | None, ...]:
        """Kish's effective numbers of positives and of negatives."""
        return self.effective_positive, self.effective_negative

    @property
    def constant_value(self) -> float:
        """Yield of the best constant decision: what a classifier has to beat."""
        return math.nan if self.constant is None else self.constants[self.constant]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassComparisonFacts(ComparedFacts):
    """Everything that `compare` found out about classifiers of several classes."""

    labels: tuple[Any, ...]
    class_counts: Mapping[Any, float]
    same_shares: bool
    stakes: ClassStakesFact
    classifiers: tuple[ComparedClassifier, ...]
    pairs: tuple[ComparedPair, ...]
    groups: tuple[ComparedGroup, ...] = ()
    restated: ClassVar[bool] = False  # class shares are those of the cases
    cut_named: ClassVar[bool] = True  # no score is cut
    effective_sizes: ClassVar[tuple[float, ...]] = ()  # which only two classes have

    @property
    def worth(self) -> ComparedClassifier | None:
        """What the one classifier is worth; None of several."""
        return None if self.pairs else self.classifiers[0]

    @property
    def score_measures(self) -> tuple[Any, ...]:
        """What is known of the score of the one classifier."""
        return () if self.pairs else tuple(m for one in self.scores for m in one.measures)

    def parts(self) -> Iterator[Part]:
        """Yield the one classifier as all cases, then all that is compared."""
        yields = (
            () if (one := self.worth) is None else (*one.numbers, one.at_stake(self.stakes.kind))
        )
        yield Part({}, others=(*numbers_of(self.score_measures), *yields))
        yield from super(ClassComparisonFacts, self).parts()  # slots make another class of this one

    @property
    def constants(self) -> Mapping[Any, float]:
        """What each decision is worth if always taken."""
        return self.stakes.constants

    @property
    def constant(self) -> Any:
        """The best constant decision."""
        return self.stakes.constant

    @property
    def constant_value(self) -> float:
        """Its yield: what a classifier has to beat."""
        return self.stakes.constant_value

    @property
    def tests_yields(self) -> bool:
        """Whether the p-values of pairs are of equal yields.

        Without clusters and weights they count the cases that one alone decides best.
        """
        return self.sampled or self.stakes.kind == "accuracy"


AnyComparison = ComparisonFacts | ClassComparisonFacts
