"""What if positives were rarer: the same classifier where the base rate is another."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts.evaluation import MetricFact
from baserate.report.columns import Column, exactly, grid, number, span, text
from baserate.report.sheet import Cell, Grid
from baserate.report.threshold import exact
from baserate.report.words import guess_heading, spoken

BEST_BY = "matthews_correlation"
THESE, ASKED = "these cases", "asked for"
NOTE = (
    "If recall and specificity stay as they are, and the classes are only mixed anew; intervals "
    "hold the base rate fixed. Precision by luck is the base rate itself."
)
CUTS = (
    "Best cut: where {name} is best at that base rate on these cases, which flatters it; recall "
    "and precision beside it are those of that cut."
)


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


def table(rows: tuple[AtBaseRate, ...], *, guess: str) -> Grid:
    """Return the table, which a terminal shows among the details only."""
    if not rows:
        return grid("", ())
    name = spoken(rows[0].headline.name)
    cuts = any(row.best is not None for row in rows)
    return grid(
        "What if positives were rarer",
        rows,
        text("base rate", ("base_rate", "name"), _told),
        number("precision", "precision.value"),
        span(("precision.low", "precision.high")),
        number(name, "headline.value"),
        number(guess_heading(guess), "headline.chance", figures.or_nothing),
        number("skill", "headline.skill", figures.or_nothing),
        Column("best cut", partial(_best, "threshold", exact), cuts),
        Column("recall", partial(_best, "recall", figures.number), cuts),
        Column("precision", partial(_best, "precision", figures.number), cuts),
        note=" ".join((NOTE, *((CUTS.format(name=spoken(BEST_BY)),) if cuts else ()))),
    )


def _told(base_rate: float, name: str) -> str:
    told = f" ({name})" if name else ""
    return f"{figures.number(base_rate)}{told}"


def _best(part: str, write: Callable[[float], str], row: AtBaseRate) -> Cell:
    if row.best is None:
        return Cell(figures.NOTHING)
    return exactly(getattr(row.best, part), write=write)
