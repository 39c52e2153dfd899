"""Sets of cells, and the four numbers that say how likely each cell is."""

from math import isfinite
from typing import Any

from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError

Cells = tuple[float, float, float, float]

ALL = frozenset(CELLS)
POSITIVE, NEGATIVE = frozenset({"tp", "fn"}), frozenset({"fp", "tn"})


def four_numbers(argument: str, value: Any) -> tuple[Any, Any, Any, Any]:
    """Return (tp, fn, fp, tn) of one table or of four numbers, none negative, some positive."""
    try:
        given = tuple(value)
        numbers = tuple(float(cell) for cell in given)
    except (TypeError, ValueError):
        given, numbers = (), ()
    if len(numbers) != 4 or not all(isfinite(x) and x >= 0 for x in numbers) or not any(numbers):
        rule = "must be four finite numbers tp, fn, fp, tn of at least 0, not all of them 0"
        remedy = "pass a ConfusionMatrix of one table, or a tuple"
        raise InvalidArgumentError.from_rule(argument, rule, value, remedy)
    tp, fn, fp, tn = given
    return tp, fn, fp, tn


def table_of(cells: Any) -> ConfusionMatrix:
    """Return the table with these four counts."""
    return ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))


def summed(cells: frozenset[str], weights: Any) -> Any:
    """Return the sum of the weights of these cells."""
    return sum(w for name, w in zip(CELLS, weights, strict=True) if name in cells)


def checked(argument: str, cells: Any, within: frozenset[str] = ALL) -> frozenset[str]:
    """Return a set of cells that lie within another."""
    chosen = frozenset(cells)
    if not chosen <= within:
        rule = f"must be among {', '.join(name for name in CELLS if name in within)}"
        raise InvalidArgumentError.from_rule(argument, rule, sorted(chosen), "name only those")
    return chosen


def impossible(argument: str, rule: str, given: Any) -> InvalidArgumentError:
    """Return the error for a condition that has probability zero."""
    return InvalidArgumentError.from_rule(argument, rule, given, "condition on what can happen")
