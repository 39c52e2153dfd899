"""Intervals of neighbouring scores at all scales, and what their cases say about a share."""

from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# Chosen by the mean width of the band, for n from 5 to 5000 (benchmarks/bench_calibration_band.py):
LENGTHS = 2  # per halving
STEP = 0.25  # from one interval to the next of its length, in lengths
SHORTEST = 0.75  # times log2(20 n): shorter intervals could say next to nothing at their error


class Family(NamedTuple):
    """Intervals of distinct scores, the longest first, and how the error is shared among them.

    Chosen without a look at the outcomes, so that the error may be divided.
    """

    start: Indices  # each holds the distinct scores start, ..., end - 1, counted from the lowest
    end: Indices
    share: Array  # of the error; they sum to 1
    lengths: Indices  # where one length ends and the next begins, as for `itertools.pairwise`


def family(cases: NDArray[np.int64]) -> Family:
    """Return intervals of n, n / √2, n / 2, ... cases, each length in steps of a quarter of it.

    All lengths get the same part of the error, and so do all intervals of a length. Tied cases stay
    together: an interval grows until it holds whole ties, and one that is met twice gets both
    shares. Of the order of n intervals. `cases` lie below each distinct score, and last all.
    """
    total, ties = int(cases[-1]), len(cases) - 1 < cases[-1]
    starts, ends, shares, counts = [], [], [], [0]
    for length in _lengths(total):
        right = _right_ends(cases, length)
        start, end = right - length, right
        if ties:
            start = np.searchsorted(cases, start, side="right") - 1
            end = np.searchsorted(cases, end)
            new = np.append(True, (np.diff(start) != 0) | (np.diff(end) != 0))
            start, end = start[new], end[new]
        starts.append(start)
        ends.append(end)
        shares.append(np.full(len(start), 1 / len(start)))
        counts.append(len(start))
    found = Family(
        start=np.concatenate(starts),
        end=np.concatenate(ends),
        share=np.concatenate(shares) / len(starts),
        lengths=np.cumsum(counts),
    )
    return _merged(found, len(cases)) if ties else found


def _right_ends(cases: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return where intervals of so many cases end, from the highest score down.

    Of far more cases than distinct scores, only those ends are kept at which an interval first
    holds other scores than the one before.
    """
    total, step = int(cases[-1]), max(1, int(STEP * length))
    number = -((length - total) // step)
    if number > 4 * len(cases):
        turns = np.concatenate((cases + 1, cases + length))  # from these on downwards, others
        first = np.sort(np.append(0, (total - turns) // step + 1), kind="stable")
        ends = total - step * first[(first >= 0) & (first < number)]
    else:
        ends = np.arange(total, length, -step)
    return np.append(ends, length)


def _lengths(total: int) -> list[int]:
    """Return the lengths of intervals, in cases, the whole first."""
    shortest = min(SHORTEST * log2(20 * total), max(1, total / 2))
    steps = int(LENGTHS * log2(total / shortest))
    return sorted({int(total / 2 ** (i / LENGTHS)) for i in range(steps + 1)}, reverse=True)


def _merged(found: Family, size: int) -> Family:
    """Keep each interval once, with all its shares."""
    key = found.start * size + found.end
    _, first, again = np.unique(key, return_index=True, return_inverse=True)
    share = np.zeros(len(first))
    np.add.at(share, again, found.share)
    order = np.argsort(first)
    kept = first[order]
    lengths = np.searchsorted(kept, found.lengths)
    return Family(found.start[kept], found.end[kept], share[order], lengths)


def mirrored(found: Family, size: int) -> Family:
    """Return the same intervals of `size` distinct scores counted from the highest."""
    return found._replace(start=size - found.end, end=size - found.start)


def may_exceed(positives: Any, n: Any, error: Any, level: Any) -> NDArray[np.bool_]:
    """Return False only where the lower limit is certain not to exceed the level; cheap.

    With z = sqrt(2 n KL(positives / n, level)), Binomial(n, level) reaches the positives or more
    with probability above 1 - Φ(z) (Zubkov and Serov 2013, Theory of Probability and Its
    Applications 57:539), and KL(a, b) <= (a - b)² / (b (1 - b)).
    """
    from scipy.special import ndtri, xlogy

    share = positives / n
    least = ndtri(error) ** 2 / (2 * n) * (1 - 1e-9)
    may = (share > level) & ((share - level) ** 2 >= least * level * (1 - level))
    a, b = share[may], np.broadcast_to(level, share.shape)[may]
    with np.errstate(divide="ignore", over="ignore"):
        divergence = xlogy(a, a / b) + xlogy(1 - a, (1 - a) / (1 - b))
    may[may] = divergence >= np.broadcast_to(least, share.shape)[may]
    return may
