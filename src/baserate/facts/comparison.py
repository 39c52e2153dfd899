"""Facts of a comparison: what each classifier's decisions are worth, and which is best where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from baserate._result import Result
from baserate.facts.compared_scores import CurveFact, ScoreFact, ScorePairFact
from baserate.facts.pairs import ClassifierFact, ComparedClassifier, ComparedPair, PairFact
from baserate.facts.report import SampledFacts
from baserate.facts.stakes import ClassStakesFact, StakesFact


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGroup(PlaceFact):
    """The same of several classes."""

    group: Mapping[str, Any]
    n: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFacts(ComparedFacts):
    """Everything that `compare` found out."""

    positive: Any
    labels: tuple[Any, ...]
    base_rate: float
    restated: bool
    stakes: StakesFact
    constants: Mapping[str, float]
    constant: str
    perfect: float
    classifiers: tuple[ClassifierFact, ...]
    pairs: tuple[PairFact, ...]
    rankings: tuple[MetricRanking, ...] = ()
    by_threshold: tuple[SpanFact, ...] = ()
    by_base_rate: tuple[SpanFact, ...] = ()
    base_rates: tuple[WorthFact, ...] = ()
    group_names: tuple[str, ...] = ()
    groups: tuple[GroupWorthFact, ...] = ()
    scores: tuple[ScoreFact, ...] = ()
    score_pairs: tuple[ScorePairFact, ...] = ()
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
        return self.constants[self.constant]


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
