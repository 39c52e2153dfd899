"""Slices of a law, one for each number of positives."""

from typing import NamedTuple

from baserate._windows import DEPTH
from baserate.models._factors import Factor
from baserate.questions._law import Law

# The most rows, and the most of one slice; a few seconds.
_ROWS, _LONGEST = 50_000_000, 2_000_000


class Slice(NamedTuple):
    """The tables of given class totals: their mass, the laws of tp and fp, the tp that matter."""

    n_positive: int
    mass: float
    tp: Factor
    fp: Factor
    depth: float
    rows: tuple[int, int]


def slices(law: Law, depth: float = DEPTH) -> list[Slice] | None:
    """Return the slices that matter, or None if there are too many."""
    some, model = law.class_totals(depth), law.model
    if some is None:
        return None
    laws = [(model.true_positives(p), model.false_positives(model.n - p)) for p, _, _ in some]
    return [
        Slice(p, mass, tp, fp, deep, tp.span(depth=deep))
        for (p, mass, deep), (tp, fp) in zip(some, laws, strict=True)
    ]


def affordable(some: list[Slice]) -> bool:
    """Return whether the rows of these slices are not too many."""
    sizes = [last - first + 1 for first, last in (piece.rows for piece in some)]
    return max(sizes, default=0) <= _LONGEST and sum(sizes) <= _ROWS
