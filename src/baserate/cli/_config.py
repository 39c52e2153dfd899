"""Options from `baserate.toml`, or from `[tool.baserate]` in `pyproject.toml`.

A file that came with somebody's repository is read as soon as a command is run in it. So it says
how to read and what to report, never where to write; and it is found in the project only.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

from cyclopts.config import Dict

from baserate._files import Settings, settle
from baserate._toml import toml_of
from baserate.errors import DataError, UnknownNameError

# Text with commas on the command line, a list here if you like: of names, and of numbers.
NAMES = {"metrics", "points"}
ALIASES = {"metric": "metrics", "criterion": "metrics"}
NUMBERS = {"base_rate"}
OUTPUTS = {"output", "plot"}  # what names a file to write has to be typed
ROOTS = (".git", ".hg", ".jj", ".svn")  # what the outermost folder of a repository holds
LARGEST = 1 << 20  # bytes
NEAR = 0.7  # how alike a name must be to be suggested


class _Noted(Dict):
    """Options that take note of themselves where nothing was typed in their place."""

    def __call__(self, app: Any, commands: tuple[str, ...], arguments: Any) -> None:
        """Fill in what was not typed."""
        super().__call__(app, commands, arguments)
        filled = {
            name.removeprefix("--").replace("-", "_")
            for argument in arguments
            if any(token.source == self.source for token in argument.tokens)
            for name in argument.names
        }
        given = self.config.get(commands[0], {}) if commands else {}
        if options := {name: _text(given[name]) for name in given if name in filled}:
            settle(Settings(self.source, options))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def configuration(commands: Mapping[str, Callable[..., Any]]) -> list[Dict]:
    """Return the nearest file's options, for each command those that it has.

    An option at the top goes to every command that knows it; a table called as a command holds
    options of that command only, and wins. A name that nothing knows is an error, since a misspelt
    option would otherwise be ignored in silence.
    """
    path = settings_file(Path.cwd())
    found = {} if path is None else _settings_in(path)
    if path is None or not found:
        return []
    known = {name: set(signature(command).parameters) for name, command in commands.items()}
    tables = {name: value for name, value in found.items() if isinstance(value, dict)}
    shared = _options({k: v for k, v in found.items() if k not in tables}, path)
    _refuse_unknown("table", tables, known, path)
    _refuse_unknown("option", shared, set[str]().union(*known.values()), path)
    options = {
        name: {key: value for key, value in shared.items() if key in parameters}
        for name, parameters in known.items()
    }
    for name, table in tables.items():
        own = _options(table, path)
        _refuse_unknown("option", own, known[name], path)
        options[name] |= own
    return [_Noted(options, source=os.path.relpath(path))]


def _options(given: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Spell names as parameters are spelled, and lists of metrics as one text."""
    spelled = {key.replace("-", "_"): value for key, value in given.items()}
    options = {ALIASES.get(key, key): value for key, value in spelled.items()}
    for key in OUTPUTS & options.keys():
        rule, remedy = "must be typed, not stand in a file of settings", f"mend {path}"
        raise DataError.from_rule(key, rule, options[key], remedy)
    for key in NAMES & options.keys():
        value = options[key]
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            options[key] = ", ".join(value)
        elif not isinstance(value, str):
            rule, remedy = "must be text or a list of text", f"mend {path}"
            raise DataError.from_rule(key, rule, value, remedy)
    for key in NUMBERS & options.keys():
        if isinstance(options[key], list):
            options[key] = ",".join(map(str, options[key]))
    return options


def settings_file(folder: Path) -> Path | None:
    """Return the file of settings for a folder: the nearest, as far as its repository goes.

    Outside a repository it lies in the folder itself.
    """
    for parent in _project(folder):
        for name in ("baserate.toml", "pyproject.toml"):
            if (parent / name).is_file():
                return parent / name
    return None


def _project(folder: Path) -> list[Path]:
    """Return a folder and those around it, up to the root of its repository."""
    every = [folder, *folder.parents]
    roots = (i for i, parent in enumerate(every) if any((parent / r).exists() for r in ROOTS))
    return every[: next(roots, 0) + 1]


def _settings_in(path: Path) -> dict[str, Any]:
    document = _load(path)
    if path.name == "baserate.toml":
        return document
    return _table(_table(document, "tool", path), "baserate", path)


def _table(document: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, dict):
        raise DataError(f"[{key}] must be a table in {path}, got {found!r}: mend it.")
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        return toml_of(path, LARGEST)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise DataError(f"Cannot read {str(path)!r} ({reason}): mend or remove it.") from None


def _refuse_unknown(kind: str, given: Iterable[str], known: Iterable[str], path: Path) -> None:
    names = sorted(known)
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, n=1, cutoff=NEAR)
            remedy = f"Mend {path}" if near else f"Mend {path}: it may hold {', '.join(names)}"
            raise UnknownNameError.from_name(kind, key, near, remedy)
