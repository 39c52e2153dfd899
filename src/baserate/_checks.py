"""Rules that arguments obey, each with the one message that finishes the sentence."""

import math
from typing import Any, Literal, get_args

import numpy as np

from baserate.errors import InvalidArgumentError, LabelError, UnknownNameError

Interval = Literal["(0, 1)", "[0, 1]", "[0, 1)", "(0, inf)", "[0, inf)"]


def number_in(argument: str, value: Any, interval: Interval, remedy: str) -> float:
    """Return `value` as a float if it lies in `interval`, else say what does."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or math.isinf(number) or not _inside(number, interval):
        raise InvalidArgumentError.from_rule(argument, f"must lie in {interval}", value, remedy)
    return number


def confidence(confidence_level: Any) -> float:
    """Return the confidence level as a float if it lies in (0, 1)."""
    return number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")


def numbers_in(argument: str, value: Any, interval: Interval, remedy: str) -> Any:
    """Return `value` as a float or a float array whose every element lies in `interval`."""
    if np.ndim(value) == 0:
        return number_in(argument, value, interval, remedy)
    array = np.asarray(value, dtype=float)
    right = np.isfinite(array) & _inside(array, interval)
    if not right.all():
        given = array[~right].flat[0].item()
        raise InvalidArgumentError.from_rule(argument, f"must lie in {interval}", given, remedy)
    return array


def whole_number(argument: str, value: Any, *, minimum: int = 0) -> int:
    """Return `value` as an int if it is a whole number of at least `minimum`."""
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = minimum - 1
    if whole < minimum or whole != value or isinstance(value, bool):
        rule = f"must be a whole number of at least {minimum}"
        raise InvalidArgumentError.from_rule(argument, rule, value, "pass a count")
    return whole


def same_length(argument: str, size: int, first: str, cases: int) -> None:
    """Refuse a column that has not one value for each of the cases of the first column."""
    if size != cases:
        rule = f"must have as many cases as {first} ({cases:,})"
        raise LabelError.from_rule(argument, rule, size, "pass one value per case")


def one_of(argument: str, value: Any, choices: Any) -> str:
    """Return `value` if it is among `choices` (names, or a Literal type)."""
    names = [str(c) for c in (get_args(choices) or choices)]
    if value not in names:
        remedy = f"Choose one of {', '.join(names)}"
        raise UnknownNameError.from_name(argument, str(value), names, remedy)
    return str(value)


def name_or_number(argument: str, value: Any, names: tuple[str, ...], remedy: str) -> Any:
    """Return `value` if it is one of the names, else as a finite float."""
    if value in names:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        rule = f"must be one of {', '.join(map(repr, names))}, or a finite number"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return number


def _inside(number: Any, interval: Interval) -> Any:
    low, high = (float(end) for end in interval[1:-1].split(","))
    above = number >= low if interval[0] == "[" else number > low
    below = number <= high if interval[-1] == "]" else number < high
    return above & below
