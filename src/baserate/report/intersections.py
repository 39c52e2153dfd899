"""Cells of two group columns beside what their margins say, in words."""

from collections.abc import Iterator
from math import isnan

from baserate import _figures as figures
from baserate.groups.intersections import BeyondMargins, CellBeyond
from baserate.report.words import spoken

SURE = 0.05


def beyond_in_words(found: BeyondMargins) -> Iterator[str]:
    """Yield a line for each cell, and how many tests these are."""
    for cell in found.cells:
        yield _of_cell(found.metric, cell)
    ways = f"{found.n_tests} different test{'' if found.n_tests == 1 else 's'}"
    others = "; labels beside a cell's own are pooled" if found.pooled else ""
    yield f"{ways}, enumerated, adjusted by Holm's method{others}"


def _of_cell(metric: str, cell: CellBeyond) -> str:
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
