"""A sheet: the answer, tables of text and remarks, laid out in any format.

Every report is one: what its facts say is written once, and each format lays it out.
"""

import math
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from baserate._checks import one_of

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # which, at work, needs words that need sheets

# Format -> (module, function); modules load when asked for, since some need optional packages.
FORMATS = {
    "table": ("baserate.report.text", "sheet_as_text"),
    "json": ("baserate.report.documents", "sheet_as_json"),
    "markdown": ("baserate.report.documents", "sheet_as_markdown"),
    "html": ("baserate.report.documents", "sheet_as_html"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A value, its interval and one marked number as a picture: places in percent of a scale.

    Attributes
    ----------
    value : float
    low, high, mark, zero : float or None
        None where unknown, or for a scale that does not cross zero.
    words : str
        The same in words.
    """

    value: float
    low: float | None
    high: float | None
    mark: float | None
    zero: float | None
    words: str

    @classmethod
    def of(
        cls, value: float, low: float, high: float, mark: float, *,
        bounds: tuple[float, float] | None, words: str,
    ) -> Self | None:  # fmt: skip
        """Return the bar between two bounds; None without a value or without finite bounds."""
        if math.isnan(value) or bounds is None or not all(map(math.isfinite, bounds)):
            return None
        return cls(
            value=_place(value, *bounds) or 0.0,
            low=_place(low, *bounds),
            high=_place(high, *bounds),
            mark=_place(mark, *bounds),
            zero=_place(0.0, *bounds) if bounds[0] < 0 < bounds[1] else None,
            words=words,
        )


def _place(x: float, low: float, high: float) -> float | None:
    if math.isnan(x):
        return None
    return round(100 * min(1.0, max(0.0, (x - low) / (high - low))), 2)


class Cell(str):
    """A text of a table, and what an HTML page shows besides.

    Attributes
    ----------
    exact : tuple of float
        The numbers in it, in full.
    page : str
        What a page shows in its place, such as a metric's name as it is spoken.
    note : str
        A small line below.
    share : float
        How deep its ground is shaded, from 0 to 1; nan for not at all.
    wrong : bool
        Whether the shade is that of errors.
    bar : Bar or None
    """

    __slots__ = ("bar", "exact", "note", "page", "share", "wrong")

    def __new__(
        cls, text: str, *, exact: tuple[float, ...] = (), page: str = "", note: str = "",
        share: float = math.nan, wrong: bool = False, bar: Bar | None = None,
    ) -> Self:  # fmt: skip
        """Attach what a page shows to a text; without a number, nothing is exact."""
        cell = super().__new__(cls, text)
        cell.exact = () if any(map(math.isnan, exact)) else exact
        cell.page, cell.note, cell.share, cell.wrong, cell.bar = page, note, share, wrong, bar
        return cell


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
    mark : str
        What the marked number of these pictures is.
    sentence : bool
        Whether the last column holds sentences, set flush left and folded.
    detail : bool
        Whether a terminal shows it only when asked for details, and a page folded.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    title: str = ""
    note: str = ""
    bars: tuple[Bar | None, ...] = ()
    mark: str = ""
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
    explorer : Explorer or None
        What one moves the cut with: an HTML page has it, the other formats hold no such thing.
    """

    title: str
    answer: tuple[str, ...]
    parts: tuple[Grid | Remarks, ...]
    about: tuple[tuple[str, str], ...] = ()
    method: tuple[str, ...] = ()
    more: str = ""
    document: Any = field(repr=False, default=None)
    explorer: "Explorer | None" = field(repr=False, default=None)

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

    Raises
    ------
    UnknownNameError
        No such format.
    MissingDependencyError
        The format needs a package that is not installed: rich for "table", jinja2 for "html".
    """
    module, function = FORMATS[one_of("format", format, FORMATS)]
    drawn: Any = getattr(import_module(module), function)
    return drawn(sheet, color=color, details=details) if format == "table" else drawn(sheet)
