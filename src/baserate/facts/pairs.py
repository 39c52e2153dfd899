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
    """One classifier beside others, whatever the number of classes."""

    name: str
    best: float = math.nan
    rank: int = 1
    metrics: tuple[MetricFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierFact(OneOfSeveral):
    """One classifier."""

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
    """One classifier of several classes: its yield, and its metrics."""

    derived: ClassVar[tuple[str, ...]] = ("worth_using",)

    n: float
    table: ClassTable | None = None
    at_all_shares: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFact(Result):
    """One metric of two classifiers: of the whole table, or of one class against the rest."""

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
    """Two classifiers, whatever the number of classes."""

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
    """Two classifiers."""

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
    """Two classifiers on the cases of one class."""

    label: Any
    only_a: int | None = None
    only_b: int | None = None
    p_value: float = math.nan
    adjusted_p: float = math.nan
    metrics: tuple[DifferenceFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFact(Result):
    """A cost at which two classifiers are worth the same, all others being equal."""

    truth: Any
    prediction: Any
    cost: float
    above: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair(TwoOfSeveral):
    """Two classifiers of several classes."""

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
