"""From a path, a pattern or a stream to files on disk whose format is known."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import unquote

from baserate._files import files_of, identity_of
from baserate._whole_files import temporary
from baserate.adapters.archives import Compression, as_text, is_workbook, plain_head, unpacked
from baserate.errors import BaserateError, DataError, MissingDependencyError


class FileFormat(NamedTuple):
    """What files of one format are called, end in and begin with, and what reads them."""

    title: str
    suffixes: tuple[str, ...]
    table: str  # module of this package and class, which loads when a file is opened
    magic: bytes = b""
    delimiters: str = ""  # of text: what may part values
    unpacked: bool = False  # whether the engine cannot decompress it by itself


FORMATS = {
    "csv": FileFormat("CSV", (".csv",), "_text.TextTable", delimiters=",;\t|"),
    "tsv": FileFormat("TSV", (".tsv", ".tab"), "_text.TextTable", delimiters="\t"),
    "json": FileFormat("JSON lines", (".jsonl", ".ndjson", ".json"), "tables.JsonTable"),
    "parquet": FileFormat(
        "Parquet", (".parquet", ".pq"), "tables.ParquetTable", b"PAR1", unpacked=True
    ),
    "arrow": FileFormat(
        "Arrow", (".arrow", ".feather", ".ipc"), "tables.ArrowTable", b"ARROW1", unpacked=True
    ),
    "arrows": FileFormat(
        "Arrow stream", (".arrows",), "tables.ArrowTable", b"\xff\xff\xff\xff", unpacked=True
    ),
}
TITLES = ", ".join(kind.title for kind in FORMATS.values())
SUFFIXES = {suffix: kind for kind in FORMATS.values() for suffix in kind.suffixes}
FORMAT_MAGIC = {kind.magic: kind for kind in FORMATS.values() if kind.magic}
COMPRESSION_MAGIC: dict[bytes, Compression] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
}
COMPRESSION_SUFFIXES = {".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}
STREAMED = {"gzip", "zstd"}  # what the engine decompresses by itself
HEAD = 1 << 16
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # Hive's name for the folder of rows without a value


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFile:
    """A file on disk, or several of one format, and what messages call them.

    Of several, `path` is the first and `members` are all; `folders` is what those on the way to a
    file of several say, such as "year=2024". `sheet` is which one of a workbook was written as CSV.
    """

    path: Path
    format: FileFormat
    compression: Compression | None
    name: str
    scratch: Path
    folders: Mapping[str, str | None] = field(default_factory=dict)
    members: tuple["LocalFile", ...] = ()
    sheet: str | None = None

    @property
    def each(self) -> tuple["LocalFile", ...]:
        """The files, one by one."""
        return self.members or (self,)

    @property
    def source(self) -> str:
        """Name and format, for reports."""
        title, many = self.sheet or self.format.title, len(self.members)
        files = f"{many:,} {title} file{'' if many == 1 else 's'}"
        return f"{self.name} ({files if many else title})"


@contextmanager
def local_file(path: str | PathLike[str] | BinaryIO) -> Iterator[LocalFile]:
    """Find out what a file is; spool streams, and what only Python decompresses, to a folder."""
    with temporary(tempfile.mkdtemp(prefix="baserate-")) as folder:
        scratch = Path(folder)
        several = _several(path)
        if several is None:
            name, found = _on_disk(path, scratch)
            yield _recognised(found, name, scratch)
        else:
            yield _joined(several, fspath(cast("str", path)), scratch)


def _several(path: str | PathLike[str] | BinaryIO) -> list[Path] | None:
    """List the files of a pattern or a folder; None for one file."""
    if hasattr(path, "read"):
        return None
    name = fspath(cast("str | PathLike[str]", path))
    if name == "-":
        return None
    try:
        found = files_of(name)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    if found == []:
        left_out = "names that begin with _ or a dot are left out"
        if Path(name).is_dir():
            raise DataError(f"{name} is a folder without files ({left_out}): pass one with files.")
        raise DataError(
            f"{name} matches no file ({left_out}): pass the path of a file or of a folder, or a "
            "pattern in which ** stands for any folders."
        )
    return found


def _joined(paths: Sequence[Path], name: str, scratch: Path) -> LocalFile:
    """Recognise several files, which have to be of one format, each of them once."""
    members = tuple(_member(path, scratch / str(i)) for i, path in enumerate(paths))
    by_format = {member.format: member for member in members}
    if len(by_format) > 1:
        found = ", ".join(f"{one.name} is {kind.title}" for kind, one in by_format.items())
        raise DataError(
            f"{name} holds files of several formats ({found}): pass a pattern of one format, such "
            "as '**/*.csv'."
        )
    known: dict[Any, LocalFile] = {}
    for member, path in zip(members, paths, strict=True):
        other = known.setdefault(identity_of(path) or path, member)
        if other is not member:
            raise DataError(
                f"{member.name} is the same file as {other.name}, whose cases would count twice: "
                "pass a pattern that matches one of them."
            )
    first = members[0]
    return replace(first, name=name, scratch=scratch, folders={}, members=members)


def _member(path: Path, scratch: Path) -> LocalFile:
    name, found = _on_disk(path, scratch)
    return replace(_recognised(found, name, scratch), folders=_said_by_folders(path))


def _said_by_folders(path: Path) -> dict[str, str | None]:
    """Read the columns out of a path such as "year=2024/site=A/x.parquet", as Hive writes them."""
    pairs = (part.partition("=") for part in path.parts[:-1])
    return {
        unquote(column): None if value == NO_VALUE else unquote(value)
        for column, sign, value in pairs
        if column and sign
    }


def _on_disk(path: str | PathLike[str] | BinaryIO, scratch: Path) -> tuple[str, Path]:
    if hasattr(path, "read"):
        stream = cast("BinaryIO", path)
        return str(getattr(stream, "name", "the stream")), _spooled(stream, scratch / "stream")
    text = fspath(cast("str | PathLike[str]", path))
    if text == "-":
        if sys.stdin is None:  # the process was started without it
            raise DataError("Standard input is closed: pass the path of a file.")
        return "standard input", _spooled(sys.stdin.buffer, scratch / "stream")
    if not text:
        raise DataError("The path is empty: pass the path of a file, or - for standard input.")
    found = Path(text)
    try:
        return _named(found, text, scratch)
    except BaserateError:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(text, error) from None


def _unreadable(name: str, error: Exception) -> DataError:
    """Say why the system does not let a file or a folder be read."""
    reason = getattr(error, "strerror", None) or str(error)
    where = getattr(error, "filename", None) or name
    return DataError(f"{where} cannot be read: {reason}.")


def _named(found: Path, text: str, scratch: Path) -> tuple[str, Path]:
    if not found.exists():
        raise DataError(f"{text} does not exist: pass the path of a file, or - for standard input.")
    if not found.is_file():  # a pipe can be read once only
        with found.open("rb") as stream:
            return text, _spooled(stream, scratch / "stream")
    with found.open("rb"):
        return text, _spelled(found.resolve(), scratch)


def _spelled(path: Path, scratch: Path) -> Path:
    """Return a path that engines can be given: a link, where its name is no UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        scratch.mkdir(exist_ok=True)
        link = scratch / "link"
        link.symlink_to(path)
        return link
    return path


