"""Read a data frame of any kind through narwhals: its columns, or one group_by that counts."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from math import ceil, inf, isnan
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from baserate.adapters._counts import (
    Sums,
    beyond_floats,
    check_cases,
    check_size,
    counted_cases,
    refuse_no_rows,
)
from baserate.adapters._frame_rows import (
    MISSING,
    decisions_of,
    labels_of,
    spread_of,
    with_cells,
)
from baserate.adapters._roles import (
    MISSING_TEXT,
    Roles,
    check_columns,
    refuse_kind,
    refuse_nested,
    refuse_text,
)
from baserate.cases.arrays import read_arrays
from baserate.cases.cases import FRAME, Cases
from baserate.cases.scores import EXACT, cutting_point, least_float
from baserate.cases.values import is_missing
from baserate.errors import DataError, InvalidArgumentError, MissingDependencyError

TEXT = (nw.String, nw.Object, nw.Categorical, nw.Enum, nw.Unknown)
NESTED = (nw.List, nw.Struct, nw.Array)
LAST_WHOLE = 2**63 - 1  # of a signed column; literals beyond are not taken everywhere
CELL = ("absent", "cell")  # what rows of a score have in common beside their labels


def read_frame(frame: Any, **columns: Any) -> Cases:
    """Read the cases of a data frame, which is not changed.

    Without scores, cases that share all labels are counted together: of a lazy frame only the
    counts are collected. Scores that are too many to hold are counted where they lie, by cells of
    the grid of score histograms. Scores are compared in double precision. The frame is whatever
    narwhals takes, or Arrow batches and readers of them; `columns` are those of `Roles`, and
    missing is null or nan.
    """
    roles = Roles(**columns)
    data = opened(frame, roles.columns)
    schema = data.collect_schema()
    for column in roles.columns:
        if isinstance(schema[column], NESTED):
            refuse_nested(column, str(schema[column]), FRAME)
    try:
        held = _collected(data, roles.hold) if roles.holds else None
        return _counted(data, roles) if held is None else _held(held, roles)
    except ModuleNotFoundError as error:  # by which lazy frames such as DuckDB's are collected
        if error.name != "pyarrow":
            raise
        raise MissingDependencyError.from_extra("pyarrow", "Such a frame", "arrow") from None


def opened(frame: Any, columns: Sequence[Any]) -> Any:
    """Return these columns of whatever holds them as a frame of narwhals; lazy frames stay lazy.

    Frames of pandas, polars, pyarrow and others, datasets of pyarrow, of which only these columns
    are read, and streams of Arrow batches, which are read once. Names that occur twice are no error
    unless they are asked for.
    """
    if is_dataset(frame):
        check_columns(frame.schema.names, columns, FRAME)
        return nw.from_native(frame.to_table(columns=list(columns)))
    names = _names(frame)
    if names is not None:  # these libraries allow names that occur twice
        check_columns(names, columns, FRAME)
        return nw.from_native(_only(frame, list(columns)))
    try:
        data: Any = nw.from_native(frame)
    except TypeError:
        kind = type(frame).__name__
        meant = "pd.DataFrame(data)" if isinstance(frame, dict | list) else "one"
        raise DataError(
            f"data must be a data frame, got {kind}: pass {meant}, or two arrays."
        ) from None
    check_columns(data.collect_schema().names(), columns, FRAME)
    return data.select(*columns)


def is_dataset(data: Any) -> bool:
    """Whether data are a dataset of pyarrow: files or batches that are still to be read."""
    return hasattr(data, "scanner") and hasattr(data, "to_table")


def _names(frame: Any) -> list[Any] | None:
    if nw.dependencies.is_pandas_like_dataframe(frame):
        return list(frame.columns)
    if nw.dependencies.is_pyarrow_table(frame) or _is_stream(frame):
        names = getattr(frame.schema, "names", None)
        return list(names) if isinstance(names, list) else None
    return None


def _is_stream(frame: Any) -> bool:
    """Whether this is a batch or a reader of batches; engines that can stream are asked to count.

    A data frame of Spark is both: its stream would bring every row to this process.
    """
    streams = hasattr(frame, "__arrow_c_stream__") and hasattr(frame, "schema")
    return streams and nw.from_native(frame, pass_through=True) is frame


def _only(frame: Any, columns: list[Any]) -> Any:
    """Pick columns; of a reader, batch by batch."""
    if nw.dependencies.is_pandas_like_dataframe(frame):
        try:
            return frame[columns]
        except UnicodeEncodeError:  # half a sign, which strings of pandas 3 do not hold
            names = list(frame.columns)
            return frame.iloc[:, [names.index(column) for column in columns]]
    if nw.dependencies.is_pyarrow_table(frame):
        return frame.select(columns)
    pa = import_module("pyarrow")
    reader = pa.RecordBatchReader.from_stream(frame)
    schema = pa.schema([reader.schema.field(column) for column in columns])
    return pa.Table.from_batches((batch.select(columns) for batch in reader), schema)


def _collected(data: Any, hold: int | None) -> Any:
    """Return the rows in memory; None if they are more than can be held.

    Lazy rows are counted before: Dask and Spark would gather the head of every partition.
    """
    if not isinstance(data, nw.LazyFrame):
        return data if hold is None or len(data) <= hold else None
    if hold is not None and data.select(n=nw.len()).collect()["n"].item() > hold:
        return None
    return data.collect()


def _held(data: Any, roles: Roles) -> Cases:
    refuse_no_rows(len(data), FRAME)

    def column(name: Any) -> Any:
        return data.get_column(name).to_native()  # data[name] takes a number for a row

    cases = read_arrays(
        column(roles.target),
        {name: column(name) for name in roles.predictions},
        scores={name: _score(data.get_column(name), name) for name in roles.scores},
        groups={name: column(name) for name in roles.groups},
        keys={role: column(name) for role, name in roles.keys.items()},
        key_names=roles.keys,
        sample_weight=None if roles.weight is None else column(roles.weight),
        missing=roles.missing,
        replicates=roles.replicates,
        relabel=roles.relabel,
        frequency=roles.frequency,
        target=roles.target,
        weight=str(roles.weight),
        where=FRAME,
    )
    check_cases(cases)
    return cases


def _score(column: Any, name: Any) -> Any:
    """Return a column of scores as numbers; whole numbers are never merged."""
    if _is_text(name, column.dtype):
        return _numbers(column.to_list(), name)
    if not column.dtype.is_integer():
        return column.cast(nw.Float64).to_numpy()
    if not column.null_count():
        return column.to_native()  # as they are: a float would merge them beyond 2^53
    present = column.drop_nulls()
    if len(present) and not -EXACT <= present.min() <= present.max() <= EXACT:
        raise beyond_floats(name)
    return column.cast(nw.Float64).to_numpy()


def _is_text(column: Any, kind: Any) -> bool:
    """Whether a column of numbers has to be read value by value; refuse dates and the like."""
    if isinstance(kind, TEXT):
        return True
    if not (kind.is_numeric() or isinstance(kind, nw.Boolean)):
        refuse_kind(column, str(kind), FRAME)
    return False


def _numbers(values: list[Any], column: Any) -> list[float | None]:
    numbers: list[float | None] = []
    texts: list[Any] = []
    for value in values:
        try:
            numbers.append(number_from(value))
        except (TypeError, ValueError):
            texts.append(value)
    if texts:
        refuse_text(column, len(texts), min(texts, key=str), FRAME)
    return numbers


def number_from(value: Any) -> float | None:
    """Read a number out of one value: None if it is missing, an error if it is text."""
    if is_missing(value) or (isinstance(value, str) and value in MISSING_TEXT):
        return None
    word = value.strip().lower() if isinstance(value, str) else value
    if isinstance(word, str) and ("_" in word or not word.isascii()):  # as the engine reads it
        raise ValueError(value)
    number = float({"true": 1, "false": 0}.get(word, word) if isinstance(word, str) else word)
    return None if isnan(number) else number


def _counted(data: Any, roles: Roles) -> Cases:
    names = [f"k{i}" for i in range(len(roles.counted))]
    numbers = {f"s{i}": score for i, score in enumerate(roles.scores)}
    first = 1 + len(roles.predictions)
    cut = {names[first + i]: f"s{i}" for i in range(len(roles.cuts))}
    numbers |= {} if roles.weight is None else {"w": roles.weight}
    plain = zip(names, roles.counted, strict=True)
    labels = {name: roles.column(part) for name, part in plain if name not in cut}
    data = _coded(_own_columns(data, labels, numbers), cut, roles)
    data, escaped = _told_apart(data, labels)
    keys = [*names, *(["has_w"] if roles.weight is not None else [])]
    keys += CELL if roles.bins else ()
    try:
        counted = data.group_by(*keys).agg(**_sums(numbers))
    except TypeError:  # Python objects that have no hash
        _blame_unhashable(data, labels)
        raise
    counted = counted.collect() if isinstance(counted, nw.LazyFrame) else counted
    found = {name: labels_of(counted[name], column) for name, column in labels.items()}
    for name in escaped:
        found[name] = found[name]._replace(labels=[*map(_unescaped, found[name].labels)])
    found |= {name: decisions_of(counted[name]) for name in cut}
    values = [found[name] for name in names]
    check_size(len(counted), [column.found().values() for column in values], roles, FRAME)
    ends = {column: tuple(counted[f"{name}_{end}"].to_numpy() for end in ("low", "high"))
            for name, column in numbers.items()}  # fmt: skip
    sums = None
    if roles.weight is not None:
        sums = Sums(*(counted[name].to_numpy() for name in ("has_w", "w_sum", "w2_sum")))
    spreads = {column: spread_of(*both) for column, both in ends.items()}
    about = {"where": FRAME, "ranges": _ranges(counted, ends) if roles.bins else {}}
    return counted_cases(roles, values, counted["n"].to_numpy(), sums, spreads, **about)


def _ranges(counted: Any, ends: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the range of the one score in each row; nan where it is missing."""
    absent = counted["absent"].to_numpy() == 1
    return {
        score: tuple(np.where(absent, np.nan, end) for end in both) if absent.any() else both
        for score, both in ends.items()
    }


