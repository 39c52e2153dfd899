"""Cells of two group columns beside what their margins say, in words."""

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from baserate import _figures as figures
from baserate._figures import spoken
from baserate.facts.audit import AuditedFacts, AuditFacts, BeyondFact
from baserate.report.words import called

if TYPE_CHECKING:  # an evaluation has no groups to load
    from baserate.groups.intersections import BeyondMargins, CellBeyond

SURE = 0.05


def beyond_in_words(found: "BeyondMargins") -> Iterator[str]:
    """Yield a line for each cell, and how many tests these are."""
    for cell in found.cells:
        yield _of_cell(found.metric, cell)
    ways = f"{found.n_tests} different test{'' if found.n_tests == 1 else 's'}"
    others = "; labels beside a cell's own are pooled" if found.pooled else ""
    yield f"{ways}, enumerated, adjusted by Holm's method{others}"


def _of_cell(metric: str, cell: "CellBeyond") -> str:
    named = ", ".join(map(figures.label, cell.group))
    if isnan(cell.p_value):
        return f"{named}: {cell.reason}"
    value, expected = figures.told_apart(cell.value, cell.expected)
    p = f"adjusted {figures.p_stated(cell.adjusted_p)}"
    if cell.adjusted_p > SURE:
        verdict = f"no further from what its margins say, {expected}, than luck allows"
    else:
        way = "lower" if cell.value < cell.expected else "higher"
        verdict = f"{way} than its margins say, {expected}"
    return f"{named}: {spoken(metric)} {value} of {figures.count(cell.n)}, {verdict} ({p})"


def beyond_said(facts: AuditFacts) -> Iterator[str]:
    """Yield by which metrics the two columns do not explain a cell, and which one.

    Cells that differ in the label of a column of two have the same test: all of them are told.
    """
    columns = " and ".join(map(figures.label, facts.group_names))
    for name in dict.fromkeys(one.name for one in facts.beyond):
        every = [x for x in facts.beyond if x.name == name]
        sure = [x for x in every if x.adjusted_p <= facts.alpha]
        if not sure:
            continue
        most = max(sure, key=lambda one: abs(one.value - one.expected))
        told = {k: v for k, v in most.group.items() if len({x.group[k] for x in every}) > 2}
        said = f"{spoken(name)} of {called(most.group)} is {_beside(most)}"
        if len(told) < len(most.group):
            p, apart = figures.p_stated(most.adjusted_p), [k for k in most.group if k not in told]
            by = f" by {' and '.join(map(figures.label, apart))} within {called(told)}"
            how = f"how {spoken(name)} differs{by}" if told else spoken(name)
            of = [x for x in every if told.items() <= x.group.items()]
            parts = "; ".join(f"{_label(x, apart)} {_value(x)}" for x in of)
            one = "one test of both" if len(of) == 2 else f"one test of these {len(of)}"
            said = f"{how}: {parts} (adjusted {p}, {one})"
        yield f"More than {columns} by themselves explain: {said}."


def family_of(facts: AuditedFacts) -> str:
    """Say how many questions of several columns were adjusted together; nothing of one column."""
    if not facts.n_marginal:
        return ""
    columns = [*map(figures.label, facts.group_names)]
    beyond = getattr(facts, "n_beyond", 0)
    cells = facts.n_comparisons - facts.n_marginal - beyond
    parts = [
        f"{facts.n_marginal:,} of {' or '.join(columns)} alone",
        f"{cells:,} of {' and '.join(columns)} together",
    ]
    parts += [f"{beyond:,} of whether these are more than both explain"] * bool(beyond)
    return f": {', '.join(parts)}"


def beyond_pairs(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Return every cell beside what its margins say."""
    return tuple((f"{spoken(x.name)} of {called(x.group)}", _beside(x)) for x in facts.beyond)


def _beside(one: BeyondFact) -> str:
    return f"{_value(one)} (adjusted {figures.p_stated(one.adjusted_p)})"


def _value(one: BeyondFact) -> str:
    value, expected = figures.told_apart(one.value, one.expected)
    return f"{value}, where these say {expected}"


def _label(one: BeyondFact, columns: list[str]) -> str:
    return ", ".join(figures.label(one.group[column]) for column in columns)
