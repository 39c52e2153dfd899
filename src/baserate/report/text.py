"""The terminal: a sheet as plain text, and how a table fits the page.

Numbers are never cut short: headings and labels are wrapped. A table too wide for the page is
printed in blocks of columns, one below the other, each with the labels of the rows.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from textwrap import wrap
from typing import Literal
from unicodedata import category, east_asian_width

from baserate.report.sheet import SCREEN, Grid, Remarks, Sheet, rest

WIDEST_LABEL = 44
NARROWEST_LABEL = 24  # of a word without a place to break, such as a file's name
SENTENCE = 32  # columns of a sentence in a table
NARROWEST_SENTENCE = 22
GAP, NARROW_GAP = 3, 2  # spaces between columns, and where there is no room
WORD = re.compile(r"\s*\S+\s*")
PIECE = re.compile(r"\s+|[^\s_/,;-]*[_/,;-]?")  # text may break after these signs
Kind = Literal["label", "number", "sentence"]
NARROWEST = 40
USUAL = 80  # columns, where there is no terminal
BOLD, DIM = "1", "2"  # as terminals take them


@dataclass(frozen=True, slots=True)
class Strip:
    """A column of text, wrapped to its width."""

    kind: Kind
    heading: str
    cells: tuple[str, ...]
    width: int

    def wrapped(self, width: int) -> "Strip":
        """Return the column wrapped to a width."""
        cells = self.cells
        if self.kind != "number":
            fold = _folded if self.kind == "label" else _words
            cells = tuple(fold(cell, width) for cell in cells)
        return replace(self, heading=_folded(self.heading, width), cells=cells, width=width)


@dataclass(frozen=True, slots=True)
class Panel:
    """Columns that fit the page beside one another."""

    columns: tuple[Strip, ...]
    gap: int = GAP

    @property
    def width(self) -> int:
        """How wide it is."""
        return sum(c.width for c in self.columns) + self.gap * (len(self.columns) - 1)


def fitted(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    labels: int,
    width: int,
    last: bool = False,
) -> list[Panel]:
    """Return a table as blocks that fit the width, one where it is enough.

    Its first columns are labels, which fold if they must; the `last` may be a sentence.
    """
    kinds: list[Kind] = ["label" if i < labels else "number" for i in range(len(headings))]
    if last:
        kinds[-1] = "sentence"
    cells = list(zip(*rows, strict=True)) or [()] * len(headings)
    columns = [Strip(*parts, 0) for parts in zip(kinds, headings, cells, strict=True)]
    whole = _laid(columns, width, [_natural(column) for column in columns], GAP)
    if whole.width <= width:
        return [whole]
    return [
        _laid(some, width, [_least(column) for column in some], NARROW_GAP)
        for some in _chunks(columns, labels, width)
    ]


def _laid(columns: Sequence[Strip], width: int, widths: list[int], gap: int) -> Panel:
    """Give what room there is beyond the least widths to what folds, where most is missing."""
    wanted = [_wanted(column) for column in columns]
    for _ in range(width - sum(widths) - gap * (len(columns) - 1)):
        short = [full / max(now, 1) for full, now in zip(wanted, widths, strict=True)]
        worst = max(range(len(short)), key=short.__getitem__)
        if short[worst] <= 1:
            break
        widths[worst] += 1
    pairs = zip(columns, widths, strict=True)
    return Panel(tuple(column.wrapped(size) for column, size in pairs), gap)


def _wanted(column: Strip) -> int:
    most = {"label": WIDEST_LABEL, "number": 0, "sentence": SENTENCE}[column.kind]
    return min(_widest(column), most)


def _chunks(columns: Sequence[Strip], labels: int, width: int) -> list[list[Strip]]:
    """Return the columns that go beside one another, each time with the labels.

    As few blocks as can be, and about as many columns in each.
    """
    others = len(columns) - labels
    found = list(_greedy(columns, labels, width, others))
    even = list(_greedy(columns, labels, width, -(-others // len(found))))
    return even if len(even) == len(found) else found


def _greedy(columns: Sequence[Strip], labels: int, width: int, most: int) -> Iterator[list[Strip]]:
    fixed = list(columns[:labels])
    used = sum(_least(column) + NARROW_GAP for column in fixed)
    some, room = list[Strip](), width - used
    for column in columns[labels:]:
        needed = _least(column)
        if some and (needed > room or len(some) == most):
            yield fixed + some
            some, room = [], width - used
        some.append(column)
        room -= needed + NARROW_GAP
    yield fixed + some


def _natural(column: Strip) -> int:
    """Return the least width at which only labels and sentences fold, and words stay whole."""
    if column.kind == "sentence":
        return min(SENTENCE, _widest(column))
    if column.kind == "number":
        return _widest(column)
    words = (cell_len(word) for cell in (column.heading, *column.cells) for word in cell.split())
    return min(max(words, default=0), WIDEST_LABEL)


def _least(column: Strip) -> int:
    """Return the least width of all: headings fold too, and identifiers between their parts."""
    heading = max(map(cell_len, _pieces(column.heading)), default=0)
    if column.kind == "sentence":
        return max(heading, min(NARROWEST_SENTENCE, _widest(column)))
    if column.kind == "number":
        lines = (cell_len(line) for cell in column.cells for line in cell.splitlines())
        return max(heading, *lines, 0)
    parts = (cell_len(piece) for cell in column.cells for piece in _pieces(cell))
    return max(heading, min(max(parts, default=0), NARROWEST_LABEL))


def _widest(column: Strip) -> int:
    cells = (column.heading, *column.cells)
    return max(cell_len(line) for cell in cells for line in (*cell.splitlines(), ""))


def _pieces(text: str) -> list[str]:
    return [piece for piece in PIECE.findall(text) if piece.strip()]


def _folded(text: str, width: int) -> str:
    """Fold each line of a text to a width, between words or the parts of an identifier."""
    lines: list[str] = []
    for line in text.splitlines():
        lines.append("")
        for piece in PIECE.findall(line):
            if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece if lines[-1] else piece.lstrip()
    return "\n".join(line.rstrip() for line in lines)


def _words(text: str, width: int) -> str:
    return "\n".join(wrap(text, width, break_long_words=False))


def cell_len(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide signs, none for marks."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(sign) in "WF" else 1


def wrapped(text: str, width: int) -> list[str]:
    """Return lines of at most a width, broken between words, and within those that are wider."""
    return [part for line in text.split("\n") for part in _line_wrapped(line, width)]


def _line_wrapped(line: str, width: int) -> list[str]:
    if cell_len(line) <= width:
        return [line]
    lines, used = [""], 0
    for word in WORD.findall(line):
        size = cell_len(word.rstrip())
        if used and used + size > width:
            lines.append("")
            used = 0
        if size > width:
            *whole, rest = _chopped(word, width)
            lines[-1:] = [*whole, ""]
        else:
            rest = word
        lines[-1] += rest
        used += cell_len(rest)
    return [part.rstrip() for part in lines]


def _chopped(word: str, width: int) -> list[str]:
    pieces, used = [""], 0
    for sign in word:
        used += _columns(sign)
        if used > width and pieces[-1]:
            pieces.append("")
            used = _columns(sign)
        pieces[-1] += sign
    return pieces


def sheet_as_text(
    sheet: Sheet, *, width: int | None = None, color: bool = False, details: bool = False
) -> str:
    """Return a sheet as text: its first screen, or all of it."""
    page = Page.of(width, color=color)
    for sentence in sheet.answer:
        page.add(sentence, style=BOLD)
    if not details:
        _first_screen(page, sheet)
        return page.text
    if sheet.about:
        page.add()
        _pairs(page, sheet.about)
    for part in sheet.shown:
        _part(page, part)
    _paragraphs(page, sheet.method)
    return page.text


def _first_screen(page: "Page", sheet: Sheet) -> None:
    """Add facts, what was asked for, what else there is room for, and the names of the rest."""
    lines = [(part.title.partition(" (")[0], part.line) for part in sheet.shown if part.line]
    _facts(page, (*sheet.about, *lines))
    parts = [part for part in sheet.shown if not (part.detail or part.line)]
    asked = [part for part in parts if part.asked]
    if not any(isinstance(part, Grid) for part in asked):
        asked += [part for part in parts if isinstance(part, Grid)][:1]
    laid = [(part in asked, part, Page(page.width, page.color)) for part in parts]
    below = Page(page.width, page.color)
    _paragraphs(below, (" ".join(sheet.how),) if sheet.how else sheet.method)
    for _, part, on in laid:
        _part(on, part, brief=True)
    room = SCREEN - 1 - len(page.lines) - len(below.lines)
    room -= sum(len(on.lines) for wanted, _, on in laid if wanted)
    folded = [part.title for part in sheet.shown if part.line]
    for wanted, part, on in laid:
        room -= 0 if wanted else len(on.lines)  # below 0 for all that follow
        if wanted or room >= 0:
            page.lines.extend(on.lines)
        else:
            folded.append(part.title if isinstance(part, Grid) else "reasons")
    page.lines.extend(below.lines)
    if names := [*dict.fromkeys(map(_as_name, folded)), *sheet.more]:
        page.add(_closing(names, page.width), style=DIM)


def _closing(names: list[str], width: int) -> str:
    """Name what is left out in one line, as far as that goes."""
    for kept in range(len(names), -1, -1):
        left = [f"{len(names) - kept} more"] if kept < len(names) else []
        if cell_len(line := f"{rest((*names[:kept], *left))}.") <= width:
            return line
    return f"{rest(('more',))}."


def _as_name(title: str) -> str:
    name = title.partition(" (")[0].partition(",")[0]
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _facts(page: "Page", pairs: Iterable[tuple[str, str]]) -> None:
    """Add what the data are, beside each other as far as there is room."""
    lines = [""]
    for heading, text in pairs:
        told = f"{heading}: {text}"
        if lines[-1] and cell_len(lines[-1] + told) + GAP <= page.width:
            lines[-1] += " " * GAP + told
        else:
            lines.append(told)
    for line in lines if lines[1:] else ():
        page.add(line)


def _paragraphs(page: "Page", texts: Iterable[str]) -> None:
    for text in texts:
        page.add()
        page.add(text, style=DIM)


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a width, in colours of a terminal or without."""

    width: int
    color: bool = False
    lines: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, width: int | None, *, color: bool = False) -> "Page":
        """Return an empty page, by default as wide as the terminal."""
        return cls(max(_terminal_width() if width is None else width, NARROWEST), color)

    def add(self, text: str = "", *, style: str = "", indent: int = 0) -> None:
        """Add a text, wrapped to the width."""
        for line in wrapped(text, self.width - indent):
            self.put(" " * indent + line, style=style)

    def put(self, line: str, *, style: str = "") -> None:
        """Add a line as it is."""
        line = line.rstrip()
        self.lines.append(f"\x1b[{style}m{line}\x1b[0m" if self.color and style and line else line)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines) + "\n"


