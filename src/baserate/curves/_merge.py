"""Sorting scores and counting the cases of each class at or above every distinct one.

Scores that are in order already, either way, are not sorted again. Otherwise the numbers of each class
are sorted apart, without carrying labels along, which is several times faster than an argsort of all;
a merge of the two sorted runs then says where each class stands. Weights are sorted with their scores.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.curves._bucket_sort import sort_together

Counts = NDArray[Any]
BLOCK = 1 << 14  # weights summed before blocks are added up: a fourth of them one after the other
TIED = 8  # cases at one score, on average, from which on they are summed before all others


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
    ascending, is_positive = (scores, positive) if way else _merged(scores, positive)
    distinct, cases = _distinct(ascending[::way])
    # A running total of reversed booleans takes seven times as long without a copy of them.
    descending = np.ascontiguousarray(is_positive[:: -(way or 1)])
    positives = _led(np.int64, len(descending))
    np.cumsum(descending, out=positives[1:])
    if cases is not None:
        positives = positives[cases]
        return Steps(distinct, positives, np.subtract(cases, positives, out=cases))
    negatives = _led(np.int64, len(descending))
    np.cumsum(~descending, out=negatives[1:])
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
    distinct, cases = _distinct(scores[::way])
    size, down = len(weights), -(way or 1)
    positive, weights = positive[::down], weights[::down]
    sums: list[Counts] = []
    squares: list[Counts] = []
    for side in (positive, ~positive):
        sums.append(_totals(lambda part, side=side: weights[part] * side[part], size, cases))
        squares.append(
            _totals(lambda part, side=side: np.square(weights[part]) * side[part], size, cases)
        )
    return Steps(distinct, *sums), Steps(distinct, *squares)


def _led(dtype: Any, size: int) -> Counts:
    """Return room for so many values, behind a 0."""
    array = np.empty(size + 1, dtype=dtype)
    array[0] = 0
    return array


def _totals(
    amounts: Callable[[slice], NDArray[np.float64]], size: int, counts: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return the totals of the first so many amounts, or of any number of them."""
    if counts is not None and TIED * len(counts) < size:
        ties = np.add.reduceat(amounts(slice(None)), counts[:-1])
        return _totals(lambda part: ties[part], len(ties), None)
    totals = _led(np.float64, size)
    cumulate((amounts(slice(low, low + BLOCK)) for low in range(0, size, BLOCK)), totals[1:])
    return totals if counts is None else totals[counts]


def cumulate(blocks: Iterable[NDArray[np.float64]], totals: NDArray[np.float64]) -> None:
    """Fill in running totals of amounts, which come in blocks that are overwritten.

    The error grows with the number of blocks, not of amounts. The totals never fall: one just above
    a block's last one is not let below it by rounding.
    """
    low, before, least = 0, 0.0, 0.0
    for block in blocks:
        part = totals[low : low + len(block)]
        total = block.sum()
        _cumulate(block)
        np.add(block, before, out=part)
        if part[0] < least:
            np.maximum(part, least, out=part)
        low, before, least = low + len(part), before + total, part[-1]


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


def _distinct(ascending: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    """Return distinct values in descending order, and the number of cases at or above each rule.

    None where every value is distinct: then rule i has i cases.
    """
    size = len(ascending)
    first = np.empty(size, dtype=bool)
    first[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    if first.all():
        return ascending[::-1], None
    at = np.flatnonzero(first)[::-1]
    cases = _led(np.int64, len(at))
    np.subtract(size, at, out=cases[1:])
    return ascending[at], cases
