"""Rows of counted scores: what is counted together, and where every distinct score is kept apart.

A row holds the cases of one group and class whose scores share a cell of the grid, with the lowest
and the highest of them. Rows become one if both their ends share a cell, so that the result does
not depend on the order in which they come. Others stay apart even where they overlap, as wide rows
of a small site lie across the narrow ones of a large one. Small cells are joined before rows leave
their site.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Mask, Whole
from baserate._checks import float_array, whole_number
from baserate.curves.score_grid import (
    COARSEST,
    FINEST,
    cells_of,
    edges_of,
    finest_together,
    starts_of,
)
from baserate.errors import InvalidArgumentError

TYPES = (np.int64, np.bool_, np.float64, np.float64, np.int64)  # of the columns of `Bins`


class Bins(NamedTuple):
    """Rows of cases that are counted together; sorted by group, class and score."""

    group: Whole  # index into the groups
    positive: Mask  # the class
    lowest: Array  # equal to the highest where every score is the same
    highest: Array
    cases: Whole

    @classmethod
    def none(cls) -> "Bins":
        """Return no rows."""
        columns: Any = (np.empty(0, dtype=kind) for kind in TYPES)
        return cls(*columns)

    def regrouped(self, codes: Whole) -> "Bins":
        """Return the rows with groups by other numbers."""
        return self._replace(group=codes[self.group])

    def and_others(self, others: "Bins") -> "Bins":
        """Return all rows, in no order."""
        pairs: Any = zip(self, others, strict=True)
        return Bins(*map(np.concatenate, pairs))

    def joined(self, level: int | None, focus: "Focus | None" = None) -> "Bins":
        """Count rows of one group and class together whose ends share their cells.

        Without a level, or within the focus, whose ends are the same.
        """
        focus = focus or Focus.none()
        lowest = highest = focus.cells_of(self.lowest, level)
        if self.highest is not self.lowest:
            highest = focus.cells_of(self.highest, level)
        part = self.group * 2 + self.positive
        if not _ascend(part, lowest, highest):
            order = np.lexsort((highest, lowest, part))
            columns: Any = (column[order] for column in self)
            return Bins(*columns).together(part[order], lowest[order], highest[order])
        return self.together(part, lowest, highest)

    def together(self, *keys: NDArray[Any]) -> "Bins":
        """Count neighbours together that have the same keys."""
        new = np.zeros(max(len(self.cases) - 1, 0), dtype=bool)
        for key in keys:
            new |= key[1:] != key[:-1]
        starts = np.flatnonzero(np.append(True, new))[: len(self.cases)]
        return self if len(starts) == len(self.cases) else self.sums(starts)

    def sums(self, starts: Whole) -> "Bins":
        """Count rows together from each of these places to before the next."""
        return Bins(
            group=self.group[starts],
            positive=self.positive[starts],
            lowest=np.minimum.reduceat(self.lowest, starts),
            highest=np.maximum.reduceat(self.highest, starts),
            cases=np.add.reduceat(self.cases, starts),
        )

    def disjoint(self) -> "Bins":
        """Count rows of one group and class together that overlap."""
        rows, part = self, self.group * 2 + self.positive
        rises = np.diff(part)
        if not ((rises > 0) | ((rises == 0) & (self.lowest[1:] >= self.lowest[:-1]))).all():
            order = np.lexsort((self.lowest, part))  # most are in order already
            columns: Any = (column[order] for column in self)
            rows, rises = Bins(*columns), np.diff(part[order])
        parts = np.split(rows.highest, np.flatnonzero(rises) + 1)
        reached = np.concatenate([np.maximum.accumulate(one) for one in parts])
        begins = (rises != 0) | (rows.lowest[1:] > reached[:-1])  # it overlaps none before
        starts = np.flatnonzero(np.append(True, begins))[: len(rows.cases)]
        return rows if len(starts) == len(rows.cases) else rows.sums(starts)

    def finest_level(self, most: int) -> int:
        """Return a level on which they may first be so few, to begin from; they are in order."""
        if self.highest is not self.lowest:
            return FINEST
        together = finest_together(self.lowest)
        together[np.diff(self.group * 2 + self.positive) > 0] = -1
        shared = np.bincount(together + 1, minlength=FINEST + 2)[::-1]
        rows = len(self.cases) - np.cumsum(shared)[: FINEST - COARSEST + 1]  # from the finest
        fits = np.flatnonzero(rows <= most)
        return FINEST - int(fits[0]) if len(fits) else COARSEST


def _ascend(part: NDArray[Any], lowest: NDArray[Any], highest: NDArray[Any]) -> bool:
    """Whether rows are in the order of these keys, as most are already."""
    same, rises = part[1:] == part[:-1], lowest[1:] > lowest[:-1]
    tied = same & (lowest[1:] == lowest[:-1])
    ordered = (part[1:] > part[:-1]) | (same & rises) | (tied & (highest[1:] >= highest[:-1]))
    return bool(ordered.all())


class Focus(NamedTuple):
    """Ranges within which every distinct score is kept apart, whatever the level.

    Both ends belong to a range; they ascend, and no two ranges share a score.
    """

    low: Array
    high: Array

    @classmethod
    def none(cls) -> "Focus":
        """Return no ranges."""
        return cls(np.empty(0), np.empty(0))

    @classmethod
    def of(cls, ranges: Any) -> "Focus":
        """Read pairs, in any order; ranges that share a score become one."""
        rule, remedy = "must hold pairs (low, high) of scores", "pass the `ranges` of a best cut"
        try:
            pairs = float_array("focus", [*ranges]).reshape(-1, 2)
        except (TypeError, ValueError, OverflowError, NotImplementedError):
            raise InvalidArgumentError.from_rule("focus", rule, ranges, remedy) from None
        if not (pairs[:, 0] <= pairs[:, 1]).all():
            rule = "must hold pairs with low <= high"
            raise InvalidArgumentError.from_rule("focus", rule, ranges, remedy)
        low, high = (pairs[np.argsort(pairs[:, 0], kind="stable")] + 0.0).T
        reached = np.maximum.accumulate(high) if len(high) else high
        starts = np.flatnonzero(np.append(True, low[1:] > reached[:-1]))[: len(low)]
        return cls(low[starts], reached[np.append(starts[1:], len(low))[: len(starts)] - 1])

    @property
    def pairs(self) -> tuple[tuple[float, float], ...]:
        """The ranges."""
        return tuple(zip(self.low.tolist(), self.high.tolist(), strict=True))

    def holds(self, rows: Bins) -> Mask:
        """Say which rows lie within one of the ranges."""
        at = np.searchsorted(self.low, rows.lowest, side="right")
        return rows.highest <= np.append(-np.inf, self.high)[at]

    def cells_of(self, scores: Array, level: int | None) -> Array:
        """Return a number that scores share which are counted together; it ascends as they do.

        A score of the focus stands for itself, any other for its cell, cut off at the ranges.
        """
        if level is None:
            return scores
        found = starts_of(scores, level)
        if not len(self.low):
            return found
        at = np.searchsorted(self.low, scores, side="right")
        before = np.append(-np.inf, self.high)[at]
        after = np.nextafter(np.append(self.low, np.inf)[at], -np.inf)
        after = np.where(at < len(self.low), after, np.inf)
        apart = np.clip(found, np.where(at > 0, np.nextafter(before, np.inf), -np.inf), after)
        return np.where((at > 0) & (scores <= before), scores, apart)


def counted(group: Whole, positive: Mask, scores: Array) -> Bins:
    """Count cases by group, class and score: scores are sorted alone, within each part."""
    part = group * 2 + positive
    size = int(part.max(initial=0)) + 1
    narrow = part.astype(np.uint16) if size <= 1 << 16 else part
    order = np.argsort(narrow, kind="stable")  # by counting, where parts are few
    ends = np.cumsum(np.bincount(part, minlength=size))
    scores, part = scores[order], part[order]
    for start, end in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        scores[start:end].sort()
    begins = np.append(True, (scores[1:] != scores[:-1]) | (part[1:] != part[:-1]))[: len(scores)]
    starts = np.flatnonzero(begins)
    scores, part = scores[starts], part[starts]
    return Bins(
        group=part // 2,
        positive=part % 2 == 1,
        lowest=scores,
        highest=scores,
        cases=np.diff(np.append(starts, len(order))),
    )


if TYPE_CHECKING:
    from baserate.curves.score_histogram import ScoreHistogram


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
    least = whole_number("minimum", minimum, minimum=2)
    rows = histogram.rows.disjoint()
    size = np.zeros((int(rows.group.max(initial=0)) + 1, 2), dtype=np.int64)
    np.add.at(size, (rows.group, rows.positive.astype(np.intp)), rows.cases)
    # Groups with some, but too few, cases of a class.
    small = np.flatnonzero(((size > 0) & (size < least)).any(axis=1))
    kept = ~np.isin(rows.group, small)
    left_out = int(rows.cases[~kept].sum())
    made = type(histogram)(pos_label=histogram.pos_label, bins=histogram.bins)
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


def _joined(rows: Bins, minimum: int, level: int | None) -> Bins:
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


def _coarse_starts(rows: Bins, minimum: int) -> Mask:
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


def _new_cells(rows: Bins, level: int) -> Mask:
    """Say which rows begin a cell that holds nothing of the row before."""
    low, high = (_cells(end, level) for end in (rows.lowest, rows.highest))
    return np.append(True, low[1:] > high[:-1])


def _cells(scores: Array, level: int) -> Whole:
    """Return the cell that each score lies in, 1 apart from what is larger."""
    return 2 * cells_of(scores, level) + (scores > 1)


def _edges(scores: Array, level: Whole) -> tuple[Array, Array]:
    """Return the smallest and the largest float in these cells."""
    low, high = edges_of(scores, level)
    return np.where(scores > 1, np.maximum(low, np.nextafter(1, 2)), low), np.where(
        scores <= 1, np.minimum(high, 1), high
    )


def _split(rows: Bins, starts: Mask, levels: Whole, level: int, minimum: int) -> tuple[Mask, Whole]:
    """Split the joined rows that are one cell, and whose cells on this level have enough cases."""
    parts = starts | _new_cells(rows, level)
    at, whole = np.flatnonzero(parts), np.cumsum(starts) - 1
    enough = np.add.reduceat(rows.cases, at) >= minimum
    ends = np.append(at[1:], len(parts)) - 1
    one_cell = _cells(rows.lowest[at], level) == _cells(rows.highest[ends], level)
    splits = np.ones(whole[-1] + 1, dtype=bool)
    np.logical_and.at(splits, whole[at], enough & one_cell)
    return starts | (parts & splits[whole]), np.where(splits[whole], level, levels)
