"""A file as rows of columns that are known by position: what all formats share."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.adapters.engine import run
from baserate.adapters.formats import FORMATS, LocalFile

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

ESCAPED = "*?["  # an engine takes these for wildcards; in brackets they stand for themselves
WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBER_TYPES = (*WHOLE_TYPES, "FLOAT", "DOUBLE", "DECIMAL")
TEXT_TYPES = ("VARCHAR", "ENUM", "JSON")
FILE_NUMBER = "file_index"  # the column in which the engine numbers the files of a scan, from 0
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
    wanted: tuple[str, ...] = ()  # columns that help to find how a file is written
    names: list[str] = field(init=False)
    is_kept: bool = field(init=False, default=False)

    @abstractmethod
    def scan(self, columns: Sequence[int]) -> Scan:
        """Read these columns from the file, in one pass."""

    @property
    @abstractmethod
    def shape(self) -> Hashable:
        """What files must have in common for one scan to read them."""

    @property
    def is_text(self) -> bool:
        """Whether every value is text, whatever it stands for."""
        return bool(self.file.format.delimiters)

    @property
    def is_json(self) -> bool:
        """Whether every value is JSON."""
        return self.file.format is FORMATS["json"]

    def keep(self, columns: Sequence[int], limit: int | None, progress: Any = None) -> bool:
        """Read the first rows of a file once, into the engine; say whether that is all of them.

        What is asked next is asked of these rows, until `forget`. The engine holds them in bounded
        memory, and on disk beyond that. They are the first rows, not the first that a thread has
        read: how finely the whole file is counted follows from them, and has to be the same again.
        """
        self.connection.execute(f"SET preserve_insertion_order = {limit is not None}")
        scan = self.scan(columns)
        rest = "" if limit is None else f"LIMIT {limit + 1}"
        rows = select(", ".join(f"c{i}" for i in sorted(set(columns))), scan.sql, rest)
        run(self.connection, f"CREATE TEMP TABLE {KEPT} AS {rows}", scan.parameters, progress)
        self.connection.execute("SET preserve_insertion_order = false")
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

    def kinds(self, columns: Sequence[int]) -> dict[int, str]:
        """Return the engine's types of these columns."""
        scan = self.rows(columns)
        sql = select(", ".join(f"c{i}" for i in columns), scan.sql, "LIMIT 0")
        described = self.connection.execute(sql, scan.parameters).description or []
        return dict(zip(columns, (str(column[1]) for column in described), strict=True))

    @property
    def literals(self) -> list[str]:
        """The paths, with wildcards made to stand for themselves."""
        return [literal_path(file.path) for file in self.file.each]


def literal_path(path: "Path") -> str:
    """Escape the wildcards of a path: "a[1]*.csv" becomes "a[[]1][*].csv"."""
    return "".join(f"[{sign}]" if sign in ESCAPED else sign for sign in str(path))


def is_number_type(kind: str) -> bool:
    """Whether a column type is a number, or a boolean."""
    return kind.removeprefix("U").startswith((*NUMBER_TYPES, "BOOLEAN"))


def is_whole_type(kind: str) -> bool:
    """Whether a column type is a whole number."""
    return kind.removeprefix("U").startswith(WHOLE_TYPES)
