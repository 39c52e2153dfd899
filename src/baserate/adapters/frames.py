"""Count a data frame of any kind through narwhals: one group_by on truth, prediction, groups."""

from collections.abc import Hashable, Sequence
from importlib import import_module
from math import ceil, inf
from typing import Any

import narwhals.stable.v2 as nw

from baserate.adapters._cells import Cell, Spread, check_size, fold, number_from
from baserate.adapters._roles import FRAME as WHERE
from baserate.adapters._roles import Roles, check_columns, refuse_kind, refuse_nested, refuse_text
from baserate.cases.columns import exact_times
from baserate.cases.scores import least_float
from baserate.cases.tally import Tally
from baserate.errors import DataError, InvalidArgumentError

TEXT = (nw.String, nw.Object, nw.Categorical, nw.Enum, nw.Unknown)
NESTED = (nw.List, nw.Struct, nw.Array)
LAST_WHOLE = 2**63 - 1  # of a signed column; literals beyond are not taken everywhere
MISSING = -1  # code of a missing prediction; 0 and 1 are the decisions


def tally_frame(
    frame: Any,
    *,
    target: str,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    groups: str | Sequence[str] = (),
    weight: str | None = None,
    missing: str = "error",
) -> Tally:
    """Count the cases of a data frame by truth, prediction and group; the frame is not changed.

    Parameters
    ----------
    frame : data frame
        Whatever narwhals takes: pandas, polars, pyarrow, modin and others, and Arrow batches and
        readers of them. Of a lazy frame only the counts are collected.
    target : str
        Column of true labels.
    prediction, score : str, optional
        Column of predicted labels, or of scores to cut. With both, the table comes from the
        prediction.
    threshold : float, optional
        Predicted positive if score >= threshold, compared in double precision. Default: 0.5, if
        every score lies in [0, 1].
    groups : str or sequence of str
    weight : str, optional
        Column of non-negative, finite weights.
    missing : {"error", "drop"}
        What to do with rows whose label, score or weight is missing (null or nan). A missing
        group is a group, None.

    Returns
    -------
    Tally

    Raises
    ------
    DataError
        Not a data frame, a column asked for is missing or there twice, or holds text where numbers
        are needed.
    MissingValueError, LabelError, InvalidArgumentError
        Missing values, too many distinct labels, scores outside [0, 1] without a threshold, or
        weights that are negative or infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [1, 1, 0, 0], "p": [0.9, 0.2, 0.1, 0.4]})
    >>> tally = tally_frame(frame, target="y", score="p")
    >>> sorted(zip(tally.truth, tally.prediction, tally.count))
    [(0, False, 2), (1, False, 1), (1, True, 1)]
    """
    roles = Roles.of(
        groups,
        target=target,
        prediction=prediction,
        score=score,
        threshold=threshold,
        weight=weight,
        missing=missing,
    )
    data = _own_columns(opened(frame, roles.columns), roles)
    cells = [_cell(row, roles) for row in _rows(_coded(data, roles), roles)]
    check_size(cells, roles, WHERE)
    return fold(cells, roles, WHERE)


def opened(frame: Any, columns: Sequence[Any]) -> Any:
    """Return these columns of whatever holds them as a frame of narwhals; lazy frames stay lazy.

    Frames of pandas, polars, pyarrow and others, and streams of Arrow batches, which are read once.
    Names that occur twice are no error unless they are asked for.

    Raises
    ------
    DataError
        Not a data frame, or a column is missing or there twice.
    """
    names = _names(frame)
    if names is not None:  # these libraries allow names that occur twice
        check_columns(names, columns, WHERE)
        return nw.from_native(_only(frame, list(columns)))
    try:
        data: Any = nw.from_native(frame)
    except TypeError:
        kind = type(frame).__name__
        raise DataError(
            f"data must be a data frame, got {kind}: pass one, or two arrays."
        ) from None
    check_columns(data.collect_schema().names(), columns, WHERE)
    return data.select(*columns)


def _names(frame: Any) -> list[Any] | None:
    if nw.dependencies.is_pandas_like_dataframe(frame):
        return list(frame.columns)
    if hasattr(frame, "__arrow_c_stream__") and hasattr(frame, "schema"):
        names = getattr(frame.schema, "names", None)  # a table, a batch, or a reader of batches
        return list(names) if isinstance(names, list) else None
    return None


def _only(frame: Any, columns: list[Any]) -> Any:
    """Pick columns; of a reader, batch by batch."""
    if nw.dependencies.is_pandas_like_dataframe(frame):
        return frame[columns]
    if nw.dependencies.is_pyarrow_table(frame):
        return frame.select(columns)
    pa = import_module("pyarrow")
    reader = pa.RecordBatchReader.from_stream(frame)
    schema = pa.schema([reader.schema.field(column) for column in columns])
    return pa.Table.from_batches((batch.select(columns) for batch in reader), schema)


def _own_columns(data: Any, roles: Roles) -> Any:
    """Give each role a column under a name of ours: t, p, g0, g1, ..., and s and w as doubles.

    Scores that are whole numbers stay such: doubles would merge them beyond 2^53.
    """
    schema = data.collect_schema()
    for column in roles.columns:
        if isinstance(schema[column], NESTED):
            refuse_nested(column, str(schema[column]), WHERE)
    plain = {"t": roles.target, **{f"g{i}": column for i, column in enumerate(roles.groups)}}
    plain |= {} if roles.is_cut else {"p": roles.prediction}
    numbers = {"w": roles.weight, **({"s": roles.score} if roles.is_cut else {})}
    numbers = {name: column for name, column in numbers.items() if column is not None}
    read = {name: _is_text(column, schema[column]) for name, column in numbers.items()}
    values = [nw.col(column).alias(name) for name, column in plain.items()]
    for name, column in numbers.items():
        whole = name == "s" and schema[column].is_integer()
        value = nw.col(column) if read[name] or whole else nw.col(column).cast(nw.Float64)
        values.append(value.alias(name))
    data = data.select(*values)
    for name in (name for name, is_text in read.items() if is_text):
        data = _parsed(data, name, numbers[name])
    return data


