"""A sheet: the answer, tables of text and remarks, laid out in any format.

Every report is one: what its facts say is written once, and each format lays it out.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, replace
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

from baserate._checks import one_of
from baserate._figures import spelled
from baserate._files import FORMATS, SHEETS, settled

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # loads curves, which only pages need

SCREEN = 24  # lines of a terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A value, its interval and marked numbers as a picture: places in percent of a scale."""

    value: float
    low: float | None  # None where unknown, or for a scale that does not cross zero
    high: float | None
    mark: float | None
    second: float | None = None
    zero: float | None
    words: str  # the same in words

    @classmethod
    def of(
        cls, value: float, low: float, high: float, mark: float, *,
        bounds: tuple[float, float] | None, words: str, second: float = math.nan,
    ) -> Self | None:  # fmt: skip
        """Return the bar between two bounds; None without a value or without finite bounds."""
        if math.isnan(value) or bounds is None or not all(map(math.isfinite, bounds)):
            return None
        return cls(
            value=_place(value, *bounds) or 0.0,
            low=_place(low, *bounds),
            high=_place(high, *bounds),
            mark=_place(mark, *bounds),
            second=_place(second, *bounds),
            zero=_place(0.0, *bounds) if bounds[0] < 0 < bounds[1] else None,
            words=words,
        )


def _place(x: float, low: float, high: float) -> float | None:
    if math.isnan(x):
        return None
    return round(100 * min(1.0, max(0.0, (x - low) / (high - low))), 2)


class Cell(str):
    """A text of a table, and what an HTML page shows besides.

    `exact` are the numbers in it, in full; `page` is shown in its place (a metric's name as it is
    spoken), `note` as a small line below; `share` says how deep its ground is shaded, from 0 to 1
    (nan: not at all), in the shade of errors if it is `wrong`; `verdict` is a word that the page
    has a colour and a pattern for.
    """

    __slots__ = ("bar", "exact", "note", "page", "share", "verdict", "wrong")

    def __new__(
        cls, text: str, *, exact: tuple[float, ...] = (), page: str = "", note: str = "",
        share: float = math.nan, wrong: bool = False, bar: Bar | None = None,
        verdict: str = "",
    ) -> Self:  # fmt: skip
        """Attach what a page shows to a text; without a number, nothing is exact."""
        cell = super().__new__(cls, text)
        cell.exact = () if any(map(math.isnan, exact)) else exact
        cell.page, cell.note, cell.share, cell.wrong, cell.bar = page, note, share, wrong, bar
        cell.verdict = verdict
        return cell


CELL = Cell.__slots__


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table whose first columns are labels."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int  # how many leading columns hold labels rather than numbers
    title: str = ""  # heading above the table; empty for a sheet with one table only
    note: str = ""  # one line that says how to read the table
    # one picture per row, which the HTML page shows as a last column; empty for none
    bars: tuple[Bar | None, ...] = ()
    mark: str = ""  # what the marked numbers of these pictures are
    second: str = ""
    sentence: bool = False  # whether the last column holds sentences, set flush left and folded
    # whether a terminal shows it only when asked for details, and a page folded
    detail: bool = False
    asked: bool = False  # whether the call asked for it: the first screen holds it, however long
    first: int = 0  # rows of it that the first screen holds; 0 for all
    line: str = ""  # what stands for it among the facts of the first screen
    # what the verdicts of cells look like on a page, and what they mean
    legend: tuple[Cell, ...] = ()
    # one `<svg>` element above the table, on a page; see `Figure`
    picture: str = field(default="", repr=False)

    @property
    def filled(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True)
