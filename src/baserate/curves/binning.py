"""Shares of positives in bins of scores, each with its exact interval."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.curves.cut_points import Sweep

Array = NDArray[np.float64]
Kind = Literal["mass", "width"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationBins(Result):
    """Bins of scores, the lowest first; those without a case are left out.

    Attributes
    ----------
    kind : {"mass", "width"}
        Bins of about as many cases each, or of the same width.
    low_score, high_score : array of shape (m,)
        The lowest and highest score in the bin.
    n, positives : array of shape (m,)
        Cases and positives, or sums of their weights.
    mean_score, share : array of shape (m,)
        Mean score, and positives / n.
    low, high : array of shape (m,)
        Clopper-Pearson interval of the share, for each bin by itself; nan if `reason` says why.
    ece : float
        Expected calibration error: Σ n |share - mean_score| / Σ n.
    confidence_level : float
    route, reason : str or None
    """

    kind: Kind
    low_score: NDArray[Any]
    high_score: NDArray[Any]
    n: NDArray[Any]
    positives: NDArray[Any]
    mean_score: Array
    share: Array
    low: Array
    high: Array
    ece: float
    confidence_level: float
    route: str | None = None
    reason: str | None = None


def calibration_bins(
    swept: Sweep, n_bins: int = 10, kind: Kind = "mass", confidence_level: float = 0.95
) -> CalibrationBins:
    """Return cases and positives in bins of scores, with exact intervals and the ECE."""
    raise NotImplementedError
