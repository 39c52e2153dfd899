"""The terminal: the same outline as plain text, by rich."""

import math
from collections.abc import Sequence
from io import StringIO
from textwrap import wrap

from baserate.errors import MissingDependencyError
from baserate.facts import EvaluationFacts
from baserate.metrics import Metric
from baserate.report import figures
from baserate.report.declared import COUNTS, families, in_words, plain_name
from baserate.report.outline import GroupRow, Outline, Row, outline
from baserate.report.sheet import Grid, Remarks, Sheet

try:
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
except ModuleNotFoundError as error:
    raise MissingDependencyError.from_extra("rich", "The terminal report", "cli") from error

NARROWEST = 40
WIDEST_LABEL = 44
SENTENCE = 32  # columns of a sentence in a table


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


def render_sheet(sheet: Sheet, *, width: int | None = None, color: bool = False) -> str:
    """Return a sheet as text."""
    page = _page(width, color=color)
    for sentence in sheet.answer:
        page.print(sentence, style="bold")
    if sheet.about:
        page.print()
        page.print(_pairs(sheet.about))
    for part in sheet.shown:
        _part(page, part)
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
    table = _table(page, part.headings, part.rows, labels=part.labels, last=part.sentence)
    _print_whole(page, table)
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
        _titled(page, "Counts (truth in rows, predictions in columns)", _counts(page, shown))
        _titled(page, "Metrics", _table(page, *shown.metric_table(shown.rows), labels=1))
    if shown.others:
        page.print(
            f"{len(shown.others)} more are in the JSON, Markdown and HTML reports.", style="dim"
        )
    if shown.groups:
        _titled(page, shown.groups_title, _groups(page, shown))
    for part in shown.score:
        _part(page, part)
    if shown.undefined:
        _titled(page, "Undefined", _pairs(shown.undefined))
    if shown.no_chance:
        _titled(page, "No chance level or skill", _pairs(shown.no_chance))
    if shown.no_p_value:
        _titled(page, "No p-value", _pairs(shown.no_p_value))
    for sentence in shown.method:
        page.print()
        page.print(sentence, style="dim")


def _titled(page: Console, title: str, body: Table) -> None:
    page.print()
    page.print(title, style="bold")
    _print_whole(page, body)


def _print_whole(page: Console, table: Table) -> None:
    """Print a table, wider than the page if its numbers would be cut short otherwise."""
    width = page.width
    needed = page.measure(table, options=page.options.update(max_width=10_000)).minimum
    page.width = max(width, needed)
    page.print(table)
    page.width = width


def _table(
    page: Console,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    labels: int,
    last: bool = False,
) -> Table:
    """Return a table; its first columns are labels, which fold if they must, the last a sentence.

    Widths are set here: what rich narrows by itself may be cut short.
    """
    if last:
        rows = [(*row[:-1], "\n".join(wrap(row[-1], SENTENCE))) for row in rows]
    columns = list(zip(headings, *rows, strict=True))
    widths = [_widest_line(column) for column in columns]
    least = [_longest_word(column) for column in columns[:labels]]
    spare = page.width - sum(widths[labels:]) - sum(least) - 3 * (len(columns) - 1)
    for i in range(labels):  # what room there is goes to labels, the first ones first
        wanted = min(widths[i], WIDEST_LABEL)
        widths[i] = least[i] + max(0, min(wanted - least[i], spare))
        spare -= widths[i] - least[i]
    return _set(headings, rows, widths, labels=labels, last=last)


def _set(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
    *,
    labels: int,
    last: bool,
) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    for i, (heading, width) in enumerate(zip(headings, widths, strict=True)):
        if i < labels:
            table.add_column(heading, overflow="fold", width=width)
        else:
            flush = "left" if last and i == len(headings) - 1 else "right"
            table.add_column(heading, justify=flush, no_wrap=True, width=width)
    for row in rows:
        table.add_row(*row)
    return table


def _widest_line(column: Sequence[str]) -> int:
    return max(cell_len(line) for cell in column for line in (*cell.splitlines(), ""))


def _longest_word(column: Sequence[str]) -> int:
    longest = max(cell_len(word) for cell in column for word in (*cell.split(), ""))
    return min(longest, WIDEST_LABEL)


def _pairs(pairs: Sequence[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for heading, text in pairs:
        grid.add_row(f"{heading}:", text)
    return grid


def _counts(page: Console, shown: Outline) -> Table:
    predicted = ("\n".join(wrap(f"predicted {name}", 28)) for name in shown.predicted)
    return _table(page, ("", *predicted, "total"), shown.count_cells(), labels=1)


def _groups(page: Console, shown: Outline) -> Table:
    names = shown.group_names or ("group",)
    rates = ("utility" if name.startswith("utility(") else name for name in shown.group_metrics)
    headings = (*names, "n", "base\nrate", *rates)
    rows = [(*group.labels, *_group_cells(group)) for group in shown.groups]
    return _table(page, headings, rows, labels=len(names))


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
