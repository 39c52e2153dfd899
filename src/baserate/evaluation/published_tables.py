"""Tables that were counted elsewhere, in memory or in a file, look as if counted here."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from os import PathLike
from pathlib import Path
from typing import Any

from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.cases.values import plain_label
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import DataError, InvalidArgumentError, MissingValueError

ROW = "name"  # the column that names the tables of a mapping
NO_TABLE = {list: "rows", ClassCounted: "tables of several groups"}  # what else a file may hold


class CountsFile(str):
    """The path of a file of counts, in place of a path: for files that are not known by columns.

    CSV, TSV and JSON files are known by their columns (``tp, fn, fp, tn``, or ``truth, prediction,
    count``); compressed ones and Parquet are read as cases unless they are marked.

    Examples
    --------
    >>> from baserate.evaluation import CountsFile
    >>> CountsFile("counts.csv.gz"), CountsFile.each({"north": "a.parquet"})
    ('counts.csv.gz', {'north': 'a.parquet'})
    """

    __slots__ = ()

    @classmethod
    def each(cls, data: Any) -> Any:
        """Mark a path, or every path of a mapping."""
        if isinstance(data, Mapping):
            return {name: cls(path) for name, path in data.items()}
        return cls(data)


Published = CountsFile | ConfusionMatrix | ClassTable | Mapping  # what was counted elsewhere


def files_in(data: Any) -> list[Any]:
    """Return the files of counts of a mapping, else the data themselves."""
    values = list(data.values()) if isinstance(data, Mapping) else []
    return values if any(isinstance(file, CountsFile) for file in values) else [data]


def counted_elsewhere(data: Any, positive: Any) -> tuple[Counted, dict[str, Any]]:
    """Take tables that were counted elsewhere, or read them, and say where they are from."""
    found, about = given_tables(data)
    return _of_two_classes(found, positive, data), about


def any_counted_elsewhere(
    data: Any, positive: Any, *, several: int
) -> tuple[Counted | ClassCounted, dict[str, Any]]:
    """Do the same; class tables stay what they are if `several`, unless a label is positive."""
    found, about = given_tables(data)
    if several and positive is None and (classes := _of_class_tables(found)) is not None:
        return classes, about
    return _of_two_classes(found, positive, data), about


def given_tables(data: Any) -> tuple[Any, dict[str, Any]]:
    """Read tables out of a file of counts, or of several, and name them.

    Tables themselves pass through. Each of several files is one class table.
    """
    files = files_in(data)
    if not isinstance(files[0], CountsFile):
        return data, {}
    from baserate.adapters.counts_file import read_any_counts

    if not isinstance(data, Mapping):
        return read_any_counts(data), {"source": called(data)}
    read = {name: read_any_counts(file) for name, file in data.items()}
    for name, table in read.items():
        if kind := NO_TABLE.get(type(table)):
            raise DataError(
                f"{called(data[name])} holds {kind}, not one class table: pass it alone, or one "
                "class table per file."
            )
    return read, {"source": ", ".join(Path(called(file)).name for file in files)}


def _of_two_classes(found: Any, positive: Any, data: Any) -> Counted:
    if isinstance(found, list):
        return _of_rows(found, data, positive)
    classes = _of_class_tables(found)
    if classes is None:
        return from_tables(found, positive)
    if positive is None:
        rule, remedy = "must be given with a class table", "name one of its labels"
        if classes.groups and isinstance(data, CountsFile):
            rule = "must be given with tables of several groups in one file"
            remedy = "name one of the labels, or pass a file for each classifier"
        raise InvalidArgumentError.from_rule("positive", rule, positive, remedy)
    groups = classes.groups or {(ROW,): classes.table}
    rest = {key: table.one_vs_rest(_label(table, positive)) for key, table in groups.items()}
    return published(classes.group_names, rest, positive)


def _label(table: ClassTable, written: Any) -> Any:
    """Return the label of a class table that is written so: a command line knows text only."""
    same = (label for label in table.labels if str(label) == str(written))
    return written if plain_label("positive", written) in table.labels else next(same, written)


def called(path: str | PathLike[str]) -> str:
    """Name a file of counts in a report."""
    return "standard input" if str(path) == "-" else str(path)


def _of_rows(rows: Sequence[Any], path: Any, positive: Any) -> Counted:
    names = tuple(rows[0].labels)
    tables: dict[tuple[Any, ...], ConfusionMatrix] = {}
    for number, row in enumerate(rows, 1):
        unnamed = next((name for name, value in row.labels.items() if value is None), None)
        if unnamed is not None:
            raise MissingValueError(
                f"Row {number} of {path} has no value in column {unnamed!r}: name every row."
            )
        key = tuple(row.labels.values())
        if names and key in tables:
            called = ", ".join(map(repr, key))
            raise DataError(f"Two rows of {path} are called {called}: give each its own name.")
        table = ConfusionMatrix(tp=row.tp, fn=row.fn, fp=row.fp, tn=row.tn)
        tables[key] = tables[key] + table if key in tables else table
    return published(names, tables, positive)


def from_tables(data: Any, positive: Any) -> Counted:
    """Take tables that were counted elsewhere."""
    tables = {ROW: data} if isinstance(data, ConfusionMatrix) else dict(data)
    if not tables:
        raise InvalidArgumentError.from_rule("data", "must hold a table", data, "pass one")
    for name, table in tables.items():
        if not isinstance(table, ConfusionMatrix) or table.shape:
            rule = "must be a single ConfusionMatrix"
            four = "ConfusionMatrix(**data)" if set(data) == set(CELLS) else "one per name"
            raise InvalidArgumentError.from_rule(f"table {name!r}", rule, table, f"pass {four}")
    names = () if isinstance(data, ConfusionMatrix) else (ROW,)
    return published(names, {(name,): table for name, table in tables.items()}, positive)


@singledispatch
def _of_class_tables(data: Any) -> ClassCounted | None:
    """Make class tables look as if they had been counted here; those of a mapping are groups."""
    tables = {(name,): table for name, table in class_tables_in(data).items()}
    return ClassCounted.of_tables((ROW,), tables) if tables else None


@_of_class_tables.register
def _of_counted_classes(data: ClassCounted) -> ClassCounted:
    return data


@_of_class_tables.register
def _of_one_class_table(data: ClassTable) -> ClassCounted:
    return ClassCounted(table=single_class_table("data", data), n=data.n)


def class_tables_in(data: Any) -> dict[Any, ClassTable]:
    """Return the class tables of a mapping, by name; none where it holds other tables."""
    every = data if isinstance(data, Mapping) else {}
    if not any(isinstance(table, ClassTable) for table in every.values()):
        return {}
    return {name: single_class_table(f"table {name!r}", table) for name, table in every.items()}


def published(
    names: tuple[str, ...], tables: Mapping[tuple[Any, ...], ConfusionMatrix], positive: Any = None
) -> Counted:
    """Make counts that were published, one table per row, look as if they had been counted here."""
    total = ConfusionMatrix(tp=0, fn=0, fp=0, tn=0)
    for table in tables.values():
        total += table
    return Counted(
        table=total,
        positive="positive" if positive is None else positive,
        labels=(),
        n=total.n,
        groups=dict(tables) if names else {},
        group_names=names,
        group_n={key: table.n for key, table in tables.items()} if names else {},
    )
