"""A file of counts of several classes: a square table, truth in rows, or a row for every cell.

In long form other columns name groups, such as sites: each has a table of its own.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from baserate.adapters._query import is_nested, value_in
from baserate.adapters._roles import check_columns, refuse_nested
from baserate.adapters._table import Table
from baserate.adapters.counts_file import CountedRow, count_of, counted_rows, rows_of
from baserate.adapters.tables import table_of
from baserate.cases.counted import Key
from baserate.cases.several_classes import ClassCounted
from baserate.cases.values import distinct, from_text, label_of, listed
from baserate.class_counts import ClassTable
from baserate.counts import CELLS
from baserate.errors import DataError, MissingValueError

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
    """
    with table_of(path) as table:
        if not holds_classes(table.names):
            return counted_rows(table)
        groups = _group_columns(table) if _is_long(table) else []
        if not groups:
            return _classes(table)
        return ClassCounted.of_tables(groups, _long(table, groups))


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
    check_columns(names, list(dict.fromkeys(filter(None, names))), where)
    return _square(table, where)


def _is_long(table: Table) -> bool:
    return {name.lower() for name in table.names} >= set(LONG)


def _group_columns(table: Table) -> list[str]:
    """Return the columns that name groups, which are called what they are but once."""
    names = list(table.names)
    check_columns(names, list(dict.fromkeys(filter(None, names))), table.file.name)
    return [name for name in names if name and name.lower() not in LONG]


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
