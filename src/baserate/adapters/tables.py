"""One table per file format: its column names, and a scan in which column i is called c{i}."""

import csv
import io
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from baserate.adapters.engine import connected, first_line, run
from baserate.adapters.formats import (
    DELIMITERS,
    LocalFile,
    decompressed,
    local_file,
    plain_head,
)
from baserate.errors import DataError, MissingDependencyError

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

HEADER_BYTES = 1 << 20
ESCAPED = "*?["  # an engine takes these for wildcards; in brackets they stand for themselves


KEPT = "kept"  # the table of the engine that holds the rows at hand


def select(values: str, source: str, rest: str = "") -> str:
    """Write a query over pieces of SQL that this package made."""
    return f"SELECT {values} FROM {source} {rest}"  # noqa: S608  no part comes from the user


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """SQL for a FROM clause, with its parameters: no name or value of the user's is in the SQL."""

    sql: str
    parameters: tuple[Any, ...] = ()


@dataclass(slots=True)
class Table(ABC):
    """A file as rows of columns that are known by position, so that no column name reaches SQL."""

    file: LocalFile
    connection: "DuckDBPyConnection"
    names: list[str] = field(init=False)
    is_kept: bool = field(init=False, default=False)
    is_text: ClassVar[bool] = False
    is_json: ClassVar[bool] = False

    @abstractmethod
    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns from the file, in one pass."""

    def keep(self, columns: Sequence[int], limit: int | None, progress: Any = None) -> bool:
        """Read the first rows of a file once, into the engine; say whether that is all of them.

        What is asked next is asked of these rows, until `forget`. The engine holds them in bounded
        memory, and on disk beyond that.
        """
        scan = self.scan(columns)
        rest = "" if limit is None else f"LIMIT {limit + 1}"
        rows = select(", ".join(f"c{i}" for i in sorted(set(columns))), scan.sql, rest)
        run(self.connection, f"CREATE TEMP TABLE {KEPT} AS {rows}", scan.parameters, progress)
        self.is_kept = True
        [[size]] = run(self.connection, select("count(*)", KEPT))
        return limit is None or size <= limit

    def forget(self) -> None:
        """Drop the rows at hand: from here on the file is read."""
        self.connection.execute(f"DROP TABLE {KEPT}")
        self.is_kept = False

    def rows(self, columns: Sequence[int]) -> Scan:
        """Offer these columns: of the rows at hand, if there are any, else of the file."""
        return Scan(sql=KEPT) if self.is_kept else self.scan(columns)

    @property
    def literal(self) -> str:
        """The path, with wildcards made to stand for themselves."""
        return literal_path(self.file.path)


def literal_path(path: "Path") -> str:
    """Escape the wildcards of a path.

    Examples
    --------
    >>> from pathlib import PurePosixPath
    >>> literal_path(PurePosixPath("a[1]*.csv"))
    'a[[]1][*].csv'
    """
    return "".join(f"[{sign}]" if sign in ESCAPED else sign for sign in str(path))


@dataclass(slots=True)
class TextTable(Table):
    """CSV or TSV, every value as text, so that no label is changed by guessing its type."""

    wanted: tuple[str, ...] = ()
    delimiter: str = field(init=False)
    is_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        lines = self._header_lines()
        candidates = "\t" if self.file.format == "tsv" else DELIMITERS
        headers = {mark: _first_record(lines, mark) for mark in candidates}
        self.delimiter = max(candidates, key=lambda mark: _fit(headers[mark], self.wanted))
        self.names = headers[self.delimiter]
        if not any(self.names):
            raise DataError(
                f"{self.file.name} has no header: its first line must name the columns."
            )
        if any("\n" in name or "\r" in name for name in self.names):
            self.file = _with_plain_header(self.file, self.delimiter, len(self.names))

    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns as text."""
        del columns  # the engine reads no more than it needs
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        sql = (
            "read_csv(?, auto_detect=false, header=true, delim=?, quote='\"', escape='\"', "
            f"strict_mode=true, hive_partitioning=false, compression=?, columns={{{types}}})"
        )
        compression = self.file.compression or "none"
        return Scan(sql=sql, parameters=(self.literal, self.delimiter, compression))

    def _header_lines(self) -> str:
        file = self.file
        try:
            head = plain_head(file.path, file.compression, HEADER_BYTES, file.name)
        except MissingDependencyError:
            head = "\n".join(self._lines_by_engine()).encode()
        if b"\0" in head:
            raise DataError(f"{file.name} is not UTF-8 text: save it as UTF-8.")
        return head.decode("utf-8-sig", errors="ignore")

    def _lines_by_engine(self) -> list[str]:
        """Read the first lines of what Python cannot decompress: one column, split nowhere."""
        sql = (
            "SELECT line FROM read_csv(?, auto_detect=false, header=false, delim='\x01', quote='', "
            "escape='', strict_mode=false, hive_partitioning=false, compression=?, "
            "columns={'line': 'VARCHAR'}) LIMIT 64"
        )
        found = run(self.connection, sql, [self.literal, self.file.compression])
        return [line or "" for (line,) in found]


