"""Calibration: the logistic curve that would set probabilities right."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate.curves._groups import absent_class, groups
from baserate.curves._shift import level_shift
from baserate.curves.probability_scores import probabilities
from baserate.curves.sweep import Sweep

Array = NDArray[np.float64]

TURNS = 100
CLOSE = 1e-12  # relative size of the last step
FLAT = 1e-9  # what is left of the gradient at the top, relative to its greatest size
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


def calibration(sweep: Sweep) -> Calibration:
    """Return slope, intercept and calibration-in-the-large by logistic recalibration.

    Maximum likelihood, by Newton's method, for the outcomes given the logits of the probabilities.
    Perfect calibration is slope 1, intercept 0. nan where no finite curve is the best: a class is
    empty, every score is the same, the scores separate the classes, or a probability is 0 or 1 (an
    infinite logit).

    Parameters
    ----------
    sweep : Sweep
        Of probabilities, with or without weights.

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
    >>> from baserate.curves import sweep
    >>> s = sweep([1] * 3 + [0] + [1] + [0] * 3, [0.9] * 4 + [0.1] * 4)
    >>> found = calibration(s)
    >>> round(found.slope, 6), round(float(np.log(3) / np.log(9)), 6)
    (0.5, 0.5)
    >>> round(abs(found.intercept), 6), round(abs(found.in_the_large), 6)
    (0.0, 0.0)
    """
    eta = probabilities(sweep)
    reason = absent_class(sweep) or _no_finite_logits(eta)
    if reason:
        return Calibration(reason=reason)
    x, cases = np.log(eta) - np.log1p(-eta), groups(sweep)
    positive, negative = cases.positive.astype(float), cases.negative.astype(float)
    size = positive + negative
    large = level_shift(x, size, float(positive.sum()))
    if len(x) == 1:
        return Calibration(
            in_the_large=large, reason="every score is the same, so no slope can be fitted"
        )
    if _no_overlap(positive, negative):
        reason = "the scores separate the classes, so no finite slope is the best"
        return Calibration(in_the_large=large, reason=reason)
    found = _newton(x, size, positive) or _nested(x, size, positive)
    if found is None:
        reason = "the scores are too extreme for the best slope to be found"
        return Calibration(in_the_large=large, reason=reason)
    return Calibration(intercept=found[0], slope=found[1], in_the_large=large)


def _no_finite_logits(eta: Array) -> str | None:
    if eta[0] < 1 and eta[-1] > 0:
        return None
    return "a probability is 0 or 1, so its logit is infinite"


def _no_overlap(positive: Array, negative: Array) -> bool:
    """Whether one class lies wholly on one side of the other, at most sharing one score."""
    up, down = np.flatnonzero(positive), np.flatnonzero(negative)
    return bool(up[-1] <= down[0] or down[-1] <= up[0])


def _newton(x: Array, size: Array, positive: Array) -> tuple[float, float] | None:
    """Climb the (concave) log-likelihood; a step that does not rise is halved.

    None where the climb fails: saturated probabilities leave no curvature to steer by.
    """
    from scipy.special import expit, log_expit

    # Centred and scaled, the two parameters hardly depend on each other.
    centre, scale = float(np.mean(x)), float(np.std(x))
    design = np.column_stack((np.ones_like(x), (x - centre) / scale))
    negative = size - positive

    def likelihood(b: Array) -> float:
        t = design @ b
        return float(positive @ log_expit(t) + negative @ log_expit(-t))

    b = np.zeros(2)
    best = likelihood(b)
    for _ in range(TURNS):
        p = expit(design @ b)
        gradient = design.T @ (positive * (1 - p) - negative * p)
        try:
            step = np.linalg.solve(design.T * (size * p * (1 - p)) @ design, gradient)
        except np.linalg.LinAlgError:
            return None
        while (value := likelihood(b + step)) < best and np.abs(step).max() > CLOSE:
            step = step / 2
        b, best = b + step, max(best, value)
        if np.abs(step).max() <= CLOSE * max(1.0, float(np.abs(b).max())):
            break
    p = expit(design @ b)
    gap = np.abs(design.T @ (positive * (1 - p) - negative * p))
    if not np.all(gap <= FLAT * (np.abs(design).T @ size)):
        return None
    return float(b[0] - b[1] / scale * centre), float(b[1] / scale)


def _nested(x: Array, size: Array, positive: Array) -> tuple[float, float] | None:
    """Find the slope at which the best level leaves no trend: slower, but it cannot be singular.

    At the best level for each slope, the likelihood is concave in the slope, so that its
    derivative, the trend left over, falls.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    centre, scale, total = float(np.mean(x)), float(np.std(x)), float(positive.sum())
    z = (x - centre) / scale

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
    b = float(root)
    return level(b) - b / scale * centre, b / scale
