"""Cases of several classes dealt out between a group and the others, and the margins of each deal.

A deal of few cases among many is drawn case by case: a random place for each, drawn anew where two
of them are the same. Of larger parts the numbers in the cells are drawn, column by column.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from baserate._arith import ratio
from baserate._arrays import Array, Index, Whole
from baserate.class_counts import ClassTable
from baserate.inference.class_draws import Margins, dense_cells

FIRST = 250  # deals of the first block; each later one is half as long as all before (not 256:
# steps of a power of two share few lines of a processor's cache)
AT_ONCE = 1 << 18  # cells that are held at a time: they fit a cache
MOST_CASES = 1_000_000_000  # of which NumPy draws without replacement
LISTED = 1 << 20  # cases among which single ones are drawn


class Filled(NamedTuple):
    """The cells of a class table that hold cases: their places, and how many cases."""

    row: Index
    column: Index
    n: Whole

    @property
    def hits(self) -> Index:
        """Which of these cells hold cases that are called what they are."""
        return np.flatnonzero(self.row == self.column)


@dataclass(frozen=True, eq=False)
class DealSides:
    """A group and the cases that are not in it, whose scores it is compared with or a part of.

    `contained` compares it with all cases, of which it is a part; `held` says whether the totals of
    the true classes are kept by every deal.
    """

    group: ClassTable
    others: ClassTable
    contained: bool = False
    held: bool = True

    @property
    def reference(self) -> ClassTable:
        """What the group is compared with."""
        return self.group + self.others if self.contained else self.others

    @cached_property
    def pooled(self) -> Filled:
        """The cells that hold cases of either side, and the cases of both in them."""
        both = self.group.counts + self.others.counts
        row, column = np.nonzero(both)
        return Filled(row, column, both[row, column].astype(np.int64))

    @property
    def is_too_large(self) -> bool:
        """Whether some class, or all that is dealt out together, has too many cases for NumPy."""
        at = self.pooled
        totals = np.bincount(at.row, at.n) if self.held else np.array([at.n.sum()])
        return bool((totals >= MOST_CASES).any())

    @property
    def dealt(self) -> Array:
        """The group's own cases in these cells, as one deal of shape (cells, 1)."""
        at = self.pooled
        return self.group.counts[at.row, at.column].astype(float)[:, None]

    def margins(self, mine: Array) -> Margins:
        """Return the group's margins in each deal, and then those that it is judged by.

        Those have the group's class totals, if these are held.
        """
        at, k, size = self.pooled, self.group.n_classes, mine.shape[1]
        both = np.empty((at.n.size, 2 * size))
        both[:, :size], both[:, size:] = mine, at.n[:, None]
        if not self.contained:
            both[:, size:] -= mine
        if self.held:
            both[:, size:] *= self._times[:, None]
        hits = np.zeros((k, both.shape[1]))
        hits[at.row[at.hits]] = both[at.hits]
        off = np.flatnonzero(at.row != at.column)
        cells = partial(_cells, hits, at.row[off], at.column[off], both, off)
        truth, called = (adding @ both for adding in self._adding)
        return Margins(hits.T, truth.T, called.T, cells)

    @cached_property
    def _times(self) -> Array:
        """By what cells are multiplied for the group's class totals; 0 where it lacks the class."""
        wanted = self.group.class_counts
        there = np.asarray(self.reference.class_counts, dtype=float)  # as many in every deal
        return np.where(wanted == 0, 0.0, ratio(wanted.astype(float), there))[self.pooled.row]

    @cached_property
    def _adding(self) -> tuple[csr_array, csr_array]:
        """Matrices that add up cells by true class, and by the class that they are called."""
        at, k = self.pooled, self.group.n_classes
        by_row, by_column = (_adding(place, k) for place in (at.row, at.column))
        return by_row, by_column

    def deals(self, size: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the group's cases in the filled cells, in growing blocks of (cells, deals)."""
        done, most = 0, max(1, AT_ONCE // max(1, self.pooled.n.size))
        while done < size:
            block = min(max(FIRST, done // 2), most, size - done)
            yield self._dealt(block, rng)
            done += block

    def _dealt(self, size: int, rng: np.random.Generator) -> Array:
        n_cells, (singly, in_cells) = self.pooled.n.size, self._parts
        places = places_apart([(part.total, part.n) for part in singly], size, rng)
        at = (self._cell_of[places] * size + np.arange(size)[:, None]).ravel()
        found = np.bincount(at, np.ones(at.size), n_cells * size).astype(float, copy=False)
        found = found.reshape(n_cells, size)
        for part in in_cells:
            drawn = rng.multivariate_hypergeometric(part.there, part.n, size, "marginals")
            found[part.cells] = drawn.T
        return found

    @cached_property
    def _parts(self) -> "tuple[list[DealtCells], list[DealtCells]]":
        """What is dealt out by itself, all or each true class: case by case, or in its cells."""
        row, n = self.pooled.row, self.pooled.n
        parts = [DealtCells(np.arange(row.size), n, int(self.group.n))]
        if self.held:
            cells = [np.flatnonzero(row == i) for i in range(self.group.n_classes)]
            totals = zip(cells, self.group.class_counts.tolist(), strict=True)
            parts = [DealtCells(some, n[some], int(mine)) for some, mine in totals if mine]
        singly = [part for part in parts if part.n**2 <= part.total]
        if sum(part.total for part in singly) > LISTED:
            singly = []
        return singly, [part for part in parts if part not in singly]

    @cached_property
    def _cell_of(self) -> Index:
        """The cell of every case that is dealt out singly."""
        listed = [np.repeat(part.cells, part.there) for part in self._parts[0]]
        return np.concatenate([np.zeros(0, dtype=np.intp), *listed])


@dataclass(frozen=True, eq=False)
class DealtCells:
    """Cells whose cases are dealt out together, the cases in them, and how many the group has."""

    cells: Index
    there: Whole
    n: int

    @property
    def total(self) -> int:
        """All cases in these cells."""
        return int(self.there.sum())


def _adding(place: Index, k: int) -> csr_array:
    """Return the matrix that adds up the cells at each of K places."""
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(k + 1))
    return csr_array((np.ones(place.size), order, starts), shape=(k, place.size))


def places_apart(
    parts: Sequence[tuple[int, int]], size: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return different places of each part, for each of `size` deals; all are as likely.

    `parts` say how many places each has, numbered on from part to part, and how many are wanted.
    Quick where few deals have a place twice: these are drawn anew.
    """
    there, wanted = np.array(parts, dtype=np.intp).reshape(-1, 2).T
    part = np.repeat(np.arange(there.size), wanted)  # of each column
    first, after = there.cumsum() - there, there.cumsum()
    places = (rng.random((size, part.size)) * there[part]).astype(np.int32)
    places += first[part].astype(np.int32)
    deals, twice = _twice(places)
    while deals.size:
        parts_twice = np.searchsorted(after, twice, side="right")
        for which in np.unique(parts_twice).tolist():
            anew = np.unique(deals[parts_twice == which])
            shape = anew.size, wanted[which]
            drawn = rng.integers(first[which], after[which], shape, dtype=np.int32)
            places[np.ix_(anew, part == which)] = drawn
        waiting = np.unique(deals)
        deals, twice = _twice(places[waiting])
        deals = waiting[deals]
    return places


def _twice(places: NDArray[np.int32]) -> tuple[Index, NDArray[np.int32]]:
    """Return the deals that have a place twice, and that place: neighbours when sorted."""
    width, ordered = max(1, places.shape[1]), np.sort(places, axis=1).ravel()
    at = np.flatnonzero(ordered[1:] == ordered[:-1])
    at = at[(at + 1) % width > 0]  # not of two deals
    return at // width, ordered[at]


def _cells(hits: Array, row: Index, column: Index, both: Array, off: Index) -> Array:
    """Return every cell of every deal."""
    return dense_cells(hits, [(row, column, both[off])], [])
