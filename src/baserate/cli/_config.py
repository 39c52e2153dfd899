"""Options from `baserate.toml`, or from `[tool.baserate]` in `pyproject.toml`."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from cyclopts.config import Dict

from baserate.errors import DataError, UnknownNameError


def configuration(commands: Mapping[str, Callable[..., Any]]) -> list[Dict]:
    """Return the nearest file's options, for each command those that it has.

    The options are flat: every command takes what it knows. A name that no command knows is an
    error, since a misspelt option would otherwise be ignored in silence.
    """
    path, options = _nearest(Path.cwd())
    if path is None or not options:
        return []
    known = {name: set(signature(command).parameters) for name, command in commands.items()}
    given = {key.replace("-", "_"): value for key, value in options.items()}
    _refuse_unknown(given, set[str]().union(*known.values()), path)
    shared = {
        name: {key: value for key, value in given.items() if key in parameters}
        for name, parameters in known.items()
    }
    return [Dict(shared, source=str(path))]


def _nearest(folder: Path) -> tuple[Path | None, dict[str, Any]]:
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
        raise DataError(f"Cannot read {str(path)!r} ({error}): mend or remove it.") from None


def _refuse_unknown(given: Iterable[str], known: set[str], path: Path) -> None:
    for key in given:
        if key not in known:
            remedy = f"Mend {path}"
            raise UnknownNameError.from_name("option", key, sorted(known), remedy)
