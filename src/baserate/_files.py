"""Files that a path names, and where reports may lie: never in place of an input."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import baserate
from baserate.errors import InvalidArgumentError

EPOCH = "SOURCE_DATE_EPOCH"  # https://reproducible-builds.org/specs/source-date-epoch/
WILDCARDS = "*?["
ANY_FOLDERS = "**"  # none included
HIDDEN = "_."  # what names begin with that an engine wrote beside the data
Identity = tuple[int, int]  # what the system knows a file by
_command: ContextVar[str | None] = ContextVar("command", default=None)
_settings: ContextVar["Settings | None"] = ContextVar("settings", default=None)


class Format(NamedTuple):
    """What the files of one format end in, and what writes them."""

    suffixes: tuple[str, ...]
    writer: str  # module of `report` and function, which loads when it is asked for
    rows: bool = False  # whether that takes the rows of a frame, not a sheet
    details: bool = False  # whether it shows details unasked: a page folds them
    method: str = "render"  # of a result, which returns the text, or the bytes of a file
    package: tuple[str, str, str] | None = None  # which it needs, for what, and its extra


FormatName = Literal["table", "json", "markdown", "html", "csv", "latex", "xlsx"]
FORMATS: dict[str, Format] = {
    "html": Format((".html", ".htm"), "documents.sheet_as_html", details=True),
    "json": Format((".json",), "documents.sheet_as_json"),
    "markdown": Format((".md", ".markdown"), "documents.sheet_as_markdown", details=True),
    "table": Format((".txt",), "text.sheet_as_text"),
    "csv": Format((".csv",), "documents.rows_as_csv", rows=True),
    "latex": Format((".tex",), "documents.rows_as_latex", rows=True),
    "xlsx": Format(
        (".xlsx",), "documents.rows_as_workbook", rows=True, method="to_xlsx",
        package=("xlsxwriter", "an .xlsx file", "excel"),
    ),
}  # fmt: skip
SHEETS = tuple(name for name in get_args(FormatName) if not FORMATS[name].rows)


class Settings(NamedTuple):
    """The options that a file of settings gave the command that runs, and the file's path."""

    file: str
    options: dict[str, str]


class Origin(NamedTuple):
    """A file that a report is made from: its full path, or what an open one is to the system.

    Or a folder or pattern, which stands for whatever it will hold.
    """

    path: str | None = None
    identity: Identity | None = None
    folder: str | None = None

    @property
    def identities(self) -> set[Identity]:
        """What the system knows this file by: links share it, and so do spellings of a name."""
        return {known for known in (self.identity, identity_of(self.path)) if known is not None}

    def takes(self, path: Any) -> bool:
        """Whether a folder or pattern would take a path that leads nowhere yet for input."""
        if self.folder is None or not isinstance(path, str | PathLike):
            return False
        given = Path(self.folder)
        fixed, parts = (given, (ANY_FOLDERS,)) if given.is_dir() else _split(given)
        base, target = (Path(os.path.realpath(one)) for one in (fixed, path))
        return target.is_relative_to(base) and _fits(target.relative_to(base).parts, parts)


def files_of(path: str | PathLike[str]) -> list[Path] | None:
    """Return the files that a pattern matches, or that a folder holds at any depth, in order.

    `*`, `?` and `[...]` match within a name, and `**` any folders, but never a name that begins
    with _ or a dot, unless the pattern does there. What exists as it stands is no pattern.

    Returns
    -------
    list of Path, or None
        None for the path of one file.

    Raises
    ------
    OSError
        A folder cannot be read.

    Examples
    --------
    >>> from baserate._files import files_of
    >>> files_of("cases.csv"), files_of("no such folder/*.csv")
    (None, [])
    """
    found = Path(path)
    if not os.fspath(path):
        return None
    if found.is_dir():
        return sorted(_below(found, [ANY_FOLDERS]))
    if found.exists() or not _is_wild(str(found)):
        return None
    parts = found.parts[1:] if found.anchor else found.parts
    return sorted(set(_below(Path(found.anchor), parts)))


