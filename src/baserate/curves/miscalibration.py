"""How far probabilities are from the calibration curve, with what the band allows to say."""

from dataclasses import dataclass
from typing import Literal

from baserate._result import Result
from baserate.curves.confidence_band import CalibrationBand
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate

Direction = Literal["underestimates", "overestimates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationDistances(Result):
    """How far probabilities are from the calibration curve, over the cases.

    Attributes
    ----------
    ici : Estimate
        Mean of |curve - probability|.
    e50, e90 : Estimate
        Median and 90th percentile of |curve - probability|.
    eci : Estimate
        100 times the mean of (curve - probability)².
    """

    ici: Estimate
    e50: Estimate
    e90: Estimate
    eci: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class MiscalibratedRegion(Result):
    """Scores in a row at all of which the band excludes the probability stated.

    Attributes
    ----------
    low_score, high_score : float
        The lowest and the highest score.
    direction : {"underestimates", "overestimates"}
        What the probabilities do: the curve is above them, or below.
    n : int
        Cases with these scores.
    at_least, at : float
        The largest distance between probability and curve that the band guarantees, and the score
        where.
    mean_at_least : float
        The mean distance over the cases that it guarantees.
    """

    low_score: float
    high_score: float
    direction: Direction
    n: int
    at_least: float
    at: float
    mean_at_least: float


def calibration_distances(swept: Sweep, band: CalibrationBand) -> CalibrationDistances:
    """Return ICI, E50, E90 and ECI with intervals that hold with few cases too."""
    raise NotImplementedError


def miscalibrated_regions(swept: Sweep, band: CalibrationBand) -> tuple[MiscalibratedRegion, ...]:
    """Return where the probabilities are too low or too high, as far as the band proves it."""
    raise NotImplementedError
