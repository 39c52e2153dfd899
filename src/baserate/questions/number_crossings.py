"""Where a metric crosses a number, along rows of tables in which it moves one way with fp.

Along each row the metric is defined at consecutive fp. So a number x parts it into tables before x,
tables equal to it, and tables past it; two neighbours prove a guess, and halving finds what no
guess has.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.questions.law import InheritedLaw
from baserate.questions.ties import Mask, Pivot


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """Rows of tables: tp, fn and the number of negatives are given, and fp varies.

    The metric is defined, and matters, from `start` to before `stop`. With fp it rises, or falls.
    """

    law: InheritedLaw
    tp: Array
    fn: Array
    n_negative: Array
    start: Array
    stop: Array
    rising: bool

    def __getitem__(self, which: Any) -> "TableRows":
        """Return some of the rows."""
        return replace(
            self,
            tp=self.tp[which],
            fn=self.fn[which],
            n_negative=self.n_negative[which],
            start=self.start[which],
            stop=self.stop[which],
        )

    def cells(self, fp: Array) -> tuple[Array, Array, Array, Array]:
        """Return one table of each row, the nearest that is possible."""
        fp = np.minimum(np.maximum(fp, 0), self.n_negative)
        return self.tp, self.fn, fp, self.n_negative - fp

    def sides(self, pivot: Pivot, fp: Array, *, ties: bool = False) -> tuple[Mask, Mask]:
        """Return where x is still to come, and where it is past (with `ties`: at it, or past)."""
        cells = self.cells(fp)
        below, above = pivot.sides(self.law.value(*cells), cells)
        before, past = (below, above) if self.rising else (above, below)
        return (before, ~before) if ties else (before, past)


def crossings(rows: TableRows, pivot: Pivot, guess: Array | None = None) -> tuple[Array, Array]:
    """Return for each row the first fp that is not before x, and the first past it."""
    past, tied = _first(rows, pivot, guess)
    if not tied.any():
        return past, past
    low, which = past.copy(), np.flatnonzero(tied)
    some = replace(rows[which], stop=past[which])
    low[which], _ = _first(some, pivot, some.stop - 1, ties=True)
    return low, past


def roots(rows: TableRows, pivot: Pivot) -> Array:
    """Return about where the metric crosses x, as numbers between whole fp."""
    found, _ = _first(rows, pivot, None)
    which = np.flatnonzero((found > rows.start) & (found < rows.stop))
    some, end = rows[which], found[which]
    low, high = (some.law.value(*some.cells(fp)) for fp in (end - 1, end))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (float(pivot.x) - low) / (high - low)
    found[which] += np.clip(np.nan_to_num(share, nan=1.0), 0, 1) - 1
    return found


def _first(
    rows: TableRows, pivot: Pivot, guess: Array | None, *, ties: bool = False
) -> tuple[Array, Mask]:
    """Return the first fp past x, and whether x itself comes just before it.

    With `ties`, the first fp that is not before x.
    """
    if guess is None:
        found, tied = rows.start.copy(), np.zeros(rows.start.shape, dtype=bool)
        wrong = rows.start < rows.stop
    else:
        found, tied, wrong = _checked(rows, pivot, guess, ties=ties)
    which = np.flatnonzero(wrong)
    if which.size:
        search = _Search.of(rows[which], None if guess is None else found[which])
        found[which], tied[which] = search.run(pivot, ties=ties)
    return found, tied


def _checked(
    rows: TableRows, pivot: Pivot, guess: Array, *, ties: bool
) -> tuple[Array, Mask, Mask]:
    """Return guesses within the rows, whether x comes just before, and which are wrong."""
    guess = np.minimum(np.maximum(guess, rows.start), rows.stop)
    _, reached = rows.sides(pivot, guess, ties=ties)
    before, over = rows.sides(pivot, guess - 1, ties=ties)
    inner = guess > rows.start
    wrong = (inner & over) | ~(reached | (guess >= rows.stop))
    return guess, inner & ~before & ~wrong, wrong


@dataclass(slots=True)
class _Search:
    """Rows that are not empty, between bounds: step away from a guess, doubling, then halve."""

    rows: TableRows
    low: Array
    high: Array
    probe: Array
    step: Array
    last: Mask
    tied: Mask

    @classmethod
    def of(cls, rows: TableRows, guess: Array | None) -> "_Search":
        low, high = rows.start, rows.stop
        probe = np.floor((low + high) / 2) if guess is None else np.minimum(guess, high - 1)
        # Before the first step there is no last one to turn back from.
        step = np.full(low.shape, np.inf if guess is None else 0.5)
        last, tied = np.zeros((2, *low.shape), dtype=bool)
        return cls(rows, low, high, probe, step, last, tied)

    def run(self, pivot: Pivot, *, ties: bool) -> tuple[Array, Mask]:
        """Return the first fp past x, and whether x comes just before."""
        found, tied = np.empty_like(self.low), np.zeros(self.low.shape, dtype=bool)
        where = np.arange(len(found))
        while where.size:
            self._look(pivot, ties=ties)
            done = self.low >= self.high
            if done.any():
                found[where[done]], tied[where[done]] = self.low[done], self.tied[done]
                where = where[~done]
                self._keep(~done)
            self._aim()
        return found, tied

    def _look(self, pivot: Pivot, *, ties: bool) -> None:
        """Narrow the bounds by what lies at the probes."""
        before, over = self.rows.sides(pivot, self.probe, ties=ties)
        self.low = np.where(over, self.low, self.probe + 1)
        self.high = np.where(over, self.probe, self.high)
        self.tied = np.where(over, self.tied, ~before)
        turned = (self.step >= 1) & (self.last != over)
        self.step = np.where(turned, np.inf, 2 * self.step)
        self.last = over

    def _keep(self, which: Mask) -> None:
        self.rows = self.rows[which]
        self.low, self.high, self.step = self.low[which], self.high[which], self.step[which]
        self.last, self.tied = self.last[which], self.tied[which]

    def _aim(self) -> None:
        down = np.maximum(self.low, self.high - self.step)
        up = np.minimum(self.high, self.low + self.step) - 1
        middle = np.floor((self.low + self.high) / 2)
        self.probe = np.where(np.isinf(self.step), middle, np.where(self.last, down, up))
