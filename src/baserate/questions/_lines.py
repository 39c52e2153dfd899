"""Lines of tables along which one cell gives to another, and the metric moves one way.

On each line the metric is defined at consecutive positions. So a number x parts them into those
before x, those equal to it, and those past it; where, is found by search from a guess.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._windows import Array
from baserate.questions._law import Law
from baserate.questions._ties import Cut

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines of tables: at position t, t cases lie in the gaining cell, the other ones in the losing.

    Attributes
    ----------
    law : Law
    gaining, losing : int
        Which two of the four cells move.
    total : array
        Cases in both.
    still : (array, array)
        The other two cells, in their order.
    start, stop : arrays
        The metric is defined, and matters, from `start` to before `stop`.
    rising : bool
        Whether the metric rises along the lines; else it falls.
    """

    law: Law
    gaining: int
    losing: int
    total: Array
    still: tuple[Array, Array]
    start: Array
    stop: Array
    rising: bool

    def __getitem__(self, which: Any) -> "Lines":
        """Return some of the lines."""
        first, second = self.still
        return replace(
            self,
            total=self.total[which],
            still=(first[which], second[which]),
            start=self.start[which],
            stop=self.stop[which],
        )

    def where_defined(self) -> "Lines":
        """Narrow each line to where the metric has a value: it may lack one at the ends, or at all."""
        ends = (np.zeros_like(self.total), self.total, self.total / 2)
        no_start, no_end, never = (np.isnan(self.values(t)) for t in ends)
        start = np.maximum(self.start, no_start)
        stop = np.minimum(self.stop, self.total + 1 - no_end)
        stop = np.where(never & (self.total >= 2), start, stop)
        return replace(self, start=start, stop=np.maximum(start, stop))

    def cells(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """Return the tables at one position of each line."""
        still = iter(self.still)
        moving = {self.gaining: t, self.losing: self.total - t}
        tp, fn, fp, tn = (moving[i] if i in moving else next(still) for i in range(4))
        return tp, fn, fp, tn

    def values(self, t: Array) -> Array:
        """Return the metric at one position of each line."""
        return self.law.value(*self.cells(t))

    def split(self, cut: Cut, guess: Array | None = None) -> tuple[Array, Array]:
        """Return for each line the first position that is not before x, and the first past it."""
        past, tied = self._first(cut, guess)
        if not tied.any():
            return past, past
        low, which = past.copy(), np.flatnonzero(tied)
        some = replace(self[which], stop=past[which])
        low[which], _ = some._first(cut, some.stop - 1, ties=True)
        return low, past

    def roots(self, cut: Cut) -> Array:
        """Return about where the metric crosses x, as numbers between whole positions."""
        roots, _ = self._first(cut, None)
        which = np.flatnonzero((roots > self.start) & (roots < self.stop))
        some, end = self[which], roots[which]
        low, high = some.values(end - 1), some.values(end)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (float(cut.x) - low) / (high - low)
        roots[which] += np.clip(np.nan_to_num(share, nan=1.0), 0, 1) - 1
        return roots

    def up_to(self, low: Array, past: Array) -> tuple[Array, Array]:
        """Return where the values up to x begin and end, from what `split` returned."""
        return (self.start, past) if self.rising else (low, self.stop)

    def listed(self, begin: Array, end: Array) -> tuple[NDArray[np.int64], Array]:
        """Return all positions from `begin` to before `end`: the lines, and the positions."""
        number = np.maximum(end - begin, 0).astype(np.int64)
        line = np.repeat(np.arange(len(number)), number)
        first = np.repeat(begin - (np.cumsum(number) - number), number)
        return line, first + np.arange(len(line))

    def between(self, low: Cut, high: Cut, guess: Any = (None, None)) -> Any:
        """Return all positions with values above one number and up to another."""
        first, second = (
            self.up_to(*self.split(cut, at)) for cut, at in zip((low, high), guess, strict=True)
        )
        return self.listed(first[1], second[1]) if self.rising else self.listed(second[0], first[0])

    def least_above(self, cut: Cut, guess: Array | None = None) -> float:
        """Return the least value above a number; inf if there is none."""
        begin, end = self.up_to(*self.split(cut, guess))
        at, some = (end, end < self.stop) if self.rising else (begin - 1, begin > self.start)
        which = np.flatnonzero(some)
        return float(np.min(self[which].values(at[which]), initial=np.inf))

    def extremes(self) -> tuple[float, float]:
        """Return the least and the greatest value; (inf, -inf) if nothing is defined."""
        some = self[np.flatnonzero(self.start < self.stop)]
        ends = [some.values(some.start), some.values(some.stop - 1)]
        return float(np.min(ends, initial=np.inf)), float(np.max(ends, initial=-np.inf))

    def _first(self, cut: Cut, guess: Array | None, *, ties: bool = False) -> tuple[Array, Mask]:
        """Return the first position past x, and whether x itself comes just before it.

        With `ties`, the first position that is not before x.
        """
        if guess is None:
            found, tied = self.start.copy(), np.zeros(self.start.shape, dtype=bool)
            wrong = self.start < self.stop
        else:
            found, tied, wrong = self._checked(cut, guess, ties=ties)
        which = np.flatnonzero(wrong)
        if which.size:
            known = None if guess is None else found[which]
            found[which], tied[which] = self[which]._searched(cut, known, ties=ties)
        return found, tied

    def _checked(self, cut: Cut, guess: Array, *, ties: bool) -> tuple[Array, Mask, Mask]:
        """Return guesses within the lines, whether x comes just before, and which are wrong."""
        guess = np.minimum(np.maximum(guess, self.start), self.stop)
        _, reached = self._sides(cut, guess, ties=ties)
        before, over = self._sides(cut, guess - 1, ties=ties)
        inner = guess > self.start
        wrong = (inner & over) | ~(reached | (guess >= self.stop))
        return guess, inner & ~before & ~wrong, wrong

    def _searched(self, cut: Cut, guess: Array | None, *, ties: bool) -> tuple[Array, Mask]:
        """Search lines that are not empty: step away from the guess, doubling, then halve."""
        found, tied = np.empty_like(self.start), np.zeros(self.start.shape, dtype=bool)
        where, some, tie = np.arange(len(found)), self, tied
        low, high = self.start, self.stop
        probe = np.floor((low + high) / 2) if guess is None else np.minimum(guess, high - 1)
        step = np.full(low.shape, np.inf if guess is None else 1.0)
        last = np.zeros(low.shape, dtype=bool)
        turned = last
        while where.size:
            before, over = some._sides(cut, probe, ties=ties)
            low, high = np.where(over, low, probe + 1), np.where(over, probe, high)
            tie = np.where(over, tie, ~before)
            step = np.where(turned & (last != over), np.inf, 2 * step)
            last, turned = over, np.ones_like(over)
            done = low >= high
            if done.any():
                found[where[done]], tied[where[done]] = low[done], tie[done]
                some, where, low, high, tie, step, last, turned = (
                    part[~done] for part in (some, where, low, high, tie, step, last, turned)
                )
            away = np.where(last, np.maximum(low, high - step), np.minimum(high, low + step) - 1)
            probe = np.where(np.isinf(step), np.floor((low + high) / 2), away)
        return found, tied

    def _sides(self, cut: Cut, t: Array, *, ties: bool) -> tuple[Mask, Mask]:
        """Return what lies before x, and what lies past it (with `ties`: is not before it)."""
        cells = self.cells(np.minimum(np.maximum(t, 0), self.total))
        below, above = cut.sides(self.law.value(*cells), cells)
        before, past = (below, above) if self.rising else (above, below)
        return (before, ~before) if ties else (before, past)
