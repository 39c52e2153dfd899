"""What is packed, an archive or a workbook: read as it is, or written out within bounds."""

import bz2
import csv
import datetime as dt
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast
from zipfile import ZipFile

from baserate.errors import DataError, MissingDependencyError

Compression = Literal["gzip", "zstd", "bz2", "xz"]

LEAST_UNPACKED, MOST_PACKED = 1 << 30, 100  # bytes that any file may unpack to, and per byte
BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)  # archives raise any of these
MAGIC, OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # of a zip archive; of .xls, before 2007
PART = b"[Content_Types].xml"  # the first file of an archive that is a workbook, in most of them
ERRORS = ("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")


def decompressed(path: Path, compression: str | None) -> BinaryIO:
    """Open a file for reading its plain bytes."""
    if compression == "zstd":
        return _open_zstd(path)
    openers: dict[str | None, Any] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    return cast("BinaryIO", openers.get(compression, open)(path, "rb"))


def _open_zstd(path: Path) -> BinaryIO:
    """Python 3.14 reads Zstandard by itself; before that, pyarrow does."""
    try:
        return cast("BinaryIO", import_module("compression.zstd").open(path, "rb"))
    except ImportError:
        pass
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        purpose = "Reading this Zstandard file before Python 3.14"
        raise MissingDependencyError.from_extra("pyarrow", purpose, "arrow") from None
    return io.BufferedReader(cast("Any", pyarrow.input_stream(str(path), compression="zstd")))


def plain_head(path: Path, compression: Compression | None, size: int, name: str) -> bytes:
    """Read the first bytes of what a file holds once decompressed."""
    try:
        with decompressed(path, compression) as file:
            return file.read(size)
    except MissingDependencyError:
        raise
    except BROKEN as error:
        raise DataError(f"{name} cannot be read: {error}.") from None


def unpacked(path: Path, compression: Compression, name: str, target: Path) -> Path:
    """Copy what the engine cannot unpack: as it is, or packed as the engine can stream it."""
    target.parent.mkdir(exist_ok=True)
    most = _most(path)
    copied = gzip.open(target, "wb", 1) if target.name == "packed" else target.open("wb")  # noqa: SIM115
    try:
        with decompressed(path, compression) as file, copied as copy:
            while most >= 0 and (piece := file.read(1 << 20)):
                most -= len(piece)
                copy.write(piece)
    except BROKEN as error:
        raise DataError(f"{name} cannot be read: {error}.") from None
    if most < 0:
        raise _vast(path, name, "unpack it first")
    return target


def _most(path: Path) -> int:
    """Return how many bytes a file may unpack to."""
    return LEAST_UNPACKED + MOST_PACKED * path.stat().st_size


def _vast(path: Path, name: str, remedy: str) -> DataError:
    return DataError(
        f"{name} has {path.stat().st_size:,} bytes and unpacks to more than 1 GiB and "
        f"{MOST_PACKED} times as many: if it holds what you expect, {remedy}."
    )


def is_workbook(head: bytes, name: str) -> bool:
    """Whether a file is a workbook, by its first bytes; those of Excel before 2007 are refused."""
    if head.startswith(OLD):
        raise DataError(f"{name} is a workbook of an old format (.xls): save it as .xlsx or CSV.")
    return head.startswith(MAGIC) and (name.lower().endswith(".xlsx") or PART in head)


def as_text(path: Path, name: str, target: Path) -> tuple[Path, str]:
    """Write the first sheet that holds anything as CSV, and return that file and what to call it.

    The first row that is not empty names the columns. A cell whose formula failed is missing, and
    one that was never calculated too.
    """
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise MissingDependencyError.from_extra("openpyxl", "Reading a workbook", "excel") from None
    most, remedy = _most(path), "save its sheet as CSV"
    target.parent.mkdir(exist_ok=True)
    with path.open("rb") as packed, target.open("w", encoding="utf-8", newline="") as file:
        try:
            size = sum(part.file_size for part in ZipFile(packed).infolist())
            book = size <= most and openpyxl.load_workbook(packed, read_only=True, data_only=True)
        except Exception as error:  # noqa: BLE001  an archive that is none raises whatever it likes
            raise DataError(f"{name} cannot be read as a workbook: {error}.") from None
        if not book:
            raise _vast(path, name, remedy)
        sheets = [sheet for sheet in book.worksheets if next(_rows(sheet), None)]
        if not sheets:
            raise DataError(f"{name} holds no rows: pass a workbook whose first sheet is a table.")
        writer = csv.writer(file, lineterminator="\n")
        for row in _rows(sheets[0]):
            most -= sum(map(len, row))  # of a text that many cells share there is one part
            if most < 0:
                raise _vast(path, name, remedy)
            writer.writerow(row)
    first = "" if len(sheets) == 1 else f", the first of {len(sheets)}"
    return target, f"sheet {sheets[0].title!r}{first}"


def _rows(sheet: Any) -> Iterator[Sequence[str]]:
    """Yield the rows that hold anything, as wide as the first of them, which names the columns."""
    width = 0
    for row in sheet.iter_rows(values_only=True):
        texts = [*map(_text, row)]
        if any(texts):
            width = width or max(k for k, text in enumerate(texts, 1) if text)
            yield [*texts[:width], *[""] * (width - len(texts))]


def _text(value: Any) -> str:
    """Write a cell as text files have it: a day without midnight, true and false, no errors."""
    if value is None or (isinstance(value, str) and value in ERRORS):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return (value.date() if value.time() == dt.time() else value).isoformat()
    return str(value)
