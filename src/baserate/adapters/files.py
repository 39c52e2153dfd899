"""Read a file of any size: once if its rows are held, and once more if they are too many."""

from os import PathLike
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from baserate.adapters._counts import beyond_floats, check_cases, check_labels, refuse_no_rows
from baserate.adapters._query import Query
from baserate.adapters._roles import Roles, check_columns, refuse_text
from baserate.adapters._running import Progress, run
from baserate.adapters.engine import table_of
from baserate.adapters.tables import KEPT, select
from baserate.cases import Cases, Labels
from baserate.cases.scores import EXACT
from baserate.cases.values import from_text, label_of

FIRST_ROWS = 100_000  # looked at before the whole file, to refuse scores passed as labels
WHOLE = {"int64": "BIGINT", "uint64": "UBIGINT"}  # types that keep whole numbers apart


def read_file(
    path: str | PathLike[str] | BinaryIO, *, progress: Progress | None = None, **columns: Any
) -> Cases:
    r"""Read the cases of a file, which is scanned at most twice.

    Without scores, cases that share all labels are counted together, in bounded memory.

    Parameters
    ----------
    path : path, "-" for standard input, or a binary file object
        CSV, TSV, JSON lines, Parquet or Arrow (file or stream), plain or compressed
        (.gz, .zst, .bz2, .xz).
    progress : callable, optional
        Called with the share of the work done, in [0, 1].
    columns : target, predictions, scores, groups, keys, weight, unused, threshold, hold, missing
        See `Roles`. In text files an empty field is missing; as a label, a score or a weight also
        NA, N/A, NaN, nan, null, NULL, None and <NA> are.

    Raises
    ------
    DataError
        The file cannot be read, lacks a column, or holds text where numbers are needed, or whole
        numbers that floats would merge.
    MissingValueError, LabelError, InvalidArgumentError
        Missing values, too many distinct labels, scores outside [0, 1] without a threshold, or
        weights that are negative or infinite.

    Examples
    --------
    >>> import io
    >>> rows = io.BytesIO(b"sick,test\nyes,yes\nyes,no\nyes,no\nno,no\n")
    >>> read_file(rows, target="sick", predictions=["test"]).binary("yes").table("test")
    ConfusionMatrix(tp=1, fn=2, fp=0, tn=1)
    """
    roles = Roles(**columns)
    with table_of(path, roles.columns) as table:
        check_columns(table.names, roles.columns, table.file.name)
        positions = [table.names.index(column) for column in roles.columns]
        whole = table.keep(positions, roles.hold if roles.holds else FIRST_ROWS, progress)
        query = Query(table, roles)
        for column in roles.labels:  # stop early at identifiers or scores
            check_labels(column, query.some_labels(column))
        if whole and roles.holds:
            return _held(query, progress)
        if not whole:
            table.forget()
        return query.counted(lambda sql, given: run(table.connection, sql, given, progress))


def _held(query: Query, progress: Progress | None) -> Cases:
    """Fetch every case as numbers: the engine turns labels into codes."""
    roles, connection, where = query.roles, query.table.connection, query.table.file.name
    sides = {f"k{i}": part for i, part in enumerate(roles.parts)}
    numbers = {f"s{i}": score for i, score in enumerate(roles.scores)}
    numbers |= {} if roles.weight is None else {"w": roles.weight}
    values = {name: _labels(query, name, part) for name, part in sides.items()}
    for name, column in numbers.items():
        _refuse_text(query, name, column)
    cells = [f"({query.cell(part)})::VARCHAR AS {name}" for name, part in sides.items()]
    read = [text for name, column in numbers.items() for text in query.number(name, column)]
    exact = {name: _exact(query, name, column) for name, column in numbers.items() if name != "w"}
    read += [
        f"{query.whole(numbers[k])}::{WHOLE[kind]} AS e{k}" for k, kind in exact.items() if kind
    ]
    wanted = [f"{name}_keys.code AS {name}" for name in sides]
    wanted += [f"e{name} AS {name}" if exact.get(name) else name for name in numbers]
    joins = " ".join(f"LEFT JOIN {k}_keys ON {k}_keys.k = r.{k}" for k in sides)
    rows = f"({select(', '.join((*cells, *read)), KEPT)}) AS r"
    wanted = [f"r.{name}" if name in numbers else name for name in wanted]
    found = run(
        connection, select(", ".join(wanted), rows, joins), (), progress, fetch="fetchnumpy"
    )
    size = len(found["k0"])
    refuse_no_rows(size, where)
    weight = _filled(found["w"]) if roles.weight is not None else None
    columns = [
        _coded(found[name], values[name], roles.column(part)) for name, part in sides.items()
    ]
    cases = Cases.of(
        roles.parts, columns, target=roles.target, weight_name=roles.weight, where=where,
        count=np.broadcast_to(np.int64(1), size), weight=weight,
        squared=None if weight is None else weight * weight,
        scores={score: _filled(found[k]) for k, score in numbers.items() if k != "w"},
        **query.about,
    ).complete(roles.missing)  # fmt: skip
    check_cases(cases)
    return cases


