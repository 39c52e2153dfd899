"""Slices of a law, one for each number of positives, each no deeper than its mass is worth."""

from math import inf, log
from typing import NamedTuple

from baserate._windows import DEPTH
from baserate.models._factors import Factor
from baserate.questions._law import Law

# The most slices, the most rows, and the most of one slice; a few seconds.
_SLICES, _ROWS, _LONGEST = 50_000, 50_000_000, 2_000_000


class Slice(NamedTuple):
    """The tables of given class totals: their mass, the laws of tp and fp, the tp that matter."""

    n_positive: int
    mass: float
    tp: Factor
    fp: Factor
    depth: float
    rows: tuple[int, int]


def slices(law: Law, depth: float = DEPTH) -> list[Slice] | None:
    """Return the slices that matter, or None if there are too many.

    What they leave out is below 2 exp(-depth) of tp, and as much of fp.
    """
    model = law.model
    low, high = model.positives().span(depth=depth)
    if high - low >= _SLICES:
        return None
    window = model.positives().window(depth=depth)
    found: list[Slice] = []
    for p, mass in enumerate(window.pmf.tolist(), window.start):
        deep = depth + log(mass * len(window.pmf)) if mass > 0 else -inf
        if deep > 0:
            tp, fp = model.true_positives(p), model.false_positives(model.n - p)
            found.append(Slice(p, mass, tp, fp, deep, tp.span(depth=deep)))
    return found


def affordable(some: list[Slice]) -> bool:
    """Return whether the rows of these slices are not too many."""
    sizes = [last - first + 1 for first, last in (piece.rows for piece in some)]
    return max(sizes, default=0) <= _LONGEST and sum(sizes) <= _ROWS
