"""Last lines of text: the engine leaves out, without a word, one that fills a buffer of its own.

It refuses longer lines than `LONGEST` only where another line follows, or where the last one is
shorter than 31 MiB. So the ends of files are looked at beside it.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from baserate.adapters._table import literal_path, select
from baserate.adapters._text import unsplit
from baserate.adapters.engine import connected, run
from baserate.adapters.formats import BROKEN, LocalFile, decompressed
from baserate.errors import BaserateError, DataError, MissingDependencyError

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
    look = _Look([one for one in file.each if one.format in {"csv", "tsv"} and _may_lose(one)])
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
