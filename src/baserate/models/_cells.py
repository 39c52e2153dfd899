"""Sets of cells, and the four numbers that say how likely each cell is."""

from typing import Any

import numpy as np

from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError

_LEAST, _MOST = 1e-100, 1e100

Cells = tuple[float, float, float, float]

ALL = frozenset(CELLS)
CAN_SUM = "what these cells can sum to"
POSITIVE, NEGATIVE = frozenset({"tp", "fn"}), frozenset({"fp", "tn"})
FLAGGED, PASSED = frozenset({"tp", "fp"}), frozenset({"fn", "tn"})


def four_numbers(argument: str, value: Any) -> tuple[Any, Any, Any, Any]:
    """Return (tp, fn, fp, tn) of one table or of four numbers that do not all vanish."""
    try:
        tp, fn, fp, tn = value
        given = (tp, fn, fp, tn)
        right = all(map(_is_weight, given)) and any(given)
    except (TypeError, ValueError):
        given, right = (0, 0, 0, 0), False
    if not right:
        rule = "must be four numbers tp, fn, fp, tn, not all 0, the others between 1e-100 and 1e100"
        remedy = "pass a ConfusionMatrix of one table, or a tuple"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    return given


def table_of(cells: Any) -> ConfusionMatrix:
    """Return the table with these four counts."""
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def summed(cells: frozenset[str], weights: Any) -> Any:
    """Return the sum of the weights of these cells."""
    return sum(w for name, w in zip(CELLS, weights, strict=True) if name in cells)


def checked(argument: str, cells: frozenset[str], known: frozenset[str] = ALL) -> None:
    """Refuse cells that are not among those known."""
    if not cells <= known:
        rule = f"must be among {', '.join(name for name in CELLS if name in known)}"
        raise InvalidArgumentError.from_rule(argument, rule, sorted(cells), "name only those")


def within(argument: str, given: int, ends: tuple[int, int], what: str) -> None:
    """Refuse a condition that has probability zero."""
    low, high = ends
    if not low <= given <= high:
        rule = f"must be {low}" if low == high else f"must lie between {low} and {high}"
        remedy = "condition on what can happen"
        raise InvalidArgumentError.from_rule(argument, f"{rule}, {what}", given, remedy)


def _is_weight(number: Any) -> bool:
    """Whether it is 0, or a number whose ratio to others neither overflows nor vanishes."""
    return np.ndim(number) == 0 and (float(number) == 0 or _LEAST <= float(number) <= _MOST)
