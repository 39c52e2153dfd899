"""SQL over the columns of a file, known by position: nothing that the user named is part of it."""

import json
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from baserate.adapters._cells import cell_in_sql
from baserate.adapters._counts import (
    MAX_LABELS,
    Spread,
    Sums,
    beyond_floats,
    check_size,
    counted_cases,
    most_rows,
)
from baserate.adapters._roles import MISSING_TEXT, Roles, refuse_kind, refuse_nested
from baserate.adapters._table import TEXT_TYPES, Table, is_number_type, is_whole_type, select
from baserate.adapters.engine import run as execute
from baserate.cases import Cases
from baserate.cases.cases import Part
from baserate.cases.scores import EXACT, cutting_point, least_float
from baserate.cases.values import python_value

NANOSECONDS = "TIMESTAMP_NS"  # Python's datetimes would cut it to microseconds
LAST_WHOLE = 2**126  # whole numbers below are such in the engine too
NESTED_TYPES = ("STRUCT", "MAP", "UNION", "VARIANT")

Run = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


class Query:
    """The columns asked for, in SQL: labels and groups as keys, numbers as doubles."""

    def __init__(self, table: Table, roles: Roles) -> None:
        self.table = table
        self.roles = roles
        self.at = {column: table.names.index(column) for column in roles.columns}
        self.kinds = self._kinds()

    def counted(self, run: Run) -> Cases:
        """Count all cases: one GROUP BY that streams over the file."""
        roles, numbers = self.roles, self.numbers
        keys = ", ".join(f"k{i}" for i in range(len(roles.counted)))
        weighted = roles.weight is not None
        keys += ", (w IS NOT NULL) AS has_w" if weighted else ""
        sums = ", fsum(w), fsum(w * w)" if weighted else ""
        spreads = "".join(f", {_spread(name)}" for name in numbers)
        cells = f", {cell_in_sql('s0')} AS cell, count(*) FILTER (merged)" if roles.bins else ""
        rest = f"GROUP BY ALL LIMIT {most_rows(roles) + 1}"
        scan = self.table.rows(list(self.at.values()))
        values = f"{keys}, count(*){sums}{spreads}{cells}"
        found = run(select(values, f"({select(self._values(), scan.sql)})", rest), scan.parameters)
        columns = list(map(list, zip(*found, strict=True))) or [[]] * (len(roles.counted) + 20)
        return self._cases(columns, list(numbers.values()))

    def _cases(self, columns: list[list[Any]], numbers: list[Any]) -> Cases:
        """Take the columns that `counted` found apart."""
        roles, where, left = self.roles, self.table.file.name, iter(columns)
        parts = [(part, next(left)) for part in roles.counted]
        check_size([column for _, column in parts], roles, where)
        labels = [
            values if part in self._cut() else [self.python(roles.column(part), v) for v in values]
            for part, values in parts
        ]
        present = next(left) if roles.weight is not None else None
        count = next(left)
        sums = None if present is None else Sums(present, next(left), next(left))
        spreads = {column: Spread.of(*(next(left) for _ in range(4))) for column in numbers}
        about = {**self.about, "where": where}
        if roles.bins:
            about["ranges"] = self._ranges(columns)
        return counted_cases(roles, labels, count, sums, spreads, **about)

    def _ranges(self, columns: list[list[Any]]) -> dict[Any, tuple[Any, Any]]:
        """Return the range of the one score in each row; nan where it is missing."""
        [score] = self.roles.scores
        if any(columns[-1]):
            raise beyond_floats(score)
        low, high = (np.array(ends, dtype=float) for ends in columns[-6:-4])
        return {score: (low, high)}

    @property
    def about(self) -> dict[str, Any]:
        """What a record of these cases says about the file."""
        return {"from_text": self.table.is_text, "source": self.table.file.source}

    def some_labels(self, column: Any) -> list[Any]:
        """Look at the labels in the rows at hand, up to one too many."""
        rows = f"({select(f'{self.label(column)} AS v', self.table.rows([self.at[column]]).sql)})"
        sql = select("DISTINCT v", rows, f"LIMIT {MAX_LABELS + 2}")
        return [self.python(column, value) for (value,) in execute(self.table.connection, sql)]

    def _kinds(self) -> dict[Any, str]:
        types = self.table.kinds(sorted(set(self.at.values())))
        kinds = {column: types[i] for column, i in self.at.items()}
        for column, kind in kinds.items():
            if is_nested_type(kind):
                refuse_nested(column, kind.split("(")[0], self.table.file.name)
        return kinds

    @property
    def numbers(self) -> dict[str, Any]:
        """The columns of numbers, by the names that they have here."""
        named = {f"s{i}": score for i, score in enumerate(self.roles.scores)}
        return named if self.roles.weight is None else {**named, "w": self.roles.weight}

    def spreads(self) -> dict[Any, Spread]:
        """Return what the columns of numbers hold."""
        values = [
            text for name, column in self.numbers.items() for text in self.number(name, column)
        ]
        scan = self.table.rows(list(self.at.values()))
        wanted = ", ".join(map(_spread, self.numbers))
        sql = select(wanted, f"({select(', '.join(values), scan.sql)})")
        [found] = execute(self.table.connection, sql, scan.parameters)
        parts = (found[4 * i : 4 * i + 4] for i in range(len(self.numbers)))
        ranges = (Spread.of(*([value] for value in part)) for part in parts)
        return dict(zip(self.numbers.values(), ranges, strict=True))

    def _cut(self) -> dict[Part, str]:
        """Name the numbers that become decisions."""
        return {("predictions", score): f"s{i}" for i, score in enumerate(self.roles.cuts)}

    def _values(self) -> str:
        """Write numbers first, so that what is cut can refer to them."""
        cut = self._cut()
        parts = [
            text for name, column in self.numbers.items() for text in self.number(name, column)
        ]
        for i, part in enumerate(self.roles.counted):
            cells = self._reaches(part[1], cut[part]) if part in cut else self.cell(part)
            parts.append(f"{cells} AS k{i}")
        if self.roles.bins:
            [score] = self.roles.scores
            merged = f"{self.whole(score)} <> TRY_CAST(s0 AS HUGEINT) AND abs(s0) >= {EXACT}"
            parts.append(f"coalesce({merged}, false) AS merged")
        return ", ".join(parts)

    def cell(self, part: Part) -> str:
        """Write a label; a group or a fold may be called NA, a truth or a prediction may not."""
        column = self.roles.column(part)
        return self.label(column) if part[0] in ("truth", "predictions") else self.value(column)

    def _reaches(self, score: Any, name: str) -> str:
        """Write where the score reaches the threshold, as `baserate.cases.scores.reaches` does."""
        cut = cutting_point(self.roles.threshold)
        as_doubles = f"{name} >= {double(least_float(cut))}"
        if not EXACT < abs(cut) < LAST_WHOLE:
            return as_doubles
        return f"coalesce({self.whole(score)} >= {ceil(cut)}::HUGEINT, {as_doubles})"

    def whole(self, score: Any) -> str:
        """Write a number as a whole one; null if it is none."""
        raw = self.raw(score)
        is_whole = is_whole_type(self.kinds[score])
        return f"{raw}::HUGEINT" if is_whole else whole_number_in(f"{raw}::VARCHAR")

    def raw(self, column: Any) -> str:
        """Write a column of numbers or their text as it is stored."""
        name = f"c{self.at[column]}"
        return f"({name} ->> '$')" if self.table.is_json else name

    def label(self, column: Any) -> str:
        """Write the value of a label, with null for what the format means by missing."""
        value = self.value(column)
        return unmarked(value) if self.table.is_text else value

    def value(self, column: Any) -> str:
        """Write a column as it is handed over: nanoseconds as whole numbers, else none is lost."""
        name = f"c{self.at[column]}"
        return f"epoch_ns({name})" if self.kinds[column] == NANOSECONDS else name

    def number(self, name: str, column: Any) -> list[str]:
        """Write a column of numbers (null if missing), and one of text found in their place."""
        raw, kind = self.raw(column), self.kinds[column]
        if is_number_type(kind):
            return [f"{not_nan(f'{raw}::DOUBLE')} AS {name}", f"NULL::VARCHAR AS {name}_text"]
        if not kind.startswith(TEXT_TYPES):
            refuse_kind(column, kind, self.table.file.name)
        raw = raw if self.table.is_json else f"{raw}::VARCHAR"
        is_text = f"({unmarked(raw)}) IS NOT NULL AND {number_in(raw)} IS NULL"
        return [
            f"{not_nan(number_in(raw))} AS {name}",
            f"CASE WHEN {is_text} THEN {raw} END AS {name}_text",
        ]

    def python(self, column: Any, value: Any) -> Any:
        """Turn what the engine hands over into the Python value of a label."""
        if self.kinds[column] == NANOSECONDS and value is not None:
            return python_value(np.datetime64(value, "ns"))
        found = decoded(self.table, value)
        if is_nested(found):
            refuse_nested(column, type(found).__name__, self.table.file.name)
        return found