def _spooled(stream: BinaryIO, target: Path) -> Path:
    target.parent.mkdir(exist_ok=True)
    with target.open("wb") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
    return target


def _recognised(path: Path, name: str, scratch: Path) -> LocalFile:
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise DataError(f"{name} is empty: pass a file with a header and rows.")
    compression = _magic(head, COMPRESSION_MAGIC)
    if compression is not None:
        head = _sniffed_head(path, compression, name)
    if is_workbook(head, name):
        path, sheet = as_text(path, name, scratch / "sheet.csv")
        return LocalFile(
            path=path,
            format=FORMATS["csv"],
            compression=None,
            name=name,
            scratch=scratch,
            sheet=sheet,
        )
    kind = _magic(head, FORMAT_MAGIC) or _by_suffix(name) or _by_content(head, name)
    if compression is not None and kind.unpacked:
        path, compression = unpacked(path, compression, name, scratch / "plain"), None
    elif compression is not None and compression not in STREAMED:
        path, compression = unpacked(path, compression, name, scratch / "packed"), "gzip"
    return LocalFile(path=path, format=kind, compression=compression, name=name, scratch=scratch)


def _magic(head: bytes, table: dict[bytes, Any]) -> Any:
    return next((kind for magic, kind in table.items() if head.startswith(magic)), None)


def _by_suffix(name: str) -> FileFormat | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSION_SUFFIXES:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def _by_content(head: bytes, name: str) -> FileFormat:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith((b"{", b"[")):
        return FORMATS["json"]
    line = text.splitlines()[0] if text else b""
    if b"\0" in head or not any(mark.encode() in line for mark in FORMATS["csv"].delimiters):
        known = ", ".join(SUFFIXES)
        raise DataError(
            f"{name} is of no recognised format: pass {TITLES} ({known}) or a workbook (.xlsx)."
        )
    return FORMATS["tsv" if line.count(b"\t") > line.count(b",") else "csv"]


def _sniffed_head(path: Path, compression: Compression, name: str) -> bytes:
    try:
        head = plain_head(path, compression, HEAD, name)
    except MissingDependencyError:
        return b"\n"  # the suffix has to tell
    if not head:
        raise DataError(f"{name} is empty: pass a file with a header and rows.")
    return head
