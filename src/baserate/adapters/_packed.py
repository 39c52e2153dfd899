"""Labels and cells of scores as codes, which the engine numbers: Python sees each label once.

An engine that groups by several columns looks each row up in a table by a hash of them all. By one
number of 16 bits it needs no hash: the number is the place. So labels get codes, from the rows at
hand, and the scores that most cases have get cells beside each other. Whatever has no code, a label
that turns up later, a score near 0 or 1 or none at all, is left to a second pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baserate.adapters._table import is_whole_type, select
from baserate.adapters.engine import run
from baserate.cases.cases import Part
from baserate.cases.labels import Labels
from baserate.cases.values import from_text, label_of
from baserate.curves.score_grid import (
    BEYOND,
    COARSER,
    LEVEL,
    MIRRORED,
    NEAR_ONE,
    STRETCHES,
    USUAL,
    end_of,
    first_of,
    scale_of,
)

if TYPE_CHECKING:
    from baserate.adapters._query import Query

PLACES = 2**16  # the numbers of the engine's type USMALLINT
OUTSIDE = PLACES - 1
LOWEST = end_of(USUAL - 2)  # scores from here to what lacks as much to 1 have a cell
FINE = 10  # the level of cells below which speed is not worth it
SPREAD = 1 + 2 / 2**COARSER  # the cells of all these scores, in cells of the usual stretch
LEFT = 0.1  # the share of rows at hand above which a second pass costs more than the first saves


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of labels in the engine: how many codes, how they are written, and read again."""

    size: int
    code: str
    label: str  # with {} for the code

    def at(self, place: str) -> str:
        """Write the label whose code stands at a place."""
        return self.label.format(place)


@dataclass(frozen=True, slots=True)
class Packing:
    """How labels and cells of scores share one number."""

    columns: dict[str, Coded]
    level: int
    decided: str | None  # the column that says whether a score reaches the threshold

    @property
    def cells(self) -> int:
        """How many numbers each combination of labels has: a threshold may divide a cell."""
        return int(SPREAD * 2**self.level) + 1

    @property
    def number(self) -> str:
        """Write the number: null where a label has no code, `OUTSIDE` where a score has no cell."""
        combination = "0"
        for column in self.columns.values():
            combination = f"({combination} * {column.size} + {column.code})"
        before = f"{combination} * {self.cells}"
        before += "" if self.decided is None else f" + {self.decided}::INTEGER"
        return f"({before} + {_place(self.level, f'{OUTSIDE} - ({before})')})::USMALLINT"

    def rest(self, *, labels: bool) -> str:
        """Write which rows have no cell, or, if there are any, no code of a label."""
        codes = [f"{column.code} IS NULL" for column in self.columns.values()] if labels else []
        return " OR ".join([*codes, "s0 IS NULL", f"s0 < {LOWEST!r}", f"s0 > {1 - LOWEST!r}"])

    @property
    def labels(self) -> list[str]:
        """Write the labels that a number stands for."""
        place, found = f"number // {self.cells}", []
        for name, column in reversed(self.columns.items()):
            found.append(f"{column.at(f'({place}) % {column.size}')} AS {name}")
            place = f"({place}) // {column.size}"
        return found[::-1]


