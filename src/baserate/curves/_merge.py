"""Sorting scores and counting the cases of each class at or above every distinct one.

Scores that are in order already, either way, are not sorted again. Otherwise the numbers of each
class are sorted apart, without carrying labels along, which is several times faster than an argsort
of all; a merge of the two sorted runs then says where each class stands. Weights are sorted along
with their scores.

NumPy sorts numbers alone, or finds their order (argsort), after which scores and amounts are
gathered from all over memory. SciPy lays the entries of a sparse matrix into its rows and sorts
every row by column, values along with them. With leading bits of a score as row and the others as
column that is a bucket sort, which moves every pair of score and amount twice, and does not depend
on the instructions of the processor.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask, Whole

Counts = NDArray[Any]
Integers = NDArray[np.uint64]

BLOCK = 1 << 14  # weights summed before blocks are added up: a fourth of them one after the other
FEW = 1 << 12  # below, an argsort takes less time than sparse matrices take to set up
CACHED = 1 << 14  # scores looked at while they lie in the processor's cache
LEADING = 12  # bits that say where the scores lie: tables in the fastest cache
NEXT = 20  # bits that divide a populated bucket further
TOGETHER = 32  # scores in a bucket, about
SIGN = np.uint64(2**63)


class Steps(NamedTuple):
    """Distinct scores in descending order, and sums over the cases at or above each of them.

    The sums begin with 0, of the rule that calls nothing positive.
    """

    scores: NDArray[Any]
    positive: Counts
    negative: Counts


def count_cases(scores: NDArray[Any], positive: Mask) -> Steps:
    """Count positives and negatives at or above each distinct score."""
    way = _way_up(scores)
    if way is None:
        scores, positive = _merged(scores, positive)
    distinct, last = _distinct(scores[::way])
    side = _downwards(positive, way)
    positives, negatives = _led(2, len(distinct), np.int64)
    if last is None:
        np.cumsum(side, out=positives[1:])
        np.subtract(np.arange(1, len(side) + 1), positives[1:], out=negatives[1:])
    else:
        positives[1:] = np.cumsum(side)[last]
        np.subtract(np.flatnonzero(last) + 1, positives[1:], out=negatives[1:])
    return Steps(distinct, positives, negatives)


def sum_weights(scores: NDArray[Any], positive: Mask, weights: Array) -> tuple[Steps, Steps]:
    """Sum weights above 0, and squared weights, at or above each distinct score."""
    way = _way_up(scores)
    if way is None:
        signed = np.copysign(weights, positive.view(np.int8) - 0.5)  # the sign tells the class
        scores, signed = sort_together(scores, signed)
        positive, weights = signed > 0, np.abs(signed, out=signed)
    distinct, last = _distinct(scores[::way])
    weights, side = weights[:: -(way or 1)], _downwards(positive, way)
    totals = _led(4, len(distinct), np.float64)
    for (chosen, power), room in zip(product((side, ~side), (1, 2)), totals, strict=True):
        _sum_up(weights, chosen, power, last, room[1:])
    return Steps(distinct, *totals[::2]), Steps(distinct, *totals[1::2])


def pieces(reached: Counts) -> Iterator[slice]:
    """Yield pieces that share their ends: what is computed of one at a time stays in the cache."""
    for start in range(0, len(reached) - 1, BLOCK):
        yield slice(start, start + BLOCK + 1)


def _led(rows: int, size: int, dtype: Any) -> Counts:
    """Return room for rows of so many values, each behind a 0.

    One large piece of memory costs fewer page faults than several.
    """
    room = np.empty((rows, size + 1), dtype=dtype)
    room[:, 0] = 0
    return room


def _downwards(positive: Mask, way: int | None) -> Mask:
    """Return which cases are positive, the highest score first; the copy is read much faster."""
    return np.ascontiguousarray(positive[:: -(way or 1)])


def _sum_up(
    weights: Array,
    chosen: Mask,
    power: int,
    last: Mask | None,
    totals: Array,
) -> None:
    """Fill in running totals of powers of the chosen weights, at the last case of each score."""
    low = 0
    parts = [slice(low, low + BLOCK) for low in range(0, len(weights), BLOCK)]
    amounts = (chosen[part] * weights[part] ** power for part in parts)
    for part, block in zip(parts, cumulated(amounts), strict=True):
        kept = block if last is None else block[last[part]]
        totals[low : low + len(kept)] = kept
        low += len(kept)


def cumulated(blocks: Iterable[Array]) -> Iterator[Array]:
    """Yield running totals of amounts, which come in blocks and are overwritten.

    The error grows with the number of blocks, not of amounts. The totals never fall: one just above
    a block's last one is not let below it by rounding.
    """
    before, least = 0.0, 0.0
    for block in blocks:
        total = block.sum()
        _cumulate(block)
        np.add(block, before, out=block)
        if block[0] < least:
            np.maximum(block, least, out=block)
        yield block
        before, least = before + total, block[-1]


def _cumulate(amounts: Array) -> None:
    """Replace amounts by running totals, each of them at least the one before it.

    A running total waits for the one before it, addition after addition. So the four positions of
    all groups of four are added at once, and only the totals of the groups wait for each other.
    """
    whole = len(amounts) // 4 * 4
    one, two, three, four = amounts[:whole].reshape(-1, 4).T
    two += one
    three += two
    four += three
    np.cumsum(four, out=four)
    for position in (one, two, three):
        position[1:] += four[:-1]
    rest = amounts[max(0, whole - 1) :]
    np.cumsum(rest, out=rest)


def _way_up(scores: NDArray[Any]) -> int | None:
    """Return 1 if scores are in ascending order, -1 if in descending order, else None."""
    return next((way for way in (1, -1) if _never_falls(scores[::way])), None)


def _never_falls(scores: NDArray[Any]) -> bool:
    """Whether scores are in ascending order; most that are not show it soon."""
    soon = scores[:BLOCK]
    return bool((soon[1:] >= soon[:-1]).all() and (scores[1:] >= scores[:-1]).all())


def _merged(scores: NDArray[Any], positive: Mask) -> tuple[NDArray[Any], Mask]:
    """Return the scores in ascending order, and which of them belong to positives."""
    both = np.empty_like(scores)
    size = int(np.count_nonzero(positive))
    for side, part in ((positive, both[:size]), (~positive, both[size:])):
        np.compress(side, scores, out=part)
        part.sort()
    order = np.argsort(both, kind="stable")  # finds the two runs and merges them
    return both[order], order < size


def _distinct(ascending: NDArray[Any]) -> tuple[NDArray[Any], Mask | None]:
    """Return distinct values in descending order, and which cases are the last ones at theirs.

    These are in descending order, too; None if all values are distinct.
    """
    first = np.empty(len(ascending), dtype=bool)
    first[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    if first.all():
        return ascending[::-1], None
    return ascending[first][::-1], np.ascontiguousarray(first[::-1])


def sort_together(scores: NDArray[Any], amounts: Array) -> tuple[NDArray[Any], Array]:
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


def _in_buckets(numbers: Integers, shift: int, amounts: Array) -> tuple[Integers, Array]:
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


def _places(numbers: Integers, shift: int, width: Index) -> tuple[Whole, Whole]:
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


def _turned(bits: Whole) -> Whole:
    """Let the bits of negative floats, which count backwards, count forwards, or back again."""
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)
