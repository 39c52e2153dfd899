"""Facts of an evaluation: every metric at the table of all cases and of every group."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result
from baserate.counts import ConfusionMatrix
from baserate.facts.scores import EstimateFact, SuppressionFact
from baserate.facts.threshold import ThresholdFacts
from baserate.facts.unverified import UnverifiedFact
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
class EvaluationFacts(Result):
    """Everything that `evaluate` found out.

    Attributes
    ----------
    positive : object
        The label called positive.
    labels : tuple
        All labels found; more than two mean one against the rest.
    n : float
        Cases; the sum of weights for weighted data.
    missing : int
        Rows dropped because something was missing.
    table : ConfusionMatrix or None
        None for several classifiers, whose tables `groups` hold: the same cases are not added up.
    guess : str
        The guess that chance and skill refer to: "dutch_draw", "same_alarms", "uniform",
        "proportional", "mode", or a probability.
    base_rate : float
        The base rate at which the metrics are stated: the table's own unless another was asked for.
    restated : bool
        Whether another base rate was asked for.
    confidence_level : float
    better_than_guessing : VerdictFact or None
        Yes, no or cannot tell, by the informedness of the labels; None for several classifiers,
        whose groups have one each.
    p_value : float
        Probability that guessing with as many predicted positives does as well: Fisher's one-sided
        exact test, one number for the whole table; of cases in clusters, a test of whole clusters.
    p_reversed : float
        The same of doing as badly: the other tail.
    p_value_method : {"fisher", "sup", "clusters", "replicates"}
        What the metrics' own p-values are: the same, at the table's own margins, or the largest
        over all numbers predicted positive; or that of cases in clusters.
    interval : {"bayes", "wilson", "exact", "jackknife", "replicates"}
        Of shares of cases; all other metrics have the Bayesian one. The jackknife over clusters is
        that of every metric.
    metrics : tuple of MetricFact
    shares : tuple of MetricFact
        Recall, precision and specificity, which the answer tells whatever metrics were asked for.
        Not in the document.
    asked_for : tuple of str
        The metrics that were named one by one: the answer is about the first of them.
    groups : tuple of GroupFact
    group_names : tuple of str
        The group columns.
    effective_n : float or None
        Kish's effective number of cases for weighted data, which the intervals use.
    effective_positive, effective_negative : float or None
        The same within each class.
    n_clusters : int or None
        Clusters that the cases lie in; None for independent cases.
    effective_clusters : float or None
        So many clusters of equal size say as much: (Σ n)²/Σ n².
    design_effect, independent_n : float or None
        By how much the clusters enlarge the variance of the accuracy, and how many independent
        cases would say as much.
    n_replicates : int or None
        Sets of replicate weights.
    roc_auc : EstimateFact or None
        The area of the score of cases in clusters or with replicate weights, of which `thresholds`
        tell nothing.
    ranks : VerdictFact or None
        Whether by this area the score ranks better than chance.
    score_measures : tuple of EstimateFact
        The same area, and losses and calibration of probabilities.
    cluster, case_id : str or None
        The columns of clusters and of items.
    suppression : SuppressionFact or None
        What was done before counts left their site.
    source, target, prediction, score : str or None
        Where the data came from, and its columns.
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
    unverified : UnverifiedFact or None
        Whether rows left out for want of a truth are alarms as often as the others.
    """

    schema: ClassVar[int | None] = 1
    positive: Any
    labels: tuple[Any, ...]
    n: float
    missing: int
    table: ConfusionMatrix | None
    guess: str
    base_rate: float
    confidence_level: float
    better_than_guessing: VerdictFact | None = None
    p_value: float = math.nan
    p_reversed: float = math.nan
    p_value_method: str = "fisher"
    interval: str = "bayes"
    metrics: tuple[MetricFact, ...]
    shares: tuple[MetricFact, ...] = field(default=(), metadata=HIDDEN)
    asked_for: tuple[str, ...] = ()
    groups: tuple[GroupFact, ...] = ()
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    restated: bool = False
    effective_n: float | None = None
    effective_positive: float | None = None
    effective_negative: float | None = None
    n_clusters: int | None = None
    effective_clusters: float | None = None
    design_effect: float | None = None
    independent_n: float | None = None
    n_replicates: int | None = None
    roc_auc: EstimateFact | None = None
    ranks: VerdictFact | None = None
    score_measures: tuple[EstimateFact, ...] = ()
    cluster: str | None = None
    case_id: str | None = None
    suppression: SuppressionFact | None = None
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None
    prediction: str | None = None
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

    def metric(self, name: str) -> MetricFact | None:
        """Return the fact of this canonical name, restated or not; None if it was not asked for."""
        return next((m for m in self.metrics if m.name.split(".at_base_rate")[0] == name), None)
