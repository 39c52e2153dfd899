"""Several predictions or scores of the same cases, from a file or a frame."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, BinaryIO

import narwhals.stable.v2 as nw
import numpy as np

from baserate.adapters._cells import MISSING_TEXT, check_labels
from baserate.adapters._cells import fold as folded
from baserate.adapters._query import Query
from baserate.adapters._roles import Roles, check_columns, refuse_text
from baserate.adapters._running import run
from baserate.adapters._sql import select
from baserate.adapters.cases import refuse_merged, scores_of_column
from baserate.adapters.frames import opened, tally_frame
from baserate.adapters.tables import Table
from baserate.cases.cases import coded, score_array
from baserate.cases.joint import Coded, Columns, Joint, joint_of_columns
from baserate.cases.tally import Tally
from baserate.cases.values import is_missing, python_value
from baserate.errors import DataError, InvalidArgumentError

ANYWHERE = 0.0  # any threshold will do: scores are read, not cut


def joint_of_file(
    path: str | PathLike[str] | BinaryIO,
    *,
    target: str,
    predictions: Sequence[str] = (),
    scores: Sequence[str] = (),
    groups: Sequence[str] = (),
    positive: Any = None,
    missing: str = "error",
    progress: Any = None,
) -> tuple[Joint, str]:
    r"""Read what several classifiers say about the same cases, and the name of the file.

    Predictions alone are counted by the engine, in bounded memory. With scores memory grows with
    the number of cases. Files, missing values and errors are those of `tally_file`.

    Examples
    --------
    >>> import io
    >>> rows = io.BytesIO(b"sick,old,new\nyes,yes,no\nno,no,no\nyes,no,yes\n")
    >>> joint, _ = joint_of_file(rows, target="sick", predictions=["old", "new"], positive="yes")
    >>> joint.table(0), joint.cells((0, 1))[..., 0].tolist()
    (ConfusionMatrix(tp=1, fn=1, fp=0, tn=1), [[0, 1], [1, 0]])
    """
    from baserate.adapters.engines import table_of

    roles = _roles(target, predictions, scores, groups, missing)
    with table_of(path, roles.columns) as table:
        check_columns(table.names, roles.columns, table.file.name)
        query = Query(table, roles)
        for column in (target, *predictions):  # stop early at identifiers or scores
            check_labels(column, query.some_labels(column))

        def execute(sql: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
            return run(table.connection, sql, given, progress)

        if scores:
            columns = _case_by_case(table, query, predictions, scores, groups, progress)
        else:
            tally = folded(query.cells(execute), roles, table.file.name)
            columns = _counted(tally, target, predictions, groups, from_text=table.is_text)
        return joint_of_columns(columns, positive=positive, missing=missing), table.file.source


def joint_of_frame(
    frame: Any,
    *,
    target: str,
    predictions: Sequence[str] = (),
    scores: Sequence[str] = (),
    groups: Sequence[str] = (),
    positive: Any = None,
    missing: str = "error",
) -> Joint:
    """Read what several classifiers say about the same cases of a data frame of any kind.

    Of a lazy frame without scores only the counts are collected.
    """
    roles = _roles(target, predictions, scores, groups, missing)
    if scores:
        columns = _collected(frame, roles, predictions, scores, groups)
    else:
        rest = (*predictions[1:], *groups)
        tally = tally_frame(
            frame, target=target, prediction=predictions[0], groups=rest, missing=missing
        )
        columns = _counted(tally, target, predictions, groups, from_text=False)
    return joint_of_columns(columns, positive=positive, missing=missing)


def _roles(
    target: Any,
    predictions: Sequence[Any],
    scores: Sequence[Any],
    groups: Sequence[Any],
    missing: str,
) -> Roles:
    """Let the first classifier play its usual role, and all others be keys as groups are."""
    named = [target, *predictions, *scores]
    twice = next((name for i, name in enumerate(named) if name in named[:i]), None)
    if twice is not None:
        rule = "must be a column of its own for the truth and for each classifier"
        remedy = "name every column once"
        raise InvalidArgumentError.from_rule("prediction", rule, twice, remedy)
    first = (
        {"score": scores[0], "threshold": ANYWHERE} if scores else {"prediction": predictions[0]}
    )
    others = (*scores[1:], *predictions) if scores else tuple(predictions[1:])
    return Roles.of((*others, *groups), target=target, missing=missing, **first)


def _counted(
    tally: Tally, target: str, predictions: Sequence[str], groups: Sequence[str], *, from_text: bool
) -> Columns:
    """Turn counts by (truth, first prediction, other predictions and groups) into columns."""
    k = len(predictions) - 1
    keys = tally.groups or ((),) * len(tally.count)
    others = [[_unmarked(key[i], from_text=from_text) for key in keys] for i in range(k)]
    labels = zip(predictions, [tally.prediction, *others], strict=True)
    columns = {name: _coded(values) for name, values in labels}
    for name, column in columns.items():
        check_labels(name, column.labels)
    return Columns(
        target=target,
        truth=_coded(tally.truth),
        predictions=columns,
        groups={name: _coded(key[k + i] for key in keys) for i, name in enumerate(groups)},
        scores={},
        count=np.array(tally.count, dtype=np.int64),
        from_text=from_text,
        n_missing=tally.n_missing,
    )


def _unmarked(label: Any, *, from_text: bool) -> Any:
    return None if is_missing(label) or (from_text and label in MISSING_TEXT) else label


def _coded(values: Iterable[Any]) -> Coded:
    """Give labels numbers as they come; 1 and True stay apart until they are resolved."""
    index: dict[Any, int] = {}
    codes = [index.setdefault((type(value), value), len(index)) for value in values]
    return Coded(np.array(codes, dtype=np.intp), [value for _, value in index])


def _collected(
    frame: Any,
    roles: Roles,
    predictions: Sequence[str],
    scores: Sequence[str],
    groups: Sequence[str],
) -> Columns:
    """Collect the columns of a frame, case by case."""
    data = opened(frame, roles.columns)
    data = data.collect() if isinstance(data, nw.LazyFrame) else data

    def labels(name: str, *, refuse_scores: bool = True) -> Coded:
        return Coded(*coded(name, data[name].to_native(), refuse_scores=refuse_scores))

    return Columns(
        target=roles.target,
        truth=labels(roles.target),
        predictions={name: labels(name) for name in predictions},
        groups={name: labels(name, refuse_scores=False) for name in groups},
        scores={name: score_array(name, scores_of_column(data[name], name)) for name in scores},
        count=np.ones(len(data), dtype=np.int64),
    )


def _case_by_case(
    table: Table,
    query: Query,
    predictions: Sequence[str],
    scores: Sequence[str],
    groups: Sequence[str],
    progress: Any,
) -> Columns:
    """Fetch every case as numbers: the engine turns labels into codes."""
    target = query.roles.target
    names = (target, *predictions, *groups)
    # A group may be called NA, as everywhere; a truth or a prediction may not.
    cells = {name: query.label(name) for name in (target, *predictions)}
    cells |= {name: query.value(name) for name in groups}
    labels = {name: _labels(table, query, name, cells[name]) for name in names}
    codes = [f"list_position(?, ({cells[k]})::VARCHAR) - 1 AS k{i}" for i, k in enumerate(names)]
    numbers = [part for i, name in enumerate(scores) for part in query.number(f"s{i}", name)]
    keys = [[key for key, _ in labels[name]] for name in names]
    _refuse_text(table, query, scores)
    wanted = [*(f"k{i}" for i in range(len(names))), *(f"s{i}" for i in range(len(scores)))]
    scan = table.scan(list(query.at.values()))
    rows = select(", ".join((*codes, *numbers)), scan.sql)
    sql = select(", ".join(wanted), f"({rows})")
    given = [*keys, *scan.parameters]
    found = run(table.connection, sql, given, progress, fetch="fetchnumpy")
    size = len(found["s0"])
    if not size:
        raise DataError(f"{table.file.name} holds no rows: pass at least one case.")
    read = {name: np.ma.filled(found[f"s{i}"], np.nan) for i, name in enumerate(scores)}
    refuse_merged(table, query, read)
    columns = {k: _decoded(found[f"k{i}"], labels[k]) for i, k in enumerate(names)}
    return Columns(
        target=target,
        truth=columns[target],
        predictions={name: columns[name] for name in predictions},
        groups={name: columns[name] for name in groups},
        scores=read,
        count=np.ones(size, dtype=np.int64),
        from_text=table.is_text,
    )


def _labels(table: Table, query: Query, column: str, cell: str) -> list[tuple[str, Any]]:
    """Return how the engine writes each label of a column, and the label."""
    scan = table.scan([query.at[column]])
    rows = select(f"({cell})::VARCHAR AS k, {cell} AS v", scan.sql)
    sql = select("k, any_value(v)", f"({rows})", "WHERE k IS NOT NULL GROUP BY k ORDER BY k")
    found = run(table.connection, sql, scan.parameters)
    return [(key, python_value(query.python(column, value))) for key, value in found]


def _decoded(values: Any, pairs: list[tuple[str, Any]]) -> Coded:
    """Put None last, for cells without a label; nan and the like are no labels either."""
    labels = [*(None if is_missing(label) else label for _, label in pairs), None]
    return Coded(np.ma.filled(values, len(pairs)).astype(np.intp), labels)


def _refuse_text(table: Table, query: Query, scores: Sequence[str]) -> None:
    """Say which column of scores holds text, how often, and give an example."""
    numbers = [part for i, name in enumerate(scores) for part in query.number(f"s{i}", name)]
    parts = (f"count(s{i}_text), any_value(s{i}_text)" for i in range(len(scores)))
    scan = table.scan(list(query.at.values()))
    rows = select(", ".join(numbers), scan.sql)
    sql = select(", ".join(parts), f"({rows})")
    [found] = run(table.connection, sql, scan.parameters)
    for i, name in enumerate(scores):
        if found[2 * i]:
            refuse_text(name, found[2 * i], found[2 * i + 1], table.file.name)
