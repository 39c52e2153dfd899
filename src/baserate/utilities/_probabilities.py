"""Probabilities of classes as arguments: arrays whose last axis sums to one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.errors import InvalidArgumentError

SUM = 1e-3  # single precision, and values rounded to a few decimals, stay within it
EDGE = 1e-6  # what rounding may leave of a probability below zero or above one


def probabilities_of(argument: str, values: Any, n_classes: int) -> NDArray[np.float64]:
    """Return floats of shape (..., n_classes), each row non-negative with sum one."""
    array = numbers(argument, values)
    if array.ndim == 0 or array.shape[-1] != n_classes:
        rule = f"must have one column for each of {n_classes} classes"
        remedy = "order the columns as the classes of the matrix"
        if n_classes == 2 and array.ndim == 1:
            remedy = "stack the columns p and 1 - p"
        raise InvalidArgumentError.from_rule(argument, rule, array.shape, remedy)
    if array.size and not (array.min() >= -EDGE and array.max() <= 1 + EDGE):  # nan is neither
        given = array[~((array >= -EDGE) & (array <= 1 + EDGE))].flat[0].item()
        remedy = "pass probabilities, not scores"
        raise InvalidArgumentError.from_rule(argument, "must lie in [0, 1]", given, remedy)
    total = array @ np.ones(n_classes)
    if total.size and not (total.min() >= 1 - SUM and total.max() <= 1 + SUM):
        given = float(total[np.abs(total - 1) > SUM].flat[0])
        remedy = "pass probabilities of all the classes, not scores"
        raise InvalidArgumentError.from_rule(argument, "must sum to one", given, remedy)
    return array


def class_shares(argument: str, values: Any, n_classes: int) -> NDArray[np.float64]:
    """Return one share per class."""
    shares = probabilities_of(argument, values, n_classes)
    if shares.ndim != 1:
        rule, remedy = "must be one share per class", "pass a flat sequence"
        raise InvalidArgumentError.from_rule(argument, rule, shares.shape, remedy)
    return shares


def numbers(argument: str, values: Any) -> NDArray[np.float64]:
    """Return an array of floats, or say that these are none."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        rule, remedy = "must be numbers in an array", "give every row the same number of entries"
        raise InvalidArgumentError.from_rule(argument, rule, values, remedy) from None
