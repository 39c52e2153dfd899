"""The terminal: the same outline as plain text, by rich."""

import math
from collections.abc import Sequence
from io import StringIO
from textwrap import wrap

from baserate.errors import MissingDependencyError
from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report import figures
from baserate.report.columns import Block, fitted
from baserate.report.declared import COUNTS, families, in_words, plain_name
from baserate.report.outline import GroupRow, Outline, Row, outline
from baserate.report.sheet import Grid, Remarks, Sheet

try:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
except ModuleNotFoundError as error:
    raise MissingDependencyError.from_extra("rich", "The terminal report", "cli") from error

NARROWEST = 40


def render_text(facts: EvaluationFacts, *, width: int | None = None, color: bool = False) -> str:
    """Return the report as text.

    Parameters
    ----------
    facts : EvaluationFacts
    width : int, optional
        Columns of the page; default the terminal's. Never below 40.
    color : bool
        Whether to add colour codes of a terminal.
    """
    page = _page(width, color=color)
    _draw(page, outline(facts))
    return _text_of(page)


def render_catalogue(metrics: Sequence[Metric], *, width: int | None = None) -> str:
    """Return the catalogue as text: each name with its formula, meaning, range and synonyms."""
    page = _page(width, color=False)
    for metric in metrics:
        page.print(metric.name)
        page.print(Padding(_entry(metric), (0, 0, 1, 4)))
    page.print("With parameters of your own")
    for call, line in families().items():
        page.print(Padding(f"{call}: {line}", (0, 0, 0, 4)))
    return _text_of(page)


def render_sheet(
    sheet: Sheet, *, width: int | None = None, color: bool = False, details: bool = False
) -> str:
    """Return a sheet as text, with the parts that are details if asked for."""
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


def _draw(page: Console, shown: Outline) -> None:
    for sentence in shown.answer:
        page.print(sentence, style="bold")
    page.print()
    page.print(_pairs((*shown.about, ("Data", shown.title))))
    if shown.counts:
        _title(page, "Counts (truth in rows, predictions in columns)")
        _counts(page, shown)
        _title(page, "Metrics")
        _table(page, *shown.metric_table(shown.rows), labels=1)
    if shown.others:
        page.print(
            f"{len(shown.others)} more are in the JSON, Markdown and HTML reports.", style="dim"
        )
    if shown.groups:
        _title(page, shown.groups_title)
        _groups(page, shown)
    for part in shown.score:
        _part(page, part)
    for title, pairs in (
        ("Undefined", shown.undefined),
        ("No chance level or skill", shown.no_chance),
        ("No interval", shown.no_interval),
        ("No p-value", shown.no_p_value),
    ):
        if pairs:
            _titled(page, title, _pairs(pairs))
    for sentence in shown.method:
        page.print()
        page.print(sentence, style="dim")


def _title(page: Console, title: str) -> None:
    page.print()
    page.print(title, style="bold")


def _titled(page: Console, title: str, body: Table) -> None:
    _title(page, title)
    page.print(body)


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


def _counts(page: Console, shown: Outline) -> None:
    predicted = ("\n".join(wrap(f"predicted {name}", 28)) for name in shown.predicted)
    _table(page, ("", *predicted, "total"), shown.count_cells(), labels=1)


def _groups(page: Console, shown: Outline) -> None:
    names = shown.group_names or ("group",)
    rates = ("utility" if name.startswith("utility(") else name for name in shown.group_metrics)
    headings = (*names, "n", "base\nrate", *rates)
    rows = [(*group.labels, *_group_cells(group)) for group in shown.groups]
    _table(page, headings, rows, labels=len(names))


def _group_cells(group: GroupRow) -> list[str]:
    return [figures.count(group.n), figures.number(group.base_rate), *map(_rate, group.rows)]


def _rate(row: Row | None) -> str:
    """Write a rate above its interval, short enough for four rates to share a line."""
    if row is None:
        return ""
    if plain_name(row.name) in COUNTS:
        return f"{row.value}\n{row.interval}"
    low, high = row.fact.low, row.fact.high
    known = not math.isnan(low + high)
    span = f"{figures.short(low)}{figures.NOTHING}{figures.short(high)}" if known else ""
    return f"{figures.short(row.fact.value)}\n{span}"
