"""Scores: one real number per case, and where score >= threshold is a positive prediction."""

from math import ceil, inf, isfinite, nextafter
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import as_number
from baserate.cases._kinds import AnyColumn, Numbers
from baserate.cases.columns import column
from baserate.cases.values import is_missing
from baserate.errors import InvalidArgumentError, LabelError

EXACT = 2**53  # whole numbers up to here are floats
LEAST_PERCENT = 1.5  # a threshold from here on is no probability that was rounded
SUM = 1e-3  # probabilities of single precision, or of a few decimals, add up to one within it
EDGE = 1e-6  # what rounding may leave of a probability below zero or above one
THRESHOLD = 0.5  # where scores in [0, 1] are cut unless told otherwise


class ActingRisk(float):
    """A probability from which one acts, which cuts no other scores than probabilities."""


RULE = "must hold one real number per case"


def score_array(argument: str, values: Any) -> NDArray[Any]:
    """Return scores in a type that NumPy sorts and that keeps them apart; nan where missing."""
    try:
        source = column(argument, values)
    except LabelError as error:
        raise _refused(argument, values, error) from None
    scores = source.array if isinstance(source, Numbers) else _from_objects(argument, source)
    if scores.dtype == bool:
        return scores.view(np.uint8)
    if scores.dtype.kind not in "iuf":
        raise _not_numbers(argument, f"values of type {scores.dtype}")
    return scores


def _refused(argument: str, values: Any, error: LabelError) -> InvalidArgumentError:
    shape = getattr(values, "shape", (0,))
    if isinstance(shape, tuple) and len(shape) != 1:  # a module may have what is called so
        remedy = "pass one score per case, such as probabilities[:, 1]"
        given = f"an array of shape {tuple(shape)}"
        rule = "must be one-dimensional"
        return InvalidArgumentError.from_rule(argument, rule, given, remedy)
    if isinstance(values, np.ndarray):
        return _not_numbers(argument, f"values of type {values.dtype}")
    return InvalidArgumentError(str(error).replace("labels", "scores"))


def _from_objects(argument: str, source: AnyColumn) -> NDArray[Any]:
    """Read numbers out of Python objects; distinct ones must stay distinct."""
    objects = source.objects(source.block(0, len(source)))
    gaps = np.fromiter(map(is_missing, objects), dtype=bool, count=len(objects))
    if not gaps.any():
        return _numbers(argument, objects)
    scores = np.full(len(objects), np.nan)
    present = [value for value, gap in zip(objects, gaps, strict=True) if not gap]
    if present:
        read = _numbers(argument, present)
        scores[~gaps] = read
        _check_apart(argument, read.tolist(), scores[~gaps])
    return scores


