"""SQL over the columns of a file, known by position: nothing that the user named is part of it."""

import json
from math import ceil, log2
from typing import Any

import numpy as np

from baserate.adapters._counts import (
    MAX_LABELS,
    ColumnRange,
    Sums,
    beyond_floats,
    check_size,
    counted_cases,
    most_rows,
)
from baserate.adapters._packed import OUTSIDE, Packing, cell_in_sql, fetch, packing_of
from baserate.adapters._roles import MISSING_TEXT, Roles, refuse_kind, refuse_nested
from baserate.adapters._table import TEXT_TYPES, Table, is_number_type, is_whole_type, select
from baserate.adapters.engine import Progress
from baserate.adapters.engine import run as execute
from baserate.cases.cases import Cases, Part
from baserate.cases.scores import EXACT, cutting_point, least_float
from baserate.cases.values import python_value
from baserate.curves.score_grid import COARSEST, LEVEL
from baserate.errors import DataError

NANOSECONDS = "TIMESTAMP_NS"  # Python's datetimes would cut it to microseconds
LAST_WHOLE = 2**126  # whole numbers below are such in the engine too
NESTED_TYPES = ("STRUCT", "MAP", "UNION", "VARIANT")

START = "CREATE OR REPLACE TEMP TABLE"
TALLY = "tally"  # the table of the engine that cases are counted into
FAST = 2**17  # rows of a table that processors keep near
FEWEST = 8  # the level of cells below which a larger table is the lesser evil