def packing_of(query: "Query", level: int) -> Packing | None:
    """Return how to count cases that are as the rows at hand; None if that would not pay.

    `level` is that of the cells that the cases would be counted by without.
    """
    table, kind = query.table, query.kinds[query.roles.scores[0]]
    if table.is_text or table.is_json or not kind.startswith(("FLOAT", "DOUBLE")):
        return None
    names = [f"k{i}" for i, part in enumerate(query.roles.counted) if part not in query.cut]
    coded = dict(zip(names, map(query.roles.column, query.roles.parts), strict=True))
    rows = select(query.values(), table.rows(list(query.at.values())).sql)
    columns = _coded(query, coded, rows)
    if columns is None:
        return None
    each = (PLACES // prod(column.size for column in columns.values()) - 1) / SPREAD
    level = min(int(log2(max(each, 1))), level, LEVEL)
    decided = next((f"k{i}" for i, p in enumerate(query.roles.counted) if p in query.cut), None)
    packing = Packing(columns, level, decided)
    left = f"count(*) FILTER ({packing.rest(labels=True)}) <= {LEFT} * count(*)"
    pays = level >= FINE and run(table.connection, select(left, f"({rows})")) == [(True,)]
    return packing if pays else None


def _coded(query: "Query", names: dict[str, Any], rows: str) -> dict[str, Coded] | None:
    connection, found = query.table.connection, {}
    for name, column in names.items():
        kind = query.kinds[column]
        if not (kind in ("VARCHAR", "BOOLEAN") or is_whole_type(kind)):
            return None
        ends = f"min({name}), max({name}), count(DISTINCT {name})"
        [(low, high, size)] = run(connection, select(ends, f"({rows})"))
        if not 0 < size < PLACES:
            return None
        if kind == "VARCHAR":
            distinct = select(f"DISTINCT {name}", f"({rows})", f"WHERE {name} IS NOT NULL")
            run(connection, f"CREATE TYPE {name}_codes AS ENUM ({distinct})")
            values = f"enum_range(NULL::{name}_codes)"
            code = f"enum_code(TRY_CAST({name} AS {name}_codes))"
            found[name] = Coded(size, code, f"{values}[1 + {{}}]::VARCHAR")
        else:
            low, high = int(low), int(high)
            number = f"{name}::INTEGER" if kind == "BOOLEAN" else name
            code = (
                f"CASE WHEN {number} BETWEEN {low} AND {high} THEN ({number} - {low})::INTEGER END"
            )
            found[name] = Coded(high - low + 1, code, f"({low} + {{}})::{kind}")
    return found


def _place(level: int, other: str) -> str:
    """Write the place of a score among the cells from `LOWEST` up, else something other.

    They are the cells of `cell_in_sql`: both ways of counting cut at the same numbers.
    """
    rare, usual = scale_of(USUAL - 1, level), scale_of(USUAL, level)
    apart = 2 ** (level - COARSER)
    top = 2**level + 2 * apart
    low, high = f"{LOWEST!r}::DOUBLE", f"{1 - LOWEST!r}::DOUBLE"
    first, last = f"{end_of(USUAL - 1)!r}::DOUBLE", f"{NEAR_ONE!r}::DOUBLE"
    return (  # what most are comes first
        f"CASE WHEN s0 >= {first} AND s0 <= {last} THEN floor(s0 * {usual!r}::DOUBLE) + {apart} "
        f"WHEN s0 >= {low} AND s0 < {first} THEN floor(s0 * {rare!r}::DOUBLE) "
        f"WHEN s0 > {last} AND s0 <= {high} THEN {top} - floor((1 - s0) * {rare!r}::DOUBLE) "
        f"ELSE {other} END"
    )


def cell_in_sql(name: str, level: int = LEVEL) -> str:
    """Write the cell of a score as a number, null where it is null: of a grid of any level.

    The cells are those that `with_cells` finds in frames.
    """
    size, lack = f"abs({name})", f"(1 - abs({name}))"
    usual = f"{name} >= {end_of(USUAL - 1)!r} AND {name} <= {NEAR_ONE!r}"  # what most are
    cases = [(f"{size} = 0", "0"), (f"{size} < {end_of(STRETCHES[0] - 1)!r}", "1")]
    places = [(at, _place_in_sql(size, at, level)) for at in sorted((*STRETCHES, USUAL))]
    near = [(at, _place_in_sql(lack, at, level)) for at in STRETCHES if at < USUAL]
    mirrored = " ".join(f"WHEN {lack} < {end_of(at)!r} THEN {place}" for at, place in near)
    between = f"{size} > {NEAR_ONE!r} AND {size} < 1"
    cases.append((between, f"{MIRRORED!r} + CASE {mirrored} END"))
    cases += [(f"{size} < {end_of(at)!r}", place) for at, place in places]
    cases += [(f"{size} = 'inf'::DOUBLE", f"{BEYOND + 1!r}"), (f"{size} > 0", f"{BEYOND!r}")]
    number = " ".join(f"WHEN {condition} THEN {value}" for condition, value in cases)
    others = f"CASE {number} END * sign({name})"
    return (
        f"(CASE WHEN {usual} THEN {_place_in_sql(name, USUAL, level)} ELSE {others} END)::INTEGER"
    )


def _place_in_sql(size: str, stretch: int, level: int) -> str:
    return f"floor({size} * {scale_of(stretch, level)!r}::DOUBLE) + {first_of(stretch)!r}"


def fetch(
    query: "Query", cells: Mapping[str, tuple[Part, str]], numbers: Sequence[str], rows: str
) -> tuple[dict[str, Labels], dict[str, NDArray[Any]]]:
    """Fetch columns of labels as codes, and columns of numbers as they are.

    `cells` says of each column of labels what part it is, and how it is written in SQL over `rows`,
    a table of the engine; `numbers` are SQL with a name.
    """
    labels = {name: _labels(query, name, *cell, rows) for name, cell in cells.items()}
    values = [f"({cell})::VARCHAR AS {name}" for name, (_, cell) in cells.items()]
    names = [number.rsplit(" AS ", 1)[-1] for number in numbers]
    wanted = [f"{name}_keys.code AS {name}" for name in cells] + [f"r.{name}" for name in names]
    joins = " ".join(f"LEFT JOIN {name}_keys ON {name}_keys.k = r.{name}" for name in cells)
    source = f"({select(', '.join([*values, *numbers]), rows)}) AS r"
    sql = select(", ".join(wanted), source, joins)
    found = run(query.table.connection, sql, fetch="fetchnumpy")
    coded = {name: _as_labels(found[name], *labels[name]) for name in cells}
    return coded, {name: _filled(found[name]) for name in names}


def _labels(query: "Query", name: str, part: Part, cell: str, rows: str) -> tuple[list[Any], Any]:
    """Give the labels of a column numbers inside the engine; return them in order, and its name."""
    connection, column = query.table.connection, query.roles.column(part)
    each = select(f"({cell})::VARCHAR AS k, {cell} AS v", rows)
    numbered = "k, any_value(v) AS v, row_number() OVER (ORDER BY k) - 1 AS code"
    sql = select(numbered, f"({each})", "WHERE k IS NOT NULL GROUP BY k")
    run(connection, f"CREATE TEMP TABLE {name}_keys AS {sql}")
    found = run(connection, select("v", f"{name}_keys", "ORDER BY code"))
    labels = [label_of(query.python(column, value)) for (value,) in found]
    return _by_value(labels) if query.table.is_text and part[0] == "keys" else labels, column


def _by_value(labels: list[Any]) -> list[Any]:
    """Read numbers out of text if all of it is numbers, so that fold 10 comes after fold 9."""
    values = [from_text(label) for label in labels]
    return labels if any(value is None for value in values) else values


def _as_labels(codes: Any, labels: list[Any], name: Any) -> Labels:
    """Put None last, for cells without a label."""
    return Labels(np.ma.filled(codes, len(labels)).astype(np.intp), [*labels, None], name=name)


def _filled(numbers: Any) -> NDArray[Any]:
    is_float = numbers.dtype.kind == "f"
    return np.ma.filled(numbers, np.nan) if is_float else np.ma.getdata(numbers)
