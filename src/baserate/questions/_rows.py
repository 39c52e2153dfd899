"""Thresholds: given tp and the class totals, a metric that moves one way with fp is cut by one fp.

So a tail is a sum over class totals and tp of what the law of fp has on one side. Rows, one for
each tp, come in slices, one for each number of positives; thresholds change so evenly from row to
row that every sixteenth says where the others are, which two neighbouring tables then prove.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np

from baserate._windows import DEPTH, Array
from baserate.questions._law import Law
from baserate.questions._lines import Lines
from baserate.questions._masses import Masses, Sides
from baserate.questions._search import roots, split
from baserate.questions._slices import Slice, affordable, slices
from baserate.questions._ties import Cut
from baserate.questions._urns import Ints, Windows, windows

# Every so many rows, a threshold is searched from scratch; the others are interpolated.
_APART = 16
# Values whose windows are laid out together, and rows that are compared with x at a time: as many
# as a processor's cache holds.
_LAID_OUT, _AT_A_TIME = 1 << 17, 1 << 14


def has_rows(law: Law, depth: float = DEPTH) -> bool:
    """Return whether fp decides, once tp and the class totals are known, and rows are not too many.

    It has to be known where the metric is defined.
    """
    free = law.model.fixed_n_predicted is None
    if not (free and law.regular and law.metric.trend_in_fp != "unknown"):
        return False
    some = slices(law, depth)
    return some is not None and affordable(some)


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of some slices."""

    law: Law
    slices: list[Slice]

    def sides(self, cut: Cut) -> Sides:
        """Return the mass on both sides of x, and at it."""
        sides = (block.sides(cut) for block in self.blocks())
        return Sides(*map(fsum, zip(*sides, strict=True)))

    def blocks(self) -> "Iterator[Block]":
        """Yield the rows, some slices at a time."""
        batch: list[Slice] = []
        widest = 0
        for piece in self.slices:
            spans = (factor.span(depth=piece.depth) for factor in (piece.tp, piece.fp))
            width = max(high - low + 1 for low, high in spans)
            if batch and max(widest, width) * (len(batch) + 1) > _LAID_OUT:
                yield Block.of(self.law, batch)
                batch, widest = [], 0
            batch.append(piece)
            widest = max(widest, width)
        yield Block.of(self.law, batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some slices: rows in rows of `weights`, with the law of fp for each slice."""

    lines: Lines
    weights: Array
    fp: Windows

    @classmethod
    def of(cls, law: Law, some: list[Slice]) -> "Block":
        """Lay out the windows of tp and fp, and where the metric is defined."""
        depths = [piece.depth for piece in some]
        fp = windows([piece.fp for piece in some], depths)
        tp = _cropped(windows([piece.tp for piece in some], depths), some)
        weights = tp.pmf * np.array([[piece.mass] for piece in some])
        n_positive = np.array([[float(piece.n_positive)] for piece in some])
        hits = tp.start[:, None] + np.arange(weights.shape[1], dtype=np.float64)
        hits = np.minimum(np.maximum(hits, 0), n_positive)
        first = fp.start[:, None].astype(np.float64)
        columns = hits, n_positive - hits, law.model.n - n_positive, first, first + fp.pmf.shape[1]
        hits, misses, total, start, stop = (
            np.broadcast_to(column, weights.shape).ravel() for column in columns
        )
        start, stop = _defined(law, hits, misses, total, start, stop)
        lines = Lines(
            law=law,
            gaining=2,
            losing=3,
            total=total,
            still=(hits, misses),
            start=start,
            stop=stop,
            rising=law.metric.trend_in_fp == "increasing",
        )
        return cls(lines=lines, weights=weights, fp=fp)

    def sides(self, cut: Cut) -> Sides:
        """Return the mass on both sides of x, and at it."""
        masses, weights, row = Masses.of(self.fp), self.weights.ravel(), self._row()
        sums: list[list[float]] = []
        for part, guess in self._parts(cut):
            lines = self.lines[part]
            low, past = split(lines, cut, guess)
            parted = masses.parted(row[part], lines.start, low, past, lines.stop)
            sums.append([float(weights[part] @ mass) for mass in parted])
        return Sides.along(map(fsum, zip(*sums, strict=True)), rising=self.lines.rising)

    def _parts(self, cut: Cut) -> Iterator[tuple[slice, Array]]:
        """Yield some lines at a time, with guesses of their thresholds."""
        guess = self._guess(cut)
        for begin in range(0, self.weights.size, _AT_A_TIME):
            part = slice(begin, begin + _AT_A_TIME)
            yield part, guess[part]

    def _row(self) -> Ints:
        """Return the slice of each line."""
        return np.repeat(np.arange(len(self.weights)), self.weights.shape[1])

    def _guess(self, cut: Cut) -> Array:
        """Return thresholds interpolated between those of every sixteenth row."""
        n_slices, width = self.weights.shape
        which = np.arange(n_slices)[:, None] * width + np.arange(0, width, _APART)
        knots = roots(self.lines[which.ravel()], cut).reshape(which.shape)
        share = np.arange(_APART) / _APART
        between = knots[:, :-1, None] + np.diff(knots, axis=1)[:, :, None] * share
        inner = between.reshape(n_slices, width - 1)
        return np.ceil(np.concatenate((inner, knots[:, -1:]), axis=1)).ravel()


def _cropped(tp: Windows, some: list[Slice]) -> Windows:
    """Keep the tp that matter in any slice, and some more: one more than a multiple of sixteen."""
    first = min(piece.rows[0] - start for piece, start in zip(some, tp.start, strict=True))
    last = max(piece.rows[1] - start for piece, start in zip(some, tp.start, strict=True))
    first, last = max(0, int(first)), min(tp.pmf.shape[1] - 1, int(last))
    pmf = np.pad(tp.pmf[:, first : last + 1], ((0, 0), (0, -(last - first) % _APART)))
    return Windows(tp.start + first, pmf)


def _defined(
    law: Law, tp: Array, fn: Array, n_negative: Array, start: Array, stop: Array
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
