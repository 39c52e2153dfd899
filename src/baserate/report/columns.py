"""Tables by columns: each is declared once, its heading and what stands below it together."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import compress
from operator import attrgetter
from typing import Any

from baserate import _figures as figures
from baserate.counts import has_both
from baserate.facts.evaluation import MetricFact
from baserate.report.sheet import Bar, Cell, Grid

Of = str | tuple[str, ...] | Callable[[Any], Any]
SPAN = ("low", "high")


NOTHING = ("", figures.NOTHING)
COUNTED = {"tp": "found\n(tp)", "fn": "missed\n(fn)", "fp": "false alarms\n(fp)",
           "tn": "cleared\n(tn)"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how a row is written below it."""

    heading: str
    write: Callable[[Any], str]


def grid(
    title: str, rows: Iterable[Any], *columns: "Column | bool", labels: int = 1,
    below: Iterable[tuple[str, ...]] = (), **how: Any,
) -> Grid:  # fmt: skip
    """Return a table of rows by those of the columns that say something of any row.

    What stands `below` is written already, a text for each column. False is no column.

    Examples
    --------
    >>> from datetime import date
    >>> from baserate.report.columns import grid, number, text
    >>> year = number("year", write=str)
    >>> grid("Days", [date(2026, 5, 1)], text("month", write=str), year, labels=1).rows
    (('5', '2026'),)
    """
    asked = [column for column in columns if isinstance(column, Column)]
    written = [*([column.write(row) for column in asked] for row in rows), *below]
    told = [any(row[k] not in NOTHING for row in written) for k in range(len(asked))]
    return Grid(
        title=title,
        headings=tuple(compress((column.heading for column in asked), told)),
        rows=tuple(tuple(compress(row, told)) for row in written),
        labels=sum(told[:labels]),
        **how,
    )


def text(heading: str, of: Of = "", write: Callable[..., str] = figures.label) -> Column:
    """Return a column that writes something of a row, by default what is called as it is headed.

    `of` names an attribute, or several that are written together, or is a function of the row.
    """
    found = _several(of or heading)
    return Column(heading, lambda row: write(*found(row)))


def number(heading: str, of: Of = "", write: Callable[..., str] = figures.number) -> Column:
    """Return a column of numbers that a page also holds in full."""
    found = _several(of or heading)
    return Column(heading, lambda row: exactly(*found(row), write=write))


def span(of: Of = SPAN, heading: str = "interval") -> Column:
    """Return a column of intervals."""
    return number(heading, of, figures.interval)


def each(
    headings: Iterable[str],
    of: str | Callable[[Any], Iterable[Any]],
    write: Callable[[Any], str] = figures.label,
) -> Iterator[Column]:
    """Yield a column for each of what a row holds several of, such as the names of its group."""
    found = attrgetter(of) if isinstance(of, str) else of
    for i, heading in enumerate(headings):
        yield Column(heading, lambda row, i=i: write([*found(row)][i]))


def within(of: str | Callable[[Any], Any], *columns: Column) -> Iterator[Column]:
    """Yield columns of a part of every row, such as of one of its estimates."""
    part = attrgetter(of) if isinstance(of, str) else of
    for column in columns:
        yield replace(column, write=lambda row, write=column.write: write(part(row)))


def exactly(*values: float, write: Callable[..., str] = figures.number) -> Cell:
    """Write what a page also holds in full."""
    return Cell(write(*values), exact=values)


def rate(
    fact: MetricFact, bar: Bar | None = None, shown: tuple[float, float] | None = None
) -> Cell:
    """Write a rate above its interval, short enough for four rates to share a line."""
    known = not math.isnan(fact.low + fact.high)
    shown = shown or (fact.low, fact.high)
    ends = figures.NOTHING.join(map(figures.short, shown)) if known else ""
    exact = (fact.value, fact.low, fact.high) if known else (fact.value,)
    return Cell(f"{figures.short(fact.value)}\n{ends}", exact=exact, bar=bar)


def _several(of: Of) -> Callable[[Any], tuple[Any, ...]]:
    if isinstance(of, tuple):
        return attrgetter(*of)
    found = attrgetter(of) if isinstance(of, str) else of
    return lambda row: (found(row),)


PAIR = (text("first", "a"), text("second", "b"))  # the names of what is compared


def counts_of(of: str, rows: Iterable[Any], *columns: Column) -> Grid:
    """Return the four counts of every row, for details: of how many cases rates are.

    Where all cases are of one class, as answers marked right or wrong are, they say nothing more.
    """
    every = [*rows]
    told = every if any(has_both(row.table) for row in every) else ()
    cells = (number(said, f"table.{cell}", figures.count) for cell, said in COUNTED.items())
    return grid(f"Counts of each {of}", told, *columns, *cells, labels=len(columns), detail=True)
