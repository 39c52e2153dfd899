"""The one query that counts a file, built from column positions."""

import json
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from baserate.adapters._cells import MAX_CELLS, Cell, Spread, check_size
from baserate.adapters._roles import Roles, refuse_kind, refuse_nested
from baserate.adapters._running import run as execute
from baserate.adapters._sql import (
    TEXT_TYPES,
    double,
    is_nested_type,
    is_number_type,
    is_whole_type,
    not_nan,
    number_in,
    select,
    unmarked,
    whole_number_in,
)
from baserate.adapters.tables import Table
from baserate.cases.scores import EXACT, least_float
from baserate.cases.values import python_value

NANOSECONDS = "TIMESTAMP_NS"  # Python's datetimes would cut it to microseconds
LAST_WHOLE = 2**126  # whole numbers below are such in the engine too
PROBE_ROWS = 100_000  # rows looked at before the whole file, to refuse scores passed as labels

Run = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


class Query:
    """Truth, prediction and groups as keys; cases, weights and the range of numbers as sums."""

    def __init__(self, table: Table, roles: Roles) -> None:
        self.table = table
        self.roles = roles
        self.at = {column: table.names.index(column) for column in roles.columns}
        self.kinds = self._kinds()

    def cells(self, run: Run) -> list[Cell]:
        """Count the whole file."""
        scan = self.table.scan(list(self.at.values()))
        groups = [f"g{i}" for i in range(len(self.roles.groups))]
        keys = ", ".join(["t", "p", "has_w", *groups])
        sums = "fsum(w), fsum(w * w)" if self.roles.weight is not None else "0.0, 0.0"
        values = f"{keys}, count(*), {sums}, {_spread('s')}, {_spread('w')}"
        rows = f"({select(self._values(), scan.sql)})"
        sql = select(values, rows, f"GROUP BY {keys} LIMIT {MAX_CELLS + 1}")
        cells = [self._cell(row) for row in run(sql, scan.parameters)]
        check_size(cells, self.roles, self.table.file.name)
        return cells

    def some_labels(self, column: Any) -> list[Any]:
        """Look at the labels in the first rows."""
        scan = self.table.scan([self.at[column]])
        first = select(f"{self.label(column)} AS v", scan.sql, f"LIMIT {PROBE_ROWS}")
        sql = select("DISTINCT v", f"({first})")
        found = execute(self.table.connection, sql, scan.parameters)
        return [self.python(column, value) for (value,) in found]

    def _kinds(self) -> dict[Any, str]:
        positions = sorted(set(self.at.values()))
        scan = self.table.scan(positions)
        sql = select(", ".join(f"c{i}" for i in positions), scan.sql, "LIMIT 0")
        described = self.table.connection.execute(sql, scan.parameters).description or []
        types = dict(zip(positions, (str(column[1]) for column in described), strict=True))
        kinds = {column: types[i] for column, i in self.at.items()}
        for column, kind in kinds.items():
            if is_nested_type(kind):
                refuse_nested(column, kind.split("(")[0], self.table.file.name)
        return kinds

    def _values(self) -> str:
        roles = self.roles
        score = roles.score if roles.is_cut else None
        predicted = self._reaches() if roles.is_cut else self.label(roles.prediction)
        parts = [
            f"{self.label(roles.target)} AS t",
            *self.number("s", score),
            *self.number("w", roles.weight),
            f"{predicted} AS p",
            "w IS NOT NULL AS has_w",
            *(f"{self.value(column)} AS g{i}" for i, column in enumerate(roles.groups)),
        ]
        return ", ".join(parts)

    def _reaches(self) -> str:
        """Write where the score reaches the threshold, as `baserate.cases.scores.reaches` does."""
        cut = self.roles.cut
        as_doubles = f"s >= {double(least_float(cut))}"
        if not EXACT < abs(cut) < LAST_WHOLE:
            return as_doubles
        raw, kind = f"c{self.at[self.roles.score]}", self.kinds[self.roles.score]
        if self.table.is_json:
            raw = f"({raw} ->> '$')"
        whole = f"{raw}::HUGEINT" if is_whole_type(kind) else whole_number_in(f"{raw}::VARCHAR")
        return f"coalesce({whole} >= {ceil(cut)}::HUGEINT, {as_doubles})"

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
        if column is None:
            return [f"NULL::DOUBLE AS {name}", f"NULL::VARCHAR AS {name}_text"]
        raw, kind = f"c{self.at[column]}", self.kinds[column]
        if is_number_type(kind):
            return [f"{not_nan(f'{raw}::DOUBLE')} AS {name}", f"NULL::VARCHAR AS {name}_text"]
        if not kind.startswith(TEXT_TYPES):
            refuse_kind(column, kind, self.table.file.name)
        raw = f"({raw} ->> '$')" if self.table.is_json else f"{raw}::VARCHAR"
        is_text = f"({unmarked(raw)}) IS NOT NULL AND {number_in(raw)} IS NULL"
        return [
            f"{not_nan(number_in(raw))} AS {name}",
            f"CASE WHEN {is_text} THEN {raw} END AS {name}_text",
        ]

    def _cell(self, row: tuple[Any, ...]) -> Cell:
        roles = self.roles
        k = 3 + len(roles.groups)
        truth, prediction, has_weight, *group = row[:k]
        if not roles.is_cut:
            prediction = self.python(roles.prediction, prediction)
        return Cell(
            truth=self.python(roles.target, truth),
            prediction=prediction,
            group=tuple(map(self.python, roles.groups, group)),
            has_weight=has_weight,
            n=row[k],
            weight=row[k + 1],
            weight_squared=row[k + 2],
            score=Spread(*row[k + 3 : k + 7]),
            weights=Spread(*row[k + 7 :]),
        )

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