def _numbers(argument: str, objects: Any) -> NDArray[Any]:
    if all(type(value) is float for value in objects):
        return np.asarray(objects, dtype=float)
    wrong = next((v for v in objects if isinstance(v, (str, bytes)) or _has_parts(v)), None)
    if wrong is not None:
        raise _not_numbers(argument, wrong)
    try:
        scores = np.asarray(objects)
        if scores.dtype.kind == "O":
            scores = np.asarray(objects, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise _not_numbers(argument, objects[0]) from None
    if scores.dtype.kind not in "biuf":
        raise _not_numbers(argument, objects[0])
    _check_apart(argument, objects, scores)
    return scores


def _has_parts(value: Any) -> bool:
    try:
        return np.ndim(value) > 0
    except Exception:  # noqa: BLE001  rows of other lengths, or a foreign object
        return True


def _check_apart(argument: str, objects: Any, scores: NDArray[Any]) -> None:
    if len(set(objects)) != len(set(scores.tolist())):
        rule = "must hold numbers that stay apart as 64-bit numbers"
        raise InvalidArgumentError.from_rule(argument, rule, objects[0], "pass their ranks")


def _not_numbers(argument: str, given: Any) -> InvalidArgumentError:
    remedy = "pass probabilities or other scores"
    return InvalidArgumentError.from_rule(argument, RULE, given, remedy)


def cutting_point(threshold: Any, *, argument: str = "threshold") -> float:
    """Return where to cut; None means 0.5. A whole number that no float can hold stays one."""
    if threshold is None:
        return THRESHOLD
    number = isinstance(threshold, Real) and not isinstance(threshold, (bool, np.timedelta64))
    if not (number and _is_finite(threshold)):
        rule = "must be a finite number"
        raise InvalidArgumentError.from_rule(argument, rule, threshold, "pass a score to cut at")
    if isinstance(threshold, Integral) and abs(int(threshold)) > EXACT:
        return int(threshold)
    return float(threshold)


def check_scale(
    low: float, high: float, threshold: Any, *, name: str = "score", argument: str = "threshold"
) -> None:
    """Refuse to cut scores outside [0, 1] at the default, and probabilities at a percentage."""
    ends = f"{name} runs from {low:g} to {high:g}"
    if (threshold is None or isinstance(threshold, ActingRisk)) and (low < 0 or high > 1):
        raise InvalidArgumentError.about(
            "threshold",
            f"must be given when scores lie outside [0, 1] ({ends}{_looks(low, high)}): pass "
            "threshold (--threshold), or ask thresholds (baserate threshold), which needs no cut: "
            "how well the score ranks, its top, best cuts.",
        )
    if threshold is not None and 0 <= low <= high <= 1 and LEAST_PERCENT <= threshold <= 100:
        raise InvalidArgumentError.about(
            argument,
            f"must be on the scale of the scores ({name} reaches {high:g} at most), got "
            f"{threshold:g}: write a percentage as a share, {threshold / 100:g}.",
        )


def _looks(low: float, high: float) -> str:
    """Say what scores outside [0, 1] may be."""
    if not (isfinite(low) and isfinite(high)):
        return ", so that some are infinite"
    return (
        ", as percentages do: divided by 100 they are shares"
        if low >= 0 and 10 < high <= 100
        else ""
    )


def as_probabilities(low: float, high: float) -> str:
    """Say what to do with scores that are no probabilities."""
    if not (isfinite(low) and isfinite(high)):
        return "mend what is infinite, and pass probabilities"
    if low >= 0 and 10 < high <= 100:
        return "divide percentages by 100; calibrate scores of another kind"
    return "pass probabilities, calibrated if they are scores of another kind"


def reaches(scores: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Return score >= threshold, as exact real numbers; nan reaches nothing.

    Narrow floats are widened, so that 0.7 in single precision, which lies below 0.7, does not reach
    it; whole numbers are compared as such.

    Nothing but infinity reaches infinity, and nothing reaches nan.
    """
    if scores.dtype.kind == "f":
        wide = scores.astype(np.result_type(scores.dtype, np.float64), copy=False)
        return wide >= least_float(threshold)
    return np.asarray(scores >= (ceil(threshold) if _is_finite(threshold) else threshold))


def least_float(number: float) -> float:
    """Return the smallest float that is at least this number, perhaps a whole one of any size."""
    try:
        near = float(number)
    except OverflowError:
        return inf if number > 0 else nextafter(-inf, 0)
    return nextafter(near, inf) if near < number else near


def _is_finite(threshold: Any) -> bool:
    return isinstance(threshold, Integral) or isfinite(as_number(threshold))


def has_columns(y_score: Any) -> bool:
    """Whether these are scores of several classes: an array of two columns or more."""
    shape: Any = getattr(y_score, "shape", None)
    try:
        if shape is None and isinstance(y_score, (list, tuple)) and len(y_score):
            shape = (len(y_score), *np.shape(y_score[0]))
        return shape is not None and len(shape) == 2 and bool(shape[1] >= 2)
    except Exception:  # noqa: BLE001  rows of other lengths, or a foreign object such as a module
        return False
