"""Metrics at one table as rows of a report: what its tables of metrics and of groups share."""

import math
from collections.abc import Callable
from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts.evaluation import EvaluationFacts, MetricFact
from baserate.report import evaluation_words as words
from baserate.report.catalogue import COUNTS, declared, name_at, plain_name
from baserate.report.columns import exactly
from baserate.report.routes import ends
from baserate.report.sheet import Bar, Cell
from baserate.report.words import guess, sentence_case, spoken


class Row(NamedTuple):
    """A metric at one table, by the name that the report calls it."""

    name: str
    fact: MetricFact


Rows = tuple[Row, ...]
Pairs = tuple[tuple[str, str], ...]


def rows_of(facts: EvaluationFacts, metrics: tuple[MetricFact, ...]) -> Rows:
    """Return metrics by the names that the report calls them."""
    at = facts.base_rate if facts.restated else None
    return tuple(Row(name_at(fact.name, at), fact) for fact in metrics)


def names_of_own(rows: Rows) -> tuple[str, ...]:
    """Name those that are not of the catalogue."""
    own = words.of_own(tuple(row.fact for row in rows))
    return tuple(row.name for row in rows if row.fact in own)


def value_of(row: Row) -> Cell:
    """Write the value of a metric."""
    return exactly(row.fact.value, write=_write(row))


def interval_of(row: Row) -> Cell:
    """Write the interval of a metric."""
    fact = row.fact
    known = not math.isnan(fact.low + fact.high)
    text = " to ".join(map(_write(row), ends(fact))) if known else figures.NOTHING
    return Cell(text, exact=(fact.low, fact.high))


def _write(row: Row) -> Callable[[float], str]:
    return figures.count if plain_name(row.name) in COUNTS else figures.number


def named(name: str) -> Cell:
    """Write a metric's name, on a page as it is spoken."""
    return Cell(name, page=sentence_case(spoken(name)))


def bar_of(row: Row, compared: str) -> Bar | None:
    """Draw value, interval, luck and the guess on the scale of the metric, if that has ends."""
    fact, bounds = row.fact, declared(row.fact).bounds
    if bounds is None:
        return None
    interval = figures.interval(*ends(fact))
    parts = (
        figures.number(fact.value),
        "" if interval == figures.NOTHING else f"interval {interval}",
        "" if math.isnan(fact.same_alarms) else f"by luck {figures.number(fact.same_alarms)}",
        "" if math.isnan(fact.chance) else f"{guess(compared)} {figures.number(fact.chance)}",
        f"on a scale from {bounds[0]:.3g} to {bounds[1]:.3g}",
    )
    text = ", ".join(filter(None, parts))
    at = (fact.low, fact.high, fact.chance)
    return Bar.of(fact.value, *at, second=fact.same_alarms, bounds=bounds, words=text)


def undefined(rows: Rows) -> Pairs:
    """Return why metrics have no value."""
    return tuple(
        (row.name, row.fact.undefined_reason or "a denominator of its definition is 0")
        for row in rows
        if math.isnan(row.fact.value)
    )
