"""Facts of a comparison of scores: each by itself, every two of them, and their curves."""

import math
from dataclasses import dataclass

from baserate._result import Result
from baserate.facts.scores import EstimateFact, ScoreBinsFact, SuppressionFact


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveFact(Result):
    """Two ROC curves."""

    a: str
    b: str
    relation: str
    crossings: tuple[tuple[float, float], ...] = ()
    hull_relation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFact(Result):
    """One score by itself: how well it ranks, and what it loses as a probability."""

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
    """Two scores on the same cases by one measure."""

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
