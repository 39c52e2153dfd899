"""Facts of a comparison: what each classifier's decisions are worth, and which is best where."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from baserate._result import HIDDEN, Result
from baserate.counts import ConfusionMatrix
from baserate.facts.compared_scores import CurveFact, ScoreFact, ScorePairFact
from baserate.facts.evaluation import MetricFact
from baserate.facts.unverified import UnverifiedFact

Stakes = Literal["utility", "cost", "accuracy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StakesFact(Result):
    """What decisions are worth: rows decisions, columns classes, the positive first in both.

    Attributes
    ----------
    kind : {"utility", "cost", "accuracy"}
        Utilities as given, costs of the two errors, or none given: each right decision counts 1.
    matrix : ((float, float), (float, float))
    decisions, classes : (str, str)
        Names.
    named : bool
        Whether the decisions have names of their own, rather than those of the classes.
    tau : float
        Threshold: the positive decision is best where its probability exceeds tau; nan where
        nobody said what decisions are worth.
    """

    kind: Stakes
    matrix: tuple[tuple[float, float], tuple[float, float]]
    decisions: tuple[str, str]
    classes: tuple[str, str]
    named: bool = field(metadata=HIDDEN)
    tau: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierFact(Result):
    """One classifier.

    Attributes
    ----------
    name : str
    table : ConfusionMatrix
    value, low, high : float
        Yield: mean utility per case, and its credible interval.
    skill : float
        (yield - best constant decision) / (perfect - best constant decision).
    beats_constant : float
        Posterior probability that its expected yield exceeds that of the best constant decision.
    beats_reason : str or None
        Why that is nan.
    best : float
        Posterior probability that its expected yield is the highest of all; nan if unknown. Of
        three or more, yields are drawn towards each other as far as they scatter like equals.
    rank : int
        By yield; 1 is the highest, ties share a rank.
    thresholds : (float, float)
        Smallest and largest tau for which nothing is better, constant decisions included; nan if
        there is none.
    pays : (float, float)
        From which tau to which it surely beats both constant decisions, at each by itself, and by
        enough to notice, as `evaluate` says of a score; of weighted cases and of clusters from the
        upper limit of the share of positives among those called negative to the lower limit of its
        precision; nan where there is none.
    metrics : tuple of MetricFact
    score, cut : str, float, or None
        The score that was cut, and where: predicted positive if score >= cut.
    cut_by : str or None
        What chose the cut: a metric, "threshold", or "tau".
    cut_also : tuple of str
        Metrics, thresholds and "tau" whose cuts lead to the same decisions.
    """

    name: str
    table: ConfusionMatrix
    value: float
    low: float = math.nan
    high: float = math.nan
    skill: float = math.nan
    beats_constant: float = math.nan
    beats_reason: str | None = None
    best: float = math.nan
    rank: int = 1
    thresholds: tuple[float, float] = (math.nan, math.nan)
    pays: tuple[float, float] = (math.nan, math.nan)
    metrics: tuple[MetricFact, ...] = ()
    score: str | None = None
    cut: float | None = None
    cut_by: str | None = None
    cut_also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFact(Result):
    """One metric of two classifiers: of the whole table, or of one class against the rest.

    Attributes
    ----------
    name : str
    value_a, value_b, difference : float
    low, high : float
        Credible interval of the difference.
    a_better : float
        Posterior probability that A is better.
    route : str
        How they were found: "exact", "gauss", "simulation", "undefined".
    error : float
        Of the probability.
    p_value : float
        Two-sided, of no difference; nan for separate test sets, and where there is no such test.
    adjusted_p : float
        The same, adjusted for all pairs by Holm's method.
    p_route : str or None
        How it was computed.
    reason : str or None
        Why there is no interval.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFact(Result):
    """Two classifiers.

    Attributes
    ----------
    a, b : str
    difference, low, high : float
        Yield of A less yield of B, with its interval.
    a_better : float
        Posterior probability that A has the larger expected yield.
    a_dominates, b_dominates : float
        Posterior probability that A, or B, yields no less whatever the stakes: both its rates are
        higher. nan for cases in clusters or with weights.
    tau_star : float
        Threshold at which the ranking turns; nan if it never does.
    a_thresholds, b_thresholds : (float, float)
        Where A, or B, yields more than the other; nan if nowhere.
    flip : float
        Base rate at which the ranking turns, utilities held fixed; nan if it never does.
    discordant : (int, int, int, int) or None
        On the same cases: positives only A got right, only B; negatives only A, only B. Cases are
        counted, whatever their weight.
    p_accuracy, p_recall, p_specificity : float
        McNemar's two-sided mid-p, of cases in clusters or with replicate weights that of the
        interval, of weighted cases McNemar's with weights; nan for separate test sets.
    p_difference : float
        Of equal yields: the swap test of single cases (`swapped_cases`, for accuracy McNemar's),
        with weights too, or of cases in clusters that of the interval.
    p_route : str or None
        How it was computed: "mid-p", "asymptotic", or "approximate, weighted".
    adjusted_p : float
        The same, adjusted for all pairs by Holm's method.
    adjusted_p_accuracy, adjusted_p_recall, adjusted_p_specificity : float
        Those above, adjusted for all pairs: that of accuracy by itself, the others together.
    metrics : tuple of DifferenceFact
        Of each metric that was asked for by name.
    design_effect : float
        Of cases in clusters, or with weights: the variance of the difference, over that of as many
        independent cases of weight one.
    reason : str or None
        Why there is no interval.
    """

    a: str
    b: str
    difference: float
    low: float = math.nan
    high: float = math.nan
    a_better: float = math.nan
    a_dominates: float = math.nan
    b_dominates: float = math.nan
    tau_star: float = math.nan
    a_thresholds: tuple[float, float] = (math.nan, math.nan)
    b_thresholds: tuple[float, float] = (math.nan, math.nan)
    flip: float = math.nan
    discordant: tuple[int, int, int, int] | None = None
    p_accuracy: float = math.nan
    p_recall: float = math.nan
    p_specificity: float = math.nan
    p_difference: float = math.nan
    p_route: str | None = None
    adjusted_p: float = math.nan
    adjusted_p_accuracy: float = math.nan
    adjusted_p_recall: float = math.nan
    adjusted_p_specificity: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()
    design_effect: float = math.nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRanking(Result):
    """How a metric orders pairs of classifiers, against how their yields do.

    Attributes
    ----------
    name : str
    first : tuple of str
        The classifiers that it puts first; none if it is undefined for all.
    wrong : tuple of (str, str)
        Pairs that the metric puts the wrong way round; the one that yields more comes first.
    undecided : tuple of (str, str)
        Pairs with different yields, whose metric is equal or undefined.
    """

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
class WorthFact(Result):
    """Yields of all classifiers in one place, such as at a base rate of deployment.

    Attributes
    ----------
    base_rate : float
    yields : mapping of name to float
    constant : str
        The best constant decision.
    constant_value : float
    best : mapping of name to float
        Posterior probability of the highest expected yield; empty if unknown.
    """

    base_rate: float
    yields: Mapping[str, float]
    constant: str
    constant_value: float
    best: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWorthFact(WorthFact):
    """The same in a group: its labels, its cases."""

    group: Mapping[str, Any]
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFacts(Result):
    """Everything that `compare` found out.

    Attributes
    ----------
    positive : object
    positive_assumed : bool
        Whether it is but the first class of the utilities.
    labels : tuple
    n : float
        Cases, whatever their weight, that every classifier was tested on; of separate test sets,
        all cases together.
    missing : int
    paired : bool
        Whether all classifiers were tested on the same cases.
    base_rate : float
        At which everything holds unless said otherwise.
    restated : bool
        Whether it was stated rather than found in the data.
    guess : str
        The guess that chance and skill of metrics refer to.
    confidence_level : float
    stakes : StakesFact
    constants : mapping of name to float
        What each decision is worth if always taken.
    constant : str
        The best of them.
    perfect : float
        The yield of knowing every class.
    asked : tuple of str
        Metrics that were asked for by name.
    cut_named : bool
        Whether somebody named where scores are cut, or there are none.
    classifiers : tuple of ClassifierFact
        In the order given.
    pairs : tuple of PairFact
    rankings : tuple of MetricRanking
    by_threshold, by_base_rate : tuple of SpanFact
        What is best for each tau at this base rate; and, under these utilities, for each base rate.
    base_rates : tuple of WorthFact
    groups : tuple of GroupWorthFact
    group_names : tuple of str
    scores : tuple of ScoreFact
    score_pairs : tuple of ScorePairFact
        Every two scores, by each measure that both have.
    curves : tuple of CurveFact
    best_error : float
        Standard error of the probabilities of being best, if they were simulated; else 0.
    best_reason : str or None
        Why the probabilities of being best are missing.
    n_clusters : int or None
        Clusters that the cases lie in; None for independent cases.
    effective_clusters : float or None
        So many clusters of equal size say as much: (Σ n)²/Σ n².
    n_replicates : int or None
        Sets of replicate weights.
    effective_n : float or None
        Kish's effective number of cases for weighted data: (Σ w)² over Σ w².
    effective_positive, effective_negative : float or None
        The same of either class.
    source, target : str or None
    cluster, case_id : str or None
        What says which cases are alike, and which are the same item again; without clusters, an
        item is one.
    unverified : UnverifiedFact or None
        Whether rows left out for want of a truth are alarms as often as the others.
    """

    schema: ClassVar[int | None] = 1
    positive: Any
    labels: tuple[Any, ...]
    n: float
    missing: int
    paired: bool
    base_rate: float
    restated: bool
    guess: str = "dutch_draw"
    confidence_level: float
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
    groups: tuple[GroupWorthFact, ...] = ()
    group_names: tuple[str, ...] = ()
    scores: tuple[ScoreFact, ...] = ()
    score_pairs: tuple[ScorePairFact, ...] = ()
    curves: tuple[CurveFact, ...] = ()
    asked: tuple[str, ...] = ()
    cut_named: bool = True
    best_error: float = 0.0
    best_reason: str | None = None
    positive_assumed: bool = False
    n_clusters: int | None = None
    effective_clusters: float | None = None
    n_replicates: int | None = None
    effective_n: float | None = None
    effective_positive: float | None = None
    effective_negative: float | None = None
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None
    cluster: str | None = None
    case_id: str | None = None

    @property
    def sampled(self) -> bool:
        """Whether cases lie in clusters or have weights."""
        return self.n_clusters is not None or self.effective_n is not None

    @property
    def constant_value(self) -> float:
        """Yield of the best constant decision: what a classifier has to beat."""
        return self.constants[self.constant]

    @property
    def ranked(self) -> tuple[ClassifierFact, ...]:
        """The classifiers by yield, the best first."""
        return tuple(sorted(self.classifiers, key=lambda fact: fact.rank))
