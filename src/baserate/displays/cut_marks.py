"""Best cuts as hollow points: where a metric is largest, in cases or in a population."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from baserate._figures import spoken
from baserate.counts import as_float
from baserate.curves import Population
from baserate.curves.cut_points import Sweep
from baserate.displays.picture import Floats, Points, Shape, Text, series_color
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric
from baserate.tuning import bayes_threshold, optimal_threshold

Metrics = str | Metric | Sequence[str | Metric]
# From recall, false positive rate and base rate of cuts to where they are drawn.
Place = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]

ASIDE = 0.03  # of the picture, from a point to its words
SHAPES: tuple[Shape, ...] = ("circle", "triangle", "diamond", "square")


def metrics_of(metrics: Metrics) -> tuple[Metric, ...]:
    """Return metrics by their names; one alone will do."""
    alone = isinstance(metrics, str | Metric)
    return tuple(binary_metric(one) for one in ([metrics] if alone else metrics))


def best_cuts(
    metrics: Sequence[Metric], curves: Iterable[tuple[Any, Any]], place: Place
) -> Iterator[Points | Text]:
    """Yield the best cuts of each metric on each curve, a shape for each metric.

    Curves are pairs of a sweep or a population, and a base rate: None for that of the cases,
    several for a point for each, of which the first and the last are labelled. Other curves have no
    best cuts.
    """
    for k, (one, base_rate) in enumerate(curves):
        for shape, metric in enumerate(metrics):
            of = ""
            if isinstance(one, Sweep) and not one.absent:
                found, of = _of_cases(metric, one, base_rate), " of these cases"
            elif isinstance(one, Population):
                found = _of_population(metric, one, base_rate)
            else:
                continue
            x, y = place(*np.array(found, dtype=float).reshape(-1, 3).T)
            yield Points(
                key="best", name=f"best cut{of} by {spoken(metric.name)}", x=x, y=y, hollow=True,
                shape=SHAPES[shape % len(SHAPES)], color=series_color(k), size=5.5,
            )  # fmt: skip
            for at in {0, len(found) - 1} if len(found) > 1 else ():
                yield Text(key="best_rate", x=x[at] + ASIDE, y=y[at], color="ink",
                           text=f"base rate {found[at][2]:g}")  # fmt: skip


def _of_cases(metric: Metric, one: Sweep, base_rate: Any) -> list[tuple[float, ...]]:
    """Return recall, false positive rate and base rate of the best cut."""
    rates = [None] if base_rate is None else np.atleast_1d(base_rate).tolist()
    rows = []
    for pi in rates:
        target = metric if pi is None else metric.at_base_rate(pi)
        table = optimal_threshold(target, one).table
        recall = float(as_float(table.tp)) / one.n_positive
        fpr = float(as_float(table.fp)) / one.n_negative
        rows.append((recall, fpr, one.base_rate if pi is None else pi))
    return rows


def _of_population(metric: Metric, one: Population, base_rate: Any) -> list[tuple[float, ...]]:
    if base_rate is None:
        rule = "must be given for the best cuts of a population, which has none"
        raise InvalidArgumentError.from_rule("base_rate", rule, None, "pass one or several")
    cuts = (bayes_threshold(metric, one, base_rate=pi) for pi in np.atleast_1d(base_rate).tolist())
    return [(cut.recall, cut.false_positive_rate, cut.base_rate) for cut in cuts]