def _told_apart(data: Any, labels: Iterable[str]) -> tuple[Any, set[str]]:
    """Write texts in ASCII that pandas counts as one: equal up to a zero byte, or no UTF-8.

    Return the columns, too, that this concerns. https://github.com/pandas-dev/pandas/issues/34551
    """
    escaped = set[str]()
    lazy = isinstance(data, nw.LazyFrame)
    if lazy or not nw.dependencies.is_pandas_like_dataframe(data.to_native()):
        return data, escaped
    for name in labels:
        if not isinstance(data[name].dtype, nw.String | nw.Object):
            continue
        values = data[name].to_numpy()
        if _are_merged(values):
            new = nw.new_series(name, list(map(_escaped, values)), backend=data.implementation)
            data, escaped = data.with_columns(new), escaped | {name}
    return data, escaped


def _are_merged(values: Any) -> bool:
    try:
        text = "".join(values)
    except TypeError:  # some are missing, or no text
        text = "".join(value for value in values if isinstance(value, str))
    if text.isascii():
        return "\0" in text
    try:
        return b"\0" in text.encode()
    except UnicodeEncodeError:
        return True


def _escaped(value: Any) -> Any:
    return value.encode("unicode_escape").decode() if isinstance(value, str) else value


def _unescaped(value: Any) -> Any:
    return value.encode().decode("unicode_escape") if isinstance(value, str) else value