def _first_record(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _fit(header: list[str], wanted: Iterable[str]) -> tuple[int, int]:
    return sum(name in header for name in wanted), len(header)


def _with_plain_header(file: LocalFile, delimiter: str, width: int) -> LocalFile:
    """Copy a file whose header breaks lines, which misleads the engine about line ends."""
    copy = file.scratch / "plain-header"
    raw = decompressed(file.path, file.compression)
    with (
        io.TextIOWrapper(raw, "utf-8-sig", newline="") as old,
        copy.open("w", encoding="utf-8", newline="") as new,
    ):
        header: list[str] = []
        next(csv.reader((_kept(line, header) for line in old), delimiter=delimiter))
        end = header[-1][len(header[-1].rstrip("\r\n")) :]
        new.write(delimiter.join(f"c{i}" for i in range(width)) + end)
        shutil.copyfileobj(old, new, 1 << 20)
    return replace(file, path=copy, compression=None)


def _kept(line: str, lines: list[str]) -> str:
    lines.append(line)
    return line


@dataclass(slots=True)
class JsonTable(Table):
    """JSON lines (or one array of records); values stay JSON, so that "1", 1 and true differ."""

    wanted: tuple[str, ...] = ()
    is_json: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.names = self._keys("LIMIT 1000")
        if not set(self.wanted) <= set(self.names):
            self.names = self._keys("")

    def scan(self, columns: Sequence[int]) -> Scan:
        """Pick these keys from each record."""
        values = ", ".join(f"json_extract(json, ?) AS c{i}" for i in columns)
        records, parameters = self._records()
        pointers = [_pointer(self.names[i]) for i in columns]
        return Scan(sql=f"({select(values, records)})", parameters=(*pointers, *parameters))

    def _records(self) -> tuple[str, list[Any]]:
        sql = "read_json_objects(?, format='auto', hive_partitioning=false, compression=?)"
        return sql, [self.literal, self.file.compression or "auto_detect"]

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

    def __post_init__(self) -> None:
        sql = "SELECT name, coalesce(num_children, 0) FROM parquet_schema(?)"
        rows = iter(run(self.connection, sql, [self.literal]))
        _, width = next(rows)
        self.names = [_skip_children(rows) for _ in range(width)]

    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns."""
        del columns  # the engine reads no more than it needs
        aliases = ", ".join(f"c{i}" for i in range(len(self.names)))
        options = "hive_partitioning=false, binary_as_string=true"
        return Scan(sql=f"read_parquet(?, {options}) AS t({aliases})", parameters=(self.literal,))


def _skip_children(rows: Iterator[tuple[str, int]]) -> str:
    """Name one column, and step over what it contains."""
    name, left = next(rows)
    while left:
        left += next(rows)[1] - 1
    return name


@dataclass(slots=True)
class ArrowTable(Table):
    """Arrow IPC, file or stream: mapped into memory and handed over batch by batch."""

    pyarrow: Any = field(init=False)
    ipc: Any = field(init=False)

    def __post_init__(self) -> None:
        try:
            self.pyarrow, self.ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
        except ImportError:
            purpose = "Reading an Arrow file"
            raise MissingDependencyError.from_extra("pyarrow", purpose, "arrow") from None
        self.names = self._attempt(lambda: list(self._open(None).schema.names))

    def scan(self, columns: Sequence[int]) -> Scan:
        """Offer a fresh reader of these columns, which can be read once."""
        self.connection.register("batches", self._attempt(lambda: self._reader(sorted(columns))))
        return Scan(sql="batches")

    def _reader(self, columns: list[int]) -> Any:
        opened = self._open(columns)
        pairs = zip(columns, opened.schema, strict=True)
        schema = self.pyarrow.schema([old.with_name(f"c{i}") for i, old in pairs])
        build = self.pyarrow.RecordBatch.from_arrays
        batches = (build(batch.columns, schema=schema) for batch in _batches(opened))
        return self.pyarrow.RecordBatchReader.from_batches(schema, batches)

    def _open(self, columns: list[int] | None) -> Any:
        options = self.ipc.IpcReadOptions(included_fields=columns)
        is_file = self.file.format == "arrow"
        opener = self.ipc.open_file if is_file else self.ipc.open_stream
        return opener(self.pyarrow.memory_map(str(self.file.path)), options=options)

    def _attempt(self, action: Any) -> Any:
        try:
            return action()
        except (self.pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{self.file.name} cannot be read: {first_line(error)}.") from None


def _batches(opened: Any) -> Iterator[Any]:
    if hasattr(opened, "get_batch"):
        return (opened.get_batch(i) for i in range(opened.num_record_batches))
    return iter(opened)


@contextmanager
def table_of(path: str | PathLike[str] | BinaryIO, wanted: Sequence[str] = ()) -> Iterator[Table]:
    """Open a file as a table."""
    with local_file(path) as file, connected(file) as connection:
        yield open_table(file, connection, wanted)


def open_table(
    file: LocalFile, connection: "DuckDBPyConnection", wanted: Sequence[str] = ()
) -> Table:
    """Open a file by its format; `wanted` columns help to find the delimiter of a CSV file."""
    if file.format == "parquet":
        return ParquetTable(file, connection)
    if file.format in {"arrow", "arrows"}:
        return ArrowTable(file, connection)
    text = TextTable if file.format in {"csv", "tsv"} else JsonTable
    return text(file, connection, tuple(wanted))
