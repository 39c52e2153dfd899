"""CSV and TSV: headers, delimiters, every value as text, and last lines that an engine drops.

The engine leaves out, without a word, a last line that fills a buffer of its own. It
refuses longer lines than `LONGEST` only where another line follows, or where the last one is
shorter than 31 MiB. So the ends of files are looked at beside it.
"""

import csv
import io
import shutil
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event, Thread

from baserate.adapters._table import Scan, Table, literal_path, select
from baserate.adapters.archives import BROKEN, decompressed, plain_head
from baserate.adapters.engine import connected, run
from baserate.adapters.formats import LocalFile
from baserate.errors import BaserateError, DataError, MissingDependencyError

HEADER_BYTES = 1 << 20


@dataclass(slots=True)
class TextTable(Table):
    """CSV or TSV, every value as text, so that no label is changed by guessing its type."""

    delimiter: str = field(init=False)

    def __post_init__(self) -> None:
        lines = self._header_lines()
        candidates = self.file.format.delimiters
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


LONGEST = 2_000_000  # bytes of a line that the engine takes
LOST = 1 << 24  # bytes of text in which no line is so long that it is left out
DENSEST = 1032  # bytes of text that one byte of gzip can hold, https://zlib.net/zlib_tech.html
STEP = 1 << 20
ENDS = (b"\r", b"\n")


@contextmanager
def whole_lines(file: LocalFile) -> Iterator[None]:
    """Refuse at the end what was read of text whose last line the engine would not take.

    What is compressed is looked through in a thread, while the engine reads.
    """
    look = _Look([one for one in file.each if one.format.delimiters and _may_lose(one)])
    look.start()
    try:
        yield
        look.join()
    finally:
        look.over.set()
        look.join()
        if look.error is not None:
            raise look.error


class _Look(Thread):
    def __init__(self, files: list[LocalFile]) -> None:
        super().__init__(daemon=True)
        self._files = files
        self.over = Event()
        self.error: BaserateError | None = None

    def run(self) -> None:
        """Keep the error of the first file whose last line is too long."""
        for file in self._files:
            try:
                long = self._is_long(file)
            except BaserateError as error:
                self.error = error
            except BROKEN as error:
                self.error = DataError(f"{file.name} cannot be read: {error}.")
            else:
                if long:
                    self.error = DataError(
                        f"{file.name} cannot be read: a line of it is longer than {LONGEST:,} "
                        "bytes: shorten it, or save the file as Parquet."
                    )
            if self.error is not None:
                return

    def _is_long(self, file: LocalFile) -> bool:
        if file.compression is None:
            return _has_long_line(_backward(file))
        try:
            return _has_long_line(self._inside(file))
        except MissingDependencyError:
            return _longest_by_engine(file) > LONGEST

    def _inside(self, file: LocalFile) -> Iterator[bytes]:
        """Decompress a file, as far as somebody waits for it."""
        with decompressed(file.path, file.compression) as opened:
            while not self.over.is_set() and (chunk := opened.read(STEP)):
                yield chunk


def _may_lose(file: LocalFile) -> bool:
    dense = {None: 1, "gzip": DENSEST}.get(file.compression)
    return dense is None or file.path.stat().st_size * dense > LOST


def _backward(file: LocalFile) -> Iterator[bytes]:
    """Read a plain file from its end, as far as its last line that is not empty."""
    with file.path.open("rb") as opened:
        end = opened.seek(0, io.SEEK_END)
        while end > 0:
            start = max(end - STEP, 0)
            opened.seek(start)
            chunk = opened.read(end - start)
            yield chunk[::-1]
            if any(end in chunk.strip() for end in ENDS):
                return
            end = start


def _has_long_line(chunks: Iterator[bytes]) -> bool:
    """Whether a line is too long; chunks are shorter, so that it lies in several."""
    length = 0
    for chunk in chunks:
        found = [at for at in map(chunk.find, ENDS) if at >= 0]
        length += min(found, default=len(chunk))
        if length > LONGEST:
            return True
        if found:
            length = len(chunk) - 1 - max(map(chunk.rfind, ENDS))
    return False


def _longest_by_engine(file: LocalFile) -> int:
    """Return the bytes of the longest line of what only the engine can decompress.

    By one thread it leaves none out, or refuses them.
    """
    with connected(file) as connection:
        sql = select("coalesce(max(strlen(line)), 0)", unsplit("parallel=false"))
        [[found]] = run(connection, sql, [[literal_path(file.path)], file.compression])
    return found
