"""A confidence band that holds the whole calibration curve at once, however few the cases."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.curves.cut_points import Sweep

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationBand(Result):
    """Limits that hold the calibration curve at every score at once.

    Attributes
    ----------
    scores : array of shape (m,)
        Ascending: the distinct scores at which a limit changes, with the first and the last.
    low, high : array of shape (m,)
        The limits there. `low` holds until the next score, `high` back to the one before: see `at`.
    confidence_level : float
        Probability, at least, that the whole curve lies within, if it never falls.
    n_intervals : int
        Intervals of scores among which the error is divided.
    route : str or None
        "band".
    reason : str or None
        Why there is no band (weights), or why no curve fits into it: lower limits above upper ones.
    """

    scores: NDArray[Any]
    low: Array
    high: Array
    confidence_level: float
    n_intervals: int
    route: str | None = None
    reason: str | None = None

    @property
    def crosses(self) -> bool:
        """Whether some lower limit is above the upper one: at this level, the curve falls."""
        raise NotImplementedError

    def at(self, scores: Any) -> tuple[Any, Any]:
        """Return lower and upper limits at these scores: floats, or arrays of their shape."""
        raise NotImplementedError


def calibration_band(swept: Sweep, confidence_level: float = 0.95) -> CalibrationBand:
    """Return a band that holds the calibration curve at every score at once."""
    raise NotImplementedError
