"""Calibration: the logistic curve that would set probabilities right."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.curves.cut_points import as_sweep
from baserate.curves.probability_scores import probabilities

Array = NDArray[np.float64]

FLAT = 1e-12  # what is left of the gradient at the top, relative to its greatest size
STEEPEST = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Result):
    """How probabilities would have to be recalibrated; all nan if `reason` says why.

    Attributes
    ----------
    slope : float
        b of logit(P(positive)) = a + b logit(probability). Below 1: too extreme, as overfitting
        makes it; above 1: too timid.
    intercept : float
        a of that curve.
    in_the_large : float
        a when b is held at 1. Below 0: probabilities are too high on the whole.
    reason : str or None
    """

    slope: float = nan
    intercept: float = nan
    in_the_large: float = nan
    reason: str | None = None


def calibration(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None
) -> Calibration:
    """Return slope, intercept and calibration-in-the-large by logistic recalibration.

    Maximum likelihood for the outcomes given the logits of the probabilities.
    Perfect calibration is slope 1, intercept 0. nan where no finite curve is the best: a class is
    empty, every score is the same, the scores separate the classes, or a probability is 0 or 1 (an
    infinite logit).

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone.
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    Calibration

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1].

    References
    ----------
    Cox (1958), Biometrika 45:562, doi:10.1093/biomet/45.3-4.562. Van Calster et al. (2019), BMC
    Medicine 17:230, doi:10.1186/s12916-019-1466-7.

    Examples
    --------
    >>> found = calibration([1] * 3 + [0] + [1] + [0] * 3, [0.9] * 4 + [0.1] * 4)
    >>> round(found.slope, 6), round(float(np.log(3) / np.log(9)), 6)
    (0.5, 0.5)
    >>> round(abs(found.intercept), 6), round(abs(found.in_the_large), 6)
    (0.0, 0.0)
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    eta = probabilities(swept)
    if swept.absent:
        return Calibration(reason=swept.absent)
    if eta[0] == 1 or eta[-1] == 0:
        return Calibration(reason="a probability is 0 or 1, so its logit is infinite")
    x = np.log(eta) - np.log1p(-eta)
    positive, negative = (side.astype(float) for side in swept.by_score)
    size = positive + negative
    large = level_shift(x, size, float(positive.sum()))
    if len(x) == 1:
        return Calibration(
            in_the_large=large, reason="every score is the same, so no slope can be fitted"
        )
    if _no_overlap(positive, negative):
        reason = "the scores separate the classes, so no finite slope is the best"
        return Calibration(in_the_large=large, reason=reason)
    # Centred and scaled, the two parameters hardly depend on each other.
    centre, scale = float(np.mean(x)), float(np.std(x))
    z = (x - centre) / scale
    found = _climbed(z, size, positive) or _nested(z, size, positive)
    if found is None:
        reason = "the scores are too extreme for the best slope to be found"
        return Calibration(in_the_large=large, reason=reason)
    level, slope = found[0], found[1] / scale
    return Calibration(intercept=level - slope * centre, slope=slope, in_the_large=large)


def level_shift(logits: Array, size: Array, positives: float) -> float:
    """Solve Σ size expit(logits + a) = positives for a, with 0 < positives < Σ size.

    The sum grows with a. Where every probability is at most the share of positives it is too small,
    where every one is at least that share it is too large: this brackets the one root.

    Examples
    --------
    >>> round(level_shift(np.array([-600.0, -599.0]), np.array([1.0, 1.0]), 1.0), 6)
    599.5
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    target = float(logit(positives / size.sum()))
    low, high = target - float(logits.max()), target - float(logits.min())
    if high <= low:
        return low

    def excess(a: float) -> float:
        return float(size @ expit(logits + a)) - positives

    if excess(low) >= 0:  # equal up to rounding
        return low
    if excess(high) <= 0:
        return high
    root: Any = brentq(excess, low, high, xtol=1e-13)
    return float(root)


def _no_overlap(positive: Array, negative: Array) -> bool:
    """Whether one class lies wholly on one side of the other, at most sharing one score."""
    up, down = np.flatnonzero(positive), np.flatnonzero(negative)
    return bool(up[-1] <= down[0] or down[-1] <= up[0])


def _climbed(z: Array, size: Array, positive: Array) -> tuple[float, float] | None:
    """Solve for the top of the (concave) log-likelihood, where its gradient vanishes.

    None where that fails: saturated probabilities leave no curvature to steer by.
    """
    from scipy.optimize import root
    from scipy.special import expit

    design = np.column_stack((np.ones_like(z), z))
    unit = np.abs(design).T @ size  # the greatest size of the gradient

    def gradient(b: Array) -> Array:
        return design.T @ (positive - size * expit(design @ b)) / unit

    def curvature(b: Array) -> Array:
        p = expit(design @ b)
        return -(design.T * (size * p * (1 - p))) @ design / unit[:, None]

    found: Any = root(gradient, np.zeros(2), jac=curvature, options={"xtol": 1e-14})
    if not np.all(np.abs(gradient(found.x)) <= FLAT):
        return None
    return float(found.x[0]), float(found.x[1])


def _nested(z: Array, size: Array, positive: Array) -> tuple[float, float] | None:
    """Find the slope at which the best level leaves no trend: slower, but it cannot be singular.

    At the best level for each slope, the likelihood is concave in the slope, so that its
    derivative, the trend left over, falls.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    total = float(positive.sum())

    def level(b: float) -> float:
        return level_shift(b * z, size, total)

    def trend(b: float) -> float:
        return float(z @ (positive - size * expit(level(b) + b * z)))

    side, start = (1.0 if trend(0.0) > 0 else -1.0), 1.0
    while trend(side * start) * side > 0:
        start *= 2
        if start > STEEPEST:
            return None
    root: Any = brentq(trend, 0.0, side * start, xtol=1e-12)
    return level(float(root)), float(root)
