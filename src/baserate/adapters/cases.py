"""Scored cases from a file or a frame, for what needs every score and not only counts."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, BinaryIO

import narwhals.stable.v2 as nw
import numpy as np

from baserate.adapters._cells import fold as folded
from baserate.adapters._query import Query
from baserate.adapters._roles import FRAME, Roles, check_columns, refuse_kind
from baserate.adapters._running import run
from baserate.adapters._sql import select
from baserate.adapters.frames import opened
from baserate.adapters.tables import Table
from baserate.cases import Counted, Tally, resolve
from baserate.cases.cases import Cases, cases_of_arrays, grouped
from baserate.cases.scores import EXACT
from baserate.cases.values import from_text, is_missing, order, python_value
from baserate.errors import DataError, InvalidArgumentError, MissingValueError

ANYWHERE = 0.0  # any threshold will do: scores are read, not cut


def cases_of_file(
    path: str | PathLike[str] | BinaryIO,
    *,
    target: str,
    score: str,
    fold: str | None = None,
    groups: tuple[str, ...] = (),
    positive: Any = None,
    missing: str = "error",
    progress: Any = None,
) -> tuple[Cases, str]:
    r"""Read the truth, the score, the fold and the group of every case, and the file's name.

    Parameters and errors are those of `tally_file`; memory grows with the number of cases.

    Examples
    --------
    >>> import io
    >>> rows = io.BytesIO(b"sick,risk\nyes,0.9\nno,0.2\nyes,0.4\n")
    >>> cases, _ = cases_of_file(rows, target="sick", score="risk", positive="yes")
    >>> sorted(zip(cases.score.tolist(), cases.truth.tolist()))
    [(0.2, False), (0.4, True), (0.9, True)]
    """
    from baserate.adapters.engines import table_of

    _check_roles(target, score, fold, groups)
    roles = Roles.of(
        (*(() if fold is None else (fold,)), *groups),
        target=target, score=score, threshold=ANYWHERE, missing=missing,
    )  # fmt: skip
    with table_of(path, roles.columns) as table:
        check_columns(table.names, roles.columns, table.file.name)
        query = Query(table, roles)
        cells = query.cells(lambda sql, given: run(table.connection, sql, given, progress))
        tally = folded(cells, roles, table.file.name)
        found = resolve(tally, positive=positive, from_text=table.is_text, target=target)
        if missing == "error":
            _refuse_gaps(tally, table.file.name)
        return _read(table, query, found, fold, groups, progress), table.file.source


def cases_of_frame(
    frame: Any,
    *,
    target: str,
    score: str,
    fold: str | None = None,
    groups: tuple[str, ...] = (),
    positive: Any = None,
    missing: str = "error",
) -> Cases:
    """Read the truth, the score, the fold and the group of every case of a data frame.

    Parameters and errors are those of `tally_frame`.
    """
    _check_roles(target, score, fold, groups)
    columns = [c for c in (target, score, fold, *groups) if c is not None]
    data = opened(frame, columns)
    data = data.collect() if isinstance(data, nw.LazyFrame) else data
    return cases_of_arrays(
        data[target].to_native(), scores_of_column(data[score], score),
        None if fold is None else data[fold].to_native(),
        groups={name: data[name].to_native() for name in groups},
        positive=positive, missing=missing, target=target, score=score,
    )  # fmt: skip


def scores_of_column(column: Any, name: str) -> Any:
    """Return a column of scores as numbers; whole numbers are never merged."""
    if not (column.dtype.is_numeric() or isinstance(column.dtype, nw.Boolean)):
        refuse_kind(name, str(column.dtype), FRAME)
    if not column.dtype.is_integer():
        return column.cast(nw.Float64).to_numpy()
    if not column.null_count():
        return column.to_native()  # as they are: a float would merge them beyond 2^53
    present = column.drop_nulls()
    if len(present) and not -EXACT <= present.min() <= present.max() <= EXACT:
        raise _beyond_floats(name)
    return column.cast(nw.Float64).to_numpy()


def _check_roles(target: str, score: str, fold: str | None, groups: tuple[str, ...]) -> None:
    roles = [("target", target), ("score", score), ("fold", fold), *(("group", g) for g in groups)]
    taken: dict[str, str] = {}
    for role, name in roles:
        if name is not None and name in taken:
            rule, remedy = f"must differ from {taken[name]}", "name two different columns"
            raise InvalidArgumentError.from_rule(role, rule, name, remedy)
        if name is not None:
            taken[name] = role


def _beyond_floats(name: str) -> DataError:
    return DataError(
        f"Column {name!r} holds whole numbers beyond 2^53, which floats would merge: "
        "pass their ranks."
    )


def _read(
    table: Table,
    query: Query,
    found: Counted,
    fold: str | None,
    groups: tuple[str, ...],
    progress: Any,
) -> Cases:
    """Fetch one row per complete case, as numbers: labels and folds become codes in the engine."""
    target = query.roles.target
    keys = {"t": _keys(table, query, target, query.label(target))}
    coded = [_case("list_contains(?, {key})", query.label(target), "t")]
    given = [[key for key, label in keys["t"] if label == found.positive]]
    columns = {f"g{i}": group for i, group in enumerate(groups)}
    columns |= {} if fold is None else {"f": fold}
    for name, column in columns.items():
        cell = query.value(column)  # a fold or a group may be called NA; a truth may not
        keys[name] = _keys(table, query, column, cell)
        coded.append(_case("nullif(list_position(?, {key}), 0) - 1", cell, name))
        given.append([key for key, _ in keys[name]])
    scan = table.scan(list(query.at.values()))
    rows = select(", ".join((*coded, *query.number("s", query.roles.score))), scan.sql)
    wanted = ["t", "s", *columns]
    complete = " AND ".join(f"{name} IS NOT NULL" for name in wanted)
    sql = select(", ".join(wanted), f"({rows})", f"WHERE {complete}")
    read = run(table.connection, sql, [*given, *scan.parameters], progress, fetch="fetchnumpy")
    refuse_merged(table, query, {query.roles.score: read["s"]})
    codes = {name: np.asarray(read[name], dtype=np.intp) for name in columns}
    labels = {name: [label for _, label in pairs] for name, pairs in keys.items()}
    in_groups = [(codes[f"g{i}"], labels[f"g{i}"]) for i in range(len(groups))]
    return Cases(
        truth=np.asarray(read["t"], dtype=bool),
        score=np.asarray(read["s"], dtype=float),
        fold=codes.get("f"),
        folds=tuple(labels.get("f", ())),
        positive=found.positive,
        labels=found.labels,
        n_missing=found.n_missing + found.n - len(read["s"]),
        grouping=grouped(groups, in_groups),
    )


def refuse_merged(table: Table, query: Query, scores: Mapping[Any, Any]) -> None:
    """Refuse scores, read as doubles, that are whole numbers in the file and no doubles."""
    for score, values in scores.items():
        if not np.any(np.abs(values) >= EXACT):
            continue
        scan = table.scan([query.at[score]])
        raw = f"c{query.at[score]}"
        raw = f"({raw} ->> '$')" if table.is_json else raw
        whole, double = f"TRY_CAST({raw} AS HUGEINT)", f"TRY_CAST({raw} AS DOUBLE)"
        merged = f"count(*) FILTER (WHERE {whole} <> TRY_CAST({double} AS HUGEINT))"
        [[found]] = run(table.connection, select(merged, scan.sql), scan.parameters)
        if found:
            raise _beyond_floats(score)


def _case(code: str, cell: str, name: str) -> str:
    key = f"({cell})::VARCHAR"
    return f"CASE WHEN {key} IS NOT NULL THEN {code.format(key=key)} END AS {name}"


def _keys(table: Table, query: Query, column: str, cell: str) -> list[tuple[str, Any]]:
    """Return how the engine writes each label of a column, and the label, in order."""
    scan = table.scan([query.at[column]])
    rows = select(f"({cell})::VARCHAR AS k, {cell} AS v", scan.sql)
    sql = select("k, any_value(v)", f"({rows})", "WHERE k IS NOT NULL GROUP BY k")
    found = run(table.connection, sql, scan.parameters)
    pairs = [(key, python_value(query.python(column, value))) for key, value in found]
    raw = [(key, label) for key, label in pairs if not is_missing(label)]
    values = [from_text(label) if table.is_text else label for _, label in raw]
    if any(value is None for value in values):
        return sorted(raw, key=lambda pair: order(pair[1]))
    pairs = [(key, value) for (key, _), value in zip(raw, values, strict=True)]
    return sorted(pairs, key=lambda pair: order(pair[1]))


def _refuse_gaps(tally: Tally, where: str) -> None:
    """Refuse cases that lack a fold or a group."""
    counted = list(zip(tally.groups, tally.count, strict=False))
    rows = {
        name: sum(n for key, n in counted if key[i] is None)
        for i, name in enumerate(tally.group_names)
    }
    if any(rows.values()):
        raise MissingValueError.from_rows(f"{where} has", rows)
