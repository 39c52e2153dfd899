"""One table per file format: its column names, and a scan in which column i is called c{i}."""

import json
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from baserate.adapters._roles import check_columns
from baserate.adapters._table import (
    FILE_NUMBER,
    TEXT_TYPES,
    Scan,
    Table,
    is_number_type,
    is_whole_type,
    literal_path,
    select,
)
from baserate.adapters._text import whole_lines
from baserate.adapters.engine import connected, first_line, run
from baserate.adapters.formats import FORMATS, LocalFile, local_file
from baserate.cases.scores import EXACT
from baserate.errors import DataError, MissingDependencyError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SchemaRow = tuple[str, int, str | None]  # a column, how many columns it contains, its type


@dataclass(slots=True)
class JsonTable(Table):
    """JSON lines (or one array of records); values stay JSON, so that "1", 1 and true differ."""

    def __post_init__(self) -> None:
        self.names = self._keys("LIMIT 1000")
        if not set(self.wanted) <= set(self.names):
            self.names = self._keys("")

    def scan(self, columns: Sequence[int]) -> Scan:
        """Pick these keys from each record."""
        values = ", ".join(f"json_extract(json, ?) AS c{i}" for i in columns)
        records, parameters = self._records()
        pointers = [_pointer(self.names[i]) for i in columns]
        values += f", {FILE_NUMBER}" if self.file.members else ""
        return Scan(sql=f"({select(values, records)})", parameters=(*pointers, *parameters))

    @property
    def shape(self) -> Hashable:
        """The keys of the records."""
        return tuple(self.names), self.file.compression

    def _records(self) -> tuple[str, list[Any]]:
        sql = "read_json_objects(?, format='auto', hive_partitioning=false, compression=?)"
        return sql, [self.literals, self.file.compression or "auto_detect"]

    def _keys(self, limit: str) -> list[str]:
        records, parameters = self._records()
        some = select("json", records, limit)
        sql = select("DISTINCT unnest(json_keys(json)) AS key", f"({some})", "ORDER BY key")
        return [key for (key,) in run(self.connection, sql, parameters)]


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


