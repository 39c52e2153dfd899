"""Small cells of a histogram are joined before it leaves its site."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate._checks import whole_number
from baserate.curves.score_grid import COARSEST, FINEST, cells_of, edges_of

Mask = NDArray[np.bool_]
if TYPE_CHECKING:
    from baserate.curves.score_histogram import Bins, ScoreHistogram


class Suppressed(NamedTuple):
    """What was done before counts left their site."""

    minimum: int  # cells of fewer cases were joined; of several sites, the smallest
    cases: int | None = 0  # in groups left out; None, untold, if fewer than `minimum`
    groups: int = 0  # left out

    def and_others(self, other: "Suppressed | None") -> Self:
        """Return what was done at either of two sites."""
        if other is None:
            return self
        known = self.cases is not None and other.cases is not None
        cases = (self.cases or 0) + (other.cases or 0) if known else None
        minimum = min(self.minimum, other.minimum)
        return self._replace(minimum=minimum, cases=cases, groups=self.groups + other.groups)


def suppressed(histogram: "ScoreHistogram", minimum: int = 5) -> "ScoreHistogram":
    """Return the same counts without small cells; see `ScoreHistogram.suppressed`."""
    from baserate.curves.score_histogram import ScoreHistogram

    least = whole_number("minimum", minimum, minimum=2)
    rows = histogram.rows.disjoint()
    size = np.zeros((int(rows.group.max(initial=0)) + 1, 2), dtype=np.int64)
    np.add.at(size, (rows.group, rows.positive.astype(np.intp)), rows.cases)
    # Groups with some, but too few, cases of a class.
    small = np.flatnonzero(((size > 0) & (size < least)).any(axis=1))
    kept = ~np.isin(rows.group, small)
    left_out = int(rows.cases[~kept].sum())
    made = ScoreHistogram(pos_label=histogram.pos_label, bins=histogram.bins)
    made.positive, made.labels = histogram.positive, histogram.labels
    made.columns = histogram.columns
    made.group_names = histogram.group_names
    names = np.array([code not in small for code in range(max(len(histogram.groups), 1))])
    pairs = zip(histogram.groups, names, strict=False)
    made.groups = tuple(key for key, stays in pairs if stays)
    made.n_missing = histogram.n_missing if histogram.n_missing >= least else 0
    columns: Any = (column[kept] for column in rows)
    bins = type(rows)(*columns).regrouped(np.cumsum(names) - 1)
    made.restore(_joined(bins, least, histogram.level), histogram.level)
    told = left_out if left_out >= least or not left_out else None
    made.suppression = Suppressed(least, told, len(small)).and_others(histogram.suppression)
    return made


def _joined(rows: "Bins", minimum: int, level: int | None) -> "Bins":
    """Join what shares a cell of the grid, the smallest that has enough cases.

    From the coarsest level down, a cell is split if all its parts that hold cases hold enough of
    them. So a row tells no more than that so many cases lie in a cell, or have one score. Besides
    0, which is one anyway, 1 is a cell of its own: the range of a probability ends there.
    """
    if not len(rows.cases):
        return rows
    starts, levels = _coarse_starts(rows, minimum), np.full(len(rows.cases), COARSEST)
    for finer in range(COARSEST + 1, (FINEST if level is None else level) + 1):
        starts, levels = _split(rows, starts, levels, finer, minimum)
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(rows.cases)) - 1
    low, high, at = rows.lowest[first], rows.highest[last], levels[first]
    whole = low == high  # one score that enough cases share
    return type(rows)(
        group=rows.group[first],
        positive=rows.positive[first],
        lowest=np.where(whole, low, _edges(low, at)[0]),
        highest=np.where(whole, high, _edges(high, at)[1]),
        cases=np.add.reduceat(rows.cases, first),
    )


def _coarse_starts(rows: "Bins", minimum: int) -> Mask:
    """Say where joined rows begin: on the coarsest level neighbours join until they are enough."""
    other = (rows.group[1:] != rows.group[:-1]) | (rows.positive[1:] != rows.positive[:-1])
    begins = np.append(True, other)
    cell = begins | _new_cells(rows, COARSEST)
    n, of_class = np.add.reduceat(rows.cases, np.flatnonzero(cell)), begins[cell]
    kept, size = np.zeros(len(n), dtype=bool), 0
    ends = np.append(of_class[1:], True)
    place = 0
    for k, cases in enumerate(n.tolist()):
        if of_class[k] or size >= minimum:
            kept[k], place, size = True, k, 0
        size += cases
        if ends[k] and size < minimum:
            kept[place] = of_class[place]  # too few are left: they join those before
    found = np.zeros_like(cell)
    found[np.flatnonzero(cell)[kept]] = True
    return found


def _new_cells(rows: "Bins", level: int) -> Mask:
    """Say which rows begin a cell that holds nothing of the row before."""
    low, high = (_cells(end, level) for end in (rows.lowest, rows.highest))
    return np.append(True, low[1:] > high[:-1])


def _cells(scores: NDArray[np.float64], level: int) -> NDArray[np.int64]:
    """Return the cell that each score lies in, 1 apart from what is larger."""
    return 2 * cells_of(scores, level) + (scores > 1)


def _edges(
    scores: NDArray[np.float64], level: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest float in these cells."""
    low, high = edges_of(scores, level)
    return np.where(scores > 1, np.maximum(low, np.nextafter(1, 2)), low), np.where(
        scores <= 1, np.minimum(high, 1), high
    )


def _split(
    rows: "Bins", starts: Mask, levels: NDArray[np.int64], level: int, minimum: int
) -> tuple[Mask, NDArray[np.int64]]:
    """Split the joined rows that are one cell, and whose cells on this level have enough cases."""
    parts = starts | _new_cells(rows, level)
    at, whole = np.flatnonzero(parts), np.cumsum(starts) - 1
    enough = np.add.reduceat(rows.cases, at) >= minimum
    ends = np.append(at[1:], len(parts)) - 1
    one_cell = _cells(rows.lowest[at], level) == _cells(rows.highest[ends], level)
    splits = np.ones(whole[-1] + 1, dtype=bool)
    np.logical_and.at(splits, whole[at], enough & one_cell)
    return starts | (parts & splits[whole]), np.where(splits[whole], level, levels)
