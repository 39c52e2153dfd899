"""A file of counts: columns tp, fn, fp, tn, one row per group or classifier."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from os import PathLike
from typing import Any, BinaryIO, NamedTuple

from baserate.adapters._counts import MAX_ROWS
from baserate.adapters._query import decoded, is_nested
from baserate.adapters._roles import check_columns, refuse_nested
from baserate.adapters._table import Table, select
from baserate.adapters.engine import run
from baserate.adapters.tables import table_of
from baserate.cases.values import is_number, label_of
from baserate.counts import CELLS
from baserate.errors import DataError

MOST_DIGITS = 300  # after the first: a whole number of more is beyond all floats, and takes long
CLASSES = {"truth", "prediction"}  # two of the columns of a file of several classes


class CountedRow(NamedTuple):
    """One row: its labels by column, then its four counts."""

    labels: dict[str, Any]
    tp: int | float
    fn: int | float
    fp: int | float
    tn: int | float


def read_counts(path: str | PathLike[str] | BinaryIO) -> list[CountedRow]:
    """Read a file with columns tp, fn, fp and tn in any letter case; other columns are labels.

    Whole counts are int, others float, in the order of the file where the format has one.
    """
    with table_of(path) as table:
        return counted_rows(table)


def counted_rows(table: Table) -> list[CountedRow]:
    """Read what `read_counts` reads from an open table."""
    name = table.file.name
    check_columns(table.names, list(dict.fromkeys(filter(None, table.names))), name)
    at = _count_columns(table.names, name)
    labels = {i: column for i, column in enumerate(table.names) if i not in at and column}
    rows = rows_of(table, [*at, *labels])
    return [_counted(row, list(labels.values()), name, k) for k, row in enumerate(rows, 1)]


def _count_columns(names: Sequence[str], where: str) -> list[int]:
    lower = [name.lower() for name in names]
    times = Counter(lower)
    absent = [cell for cell in CELLS if not times[cell]]
    if absent:
        found = ", ".join(map(repr, names))
        if set(lower) >= CLASSES:
            raise DataError(
                f"{where} has columns truth and prediction and lacks one called count, which says "
                f"how many cases each row stands for; its columns are {found}."
            )
        raise DataError(
            f"{where} lacks the count columns {', '.join(absent)} (its columns are {found}): add "
            "them, or if its rows are cases, name their columns (--target, --prediction)."
        )
    twice = [cell for cell in CELLS if times[cell] > 1]
    if twice:
        raise DataError(f"{where} has more than one column called {twice[0]}: keep one of them.")
    return [lower.index(cell) for cell in CELLS]


def rows_of(table: Table, columns: Sequence[int], *, raw: bool = False) -> list[tuple[Any, ...]]:
    """Return these columns of every row, in the order of the file; raw JSON stays text."""
    table.connection.execute("SET preserve_insertion_order = true")
    scan = table.scan(columns)
    wanted = ", ".join(f"c{i}" for i in columns)
    sql = select(wanted, scan.sql, f"LIMIT {MAX_ROWS + 1}")
    rows = run(table.connection, sql, scan.parameters)
    if len(rows) > MAX_ROWS:
        raise DataError(f"{table.file.name} holds more than {MAX_ROWS:,} rows of counts.")
    if not rows:
        raise DataError(f"{table.file.name} holds no rows: pass at least one row of counts.")
    return rows if raw else [tuple(decoded(table, value) for value in row) for row in rows]


def _counted(row: Sequence[Any], names: list[str], where: str, number: int) -> CountedRow:
    place = f"in row {number} of {where}"
    counts = [count_of(value, f"{cell} {place}") for value, cell in zip(row, CELLS, strict=False)]
    labels = dict(zip(names, map(label_of, row[4:]), strict=True))
    for name, value in labels.items():
        if is_nested(value):
            refuse_nested(name, type(value).__name__, where)
    return CountedRow(labels, *counts)


def count_of(value: Any, place: str) -> int | float:
    """Read one count, a whole number as int; messages say where it stands."""
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdecimal()
        and len(value) < MOST_DIGITS
    ):
        return int(value)
    try:
        text = str(value).strip()
        found = Decimal(text if is_number(text) else "nan")
    except (InvalidOperation, ValueError):
        found = Decimal("nan")
    whole_or_float = found.is_finite() and found.adjusted() <= MOST_DIGITS
    if not whole_or_float or found < 0 or isinstance(value, bool):
        raise DataError(
            f"{place} must be a non-negative number, got {value!r}: pass counts or sums of weights."
        )
    return int(found) if found == found.to_integral_value() else float(found)
