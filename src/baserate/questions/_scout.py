"""Faint tails: some rows of some slices of very deep windows show where their mass lies."""

from typing import NamedTuple

import numpy as np

from baserate._windows import DEEP, Array
from baserate.questions._law import Law
from baserate.questions._masses import Masses, Sides
from baserate.questions._rows import Block, Rows
from baserate.questions._search import split
from baserate.questions._slices import Slice, affordable, slices
from baserate.questions._ties import Cut

# About so many slices, and so many rows of each, are looked at.
_SCOUTS = 200
# Rows with less than this share of the most that any row has of a tail are left out.
_NOTHING = 1e-24


class Scouted(NamedTuple):
    """Some tp of every slice of a block, and their mass before x, at it and past it."""

    tp: Array
    before: Array
    equal: Array
    past: Array


def far_sides(law: Law, cut: Cut, near: Sides) -> Sides | None:
    """Return the mass on both sides of x, and at it, down to 1e-300; None if it takes too long.

    `near` is what shorter windows hold; it stands where deeper ones have no more.
    """
    some = slices(law, DEEP)
    if some is None:
        return None
    step = max(1, len(some) // _SCOUTS)
    picked = [*range(0, len(some) - 1, step), len(some) - 1]
    seen = [_look(block, cut) for block in Rows(law, [some[i] for i in picked]).blocks()]
    most = [max(float(part[i].max()) for part in seen) for i in (1, 2, 3)]
    if not near.has_more(Sides.along(most, rising=law.metric.trend_in_fp == "increasing")):
        return near
    ends = np.concatenate(_ends(seen, most))
    kept = [
        piece._replace(rows=rows)
        for i, piece in enumerate(some)
        if (rows := _rows(piece, ends[max(0, -(-i // step) - 1) : -(-i // step) + 1]))
    ]
    return Rows(law, kept).part(cut)[0] if affordable(kept) else None


def _look(block: Block, cut: Cut) -> Scouted:
    """Look at some rows of each slice, and at the last."""
    n_slices, width = block.weights.shape
    columns = np.unique(np.append(np.arange(0, width, max(1, width // _SCOUTS)), width - 1))
    which = (np.arange(n_slices)[:, None] * width + columns).ravel()
    lines, row = block.lines[which], np.repeat(np.arange(n_slices), len(columns))
    edges = lines.start, *split(lines, cut), lines.stop
    weights = block.weights.ravel()[which]
    masses = (weights * mass for mass in Masses.of(block.fp).parted(row, *edges))
    return Scouted(*(part.reshape(n_slices, -1) for part in (lines.still[0], *masses)))


def _ends(seen: list[Scouted], most: list[float]) -> list[Array]:
    """Return for each slice the least and the greatest tp that matter; (inf, -inf) if none does."""
    found: list[Array] = []
    for tp, *masses in seen:
        here = np.zeros(tp.shape, dtype=bool)
        for mass, top in zip(masses, most, strict=True):
            here |= (mass > 0) & (mass >= top * _NOTHING)
        wide = here.copy()  # and what lies beside
        wide[:, 1:] |= here[:, :-1]
        wide[:, :-1] |= here[:, 1:]
        low, high = np.where(wide, tp, np.inf).min(axis=1), np.where(wide, tp, -np.inf).max(axis=1)
        found.append(np.stack((low, high), axis=1))
    return found


def _rows(piece: Slice, ends: Array) -> tuple[int, int] | None:
    """Return the tp that matter between slices with these ends."""
    low, high = ends[:, 0].min(), ends[:, 1].max()
    if low > high:
        return None
    first, last = max(piece.rows[0], int(low)), min(piece.rows[1], int(high))
    return (first, last) if first <= last else None
