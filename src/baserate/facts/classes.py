"""Facts of an evaluation of several classes: the table, every class, who is taken for whom."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.class_worth import ClassStakesFact, ClassWorthFact
from baserate.facts.evaluation import MetricFact
from baserate.facts.scores import EstimateFact
from baserate.facts.unverified import UnverifiedFact
from baserate.facts.verdict import VerdictFact


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
class ClassEvaluationFacts(Result):
    """Everything that `evaluate` found out about several classes.

    Attributes
    ----------
    table : ClassTable
        Truth in rows, predictions in columns.
    n : float
        Cases; the sum of weights for weighted data.
    missing : int
        Rows dropped because something was missing.
    guess : str
        The guess that chance and skill refer to.
    confidence_level : float
    interval : {"bayes", "wilson", "exact", "jackknife", "replicates"}
        Of shares of cases; the jackknife over clusters, and replicate weights, are that of every
        metric.
    better_than_guessing : VerdictFact or None
        Yes, no or cannot tell, by the mean recall of the classes that have cases.
    p_value : float
        Probability that guessing with as many cases of each class, and as many called so, has as
        many right; of cases in clusters, a test of whole clusters.
    p_value_route, p_value_reason : str or None
        How it was computed; why there is none.
    metrics : tuple of MetricFact
        Of the whole table.
    asked_for : tuple of str
        Those of them that were named one by one.
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
    group_names : tuple of str
    effective_n : float or None
        Kish's effective number of cases for weighted data.
    n_clusters : int or None
        Clusters that the cases lie in; None for independent cases.
    effective_clusters : float or None
        So many clusters of equal size say as much: (Σ n)²/Σ n².
    design_effect, independent_n : float or None
        By how much the clusters enlarge the variance of the accuracy, and how many independent
        cases would say as much.
    n_replicates : int or None
        Sets of replicate weights.
    cluster, case_id : str or None
        The columns of clusters and of items.
    unverified : UnverifiedFact or None
        How rows without a truth, which were dropped, differ in what is predicted of them.
    source, target, prediction : str or None
    stakes : ClassStakesFact or None
        What decisions are worth, if utilities were given.
    worth : ClassWorthFact or None
        What this classifier is worth under them.
    scores : tuple of str
        Columns of scores, in the order of the classes; "score" of an array.
    tied : int or None
        Without a prediction, cases of which several classes have the highest score; they are called
        the first of these.
    score_measures : tuple of EstimateFact
        Of the scores of all classes: ROC areas of each class against the rest ("roc_auc_ovr") and
        of each pair ("roc_auc_ovo"), "top_2_accuracy" and so on; of probabilities Brier score and
        log loss, and "confidence_observed_expected" and "confidence_calibration_slope", whether
        as many cases are right as their largest probabilities promise.
    least_found, most_confused : ExtremeFact or None
        The lowest recall of all classes with cases, and the first of `confusions`.
    score_absent : mapping of str to str
        What is lacking of these, and why.
    ranked_within : int
        Folds that ROC areas are means over, each of one model's scores; 0 without folds.
    """

    schema: ClassVar[int | None] = 1
    table: ClassTable
    n: float
    missing: int
    guess: str
    confidence_level: float
    interval: str = "bayes"
    better_than_guessing: VerdictFact | None = None
    p_value: float = math.nan
    p_value_route: str | None = None
    p_value_reason: str | None = None
    metrics: tuple[MetricFact, ...]
    asked_for: tuple[str, ...] = ()
    right: MetricFact | None = field(default=None, metadata=HIDDEN)
    classes: tuple[ClassFact, ...]
    confusions: tuple[ConfusionFact, ...] = ()
    least_found: ExtremeFact | None = None
    most_confused: ExtremeFact | None = None
    absent: tuple[Any, ...] = ()
    never_predicted: tuple[Any, ...] = ()
    groups: tuple[ClassGroupFact, ...] = ()
    group_names: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    effective_n: float | None = None
    n_clusters: int | None = None
    effective_clusters: float | None = None
    design_effect: float | None = None
    independent_n: float | None = None
    n_replicates: int | None = None
    cluster: str | None = None
    case_id: str | None = None
    unverified: UnverifiedFact | None = None
    source: str | None = None
    target: str | None = None
    prediction: str | None = None
    stakes: ClassStakesFact | None = None
    worth: ClassWorthFact | None = None
    scores: tuple[str, ...] = ()
    tied: int | None = None
    score_measures: tuple[EstimateFact, ...] = ()
    score_absent: Mapping[str, str] = field(default_factory=dict[str, str])
    ranked_within: int = 0

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes."""
        return self.table.labels

    def metric(self, name: str) -> MetricFact | None:
        """Return the fact of this canonical name; None if it was not asked for."""
        return next((m for m in self.metrics if m.name == name), None)

    def measure(self, name: str) -> EstimateFact | None:
        """Return what is known of the scores under this name; None if nothing is."""
        return next((m for m in self.score_measures if m.name == name), None)
