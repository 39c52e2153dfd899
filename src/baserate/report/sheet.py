"""A sheet: sentences and one table of text, laid out in any format. Baselines are such a sheet."""

from dataclasses import dataclass, field
from typing import Any

from baserate.report.formats import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A title, the answer, a table whose first columns are labels, and a line of method.

    Attributes
    ----------
    title : str
    answer, method : tuple of str
    headings : tuple of str
    rows : tuple of tuple of str
    labels : int
        How many leading columns hold labels rather than numbers.
    document : object
        The same facts as plain JSON values.
    """

    title: str
    answer: tuple[str, ...]
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    method: tuple[str, ...] = ()
    document: Any = field(repr=False, default=None)


def render_sheet(sheet: Sheet, format: str = "table") -> str:  # noqa: A002 - the command line's word
    """Return the sheet as text, JSON, Markdown or one HTML page."""
    return load(format, "render_sheet")(sheet)
