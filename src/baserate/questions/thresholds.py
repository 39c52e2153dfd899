"""Thresholds: given tp and the class totals, a metric that moves one way with fp is cut by one fp.

So a tail is a sum over class totals and tp of what the law of fp has on one side. There is a row of
tables for each tp of each stratum; thresholds change so evenly from row to row that every sixteenth
says where the others are, which two neighbouring tables then prove.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np

from baserate._arrays import Array, Mask
from baserate._windows import DEPTH, Integers, Windows
from baserate.models.factors import windows
from baserate.questions.law import InheritedLaw, Stratum
from baserate.questions.listed_laws import Pivot

# The most rows, and the most of one stratum; a few seconds.
_ROWS, _LONGEST = 50_000_000, 2_000_000
# Every so many rows, a threshold is searched from scratch; the others are interpolated.
_APART = 16
# Values whose windows are laid out together, and rows that are compared with x at a time: as many
# as a processor's cache holds.
_LAID_OUT, _AT_A_TIME = 1 << 17, 1 << 14

# Probabilities below x, at x and above x.
Three = tuple[float, float, float]


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
    """Return for each row the first fp that is not before x, and the first past it.

    Along each row the metric is defined at consecutive fp. So a number x parts it into tables
    before x, tables equal to it, and tables past it; two neighbours prove a guess, and halving
    finds what no guess has.
    """
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


def has_thresholds(law: InheritedLaw, depth: float = DEPTH) -> bool:
    """Return whether fp decides, once tp and the class totals are known, and rows are not too many.

    It has to be known where the metric is defined.
    """
    free = law.model.fixed_n_predicted is None
    if not (free and law.regular and law.metric.trend_in_fp != "unknown"):
        return False
    strata = law.strata(depth)
    if strata is None:
        return False
    spans = (stratum.tp.span(depth=stratum.depth) for stratum in strata)
    sizes = [high - low + 1 for low, high in spans]
    return max(sizes, default=0) <= _LONGEST and sum(sizes) <= _ROWS


def by_thresholds(law: InheritedLaw, pivot: Pivot, depth: float = DEPTH) -> Three:
    """Return the probabilities of being defined and below x, at x, and above x."""
    rising = law.metric.trend_in_fp == "increasing"
    found = [_masses(law, some, pivot, rising=rising) for some in _together(law, depth)]
    before, equal, past = map(fsum, zip(*found, strict=True))
    return (before, equal, past) if rising else (past, equal, before)


def _together(law: InheritedLaw, depth: float) -> Iterator[list[Stratum]]:
    """Yield some strata at a time."""
    some: list[Stratum] = []
    widest = 0
    for stratum in law.strata(depth) or ():
        width = max(high - low + 1 for low, high in stratum.spans)
        if some and max(widest, width) * (len(some) + 1) > _LAID_OUT:
            yield some
            some, widest = [], 0
        some.append(stratum)
        widest = max(widest, width)
    yield some


def _masses(law: InheritedLaw, some: list[Stratum], pivot: Pivot, *, rising: bool) -> Three:
    """Return the masses before x, at x and past it along the rows of these strata."""
    depths = [stratum.depth for stratum in some]
    fp = windows([stratum.fp for stratum in some if stratum.fp is not None], depths)
    tp = _cropped(windows([stratum.tp for stratum in some], depths), some)
    weights = tp.pmf * np.array([[stratum.mass] for stratum in some])
    rows = _rows(law, some, tp, fp, rising=rising)
    sums, which = _ThresholdSums.of(fp), np.repeat(np.arange(len(some)), weights.shape[1])
    guess, weights = _guesses(rows, pivot, weights.shape), weights.ravel()
    found: list[list[float]] = []
    for begin in range(0, weights.size, _AT_A_TIME):
        part = slice(begin, begin + _AT_A_TIME)
        here = rows[part]
        low, past = crossings(here, pivot, guess[part])
        masses = sums.parted(which[part], here.start, low, past, here.stop)
        found.append([float(weights[part] @ mass) for mass in masses])
    before, equal, after = map(fsum, zip(*found, strict=True))
    return before, equal, after


def _cropped(tp: Windows, some: list[Stratum]) -> Windows:
    """Keep the tp that matter in any stratum: one more than a multiple of sixteen."""
    spans = [stratum.tp.span(depth=stratum.depth) for stratum in some]
    ends = np.array(spans) - tp.start[:, None]
    first, last = max(0, int(ends[:, 0].min())), min(tp.pmf.shape[1] - 1, int(ends[:, 1].max()))
    pmf = np.pad(tp.pmf[:, first : last + 1], ((0, 0), (0, -(last - first) % _APART)))
    return Windows(tp.start + first, pmf)


def _rows(
    law: InheritedLaw, some: list[Stratum], tp: Windows, fp: Windows, *, rising: bool
) -> TableRows:
    """Lay out the rows of these strata, each as far as fp is possible and the metric defined."""
    n_positive = np.array([[float(stratum.n_positive)] for stratum in some])
    hits = tp.start[:, None] + np.arange(tp.pmf.shape[1], dtype=np.float64)
    hits = np.minimum(np.maximum(hits, 0), n_positive)
    first = fp.start[:, None].astype(np.float64)
    columns = hits, n_positive - hits, law.model.n - n_positive, first, first + fp.pmf.shape[1]
    hits, misses, n_negative, start, stop = (
        np.broadcast_to(column, hits.shape).ravel() for column in columns
    )
    start, stop = _defined(law, hits, misses, n_negative, start, stop)
    return TableRows(
        law=law,
        tp=hits,
        fn=misses,
        n_negative=n_negative,
        start=start,
        stop=stop,
        rising=rising,
    )


def _defined(
    law: InheritedLaw, tp: Array, fn: Array, n_negative: Array, start: Array, stop: Array
) -> tuple[Array, Array]:
    """Narrow each row to the fp that are possible, and at which no declared sum is zero."""
    start, stop = np.maximum(start, 0), np.minimum(stop, n_negative + 1)
    for total in law.metric.undefined_if_zero:
        cells = set(total.split("+"))
        zero = np.ones(tp.shape, dtype=bool)
        for name, cell in (("tp", tp), ("fn", fn)):
            if name in cells:
                zero &= cell == 0
        if not zero.any():
            continue
        if not cells & {"fp", "tn"}:
            stop = np.where(zero, start, stop)
        elif "tn" not in cells:
            start = np.where(zero, np.maximum(start, 1), start)
        elif "fp" not in cells:
            stop = np.where(zero, np.minimum(stop, n_negative), stop)
        else:
            stop = np.where(zero & (n_negative == 0), start, stop)
    return start, np.maximum(start, stop)


def _guesses(rows: TableRows, pivot: Pivot, shape: tuple[int, ...]) -> Array:
    """Return thresholds interpolated between those of every sixteenth row of each stratum."""
    n_strata, width = shape
    which = np.arange(n_strata)[:, None] * width + np.arange(0, width, _APART)
    knots = roots(rows[which.ravel()], pivot).reshape(which.shape)
    share = np.arange(_APART) / _APART
    between = knots[:, :-1, None] + np.diff(knots, axis=1)[:, :, None] * share
    inner = between.reshape(n_strata, width - 1)
    return np.ceil(np.concatenate((inner, knots[:, -1:]), axis=1)).ravel()


@dataclass(frozen=True, slots=True)
class _ThresholdSums:
    """Sums of windows up to, and from, every value on."""

    up: Array
    down: Array
    offset: Integers

    @classmethod
    def of(cls, laid: Windows) -> "_ThresholdSums":
        """Sum the windows both ways."""
        n, width = laid.pmf.shape
        up, down = np.zeros((2, n, width + 1))
        np.cumsum(laid.pmf, axis=1, out=up[:, 1:])
        np.cumsum(laid.pmf[:, ::-1], axis=1, out=down[:, -2::-1])
        return cls(up.ravel(), down.ravel(), np.arange(n) * (width + 1) - laid.start)

    def parted(
        self, which: Integers, start: Array, low: Array, past: Array, stop: Array
    ) -> tuple[Array, Array, Array]:
        """Return the masses from `start` to `low`, to `past`, to `stop`, in these windows.

        The ends must lie within the windows, or just behind.
        """
        base = self.offset[which]
        at = [base + edge.astype(np.int64) for edge in (start, low, past, stop)]
        equal = np.zeros(len(base))
        tied = np.flatnonzero(low < past)
        if tied.size:
            equal[tied] = self._between(at[1][tied], at[2][tied])
        up, down = self.up, self.down
        return up[at[1]] - up[at[0]], equal, down[at[2]] - down[at[3]]

    def _between(self, low: Integers, high: Integers) -> Array:
        """Subtract on the side where there is less."""
        up, down = self.up, self.down
        return np.where(up[high] < down[low], up[high] - up[low], down[low] - down[high])