def _terminal_width() -> int:
    if (said := os.environ.get("COLUMNS", "")).isdecimal() and int(said):
        return int(said)
    for stream in range(3):  # standard output may go to a pager
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or USUAL
    return USUAL


def _part(page: Page, part: Grid | Remarks, *, brief: bool = False) -> None:
    """Add a part; in brief without a note of several lines, unless that says what signs mean."""
    page.add()
    if isinstance(part, Remarks):
        if part.title:
            page.add(part.title, style=BOLD)
        _pairs(page, part.pairs)
        return
    rows = part.rows[: part.first or None] if brief else part.rows
    blocks = fitted(part.headings, rows, labels=part.labels, width=page.width, last=part.sentence)
    for i, block in enumerate(blocks):
        if i:
            page.add()
        _table(page, block, "" if i else part.title)
    if part.note and not (brief and not part.legend and cell_len(part.note) > page.width):
        page.add(part.note, style=DIM)


def _table(page: Page, block: Panel, title: str) -> None:
    """Add columns beside one another; headings stand on the line, cells hang from above.

    The title takes the place before the highest heading, if there is one.
    """
    columns, gap = block.columns, " " * block.gap
    found = zip_longest(*(reversed(_lines(c, c.heading)) for c in columns), fillvalue="")
    headings = [gap.join(map(_placed, columns, parts)).rstrip() for parts in found][::-1]
    before = cell_len(title) + GAP
    if headings[1:] and title and not headings[0][:before].strip():
        headings[0] = title + headings[0][before - GAP :]
    elif title:
        page.add(title, style=BOLD)
    for line in headings:
        page.put(line, style=BOLD)
    page.put("─" * block.width)
    for row in zip(*(column.cells for column in columns), strict=True):
        for parts in zip_longest(*map(_lines, columns, row), fillvalue=""):
            page.put(gap.join(map(_placed, columns, parts)))


def _lines(column: Strip, cell: str) -> list[str]:
    """Return the lines of a cell; a label folds where it has no other place to break."""
    return wrapped(cell, column.width) if column.kind == "label" else cell.split("\n")


def _placed(column: Strip, line: str) -> str:
    room = " " * (column.width - cell_len(line))
    return room + line if column.kind == "number" else line + room


def _pairs(page: Page, pairs: Iterable[tuple[str, str]]) -> None:
    pairs = [(f"{heading}:", text) for heading, text in pairs]
    left, right = (max((cell_len(pair[side]) for pair in pairs), default=0) for side in (0, 1))
    first = min(left, max(page.width // 2, page.width - right) - 2)
    room = page.width - first - 2
    for heading, text in pairs:
        lines = zip_longest(wrapped(heading, first), wrapped(text, room), fillvalue="")
        for name, beside in lines:
            page.put(f"{name}{' ' * (first + 2 - cell_len(name))}{beside}")
