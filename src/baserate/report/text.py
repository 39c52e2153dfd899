"""The terminal: a sheet, or the catalogue, as plain text."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest

from baserate.metrics import Metric
from baserate.report.catalogue import AVERAGED, SEVERAL, families, in_words, several_classes
from baserate.report.layout import Panel, Strip, cell_len, fitted, wrapped
from baserate.report.sheet import Grid, Remarks, Sheet

NARROWEST = 40
USUAL = 80  # columns, where there is no terminal
BOLD, DIM = "1", "2"  # as terminals take them


def catalogue_as_text(metrics: Sequence[Metric], *, width: int | None = None) -> str:
    """Return the catalogue as text: each name with its formula, meaning, range and synonyms."""
    page = Page.of(width)
    for metric in metrics:
        page.add(metric.name)
        page.add(_entry(metric), indent=4)
        page.add()
    page.add("With parameters of your own")
    for call, line in families().items():
        page.add(f"{call}: {line}", indent=4)
    page.add(f"\n{SEVERAL}")
    for name, line in (*several_classes().items(), ("averages", AVERAGED)):
        page.add(f"{name}: {line}", indent=4)
    return page.text


def sheet_as_text(
    sheet: Sheet, *, width: int | None = None, color: bool = False, details: bool = False
) -> str:
    """Return a sheet as text."""
    page = Page.of(width, color=color)
    for sentence in sheet.answer:
        page.add(sentence, style=BOLD)
    if sheet.about:
        page.add()
        _pairs(page, sheet.about)
    hidden = [part for part in sheet.shown if part.detail and not details]
    for part in sheet.shown:
        if part not in hidden:
            _part(page, part)
    if hidden and sheet.more:
        page.add()
        page.add(sheet.more, style=DIM)
    for sentence in sheet.method:
        page.add()
        page.add(sentence, style=DIM)
    return page.text


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
    """Return how wide the terminal is that any standard stream is connected to."""
    if (said := os.environ.get("COLUMNS", "")).isdecimal() and int(said):
        return int(said)
    for stream in range(3):  # standard output may go to a pager
        with suppress(OSError):
            return os.get_terminal_size(stream).columns or USUAL
    return USUAL


def _part(page: Page, part: Grid | Remarks) -> None:
    page.add()
    if part.title:
        page.add(part.title, style=BOLD)
    if isinstance(part, Remarks):
        _pairs(page, part.pairs)
        return
    how = {"labels": part.labels, "width": page.width, "last": part.sentence}
    for i, block in enumerate(fitted(part.headings, part.rows, **how)):
        if i:
            page.add()
        _table(page, block)
    if part.note:
        page.add(part.note, style=DIM)


def _entry(metric: Metric) -> str:
    shown = in_words(metric)
    better = "" if metric.direction == "neither" else f", {metric.direction} is better"
    chance = f"; {shown.chance} by guessing" if metric.chance is not None else ""
    also = f"Also: {', '.join(metric.synonyms)}" if metric.synonyms else ""
    undefined = f"Undefined where {shown.undefined}" if shown.undefined != "never" else ""
    scale = f"From {shown.range}{better}{chance}"
    return "\n".join(filter(None, (metric.definition, metric.meaning, scale, undefined, also)))


def _table(page: Page, block: Panel) -> None:
    """Add columns beside one another; headings stand on the line, cells hang from above."""
    columns, gap = block.columns, " " * block.gap
    headings = [reversed(_lines(column, column.heading)) for column in columns]
    for parts in [*zip_longest(*headings, fillvalue="")][::-1]:
        page.put(gap.join(map(_placed, columns, parts)), style=BOLD)
    page.put("─" * block.width)
    for row in block.rows:
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
