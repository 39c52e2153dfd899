"""What one label or group value is: a plain Python object, present or missing, with an order."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from baserate.errors import LabelError, shown

MANY = 10  # labels that an error message lists before it stops
NUMBERS = (bool, int, float, Decimal, Fraction)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)

DIGITS = re.compile(r"(\d{1,18})", re.ASCII)


def python_value(value: Any) -> Any:
    """Turn a NumPy scalar into the Python object it holds, bytes into text, midnight into its day.

    Days are stored as dates, as datetime64 of any unit, or as datetimes at midnight: they are one
    label.
    """
    if isinstance(value, (np.datetime64, np.timedelta64)):
        value = _time(value)
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dt.datetime):
        return _day(value)
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value


def is_missing(value: Any) -> bool:
    """Whether `value` is None, nan, NaT, pandas.NA or masked."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling nan cannot be compared
    try:
        return bool(value != value)  # noqa: PLR0124  only nan and NaT differ from themselves
    except Exception:  # noqa: BLE001  pandas.NA refuses to say whether it differs from itself
        return type(value).__name__ == "NAType"


def label_of(value: Any) -> Any:
    """Return the Python value of a label, or None if it is missing."""
    return None if is_missing(value) else python_value(value)


def is_fraction(value: Any) -> bool:
    """Whether `value` is a number that is not whole, as scores are and labels are not."""
    if isinstance(value, Fraction):
        return value.denominator != 1
    if isinstance(value, Decimal):
        return value.is_finite() and value != value.to_integral_value()
    return isinstance(value, float) and isfinite(value) and value % 1 != 0


def order(value: Any) -> tuple[int, Any, str]:
    """Sort key: numbers by size, then text by alphabet, then anything else, missing last."""
    if is_missing(value):
        return 3, 0, ""
    if isinstance(value, Decimal) and value.is_finite():
        return 0, Fraction(value), ""
    if isinstance(value, NUMBERS):
        return 0, value, ""
    if isinstance(value, str):
        return 1, 0, value
    if isinstance(value, dt.date):
        return 2, 0, f"date {value.isoformat()}"
    return 2, 0, f"{type(value).__name__} {value}"


def in_order(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort groups, column by column: as `order` does, but texts by the numbers in them.

    So that "2" stands before "10", and "week 2" before "week 10".

    Examples
    --------
    >>> from baserate.cases.values import in_order
    >>> [key for (key,) in in_order([("week 10",), ("10",), ("week 2",), ("2",), ("-1.5",)])]
    ['-1.5', '2', '10', 'week 2', 'week 10']
    """
    return sorted(keys, key=lambda key: [_by_numbers(label) for label in key])


def _by_numbers(label: Any) -> tuple[Any, ...]:
    if not isinstance(label, str):
        return order(label)
    if is_number(label) and (value := from_text(label)) is not None:
        return 1, value, label
    parts = DIGITS.split(label)  # text, digits, text and so on
    return 1.5, [int(part) if i % 2 else part for i, part in enumerate(parts)], label


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the different values in order; 1, 1.0 and True are one value."""
    return tuple(sorted(dict.fromkeys(values), key=order))


def listed(labels: Iterable[Any]) -> str:
    """Write labels for a message, no more than `MANY` of them."""
    values = list(labels)
    first = ", ".join(shown(value) for value in values[:MANY])
    more = len(values) - MANY
    return f"{first} and {more:,} more" if more > 0 else first or "nothing"


def plain_label(argument: str, value: Any) -> Any:
    """Return one label, or None if it is missing."""
    try:
        label = label_of(value)
        hash(label)
        str(label)  # whole numbers of thousands of digits have no name
        bool(label == label)  # noqa: PLR0124  columns and structures have no truth
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        rule, remedy = "must be one plain label", "pass a number, a truth value or text"
        raise LabelError.from_rule(argument, rule, value, remedy) from None
    return label


def plain_labels(argument: str, values: Any) -> tuple[Any, ...]:
    """Return labels, each once or not."""
    try:
        found = list(values)
        right = not isinstance(values, (str, bytes)) and getattr(values, "ndim", 1) == 1
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        found, right = [], False
    if not right:
        rule, remedy = "must be a sequence of labels", "pass them as a list"
        raise LabelError.from_rule(argument, rule, values, remedy)
    return tuple(plain_label(argument, value) for value in found)


def same_label(one: Any, other: Any) -> bool:
    """Whether two values are one label, 1 and True or a composed and a decomposed text too."""
    try:
        return bool(one == other) or same_text(one, other)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        return False


def from_text(text: Any) -> Any:
    """Read "true", "false" and numbers out of text; None if the text is neither.

    Numbers are written in plain digits, as the engine that reads files takes them: Python would
    take 1_0 for 10, and digits of any script.
    """
    if not isinstance(text, str):
        return text
    word = text.strip().lower()
    if word in {"true", "false"}:
        return word == "true"
    if not is_number(text):
        return None
    try:
        return int(word)
    except ValueError:
        return _finite(word)


def is_number(text: str) -> bool:
    """Whether a text is a finite number, perhaps too large for one, in plain digits."""
    return NUMBER.fullmatch(text) is not None


def _time(value: Any) -> Any:
    """Return a datetime or timedelta, unless its microseconds would lose something."""
    coarse = value.astype(f"{value.dtype.kind}8[us]")
    return coarse.item() if coarse == value else value


def _day(value: dt.datetime) -> Any:
    """Return the day that begins at this midnight of no time zone, or the time as it is."""
    midnight = value.tzinfo is None and value == value and value.time() == dt.time()  # noqa: PLR0124
    return value.date() if midnight and not getattr(value, "nanosecond", 0) else value


def same_text(one: Any, other: Any) -> bool:
    """Whether two values are the same text, whether letters are composed or decomposed."""
    texts = isinstance(one, str) and isinstance(other, str)
    return texts and _composed(one) == _composed(other)


def spelling(text: str) -> str:
    """Return what is left of a text without spaces around it, letter case and Unicode form."""
    return _composed(_composed(text).strip().casefold())


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _finite(word: str) -> Any:
    try:
        number = float(word)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() else number
