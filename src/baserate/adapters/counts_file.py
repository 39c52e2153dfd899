"""A file of counts: of two classes in tp, fn, fp and tn, or of several, cell by cell.

Of two classes a row per group or classifier. Of several a square table with the truth in rows, or a
row for every cell; in long form other columns name groups, such as sites: each has a table.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from os import PathLike
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from baserate.adapters._counts import MAX_ROWS
from baserate.adapters._query import decoded, is_nested, value_in
from baserate.adapters._roles import check_columns, refuse_nested
from baserate.adapters._table import Table, select
from baserate.adapters.engine import run
from baserate.adapters.tables import table_of
from baserate.cases.counted import Key
from baserate.cases.several_classes import ClassCounted
from baserate.cases.values import distinct, from_text, is_number, label_of, listed
from baserate.class_counts import ClassTable
from baserate.counts import CELLS
from baserate.errors import DataError, MissingValueError

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
    check_columns(table.names, _named(table), name)
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
            "them, or if its rows are cases, or so many each (--frequency), name their columns "
            "(--target, --prediction)."
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


LONG = ("truth", "prediction", "count")
DOCUMENT = ("counts", "labels")  # what `ClassTable.to_dict` writes
MARGINS = {"all", "total", "totals", "sum", "margin", "margins"}


def read_any_counts(
    path: str | PathLike[str] | BinaryIO,
) -> list[CountedRow] | ClassTable | ClassCounted:
    """Read a file of counts, opened once: of two classes in tp, fn, fp, tn, or of several.

    Of several classes either a square table: a corner cell (empty, or anything) and the predicted
    labels in the header, then a row for every true label, which begins with it. **Truth stands in
    rows**: a table the other way round cannot be told. Or columns truth, prediction and count, a
    row for every cell that is not 0; columns beside these name groups. Or the JSON document of
    `ClassTable.to_dict`.

    Classes are in the order of the columns, or of `labels`; in long form, numbers by size and text
    by alphabet. Labels that are all numbers, or true and false, are read as such.

    Of two classes a JSON object of names, each with its four counts, is a row for each name.
    """
    with table_of(path) as table:
        if named := _by_name(table):
            return named
        if not holds_classes(table.names):
            return counted_rows(table)
        groups = _group_columns(table) if _is_long(table) else []
        if not groups:
            return _classes(table)
        return ClassCounted.of_tables(groups, _long(table, groups))


def _by_name(table: Table) -> list[CountedRow]:
    """Return the tables of a JSON object of names, each with its counts; none of any other file."""
    known = {name.lower() for name in table.names}
    if not table.is_json or known & {*CELLS, *LONG, *DOCUMENT}:
        return []
    [found, *more] = rows_of(table, range(len(table.names)), raw=True)
    values = [value_in(table, text) if isinstance(text, str) else text for text in found]
    if more or not all(isinstance(one, dict) and {*CELLS} <= {*one} for one in values):
        return []
    where = table.file.name
    return [
        _counted([*map(one.get, CELLS), name], ["name"], where, k)
        for k, (name, one) in enumerate(zip(table.names, values, strict=True), 1)
    ]


def holds_classes(names: Sequence[str]) -> bool:
    """Whether a file with this header holds counts of several classes, not of two."""
    lower = {name.lower() for name in names}
    return lower == set(DOCUMENT) or (len(names) > 2 and lower.isdisjoint(CELLS))


def _classes(table: Table) -> ClassTable:
    names, where = list(table.names), table.file.name
    if table.is_json and sorted(name.lower() for name in names) == sorted(DOCUMENT):
        return _document(table, where)
    if _is_long(table):
        return _long(table, [])[()]
    check_columns(names, _named(table), where)
    return _square(table, where)


def _is_long(table: Table) -> bool:
    return {name.lower() for name in table.names} >= set(LONG)


def _group_columns(table: Table) -> list[str]:
    """Return the columns that name groups, which are called what they are but once."""
    check_columns(table.names, _named(table), table.file.name)
    return [name for name in _named(table) if name.lower() not in LONG]


def _named(table: Table) -> list[str]:
    """Return the names of columns, but for those that have none."""
    return list(dict.fromkeys(filter(None, table.names)))


def _document(table: Table, where: str) -> ClassTable:
    [found, *more] = rows_of(table, [table.names.index(name) for name in DOCUMENT], raw=True)
    if more:
        raise DataError(f"{where} holds several class tables: pass one of them.")
    counts, labels = (value_in(table, text) if isinstance(text, str) else text for text in found)
    if not isinstance(labels, list) or not isinstance(counts, list):
        raise DataError(f"{where} must hold a list of labels and a square list of counts.")
    rows = [row if isinstance(row, list) else [row] for row in counts]
    return ClassTable(_cells(rows, labels, labels, where), labels)


def _square(table: Table, where: str) -> ClassTable:
    names, rows = _without_index(table.names, rows_of(table, range(len(table.names))))
    predicted, truth = _labels(names[1:], [row[0] for row in rows], where)
    if not set(predicted) & set(truth):
        counted_rows(table)  # refused: it names the columns that counts of two classes have
    for side, found in (("columns", predicted), ("rows", truth)):
        if len(set(found)) < len(found):
            twice = next(label for label in found if found.count(label) > 1)
            raise DataError(f"{where} has two {side} called {twice!r}: add them up first.")
    if set(predicted) != set(truth):
        raise DataError(
            f"{where} must hold the same classes in rows (the truth) and columns (predictions), "
            f"but its rows are {listed(truth)} and its columns {listed(predicted)}: add rows or "
            "columns of zeros; counts of two classes need columns tp, fn, fp and tn."
        )
    margin = next((label for label in truth if str(label).strip().lower() in MARGINS), None)
    if margin is not None:
        raise DataError(f"{where} holds totals, called {margin!r}: leave out their row and column.")
    cells = _cells([row[1:] for row in rows], truth, predicted, where)
    order = [truth.index(label) for label in predicted]
    return ClassTable(cells[order], predicted)


def _without_index(
    names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    """Leave out the numbers of rows that pandas writes before `ClassTable.to_frame()`."""
    if names[0] or len(rows) != len(names) - 2 or {str(row[1]) for row in rows} != {*names[2:]}:
        return names, rows
    return names[1:], [row[1:] for row in rows]


def _long(table: Table, groups: Sequence[str]) -> dict[Key, ClassTable]:
    """Read a row for every cell; every combination of group labels has a table, of all classes."""
    where, lower = table.file.name, [name.lower() for name in table.names]
    rows = rows_of(table, [*map(lower.index, LONG), *map(list(table.names).index, groups)])
    predicted, truth = _labels([row[1] for row in rows], [row[0] for row in rows], where)
    labels = distinct([*truth, *predicted])
    if len(labels) < 2:
        raise DataError(f"{where} holds fewer than two classes: pass at least two.")
    found = dict[Key, dict[tuple[Any, Any], Any]]()
    for number, (t, p, row) in enumerate(zip(truth, predicted, rows, strict=True), 1):
        named = zip(groups, row[3:], strict=True)
        key = tuple(_group_label(value, name, f"row {number} of {where}") for name, value in named)
        cells = found.setdefault(key, {})
        more = count_of(row[2], f"The count of {t!r} called {p!r} in {where}")
        cells[t, p] = cells.get((t, p), 0) + more
    return {key: _filled(cells, labels) for key, cells in found.items()}


def _filled(cells: Mapping[tuple[Any, Any], Any], labels: Sequence[Any]) -> ClassTable:
    place, amounts = {label: k for k, label in enumerate(labels)}, np.array([*cells.values()])
    counts = np.zeros((len(labels), len(labels)), dtype=amounts.dtype)
    counts[[place[t] for t, _ in cells], [place[p] for _, p in cells]] = amounts
    return ClassTable(counts, labels)


def _group_label(value: Any, column: str, place: str) -> Any:
    """Return the label of a group; nothing is none, nor is a share that stands beside counts."""
    label = label_of(value)
    if label is None:
        raise MissingValueError(
            f"{place.capitalize()} has no value in column {column!r}: name every row."
        )
    if is_nested(label):
        refuse_nested(column, type(label).__name__, place)
    read = from_text(label)
    if isinstance(read, float) and not read.is_integer():
        raise DataError(
            f"Column {column!r} would name groups, but is {read!r} in {place}: leave out columns "
            "that name none."
        )
    return label


def _cells(rows: Sequence[Sequence[Any]], truth: Any, predicted: Any, where: str) -> Any:
    """Read the counts; what is wrong is named by its row and column."""
    if len(rows) != len(truth) or any(len(row) != len(predicted) for row in rows):
        raise DataError(
            f"{where} must hold a square of {len(predicted)} x {len(predicted)} counts."
        )
    return np.array(
        [
            [
                count_of(value, f"Row {t!r}, column {p!r} of {where}")
                for p, value in zip(predicted, row, strict=True)
            ]
            for t, row in zip(truth, rows, strict=True)
        ]
    )


def _labels(
    predicted: Sequence[Any], truth: Sequence[Any], where: str
) -> tuple[list[Any], list[Any]]:
    for value in (*predicted, *truth):
        if is_nested(value):
            refuse_nested("truth", type(value).__name__, where)
    sides = [[label_of(value) for value in side] for side in (predicted, truth)]
    read = [[from_text(value) for value in side] for side in sides]
    if any(value is None for side in read for value in side):
        read = [["" if value is None else str(value).strip() for value in side] for side in sides]
    return read[0], read[1]
