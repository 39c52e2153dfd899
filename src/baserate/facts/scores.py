"""Facts of scores: how well they rank, whether risks can be believed, what they bring."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baserate._result import Result
from baserate.facts.numbers import EstimateFact, Number, Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBinsFact(Result):
    """How scores were counted in bins."""

    n_bins: int
    n: int
    widest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionFact(Result):
    """What was done so that counts which left their site tell nothing about few people."""

    minimum: int
    cases: int | None = 0
    groups: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFact(Result):
    """Probabilities that are wrong for sure, all of them from `low` to `high`."""

    direction: str
    low: float
    high: float
    n: float
    at_least: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BinFact(Result):
    """Cases with probabilities from `low` to `high`: what was said, and what happened."""

    low: float
    high: float
    n: float
    n_positive: float
    mean: float
    observed: float
    observed_low: float = math.nan
    observed_high: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothPointFact(Result):
    """The smooth calibration curve at one probability, and limits that hold it there."""

    score: float
    level: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothCurveFact(Result):
    """A smooth calibration curve: a restricted cubic spline of the log odds with these knots."""

    knots: tuple[float, ...] = ()
    coefficients: tuple[float, ...] = ()
    points: tuple[SmoothPointFact, ...] = ()
    ici: float = math.nan
    e50: float = math.nan
    e90: float = math.nan
    route: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCalibrationFact(Result):
    """Whether the probabilities of one group are right on the whole."""

    group: Mapping[str, Any]
    n: float
    observed: float
    expected: float
    observed_expected: EstimateFact
    adjusted_p_value: float = math.nan
    below: float = math.nan
    above: float = math.nan
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFact(Result):
    """Whether probabilities can be believed."""

    observed: float
    expected: float
    measures: tuple[EstimateFact, ...]
    regions: tuple[RegionFact, ...] = ()
    band_level: float = math.nan
    band_reason: str | None = None
    bins: tuple[BinFact, ...] = ()
    bins_route: str | None = None
    groups: tuple[GroupCalibrationFact, ...] = ()
    crossing: float = math.nan
    n_below: float = 0
    n_above: float = 0

    def measure(self, name: str) -> EstimateFact | None:
        """Return the measure of this name, if it is known."""
        return next((fact for fact in self.measures if fact.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetBenefitFact(Telling):
    """What acting at one probability brings, per case, in units of one true positive."""

    threshold: float
    value: float
    low: float = math.nan
    high: float = math.nan
    route: str | None = None
    treat_all: float
    useful: float = math.nan
    perfect_information: float = math.nan
    more_cases: int = 0
    more_information: float = math.nan
    bounds: tuple[float, float] | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The net benefit, by the name of its metric."""
        return (Number(f"net_benefit(threshold={self.threshold!r})", self),)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskFact(Result):
    """How the scores of one class are spread."""

    outcome: Any
    is_positive: bool
    n: float
    mean: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopFact(Telling):
    """The highest scores: how many of them are positive, and how many positives they hold."""

    k: float
    share: float
    threshold: float
    tied: int = 0
    precision: EstimateFact
    recall: EstimateFact

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Precision and recall, by the share that is looked at."""
        return (
            Number(f"precision_at({self.share:g})", self.precision),
            Number(f"recall_at({self.share:g})", self.recall),
        )
