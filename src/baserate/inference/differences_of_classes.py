"""Intervals of the difference of a metric of several classes between two tables.

Cells of either table are drawn from the posterior of `class_intervals`, apart from each other, and
the differences are spread as far as those of new tables would be (`class_values`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.class_counts import ClassTable
from baserate.inference.class_draws import ClassPosterior, Draws, Margins
from baserate.inference.class_values import (
    AGAIN,
    Drawn,
    Stretched,
    at_draws,
    errors_of,
    stretched,
    together,
)
from baserate.inference.several_classes import N_DRAWS, SEED
from baserate.metrics import ClassMetric

if TYPE_CHECKING:
    from baserate.inference.paired_class_draws import PairedDraws

Array = NDArray[np.float64]
Tables = tuple[ClassTable, ClassTable]

SHIFTS = 8  # ways to pair the draws of two independent tables


class Difference(NamedTuple):
    """A difference and the ends of its interval; nan where a table has no value."""

    value: float
    low: float = np.nan
    high: float = np.nan


def class_differences(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    other: ClassTable,
    *,
    confidence_level: float,
    contained: bool = False,
    held: bool = False,
    n_draws: int = N_DRAWS,
) -> list[Difference]:
    """Return what a table scores above another one, with credible intervals, by simulation.

    As in `compare_classes`, always with the same seed. The tables are of different cases and of the
    same classes: `contained` compares with both tables together, `held` with what the other one
    would score with as many cases of each class.
    """
    against = table, table + other if contained else other
    if held:
        against = table, with_classes_of(against[1], table)
    values = [float(metric(against[0])) - float(metric(against[1])) for metric in metrics]
    known = [i for i, value in enumerate(values) if not np.isnan(value)]
    found = [Difference(value) for value in values]
    if not known:
        return found
    drawn = class_gaps(
        [metrics[i] for i in known],
        against,
        separate_parts((table, other), n_draws, contained=contained, held=held),
    )
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    for i, gaps in zip(known, drawn, strict=True):
        defined = gaps.values[~np.isnan(gaps.values)]
        if defined.size:
            low, high = np.quantile(defined, tails, method="hazen").tolist()
            found[i] = Difference(values[i], min(low, values[i]), max(high, values[i]))
    return found


def class_gaps(
    metrics: Sequence[ClassMetric],
    tables: Tables,
    blocks: Iterable["SeparateDraws | PairedDraws"],
    shifts: int = 1,
) -> list[Stretched]:
    """Return what one table scores above another one, at draws of both.

    Of independent tables each draw of one can be paired with several of the other.
    """
    rng, sides = np.random.default_rng((SEED, 2)), ([], [])
    for block in blocks:
        some = block.first(AGAIN)
        again = some.anew(rng)
        parts = zip(tables, block.margins, some.margins, again.margins, sides, strict=True)
        for table, every, old, new, found in parts:
            errors = errors_of(metrics, new, old, table)
            found.append(Drawn(at_draws(metrics, every, table), errors))
    one, two = (together(found) for found in sides)
    step = one.values.shape[1] // shifts
    rolled = [one.values - np.roll(two.values, step * i, axis=1) for i in range(shifts)]
    reach = [(low - high, high - low) for low, high in (metric.bounds for metric in metrics)]
    every = zip(np.concatenate(rolled, axis=1), one.errors - two.errors, reach, strict=True)
    return [stretched(*each) for each in every]


def separate_parts(
    tables: Tables, size: int, *, contained: bool = False, held: bool = False
) -> Iterator["SeparateDraws"]:
    """Yield blocks of draws of two tables of different cases, `size` in all."""
    laws = [ClassPosterior(table.counts.astype(float), float(table.n)) for table in tables]
    step = min(law.at_once for law in laws)
    streams = (
        law.parts(size, np.random.default_rng((SEED, i)), step) for i, law in enumerate(laws)
    )
    for one, two in zip(*streams, strict=True):
        yield SeparateDraws(one, two, (laws[0].n, laws[1].n), contained=contained, held=held)


@dataclass(frozen=True, eq=False)
class SeparateDraws:
    """Draws of two tables of different cases; the second may stand for both together.

    `held` gives the second the class totals of the first, draw by draw.
    """

    one: Draws
    two: Draws
    cases: tuple[float, float]
    contained: bool = False
    held: bool = False

    @property
    def margins(self) -> tuple[Margins, Margins]:
        """The draws by class."""
        one, two = self.one.margins, self.two.margins
        if not self.held:
            return one, both(one, two) if self.contained else two
        there = two.class_counts + (one.class_counts if self.contained else 0.0)
        by = times_of(one.class_counts, there).T
        placed = self.two.times(by).margins
        return one, both(self.one.times(by).margins, placed) if self.contained else placed

    def first(self, part: int) -> "SeparateDraws":
        """Return the first of the draws, one in so many, rounded up."""
        return replace(self, one=self.one.first(part), two=self.two.first(part))

    def anew(self, rng: np.random.Generator) -> "SeparateDraws":
        """Return new tables of as many cases, one of each draw."""
        one, two = (
            side.tables(n, rng) for side, n in zip((self.one, self.two), self.cases, strict=True)
        )
        return replace(self, one=one, two=two)


def with_classes_of(table: ClassTable, other: ClassTable) -> ClassTable:
    """Return a table with as many cases of each class as another one has."""
    by = times_of(other.class_counts, table.class_counts)
    return ClassTable(table.counts * by[:, None], table.labels)


def times_of(wanted: Any, there: Any) -> Array:
    """Return by what cells are multiplied; 0 where there is nothing to multiply."""
    wanted, there = np.asarray(wanted, dtype=float), np.asarray(there, dtype=float)
    return np.divide(wanted, there, out=np.zeros_like(wanted), where=there > 0)


def both(one: Margins, two: Margins) -> Margins:
    """Return draws of two tables together."""
    sides = (a + b for a, b in zip(one[:3], two[:3], strict=True))
    return Margins(*sides, cells=lambda: one.cells() + two.cells())