def _own_columns(data: Any, labels: Mapping[str, Any], numbers: Mapping[str, Any]) -> Any:
    """Give each column a name of ours: labels as they are, and numbers as doubles.

    Scores that are whole numbers stay such: doubles would merge them beyond 2^53.
    """
    schema = data.collect_schema()
    texts = {name: column for name, column in numbers.items() if _is_text(column, schema[column])}
    values = [nw.col(column).alias(name) for name, column in labels.items()]
    for name, column in numbers.items():
        whole = name != "w" and schema[column].is_integer()
        value = nw.col(column)
        values.append((value if name in texts or whole else value.cast(nw.Float64)).alias(name))
    data = data.select(*values)
    data = data.collect() if texts and isinstance(data, nw.LazyFrame) else data
    for name, column in texts.items():
        read = _numbers(data[name].to_list(), column)
        data = data.with_columns(nw.new_series(name, read, nw.Float64, backend=data.implementation))
    return data


def _coded(data: Any, cut: Mapping[str, str], roles: Roles) -> Any:
    """Cut the scores or find their cells, and turn missing numbers into codes and fillers."""
    extra, schema = [], data.collect_schema()
    for decision, name in cut.items():
        reaches = _reaches(name, schema[name], cutting_point(roles.threshold))
        decided = nw.when(reaches).then(nw.lit(1)).otherwise(nw.lit(0))
        coded = nw.when(_lacking(name, schema[name])).then(nw.lit(MISSING)).otherwise(decided)
        extra.append(coded.alias(decision))
    for name in (f"s{i}" for i in range(len(roles.scores))):
        absent, whole = _lacking(name, schema[name]), schema[name].is_integer()
        extra.append(_filled(name, absent, nw.lit(0, schema[name]) if whole else nw.lit(0.5)))
    if roles.bins:
        absent = nw.when(_lacking("s0", schema["s0"])).then(nw.lit(1)).otherwise(nw.lit(0))
        extra.append(absent.alias("absent"))
    if roles.weight is not None:
        known = nw.when(nw.col("w") == 0).then(nw.lit(2)).otherwise(nw.lit(1))  # 0 apart
        has_weight = nw.when(_absent("w")).then(nw.lit(0)).otherwise(known)
        extra += [has_weight.alias("has_w"), _filled("w", _absent("w"), nw.lit(0.0))]
    data = data.with_columns(*extra) if extra else data
    data = with_cells(data, "s0") if roles.bins else data
    return data if roles.weight is None else data.with_columns(w2=nw.col("w") * nw.col("w"))


