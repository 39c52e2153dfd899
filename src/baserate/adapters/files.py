"""Read files of any size: once if their rows are held, and once more if they are too many."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from baserate.adapters._counts import (
    ColumnRange,
    beyond_floats,
    check_cases,
    check_labels,
    refuse_no_rows,
    refuse_wrong_numbers,
)
from baserate.adapters._packed import fetch
from baserate.adapters._query import Query
from baserate.adapters._roles import Roles, check_columns
from baserate.adapters._table import KEPT, select
from baserate.adapters.engine import Progress, run
from baserate.adapters.tables import table_of
from baserate.cases.cases import Cases
from baserate.cases.scores import EXACT

FIRST_ROWS = 100_000  # looked at before the whole file, to refuse scores passed as labels
WHOLE = {"BIGINT": np.iinfo("i8"), "UBIGINT": np.iinfo("u8")}  # they keep whole numbers apart


def read_file(
    path: str | PathLike[str] | BinaryIO, *, progress: Progress | None = None, **columns: Any
) -> Cases:
    """Read the cases of a file, which is scanned at most twice.

    Without scores, cases that share all labels are counted together, in bounded memory. Formats are
    CSV, TSV, JSON lines, Parquet and Arrow (file or stream), plain or compressed (.gz, .zst, .bz2,
    .xz; what the engine cannot stream unpacks to 1 GiB and 100 times its size at most). A pattern
    such as "data/year=*/**/*.parquet", or a folder, stands for files of one format. Columns go by
    name, and each that is asked for has to be in all files; what the names of folders such as
    "year=2024" say is a column too, unless the files have it.

    In text files an empty field is missing; as a label, a score or a weight also what
    `MISSING_TEXT` lists. `progress` is called with the share of the work done; `columns` are those
    of `Roles`.
    """
    roles = Roles(**columns)
    with table_of(path, roles.columns) as table:
        check_columns(table.names, roles.columns, table.file.name)
        positions = [table.names.index(column) for column in roles.columns]
        limit, shown = (roles.hold, progress) if roles.holds else (FIRST_ROWS, None)
        whole = table.keep(positions, limit, shown)
        query = Query(table, roles)
        for column in roles.labels:  # stop early at identifiers or scores
            check_labels(column, query.some_labels(column))
        if whole and roles.holds:
            return _held(query)
        if not whole:
            query.look()
            table.forget()
        return query.counted(progress)


def _held(query: Query) -> Cases:
    """Fetch every case as numbers: the engine turns labels into codes."""
    roles, where, spreads = query.roles, query.table.file.name, query.spreads()
    refuse_wrong_numbers(roles, spreads, where)
    cells = {f"k{i}": (part, query.cell(part)) for i, part in enumerate(roles.parts)}
    labels, numbers = fetch(query, cells, _numbers(query, _exact(query, spreads)), KEPT)
    size = len(numbers[next(iter(numbers))])
    refuse_no_rows(size, where)
    weight = numbers.pop("w", None)
    cases = Cases.of(
        roles.parts, labels.values(), target=roles.target, weight_name=roles.weight, where=where,
        count=np.broadcast_to(np.int64(1), size), weight=weight,
        squared=None if weight is None else weight * weight,
        scores=dict(zip(roles.scores, numbers.values(), strict=True)), **query.about,
    )  # fmt: skip
    cases = roles.complete(cases)
    check_cases(cases)
    return cases


def _numbers(query: Query, exact: Mapping[str, str]) -> list[str]:
    """Write the numbers of one row per case, exact where they can be."""
    values: list[str] = []
    for name, column in query.numbers.items():
        number, _ = query.number(name, column)
        whole = f"{query.whole(column)}::{exact[name]} AS {name}" if name in exact else None
        values.append(whole or number)
    return values


def _exact(query: Query, spreads: Mapping[Any, ColumnRange]) -> dict[str, str]:
    """Return the types that keep whole scores apart, where doubles would merge some.

    Refused are such numbers beside fractions or gaps, and those too large for 64 bits.
    """
    scores = {name: column for name, column in query.numbers.items() if name != "w"}
    large = {k: c for k, c in scores.items() if max(map(abs, spreads[c][:2])) >= EXACT}
    found = {name: _exact_type(query, name, column) for name, column in large.items()}
    return {name: kind for name, kind in found.items() if kind}


def _exact_type(query: Query, name: str, column: Any) -> str | None:
    number, _ = query.number(name, column)
    raw, whole = query.raw(column), query.whole(column)
    rows = f"({select(f'{number}, {whole} AS n, TRY_CAST({raw} AS HUGEINT) AS h', KEPT)})"
    merged = f"count(*) FILTER (WHERE h <> TRY_CAST({name} AS HUGEINT) AND abs({name}) >= {EXACT})"
    sql = select(f"{merged}, count(*) - count(n), min(n), max(n)", rows)
    [(n_merged, n_others, low, high)] = run(query.table.connection, sql)
    if not n_merged:
        return None
    for kind, ends in WHOLE.items():
        if not n_others and ends.min <= low <= high <= ends.max:
            return kind
    raise beyond_floats(column)
