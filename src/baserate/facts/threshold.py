"""Facts of a score: all that no single table can tell, and its best cut point for each metric."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result, called
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.report import ReportFacts, SampledFacts
from baserate.facts.scores import (
    CalibrationFact,
    EstimateFact,
    NetBenefitFact,
    RiskFact,
    ScoreBinsFact,
    SuppressionFact,
    TopFact,
)
from baserate.facts.verdict import VerdictFact


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFact(Result):
    """What the population has of a constraint that a cut meets on the cases that chose it.

    Attributes
    ----------
    constraint, name : str
        Such as "recall >= 0.9", and its metric.
    value, low, high : float
        The metric at the cut on these cases, and its interval in the population.
    probability : float
        That the population keeps the constraint; nan if `reason` says why.
    route : str or None
        "order" knows that the cut was chosen by a case of this class; "posterior" does not, nor
        does "bootstrap", of cases in clusters or with weights.
    reason : str or None
    """

    constraint: str
    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    probability: float = math.nan
    route: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutFact(Result):
    """The best cut point for one metric, and how far it can be trusted.

    Attributes
    ----------
    name, direction : str
    threshold, low, high : float
        Predicted positive if score >= threshold; the interval holds the best thresholds of
        bootstrap samples.
    plateau : (float, float)
        Thresholds in (low, high] are as good.
    step : (float, float)
        Thresholds in (low, high] give this very table; nan if only nan does. Not in the document.
    ratio : float
        The same cut as a ratio of the densities of the classes, at the base rate of these cases;
        nan where scores are no probabilities. It holds at any base rate.
    value : float
        The metric there, on the same cases.
    corrected : float
        What to expect of this threshold in the population, with the classes in the same ratio: the
        value less the optimism of having chosen it here (see `threshold_spread`); the nested mean
        skill with folds.
    default : float
        The metric at the default threshold, nan if there is none.
    default_skill : float
        With folds, the mean skill at the default threshold; nan elsewhere.
    shared : float
        In a group, the metric there at the threshold that is best on all cases; nan elsewhere.
    table : ConfusionMatrix or None
    fold_values : tuple of float
        Skill of each fold at the threshold, if it was cross-validated.
    bounds : (float, float) or None
        What holds the best value over all cuts of the scores themselves, where these were counted
        in bins; `value` is the best between bins, where tables are exact.
    constraints : tuple of KeptFact
        How likely the population keeps each constraint at this cut.
    reason : str or None
        Why there is no best cut point.
    """

    name: str
    direction: str
    threshold: float = math.nan
    low: float = math.nan
    high: float = math.nan
    plateau: tuple[float, float] = (math.nan, math.nan)
    step: tuple[float, float] = field(default=(math.nan, math.nan), metadata=HIDDEN)
    ratio: float = field(default=math.nan, metadata=called("density_ratio"))
    value: float = math.nan
    corrected: float = math.nan
    default: float = math.nan
    default_skill: float = math.nan
    shared: float = math.nan
    table: ConfusionMatrix | None = None
    fold_values: tuple[float, ...] = ()
    bounds: tuple[float, float] | None = None
    constraints: tuple[KeptFact, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCutsFact(Result):
    """One group: its values in the group columns, its size, and its own best cuts."""

    group: Mapping[str, Any]
    n: int
    n_positive: int
    cuts: tuple[CutFact, ...] = field(metadata=called("thresholds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdFacts(SampledFacts):
    """Everything about a score that no single table can tell.

    Attributes
    ----------
    positive : object
    n_positive, n_negative : float
        Cases, or sums of weights.
    n_cut_points : int
        Distinct scores.
    n_resamples : int
        Bootstrap samples behind intervals of thresholds and behind corrected values.
    default : float or None
        The default threshold, if every score lies in [0, 1].
    ranking : tuple of EstimateFact
        How well the score ranks, and its losses as a probability.
    calibration : CalibrationFact or None
    net_benefit : tuple of NetBenefitFact
    act_at : float or None
        The probability from which the user said to act: that of the costs, else the threshold.
    useful : tuple of (float, float)
        Thresholds between which acting by the score is surely better than treating all and none,
        each of a hundred by itself.
    asked_for : tuple of str
        What the user asked to maximise, by name or by costs: only these lead to advice.
    ranks : VerdictFact or None
        Whether the score ranks better than chance: yes, no or cannot tell.
    risks : tuple of RiskFact
        The positive class first.
    top : tuple of TopFact
    absent : mapping of str to str
        Parts that are lacking ("calibration", "net_benefit", "thresholds", "top"), and why.
    score_range : (float, float)
        The smallest and the largest score.
    bins : ScoreBinsFact or None
        How scores were counted in bins; None if they were not.
    cuts : sequence of CutFact
    constraint : tuple of str
    folds : int
        Folds that thresholds were cross-validated on; 0 if none.
    ranked_within : int
        Folds within which the score ranks, each by a model of its own, so that ranking measures
        are means over them; 0 if all scores were ranked together.
    guess : str or None
        The guess that skill refers to, where thresholds were cross-validated.
    groups : tuple of GroupCutsFact
    group_names : tuple of str
    suppression : SuppressionFact or None
        What was done before counts left their site.
    score, fold : str or None
    """

    positive: Any
    n_positive: float
    n_negative: float
    n_cut_points: int
    n_resamples: int
    default: float | None
    ranking: tuple[EstimateFact, ...]
    cuts: Sequence[CutFact] = field(default=(), metadata=called("thresholds"))
    calibration: CalibrationFact | None = None
    net_benefit: tuple[NetBenefitFact, ...] = ()
    act_at: float | None = None
    useful: tuple[tuple[float, float], ...] = ()
    asked_for: tuple[str, ...] = ()
    ranks: VerdictFact | None = None
    risks: tuple[RiskFact, ...] = ()
    top: tuple[TopFact, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    score_range: tuple[float, float] = (math.nan, math.nan)
    bins: ScoreBinsFact | None = None
    constraint: tuple[str, ...] = ()
    folds: int = 0
    ranked_within: int = 0
    guess: str | None = None
    groups: tuple[GroupCutsFact, ...] = ()
    group_names: tuple[str, ...] = ()
    suppression: SuppressionFact | None = None
    score: str | None = None
    fold: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightFact(Result):
    """The weight of one class.

    Attributes
    ----------
    label : label
    n : int
        Cases of the class.
    weight, low, high : float
        Weights have geometric mean 1; the interval holds those of bootstrap samples.
    called, called_unweighted : int
        Cases called so with these weights, and where the most probable class is called.
    """

    label: Any
    n: int
    weight: float
    low: float
    high: float
    called: int
    called_unweighted: int

    derived: ClassVar[tuple[str, ...]] = ("offset",)

    @property
    def offset(self) -> float:
        """Natural logarithm of the weight: what is added to the logarithm of a probability."""
        return math.log(self.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightsFact(Result):
    """The best weights of classes for one metric, and how far they can be trusted.

    Attributes
    ----------
    name, direction : str
    unweighted : float
        The metric where the most probable class is called; nan where it is undefined.
    value : float
        The metric with these weights, on the same cases.
    corrected, low, high : float
        What to expect of them on new cases: out of the bag, with its interval.
    difference, difference_low, difference_high : float
        `corrected` less `unweighted`, paired, with its interval.
    probability_better : float
        That these weights are better than none on new cases.
    table : ClassTable or None
        With these weights, on the same cases.
    classes : tuple of ClassWeightFact
    route : {"exact", "coordinate ascent"} or None
        Of two classes every cut point was looked at; of more the optimum is local.
    interval_route : str or None
        How the interval of `corrected` was found.
    reason : str or None
        Why there are no weights.
    corrected_reason : str or None
        Why it is not known what to expect of them.
    """

    name: str
    direction: str
    unweighted: float = math.nan
    value: float = math.nan
    corrected: float = math.nan
    low: float = math.nan
    high: float = math.nan
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    probability_better: float = math.nan
    table: ClassTable | None = None
    classes: tuple[ClassWeightFact, ...] = ()
    route: str | None = None
    interval_route: str | None = None
    reason: str | None = None
    corrected_reason: str | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether the weights are equal, so that the most probable class is called."""
        return all(one.weight == 1 for one in self.classes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassThresholdFacts(ReportFacts):
    """Everything that `thresholds` found out about the probabilities of several classes.

    Attributes
    ----------
    labels : tuple
    tied : int
        Cases of which several classes are the most probable; they are called the first of these.
    n_resamples : int
        Bootstrap samples behind intervals of weights and behind what to expect of them.
    metrics : tuple of ClassWeightsFact
    asked_for : bool
        Whether the user named the metrics to maximise: only these lead to advice.
    scores : tuple of str
        Columns of probabilities, in the order of the classes; "score" of an array.
    """

    labels: tuple[Any, ...]
    tied: int = 0
    n_resamples: int
    metrics: tuple[ClassWeightsFact, ...] = field(metadata=called("weights"))
    asked_for: bool = False
    scores: tuple[str, ...] = ()

    def metric(self, name: str) -> ClassWeightsFact | None:
        """Return the fact of this canonical name; None if it was not asked for."""
        return next((m for m in self.metrics if m.name == name), None)
