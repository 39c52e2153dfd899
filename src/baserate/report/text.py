"""The terminal: a sheet, or the catalogue, as plain text, by rich."""

from collections.abc import Sequence
from io import StringIO

from baserate.errors import MissingDependencyError
from baserate.metrics import Metric
from baserate.report.catalogue import AVERAGED, SEVERAL, families, in_words, several_classes
from baserate.report.columns import Block, fitted
from baserate.report.sheet import Grid, Remarks, Sheet

try:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
except ModuleNotFoundError as error:
    raise MissingDependencyError.from_extra("rich", "The terminal report", "cli") from error

NARROWEST = 40


def catalogue_as_text(metrics: Sequence[Metric], *, width: int | None = None) -> str:
    """Return the catalogue as text: each name with its formula, meaning, range and synonyms."""
    page = _page(width, color=False)
    for metric in metrics:
        page.print(metric.name)
        page.print(Padding(_entry(metric), (0, 0, 1, 4)))
    page.print("With parameters of your own")
    for call, line in families().items():
        page.print(Padding(f"{call}: {line}", (0, 0, 0, 4)))
    page.print(f"\n{SEVERAL}")
    for name, line in (*several_classes().items(), ("averages", AVERAGED)):
        page.print(Padding(f"{name}: {line}", (0, 0, 0, 4)))
    return _text_of(page)


def sheet_as_text(
    sheet: Sheet, *, width: int | None = None, color: bool = False, details: bool = False
) -> str:
    """Return a sheet as text.

    Parameters
    ----------
    sheet : Sheet
    width : int, optional
        Columns of the page; default the terminal's. Never below 40.
    color : bool
        Whether to add colour codes of a terminal.
    details : bool
        Whether to show the parts that are details.
    """
    page = _page(width, color=color)
    for sentence in sheet.answer:
        page.print(sentence, style="bold")
    if sheet.about:
        page.print()
        page.print(_pairs(sheet.about))
    hidden = [part for part in sheet.shown if part.detail and not details]
    for part in sheet.shown:
        if part not in hidden:
            _part(page, part)
    if hidden and sheet.more:
        page.print()
        page.print(sheet.more, style="dim")
    for sentence in sheet.method:
        page.print()
        page.print(sentence, style="dim")
    return _text_of(page)


def _part(page: Console, part: Grid | Remarks) -> None:
    page.print()
    if part.title:
        page.print(part.title, style="bold")
    if isinstance(part, Remarks):
        page.print(_pairs(part.pairs))
        return
    _table(page, part.headings, part.rows, labels=part.labels, last=part.sentence)
    if part.note:
        page.print(part.note, style="dim")


def _entry(metric: Metric) -> str:
    shown = in_words(metric)
    better = "" if metric.direction == "neither" else f", {metric.direction} is better"
    chance = f"; {shown.chance} by chance" if metric.chance is not None else ""
    also = f"Also: {', '.join(metric.synonyms)}" if metric.synonyms else ""
    undefined = f"Undefined where {shown.undefined}" if shown.undefined != "never" else ""
    scale = f"From {shown.range}{better}{chance}"
    return "\n".join(filter(None, (metric.definition, metric.meaning, scale, undefined, also)))


def _page(width: int | None, *, color: bool) -> Console:
    return Console(
        file=StringIO(),
        width=None if width is None else max(width, NARROWEST),
        color_system="standard" if color else None,
        force_terminal=color,
        markup=False,  # labels in brackets are labels, not styles
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def _text_of(page: Console) -> str:
    assert isinstance(page.file, StringIO)
    return "\n".join(line.rstrip() for line in page.file.getvalue().splitlines()) + "\n"


def _table(
    page: Console,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    labels: int,
    last: bool = False,
) -> None:
    """Print a table, in blocks below one another where the page is too narrow for it."""
    width = page.width
    blocks = fitted(headings, rows, labels=labels, width=width, last=last)
    for i, block in enumerate(blocks):
        if i:
            page.print()
        page.width = max(width, block.width)  # rich cuts short what it narrows
        page.print(_drawn(block))
    page.width = width


def _drawn(block: Block) -> Table:
    padding = (0, block.gap - 1, 0, 0)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=padding, show_edge=False)
    for column in block.columns:
        label = column.kind == "label"
        table.add_column(
            column.heading,
            justify="right" if column.kind == "number" else "left",
            overflow="fold" if label else "ellipsis",
            no_wrap=not label,
            width=column.width,
        )
    for row in block.rows:
        table.add_row(*row)
    return table


def _pairs(pairs: Sequence[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for heading, text in pairs:
        grid.add_row(f"{heading}:", text)
    return grid
