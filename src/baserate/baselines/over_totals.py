"""The baseline of one metric over class totals any of which may be the true ones, all at once.

What the ends of the range are worth, and which of them is best, is asked of all totals together;
only where that is not clear beside rounding is a pair of totals searched by itself. The top of a
concave curve moves smoothly with the totals: it is looked for near where it lies for a few of them.
"""

from dataclasses import dataclass
from functools import reduce
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._windows import DEPTH, Array, Urn
from baserate.baselines.chance_curve import tables
from baserate.baselines.draw_tables import NO_BEST, WhateverTotals, common
from baserate.baselines.draws import DutchDraw, Spans, best_draw
from baserate.baselines.totals import directed, same, settled
from baserate.metrics import Metric

Places = NDArray[np.int64]

CLEAR = 1e-9  # differences of this size, relative to the terms, have the right sign
SOLVED = 64  # totals whose hills are climbed by themselves
TERMS = 1 << 15  # at a time
ENDS = {"affine", "monotone", "increasing", "decreasing"}
# Sums of cells that are never zero where both classes have cases; of others, all but two may be.
PREDICTED = [{"tp", "fp"}, {"fn", "tn"}]


def over_all_totals(metric: Metric, totals: Any) -> WhateverTotals | None:
    """Return what holds whichever totals are true; None where each has to be searched by itself.

    `totals` are pairs of whole numbers of positives and negatives, none of them 0, of one sum.
    """
    pairs = np.asarray(totals, dtype=np.float64)
    n = int(pairs[0].sum())
    known = metric.undefined_also is None and (pairs > 0).all() and not (pairs % 1).any()
    sums = [set(total.split("+")) for total in metric.undefined_if_zero]
    sums = [cells for cells in sums if not (cells >= {"tp", "fn"} or cells >= {"fp", "tn"})]
    if not known or (pairs.sum(axis=1) != n).any() or any(cells not in PREDICTED for cells in sums):
        return None
    low, high = (int(cells in sums) for cells in PREDICTED)
    if metric.direction == "neither" and metric.chance_shape != "unknown":
        return WhateverTotals(metric.name, nan, nan, (), NO_BEST)
    return _Curves(metric, pairs[:, 0], pairs[:, 1], low, n - high).found()


@dataclass(frozen=True, slots=True)
class _Curves:
    """What guesses are expected to score at many class totals, from `low` to `high` flagged."""

    metric: Metric
    n_positive: Array
    n_negative: Array
    low: int
    high: int

    def found(self) -> WhateverTotals | None:
        """Return the extremes of the baseline and the best shares to flag."""
        shape, n = self.metric.chance_shape, self.n_positive[0] + self.n_negative[0]
        if shape == "constant" or self.low >= self.high:
            values, _ = self._means(self.high)
            return self._of(values, ((self.low / n, self.high / n),))
        if shape in ENDS:
            return self._at_ends(n)
        if shape == "concave" and directed(self.metric) == "max":
            return self._on_hills()
        return None

    def _of(self, values: Array, theta: Spans) -> WhateverTotals:
        values = settled(self.metric, values)
        low, high = float(values.min()), float(values.max())
        return WhateverTotals(self.metric.name, low, low if same(low, high) else high, theta)

    def _at_ends(self, n: float) -> WhateverTotals:
        """Take the better end; where it is not clear which, or how far it is flat, search."""
        shape = self.metric.chance_shape
        (first, size), (last, other) = self._means(self.low), self._means(self.high)
        size = np.maximum(size, other)
        rise = {"increasing": size, "decreasing": -size}.get(shape, last - first)
        at_high = (rise > 0) == (directed(self.metric) == "max")
        values, step = np.where(at_high, last, first), rise
        if shape != "affine":
            before, after = self._means(self.high - 1)[0], self._means(self.low + 1)[0]
            step = np.where(at_high, last - before, after - first)
        unclear = np.minimum(np.abs(rise), np.abs(step)) <= CLEAR * size
        alone = [self._alone(place) for place in np.flatnonzero(unclear).tolist()]
        values[unclear] = [one.value for one in alone]
        ends = {self.high / n if up else self.low / n for up in at_high[~unclear].tolist()}
        spans = [((end, end),) for end in ends] + [one.theta_star for one in alone]
        return self._of(values, reduce(common, spans))

    def _on_hills(self) -> WhateverTotals | None:
        """Climb from where the tops of neighbours lie."""
        positive, which = np.unique(self.n_positive, return_index=True)
        near = np.geomspace(1, len(positive), SOLVED).astype(np.int64) - 1  # tops move most there
        some = np.unique((near, len(positive) - 1 - near))
        alone = [self._alone(place) for place in which[some].tolist()]
        theta = reduce(common, [one.theta_star for one in alone])
        if theta:
            return None  # perhaps the same everywhere
        tops = [one.n_predicted[0][0] for one in alone]
        kept = np.arange(len(self.n_positive))
        if self.metric.class_swap == self.metric.name:  # the same with the classes swapped
            rarer = np.minimum(self.n_positive, self.n_negative)
            kept = np.unique(rarer, return_index=True)[1]
        k = np.interp(self.n_positive[kept], positive[some], tops).round()
        values, still = self._means(k, kept)[0], np.ones(len(k), dtype=bool)
        for way in (1, -1):
            moved = np.flatnonzero(still)  # a top that lies on the one side is not on the other
            while moved.size:
                there = self._means(k[moved] + way, kept[moved])[0]
                better = there > values[moved]
                moved = moved[better]
                k[moved] += way
                values[moved], still[moved] = there[better], False
        return self._of(values, ())

    def _alone(self, place: int) -> DutchDraw:
        p, q = int(self.n_positive[place]), int(self.n_negative[place])
        return best_draw(self.metric, n_positive=p, n_negative=q)

    def _means(self, k: Any, which: Any = slice(None)) -> tuple[Array, Array]:
        """Return the expected score where `k` are flagged, and the mean size of its terms."""
        p, q = self.n_positive[which], self.n_negative[which]
        k = np.broadcast_to(np.asarray(k, dtype=np.float64), p.shape)
        if self.metric.chance is not None:
            return np.full(p.shape, float(self.metric.chance)), np.ones(p.shape)
        if self.metric.affine_in_tp:
            n = p + q
            cells = k * p / n, (n - k) * p / n, k * q / n, (n - k) * q / n
            found = np.broadcast_to(np.asarray(self.metric.formula(*cells), dtype=float), p.shape)
            return found.copy(), np.maximum(np.abs(found), 1.0)
        spread = np.minimum(k, p + q - k) * (p * q / (p + q) ** 2)  # Hoeffding's, or less
        reach = np.ceil(DEPTH / 3 + np.sqrt(DEPTH**2 / 9 + 2 * DEPTH * spread)) + 2
        step = max(1, int(TERMS // (2 * reach.max() + 1)))
        rows = [[x[i : i + step, None] for x in (p, q, k, reach)] for i in range(0, len(k), step)]
        mean, size = np.concatenate([self._summed(*some) for some in rows], axis=1)
        return mean, size

    def _summed(self, p: Array, q: Array, k: Array, reach: Array) -> Array:
        urn = Urn(k, p, q, -1)
        mode, (low, high) = urn.modes(), urn.support
        below, above = (int(np.minimum(reach, side).max()) for side in (mode - low, high - mode))
        tp, weights = urn.around(mode, below, above)
        terms = weights * np.asarray(self.metric.formula(*tables(p, q, k, tp)), dtype=float)
        return np.stack((terms.sum(axis=1), np.abs(terms).sum(axis=1)))
