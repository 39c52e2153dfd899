"""What one label or group value is: a plain Python object, present or missing, with an order."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

MANY = 10  # labels that an error message lists before it stops
NUMBERS = (bool, int, float, Decimal, Fraction)


def python_value(value: Any) -> Any:
    """Turn a NumPy scalar into the Python object it holds, and bytes into text."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return _time(value)
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value


def is_missing(value: Any) -> bool:
    """Whether `value` is None, nan, NaT, pandas.NA or masked."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  only nan and NaT differ from themselves
    except TypeError:  # pandas.NA refuses to say whether it differs from itself
        return type(value).__name__ == "NAType"


def is_fraction(value: Any) -> bool:
    """Whether `value` is a number that is not whole, as scores are and labels are not."""
    return isinstance(value, NUMBERS) and isfinite(value) and value % 1 != 0


def order(value: Any) -> tuple[int, Any, str]:
    """Sort key: numbers by size, then text by alphabet, then anything else, missing last."""
    if is_missing(value):
        return 3, 0, ""
    if isinstance(value, NUMBERS):
        return 0, value, ""
    if isinstance(value, str):
        return 1, 0, value
    return 2, 0, f"{type(value).__name__} {value}"


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the different values in order; 1, 1.0 and True are one value."""
    return tuple(sorted(dict.fromkeys(values), key=order))


def listed(labels: Iterable[Any]) -> str:
    """Write labels for a message, no more than `MANY` of them."""
    values = list(labels)
    shown = ", ".join(repr(value) for value in values[:MANY])
    more = len(values) - MANY
    return f"{shown} and {more:,} more" if more > 0 else shown or "nothing"


def from_text(text: Any) -> Any:
    """Read "true", "false" and numbers out of text; None if the text is neither.

    Examples
    --------
    >>> from_text("1.0"), from_text(" TRUE "), from_text("yes"), from_text("nan")
    (1, True, None, None)
    """
    if not isinstance(text, str):
        return text
    word = text.strip().lower()
    if word in {"true", "false"}:
        return word == "true"
    try:
        return int(word)
    except ValueError:
        return _finite(word)


def _time(value: Any) -> Any:
    """Return a datetime or timedelta, unless its microseconds would lose something."""
    coarse = value.astype(f"{value.dtype.kind}8[us]")
    return coarse.item() if coarse == value else value


def _finite(word: str) -> Any:
    try:
        number = float(word)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() else number
