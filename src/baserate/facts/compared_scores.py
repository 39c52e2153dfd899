"""Facts of a comparison of scores: each by itself, every two of them, and their curves."""

import math
from dataclasses import dataclass

from baserate._result import Result
from baserate.facts.scores import EstimateFact, ScoreBinsFact, SuppressionFact


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFact(Result):
    """Two ROC curves.

    Attributes
    ----------
    a, b : str
        Scores.
    relation : {"a", "b", "equal", "crossing", "unknown"}
        "a": the curve of A is nowhere below that of B and somewhere above. "unknown": scores were
        counted in bins, within which a curve is not known.
    crossings : tuple of (float, float)
        False positive rate and recall where they cross.
    hull_relation : str
        The same for the convex hulls, which is what counts once cut points are chosen.
    """

    a: str
    b: str
    relation: str
    crossings: tuple[tuple[float, float], ...] = ()
    hull_relation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFact(Result):
    """One score by itself: how well it ranks, and what it loses as a probability.

    Attributes
    ----------
    name : str
    auc, low, high : float
        The area under its ROC curve, with its interval.
    measures : tuple of EstimateFact
        The same, Brier score and log loss; the area alone for scores outside [0, 1].
    miscalibration, discrimination : float
        What its Brier score loses by wrong probabilities, and gains by ranking, told apart by an
        isotonic curve of the same cases; nan for what is no probability.
    bins : ScoreBinsFact or None
        How scores were counted in bins; None if they were not.
    suppression : SuppressionFact or None
        What was done before counts left their site.
    """

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
class ScorePairFact(Result):
    """Two scores on the same cases by one measure.

    Attributes
    ----------
    a, b : str
    measure : {"roc_auc", "brier_score", "log_loss"}
    value_a, value_b : float
    difference, low, high : float
        Value of A less that of B, and its interval.
    p_value : float
        Two-sided, of no difference in the population.
    adjusted_p : float
        The same, adjusted by Holm's method for all pairs and measures.
    route, p_value_route : str or None
        How the interval and the p-value were computed, which says what they are.
    reason, p_value_reason : str or None
        Why there is no difference or no interval, no p-value.
    design_effect : float
        Of cases in clusters: the variance, over that of as many independent cases.
    """

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
