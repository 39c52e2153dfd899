"""The tables that a test rejects, given the class totals, without a list of all tables.

Given the class totals and tp, most metrics move one way with fp. So each row, one for each tp, is
rejected from its ends on, and groups of any size can be summed: two laws of one count each. Of a
metric that declares no trend, the tables that are likely at all are looked at one by one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._windows import Array, Window
from baserate.counts import ConfusionMatrix
from baserate.groups._null import Drawn
from baserate.groups._tables import LARGEST
from baserate.metrics import Metric
from baserate.metrics.ties import tie_width
from baserate.models import GivenClasses
from baserate.questions import quantile

Places = NDArray[np.int64]

# Quantiles are found within 1e-12 of their probability; levels below this ask for more.
SMALLEST_LEVEL = 1e-9
_QUANTILE = 1e-12
_FEW = 20_000  # tables that are listed sooner


class Span(NamedTuple):
    """The values of fp from `start` up to, not including, `stop`, in every row."""

    start: Places
    stop: Places


@dataclass(frozen=True, slots=True)
class Rejection:
    """What is rejected, by the number of true positives: where the metric is low, where high."""

    spans: tuple[Span, ...]

    def probability(self, tp: Window, fp: Window) -> float:
        """Return the probability of being rejected, if tp and fp follow these two laws."""
        rows = slice(tp.start, tp.start + len(tp.pmf))
        below = np.concatenate(([0.0], np.cumsum(fp.pmf)))
        found = 0.0
        for span in self.spans:
            start, stop = (np.clip(end[rows] - fp.start, 0, len(fp.pmf)) for end in span)
            found += float(tp.pmf @ (below[stop] - below[start]))
        return found


@dataclass(frozen=True, slots=True)
class Sifted:
    """What is rejected, table by table: values below `low` and above `high`."""

    metric: Metric
    n_positive: int
    n_negative: int
    low: float
    high: float

    def probability(self, tp: Window, fp: Window) -> float:
        """Return the probability of being rejected, if tp and fp follow these two laws."""
        hits, alarms = np.meshgrid(tp.values, fp.values, indexing="ij", sparse=True)
        cells = (hits, self.n_positive - hits, alarms, self.n_negative - alarms)
        values = np.asarray(self.metric.formula(*cells), dtype=float)
        rejected = (values < self.low) | (values > self.high)
        return float(tp.pmf @ (np.broadcast_to(rejected, (len(tp.pmf), len(fp.pmf))) @ fp.pmf))


def worth_it(metric: Metric, group: ConfusionMatrix, level: float) -> bool:
    """Return whether there is such a way, and too many tables to list them sooner."""
    p, q = int(group.n_positive), int(group.n_negative)
    shortest = _FEW if _has_rows(metric, p) else LARGEST
    return level >= SMALLEST_LEVEL and (p + 1) * (q + 1) > shortest


def rejection(
    metric: Metric, model: Drawn, group: ConfusionMatrix, level: float, alternative: str
) -> Rejection | Sifted:
    """Return what a test at this level rejects, given the class totals of a group.

    Raises
    ------
    UnsupportedError
        Too many tables are likely for a metric that declares no trend.
    """
    p, q = int(group.n_positive), int(group.n_negative)
    held = GivenClasses(model, n_positive=p)
    tail = level / 2 if alternative == "two-sided" else level
    low, high = -inf, inf
    if alternative != "greater":  # P(M <= v) of what is rejected is at most the tail
        low = float(quantile(metric, held, tail + 2 * _QUANTILE))
        low -= tie_width(metric, low)
    if alternative != "less":
        high = float(quantile(metric, held, 1 - tail))
        high += tie_width(metric, high)
    if not _has_rows(metric, p):
        return Sifted(metric, p, q, low, high)
    rows = _Rows.of(metric, p, q)
    return Rejection((rows.where_low(low), rows.where_high(high)))


def _has_rows(metric: Metric, n_positive: int) -> bool:
    known = metric.trend_in_fp != "unknown" and metric.undefined_also is None
    return known and n_positive < LARGEST


@dataclass(frozen=True, slots=True)
class _Rows:
    """All rows, and the values of fp at which the metric is defined: from `start`, below `stop`."""

    metric: Metric
    n_positive: int
    n_negative: int
    start: Places
    stop: Places

    @classmethod
    def of(cls, metric: Metric, n_positive: int, n_negative: int) -> "_Rows":
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

    def values(self, fp: Places) -> Array:
        """Return the metric at one table of each row."""
        hits, alarms = np.arange(self.n_positive + 1.0), fp.astype(np.float64)
        cells = (hits, self.n_positive - hits, alarms, self.n_negative - alarms)
        return np.broadcast_to(np.asarray(self.metric.formula(*cells), dtype=float), hits.shape)

    def where_low(self, bound: float) -> Span:
        """Return where the metric lies below a number."""
        if self._falls:
            return Span(self._first(lambda values: values < bound), self.stop)
        return Span(self.start, self._first(lambda values: values >= bound))

    def where_high(self, bound: float) -> Span:
        """Return where the metric lies above a number."""
        if self._falls:
            return Span(self.start, self._first(lambda values: values <= bound))
        return Span(self._first(lambda values: values > bound), self.stop)

    @property
    def _falls(self) -> bool:
        return self.metric.trend_in_fp == "decreasing"

    def _first(self, reached: Callable[[Array], NDArray[np.bool_]]) -> Places:
        """Return the first fp of each row at which a condition holds that then stays; else stop."""
        low, high = self.start, self.stop
        while (low < high).any():
            middle = (low + high) // 2
            there = reached(self.values(np.minimum(middle, self.n_negative)))
            open_ = low < high
            low, high = (
                np.where(open_ & ~there, middle + 1, low),
                np.where(open_ & there, middle, high),
            )
        return low
