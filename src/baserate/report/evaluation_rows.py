"""Metrics at one table as rows: of all cases, of groups, and if positives were rarer."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from baserate import _figures as figures
from baserate._figures import guess, sentence_case, spoken
from baserate.counts import has_both
from baserate.facts.evaluation import EvaluationFacts, GroupFact, MetricFact
from baserate.report import evaluation_words as words
from baserate.report.clustering import if_independent
from baserate.report.columns import Column, counts_of, each, exactly, grid, number, rate, span, text
from baserate.report.score_rows import ends
from baserate.report.sheet import Bar, Cell, Grid, Part
from baserate.report.words import (
    COUNTS,
    GROUP_ROWS,
    ends_of_scale,
    foremost,
    guess_heading,
    left_out,
    listed,
    name_at,
    plain_name,
    stated_at,
)

BEST_BY = "matthews_correlation"
THESE, ASKED = "these cases", "asked for"
OWN = " as they are"
IN_DATA = f"in {THESE}"  # below a metric that is restated
MIXED_ANEW = (
    "If recall and specificity stay as they are, and the classes are only mixed anew; intervals "
    "hold the base rate fixed. Precision by luck is the base rate itself."
)
BEST_CUTS = (
    "Best cut: where {name} is best at that base rate on these cases, which flatters it; recall "
    "and precision beside it are those of that cut."
)

Pairs = tuple[tuple[str, str], ...]
KEY_RATES = ("accuracy", "recall", "precision", "f1")  # of groups, side by side
WHOLE_CATALOGUE = 30  # fewer metrics than this were picked by hand: all of them are key
EVERYONE = "all cases"
COLUMNS = 12  # metrics beside them
NAMED = 3  # groups without a value that are named
DRAWN = 200  # cells of a table that hold a picture


class Row(NamedTuple):
    """A metric at one table, by the name that the report calls it."""

    name: str
    fact: MetricFact


Rows = tuple[Row, ...]


def rows_of(facts: EvaluationFacts, metrics: tuple[MetricFact, ...]) -> Rows:
    """Return metrics by the names that the report calls them."""
    at = facts.base_rate if facts.restated else None
    return tuple(Row(name_at(fact.name, at), fact) for fact in metrics)


def beside_raw(rows: Rows) -> Rows:
    """Return each row that is restated above the same metric at the base rate of the cases."""
    found: list[Row] = []
    for row in rows:
        raw = words.raw_of(row.fact)
        found += [row] if raw is None else [row, Row(IN_DATA, raw)]
    return tuple(found)


def below(named: Iterable[tuple[str, MetricFact]]) -> tuple[Part, ...]:
    """Return what an evaluation shows below its metrics, of two classes and of several."""
    metrics = tuple(named)
    return (if_independent(metrics),)


def unrestated(facts: EvaluationFacts) -> EvaluationFacts:
    """Return the facts at the base rates of the cases, that of each group its own."""
    groups = tuple(replace(g, metrics=_raw(g.metrics)) for g in facts.groups)
    return replace(facts, restated=False, metrics=_raw(facts.metrics), groups=groups)


def _raw(metrics: tuple[MetricFact, ...]) -> tuple[MetricFact, ...]:
    return tuple(getattr(fact, "raw", fact) for fact in metrics)


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


def bar_of(fact: MetricFact, compared: str) -> Bar | None:
    """Draw value, interval, luck and the guess on the scale of the metric, if that has ends."""
    bounds = ends_of_scale(fact)
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


def columns_of(facts: EvaluationFacts) -> tuple[str, ...]:
    """Name the metrics of groups that a table has room for."""
    rows = rows_of(facts, facts.groups[0].metrics) if facts.groups else ()
    names = tuple(row.name for row in rows)
    if len(names) < WHOLE_CATALOGUE:
        return names[:COLUMNS]
    return (*names_of_own(rows), *(name for name in KEY_RATES if name in names))


def largest(facts: EvaluationFacts) -> list[GroupFact]:
    """Return the groups with the most cases; nearly all reports show all."""
    return foremost(facts.groups, GROUP_ROWS, lambda group: -group.table.n)


def table_of_groups(facts: EvaluationFacts, columns: tuple[str, ...], at: str = "") -> Grid:
    """Return groups below all cases together: size, base rate and rates."""
    names = tuple(map(figures.label, facts.group_names)) or ("group",)
    groups = largest(facts)
    everyone: tuple[GroupFact, ...] = ()
    if groups and facts.table is not None:
        labels = dict.fromkeys(names, "") | {names[0]: EVERYONE}
        everyone = (GroupFact(group=labels, table=facts.table, metrics=facts.metrics),)
    rows = (*everyone, *groups)
    write = partial(_rate, facts.guess, drawn=len(rows) * len(columns) <= DRAWN)
    return grid(
        ("Classifiers" if facts.table is None else "Groups") + (at or stated_at(facts)),
        rows,
        *each(names, lambda group: group.group.values()),
        number("n", "table.n", figures.count),
        has_both(facts.classes) and number("base\nrate", "table.base_rate"),
        *each(map(_heading, columns), partial(_metrics, facts, columns), write),
        labels=len(names),
        asked=True,
        note=" ".join(filter(None, (left_out(len(groups), len(facts.groups)), _others(facts)))),
    )


def counts_of_groups(facts: EvaluationFacts) -> Grid:
    """Return the four counts of each group."""
    names = tuple(map(figures.label, facts.group_names)) or ("group",)
    return counts_of("group", largest(facts), *each(names, lambda group: group.group.values()))


def _metrics(
    facts: EvaluationFacts, columns: tuple[str, ...], group: GroupFact
) -> Iterator[Row | None]:
    rows = {row.name: row for row in rows_of(facts, group.metrics)}
    return map(rows.get, columns)


def _others(facts: EvaluationFacts) -> str:
    asked = len(facts.groups[0].metrics) if facts.groups else 0
    if not COLUMNS < asked < WHOLE_CATALOGUE:
        return ""
    return f"The first {COLUMNS} metrics; {asked - COLUMNS} more of each group are in the JSON."


def _heading(name: str) -> Cell:
    return named("utility" if name.startswith("utility(") else name)


def _rate(compared: str, row: Row | None, *, drawn: bool) -> Cell:
    if row is None:
        return Cell("")
    found = rate(row.fact, bar_of(row.fact, compared) if drawn else None, ends(row.fact))
    if plain_name(row.name) in COUNTS:
        return Cell(f"{value_of(row)}\n{interval_of(row)}", exact=found.exact)
    return found


def undefined_in_groups(facts: EvaluationFacts, columns: tuple[str, ...]) -> Pairs:
    """Return the gaps that the table of groups shows, those with one reason together."""
    found: dict[tuple[str, str], list[str]] = {}
    for group in largest(facts):
        for name, reason in undefined(rows_of(facts, group.metrics)):
            if name in columns:
                found.setdefault((name, reason), []).append(_where(group))
    return tuple((f"{name} in {_listed(where)}", why) for (name, why), where in found.items())


def _listed(where: list[str]) -> str:
    few = len(where) <= NAMED + 1
    return listed(where if few else (*where[:NAMED], f"{len(where) - NAMED} more groups"))


def _where(group: GroupFact) -> str:
    return ", ".join(f"{figures.label(k)} = {figures.label(v)}" for k, v in group.group.items())


class BestCut(NamedTuple):
    """Where a metric is best at a base rate, and what that cut finds."""

    threshold: float
    recall: float
    precision: float


class AtBaseRate(NamedTuple):
    """Key metrics of the same classifier at one base rate."""

    base_rate: float
    name: str  # where it comes from, if it was not made up
    precision: MetricFact
    headline: MetricFact
    best: BestCut | None


def at_base_rates(rows: tuple[AtBaseRate, ...], *, guess: str) -> Grid:
    """Return the at_base_rates, which a terminal shows among the details only."""
    if not rows:
        return grid("", ())
    name = spoken(rows[0].headline.name.partition(".at_base_rate(")[0])
    cuts = any(row.best is not None for row in rows)
    return grid(
        "What if positives were rarer",
        rows,
        text("base rate", ("base_rate", "name"), _stated),
        number("precision", "precision.value"),
        span(("precision.low", "precision.high")),
        number(name, "headline.value"),
        number(guess_heading(guess), "headline.chance", figures.or_nothing),
        number("skill", "headline.skill", figures.or_nothing),
        Column("best cut", partial(_at_best_cut, "threshold", "{:.6g}".format)),
        Column("recall", partial(_at_best_cut, "recall", figures.number)),
        Column("precision", partial(_at_best_cut, "precision", figures.number)),
        note=" ".join((MIXED_ANEW, *((BEST_CUTS.format(name=spoken(BEST_BY)),) if cuts else ()))),
    )


def _stated(base_rate: float, name: str) -> str:
    told = f" ({name})" if name else ""
    return f"{figures.number(base_rate)}{told}"


def _at_best_cut(part: str, write: Callable[[float], str], row: AtBaseRate) -> Cell:
    if row.best is None:
        return Cell(figures.NOTHING)
    return exactly(getattr(row.best, part), write=write)