def _labels(query: Query, name: str, part: Any) -> list[Any]:
    """Give the labels of a column numbers inside the engine, and return them in that order."""
    connection, column = query.table.connection, query.roles.column(part)
    cell = query.cell(part)
    rows = select(f"({cell})::VARCHAR AS k, {cell} AS v", KEPT)
    numbered = "k, any_value(v) AS v, row_number() OVER (ORDER BY k) - 1 AS code"
    sql = select(numbered, f"({rows})", "WHERE k IS NOT NULL GROUP BY k")
    run(connection, f"CREATE TEMP TABLE {name}_keys AS {sql}")
    found = run(connection, select("v", f"{name}_keys", "ORDER BY code"))
    labels = [label_of(query.python(column, value)) for (value,) in found]
    return _by_value(labels) if query.table.is_text and part[0] == "keys" else labels


def _by_value(labels: list[Any]) -> list[Any]:
    """Read numbers out of text if all of it is numbers, so that fold 10 comes after fold 9."""
    values = [from_text(label) for label in labels]
    return labels if any(value is None for value in values) else values


def _coded(codes: Any, labels: list[Any], name: Any) -> Labels:
    """Put None last, for cells without a label."""
    return Labels(np.ma.filled(codes, len(labels)).astype(np.intp), [*labels, None], name=name)


def _filled(numbers: Any) -> NDArray[Any]:
    is_float = numbers.dtype.kind == "f"
    return np.ma.filled(numbers, np.nan) if is_float else np.ma.getdata(numbers)


def _refuse_text(query: Query, name: str, column: Any) -> None:
    """Say how much text a column of numbers holds, and give an example."""
    rows = f"({select(', '.join(query.number(name, column)), KEPT)})"
    sql = select(f"count({name}_text), any_value({name}_text)", rows)
    [(n_text, example)] = run(query.table.connection, sql)
    if n_text:
        refuse_text(column, n_text, example, query.table.file.name)


def _exact(query: Query, name: str, column: Any) -> str | None:
    """Return the type that keeps whole numbers apart which doubles would merge; else None.

    Raises
    ------
    DataError
        There are such numbers beside fractions or gaps, or they are too large for 64 bits.
    """
    number, _ = query.number(name, column)
    raw, whole = query.raw(column), query.whole(column)
    rows = f"({select(f'{number}, {whole} AS n, TRY_CAST({raw} AS HUGEINT) AS h', KEPT)})"
    merged = f"count(*) FILTER (WHERE h <> TRY_CAST({name} AS HUGEINT) AND abs({name}) >= {EXACT})"
    sql = select(f"{merged}, count(*) - count(n), min(n), max(n)", rows)
    [(n_merged, n_others, low, high)] = run(query.table.connection, sql)
    if not n_merged:
        return None
    for kind in WHOLE:
        ends = np.iinfo(kind)
        if not n_others and ends.min <= low <= high <= ends.max:
            return kind
    raise beyond_floats(column)