@dataclass(slots=True)
class ParquetTable(Table):
    """Parquet, read column by column."""

    schema: tuple["SchemaRow", ...] = ()

    def __post_init__(self) -> None:
        self.schema = self.schema or _schemas(self.connection, self.literals)[str(self.file.path)]
        rows = iter(self.schema)
        _, width, _ = next(rows)
        self.names = [_skip_children(rows) for _ in range(width)]

    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns."""
        del columns  # the engine reads no more than it needs
        aliases = ", ".join(f"c{i}" for i in range(len(self.names)))
        options = "hive_partitioning=false, binary_as_string=true"
        return Scan(sql=f"read_parquet(?, {options}) AS t({aliases})", parameters=(self.literals,))

    @property
    def shape(self) -> Hashable:
        """The columns and their types."""
        return self.schema


def _schemas(
    connection: "DuckDBPyConnection", paths: Sequence[str]
) -> dict[str, tuple[SchemaRow, ...]]:
    values = "file_name, name, coalesce(num_children, 0), duckdb_type"
    sql = select(values, "parquet_schema(?)", "ORDER BY file_name, column_id")
    found: dict[str, list[SchemaRow]] = {}
    for path, *row in run(connection, sql, [paths]):
        found.setdefault(path, []).append(tuple(row))
    return {path: tuple(rows) for path, rows in found.items()}


def _skip_children(rows: Iterator[SchemaRow]) -> str:
    """Name one column, and step over what it contains."""
    name, left, _ = next(rows)
    while left:
        left += next(rows)[1] - 1
    return name


@dataclass(slots=True)
class ArrowTable(Table):
    """Arrow IPC, file or stream: mapped into memory and handed over batch by batch."""

    pyarrow: Any = field(init=False)
    ipc: Any = field(init=False)
    stored: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        try:
            self.pyarrow, self.ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
        except ImportError:
            purpose = "Reading an Arrow file"
            raise MissingDependencyError.from_extra("pyarrow", purpose, "arrow") from None
        schema = self._attempt(lambda: self._open(self.file, None).schema)
        self.names, self.stored = list(schema.names), tuple(map(str, schema.types))

    def scan(self, columns: Sequence[int]) -> Scan:
        """Offer a fresh reader of these columns, which can be read once."""
        name, wanted = f"batches_{id(self)}", sorted(set(columns))
        self.connection.register(name, self._attempt(lambda: self._reader(wanted)))
        return Scan(sql=name)

    @property
    def shape(self) -> Hashable:
        """The columns and their types."""
        return tuple(self.names), self.stored

    def _reader(self, columns: list[int]) -> Any:
        first = self._open(self.file.each[0], columns)
        pairs = zip(columns, first.schema, strict=True)
        fields = [old.with_name(f"c{i}") for i, old in pairs]
        schema = self.pyarrow.schema([*fields, (FILE_NUMBER, self.pyarrow.int64())])
        return self.pyarrow.RecordBatchReader.from_batches(schema, self._numbered(columns, schema))

    def _numbered(self, columns: list[int], schema: Any) -> Iterator[Any]:
        """Read file after file, and write its number beside each row."""
        build = self.pyarrow.RecordBatch.from_arrays
        for number, file in enumerate(self.file.each):
            for batch in _batches(self._open(file, columns)):
                batch.validate(full=True)  # the engine trusts offsets, and would read beyond
                numbers = self.pyarrow.repeat(number, batch.num_rows)
                yield build([*batch.columns, numbers], schema=schema)

    def _open(self, file: LocalFile, columns: list[int] | None) -> Any:
        options = self.ipc.IpcReadOptions(included_fields=columns)
        opener = self.ipc.open_file if file.format is FORMATS["arrow"] else self.ipc.open_stream
        return opener(self.pyarrow.memory_map(str(file.path)), options=options)

    def _attempt(self, action: Any) -> Any:
        try:
            return action()
        except (self.pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{self.file.name} cannot be read: {first_line(error)}.") from None


def _batches(opened: Any) -> Iterator[Any]:
    if hasattr(opened, "get_batch"):
        return (opened.get_batch(i) for i in range(opened.num_record_batches))
    return iter(opened)


NO_TYPE = '"NULL"'  # of a column without a value
DIGITS = 18  # a whole number of so many fits 64 bits


class ColumnSql(NamedTuple):
    """A column of one part, in SQL, with its parameters and its type."""

    sql: str
    parameters: tuple[Any, ...]
    kind: str


@dataclass(slots=True)
class JoinedTable(Table):
    """Several files of one format as one table; those that one scan can read are one part."""

    parts: Sequence[Table] = ()
    values: dict[str, list[ColumnSql]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.names = list(dict.fromkeys(name for part in self.parts for name in _names(part)))

    @property
    def shape(self) -> Hashable:
        """The columns of every part."""
        return tuple(part.shape for part in self.parts)

    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns, which every file has to have, part by part."""
        at = {i: self.names[i] for i in sorted(set(columns))}
        for part in self.parts:
            check_columns(_names(part), list(at.values()), part.file.each[0].name)
        for name in at.values():
            self.values[name] = self.values.get(name) or self._values(name)
        scans = [self._of_part(number, at) for number in range(len(self.parts))]
        parameters = tuple(value for scan in scans for value in scan.parameters)
        return Scan(sql=f"({' UNION ALL '.join(s.sql for s in scans)})", parameters=parameters)

    def _of_part(self, number: int, at: dict[int, str]) -> Scan:
        part = self.parts[number]
        values = {i: self.values[name][number] for i, name in at.items()}
        wanted = ", ".join(f"{value.sql} AS c{i}" for i, value in values.items())
        own = [part.names.index(name) for name in at.values() if name in part.names]
        scan = part.scan(own)
        given = [given for value in values.values() for given in value.parameters]
        return Scan(sql=select(wanted, scan.sql), parameters=(*given, *scan.parameters))

    def _values(self, name: str) -> list[ColumnSql]:
        said = {file.folders[name] for file in self.file.members if name in file.folders}
        whole = all(value is None or _is_whole(value) for value in said)
        found = [_stored(part, name) or _said(part, name, whole) for part in self.parts]
        files = {v.kind: p.file.each[0].name for v, p in zip(found, self.parts, strict=True)}
        kind = _common(name, files)
        return [_cast(value, kind, name) for value in found]


def _names(part: Table) -> list[str]:
    """Return the columns of a part: a file's own go before what its folders say."""
    return [*part.names, *(name for name in part.file.each[0].folders if name not in part.names)]


def _stored(part: Table, name: str) -> ColumnSql | None:
    if name not in part.names:
        return None
    i = part.names.index(name)
    return ColumnSql(f"c{i}", (), part.kinds([i])[i])


