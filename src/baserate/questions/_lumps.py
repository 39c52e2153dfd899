"""Metrics of two lumps of cells: one sum over what both hold, and one threshold for each total.

Given that both lumps hold w cases, the number u in the first decides the value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np

from baserate._windows import DEPTH, Array
from baserate.counts import CELLS
from baserate.models._factors import Factor
from baserate.questions._law import BUDGET, Block, Law
from baserate.questions._lines import Lines, listed
from baserate.questions._masses import Masses, Sides
from baserate.questions._search import split
from baserate.questions._ties import Cut
from baserate.questions._urns import Windows, windows

# The most totals that are summed over.
_TOTALS = 200_000
# The most values in windows that are laid out at a time.
_AT_A_TIME = 1 << 18


@dataclass(frozen=True, slots=True)
class Lumps:
    """The two lumps of a metric, under a model that knows the law of what both hold."""

    law: Law
    first: frozenset[str]
    both: frozenset[str]
    total: Factor

    @classmethod
    def of(cls, law: Law) -> "Lumps | None":
        """Return the lumps; None if the metric has none, or the model does not know their law."""
        if law.metric.lumps is None:
            return None
        first, second = map(frozenset, law.metric.lumps)
        total = law.model.total(first | second)
        if total is None:
            return None
        part = law.model.part(first, first | second, total.support[0])
        return None if part is None else cls(law, first, first | second, total)

    def fits(self, depth: float = DEPTH) -> bool:
        """Return whether there are few enough totals, and windows."""
        last = self.total.span(depth=depth)[1]
        ends = [factor.span(depth=depth) for factor in (self.total, self.factor(last))]
        totals, values = (high - low + 1 for low, high in ends)
        return totals <= _TOTALS and values <= BUDGET

    def factor(self, total: int) -> Factor:
        """Return the law of the first lump, given what both hold."""
        factor = self.law.model.part(self.first, self.both, total)
        assert factor is not None
        return factor

    def lines(self, totals: Array) -> Lines:
        """Return the tables of these totals, with each lump in one of its cells."""
        law, order = self.law, {name: i for i, name in enumerate(CELLS)}
        gaining = min(order[name] for name in self.first)
        losing = min(order[name] for name in self.both - self.first)
        rest = min((order[name] for name in CELLS if name not in self.both), default=-1)
        others = [i for i in range(4) if i not in {gaining, losing}]
        first, second = (law.model.n - totals if i == rest else 0 * totals for i in others)
        every = Lines(
            law=law,
            gaining=gaining,
            losing=losing,
            total=totals,
            still=(first, second),
            start=0 * totals,
            stop=totals + 1,
            rising=True,
        )
        return every.where_defined()

    def sides(self, cut: Cut, depth: float = DEPTH) -> Sides:
        """Return the mass on both sides of x, and at it."""
        totals, weights, depths = self._totals(depth)
        lines = self.lines(totals)
        low, past = split(lines, cut)
        found = [
            weights[part] @ np.transpose(_laid_out(laid, lines[part], low[part], past[part]))
            for part, laid in _windows_of(self, totals, depths)
        ]
        *sums, before, after = map(fsum, zip(*found, strict=True))
        return Sides.along(sums, rising=True, undefined=before + after)

    def n_tables(self) -> int:
        """Return about how many pairs of sums the windows hold."""
        low, high = self.total.span()
        first, last = self.factor((low + high) // 2).span()
        return (high - low + 1) * (last - first + 1)

    def blocks(self) -> Iterator[Block]:
        """Yield all pairs of sums in the windows, as tables."""
        totals, weights, depths = self._totals(DEPTH)
        for part, laid in _windows_of(self, totals, depths):
            lines = self.lines(totals[part])
            line, t = listed(laid.start, laid.start + laid.pmf.shape[1])
            possible = (t >= 0) & (t <= lines.total[line])
            chances = (weights[part][:, None] * laid.pmf).ravel()[possible]
            cells = lines[line[possible]].cells(t[possible])
            yield Block(cells, self.law.value(*cells), chances)

    def _totals(self, depth: float) -> tuple[Array, Array, Array]:
        """Return the totals that matter, their probabilities, and how deep each is worth to go."""
        window = self.total.window(depth=depth)
        held = np.flatnonzero(window.pmf)
        keep = slice(int(held[0]), int(held[-1]) + 1)
        totals, weights = window.values[keep], window.pmf[keep]
        worth = np.log(np.maximum(weights, 1e-300) * len(weights))
        return totals, weights, np.maximum(1.0, depth + worth)


def _windows_of(lumps: Lumps, totals: Array, depths: Array) -> Iterator[tuple[slice, Windows]]:
    """Yield the windows of u for all totals, some at a time."""
    ends = [lumps.factor(int(total)) for total in totals[[0, len(totals) // 2, -1]]]
    spans = [factor.span(depth=float(depths.max())) for factor in ends]
    step = max(1, _AT_A_TIME // max(high - low + 1 for low, high in spans))
    for begin in range(0, len(totals), step):
        part = slice(begin, begin + step)
        factors = [lumps.factor(int(total)) for total in totals[part]]
        yield part, windows(factors, depths[part].tolist())


def _laid_out(laid: Windows, lines: Lines, low: Array, past: Array) -> tuple[Array, ...]:
    """Return the masses before x, at it and past it, and before and after what is defined."""
    first = laid.start.astype(np.float64)
    end = first + laid.pmf.shape[1]
    start, low, past, stop = (
        np.clip(edge, first, end) for edge in (lines.start, low, past, lines.stop)
    )
    masses, row = Masses.of(laid), np.arange(len(first))
    before, _, after = masses.parted(row, first, start, stop, end)
    return *masses.parted(row, start, low, past, stop), before, after
