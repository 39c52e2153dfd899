"""Sorting scores and counting the cases of each class at or above every distinct one.

Sorting the numbers of each class apart, without carrying labels along, is several times faster than
an argsort of all; a merge of the two sorted runs then says where each class stands. Cases with
weights take the argsort, since their weights must travel with them.
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
    merged, is_positive = _merged(scores, positive)
    before = np.cumsum(is_positive)  # positives up to each place, from the smallest score on
    total = int(before[-1])
    starts = _starts(merged)
    if len(starts) == len(merged):
        positives = np.subtract(total, before - is_positive)[::-1]
    else:
        merged = merged[starts]
        positives = np.append(total, total - before[starts[1:] - 1])[::-1]
    del before, is_positive
    at_or_above = len(scores) - starts[::-1]
    return Steps(merged[::-1], positives, at_or_above - positives)


def sum_weights(
    scores: NDArray[Any], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[Steps, Steps]:
    """Sum weights, and squared weights, at or above each distinct score."""
    order = np.argsort(scores)[::-1]
    ordered = scores[order]
    ends = np.append(_starts(ordered)[1:], len(ordered)) - 1
    weights, positive = weights[order], positive[order]
    del order

    def steps(amounts: NDArray[np.float64]) -> Steps:
        sides = (np.where(side, amounts, 0.0) for side in (positive, ~positive))
        return Steps(ordered[ends], *(cumulated(side)[ends] for side in sides))

    return steps(weights), steps(weights * weights)


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


def _starts(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each run of equal values starts."""
    return np.append(0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