def _said(part: Table, name: str, is_whole: bool) -> ColumnSql:  # noqa: FBT001
    """Read a column from the folders of each file, as the format would store it."""
    said: list[Any] = [file.folders[name] for file in part.file.each]
    kind = "VARCHAR" if part.is_text else "JSON" if part.is_json else "BIGINT"
    if is_whole and kind == "BIGINT":
        said = [None if value is None else int(value) for value in said]
    elif not is_whole and kind == "JSON":
        said = [None if value is None else json.dumps(value) for value in said]
    elif not is_whole:
        kind = "VARCHAR"
    return ColumnSql(f"list_extract(?::{kind}[], {FILE_NUMBER}::BIGINT + 1)", (said,), kind)


def _is_whole(text: str) -> bool:
    """Whether a text is how a whole number is written: 01 is a name."""
    digits = text.removeprefix("-")
    known = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS
    return known and str(int(text)) == text


def _common(name: str, kinds: dict[str, str]) -> str:
    """Return a type that holds the values of all these types, by the file of each, exactly."""
    known = {kind: where for kind, where in kinds.items() if kind != NO_TYPE}
    if len(known) < 2:
        return next(iter(known), NO_TYPE)
    if all(kind.startswith(TEXT_TYPES) for kind in known):
        return "VARCHAR"
    if all(is_whole_type(kind) or kind == "BOOLEAN" for kind in known):
        return "HUGEINT"
    if all(is_number_type(kind) and not kind.startswith("DECIMAL") for kind in known):
        return "DOUBLE"
    (one, here), (other, there), *_ = known.items()
    raise DataError(
        f"Column {name!r} is of type {one} in {here} and {other} in {there}: write it as one type."
    )


def _cast(value: ColumnSql, kind: str, name: str) -> ColumnSql:
    """Write a value as one of another type; what this would change is refused."""
    if value.kind == kind:
        return value
    cast = f"{value.sql}::{kind}"
    if kind != "DOUBLE" or not is_whole_type(value.kind):
        return value._replace(sql=cast)
    changed = f"{value.sql} NOT BETWEEN -{EXACT} AND {EXACT}"
    why = f"column {name!r} holds fractions, and whole numbers beyond 2^53 that floats would merge"
    sql = f"CASE WHEN {changed} THEN error(?)::DOUBLE ELSE {cast} END"
    return value._replace(sql=sql, parameters=(*value.parameters, why, *value.parameters))


@contextmanager
def table_of(path: str | PathLike[str] | BinaryIO, wanted: Sequence[str] = ()) -> Iterator[Table]:
    """Open a file as a table, whose rows are read here: all of them, or it is refused."""
    with local_file(path) as file, connected(file) as connection, whole_lines(file):
        yield open_table(file, connection, wanted)


def column_names(path: str | PathLike[str] | BinaryIO) -> list[str]:
    """Return the names of the columns of a file."""
    with local_file(path) as file, connected(file) as connection:
        return list(open_table(file, connection).names)


def open_table(
    file: LocalFile, connection: "DuckDBPyConnection", wanted: Sequence[str] = ()
) -> Table:
    """Open a file by its format; `wanted` columns help to find the delimiter of a CSV file."""
    if file.members:
        return JoinedTable(file, connection, parts=_parts(file, connection, wanted))
    module, table = file.format.table.split(".")
    reads = getattr(import_module(f"baserate.adapters.{module}"), table)
    return reads(file, connection, tuple(wanted))


def _parts(file: LocalFile, connection: "DuckDBPyConnection", wanted: Sequence[str]) -> list[Table]:
    """Open several files as few tables, one for all files that a single scan can read."""
    parts: dict[Hashable, list[Table]] = {}
    for table in _opened(file, connection, wanted):
        parts.setdefault((table.shape, tuple(table.file.folders)), []).append(table)
    for first, *others in parts.values():
        members = tuple(table.file for table in (first, *others))
        first.file = replace(first.file, members=members)
    return [first for first, *_ in parts.values()]


def _opened(
    file: LocalFile, connection: "DuckDBPyConnection", wanted: Sequence[str]
) -> Iterator[Table]:
    if file.format is not FORMATS["parquet"]:
        return (open_table(member, connection, wanted) for member in file.members)
    schemas = _schemas(connection, [literal_path(member.path) for member in file.members])
    return (ParquetTable(one, connection, schema=schemas[str(one.path)]) for one in file.members)
