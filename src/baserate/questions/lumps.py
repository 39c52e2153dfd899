"""Metrics that two sums of cells decide: listed by these sums instead of by tables.

Given that both lumps hold w cases, the number u in the first decides the value. So all pairs (w, u)
are listed, with each lump in one of its cells: the square of the cases instead of their cube.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from baserate._windows import DEPTH, Array
from baserate.counts import CELLS
from baserate.models.factors import Factor, windows
from baserate.questions.law import Batch, InheritedLaw

# The most totals that are summed over, and the most pairs that are laid out at a time.
_TOTALS, _AT_A_TIME = 200_000, 1 << 17


def n_pairs(law: InheritedLaw, depth: float = DEPTH) -> float:
    """Return about how many pairs the windows hold; infinity where there are no lumps."""
    lumps = _Lumps.of(law)
    return inf if lumps is None else lumps.n_pairs(depth)


def pairs(law: InheritedLaw, depth: float = DEPTH) -> Iterator[Batch]:
    """Yield all pairs in the windows, as tables."""
    lumps = _Lumps.of(law)
    assert lumps is not None
    return lumps.batches(depth)


@dataclass(frozen=True, slots=True)
class _Lumps:
    """The two lumps of a metric, under a model that knows the law of what both hold."""

    law: InheritedLaw
    first: frozenset[str]
    both: frozenset[str]
    total: Factor

    @classmethod
    def of(cls, law: InheritedLaw) -> "_Lumps | None":
        """Return the lumps; None if the metric has none, or the model does not know their law."""
        if law.metric.lumps is None:
            return None
        first, second = map(frozenset, law.metric.lumps)
        total = law.model.total(first | second)
        if total is None:
            return None
        part = law.model.part(first, first | second, total.support[0])
        return None if part is None else cls(law, first, first | second, total)

    def n_pairs(self, depth: float) -> float:
        """Return about how many pairs the windows hold."""
        low, high = self.total.span(depth=depth)
        n_totals = high - low + 1
        if n_totals > _TOTALS:
            return inf
        first, last = self._given((low + high) // 2).span(depth=depth)
        return n_totals * (last - first + 1)

    def batches(self, depth: float) -> Iterator[Batch]:
        """Yield all pairs in the windows, as tables."""
        window = self.total.window(depth=depth)
        held = np.flatnonzero(window.pmf)
        totals, weights = window.values[held], window.pmf[held]
        # The more improbable a total, the shorter its window has to be.
        depths = np.maximum(1.0, depth + np.log(weights * len(weights)))
        step = self._step(totals, float(depths.max()))
        for begin in range(0, len(totals), step):
            w, weight, deep = (a[begin : begin + step] for a in (totals, weights, depths))
            laid = windows([self._given(int(total)) for total in w], deep.tolist())
            u = laid.start[:, None] + np.arange(laid.pmf.shape[1], dtype=np.float64)
            w = w[:, None]
            u = np.minimum(np.maximum(u, 0), w)  # whatever is moved has probability 0
            cells = self._cells(u, w)
            weight = (weight[:, None] * laid.pmf).ravel()
            yield Batch(cells, self.law.value(*cells).ravel(), weight)

    def _given(self, total: int) -> Factor:
        """Return the law of what the first lump holds, given what both hold."""
        factor = self.law.model.part(self.first, self.both, total)
        assert factor is not None
        return factor

    def _step(self, totals: Array, depth: float) -> int:
        ends = [self._given(int(total)) for total in totals[[0, len(totals) // 2, -1]]]
        spans = [factor.span(depth=depth) for factor in ends]
        return max(1, _AT_A_TIME // max(high - low + 1 for low, high in spans))

    def _cells(self, first: Array, both: Array) -> tuple[Array, Array, Array, Array]:
        """Return tables with each lump, and what neither holds, in one cell."""
        cells: dict[str, Array] = dict.fromkeys(CELLS, np.zeros_like(first))
        rest = [name for name in CELLS if name not in self.both]
        cells[min(self.first)], cells[min(self.both - self.first)] = first, both - first
        if rest:
            cells[rest[0]] = self.law.model.n - both + cells[rest[0]]
        tp, fn, fp, tn = (np.ravel(cell) for cell in cells.values())
        return tp, fn, fp, tn
