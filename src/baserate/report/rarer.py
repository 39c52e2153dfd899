"""What if positives were rarer: the same classifier where the base rate is another."""

from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts import MetricFact
from baserate.report.sheet import Cell, Grid
from baserate.report.threshold import exact
from baserate.report.words import guess_heading, spoken

BEST_BY = "matthews_correlation"
THESE, ASKED = "these cases", "asked for"
NOTE = (
    "Recall and specificity stay as they are, the classes are mixed anew; intervals hold the base "
    "rate fixed. Precision by luck is the base rate itself."
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
        return Grid(headings=(), rows=(), labels=0)
    name = spoken(rows[0].headline.name)
    cuts = any(row.best is not None for row in rows)
    return Grid(
        title="What if positives were rarer",
        headings=(
            "base rate", "precision", "interval", name, guess_heading(guess), "skill",
            *(("best cut", "recall", "precision") if cuts else ()),
        ),
        rows=tuple(_row(row, cuts=cuts) for row in rows),
        labels=1,
        note=" ".join((NOTE, *((CUTS.format(name=spoken(BEST_BY)),) if cuts else ()))),
    )  # fmt: skip


def _row(row: AtBaseRate, *, cuts: bool) -> tuple[Cell, ...]:
    told = f" ({row.name})" if row.name else ""
    precision, headline = row.precision, row.headline
    return (
        Cell(f"{figures.number(row.base_rate)}{told}"),
        _number(precision.value),
        Cell(
            figures.interval(precision.low, precision.high),
            exact=(precision.low, precision.high),
        ),
        _number(headline.value),
        Cell(figures.or_nothing(headline.chance), exact=(headline.chance,)),
        Cell(figures.or_nothing(headline.skill), exact=(headline.skill,)),
        *(_best(row.best) if cuts else ()),
    )


def _best(best: BestCut | None) -> tuple[Cell, ...]:
    if best is None:
        return (Cell(figures.NOTHING),) * 3
    return (
        Cell(exact(best.threshold), exact=(best.threshold,)),
        _number(best.recall),
        _number(best.precision),
    )


def _number(value: float) -> Cell:
    return Cell(figures.number(value), exact=(value,))
