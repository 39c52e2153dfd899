"""Thresholds: given tp and the class totals, a metric that moves one way with fp is cut by one fp.

So a tail is a sum over class totals and tp of what the law of fp has on one side. Rows, one for
each tp, come in slices, one for each number of positives; thresholds change so evenly from row to
row that every sixteenth says where the others are, which two neighbouring tables then prove.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum, inf, log
from typing import NamedTuple

import numpy as np

from baserate._windows import DEPTH, Array
from baserate.models._factors import Factor
from baserate.questions._law import Law
from baserate.questions._lines import Lines
from baserate.questions._masses import Masses, Sides
from baserate.questions._ties import Cut
from baserate.questions._urns import Windows, windows

# Every so many rows, a threshold is searched from scratch; the others are interpolated.
_APART = 16
# Rows whose windows are laid out together, and rows that are compared with x at a time: as many as
# a processor's cache holds.
_ROWS = 1 << 17
_AT_A_TIME = 1 << 14


class Slice(NamedTuple):
    """The tables of given class totals: their mass, and the laws of tp and fp."""

    n_positive: int
    mass: float
    tp: Factor
    fp: Factor
    depth: float

    @property
    def n_rows(self) -> int:
        """Values of tp that matter."""
        low, high = self.tp.span(depth=self.depth)
        return high - low + 1


def slices(law: Law, depth: float = DEPTH) -> list[Slice]:
    """Return the slices that matter, each no deeper than its mass is worth.

    What all of them leave out is below 2 exp(-depth) of fp, and as much of tp.
    """
    model = law.model
    window = model.positives().window(depth=depth)
    found: list[Slice] = []
    for p, mass in enumerate(window.pmf.tolist(), window.start):
        deep = depth + log(mass * len(window.pmf)) if mass > 0 else -inf
        if deep > 0:
            laws = model.true_positives(p), model.false_positives(model.n - p)
            found.append(Slice(p, mass, *laws, deep))
    return found


def blocks(law: Law, depth: float = DEPTH) -> "Iterator[Block]":
    """Yield all rows that matter, some slices at a time."""
    some: list[Slice] = []
    widest = 0
    for piece in slices(law, depth):
        widest = max(widest, piece.n_rows)
        if some and widest * (len(some) + 1) > _ROWS:
            yield Block.of(law, some)
            some, widest = [], piece.n_rows
        some.append(piece)
    if some:
        yield Block.of(law, some)


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
        tp, fp = (windows([piece[i] for piece in some], depths) for i in (2, 3))
        weights = _padded(tp.pmf) * np.array([[piece.mass] for piece in some])
        n_positive = np.array([[float(piece.n_positive)] for piece in some])
        values = tp.start[:, None] + np.arange(weights.shape[1], dtype=np.float64)
        values = np.minimum(np.maximum(values, 0), n_positive)
        start = fp.start[:, None].astype(np.float64)
        cells = (values, n_positive - values, law.model.n - n_positive)
        hits, misses, total, first, stop = (
            np.broadcast_to(part, values.shape).ravel()
            for part in (*cells, start, start + fp.pmf.shape[1])
        )
        first, stop = _defined(law, hits, misses, total, first, stop)
        lines = Lines(
            law=law,
            gaining=2,
            losing=3,
            total=total,
            still=(hits, misses),
            start=first,
            stop=stop,
            rising=law.metric.trend_in_fp == "increasing",
        )
        return cls(lines=lines, weights=weights, fp=fp)

    def sides(self, cut: Cut) -> Sides:
        """Return the mass on both sides of x, and at it."""
        guess, masses, weights = self._guess(cut), Masses.of(self.fp), self.weights.ravel()
        row = np.repeat(np.arange(len(self.weights)), self.weights.shape[1])
        sums: list[list[float]] = []
        for begin in range(0, len(weights), _AT_A_TIME):
            part = slice(begin, begin + _AT_A_TIME)
            lines, weight = self.lines[part], weights[part]
            low, past = lines.split(cut, guess[part])
            parted = masses.parted(row[part], lines.start, low, past, lines.stop)
            sums.append([float(weight @ mass) for mass in parted])
        return Sides.along(map(fsum, zip(*sums, strict=True)), rising=self.lines.rising)

    def _guess(self, cut: Cut) -> Array:
        """Return thresholds interpolated between those of every sixteenth row."""
        n_slices, width = self.weights.shape
        which = np.arange(n_slices)[:, None] * width + np.arange(0, width, _APART)
        knots = self.lines[which.ravel()].roots(cut).reshape(which.shape)
        share = np.arange(_APART) / _APART
        between = knots[:, :-1, None] + np.diff(knots, axis=1)[:, :, None] * share
        inner = between.reshape(n_slices, width - 1)
        return np.ceil(np.concatenate((inner, knots[:, -1:]), axis=1)).ravel()


def _padded(pmf: Array) -> Array:
    """Add columns of zeros, so that the last one is one of those searched from scratch."""
    return np.pad(pmf, ((0, 0), (0, -(pmf.shape[1] - 1) % _APART)))


def _defined(
    law: Law, tp: Array, fn: Array, n_negative: Array, start: Array, stop: Array
) -> tuple[Array, Array]:
    """Narrow each row to the fp that are possible and at which no declared sum is zero."""
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
        if "fp" in cells:
            limit = 1 if "tn" not in cells else np.where(n_negative == 0, 1, 0)
            start = np.where(zero, np.maximum(start, limit), start)
        elif "tn" in cells:
            stop = np.where(zero, np.minimum(stop, n_negative), stop)
    return start, np.maximum(start, stop)
