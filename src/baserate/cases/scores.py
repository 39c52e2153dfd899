"""Scores cut at a threshold: score >= threshold is a positive prediction."""

from math import ceil, inf, isfinite, nextafter
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.score_column import score_array
from baserate.errors import InvalidArgumentError

EXACT = 2**53  # whole numbers up to here are floats
THRESHOLD = 0.5  # where scores in [0, 1] are cut unless told otherwise


def cutting_point(threshold: Any, *, argument: str = "threshold") -> float:
    """Return where to cut; None means 0.5. A whole number that no float can hold stays one.

    Raises
    ------
    InvalidArgumentError
        The threshold is no finite number.
    """
    if threshold is None:
        return THRESHOLD
    number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not (number and _is_finite(threshold)):
        rule = "must be a finite number"
        raise InvalidArgumentError.from_rule(argument, rule, threshold, "pass a score to cut at")
    if isinstance(threshold, Integral) and abs(int(threshold)) > EXACT:
        return int(threshold)
    return float(threshold)


def check_scale(low: float, high: float, threshold: Any, *, name: str = "score") -> None:
    """Refuse to cut scores outside [0, 1] at the default.

    Raises
    ------
    InvalidArgumentError
        No threshold was given, and scores lie outside [0, 1].
    """
    if threshold is None and (low < 0 or high > 1):
        raise InvalidArgumentError(
            f"threshold must be given when scores lie outside [0, 1] ({name} runs from {low:g} to "
            f"{high:g}): pass threshold (--threshold)."
        )


def cut(scores: Any, threshold: Any, *, name: str = "score") -> np.ma.MaskedArray:
    """Return which scores reach the threshold; a missing score (nan or masked) is masked.

    Parameters
    ----------
    scores : array-like of shape (n,)
    threshold : float or None
        None means 0.5, and then every score must lie in [0, 1].

    Raises
    ------
    InvalidArgumentError
        Scores are no numbers, or lie outside [0, 1] while no threshold was given.

    Examples
    --------
    >>> cut([0.2, 0.5, float("nan")], None).tolist()
    [False, True, None]
    """
    at = cutting_point(threshold)
    values = score_array(name, scores)
    low, high = np.nanmin(values, initial=0), np.nanmax(values, initial=0)
    check_scale(low, high, threshold, name=name)
    missing = np.isnan(values) if values.dtype.kind == "f" else False
    return np.ma.masked_array(reaches(values, at), mask=missing)


def reaches(scores: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Return score >= threshold, as exact real numbers; nan reaches nothing.

    Narrow floats are widened, so that 0.7 in single precision, which lies below 0.7, does not reach
    it; whole numbers are compared as such.

    Parameters
    ----------
    scores : array of floats, integers or (objects) integers
    threshold : float or int
        Infinite ones too: nothing but infinity reaches infinity, and nothing reaches nan.

    Examples
    --------
    >>> reaches(np.float32([0.7, 0.8]), 0.7).tolist(), reaches(np.array([2, 3]), 2.5).tolist()
    ([False, True], [False, True])
    """
    if scores.dtype.kind == "f":
        wide = scores.astype(np.result_type(scores.dtype, np.float64), copy=False)
        return wide >= least_float(threshold)
    return np.asarray(scores >= (ceil(threshold) if _is_finite(threshold) else threshold))


def least_float(number: float) -> float:
    """Return the smallest float that is at least this number, which may be a whole one of any size.

    Examples
    --------
    >>> least_float(0.7), least_float(2**53 + 1) == 2**53 + 2, least_float(10**400)
    (0.7, True, inf)
    """
    try:
        near = float(number)
    except OverflowError:
        return inf if number > 0 else nextafter(-inf, 0)
    return nextafter(near, inf) if near < number else near


def _is_finite(threshold: Any) -> bool:
    return isinstance(threshold, Integral) or isfinite(threshold)