def _lacking(name: str, kind: Any) -> Any:
    """Whether there is no score; whole numbers know no nan, and some engines no such question."""
    return nw.col(name).is_null() if kind.is_integer() else _absent(name)


def _reaches(name: str, kind: Any, cut: float) -> Any:
    """Say where the score reaches the threshold, as `baserate.cases.scores.reaches` does."""
    score = nw.col(name)
    if not kind.is_integer():
        return score >= least_float(cut)
    at = ceil(cut)
    if at <= LAST_WHOLE:
        return score >= max(at, -LAST_WHOLE - 1)
    if kind.is_unsigned_integer():
        rule, remedy = "must lie below 2^63 for unsigned whole numbers", "pass ranks as scores"
        raise InvalidArgumentError.from_rule("threshold", rule, cut, remedy)
    return score != score  # noqa: PLR0124  no signed number is that large


def _absent(name: str) -> Any:
    """Null or nan; not by is_nan, which a DuckDB relation over Parquet takes for false."""
    value = nw.col(name)
    present = value.is_finite() | (value == inf) | (value == -inf)
    return value.is_null() | ~present


def _filled(name: str, absent: Any, filler: Any) -> Any:
    return nw.when(absent).then(filler).otherwise(nw.col(name)).alias(name)


def _sums(numbers: Mapping[str, Any]) -> dict[str, Any]:
    sums: dict[str, Any] = {"n": nw.len()}
    for name in numbers:
        sums |= {f"{name}_low": nw.col(name).min(), f"{name}_high": nw.col(name).max()}
    if "w" in numbers:
        sums |= {"w_sum": nw.col("w").sum(), "w2_sum": nw.col("w2").sum()}
    return sums


def _blame_unhashable(data: Any, columns: Mapping[str, Any]) -> None:
    for name, column in columns.items():
        for value in data[name].to_list():
            if not isinstance(value, Hashable):
                refuse_nested(column, type(value).__name__, FRAME)
