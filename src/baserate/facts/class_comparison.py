"""Facts of a comparison of classifiers of several classes: which is better, by what, how surely."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable
from baserate.facts.class_worth import ClassStakesFact, ClassWorthFact
from baserate.facts.comparison import DifferenceFact
from baserate.facts.evaluation import MetricFact
from baserate.facts.unverified import UnverifiedFact


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedClassifier(ClassWorthFact):
    """One classifier of several classes: its yield, and its metrics.

    Attributes
    ----------
    name : str
    n : float
        Cases that it was tested on, or the sum of their weights.
    table : ClassTable or None
        None where decisions are no classes.
    value, low, high, skill, beats_constant, beats_reason
        As of any yield.
    best : float
        Posterior probability that its expected yield is the highest of all; nan if unknown.
    rank : int
        By yield; 1 is the highest, ties share a rank.
    at_all_shares : float
        Yield if the classes had the shares that they have in all cases together: of separate test
        sets, which may hold them in other shares; nan where a class has no case.
    metrics : tuple of MetricFact
    """

    name: str
    n: float
    table: ClassTable | None = None
    best: float = math.nan
    rank: int = 1
    at_all_shares: float = math.nan
    metrics: tuple[MetricFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPairFact(Result):
    """Two classifiers on the cases of one class.

    Attributes
    ----------
    label : label
    only_a, only_b : int or None
        On the same cases: those of the class that one alone gets right.
    p_value : float
        McNemar's two-sided mid-p of them; of cases in clusters or with weights, of equal recall.
    adjusted_p : float
        The same, adjusted for all classes of the pair by Holm's method.
    metrics : tuple of DifferenceFact
    """

    label: Any
    only_a: int | None = None
    only_b: int | None = None
    p_value: float = math.nan
    adjusted_p: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFact(Result):
    """A cost at which two classifiers are worth the same, all others being equal.

    Attributes
    ----------
    truth : label
    prediction : label or None
        What cases of that class are called; None for whatever is wrong of them.
    cost : float
        What that error costs there, in units of any other error.
    above : str
        The classifier that is better if it costs more.
    """

    truth: Any
    prediction: Any
    cost: float
    above: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair(Result):
    """Two classifiers of several classes.

    Attributes
    ----------
    a, b : str
    difference, low, high : float
        Yield of A less yield of B.
    a_better : float
        Posterior probability that A has the larger expected yield.
    route : str
        How it was computed.
    only_a, only_b : int or None
        On the same cases: those that one alone gets right, or decides best.
    p_value : float
        McNemar's two-sided mid-p of them; of cases in clusters or with weights, of equal yields:
        by the law of the interval, with weights alone by McNemar's test with weights. nan for
        separate test sets.
    p_route : str or None
        How it was computed: "mid-p", "asymptotic", or "approximate, weighted".
    adjusted_p : float
        The same, adjusted for all pairs by Holm's method.
    design_effect : float
        Of cases in clusters, or with weights: the variance of the difference, over that of as many
        independent cases of weight one.
    reason : str or None
        Why there is no interval.
    metrics : tuple of DifferenceFact
        Of the whole table.
    classes : tuple of ClassPairFact
        Class by class.
    turns : tuple of TurnFact
        Without utilities: costs at which the ranking turns, the nearest first.
    """

    a: str
    b: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    a_better: float = math.nan
    route: str = "undefined"
    only_a: int | None = None
    only_b: int | None = None
    p_value: float = math.nan
    p_route: str | None = None
    adjusted_p: float = math.nan
    design_effect: float = math.nan
    reason: str | None = None
    metrics: tuple[DifferenceFact, ...] = ()
    classes: tuple[ClassPairFact, ...] = ()
    turns: tuple[TurnFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGroup(Result):
    """Yields of all classifiers in one group.

    Attributes
    ----------
    group : mapping of column to label
    n : float
    yields : mapping of name to float
    constant : label
        The best constant decision.
    constant_value : float
    best : mapping of name to float
        Posterior probability of the highest expected yield; empty if unknown.
    """

    group: Mapping[str, Any]
    n: float
    yields: Mapping[str, float]
    constant: Any
    constant_value: float
    best: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassComparisonFacts(Result):
    """Everything that `compare` found out about classifiers of several classes.

    Attributes
    ----------
    labels : tuple
        The classes.
    n : float
        Cases; of separate test sets, all cases together.
    class_counts : mapping of label to float
    missing : int
    paired : bool
        Whether all classifiers were tested on the same cases.
    same_shares : bool
        Whether all test sets hold the classes in the same shares.
    guess : str
        The guess that chance and skill of metrics refer to.
    confidence_level : float
    stakes : ClassStakesFact
    asked : tuple of str
        Metrics of the whole table that were asked for by name.
    classifiers : tuple of ComparedClassifier
        In the order given.
    pairs : tuple of ComparedPair
    groups : tuple of ComparedGroup
    group_names : tuple of str
    best_error : float
        Standard error of the probabilities of being best, if they were simulated; else 0.
    best_reason : str or None
        Why the probabilities of being best are missing.
    n_clusters : int or None
        Clusters of the sample; None for independent cases.
    effective_clusters : float or None
        So many clusters of equal size say as much: (Σ n)²/Σ n².
    n_replicates : int or None
        Sets of replicate weights.
    effective_n : float or None
        Kish's effective number of cases for weighted data: (Σ w)² over Σ w².
    cluster, case_id : str or None
        What says which cases are alike, and which are the same item again.
    unverified : UnverifiedFact or None
        How rows without a truth, which were dropped, differ in what is predicted of them.
    source, target : str or None
    """

    schema: ClassVar[int | None] = 1
    labels: tuple[Any, ...]
    n: float
    class_counts: Mapping[Any, float]
    missing: int = 0
    paired: bool
    same_shares: bool
    guess: str
    confidence_level: float
    stakes: ClassStakesFact
    asked: tuple[str, ...] = ()
    classifiers: tuple[ComparedClassifier, ...]
    pairs: tuple[ComparedPair, ...]
    groups: tuple[ComparedGroup, ...] = ()
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    best_error: float = 0.0
    best_reason: str | None = None
    n_clusters: int | None = None
    effective_clusters: float | None = None
    n_replicates: int | None = None
    effective_n: float | None = None
    cluster: str | None = None
    case_id: str | None = None
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None

    @property
    def sampled(self) -> bool:
        """Whether cases lie in clusters or have weights."""
        return self.n_clusters is not None or self.effective_n is not None

    @property
    def ranked(self) -> tuple[ComparedClassifier, ...]:
        """The classifiers by yield, the best first."""
        return tuple(sorted(self.classifiers, key=lambda fact: fact.rank))

    @property
    def leading(self) -> ComparedPair:
        """The pair of the first and the second by yield."""
        names = {fact.name for fact in self.ranked[:2]}
        return next(pair for pair in self.pairs if {pair.a, pair.b} == names)