def _is_text(column: Any, kind: Any) -> bool:
    """Whether a column of numbers has to be read value by value; refuse dates and the like."""
    if isinstance(kind, TEXT):
        return True
    if not (kind.is_numeric() or isinstance(kind, nw.Boolean)):
        refuse_kind(column, str(kind), WHERE)
    return False


def _parsed(data: Any, name: str, column: Any) -> Any:
    """Read numbers out of text and Python objects."""
    data = data.collect() if isinstance(data, nw.LazyFrame) else data
    numbers: list[float | None] = []
    texts: list[Any] = []
    for value in data[name].to_list():
        try:
            numbers.append(number_from(value))
        except (TypeError, ValueError):
            texts.append(value)
    if texts:
        refuse_text(column, len(texts), texts[0], WHERE)
    series = nw.new_series(name, numbers, nw.Float64, backend=data.implementation)
    return data.with_columns(series)


def _coded(data: Any, roles: Roles) -> Any:
    """Cut the score, and turn missing numbers into a code and a harmless filler."""
    extra = []
    if roles.is_cut:
        kind = data.collect_schema()["s"]
        absent = nw.col("s").is_null() if kind.is_integer() else _absent("s")
        decided = nw.when(_reaches(kind, roles.cut)).then(nw.lit(1)).otherwise(nw.lit(0))
        coded = nw.when(absent).then(nw.lit(MISSING)).otherwise(decided)
        harmless = nw.lit(0, kind) if kind.is_integer() else nw.lit(0.5)
        extra += [coded.alias("p"), _filled("s", absent, harmless)]
    if roles.weight is not None:
        has_weight = nw.when(_absent("w")).then(nw.lit(0)).otherwise(nw.lit(1))
        extra += [has_weight.alias("has_w"), _filled("w", _absent("w"), nw.lit(0.0))]
    data = data.with_columns(*extra) if extra else data
    return data if roles.weight is None else data.with_columns(w2=nw.col("w") * nw.col("w"))


def _reaches(kind: Any, cut: float) -> Any:
    """Say where the score reaches the threshold, as `baserate.cases.scores.reaches` does."""
    if not kind.is_integer():
        return nw.col("s") >= least_float(cut)
    at = ceil(cut)
    if at <= LAST_WHOLE:
        return nw.col("s") >= max(at, -LAST_WHOLE - 1)
    if kind.is_unsigned_integer():
        rule, remedy = "must lie below 2^63 for unsigned whole numbers", "pass ranks as scores"
        raise InvalidArgumentError.from_rule("threshold", rule, cut, remedy)
    return nw.col("s") != nw.col("s")  # no signed number is that large


def _absent(name: str) -> Any:
    """Null or nan; not by is_nan, which a DuckDB relation over Parquet takes for false."""
    value = nw.col(name)
    present = value.is_finite() | (value == inf) | (value == -inf)
    return value.is_null() | ~present


def _filled(name: str, absent: Any, filler: Any) -> Any:
    return nw.when(absent).then(filler).otherwise(nw.col(name)).alias(name)


def _rows(data: Any, roles: Roles) -> list[dict[str, Any]]:
    columns = {"t": roles.target, "p": roles.predicted}
    columns |= {f"g{i}": column for i, column in enumerate(roles.groups)}
    sums: dict[str, Any] = {"n": nw.len()}
    if roles.is_cut:
        sums |= {"s_low": nw.col("s").min(), "s_high": nw.col("s").max()}
    if roles.weight is not None:
        sums |= {"w_sum": nw.col("w").sum(), "w2_sum": nw.col("w2").sum()}
        sums |= {"w_low": nw.col("w").min(), "w_high": nw.col("w").max()}
    keys = [*columns, *(["has_w"] if roles.weight is not None else [])]
    try:
        counted = data.group_by(*keys).agg(**sums)
    except TypeError:  # Python objects that have no hash
        _blame_unhashable(data, columns)
        raise
    counted = counted.collect() if isinstance(counted, nw.LazyFrame) else counted
    found = counted.rows(named=True)
    for name, column in columns.items():
        times = exact_times(repr(column), counted[name])
        for row, time in zip(found, () if times is None else times.array, strict=times is not None):
            row[name] = time
    return found


def _blame_unhashable(data: Any, columns: dict[str, Any]) -> None:
    for name, column in columns.items():
        for value in data[name].to_list():
            if not isinstance(value, Hashable):
                refuse_nested(column, type(value).__name__, WHERE)


def _cell(row: dict[str, Any], roles: Roles) -> Cell:
    prediction = row["p"]
    if roles.is_cut:
        prediction = None if prediction == MISSING else prediction == 1
    return Cell(
        truth=row["t"],
        prediction=prediction,
        group=tuple(row[f"g{i}"] for i in range(len(roles.groups))),
        has_weight=bool(row.get("has_w", False)),
        n=int(row["n"]),
        weight=float(row.get("w_sum", 0.0)),
        weight_squared=float(row.get("w2_sum", 0.0)),
        score=Spread(row.get("s_low"), row.get("s_high")),
        weights=Spread(row.get("w_low"), row.get("w_high")),
    )
