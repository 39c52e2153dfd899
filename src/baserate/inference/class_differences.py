"""Intervals of the difference of a metric of several classes between two tables."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate.class_counts import ClassTable
from baserate.inference.class_draws import AT_ONCE, ClassPosterior, Margins
from baserate.inference.several_classes import SEED, metric_at_draws
from baserate.metrics import ClassMetric

N_DRAWS = 4096


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
    n_draws: int = N_DRAWS,
) -> list[Difference]:
    """Return what a table scores above another one, with credible intervals, by simulation.

    Cells of either table are drawn from the posterior of `class_intervals`, apart from each other,
    always with the same seed.

    Parameters
    ----------
    metrics : sequence of ClassMetric
    table, other : ClassTable
        Of different cases, and of the same classes.
    confidence_level : float
    contained : bool
        Compare with both tables together instead.
    n_draws : int

    Examples
    --------
    >>> from baserate.metrics import class_metric
    >>> one, two = ClassTable([[9, 1, 0], [2, 7, 1], [0, 3, 7]]), ClassTable(np.eye(3) * 10)
    >>> [found] = class_differences([class_metric("macro_f1")], one, two, confidence_level=0.95)
    >>> f"{found.value:.2f}, {found.low:.1f} to {found.high:.1f}"
    '-0.23, -0.4 to -0.1'
    """
    against = table + other if contained else other
    values = [float(metric(table)) - float(metric(against)) for metric in metrics]
    known = [i for i, value in enumerate(values) if not np.isnan(value)]
    found = [Difference(value) for value in values]
    if not known:
        return found
    drawn = _drawn([metrics[i] for i in known], (table, other), against, n_draws)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    for i, column in zip(known, drawn, strict=True):
        defined = column[~np.isnan(column)]
        if defined.size:
            low, high = np.quantile(defined, tails, method="hazen").tolist()
            found[i] = Difference(values[i], min(low, values[i]), max(high, values[i]))
    return found


def _drawn(
    metrics: Sequence[ClassMetric],
    tables: tuple[ClassTable, ClassTable],
    against: ClassTable,
    n_draws: int,
) -> list[np.ndarray]:
    """Return the difference of each metric at all draws; blocks of both tables are as long."""
    cells = [table.counts.astype(float) for table in tables]
    laws = [ClassPosterior(one, float(one.sum())) for one in cells]
    k = len(cells[0])
    step = min(n_draws, *(max(1, AT_ONCE // (np.count_nonzero(x) + 2 * k)) for x in cells))
    streams = [np.random.default_rng((SEED, i)) for i in range(2)]
    blocks = []
    for start in range(0, n_draws, step):
        size = min(step, n_draws - start)
        mine, theirs = (
            next(iter(law.parts(size, rng))) for law, rng in zip(laws, streams, strict=True)
        )
        theirs = theirs if against is tables[1] else _together(mine, theirs)
        blocks.append(
            [
                metric_at_draws(m, mine, tables[0]) - metric_at_draws(m, theirs, against)
                for m in metrics
            ]
        )
    return [np.concatenate(column) for column in zip(*blocks, strict=True)]


def _together(one: Margins, two: Margins) -> Margins:
    """Return draws of both tables together."""
    sides = (a + b for a, b in zip(one[:3], two[:3], strict=True))
    return Margins(*sides, cells=lambda: one.cells() + two.cells())
