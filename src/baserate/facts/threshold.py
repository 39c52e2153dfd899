"""Facts of a score: all that no single table can tell, and its best cut point for each metric."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from baserate._figures import as_text
from baserate._result import HIDDEN, Result, called
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.facts.numbers import Number, Part, Telling, numbers_of
from baserate.facts.report import SampledFacts
from baserate.facts.scores import (
    CalibrationFact,
    EstimateFact,
    GroupCalibrationFact,
    NetBenefitFact,
    RiskFact,
    ScoreBinsFact,
    SmoothCurveFact,
    SuppressionFact,
    TopFact,
)
from baserate.facts.verdict import VerdictFact


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFact(Result):
    """What the population has of a constraint that a cut meets on the cases that chose it."""

    constraint: str
    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    probability: float = math.nan
    route: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutFact(Telling):
    """The best cut point for one metric, and how far it can be trusted.

    Thresholds in (low, high] of `step` give this very table; nan if only nan does.
    """

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
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

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The metric at the cut."""
        return (Number(self.name, self, ends=()),)

    @property
    def more(self) -> tuple[Number, ...]:
        """The cut, and what to expect of it on other cases."""
        cut = Number(f"threshold({self.name})", self, "threshold")
        return cut, Number(f"expected({self.name})", self, "corrected", ())

    def row(self) -> dict[str, Any]:
        """Return its fields, those of its table, and what it has of each constraint."""
        row = self.to_dict()
        for name in ("fold_values", "constraints"):
            del row[name]
        row["plateau_low"], row["plateau_high"] = row.pop("plateau")
        row |= row.pop("table") or dict.fromkeys(("tp", "fn", "fp", "tn"))
        return row | {
            f"{fact.constraint}: {part}": getattr(fact, part)
            for fact in self.constraints
            for part in ("value", "low", "high", "probability")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCutsFact(Result):
    """One group: its values in the group columns, its size, and its own best cuts."""

    group: Mapping[str, Any]
    n: int
    n_positive: int
    cuts: tuple[CutFact, ...] = field(metadata=called("thresholds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdFacts(SampledFacts):
    """Everything about a score that no single table can tell."""

    positive: Any
    n_positive: float
    n_negative: float
    n_cut_points: int
    n_resamples: int
    default: float | None
    ranking: tuple[EstimateFact, ...]
    cuts: Sequence[CutFact] = field(default=(), metadata=called("thresholds"))
    calibration: CalibrationFact | None = None
    smooth_calibration: SmoothCurveFact | None = None
    group_calibration: tuple[GroupCalibrationFact, ...] = ()  # by clusters or replicates
    net_benefit: tuple[NetBenefitFact, ...] = ()
    act_at: float | None = None
    useful: tuple[tuple[float, float], ...] = ()
    asked_for: tuple[str, ...] = ()
    ranks: VerdictFact | None = None
    risks: tuple[RiskFact, ...] = ()
    top: tuple[TopFact, ...] = ()
    named: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    score_range: tuple[float, float] = (math.nan, math.nan)
    bins: ScoreBinsFact | None = None
    constraint: tuple[str, ...] = ()
    base_rate: float | None = None
    folds: int = 0
    ranked_within: int = 0
    guess: str | None = None
    groups: tuple[GroupCutsFact, ...] = ()
    group_names: tuple[str, ...] = ()
    suppression: SuppressionFact | None = None
    score: str | None = None
    fold: str | None = None
    interval: ClassVar[None] = None  # the method of it cannot be asked for

    @property
    def restated(self) -> bool:
        """Whether metrics are those of another base rate."""
        return self.base_rate is not None

    @property
    def risks_of_groups(self) -> tuple[GroupCalibrationFact, ...]:
        """Whether the probabilities of each group are right on the whole."""
        return self.group_calibration if self.calibration is None else self.calibration.groups

    @property
    def measured(self) -> tuple[Telling, ...]:
        """What is known of the score."""
        calibrated = () if self.calibration is None else self.calibration.measures
        return (*self.ranking, *calibrated, *self.net_benefit, *self.top)

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each group."""
        yield Part({}, self.cuts, others=numbers_of(self.measured))
        for one in self.groups:
            yield Part(one.group, one.cuts)
        for one in self.risks_of_groups:
            yield Part(one.group, others=one.observed_expected.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWeightFact(Result):
    """The weight of one class."""

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
class ClassWeightsFact(Telling):
    """The best weights of classes for one metric, and how far they can be trusted."""

    reasons: ClassVar[tuple[str, ...]] = ("reason",)
    name: str
    direction: str
    unweighted: float = math.nan
    value: float = math.nan
    corrected: float = math.nan
    low: float = math.nan
    high: float = math.nan
    shared: float = math.nan
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

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The metric by these weights."""
        return (Number(self.name, self, ends=()),)

    @property
    def more(self) -> tuple[Number, ...]:
        """What to expect of them on other cases."""
        return (Number(f"expected({self.name})", self, "corrected"),)

    def row(self) -> dict[str, Any]:
        """Return its fields, and the weight of each class."""
        row = self.to_dict()
        del row["table"], row["classes"]
        return row | {f"weight of {as_text(one.label)}": one.weight for one in self.classes}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWeightsFact(Result):
    """One group: its own best weights of classes, and what those of all cases give there."""

    group: Mapping[str, Any]
    n: float
    weights: tuple[ClassWeightsFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassThresholdFacts(SampledFacts):
    """Everything that `thresholds` found out about the probabilities of several classes."""

    labels: tuple[Any, ...]
    tied: int = 0
    n_resamples: int
    metrics: tuple[ClassWeightsFact, ...] = field(metadata=called("weights"))
    asked_for: bool = False
    restated: ClassVar[bool] = False  # class shares are those of the cases
    interval: ClassVar[None] = None  # the method of it cannot be asked for
    scores: tuple[str, ...] = ()
    folds: int = 0
    fold: str | None = None
    groups: tuple[GroupWeightsFact, ...] = ()

    def metric(self, name: str) -> ClassWeightsFact | None:
        """Return the fact of this canonical name; None if it was not asked for."""
        return next((m for m in self.metrics if m.name == name), None)

    def parts(self) -> Iterator[Part]:
        """Yield all cases, then each group."""
        yield Part({}, self.metrics)
        yield from (Part(one.group, one.weights) for one in self.groups)
