"""Utility matrices with names, out of mappings and of TOML and CSV files."""

import csv
from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from baserate._toml import toml_of
from baserate.cases.values import is_number
from baserate.errors import DataError, InvalidArgumentError
from baserate.metrics.utilities import MOST

ARGUMENT = "path (--utility)"
LARGEST = 1 << 24  # bytes: a thousand decisions for a thousand classes


class NamedUtilities(NamedTuple):
    """Utilities with the names of their rows and columns."""

    matrix: list[list[float]]
    decisions: tuple[Any, ...]
    classes: tuple[Any, ...]
    positive: int
    stated: bool = False  # whether somebody said which class is positive


def from_mapping(mapping: Any, positive: int = 0) -> NamedUtilities:
    """Read {decision: {class: utility}}; the first decision gives the order of the classes."""
    right = isinstance(mapping, Mapping) and all(isinstance(r, Mapping) for r in mapping.values())
    if not (right and mapping):
        rule = "must be {decision: {class: utility}}"
        remedy = "write for example {'buy': {'win': 10, 'lose': -1}, 'pass': {'win': 0, 'lose': 0}}"
        raise InvalidArgumentError.from_rule("mapping", rule, mapping, remedy)
    decisions, classes = tuple(mapping), tuple(next(iter(mapping.values())))
    for decision, row in mapping.items():
        if set(row) != set(classes):
            rule = f"must give decision {decision!r} a utility for each of {list(classes)}"
            remedy = "name the same classes for every decision"
            raise InvalidArgumentError.from_rule("mapping", rule, list(row), remedy)
    matrix = [[mapping[d][c] for c in classes] for d in decisions]
    return NamedUtilities(matrix, decisions, classes, positive)


def from_file(path: Any, positive: int | None) -> NamedUtilities:
    """Read a TOML or CSV file, whichever its ending says."""
    file = Path(path)
    readers = {".toml": _from_toml, ".csv": _from_csv}
    if file.suffix.lower() not in readers:
        rule, remedy = "must end in .toml or .csv", "write the utilities in one of these formats"
        raise DataError.from_rule(ARGUMENT, rule, str(path), remedy)
    try:
        named = readers[file.suffix.lower()](file)
    except (OSError, UnicodeDecodeError) as error:
        rule, remedy = "must be a text file that can be read", "check its name and encoding"
        given = f"{file} ({getattr(error, 'strerror', None) or error})"
        raise DataError(f"{ARGUMENT} {rule}, got {given}: {remedy}.") from error
    return named if positive is None else named._replace(positive=positive, stated=True)


def _from_toml(file: Path) -> NamedUtilities:
    try:
        content = toml_of(file, LARGEST)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise _broken(file, f"is not TOML: {error}") from error
    tables = {key: row for key, row in content.items() if key not in {"positive", "utilities"}}
    table = content.get("utilities")
    if tables or not isinstance(table, dict) or not table:
        found = ", ".join(map(repr, content)) or "nothing"
        raise _broken(file, f"must hold a table [utilities] and perhaps positive, not {found}")
    for decision, row in table.items():
        if not isinstance(row, dict):
            raise _broken(file, f"gives decision {decision!r} no table of utilities by class")
        for name, value in row.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (number and -MOST <= value <= MOST):
                raise _broken(file, f"gives {decision!r}, {name!r} the utility {value!r}")
    named = from_mapping(table)
    if not named.classes:
        raise _broken(file, "names no class")
    positive = content.get("positive", named.classes[0])
    if positive not in named.classes:
        raise _broken(file, f"calls {positive!r} positive, which is none of {list(named.classes)}")
    at = named.classes.index(positive)
    return named._replace(positive=at, stated="positive" in content)


def _from_csv(file: Path) -> NamedUtilities:
    if file.stat().st_size > LARGEST:
        raise _broken(file, f"is larger than {LARGEST:,} bytes")
    lines = [one for one in file.read_text(encoding="utf-8-sig").splitlines() if one.strip()]
    header = lines[0] if lines else ""
    delimiter = ";" if ";" in header and "," not in header else ","
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error as error:
        raise _broken(file, f"is not CSV ({error})") from None
    if len(rows) < 2 or len(rows[0]) < 2:
        raise _broken(file, "must have a header 'decision,class,...' and one row per decision")
    classes, decisions, matrix = tuple(rows[0][1:]), list[str](), list[list[float]]()
    for name, *cells in rows[1:]:
        if len(cells) != len(classes):
            words = f"gives decision {name!r} {len(cells)} utilities for {len(classes)} classes"
            raise _broken(file, words)
        decisions.append(name)
        pairs = zip(classes, cells, strict=True)
        matrix.append([_number(file, name, column, cell) for column, cell in pairs])
    return NamedUtilities(matrix, tuple(decisions), classes, 0)


def _number(file: Path, decision: str, column: str, cell: str) -> float:
    value = float(cell) if is_number(cell) else nan
    if not -MOST <= value <= MOST:
        raise _broken(file, f"gives {decision!r}, {column!r} the utility {cell!r}")
    return value


def _broken(file: Path, words: str) -> DataError:
    return DataError(
        f"{file.name} {words}: "
        f"give every decision one number from {-MOST:g} to {MOST:g} for each class."
    )
