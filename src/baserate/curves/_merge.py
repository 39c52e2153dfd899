"""Sorting scores and counting the cases of each class at or above every distinct one.

Sorting the numbers of each class apart, without carrying labels along, is several times faster than
an argsort of all; a merge of the two sorted runs then says where each class stands. Only weights
need an argsort, within each class: the counts say how many of them to add up.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]
BLOCK = 4096  # weights summed one after the other before blocks are added up


class Steps(NamedTuple):
    """Distinct scores in descending order, with sums over the cases at or above each of them."""

    scores: NDArray[Any]
    positive: Counts
    negative: Counts


def count_cases(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Steps:
    """Count positives and negatives at or above each distinct score."""
    ascending, is_positive = _merged(scores, positive)
    descending, positives = ascending[::-1], np.cumsum(is_positive[::-1])
    del is_positive
    cases = _at_or_above(descending)
    if len(cases) < len(descending):
        descending, positives = descending[cases - 1], positives[cases - 1]
    return Steps(descending, positives, cases - positives)


def sum_weights(
    scores: NDArray[Any], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[Steps, Steps]:
    """Sum weights, and squared weights, at or above each distinct score."""
    steps = count_cases(scores, positive)
    sums: list[Counts] = []
    squares: list[Counts] = []
    for count, side in ((steps.positive, positive), (steps.negative, ~positive)):
        ordered = weights[side][np.argsort(scores[side])[::-1]]
        sums.append(_first(count, ordered))
        squares.append(_first(count, ordered * ordered))
    return Steps(steps.scores, *sums), Steps(steps.scores, *squares)


def _first(count: Counts, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the total of so many amounts, from the first on."""
    return np.append(0.0, cumulated(amounts))[count]


def cumulated(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return running totals whose error grows with the number of blocks, not of cases.

    They never fall: a total just above a block's last one is not let below it by rounding.
    """
    padded = np.zeros(-(-len(amounts) // BLOCK) * BLOCK)
    padded[: len(amounts)] = amounts
    blocks = padded.reshape(-1, BLOCK)
    offsets = np.cumsum(blocks.sum(axis=1))
    np.cumsum(blocks, axis=1, out=blocks)
    blocks[1:] += offsets[:-1, None]
    return np.maximum.accumulate(padded[: len(amounts)])


def _merged(
    scores: NDArray[Any], positive: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the scores in ascending order, and which of them belong to positives."""
    both = np.empty_like(scores)
    size = int(np.count_nonzero(positive))
    for side, part in ((positive, both[:size]), (~positive, both[size:])):
        np.take(scores, np.flatnonzero(side), out=part, mode="clip")  # "raise" would buffer
        part.sort()
    order = np.argsort(both, kind="stable")  # finds the two runs and merges them
    return both[order], order < size


def _at_or_above(descending: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of cases at or above each distinct value."""
    last = descending[1:] != descending[:-1]
    if last.all():
        return np.arange(1, len(descending) + 1)
    return np.append(np.flatnonzero(last) + 1, len(descending))
