"""Facts of an evaluation: every metric of all cases, of every group, of every class."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.report import SampledFacts
from baserate.facts.scores import EstimateFact, SuppressionFact
from baserate.facts.stakes import ClassStakesFact, ClassWorthFact
from baserate.facts.threshold import ThresholdFacts
from baserate.facts.verdict import VerdictFact


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFact(Result):
    """What is known about one metric at one table; nan where something is unknown or undefined.

    Attributes
    ----------
    name : str
        Canonical name, restated at a base rate if one was asked for (see `EvaluationFacts`).
    direction : {"higher", "lower", "neither"}
    value, low, high : float
        The metric and its credible interval.
    same_alarms : float
        What guessing with as many alarms scores in expectation: what the p-value refers to. Of all
        cases together only.
    chance : float
        What the guess scores in expectation.
    skill : float
        (value - chance) / (perfect - chance).
    p_value : float
        Probability that guessing does as well, at the table's own margins.
    design_effect, effective_n : float or None
        Of cases in clusters: how many times the variance of as many independent cases this is, and
        how many of these, of those that a share is taken of, say as much.
    undefined_reason : str or None
        Why there is no value.
    interval_reason, chance_reason, p_value_reason : str or None
        Why there is no interval though there is a value, no chance level or skill, no p-value.
    definition, meaning : str
        The formula as text; what it measures, in one line. Only a metric outside the catalogue
        needs them here: a report looks up the others by name.
    bounds : (float, float) or None
        Smallest and largest possible value, likewise.
    """

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
    undefined_reason: str | None = None
    interval_reason: str | None = None
    chance_reason: str | None = None
    p_value_reason: str | None = None
    definition: str = field(default="", metadata=HIDDEN)
    meaning: str = field(default="", metadata=HIDDEN)
    bounds: tuple[float, float] | None = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedFacts(SampledFacts):
    """What an evaluation says whatever the number of classes.

    Attributes
    ----------
    guess : str
        The guess that chance and skill refer to: "dutch_draw", "same_alarms", "uniform",
        "proportional", "mode", or a probability.
    interval : {"bayes", "wilson", "exact", "jackknife", "replicates"}
        Of shares of cases; all other metrics have the Bayesian one. The jackknife over clusters,
        and replicate weights, are that of every metric.
    better_than_guessing : VerdictFact or None
        Yes, no or cannot tell: by the informedness of the labels, or of several classes by the mean
        recall of those that have cases; None for several classifiers, whose groups have one each.
    p_value : float
        Probability that guessing with as many cases called each class has as many right (of two
        classes Fisher's one-sided exact test): one number for the whole table; of cases in
        clusters, a test of whole clusters.
    metrics : tuple of MetricFact
        Of the table of all cases.
    asked_for : tuple of str
        The metrics that were named one by one: the answer is about the first of them.
    effective_clusters : float or None
        So many clusters of equal size say as much: (Σ n)²/Σ n².
    design_effect, independent_n : float or None
        By how much the clusters enlarge the variance of the accuracy, and how many independent
        cases would say as much.
    score_measures : tuple of EstimateFact
        Of two classes what is known of a score of cases in clusters or with replicate weights: its
        area, and losses and calibration of probabilities. Of the scores of several classes ROC
        areas of each class against the rest ("roc_auc_ovr") and of each pair ("roc_auc_ovo"),
        "top_2_accuracy" and so on; of probabilities Brier score and log loss, and
        "confidence_observed_expected" and "confidence_calibration_slope", whether as many cases are
        right as their largest probabilities promise.
    prediction : str or None
        The column of predictions.
    """

    guess: str
    interval: str = "bayes"
    better_than_guessing: VerdictFact | None = None
    p_value: float = math.nan
    metrics: tuple[MetricFact, ...]
    asked_for: tuple[str, ...] = ()
    effective_clusters: float | None = None
    design_effect: float | None = None
    independent_n: float | None = None
    score_measures: tuple[EstimateFact, ...] = ()
    prediction: str | None = None

    def metric(self, name: str) -> MetricFact | None:
        """Return the fact of this canonical name, restated or not; None if it was not asked for."""
        return next((m for m in self.metrics if m.name.split(".at_base_rate")[0] == name), None)

    def measure(self, name: str) -> EstimateFact | None:
        """Return what is known of the scores under this name; None if nothing is."""
        return next((m for m in self.score_measures if m.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFact(Result):
    """One group: its values in the group columns, its table, its metrics.

    Of several classifiers, whose groups these are, also whether each is better than guessing, and
    what the sentence about it says of recall and precision.
    """

    group: Mapping[str, Any]
    table: ConfusionMatrix
    metrics: tuple[MetricFact, ...]
    better_than_guessing: VerdictFact | None = None
    shares: tuple[MetricFact, ...] = field(default=(), metadata=HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFacts(EvaluatedFacts):
    """Everything that `evaluate` found out.

    Attributes
    ----------
    positive : object
        The label called positive.
    labels : tuple
        All labels found; more than two mean one against the rest.
    table : ConfusionMatrix or None
        None for several classifiers, whose tables `groups` hold: the same cases are not added up.
    base_rate : float
        The base rate at which the metrics are stated: the table's own unless another was asked for.
    restated : bool
        Whether another base rate was asked for.
    p_reversed : float
        Like `p_value`, of doing as badly: the other tail.
    p_value_method : {"fisher", "sup", "clusters", "replicates"}
        What the metrics' own p-values are: the same, at the table's own margins, or the largest
        over all numbers predicted positive; or that of cases in clusters.
    shares : tuple of MetricFact
        Recall, precision and specificity, which the answer tells whatever metrics were asked for.
        Not in the document.
    groups : tuple of GroupFact
    effective_positive, effective_negative : float or None
        Like `effective_n`, within each class.
    roc_auc : EstimateFact or None
        The area of the score of cases in clusters or with replicate weights, of which `thresholds`
        tell nothing.
    ranks : VerdictFact or None
        Whether by this area the score ranks better than chance.
    suppression : SuppressionFact or None
        What was done before counts left their site.
    score : str or None
        Its column.
    threshold : float or None
        Where the score was cut.
    default_threshold : bool
        Whether nobody named that: then no answer leads with the labels that it makes.
    cut_by : str or None
        The metric that chose the threshold, if one did.
    thresholds : ThresholdFacts or None
        How well the score ranks, and its best cut points.
    ranking_reason : str or None
        Why there is a score, and nothing about how it ranks.
    """

    positive: Any
    labels: tuple[Any, ...]
    table: ConfusionMatrix | None
    base_rate: float
    p_reversed: float = math.nan
    p_value_method: str = "fisher"
    shares: tuple[MetricFact, ...] = field(default=(), metadata=HIDDEN)
    groups: tuple[GroupFact, ...] = ()
    restated: bool = False
    effective_positive: float | None = None
    effective_negative: float | None = None
    roc_auc: EstimateFact | None = None
    ranks: VerdictFact | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFact(Result):
    """One class against the rest.

    Attributes
    ----------
    label : label
    table : ConfusionMatrix
        This class is positive.
    metrics : tuple of MetricFact
    score_measures : tuple of EstimateFact
        Of the score of this class: the area under its ROC curve, and of probabilities the O:E
        ratio. They have no p-value here: there are as many as classes.
    """

    label: Any
    table: ConfusionMatrix
    metrics: tuple[MetricFact, ...]
    score_measures: tuple[EstimateFact, ...] = ()

    def measure(self, name: str) -> EstimateFact | None:
        """Return what is known of the score under this name; None if nothing is."""
        return next((m for m in self.score_measures if m.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionFact(Result):
    """One class taken for another one.

    Attributes
    ----------
    truth, prediction : label
    n : float
        Cases of the one that were called the other.
    share, low, high : float
        Their share of the cases of the one, and its interval.
    """

    truth: Any
    prediction: Any
    n: float
    share: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtremeFact(Result):
    """The least or the greatest share of several, with an interval that knows of the choice.

    Attributes
    ----------
    share, low, high : float
        Intervals of all of them at once hold, Bonferroni's; so does that of any that is picked.
    of : int
        Of how many it was picked.
    """

    share: float
    low: float
    high: float
    of: int


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

    Attributes
    ----------
    table : ClassTable
        Truth in rows, predictions in columns.
    p_value_route, p_value_reason : str or None
        How `p_value` was computed; why there is none.
    right : MetricFact or None
        The share of cases that are called what they are, which the answer tells in any case. Not in
        the document.
    classes : tuple of ClassFact
        Every class against the rest, in the order of the table.
    confusions : tuple of ConfusionFact
        The pairs of different classes with the most cases, most first.
    absent, never_predicted : tuple of labels
        Classes without a case, and those that have cases and that no case is called.
    groups : tuple of ClassGroupFact
    stakes : ClassStakesFact or None
        What decisions are worth, if utilities were given.
    worth : ClassWorthFact or None
        What this classifier is worth under them.
    scores : tuple of str
        Columns of scores, in the order of the classes; "score" of an array.
    tied : int or None
        Without a prediction, cases of which several classes have the highest score; they are called
        the first of these.
    least_found, most_confused : ExtremeFact or None
        The lowest recall of all classes with cases, and the first of `confusions`.
    score_absent : mapping of str to str
        What is lacking of the measures of scores, and why.
    ranked_within : int
        Folds that ROC areas are means over, each of one model's scores; 0 without folds.
    """

    table: ClassTable
    p_value_route: str | None = None
    p_value_reason: str | None = None
    right: MetricFact | None = field(default=None, metadata=HIDDEN)
    classes: tuple[ClassFact, ...]
    confusions: tuple[ConfusionFact, ...] = ()
    least_found: ExtremeFact | None = None
    most_confused: ExtremeFact | None = None
    absent: tuple[Any, ...] = ()
    never_predicted: tuple[Any, ...] = ()
    groups: tuple[ClassGroupFact, ...] = ()
    stakes: ClassStakesFact | None = None
    worth: ClassWorthFact | None = None
    scores: tuple[str, ...] = ()
    tied: int | None = None
    score_absent: Mapping[str, str] = field(default_factory=dict[str, str])
    ranked_within: int = 0

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes."""
        return self.table.labels
