"""Facts of a score: all that no single table can tell, and its best cut point for each metric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._result import HIDDEN, Result, called
from baserate.counts import ConfusionMatrix
from baserate.facts.scores import (
    CalibrationFact,
    EstimateFact,
    NetBenefitFact,
    RiskFact,
    ScoreBinsFact,
    SuppressionFact,
    TopFact,
)


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
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCutsFact(Result):
    """One group: its values in the group columns, its size, and its own best cuts."""

    group: Mapping[str, Any]
    n: int
    n_positive: int
    cuts: tuple[CutFact, ...] = field(metadata=called("thresholds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdFacts(Result):
    """Everything about a score that no single table can tell.

    Attributes
    ----------
    positive : object
    n, n_positive, n_negative : float
        Cases, or sums of weights.
    missing : int
    n_cut_points : int
        Distinct scores.
    confidence_level : float
    n_resamples : int
        Bootstrap samples behind intervals of thresholds and behind corrected values.
    default : float or None
        The default threshold, if every score lies in [0, 1].
    ranking : tuple of EstimateFact
        How well the score ranks, and its losses as a probability.
    calibration : CalibrationFact or None
    net_benefit : tuple of NetBenefitFact
    risks : tuple of RiskFact
        The positive class first.
    top : tuple of TopFact
    absent : mapping of str to str
        Parts that are lacking ("calibration", "net_benefit", "thresholds", "top"), and why.
    score_range : (float, float)
        The smallest and the largest score.
    bins : ScoreBinsFact or None
        How scores were counted in bins; None if they were not.
    cuts : tuple of CutFact
    constraint : tuple of str
    folds : int
        Folds that thresholds were cross-validated on; 0 if none.
    guess : str or None
        The guess that skill refers to, where thresholds were cross-validated.
    groups : tuple of GroupCutsFact
    group_names : tuple of str
    suppression : SuppressionFact or None
        What was done before counts left their site.
    source, target, score, fold : str or None
    """

    schema: ClassVar[int | None] = 1
    positive: Any
    n: float
    n_positive: float
    n_negative: float
    missing: int
    n_cut_points: int
    confidence_level: float
    n_resamples: int
    default: float | None
    ranking: tuple[EstimateFact, ...]
    cuts: tuple[CutFact, ...] = field(default=(), metadata=called("thresholds"))
    calibration: CalibrationFact | None = None
    net_benefit: tuple[NetBenefitFact, ...] = ()
    risks: tuple[RiskFact, ...] = ()
    top: tuple[TopFact, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    score_range: tuple[float, float] = (math.nan, math.nan)
    bins: ScoreBinsFact | None = None
    constraint: tuple[str, ...] = ()
    folds: int = 0
    guess: str | None = None
    groups: tuple[GroupCutsFact, ...] = ()
    group_names: tuple[str, ...] = ()
    suppression: SuppressionFact | None = None
    source: str | None = None
    target: str | None = None
    score: str | None = None
    fold: str | None = None
