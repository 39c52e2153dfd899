"""Counted cells, and the rules that their values obey, on the way from rows to a tally."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

from baserate.adapters._roles import Roles, opening, refuse_text
from baserate.cases.scores import check_scale
from baserate.cases.tally import Tally
from baserate.cases.values import is_missing, python_value
from baserate.errors import DataError, InvalidArgumentError, LabelError, MissingValueError

MISSING_TEXT = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>")
MAX_LABELS = 1_000  # distinct labels in one column; beyond that they are identifiers or scores
MAX_CELLS = 200_000  # distinct rows of a tally, groups included


class Spread(NamedTuple):
    """What a column of numbers holds: its range, and the text that is no number."""

    low: float | None = None
    high: float | None = None
    n_text: int = 0
    text: Any = None


class Cell(NamedTuple):
    """The cases that share truth, prediction and group; None is a missing value."""

    truth: Any
    prediction: Any
    group: tuple[Any, ...]
    has_weight: bool
    n: int
    weight: float
    weight_squared: float
    score: Spread
    weights: Spread


def fold(cells: Sequence[Cell], roles: Roles, where: str) -> Tally:
    """Turn counted cells into a tally; refuse what no table can be made of."""
    if not cells:
        raise DataError(f"{opening(where)} holds no rows: pass at least one case.")
    _check_text(cells, roles, where)
    n_missing = _count_missing(cells, roles, where)
    _check_range(cells, roles)
    kept = _merged(cell for cell in cells if not any(_gaps(cell, roles)))
    check_labels(roles.target, (cell.truth for cell in kept))
    if not roles.is_cut:
        check_labels(roles.prediction, (cell.prediction for cell in kept))
    return Tally(
        truth=tuple(cell.truth for cell in kept),
        prediction=tuple(cell.prediction for cell in kept),
        count=tuple(cell.n for cell in kept),
        weight=None if roles.weight is None else tuple(cell.weight for cell in kept),
        weight_squared=None
        if roles.weight is None
        else tuple(cell.weight_squared for cell in kept),
        groups=tuple(cell.group for cell in kept) if roles.groups else (),
        group_names=tuple(map(str, roles.groups)),
        decided=roles.is_cut,
        n_missing=n_missing,
    )


def check_labels(column: Any, values: Iterable[Any]) -> None:
    """Refuse a column with too many different labels: it holds identifiers or scores."""
    different = dict.fromkeys(values)
    if len(different) > MAX_LABELS:
        raise LabelError(
            f"Column {column!r} holds more than {MAX_LABELS:,} distinct values such as "
            f"{next(iter(different))!r}: pass labels, and scores as score (--score)."
        )


def check_size(cells: Sequence[Cell], roles: Roles, where: str) -> None:
    """Refuse a tally that outgrew `MAX_CELLS`, and name the columns to blame."""
    if len(cells) <= MAX_CELLS:
        return
    check_labels(roles.target, (cell.truth for cell in cells))
    if not roles.is_cut:
        check_labels(roles.prediction, (cell.prediction for cell in cells))
    blame = f"group columns {', '.join(map(repr, roles.groups))}" if roles.groups else "labels"
    raise DataError(
        f"The {blame} of {where} have more than {MAX_CELLS:,} different combinations: "
        "pass columns with fewer distinct values."
    )


def number_from(value: Any) -> float | None:
    """Read a number out of one value: None if it is missing, an error if it is text.

    Examples
    --------
    >>> number_from(" 0.5 "), number_from("True"), number_from("NA")
    (0.5, 1.0, None)
    """
    if is_missing(value) or (isinstance(value, str) and value in MISSING_TEXT):
        return None
    word = value.strip().lower() if isinstance(value, str) else value
    number = float({"true": 1, "false": 0}.get(word, word) if isinstance(word, str) else word)
    return None if isnan(number) else number


def _check_text(cells: Sequence[Cell], roles: Roles, where: str) -> None:
    for role, column in (("score", roles.score), ("weights", roles.weight)):
        bad = [spread for spread in (getattr(cell, role) for cell in cells) if spread.n_text]
        if bad:
            refuse_text(column, sum(spread.n_text for spread in bad), bad[0].text, where)


def _gaps(cell: Cell, roles: Roles) -> tuple[bool, bool, bool]:
    no_weight = roles.weight is not None and not cell.has_weight
    return is_missing(cell.truth), is_missing(cell.prediction), no_weight


def _count_missing(cells: Sequence[Cell], roles: Roles, where: str) -> int:
    per_column = Counter[Any]()
    dropped = 0
    for cell in cells:
        gaps = _gaps(cell, roles)
        dropped += cell.n if any(gaps) else 0
        for column, gap in zip((roles.target, roles.predicted, roles.weight), gaps, strict=True):
            per_column[column] += cell.n if gap else 0
    if not dropped:
        return 0
    if roles.missing == "error":
        raise MissingValueError.from_rows(f"{opening(where)} has", per_column)
    if dropped == sum(cell.n for cell in cells):
        counts = ", ".join(f"{rows:,} in {column!r}" for column, rows in per_column.items() if rows)
        raise MissingValueError(f"Every row of {where} has a missing value: {counts}.")
    return dropped


def _check_range(cells: Sequence[Cell], roles: Roles) -> None:
    if roles.is_cut:
        low, high = _range(cell.score for cell in cells)
        check_scale(low, high, roles.threshold, name=f"column {roles.score!r}")
    if roles.weight is not None:
        low, high = _range(cell.weights for cell in cells)
        if low < 0 or not isfinite(high):
            given = low if low < 0 else high
            raise InvalidArgumentError.from_rule(
                f"weight column {roles.weight!r}",
                "must be non-negative and finite",
                given,
                "mend it or leave it out",
            )


def _range(spreads: Iterable[Spread]) -> tuple[float, float]:
    found = [s for s in spreads if s.low is not None and s.high is not None]
    lows, highs = (
        [float(end) for end in (getattr(s, side) for s in found)] for side in Spread._fields[:2]
    )
    return min(lows, default=0.0), max(highs, default=0.0)


def _merged(cells: Iterable[Cell]) -> list[Cell]:
    """Add up cells whose labels and groups are the same Python objects; a missing group is None."""
    merged: dict[Any, Cell] = {}
    for raw in cells:
        group = tuple(None if is_missing(v) else python_value(v) for v in raw.group)
        truth, prediction = python_value(raw.truth), python_value(raw.prediction)
        cell = raw._replace(truth=truth, prediction=prediction, group=group)
        key = tuple((type(value), value) for value in (truth, prediction, *group))
        merged[key] = _sum(merged[key], cell) if key in merged else cell
    return list(merged.values())


def _sum(a: Cell, b: Cell) -> Cell:
    return a._replace(
        n=a.n + b.n,
        weight=a.weight + b.weight,
        weight_squared=a.weight_squared + b.weight_squared,
    )
