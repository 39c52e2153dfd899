"""A column of scores, read by one rule wherever scores are taken: one real number per case."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases._kinds import Column, Numbers
from baserate.cases.columns import column
from baserate.cases.values import is_missing
from baserate.errors import InvalidArgumentError, LabelError

RULE = "must hold one real number per case"


def score_array(argument: str, values: Any) -> NDArray[Any]:
    """Return scores in a type that NumPy sorts and that keeps them apart; a missing score is nan.

    Raises
    ------
    InvalidArgumentError
        The values are text, dates, complex numbers or rows of several numbers; or distinct ones
        would become the same 64-bit number.
    """
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
    if len(shape) != 1:
        remedy = "pass one score per case, such as probabilities[:, 1]"
        given = f"an array of shape {tuple(shape)}"
        rule = "must be one-dimensional"
        return InvalidArgumentError.from_rule(argument, rule, given, remedy)
    if isinstance(values, np.ndarray):
        return _not_numbers(argument, f"values of type {values.dtype}")
    return InvalidArgumentError(str(error).replace("labels", "scores"))


def _from_objects(argument: str, source: Column) -> NDArray[Any]:
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
    wrong = next((v for v in objects if isinstance(v, (str, bytes)) or np.ndim(v)), None)
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


def _check_apart(argument: str, objects: Any, scores: NDArray[Any]) -> None:
    if len(set(objects)) != len(set(scores.tolist())):
        rule = "must hold numbers that stay apart as 64-bit numbers"
        raise InvalidArgumentError.from_rule(argument, rule, objects[0], "pass their ranks")


def _not_numbers(argument: str, given: Any) -> InvalidArgumentError:
    remedy = "pass probabilities or other scores"
    return InvalidArgumentError.from_rule(argument, RULE, given, remedy)
