"""Count a file of any size with DuckDB: one GROUP BY that streams over it, in bounded memory."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import Any, BinaryIO

from baserate.adapters._cells import check_labels, fold
from baserate.adapters._query import Query
from baserate.adapters._roles import Roles, check_columns
from baserate.adapters._running import Progress, run
from baserate.adapters.files import LocalFile, local_file
from baserate.adapters.tables import Table, first_line, open_table
from baserate.cases.tally import Tally
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTally:
    """A tally and where it comes from.

    Attributes
    ----------
    tally : Tally
    from_text : bool
        Labels came as text (CSV, TSV), so "1" may mean the number.
    source : str
        Name and format of the file.
    """

    tally: Tally
    from_text: bool
    source: str


def tally_file(
    path: str | PathLike[str] | BinaryIO,
    *,
    target: str,
    prediction: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    groups: str | Sequence[str] = (),
    weight: str | None = None,
    missing: str = "error",
    progress: Progress | None = None,
) -> FileTally:
    r"""Count the cases of a file by truth, prediction and group, without loading it.

    Parameters
    ----------
    path : path, "-" for standard input, or a binary file object
        CSV, TSV, JSON lines, Parquet or Arrow (file or stream), plain or compressed
        (.gz, .zst, .bz2, .xz).
    target : str
        Column of true labels.
    prediction, score : str, optional
        Column of predicted labels, or of scores to cut. With both, the table comes from the
        prediction.
    threshold : float, optional
        Predicted positive if score >= threshold. Default: 0.5, if every score lies in [0, 1].
    groups : str or sequence of str
    weight : str, optional
        Column of non-negative, finite weights.
    missing : {"error", "drop"}
        What to do with rows whose label, score or weight is missing: null, nan, and in text files
        an empty field, NA, N/A, NaN, null, None or <NA>. A missing group is a group, None.
    progress : callable, optional
        Called with the share of the work done, in [0, 1].

    Returns
    -------
    FileTally

    Raises
    ------
    DataError
        The file cannot be read, lacks a column, or holds text where numbers are needed.
    MissingValueError, LabelError, InvalidArgumentError
        Missing values, too many distinct labels, scores outside [0, 1] without a threshold, or
        weights that are negative or infinite.

    Examples
    --------
    >>> import io
    >>> rows = io.BytesIO(b"sick,test\nyes,yes\nyes,no\nyes,no\nno,no\n")
    >>> tally = tally_file(rows, target="sick", prediction="test").tally
    >>> sorted(zip(tally.truth, tally.prediction, tally.count))
    [('no', 'no', 1), ('yes', 'no', 2), ('yes', 'yes', 1)]
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
    with table_of(path, roles.columns) as table:
        check_columns(table.names, roles.columns, table.file.name)
        query = Query(table, roles)
        for column in roles.labels:  # stop early at identifiers or scores
            check_labels(column, query.some_labels(column))
        cells = query.cells(lambda sql, given: run(table.connection, sql, given, progress))
        return FileTally(
            tally=fold(cells, roles, table.file.name),
            from_text=table.is_text,
            source=table.file.source,
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
