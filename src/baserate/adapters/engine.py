"""The engine that reads files of any size in bounded memory: DuckDB, set up to do nothing else."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, BinaryIO

from baserate.adapters.formats import LocalFile, local_file
from baserate.adapters.tables import Table, first_line, open_table
from baserate.errors import DataError, MissingDependencyError

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
)


@contextmanager
def table_of(path: str | PathLike[str] | BinaryIO, wanted: Sequence[str] = ()) -> Iterator[Table]:
    """Open a file as a table; whatever the engine has against it becomes one line."""
    with local_file(path) as file, duckdb.connect(":memory:", config=_settings(file)) as connection:
        try:
            for setting in SETTINGS:
                connection.execute(f"SET {setting}")
            yield open_table(file, connection, wanted)
        except (duckdb.Error, RuntimeError, UnicodeError) as error:
            raise DataError(f"{file.name} cannot be read: {_reason(error, file)}.") from None


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
    text = str(error)
    if "invalid state" in text:
        return "line ends are mixed, or a quote is out of place"
    marks = ("Expected Number of Columns", "Invalid unicode", "Value with", "Maximum line size")
    why = [line.strip() for line in text.splitlines() if line.strip().startswith(marks)]
    path = re.escape(str(file.path))
    first = re.sub(rf"""( in)?( ?\b[Ff]ile)? ?["']?{path}["']?,?""", "", first_line(error)).strip()
    return ", ".join([first, *(line.rstrip(".") for line in why[:1])])