class Remarks:
    """Pairs of a heading and a text, such as what is undefined and why; the rest as in a grid."""

    title: str
    pairs: tuple[tuple[str, str], ...]
    _: KW_ONLY
    detail: bool = False
    asked: bool = False
    line: str = ""

    @property
    def filled(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture, which only a page shows; text and Markdown tell the same in tables."""

    # one `<svg>` element whose texts are escaped: a page takes it as it is
    svg: str = field(repr=False)
    title: str = ""  # heading of the caption; empty for a picture that has its title in it
    note: str = ""  # one or two sentences that say how to read it

    @property
    def filled(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.svg)


Part = Grid | Remarks | Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A title, the answer, what the data are, pictures, tables, remarks, and lines of method.

    Text shows the first screen unless it is asked for details: the answer, the facts, the tables
    that the call asked for (the first one where none is marked), what else fits `SCREEN` lines, and
    of the method `how`. Its last line names the rest.
    """

    title: str
    answer: tuple[str, ...]
    # neighbouring figures stand side by side on a page; those that come first stand right below the
    # answer
    parts: tuple[Part, ...]
    about: tuple[tuple[str, str], ...] = ()
    method: tuple[str, ...] = ()
    how: tuple[str, ...] = ()  # what intervals and p are, in a clause each
    more: tuple[str, ...] = ()  # what else only details show
    brief: bool = False  # whether Markdown leaves out details too, unless they are asked for
    # rules of CSS that give the pictures on a page their colours
    style: str = field(default="", repr=False)
    # returns the same facts as plain JSON values; called for the JSON alone
    document: Callable[[], Any] = field(repr=False, default=dict)
    # what one moves the cut with: an HTML page has it, the other formats hold no such thing
    explorer: "Explorer | None" = field(repr=False, default=None)

    @property
    def shown(self) -> tuple[Grid | Remarks, ...]:
        """The parts that hold anything in words or numbers."""
        return tuple(p for p in self.parts if not isinstance(p, Figure) and p.filled)

    @property
    def opening(self) -> tuple[Figure, ...]:
        """The pictures that stand right below the answer."""
        first = self._blocks[:1]
        return first[0] if first and isinstance(first[0][0], Figure) else ()

    @property
    def blocks(self) -> tuple[tuple[Part, ...], ...]:
        """All other parts that hold anything: neighbouring figures together, others alone."""
        return self._blocks[bool(self.opening) :]

    @property
    def _blocks(self) -> tuple[tuple[Any, ...], ...]:
        filled = enumerate(part for part in self.parts if part.filled)
        # Every part that is no figure is a block of its own.
        found = groupby(filled, key=lambda at: -1 if isinstance(at[1], Figure) else at[0])
        return tuple(tuple(part for _, part in block) for _, block in found)


def shows_details(format: str, *, details: bool = False, brief: bool = False) -> bool:  # noqa: A002
    """Whether a format shows what are details: a page folds them, text needs to be asked.

    Markdown shows them unless the report is `brief`.
    """
    if brief and format == "markdown":
        return details
    return details or (format in FORMATS and FORMATS[format].details)


def writer_of(format: str) -> Callable[..., Any]:  # noqa: A002
    """Return what writes a format; its module loads now, since some need optional packages."""
    module, function = FORMATS[format].writer.split(".")
    return getattr(import_module(f"baserate.report.{module}"), function)


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
    drawn = writer_of(one_of("format", format, SHEETS))
    if format == "json":
        return drawn(sheet)
    if format == "markdown" and not shows_details(format, details=details, brief=sheet.brief):
        parts = tuple(p for p in sheet.parts if isinstance(p, Figure) or not p.detail)
        sheet = replace(sheet, parts=parts, method=(f"{rest(sheet.more)}.", *sheet.method))
    set_by = settings_lines()
    how = (*sheet.how, *set_by) if sheet.how else ()
    shown = printable(replace(sheet, how=how, method=(*sheet.method, *set_by)))
    return drawn(shown, color=color, details=details) if format == "table" else drawn(shown)


def rest(names: Iterable[str]) -> str:
    """Name what only details show."""
    return f"More: --details (details=True) adds {', '.join(names)}"


def settings_lines() -> list[str]:
    """Say what nobody typed: the options that a file of settings gave the command."""
    found = settled()
    if found is None:
        return []
    options = ", ".join(f"{name} = {value}" for name, value in found.options.items())
    return [f"Not typed, but set by {found.file}: {options}."]


def printable(part: Any) -> Any:
    """Return a sheet, or a part of one, with signs that are none spelled out in all its texts.

    Names are labelled where they are put into sentences; here nothing is left that would turn the
    direction of reading or command a terminal, whoever forgot it. The document stays as it is.
    """
    if isinstance(part, Cell):
        return Cell(_lines(part), **{name: printable(getattr(part, name)) for name in CELL})
    if isinstance(part, str):
        return _lines(part)
    if isinstance(part, tuple):
        return tuple(map(printable, part))
    if is_dataclass(part) and not isinstance(part, type):
        texts = (f.name for f in fields(part) if f.name != "document")
        return replace(part, **{name: printable(getattr(part, name)) for name in texts})
    return part


def _lines(text: str) -> str:
    return "\n".join(map(spelled, text.split("\n")))
