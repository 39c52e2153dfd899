"""The formats of a report: their names, file suffixes and the modules that draw them."""

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from baserate._checks import one_of
from baserate.errors import InvalidArgumentError

# Format -> (module, function); modules load when asked for, since some need optional packages.
FORMATS = {
    "table": ("baserate.report.text", "render_text"),
    "json": ("baserate.report.as_json", "render_json"),
    "markdown": ("baserate.report.markdown", "render_markdown"),
    "html": ("baserate.report.html", "render_html"),
}
SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "table",
}


def load(name: str, function: str | None = None) -> Callable[..., str]:
    """Return the function that draws in this format: a report, or what `function` names."""
    module, default = FORMATS[one_of("format", name, FORMATS)]
    drawn: Any = getattr(import_module(module), function or default)
    return drawn


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
        remedy = f"choose such a name, or pass a format ({', '.join(FORMATS)})"
        raise InvalidArgumentError.from_rule("output path", rule, str(path), remedy)
    return SUFFIXES[suffix]
