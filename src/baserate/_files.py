"""Files of reports: whole or not at all, never in the place of an input, saying what made them."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import baserate
from baserate.errors import InvalidArgumentError

EPOCH = "SOURCE_DATE_EPOCH"  # https://reproducible-builds.org/specs/source-date-epoch/
SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "table",
}
_command: ContextVar[str | None] = ContextVar("command", default=None)


class Origin(NamedTuple):
    """A file that a report is made from: its full path, or what an open one is to the system."""

    path: str | None = None
    identity: tuple[int, int] | None = None

    @property
    def identities(self) -> set[tuple[int, int]]:
        """What the system knows this file by: links share it, and so do spellings of a name."""
        return {known for known in (self.identity, _identity(self.path)) if known is not None}


def origins(*given: Any) -> tuple[Origin, ...]:
    """Return those of the arguments of a report that are files: paths, "-", open streams.

    Examples
    --------
    >>> origins([[1, 0], [0, 1]], None)
    ()
    """
    return tuple(origin for origin in map(_origin, given) if origin is not None)


def refuse_origin(target: Any, made_from: Iterable[Origin], argument: str) -> None:
    """Refuse to write where the input lies, be it called by another path, link or letter case.

    Parameters
    ----------
    target : path or open stream
    made_from : iterable of Origin
    argument : str
        What the message calls the target.

    Raises
    ------
    InvalidArgumentError
        They are the same file.
    """
    found = _origin(target)
    known = set[tuple[int, int]]() if found is None else found.identities
    if any(known & origin.identities for origin in made_from):
        rule = "must not be a file that the report is made from"
        name = str(target) if isinstance(target, str | PathLike) else "the same file"
        remedy = "name another file, or its content would be lost"
        raise InvalidArgumentError.from_rule(argument, rule, name, remedy)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write text as `write_bytes` does, in UTF-8 with plain line ends."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write beside the target, then put it in the target's place in one step.

    A link is followed. What is not a plain file (a pipe, a device) is written to as it is.

    Raises
    ------
    OSError
        The directory is missing, or may not be written to.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    from uuid import uuid4  # slow to load, and few reports go into a file

    beside = target.with_name(f".{target.name[:64]}.{uuid4().hex}")
    try:
        beside.write_bytes(data)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def format_of(path: str | PathLike[str]) -> str:
    """Return the format that a file's suffix stands for.

    Raises
    ------
    InvalidArgumentError
        No format has this suffix.

    Examples
    --------
    >>> format_of("report.HTML"), format_of("report.md")
    ('html', 'markdown')
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        rule = f"must end in {', '.join(SUFFIXES)} unless a format is named"
        remedy = (
            f"choose such a name, or pass a format ({', '.join(sorted(set(SUFFIXES.values())))})"
        )
        raise InvalidArgumentError.from_rule("output path", rule, str(path), remedy)
    return SUFFIXES[suffix]


@contextmanager
def commanded(line: str) -> Iterator[None]:
    """Say which command makes the reports meanwhile."""
    before = _command.set(line)
    try:
        yield
    finally:
        _command.reset(before)


def provenance() -> dict[str, str | None]:
    """Return the version, the time in UTC, and the command; None for the command in Python.

    The environment variable SOURCE_DATE_EPOCH, in seconds since 1970, stands for the time if it is
    set, so that the same data give the same bytes.

    Examples
    --------
    >>> sorted(provenance())
    ['command', 'date', 'version']
    """
    return {
        "version": baserate.__version__,
        "date": _now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": _command.get(),
    }


def _origin(given: Any) -> Origin | None:
    stream = sys.stdin if isinstance(given, str) and given == "-" else given
    if isinstance(stream, str | PathLike):
        return Origin(path=os.path.abspath(stream))  # noqa: PTH100  links stay as they are
    try:
        return Origin(identity=_identity(stream.fileno()))
    except (AttributeError, OSError, ValueError):  # no stream, or one in memory
        return None


def _identity(file: str | int | None) -> tuple[int, int] | None:
    """Return what the system knows a plain file by; None for pipes, devices and what is not."""
    if file is None:
        return None
    try:
        found = os.stat(file)  # noqa: PTH116  a path, or the number of an open file
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _now() -> datetime:
    given = os.environ.get(EPOCH)
    if not given:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        rule, remedy = "must be a whole number of seconds since 1970", "mend it, or unset it"
        raise InvalidArgumentError.from_rule(EPOCH, rule, given, remedy) from None