def origins(*given: Any) -> tuple[Origin, ...]:
    """Return those of the arguments of a report that are files: paths, patterns, "-", streams.

    Examples
    --------
    >>> from baserate._files import origins
    >>> origins([[1, 0], [0, 1]], None)
    ()
    """
    every = (file for argument in given for file in _each(argument))
    return tuple(origin for origin in map(_origin, every) if origin is not None)


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
        They are the same file, or the input is a folder or pattern that would take the target.
    """
    found, made_from = _origin(target), tuple(made_from)
    known = set[Identity]() if found is None else found.identities
    if any(known & origin.identities for origin in made_from):
        rule = "must not be a file that the report is made from"
        name = str(target) if isinstance(target, str | PathLike) else "the same file"
        remedy = "name another file, or its content would be lost"
        raise InvalidArgumentError.from_rule(argument, rule, name, remedy)
    if any(origin.takes(target) for origin in made_from):
        rule = "must not lie among the files that the report is made from"
        remedy = "name a file elsewhere, or it would be read with them next time"
        raise InvalidArgumentError.from_rule(argument, rule, str(target), remedy)


def identity_of(file: str | PathLike[str] | int | None) -> Identity | None:
    """Return what the system knows a plain file by; None for pipes, devices and what is not."""
    if file is None:
        return None
    try:
        found = os.stat(file)  # noqa: PTH116  a path, or the number of an open file
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def format_of(path: str | PathLike[str]) -> str:
    """Return the format that a file's suffix stands for.

    Raises
    ------
    InvalidArgumentError
        No format has this suffix.

    Examples
    --------
    >>> from baserate._files import format_of
    >>> format_of("report.HTML"), format_of("report.md")
    ('html', 'markdown')
    """
    known = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}
    found = known.get(Path(path).suffix.lower())
    if found is None:
        rule = f"must end in {', '.join(known)} unless a format is named"
        remedy = f"choose such a name, or pass a format ({', '.join(sorted(FORMATS))})"
        raise InvalidArgumentError.from_rule("output path", rule, str(path), remedy)
    return found


@contextmanager
def commanded(line: str) -> Iterator[None]:
    """Say which command makes the reports meanwhile."""
    before, settings = _command.set(line), _settings.set(None)
    try:
        yield
    finally:
        _command.reset(before)
        _settings.reset(settings)


def settle(settings: Settings) -> None:
    """Take note of what a file of settings gives the command that runs."""
    _settings.set(settings)


def settled() -> Settings | None:
    """Return what a file of settings gave the command that runs, if it gave anything."""
    return _settings.get()


def provenance() -> dict[str, Any]:
    """Return the version, the time in UTC, the command, and the settings that it found.

    In Python there are no command and no settings: they are None.

    The environment variable SOURCE_DATE_EPOCH, in seconds since 1970, stands for the time if it is
    set, so that the same data give the same bytes.

    Examples
    --------
    >>> from baserate._files import provenance
    >>> sorted(provenance())
    ['command', 'date', 'settings', 'version']
    """
    settings = _settings.get()
    return {
        "version": baserate.__version__,
        "date": now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": _command.get(),
        "settings": None if settings is None else settings._asdict(),
    }


def _below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield the files below a folder that match the parts of a pattern."""
    part, rest = parts[0], parts[1:]
    if part == ANY_FOLDERS:
        yield from _at_any_depth(folder, rest or ["*"], frozenset())
        return
    for entry in _matched(folder, part):
        if not entry.is_dir():
            if not rest:
                yield entry
        elif rest:
            yield from _below(entry, rest)


def _at_any_depth(folder: Path, parts: Sequence[str], above: frozenset[Identity]) -> Iterator[Path]:
    """Yield what matches in a folder and those in it; links to one above are not followed."""
    known = folder.stat()
    if (here := (known.st_dev, known.st_ino)) in above:
        return
    yield from _below(folder, parts)
    for entry in _matched(folder, "*"):
        if entry.is_dir():
            yield from _at_any_depth(entry, parts, above | {here})


def _matched(folder: Path, part: str) -> list[Path]:
    if not _is_wild(part):
        return [entry for entry in [folder / part] if os.path.lexists(entry)]
    return [entry for entry in folder.iterdir() if _shows(entry.name, part)]


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the names of a path match the parts of a pattern, as `_below` finds them."""
    part, rest = parts[0], parts[1:]
    if part == ANY_FOLDERS:
        within = len(names) > 1 and _shows(names[0], "*") and _fits(names[1:], parts)
        return within or _fits(names, rest or ["*"])
    if not names or not (_shows(names[0], part) if _is_wild(part) else names[0] == part):
        return False
    return _fits(names[1:], rest) if rest else len(names) == 1


def _split(pattern: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the folder that a pattern begins with, and the parts that vary."""
    wild = next(i for i, part in enumerate(pattern.parts) if _is_wild(part))
    return Path(*pattern.parts[:wild]), pattern.parts[wild:]


def _shows(name: str, part: str) -> bool:
    """Whether a wild part of a pattern matches a name, which must not be hidden from it."""
    return name[0] not in set(HIDDEN) - {part[0]} and fnmatchcase(name, part)


def _is_wild(text: str) -> bool:
    return any(sign in text for sign in WILDCARDS)


def _each(given: Any) -> Sequence[Any]:
    """Return a path and the files that it names; whatever else is given stays as it is."""
    if not isinstance(given, str | PathLike) or given == "-":
        return [given]
    try:
        found = files_of(given)
    except (OSError, ValueError):  # whoever reads it says so
        return [given]
    return [given] if found is None else [Origin(folder=os.path.abspath(given)), *found]  # noqa: PTH100


def _origin(given: Any) -> Origin | None:
    if isinstance(given, Origin):
        return given
    stream = sys.stdin if isinstance(given, str) and given == "-" else given
    if isinstance(stream, str | PathLike):
        return Origin(path=os.path.abspath(stream))  # noqa: PTH100  links stay as they are
    try:
        return Origin(identity=identity_of(stream.fileno()))
    except (AttributeError, OSError, ValueError):  # no stream, or one in memory
        return None


def now() -> datetime:
    """Return the time in UTC, that of SOURCE_DATE_EPOCH if it is set."""
    given = os.environ.get(EPOCH)
    if not given:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        rule, remedy = "must be a whole number of seconds since 1970", "mend it, or unset it"
        raise InvalidArgumentError.from_rule(EPOCH, rule, given, remedy) from None
