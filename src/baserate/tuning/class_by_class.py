"""Averages over classes along a line of tables: each case that moves changes two classes only.

So the values of all tables take as long as the cases, not as cases times classes. They are sums of
many changes, hence rounded: what is near the best is then computed anew.
"""

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.counts import ConfusionMatrix
from baserate.metrics import ClassMetric, Metric
from baserate.tuning.targets import Values, oriented

if TYPE_CHECKING:
    from baserate.tuning.coordinate_ascent import OffsetLine

NEAR = 1e-9  # share of the range of the metric: far above what sums of rounded changes lose


def is_of_classes(metric: ClassMetric, line: "OffsetLine") -> bool:
    """Whether a metric is a mean over classes of bounded values, and the cases are whole."""
    bounds = None if metric.part is None else metric.part.bounds
    bounded = bounds is not None and all(map(isfinite, bounds))
    return bounded and metric.kind in {"macro", "weighted"} and line.is_whole


def near_best(metric: ClassMetric, line: "OffsetLine", ends: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which of the tables at these ends may be the best; none if all are undefined."""
    upward = oriented(metric, values_at(metric, line, ends))
    top, (low, high) = upward.max(initial=-np.inf), metric.bounds or (0.0, 1.0)
    return np.flatnonzero((upward > -np.inf) & (upward >= top - NEAR * (high - low)))


def values_at(metric: ClassMetric, line: "OffsetLine", ends: NDArray[np.intp]) -> Values:
    """Return the values of the tables at these ends, up to rounding."""
    assert metric.part is not None
    totals = line.start.sum(1)
    weight = np.ones(len(totals)) if metric.kind == "macro" else totals / totals.sum()
    hits, called = line.start.diagonal(), line.start.sum(0)
    place, part, n = line.place, metric.part, totals.sum()
    first = _Terms.of(part, hits, totals, called, n, weight)
    lost, before = _lost(line, first, part, weight)
    joined = np.concatenate(([0.0], np.cumsum(line.weight)))[ends]
    right = np.where(line.truth == place, line.weight, 0.0)
    gained = np.concatenate(([0.0], np.cumsum(right)))[ends]
    own = _Terms.of(part, hits[place] + gained, totals[place], called[place] + joined, n,
                    weight[place])  # fmt: skip
    others = [np.sum(np.delete(side, place)) for side in first]
    moves = [np.concatenate(([0.0], np.cumsum(a - b))) for a, b in zip(lost, before, strict=True)]
    sides = zip(others, moves, own, strict=True)
    value, used, undefined = (rest + move[ends] + mine for rest, move, mine in sides)
    lacking = used < 0.5 * weight[weight > 0].min()
    if metric.undefined_classes == "propagate":
        lacking = undefined > 0.5
    return np.where(lacking, np.nan, value / np.where(lacking, 1.0, used))


class _Terms(NamedTuple):
    """What classes add: weighted values, weights where there is one, and whether there is none."""

    value: Any
    used: Any
    undefined: Any

    @classmethod
    def of(
        cls, part: Metric, hits: Any, totals: Any, called: Any, n: float, weight: Any
    ) -> "_Terms":
        sides = np.broadcast_arrays(hits, totals, called)
        hits, totals, called = (np.asarray(side, dtype=float) for side in sides)
        table = ConfusionMatrix(
            tp=hits, fn=totals - hits, fp=called - hits, tn=n - totals - called + hits
        )
        values, weight = np.asarray(part(table)), np.broadcast_to(weight, hits.shape)
        lacking = np.isnan(values)
        return cls(
            np.where(lacking, 0.0, values) * weight,
            np.where(lacking, 0.0, weight),
            (lacking & (weight > 0)).astype(float),
        )


def _lost(line: "OffsetLine", first: _Terms, part: Metric, share: Values) -> tuple[_Terms, _Terms]:
    """Return the terms of each case's rival after the case has left it, and before."""
    order = np.argsort(line.rival, kind="stable")
    rival, weight = line.rival[order], line.weight[order]
    right = np.where(line.truth[order] == rival, weight, 0.0)
    starts = np.searchsorted(rival, rival)  # of each case, where its rival's cases begin
    away, missed = (_within(side, starts) for side in (weight, right))
    totals, hits, called = line.start.sum(1), line.start.diagonal(), line.start.sum(0)
    after = _Terms.of(
        part, hits[rival] - missed, totals[rival], called[rival] - away, totals.sum(), share[rival]
    )
    begins = starts == np.arange(len(starts))
    before = [np.where(begins, f[rival], np.roll(a, 1)) for f, a in zip(first, after, strict=True)]
    back = np.argsort(order, kind="stable")
    return _Terms(*(side[back] for side in after)), _Terms(*(side[back] for side in before))


def _within(amount: Values, starts: NDArray[np.intp]) -> Values:
    """Add up within each run of cases."""
    sums = np.concatenate(([0.0], np.cumsum(amount)))
    return sums[1:] - sums[starts]
