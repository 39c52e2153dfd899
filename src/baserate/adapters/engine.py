"""The engine that reads files of any size in bounded memory: DuckDB, set up to do nothing else.

A query runs in a thread of its own, since the engine hears of no interrupt while it works.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from baserate.adapters.formats import LocalFile
from baserate.errors import DataError, MissingDependencyError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

try:
    import duckdb
except ImportError:
    raise MissingDependencyError.from_extra("duckdb", "Reading files", "cli") from None

MEMORY_LIMIT = "512MiB"  # what the engine may hold; beyond it, it spills to the scratch folder
MAX_THREADS = 8  # each thread holds buffers of its own
SETTINGS = (
    "enable_progress_bar = true",  # it measures; it is not shown
    "enable_progress_bar_print = false",
    # A Parquet file's minimum and maximum say nothing of nan, yet the engine takes isnan(x) for
    # false wherever they exist, and x >= 0.95 for false where the maximum is 0.9.
    "disabled_optimizers = 'statistics_propagation'",
    "perfect_ht_threshold = 17",  # bits of a key that is a place in a table: 16, and one for null
)
POLL_SECONDS = 0.05
# What stands around the reason why Arrow data cannot be read on.
STREAMED = re.compile(r"reading the stream registered as \S+ failed: |\.? Detail: .*", re.DOTALL)

Progress = Callable[[float], None]


@contextmanager
def connected(file: LocalFile) -> Iterator["DuckDBPyConnection"]:
    """Open the engine for one file; whatever it has against the file becomes one line."""
    with duckdb.connect(":memory:", config=_settings(file)) as connection:
        try:
            for setting in SETTINGS:
                connection.execute(f"SET {setting}")
            yield connection
        except (duckdb.Error, RuntimeError, UnicodeError) as error:
            named = [one for one in file.each if str(one.path) in str(error)]
            culprit = max(named, key=lambda one: len(str(one.path)), default=file)
            reason = _reason(error, culprit)
            raise DataError(f"{culprit.name} cannot be read: {reason}.") from None


def run(
    connection: "DuckDBPyConnection",
    sql: str,
    parameters: Sequence[Any] = (),
    progress: Progress | None = None,
    fetch: str = "fetchall",
) -> Any:
    """Execute a query and fetch what it finds; meanwhile, tell `progress` how far it is.

    Ctrl-C, or whatever else is raised here meanwhile, ends the query at once.
    """
    worker = _Worker(connection, sql, parameters, fetch)
    worker.start()
    try:
        worker.join(POLL_SECONDS)
        while worker.is_alive():
            if progress is not None:
                progress(min(max(connection.query_progress() / 100, 0.0), 1.0))
            worker.join(POLL_SECONDS)
        if progress is not None:  # however quick the query was, whoever watches is told once
            progress(1.0)
    except BaseException:  # an interrupt above all: leave no query behind
        while worker.is_alive():  # an interrupt is lost on a query that has yet to begin
            with suppress(Exception):
                connection.interrupt()
            worker.join(POLL_SECONDS)
        raise
    return worker.result()


class _Worker(threading.Thread):
    def __init__(
        self, connection: "DuckDBPyConnection", sql: str, parameters: Any, fetch: str
    ) -> None:
        super().__init__(daemon=True)
        self._arguments = connection, sql, parameters, fetch
        self._found: Any = None
        self._error: Exception | None = None

    def run(self) -> None:
        """Keep what is found, or the error."""
        connection, sql, parameters, fetch = self._arguments
        try:
            self._found = getattr(connection.execute(sql, parameters), fetch)()
        except Exception as error:  # noqa: BLE001  raised again by the thread that watches
            self._error = error

    def result(self) -> Any:
        """Return what was found, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._found


def _settings(file: LocalFile) -> dict[str, Any]:
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": min(MAX_THREADS, os.cpu_count() or 1),
        "temp_directory": str(file.scratch / "spill"),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,  # nothing is ever fetched
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
    }


def _reason(error: Exception, file: LocalFile) -> str:
    """Keep where a CSV file goes wrong and why, else the first line; the name was said before."""
    text = STREAMED.sub("", str(error))
    if "invalid state" in text:
        return "line ends are mixed, or a quote is out of place"
    if "does not support a full read" in text:
        return "a line of it is longer than any buffer: shorten it, or save the file as Parquet"
    marks = ("Expected Number of Columns", "Invalid unicode", "Value with", "Maximum line size")
    why = [line.strip() for line in text.splitlines() if line.strip().startswith(marks)]
    path = re.escape(str(file.path))
    first = re.sub(rf"""( in)?( ?\b[Ff]ile)? ?["']?{path}["']?,?""", "", first_line(text)).strip()
    return ", ".join([first, *(line.rstrip(".") for line in why[:1])])


def first_line(error: Exception | str) -> str:
    """Keep what an error says first, without its class name or a final stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].split("Error: ", 1)[-1].strip().rstrip(".:")[:200]
