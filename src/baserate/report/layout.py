"""How a table of text fits a page: headings and labels are wrapped, and what is left goes below.

Numbers are never cut short. A table too wide for the page is printed in blocks of columns, one
below the other, each with the labels of the rows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Literal
from unicodedata import category, east_asian_width

WIDEST_LABEL = 44
NARROWEST_LABEL = 24  # of a word without a place to break, such as a file's name
SENTENCE = 32  # columns of a sentence in a table
NARROWEST_SENTENCE = 22
GAP, NARROW_GAP = 3, 2  # spaces between columns, and where there is no room
WORD = re.compile(r"\s*\S+\s*")
PIECE = re.compile(r"\s+|[^\s_/,;-]*[_/,;-]?")  # text may break after these signs

Kind = Literal["label", "number", "sentence"]
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """A column of text, wrapped to its width."""

    kind: Kind
    heading: str
    cells: Row
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
    def rows(self) -> Iterator[Row]:
        """The rows of text."""
        return zip(*(column.cells for column in self.columns), strict=True)

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
    columns = [
        Strip(kind, heading, column, 0)
        for kind, heading, column in zip(kinds, headings, cells, strict=True)
    ]
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
    """Return the width from which on nothing folds that should not."""
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
    """Yield as many columns as fit, at most so many beside the labels."""
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