def decoded(table: Table, value: Any) -> Any:
    """Turn what the engine hands over into a Python value."""
    return json.loads(value) if table.is_json and value is not None else value


def is_nested(value: Any) -> bool:
    """Whether a value holds other values."""
    return isinstance(value, list | dict | tuple)


def _spread(name: str) -> str:
    return f"min({name}), max({name}), count({name}_text), any_value({name}_text)"


def is_nested_type(kind: str) -> bool:
    """Whether a column type holds other values."""
    return kind.endswith("]") or kind.startswith(NESTED_TYPES)


def unmarked(name: str) -> str:
    """Write a text, with null for the usual markers of a missing value."""
    markers = ", ".join(f"'{marker}'" for marker in MISSING_TEXT)
    return f"CASE WHEN {name} IN ({markers}) THEN NULL ELSE {name} END"


def not_nan(number: str) -> str:
    """Write a number, with null for nan."""
    return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END"


def number_in(text: str) -> str:
    """Write the number, or true or false, that a text says; null if it says none."""
    truth = f"CASE lower(trim({text})) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END"
    return f"coalesce(try_cast({text} AS DOUBLE), {truth})"


def whole_number_in(text: str) -> str:
    """Write the whole number that digits say; null if there is anything else."""
    digits = f"regexp_full_match({text}, '\\s*[+-]?[0-9]+\\s*')"
    return f"CASE WHEN {digits} THEN try_cast({text} AS HUGEINT) END"


def double(value: float) -> str:
    """Write a number as a double: a bare 0.1 would be a decimal."""
    return f"CAST('{value!r}' AS DOUBLE)"
