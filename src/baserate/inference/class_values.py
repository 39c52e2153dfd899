"""Metrics of several classes at draws of a table's cells, spread as far as new samples would.

Where classes have few cases, what the prior adds to each shrinks the posterior of an average: with
three cases of each of ten classes it is a quarter narrower than estimates of balanced accuracy from
new samples spread, and 95% intervals held the truth 88 to 94% of the time. So a table of as many
cases is drawn from each of some draws of the cells, and the metric's error in it is noted. If these
errors spread further than the draws (by the range that holds the middle 68% of either, two standard
deviations of a normal law), the draws are stretched about their median to spread as far. With many
cases of each class both agree, and nothing is stretched.

An error of an average over classes is taken over the classes that the new table defines: of others
it would say nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.inference.class_draws import Draws, Margins
from baserate.metrics import ClassMetric

Array = NDArray[np.float64]

AGAIN = 2  # of so many draws one has a new table drawn from it
MIDDLE = (0.16, 0.5, 0.84)  # about one standard deviation of a normal law either way
NOISE = 0.964  # relative standard error of that range at one draw of a normal law


class Drawn(NamedTuple):
    """Metrics in rows, at draws in columns; and their errors in new tables, at some of these."""

    values: Array
    errors: Array


class Stretched(NamedTuple):
    """Values of a metric at draws, and the relative standard error of their scale by the draws."""

    values: Array
    noise: float = 0.0


def drawn_values(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    blocks: Iterable[Draws],
    cases: float,
    rng: np.random.Generator,
) -> list[Stretched]:
    """Return each metric at every draw, spread as new tables of so many cases would be."""
    found = list[Drawn]()
    for block in blocks:
        some = block.first(AGAIN)
        errors = errors_of(metrics, some.tables(cases, rng).margins, some.margins, table)
        found.append(Drawn(at_draws(metrics, block.margins, table), errors))
    drawn = together(found)
    every = zip(metrics, *drawn, strict=True)
    return [stretched(values, errors, metric.bounds) for metric, values, errors in every]


def together(blocks: Sequence[Drawn]) -> Drawn:
    """Put the draws of several blocks into one."""
    return Drawn(*(np.concatenate(part, axis=1) for part in zip(*blocks, strict=True)))


def stretched(values: Array, errors: Array, bounds: tuple[float, float]) -> Stretched:
    """Return the values stretched about their median to the errors' spread, if that is wider."""
    known, seen = values[~np.isnan(values)], errors[~np.isnan(errors)]
    if not min(known.size, seen.size):
        return Stretched(values)
    low, center, high = np.quantile(known, MIDDLE)
    left, _, right = np.quantile(seen, MIDDLE)
    if not 0 < high - low < right - left < np.inf:
        return Stretched(values)
    wider = center + (values - center) * ((right - left) / (high - low))
    noise = NOISE * np.sqrt(1 / known.size + 1 / seen.size)
    return Stretched(np.clip(wider, *bounds), float(noise))


def at_draws(metrics: Sequence[ClassMetric], draws: Margins, table: ClassTable) -> Array:
    """Return metrics in rows, at every draw.

    An average over the classes in which a metric is defined is one over those of the table.
    """
    return np.array([_at_draws(metric, draws, table) for metric in metrics])


def _at_draws(metric: ClassMetric, draws: Margins, table: ClassTable) -> Array:
    if metric.undefined_classes == "omit":
        return _average_over(metric, draws, _defined(metric, table))
    if metric.of_margins is not None:
        return np.asarray(metric.at_margins(*draws[:3]))
    assert metric.of_cells is not None
    return np.asarray(metric.of_cells(draws.cells()))


def errors_of(
    metrics: Sequence[ClassMetric], again: Margins, draws: Margins, table: ClassTable
) -> Array:
    """Return how far new tables are from the draws that they come from, metrics in rows."""
    return np.array([_errors(metric, again, draws, table) for metric in metrics])


def _errors(metric: ClassMetric, again: Margins, draws: Margins, table: ClassTable) -> Array:
    if metric.undefined_classes is None or metric.part is None:
        return _at_draws(metric, again, table) - _at_draws(metric, draws, table)
    kept = _defined(metric, table) & ~metric.part.undefined(_each_class(again))
    return _average_over(metric, again, kept) - _average_over(metric, draws, kept)


def _defined(metric: ClassMetric, table: ClassTable) -> Any:
    assert metric.part is not None
    return ~np.asarray(metric.part.undefined(table.one_vs_rest()))


def _average_over(metric: ClassMetric, draws: Margins, kept: Any) -> Array:
    """Return the macro or weighted average over some of the classes."""
    assert metric.part is not None
    every = np.asarray(metric.part(_each_class(draws)))
    weight = np.where(kept, draws.class_counts if metric.kind == "weighted" else 1.0, 0.0)
    return np.asarray(ratio((np.where(kept, every, 0.0) * weight).sum(-1), weight.sum(-1)))


def _each_class(draws: Margins) -> ConfusionMatrix:
    """Return the tables of each class against the rest."""
    hits, truth, predicted = draws[:3]
    fn, fp = np.maximum(truth - hits, 0.0), np.maximum(predicted - hits, 0.0)
    tn = np.maximum(truth.sum(-1, keepdims=True) - truth - fp, 0.0)
    return ConfusionMatrix(tp=hits, fn=fn, fp=fp, tn=tn)
