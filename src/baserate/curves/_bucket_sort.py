"""Sorting scores together with an amount for each of them.

NumPy sorts numbers alone, or finds their order (argsort), after which scores and amounts are
gathered from all over memory. SciPy lays the entries of a sparse matrix into its rows and sorts
every row by column, values along with them. With leading bits of a score as row and the others as
column that is a bucket sort, which moves every pair of score and amount twice, and does not depend
on the instructions of the processor.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 1 << 12  # below, an argsort takes less time than sparse matrices take to set up
CACHED = 1 << 14  # scores looked at while they lie in the processor's cache
LEADING = 12  # bits that say where the scores lie: tables in the fastest cache
NEXT = 20  # bits that divide a populated bucket further
TOGETHER = 32  # scores in a bucket, about
SIGN = np.uint64(2**63)

Integers = NDArray[np.uint64]


def sort_together(
    scores: NDArray[Any], amounts: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return scores in ascending order, of 64 bits, and their amounts; ties in any order."""
    if len(scores) < FEW or scores.dtype.itemsize > 8:
        order = np.argsort(scores)
        return scores[order], amounts[order]
    lowest, highest = _to_integers(np.array([scores.min(), scores.max()]))
    numbers = np.empty(len(scores), dtype=np.uint64)
    for part in _parts(numbers):
        np.subtract(_to_integers(scores[part]), lowest, out=numbers[part])
    shift = max(0, int(highest - lowest).bit_length() - LEADING)
    numbers, amounts = _in_buckets(numbers, shift, amounts)
    for part in _parts(numbers):
        numbers[part] = _from_integers(numbers[part] + lowest, scores.dtype.kind).view(np.uint64)
    return numbers.view(f"{scores.dtype.kind}8"), amounts


def _in_buckets(
    numbers: Integers, shift: int, amounts: NDArray[np.float64]
) -> tuple[Integers, NDArray[np.float64]]:
    """Sort numbers of so many bits, and the leading ones, with their amounts."""
    from scipy.sparse import coo_array

    cases = np.zeros(1 << LEADING, dtype=np.intp)
    for part in _parts(numbers):
        cases += np.bincount((numbers[part] >> shift).view(np.intp), minlength=len(cases))
    width = cases // TOGETHER + 1
    rows, columns = _places(numbers, shift, width)
    entries = coo_array((amounts, (rows, columns)), shape=(int(width.sum()), 1 << shift))
    entries.has_canonical_format = True  # or equal scores would be added up
    table: Any = entries.tocsr()
    table.sort_indices()
    leading = np.repeat(np.arange(len(cases), dtype=np.uint64) << np.uint64(shift), cases)
    leading |= table.indices.astype(np.uint64, copy=False)
    return leading, table.data


def _places(
    numbers: Integers, shift: int, width: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and column of each number, which is overwritten.

    Leading bits that many numbers have are divided into many rows, by the bits that follow.
    """
    first, following = np.cumsum(width) - width, min(shift, NEXT)
    columns = numbers.view(np.int64)
    rows = np.empty_like(columns)
    for part in _parts(numbers):
        leading = (numbers[part] >> shift).view(np.intp)
        columns[part] &= (1 << shift) - 1
        step = (columns[part] >> (shift - following)) * width[leading]
        np.add(first[leading], step >> following, out=rows[part])
    return rows, columns


def _parts(numbers: Integers) -> Iterator[slice]:
    return (slice(low, low + CACHED) for low in range(0, len(numbers), CACHED))


def _to_integers(scores: NDArray[Any]) -> Integers:
    """Return unsigned numbers in the order of the scores; 0.0 of either sign is one."""
    if scores.dtype.kind == "u":
        return scores.astype(np.uint64)
    if scores.dtype.kind == "i":
        return scores.astype(np.int64).view(np.uint64) ^ SIGN
    return _turned((scores + 0.0).astype(float).view(np.int64)).view(np.uint64) ^ SIGN


def _from_integers(numbers: Integers, kind: str) -> NDArray[Any]:
    if kind == "u":
        return numbers
    bits = (numbers ^ SIGN).view(np.int64)
    return _turned(bits) if kind == "f" else bits


def _turned(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Let the bits of negative floats, which count backwards, count forwards, or back again."""
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)