class Query:
    """The columns asked for, in SQL: labels and groups as keys, numbers as doubles."""

    def __init__(self, table: Table, roles: Roles) -> None:
        self.table = table
        self.roles = roles
        self.at = {column: table.names.index(column) for column in roles.columns}
        self.kinds = self._kinds()
        self.level = self._fine_enough() if roles.bins else LEVEL
        self.packing: Packing | None = None

    def look(self) -> None:
        """Learn from the rows at hand how the whole file is counted soonest."""
        self.packing = packing_of(self, self.level) if self.roles.bins else None
        self.level = self.level if self.packing is None else self.packing.level

    def counted(self, progress: Progress | None = None) -> Cases:
        """Count all cases: one GROUP BY that streams over the file, inside the engine."""
        size = self._tally(progress)
        while size > most_rows(self.roles) and self.level > COARSEST:
            self.level, self.packing = self.level - 2, None
            size = self._tally(progress)
        cells = {f"k{i}": (part, self._tallied(i, part))
                 for i, part in enumerate(self.roles.counted)}  # fmt: skip
        weights = ["has_w", "w_sum", "w_squares"] if self.roles.weight is not None else []
        ends = ["s0_low", "s0_high"] if self.roles.bins else []
        labels, found = fetch(self, cells, ["n", *weights, *ends], TALLY)
        where = self.table.file.name
        check_size(size, [column.labels for column in labels.values()], self.roles, where)
        sums = Sums(*(found[name] for name in weights)) if weights else None
        about = {**self.about, "where": where}
        if ends and not self._merged():
            [score] = self.roles.scores
            about["ranges"] = {score: tuple(found[end] for end in ends)}
        spreads = self._spreads_of_tally()
        return counted_cases(self.roles, labels.values(), found["n"], sums, spreads, **about)

    def _tally(self, progress: Progress | None) -> int:
        connection, into, which = self.table.connection, f"{START} {TALLY} AS", ""
        if self.packing is not None:
            left = self._count_packed(self.packing, progress)
            into, which = f"INSERT INTO {TALLY} BY NAME", left
        if which is not None:
            cases, parameters = self._cases()
            wanted = ", ".join([*self._keys(), "count(*) AS n", *self._sums()])
            rest = f"{which} GROUP BY ALL LIMIT {most_rows(self.roles) + 1}"
            sql = f"{into} {select(wanted, cases, rest)}"
            execute(connection, sql, parameters, progress)
        [[size]] = execute(connection, select("count(*)", TALLY))
        return size

    def _cases(self) -> tuple[str, Any]:
        """Write all cases, with parameters, for one pass: some readers are read once."""
        scan = self.table.rows(list(self.at.values()))
        return f"({select(self.values(), scan.sql)})", scan.parameters

    def _count_packed(self, packing: Packing, progress: Progress | None) -> str | None:
        """Count by one number the cases that have one; return which ones have none, if any."""
        connection, (cases, parameters) = self.table.connection, self._cases()
        wanted = f"{packing.number} AS number, count(*) AS n, min(s0) AS s0_low, max(s0) AS s0_high"
        rows = select(wanted, cases, "GROUP BY number")
        execute(connection, f"{START} numbered AS {rows}", parameters, progress)
        above = double(least_float(cutting_point(self.roles.threshold)))
        cell = f"2 * number::INTEGER + (s0_low >= {above})::INTEGER AS cell"
        wanted = ", ".join([*packing.labels, cell, "n", "s0_low", "s0_high"])
        found = select(wanted, "numbered", f"WHERE number < {OUTSIDE}")
        execute(connection, f"{START} {TALLY} AS {found}")
        left = f"count(*) FILTER (number IS NULL) > 0, count(*) FILTER (number = {OUTSIDE}) > 0"
        [(labels, scores)] = execute(connection, select(left, "numbered"))
        return f"WHERE {packing.rest(labels=labels)}" if labels or scores else None

    def _keys(self) -> list[str]:
        """Write what cases are counted by; the last bit beside a cell is the decision."""
        roles, cut = self.roles, self.cut if self.roles.bins else {}
        keys = [f"k{i}" for i, part in enumerate(roles.counted) if part not in cut]
        kind = "CASE WHEN w IS NULL THEN 0 WHEN w = 0 THEN 2 ELSE 1 END AS has_w"  # 0 apart
        keys += [kind] if roles.weight is not None else []
        if roles.bins:
            decided = "".join(f" + k{i}::INTEGER" for i, p in enumerate(roles.counted) if p in cut)
            keys.append(f"2 * {cell_in_sql('s0', self.level)}{decided} AS cell")
        return keys

    def _tallied(self, i: int, part: Part) -> str:
        return "cell & 1 = 1" if self.roles.bins and part in self.cut else f"k{i}"

    def _sums(self) -> list[str]:
        """Write what is summed up beside the number of cases."""
        sums = ["fsum(w) AS w_sum", "fsum(w * w) AS w_squares"]
        sums = [] if self.roles.weight is None else sums
        for name, column in self.numbers.items():
            sums += [f"min({name}) AS {name}_low", f"max({name}) AS {name}_high"]
            if self.kinds[column].startswith(TEXT_TYPES):
                sums += [
                    f"count({name}_text) AS {name}_n",
                    f"min({name}_text) AS {name}_text",
                ]
        return [*sums, *(["count(*) FILTER (merged) AS merged"] if self._may_merge() else [])]

    def _spreads_of_tally(self) -> dict[Any, ColumnRange]:
        connection, found = self.table.connection, {}
        for name, column in self.numbers.items():
            is_text = self.kinds[column].startswith(TEXT_TYPES)
            texts = f"sum({name}_n), min({name}_text)" if is_text else "0, NULL"
            sql = select(f"min({name}_low), max({name}_high), {texts}", TALLY)
            [spread] = execute(connection, sql)
            found[column] = ColumnRange.of(*([value] for value in spread))
        return found

    def _merged(self) -> bool:
        """Whether cells merge whole numbers: then there is no more than what they decide.

        Refused without a threshold, by which they would decide something.
        """
        found = self._may_merge() and execute(
            self.table.connection, select("coalesce(sum(merged), 0) > 0", TALLY)
        ) == [(True,)]
        if found and not self.roles.cuts:
            raise beyond_floats(self.roles.scores[0])
        return found

    def _may_merge(self) -> bool:
        """Whether scores in cells may be whole numbers that doubles merge."""
        small = ("FLOAT", "DOUBLE", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER")
        scores = self.roles.scores if self.roles.bins else ()
        return not all(self.kinds[score].removeprefix("U").startswith(small) for score in scores)

    def _fine_enough(self) -> int:
        """Return the finest level of cells of which a table fits, by the rows at hand."""
        keys = [self.cell(part) for part in self.roles.parts]
        rows = self.table.rows(list(self.at.values()))
        groups = select(f"DISTINCT {', '.join(keys)}", rows.sql)
        sql = select("count(*)", f"({groups})")
        [[size]] = execute(self.table.connection, sql, rows.parameters)
        return min(max(int(log2(FAST / max(size, 1))), FEWEST), LEVEL)

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
            if kind.endswith("]") or kind.startswith(NESTED_TYPES):
                refuse_nested(column, kind.split("(")[0], self.table.file.name)
        return kinds

    @property
    def numbers(self) -> dict[str, Any]:
        """The columns of numbers, by the names that they have here."""
        named = {f"s{i}": score for i, score in enumerate(self.roles.scores)}
        return named if self.roles.weight is None else {**named, "w": self.roles.weight}

    def spreads(self) -> dict[Any, ColumnRange]:
        """Return what the columns of numbers hold."""
        values = [
            text for name, column in self.numbers.items() for text in self.number(name, column)
        ]
        scan = self.table.rows(list(self.at.values()))
        wanted = ", ".join(
            f"min({n}), max({n}), count({n}_text), min({n}_text)" for n in self.numbers
        )
        sql = select(wanted, f"({select(', '.join(values), scan.sql)})")
        [found] = execute(self.table.connection, sql, scan.parameters)
        parts = (found[4 * i : 4 * i + 4] for i in range(len(self.numbers)))
        ranges = (ColumnRange.of(*([value] for value in part)) for part in parts)
        return dict(zip(self.numbers.values(), ranges, strict=True))

    @property
    def cut(self) -> dict[Part, str]:
        """Name the numbers that become decisions."""
        return {("predictions", score): f"s{i}" for i, score in enumerate(self.roles.cuts)}

    def values(self) -> str:
        """Write numbers first, so that what is cut can refer to them."""
        cut = self.cut
        parts = [
            text for name, column in self.numbers.items() for text in self.number(name, column)
        ]
        for i, part in enumerate(self.roles.counted):
            cells = self._reaches(part[1], cut[part]) if part in cut else self.cell(part)
            parts.append(f"{cells} AS k{i}")
        if self._may_merge():
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
        if isinstance(value, bool):
            return value
        found = decoded(self.table, value)
        if is_nested(found):
            refuse_nested(column, type(found).__name__, self.table.file.name)
        return found


def decoded(table: Table, value: Any) -> Any:
    """Turn what the engine hands over into a Python value."""
    return value_in(table, value) if table.is_json and value is not None else value


def value_in(table: Table, text: str) -> Any:
    """Read the JSON that the engine hands over: it takes words and numbers that Python does not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(
            f"{table.file.name} holds {text[:40]}, which is no value of JSON: mend or quote it."
        ) from None


def is_nested(value: Any) -> bool:
    """Whether a value holds other values."""
    return isinstance(value, list | dict | tuple)


def unmarked(name: str) -> str:
    """Write a text, with null for the usual markers of a missing value."""
    markers = ", ".join(f"'{marker}'" for marker in MISSING_TEXT)
    return f"CASE WHEN {name} IN ({markers}) THEN NULL ELSE {name} END"


def not_nan(number: str) -> str:
    """Write a number, with null for nan."""
    return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END"


def number_in(text: str) -> str:
    """Write the number, or true or false, that a text says; null if it says none, as 1_0 does."""
    truth = f"CASE lower(trim({text})) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 END"
    number = f"CASE WHEN contains({text}, '_') THEN NULL ELSE try_cast({text} AS DOUBLE) END"
    return f"coalesce({number}, {truth})"


def whole_number_in(text: str) -> str:
    """Write the whole number that digits say; null if there is anything else."""
    digits = f"regexp_full_match({text}, '\\s*[+-]?[0-9]+\\s*')"
    return f"CASE WHEN {digits} THEN try_cast({text} AS HUGEINT) END"


def double(value: float) -> str:
    """Write a number as a double: a bare 0.1 would be a decimal."""
    return f"CAST('{value!r}' AS DOUBLE)"
