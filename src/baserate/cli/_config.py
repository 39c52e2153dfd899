"""Options from `baserate.toml`, or from `[tool.baserate]` in `pyproject.toml`."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

from cyclopts.config import Dict

from baserate.errors import DataError, UnknownNameError

# Text with commas on the command line, a list here if you like: of names, and of numbers.
NAMES = {"metrics", "points"}
ALIASES = {"metric": "metrics"}
NUMBERS = {"base_rate"}
NEAR = 0.7  # how alike a name must be to be suggested


def configuration(commands: Mapping[str, Callable[..., Any]]) -> list[Dict]:
    """Return the nearest file's options, for each command those that it has.

    An option at the top goes to every command that knows it; a table called as a command holds
    options of that command only, and wins. A name that nothing knows is an error, since a misspelt
    option would otherwise be ignored in silence.
    """
    path, found = nearest(Path.cwd())
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
    return [Dict(options, source=str(path))]


def _options(given: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Spell names as parameters are spelled, and lists of metrics as one text."""
    spelled = {key.replace("-", "_"): value for key, value in given.items()}
    options = {ALIASES.get(key, key): value for key, value in spelled.items()}
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


def nearest(folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """Return the file of settings for a folder, which this or an outer folder holds, and them."""
    for parent in (folder, *folder.parents):
        own, project = parent / "baserate.toml", parent / "pyproject.toml"
        if own.is_file():
            return own, _load(own)
        if project.is_file():
            tool = _table(_load(project), "tool", project)
            return project, _table(tool, "baserate", project)
    return None, {}


def _table(document: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, dict):
        raise DataError(f"[{key}] must be a table in {path}, got {found!r}: mend it.")
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
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
