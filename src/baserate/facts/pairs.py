"""Facts of the classifiers of a comparison: each by itself, and every two of them."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from baserate._result import Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.evaluation import MetricFact
from baserate.facts.stakes import YieldFact


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfSeveral(YieldFact):
    """One classifier beside others, whatever the number of classes.

    Attributes
    ----------
    name : str
    best : float
        Posterior probability that its expected yield is the highest of all; nan if unknown. Of
        three or more, yields are drawn towards each other as far as they scatter like equals.
    rank : int
        By yield; 1 is the highest, ties share a rank.
    metrics : tuple of MetricFact
    """

    name: str
    best: float = math.nan
    rank: int = 1
    metrics: tuple[MetricFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierFact(OneOfSeveral):
    """One classifier.

    Attributes
    ----------
    table : ConfusionMatrix
    thresholds : (float, float)
        Smallest and largest tau for which nothing is better, constant decisions included; nan if
        there is none.
    pays : (float, float)
        From which tau to which it surely beats both constant decisions, at each by itself, and by
        enough to notice, as `evaluate` says of a score; of weighted cases and of clusters from the
        upper limit of the share of positives among those called negative to the lower limit of its
        precision; nan where there is none.
    score, cut : str, float, or None
        The score that was cut, and where: predicted positive if score >= cut.
    cut_by : str or None
        What chose the cut: a metric, "threshold", or "tau".
    cut_also : tuple of str
        Metrics, thresholds and "tau" whose cuts lead to the same decisions.
    """

    table: ConfusionMatrix
    thresholds: tuple[float, float] = (math.nan, math.nan)
    pays: tuple[float, float] = (math.nan, math.nan)
    score: str | None = None
    cut: float | None = None
    cut_by: str | None = None
    cut_also: tuple[str, ...] = ()

    @property
    def n(self) -> float:
        """Cases that it was tested on, or the sum of their weights."""
        return self.table.n


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedClassifier(OneOfSeveral):
    """One classifier of several classes: its yield, and its metrics.

    Attributes
    ----------
    n : float
        Cases that it was tested on, or the sum of their weights.
    table : ClassTable or None
        None where decisions are no classes.
    at_all_shares : float
        Yield if the classes had the shares that they have in all cases together: of separate test
        sets, which may hold them in other shares; nan where a class has no case.
    """

    derived: ClassVar[tuple[str, ...]] = ("worth_using",)

    n: float
    table: ClassTable | None = None
    at_all_shares: float = math.nan


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
class TwoOfSeveral(Result):
    """Two classifiers, whatever the number of classes.

    Attributes
    ----------
    a, b : str
    difference, low, high : float
        Yield of A less yield of B, with its interval.
    a_better : float
        Posterior probability that A has the larger expected yield.
    p_route : str or None
        How p-values were computed: "mid-p", "asymptotic", or "approximate, weighted".
    adjusted_p : float
        That of equal yields, adjusted for all pairs by Holm's method.
    metrics : tuple of DifferenceFact
        Of each metric of the whole table that was asked for.
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
    p_route: str | None = None
    adjusted_p: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()
    design_effect: float = math.nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFact(TwoOfSeveral):
    """Two classifiers.

    Attributes
    ----------
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
    adjusted_p_accuracy, adjusted_p_recall, adjusted_p_specificity : float
        Those above, adjusted for all pairs: that of accuracy by itself, the others together.
    """

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
    adjusted_p_accuracy: float = math.nan
    adjusted_p_recall: float = math.nan
    adjusted_p_specificity: float = math.nan


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
class ComparedPair(TwoOfSeveral):
    """Two classifiers of several classes.

    Attributes
    ----------
    route : str
        How the interval was computed.
    only_a, only_b : int or None
        On the same cases: those that one alone gets right, or decides best.
    p_value : float
        McNemar's two-sided mid-p of them; of cases in clusters or with weights, of equal yields:
        by the law of the interval, with weights alone by McNemar's test with weights. nan for
        separate test sets.
    classes : tuple of ClassPairFact
        Class by class.
    turns : tuple of TurnFact
        Without utilities: costs at which the ranking turns, the nearest first.
    """

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
