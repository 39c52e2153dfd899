"""CSV and TSV: headers, delimiters, and every value as text."""

import csv
import io
import shutil
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from baserate.adapters._table import Scan, Table, select
from baserate.adapters.engine import run
from baserate.adapters.formats import DELIMITERS, LocalFile, decompressed, plain_head
from baserate.errors import DataError, MissingDependencyError

HEADER_BYTES = 1 << 20


@dataclass(slots=True)
class TextTable(Table):
    """CSV or TSV, every value as text, so that no label is changed by guessing its type."""

    wanted: tuple[str, ...] = ()
    delimiter: str = field(init=False)

    def __post_init__(self) -> None:
        lines = self._header_lines()
        candidates = "\t" if self.file.format == "tsv" else DELIMITERS
        headers = {mark: _first_record(lines, mark) for mark in candidates}
        fit = {m: (sum(name in h for name in self.wanted), len(h)) for m, h in headers.items()}
        self.delimiter = max(candidates, key=fit.__getitem__)
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
        return Scan(sql=sql, parameters=(self.literals, self.delimiter, compression))

    @property
    def shape(self) -> Hashable:
        """How lines are split, and into what."""
        return tuple(self.names), self.delimiter, self.file.compression

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
        sql = select("line", unsplit(), "LIMIT 64")
        found = run(self.connection, sql, [self.literals, self.file.compression])
        return [line or "" for (line,) in found]


def unsplit(*options: str) -> str:
    """Write a scan of whole lines."""
    every = ", ".join(["columns={'line': 'VARCHAR'}", *options])
    return (
        "read_csv(?, auto_detect=false, header=false, delim='\x01', quote='', escape='', "
        f"strict_mode=false, hive_partitioning=false, compression=?, {every})"
    )


def _first_record(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _with_plain_header(file: LocalFile, delimiter: str, width: int) -> LocalFile:
    """Copy a file whose header breaks lines, which misleads the engine about line ends."""
    file.scratch.mkdir(exist_ok=True)
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
