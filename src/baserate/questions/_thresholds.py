"""Thresholds: given tp and the class totals, a metric that moves one way with fp is cut by one fp.

Rows are values of tp. In each, the values of fp at which the metric is defined are consecutive: it
can only be undefined at fp = 0, at tn = 0, or throughout.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baserate._windows import Array
from baserate.questions._law import Law, Slice
from baserate.questions._ties import Cut

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one slice; `start` and `stop` bound the defined positions among its columns."""

    law: Law
    tp: Array
    fp: Array
    weights: Array
    n_positive: float
    rising: bool
    start: Ints
    stop: Ints

    @classmethod
    def of(cls, law: Law, piece: Slice) -> "Rows":
        """Find where each row is defined."""
        assert piece.columns is not None
        tp, fp, n_negative = piece.rows.values, piece.columns.values, law.model.n - piece.n_positive
        first, stop = _defined(law, tp, piece.n_positive, int(n_negative))
        start = np.clip(first - int(fp[0]), 0, len(fp))
        return cls(
            law=law,
            tp=tp,
            fp=fp,
            weights=piece.columns.weights,
            n_positive=piece.n_positive,
            rising=law.metric.trend_in_fp == "increasing",
            start=start,
            stop=np.clip(stop - int(fp[0]), start, len(fp)),
        )

    def split(self, cut: Cut) -> Ints:
        """Return the first position in each row that lies on the other side of x than `start`."""
        low, high = self.start.copy(), self.stop.copy()
        while (row := np.flatnonzero(low < high)).size:
            middle = (low[row] + high[row]) // 2
            onward = self._above(cut, row, middle) != self.rising
            low[row] = np.where(onward, middle + 1, low[row])
            high[row] = np.where(onward, high[row], middle)
        return low

    def masses(self, split: Ints) -> tuple[Array, Array]:
        """Return for each row the probability of fp where the metric is at most x, and above."""
        up = np.concatenate(((0.0,), np.cumsum(self.weights)))
        down = np.concatenate((np.cumsum(self.weights[::-1])[::-1], (0.0,)))
        before, after = up[split] - up[self.start], down[split] - down[self.stop]
        return (before, after) if self.rising else (after, before)

    def least_above(self, split: Ints) -> float:
        """Return the least value above x; inf if there is none."""
        position = split if self.rising else split - 1
        row = np.flatnonzero(split < self.stop if self.rising else split > self.start)
        return float(np.min(self._values(row, position[row]), initial=np.inf))

    def extremes(self) -> tuple[float, float]:
        """Return the least and the greatest value; (inf, -inf) if nothing is defined."""
        row = np.flatnonzero(self.start < self.stop)
        ends = [self._values(row, at[row]) for at in (self.start, self.stop - 1)]
        return float(np.min(ends, initial=np.inf)), float(np.max(ends, initial=-np.inf))

    def _above(self, cut: Cut, row: Ints, position: Ints) -> NDArray[np.bool_]:
        tp, fp, n_negative = self.tp[row], self.fp[position], self.law.model.n - self.n_positive
        cells = (tp, self.n_positive - tp, fp, n_negative - fp)
        return cut.above(self.law.value(*cells), cells)

    def _values(self, row: Ints, position: Ints) -> Array:
        n_negative = self.law.model.n - self.n_positive
        return self.law.at(self.tp[row], self.n_positive, n_negative, self.fp[position])


def _defined(law: Law, tp: Array, n_positive: float, n_negative: int) -> tuple[Ints, Ints]:
    """Return for each tp the first defined fp, and the end of the defined ones."""
    no_fp, no_tn, inside = (
        np.isnan(law.at(tp, n_positive, n_negative, fp)) for fp in (0, n_negative, n_negative / 2)
    )
    start, stop = no_fp.astype(np.int64), n_negative + 1 - no_tn.astype(np.int64)
    if n_negative >= 2:
        stop = np.where(inside, start, stop)
    return start, np.maximum(stop, start)
