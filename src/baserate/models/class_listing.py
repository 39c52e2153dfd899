"""All tables of several classes with given margins or sums: cell by cell, in blocks."""

from collections.abc import Iterator, Sequence
from math import log10

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

AT_A_TIME = 1 << 15


def size_in_words(n: int) -> str:
    """Write a number that may be too large for a float."""
    return f"{n:,}" if n < 10**15 else f"10^{int(log10(n))}"


def counts_of_sum(n: int, most: Sequence[int]) -> Iterator[Whole]:
    """Yield all counts, at most these, that sum to n: cell by cell, the first ones first."""
    after = np.append(np.cumsum(most[::-1])[::-1], 0)
    stack = [np.zeros((1, 0), dtype=np.int64)] if after[0] >= n else []
    while stack:
        cells = stack.pop()
        d = cells.shape[1]
        if d == len(most):
            yield cells
            continue
        left = n - cells.sum(1)
        stack += _extended(cells, np.maximum(0, left - after[d + 1]), np.minimum(left, most[d]))


def cells_within(rows: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[Whole]:
    """Yield all flat tables with these margins: cell by cell."""
    k, stack = len(rows), [np.zeros((1, 0), dtype=np.int64)]
    ends = np.array(columns)
    while stack:
        cells = stack.pop()
        d = cells.shape[1]
        if d == k * k:
            yield cells
            continue
        i, j = divmod(d, k)
        above = ends - cells[:, : i * k].reshape(len(cells), i, k).sum(1)
        left = rows[i] - cells[:, i * k :].sum(1)
        least = np.maximum(0, left - above[:, j + 1 :].sum(1))
        stack += _extended(cells, least, np.minimum(left, above[:, j]))


def _extended(cells: Whole, low: Whole, high: Whole) -> list[Whole]:
    """Append every count from low to high to each row, in parts of bounded length."""
    ways = high - low + 1
    parent = np.repeat(np.arange(len(cells)), ways)
    first = np.repeat(np.cumsum(ways) - ways, ways)
    new = np.repeat(low, ways) + np.arange(len(parent)) - first
    out = np.concatenate((cells[parent], new[:, None]), axis=1)
    return [out[i : i + AT_A_TIME] for i in range(0, len(out), AT_A_TIME)]
