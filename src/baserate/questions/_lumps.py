"""Metrics of two lumps of cells: one sum over what both hold, and one threshold for each total.

Given that both lumps hold w cases, the number u in the first decides the value. With few totals,
the windows of u are laid out in full. With many, some are, and from each the sums on both sides of
a threshold are followed from total to total (see `_drift`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from baserate._windows import DEEP, DEPTH, Array
from baserate.counts import CELLS
from baserate.models._factors import Factor
from baserate.questions._drift import Drift
from baserate.questions._law import BUDGET, Block, Law
from baserate.questions._lines import Lines, listed
from baserate.questions._masses import Masses, Sides
from baserate.questions._search import between, least_above, split
from baserate.questions._ties import Cut
from baserate.questions._urns import Windows, draws_from_one, same_urn, windows

# The most totals that are summed over.
_TOTALS = 200_000
# The most values in windows that are laid out in full, and the most that are laid out at a time.
_FULL = 60_000
_AT_A_TIME = 1 << 18
# About so many totals are looked at to see where the mass of a faint tail lies; those with less
# than this share of the most that any has are left out.
_SCOUTS, _NOTHING = 200, 1e-24


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

    def fits(self) -> bool:
        """Return whether there are few enough totals, and windows."""
        ends = [factor.span() for factor in (self.total, self.factor(self.total.span()[1]))]
        totals, values = (high - low + 1 for low, high in ends)
        return totals <= _TOTALS and values <= BUDGET

    def factor(self, total: int, *, second: bool = False) -> Factor:
        """Return the law of the first lump (or the second), given what both hold."""
        cells = self.both - self.first if second else self.first
        factor = self.law.model.part(cells, self.both, total)
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

    def sides(self, cut: Cut) -> Sides:
        """Return the mass on both sides of x, and at it."""
        return self._summed(cut, *self._totals(DEPTH))

    def far_sides(self, cut: Cut, near: Sides) -> Sides:
        """Return the same down to 1e-300, from the totals where the mass of each side lies.

        Every so many totals show where that is. `near` is what shorter windows hold; it stands
        where deeper ones have no more.
        """
        totals, weights, depths = self._totals(DEEP)
        step = len(totals) // _SCOUTS
        if step > 1:
            some = np.append(np.arange(0, len(totals) - 1, step), len(totals) - 1)
            lines = self.lines(totals[some])
            parted = _apart(self, lines, *split(lines, cut), depths[some])
            masses = weights[some] * np.array(parted)
            most = masses.max(axis=1)
            if not near.has_more(Sides.along(most.tolist(), rising=True)):
                return near
            here = (masses > 0) & (masses >= _NOTHING * most[:, None])
            found = np.flatnonzero(here.any(axis=0))
            first, last = some[max(0, found[0] - 1)], some[min(len(some) - 1, found[-1] + 1)]
            totals, weights, depths = (a[first : last + 1] for a in (totals, weights, depths))
        return self._summed(cut, totals, weights, depths)

    def _summed(self, cut: Cut, totals: Array, weights: Array, depths: Array) -> Sides:
        lines = self.lines(totals)
        parted = _parted(self, lines, *split(lines, cut), depths)
        return Sides.along((float(weights @ mass) for mass in parted), rising=True)

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

    def part(self, cut: Cut) -> tuple[Sides, int]:
        """Return the mass on both sides of x, and at it, and how many tables have at most x."""
        lines = self.lines(self._totals(DEPTH)[0])
        begin, end = lines.up_to(*split(lines, cut))
        return self.sides(cut), int(np.sum(end - begin))

    def between(self, low: Cut, high: Cut) -> tuple[Array, Array]:
        """Return the values above one number and up to another, and their probabilities."""
        totals, weights, depths = self._totals(DEPTH)
        found: list[tuple[Array, Array]] = []
        for part, laid in _windows_of(self, totals, depths):
            lines = self.lines(totals[part])
            line, t = between(lines, low, high)
            column = t.astype(np.int64) - laid.start[line]
            inside = (column >= 0) & (column < laid.pmf.shape[1])
            line, t, column = line[inside], t[inside], column[inside]
            chances = weights[part][line] * laid.pmf[line, column]
            found.append((lines[line].values(t), chances))
        values, chances = (np.concatenate(column) for column in zip(*found, strict=True))
        return values, chances

    def least_above(self, cut: Cut) -> float:
        """Return the least value above a number; inf if there is none."""
        return least_above(self.lines(self._totals(DEPTH)[0]), cut)

    def extremes(self) -> tuple[float, float]:
        """Return the least and the greatest value that windows hold."""
        totals, _, depths = self._totals(DEPTH)
        low, high = np.inf, -np.inf
        for part, laid in _windows_of(self, totals, depths):
            lines = self.lines(totals[part])
            last = laid.start + laid.pmf.shape[1]
            held = np.maximum(lines.start, laid.start), np.minimum(lines.stop, last)
            ends = replace(lines, start=held[0], stop=np.maximum(*held)).extremes()
            low, high = min(low, ends[0]), max(high, ends[1])
        return low, high

    def _totals(self, depth: float) -> tuple[Array, Array, Array]:
        """Return the totals that matter, their probabilities, and how deep each is worth to go."""
        window = self.total.window(depth=depth)
        held = np.flatnonzero(window.pmf)
        keep = slice(int(held[0]), int(held[-1]) + 1)
        totals, weights = window.values[keep], window.pmf[keep]
        worth = np.log(np.maximum(weights, 1e-300) * len(weights))
        return totals, weights, np.maximum(1.0, depth + worth)


Parted = tuple[Array, Array, Array]


def _parted(lumps: Lumps, lines: Lines, low: Array, past: Array, depths: Array) -> Parted:
    """Return the masses of the lines before x, at it and past it."""
    totals, deepest = lines.total, float(depths.max())
    ends = _some(lumps, totals)
    width = max(last - first + 1 for first, last in (f.span(depth=deepest) for f in ends))
    if len(totals) * width > _FULL and draws_from_one(ends, _ends(totals)):
        drift = Drift(ends[0], totals, deepest)
        if (found := _followed(lumps, drift, lines, low, past)) is not None:
            return found
    return _apart(lumps, lines, low, past, depths)


def _apart(lumps: Lumps, lines: Lines, low: Array, past: Array, depths: Array) -> Parted:
    """Return the same from windows of every line."""
    found = [
        _laid_out(laid, lines[part], low[part], past[part])
        for part, laid in _windows_of(lumps, lines.total, depths)
    ]
    below, equal, above = (np.concatenate(column) for column in zip(*found, strict=True))
    return below, equal, above


def _windows_of(lumps: Lumps, totals: Array, depths: Array) -> Iterator[tuple[slice, Windows]]:
    """Yield the windows of u for all totals, some at a time."""
    ends, deepest = _some(lumps, totals), float(depths.max())
    width = max(last - first + 1 for first, last in (f.span(depth=deepest) for f in ends))
    step, one = max(1, _AT_A_TIME // width), draws_from_one(ends, _ends(totals))
    for begin in range(0, len(totals), step):
        part = slice(begin, begin + step)
        if one:
            yield part, same_urn(ends[0], totals[part], float(depths[part].max()))
        else:
            factors = [lumps.factor(int(total)) for total in totals[part]]
            yield part, windows(factors, depths[part].tolist())


def _some(lumps: Lumps, totals: Array) -> list[Factor]:
    return [lumps.factor(int(total)) for total in _ends(totals)]


def _ends(totals: Array) -> Array:
    """Return the first, the middle and the last total."""
    return totals[[0, len(totals) // 2, -1]]


def _laid_out(laid: Windows, lines: Lines, low: Array, past: Array) -> Parted:
    """Return the masses on each line, from windows of u."""
    ends = laid.start, laid.start + laid.pmf.shape[1]
    edges = (np.clip(edge, *ends) for edge in (lines.start, low, past, lines.stop))
    return Masses.of(laid).parted(np.arange(len(laid.start)), *edges)


def _followed(lumps: Lumps, drift: Drift, lines: Lines, low: Array, past: Array) -> Parted | None:
    least, most = drift.urns(lines.total).support()
    low, past = np.clip(low, least, most + 1), np.clip(past, least, most + 1)
    upper = drift.follow(past)
    lower = upper if (low == past).all() else drift.follow(low)
    if upper is None or lower is None:
        return None
    equal = drift.equal(low, past, lower, upper)
    below, above, urns = lower.below, upper.above, drift.urns(lines.total[:-1])
    no_u, no_v = lines.start > 0, lines.stop <= lines.total
    if no_u.any():
        none = lumps.factor(int(lines.total[0])).none
        below = np.maximum(below - no_u * _chained(none, urns.miss(0 * urns.size)), 0)
    if no_v.any():
        none = lumps.factor(int(lines.total[0]), second=True).none
        above = np.maximum(above - no_v * _chained(none, urns.hit(urns.size)), 0)
    defined = lines.start < lines.stop
    return below * defined, equal * defined, above * defined


def _chained(first: float, ratios: Array) -> Array:
    return np.cumprod(np.append(first, ratios), dtype=np.float64)
