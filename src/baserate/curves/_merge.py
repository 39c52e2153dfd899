"""Sorting scores and counting the cases of each class at or above every distinct one.

Scores that are in order already, either way, are not sorted again. Otherwise the numbers of each
class are sorted apart, without carrying labels along, which is several times faster than an argsort
of all; a merge of the two sorted runs then says where each class stands. Weights are sorted along
with their scores, in buckets.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.curves._bucket_sort import sort_together

Counts = NDArray[Any]
BLOCK = 1 << 14  # weights summed before blocks are added up: a fourth of them one after the other


class Steps(NamedTuple):
    """Distinct scores in descending order, and sums over the cases at or above each of them.

    The sums begin with 0, of the rule that calls nothing positive.
    """

    scores: NDArray[Any]
    positive: Counts
    negative: Counts


def count_cases(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Steps:
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


def sum_weights(
    scores: NDArray[Any], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[Steps, Steps]:
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


def _downwards(positive: NDArray[np.bool_], way: int | None) -> NDArray[np.bool_]:
    """Return which cases are positive, the highest score first; the copy is read much faster."""
    return np.ascontiguousarray(positive[:: -(way or 1)])


def _sum_up(
    weights: NDArray[np.float64],
    chosen: NDArray[np.bool_],
    power: int,
    last: NDArray[np.bool_] | None,
    totals: NDArray[np.float64],
) -> None:
    """Fill in running totals of powers of the chosen weights, at the last case of each score."""
    low = 0
    parts = [slice(low, low + BLOCK) for low in range(0, len(weights), BLOCK)]
    amounts = (chosen[part] * weights[part] ** power for part in parts)
    for part, block in zip(parts, cumulated(amounts), strict=True):
        kept = block if last is None else block[last[part]]
        totals[low : low + len(kept)] = kept
        low += len(kept)


def cumulated(blocks: Iterable[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
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


def _cumulate(amounts: NDArray[np.float64]) -> None:
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


def _merged(
    scores: NDArray[Any], positive: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the scores in ascending order, and which of them belong to positives."""
    both = np.empty_like(scores)
    size = int(np.count_nonzero(positive))
    for side, part in ((positive, both[:size]), (~positive, both[size:])):
        np.compress(side, scores, out=part)
        part.sort()
    order = np.argsort(both, kind="stable")  # finds the two runs and merges them
    return both[order], order < size


def _distinct(ascending: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return distinct values in descending order, and which cases are the last ones at theirs.

    These are in descending order, too; None if all values are distinct.
    """
    first = np.empty(len(ascending), dtype=bool)
    first[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    if first.all():
        return ascending[::-1], None
    return ascending[first][::-1], np.ascontiguousarray(first[::-1])
