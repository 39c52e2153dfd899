"""Predictions dealt to cases at random, with a fixed seed: for what no exact law reaches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError

Whole = NDArray[np.int64]

MOST_DEALS, LEAST_DEALS = 20_000, 399
LABELS = 20_000_000  # labels dealt in all, or cells counted: about two seconds
_AT_A_TIME = 1 << 22


class ClassPValue(NamedTuple):
    """A p-value, "exact", "upper bound" or "permutation", and a standard error if dealt."""

    p_value: float
    route: str
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Deals:
    """Random tables with the margins of a class table."""

    truth: tuple[int, ...]
    predicted: tuple[int, ...]

    @classmethod
    def of(cls, table: ClassTable) -> "Deals":
        """Read the margins of a table of cases counted one by one."""
        return cls(
            *(tuple(map(int, side)) for side in (table.class_counts, table.predicted_counts))
        )

    def p_value(self, as_good: Callable[[Any], NDArray[np.bool_]], *, cells: bool) -> ClassPValue:
        """Return the share of deals that do as well; the table itself counts as one of them.

        `as_good` is given the tables, of shape (m, K, K), or the right cases of each class, (m, K).
        """
        n, size = sum(self.truth), len(self.truth)
        width = size * size if cells else n
        deals = int(np.clip(LABELS // max(n, width), LEAST_DEALS, MOST_DEALS))
        if deals * max(n, width // 10) > 10 * LABELS:
            raise UnsupportedError(
                f"Whether {n:,} cases beat chance takes an exact law or {deals:,} deals of as many "
                "labels, which is too long: take a random part of the cases."
            )
        blocks = self._cells(deals) if cells else self._hits(deals)
        as_often = sum(int(np.count_nonzero(as_good(block))) for block in blocks)
        share = (as_often + 1) / (deals + 1)
        return ClassPValue(share, "permutation", float(np.sqrt(share * (1 - share) / deals)))

    def _labels(self, deals: int, width: int) -> Iterator[tuple[Whole, Whole]]:
        """Yield the true labels and rows of dealt ones, some at a time."""
        codes = np.arange(len(self.truth), dtype=np.int64)
        labels, guesses = np.repeat(codes, self.truth), np.repeat(codes, self.predicted)
        rng, step = np.random.default_rng(0), max(1, _AT_A_TIME // max(len(labels), width))
        for start in range(0, deals, step):
            rows = np.broadcast_to(guesses, (min(step, deals - start), len(labels)))
            yield labels, rng.permuted(rows, axis=1)

    def _hits(self, deals: int) -> Iterator[Whole]:
        size = len(self.truth)
        ends = np.cumsum(self.truth)
        for labels, rows in self._labels(deals, size):
            right = np.cumsum(rows == labels, axis=1)
            upto = np.where(ends > 0, right[:, np.maximum(ends - 1, 0)], 0)
            yield np.diff(upto, axis=1, prepend=0)

    def _cells(self, deals: int) -> Iterator[Whole]:
        size = len(self.truth)
        for labels, rows in self._labels(deals, size * size):
            place = labels * size + rows + np.arange(len(rows))[:, None] * size**2
            found = np.bincount(place.ravel(), minlength=len(rows) * size**2)
            yield found.reshape(len(rows), size, size)
