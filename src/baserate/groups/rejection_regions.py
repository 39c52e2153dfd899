"""What a test given the class totals rejects, and how probable that is at any rates.

Each row of tables, one for each tp, is rejected from its ends on, since most metrics move one way
with fp: groups of any size can be summed, by two laws of one count each. Of a metric that declares
no trend, the tables that are likely at all are looked at one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array, Mask, Whole
from baserate._windows import Window
from baserate.counts import ConfusionMatrix
from baserate.groups.count_laws import Chances
from baserate.groups.null import Drawn
from baserate.groups.tables import LARGEST, SAME, Graded, Tables
from baserate.metrics import Metric
from baserate.metrics.ties import tie_width
from baserate.models import DirichletMultinomial, GivenClasses
from baserate.questions import quantile

SMALLEST_LEVEL = 1e-9  # tails below it are not summed without what windows leave out
FEW = 20_000  # tables that are listed sooner
NEGLIGIBLE = 1e-10  # share of the level that unlikely tables may hold
SIDES = "less", "greater"
_QUANTILE = 1e-12  # how closely quantiles reach their probability


class FalsePositives(NamedTuple):
    """The values of fp from `start` up to, not including, `stop`, in every row."""

    start: Whole
    stop: Whole


@dataclass(frozen=True)
class RejectedRows:
    """What is rejected, by the number of true positives: where the metric is low, where high."""

    totals: tuple[int, int]
    spans: tuple[FalsePositives, FalsePositives]

    def probabilities(self, recall: Chances, alarms: Chances) -> Array:
        """Return the probability of being rejected at each pair of rates."""
        p, q = self.totals
        tp, fp = recall.windows(p), alarms.windows(q)
        width, size = fp.pmf.shape[1], recall.a.size
        below = np.zeros((size, width + 1))
        np.cumsum(fp.pmf, axis=1, out=below[:, 1:])
        below, first = below.ravel(), np.arange(size)[:, None] * (width + 1)
        rows = np.minimum(np.maximum(tp.start[:, None] + np.arange(tp.pmf.shape[1]), 0), p)
        found = np.zeros(size)
        for span in self.spans:
            start, stop = (
                first + np.minimum(np.maximum(end[rows] - fp.start[:, None], 0), width)
                for end in span
            )
            found += (tp.pmf * (below[stop] - below[start])).sum(axis=1)
        return np.minimum(1.0, found)


@dataclass(frozen=True)
class Sifted:
    """What is rejected, table by table: values below `low` and above `high`."""

    metric: Metric
    totals: tuple[int, int]
    low: float
    high: float

    def probabilities(self, recall: Chances, alarms: Chances) -> Array:
        """Return the probability of being rejected at each pair of rates."""
        p, q = self.totals
        found = [
            self._probability(recall.window(p, at), alarms.window(q, at))
            for at in range(recall.a.size)
        ]
        return np.minimum(1.0, np.array(found))

    def _probability(self, tp: Window, fp: Window) -> float:
        hits, alarms = np.meshgrid(tp.values, fp.values, indexing="ij", sparse=True)
        p, q = self.totals
        values = np.asarray(self.metric.formula(hits, p - hits, alarms, q - alarms), dtype=float)
        rejected = (values < self.low) | (values > self.high)
        return float(tp.pmf @ (np.broadcast_to(rejected, (len(tp.pmf), len(fp.pmf))) @ fp.pmf))


Region = RejectedRows | Sifted


def rejection(
    metric: Metric,
    lower: Drawn | None,
    upper: Drawn | None,
    group: ConfusionMatrix,
    level: float,
) -> Region:
    """Return what a test rejects, given the class totals of a group.

    Those tables of which so low a value, or a lower one, has at most the probability `level` under
    the law `lower`, or so high a value under `upper`; None leaves a side out.
    """
    p, q = totals = int(group.n_positive), int(group.n_negative)
    rows, size = has_rows(metric, p), (p + 1) * (q + 1)
    if level >= SMALLEST_LEVEL and size > (FEW if rows else LARGEST):
        low = -inf if lower is None else _kept(metric, lower, group, level * SAME, "less")
        high = inf if upper is None else _kept(metric, upper, group, level * SAME, "greater")
        if rows:
            return RejectedRows(totals, _Defined.of(metric, p, q).outside(low, high))
        return Sifted(metric, totals, low, high)
    tables = _every(p, q)
    values, ends = tables.values(metric).reshape(p + 1, q + 1), [-inf, inf]
    for side, model in enumerate((lower, upper)):
        if model is not None:
            if level < SMALLEST_LEVEL:
                part, weights = values, tables.weights(model)
            else:
                near, weights = _likely(model, p, q, level * NEGLIGIBLE)
                tp, fp = near.blocks[0]
                part = values[tp.low : tp.high + 1, fp.low : fp.high + 1]
            graded = Graded(metric, part.ravel(), weights)
            ends[side] = graded.kept(np.array([level * SAME]), SIDES[side])[side].item()
    low, high = ends
    if rows:
        return RejectedRows(totals, _spans(metric, values, low, high))
    return Sifted(metric, totals, low, high)


def rejections(
    metric: Metric,
    models: Sequence[tuple[Drawn | None, Drawn | None]],
    totals: Sequence[tuple[int, int]],
    level: float,
) -> list[RejectedRows]:
    """Return what tests of many groups reject that list all tables, as `rejection` of each does.

    Of a metric that has rows, with models of one kind; every group is padded to the largest.
    """
    p, q = np.array(totals).T[:, :, None, None]
    hits, alarms = np.arange(p.max() + 1.0)[:, None], np.arange(q.max() + 1.0)
    tp, fp = np.minimum(hits, p), np.minimum(alarms, q)
    values = np.asarray(metric.formula(tp, p - tp, fp, q - fp), dtype=float)
    values = np.where((hits > p) | (alarms > q), nan, values)
    flat = values.reshape(len(totals), -1)
    order = np.argsort(flat, axis=1)  # nan last
    low, high = np.full((2, len(totals), 1, 1), [[[[-inf]]], [[[inf]]]])
    lowers, uppers = zip(*models, strict=True)
    if lowers[0] is not None:
        low[:, 0, 0] = _ends(metric, flat, order, _weights(lowers, p, q), level * SAME, 1)
    if uppers[0] is not None:
        high[:, 0, 0] = _ends(metric, flat, order, _weights(uppers, p, q), level * SAME, -1)
    first, last = _spans(metric, values, low, high)
    return [
        RejectedRows(
            both,
            (
                FalsePositives(*(end[at, : both[0] + 1] for end in first)),
                FalsePositives(*(end[at, : both[0] + 1] for end in last)),
            ),
        )
        for at, both in enumerate(totals)
    ]


def _weights(models: Sequence[Any], p: Whole, q: Whole) -> Array:
    """Return the probabilities of all tables of many groups, given their class totals."""
    tp, fn, fp, tn = np.array([[*model.weights] for model in models], dtype=float).T
    s = int(isinstance(models[0], DirichletMultinomial))
    # Of a class that the reference lacks, and so the group, any law serves.
    hits, alarms = (
        Chances(one, np.where(one + other > 0, other, 1.0), s).rows(n.ravel())
        for one, other, n in ((tp, fn, p), (fp, tn, q))
    )
    return (hits[:, :, None] * alarms[:, None, :]).reshape(len(tp), -1)


def _ends(
    metric: Metric, values: Array, order: Whole, weights: Array, level: float, way: int
) -> Array:
    """Return the least value of each group that is not rejected, less a tie, or the greatest."""
    known, row = ~np.isnan(values), np.arange(len(values))
    order = order[:, ::way]
    mass = np.take_along_axis(np.where(known, weights, 0.0), order, axis=1).cumsum(axis=1)
    first = np.count_nonzero(mass <= level * mass[:, -1:], axis=1)
    last = known.sum(axis=1) if way > 0 else values.shape[1]
    found = values[row, order[row, np.clip(first, 0, last - 1)]]
    return found - way * tie_width(metric, found)


def has_rows(metric: Metric, n_positive: int) -> bool:
    """Return whether the metric moves one way along every row, and rows are few enough."""
    known = metric.trend_in_fp != "unknown" and metric.undefined_also is None
    return known and n_positive < LARGEST


def _spans(
    metric: Metric, values: Array, low: Any, high: Any
) -> tuple[FalsePositives, FalsePositives]:
    """Return what lies outside two values, of all tables: a row for every tp, padded with nan."""
    start = np.isnan(values[..., 0]).astype(np.int64)
    stop = start + np.sum(~np.isnan(values), axis=-1)  # undefined are at most the ends, or all
    below, above = np.sum(values < low, axis=-1), np.sum(values > high, axis=-1)
    if metric.trend_in_fp == "decreasing":
        return FalsePositives(stop - below, stop), FalsePositives(start, start + above)
    return FalsePositives(start, start + below), FalsePositives(stop - above, stop)


def _kept(metric: Metric, model: Drawn, group: ConfusionMatrix, level: float, side: str) -> float:
    """Return the least value that a test of the low side does not reject, or the greatest."""
    p, q = int(group.n_positive), int(group.n_negative)
    tables, weights = _likely(model, p, q, level * NEGLIGIBLE)
    if tables.size <= LARGEST:
        ends = Graded(metric, tables.values(metric), weights).kept(np.array([level]), side)
        return ends[SIDES.index(side)].item()
    held = GivenClasses(model, n_positive=p)
    if side == "less":
        low = float(quantile(metric, held, level + 2 * _QUANTILE))
        return low - tie_width(metric, low)
    high = float(quantile(metric, held, 1 - level))
    return high + tie_width(metric, high)


@lru_cache(maxsize=1)
def _every(p: int, q: int) -> Tables:
    """Return all tables with these class totals; the metrics of a group are asked in turn."""
    return Tables.of(ConfusionMatrix(tp=p, fn=0, fp=0, tn=q), "classes")


@lru_cache(maxsize=2)  # of either side of a test of dealt cases
def _likely(model: Drawn, p: int, q: int, left_out: float) -> tuple[Tables, Array]:
    """Return the tables that are likely; the metrics of a group are asked one after the other."""
    group = ConfusionMatrix(tp=p, fn=0, fp=0, tn=q)
    tables = Tables.likely(group, "classes", model, left_out)
    return tables, tables.weights(model) if tables.size <= LARGEST else np.empty(0)


@dataclass(frozen=True, slots=True)
class _Defined:
    """All rows, and the values of fp at which the metric is defined: from `start`, below `stop`."""

    metric: Metric
    n_positive: int
    n_negative: int
    start: Whole
    stop: Whole

    @classmethod
    def of(cls, metric: Metric, n_positive: int, n_negative: int) -> "_Defined":
        whole = np.zeros(n_positive + 1, dtype=np.int64)
        rows = cls(metric, n_positive, n_negative, whole, whole + n_negative + 1)
        # Which sums of counts are zero depends on fp at the two ends of a row only.
        first, inner, last = (
            ~np.isnan(rows.values(whole + fp)) for fp in (0, n_negative // 2, n_negative)
        )
        inner |= n_negative < 2
        start = np.where(first, 0, 1)
        stop = np.where(inner, n_negative + last, start)
        return cls(metric, n_positive, n_negative, start, np.maximum(start, stop))

    def values(self, fp: Whole) -> Array:
        """Return the metric at one table of each row."""
        hits, alarms = np.arange(self.n_positive + 1.0), fp.astype(np.float64)
        cells = (hits, self.n_positive - hits, alarms, self.n_negative - alarms)
        return np.broadcast_to(np.asarray(self.metric.formula(*cells), dtype=float), fp.shape)

    def outside(self, low: float, high: float) -> tuple[FalsePositives, FalsePositives]:
        """Return where the metric lies below `low`, and where above `high`."""
        if self.metric.trend_in_fp == "decreasing":
            first, last = self._first(lambda x, y: (x < low, y <= high))
            return FalsePositives(first, self.stop), FalsePositives(self.start, last)
        first, last = self._first(lambda x, y: (x >= low, y > high))
        return FalsePositives(self.start, first), FalsePositives(last, self.stop)

    def _first(self, reached: Callable[[Array, Array], tuple[Mask, Mask]]) -> Whole:
        """Return the first fp of each row at which each condition holds, then to stay; or stop."""
        low, high = (np.array([end, end]) for end in (self.start, self.stop))
        while (low < high).any():
            middle = (low + high) // 2
            there = np.array(reached(*self.values(np.minimum(middle, self.n_negative))))
            open_ = low < high
            low, high = (
                np.where(open_ & ~there, middle + 1, low),
                np.where(open_ & there, middle, high),
            )
        return low
