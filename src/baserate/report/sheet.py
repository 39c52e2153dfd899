"""A sheet: the answer, tables of text and remarks, laid out in any format.

Baselines, audits, thresholds and comparisons are sheets; only an evaluation has pages of its own.
"""

from dataclasses import dataclass, field
from typing import Any

from baserate.report.bars import Bar
from baserate.report.formats import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table whose first columns are labels.

    Attributes
    ----------
    title : str
        Heading above the table; empty for a sheet with one table only.
    headings : tuple of str
    rows : tuple of tuple of str
    labels : int
        How many leading columns hold labels rather than numbers.
    note : str
        One line that says how to read the table.
    bars : tuple of Bar or None
        One picture per row, which the HTML page shows as a last column; empty for none.
    sentence : bool
        Whether the last column holds sentences, set flush left and folded.
    detail : bool
        Whether a terminal shows it only when asked for details.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    title: str = ""
    note: str = ""
    bars: tuple[Bar | None, ...] = ()
    sentence: bool = False
    detail: bool = False

    @property
    def filled(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Pairs of a heading and a text, such as what is undefined and why; `detail` as in a grid."""

    title: str
    pairs: tuple[tuple[str, str], ...]
    detail: bool = False

    @property
    def filled(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A title, the answer, what the data are, tables and remarks, and lines of method.

    Attributes
    ----------
    title : str
    answer : tuple of str
    about : tuple of (str, str)
    parts : tuple of Grid or Remarks
    method : tuple of str
    more : str
        Where to find what a terminal leaves out.
    document : object
        The same facts as plain JSON values.
    """

    title: str
    answer: tuple[str, ...]
    parts: tuple[Grid | Remarks, ...]
    about: tuple[tuple[str, str], ...] = ()
    method: tuple[str, ...] = ()
    more: str = ""
    document: Any = field(repr=False, default=None)

    @property
    def shown(self) -> tuple[Grid | Remarks, ...]:
        """The parts that hold anything."""
        return tuple(part for part in self.parts if part.filled)


def render_sheet(
    sheet: Sheet,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    details: bool = False,
) -> str:
    """Return the sheet as text, JSON, Markdown or one HTML page.

    Only text has colours, and leaves out details unless they are asked for.
    """
    drawn = load(format, "render_sheet")
    return drawn(sheet, color=color, details=details) if format == "table" else drawn(sheet)
