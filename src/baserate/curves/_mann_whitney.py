"""The law of the Mann-Whitney statistic when scores know nothing, given who shares a score.

scipy's exact test knows no ties, and takes longer to import than any sum within the budget here.
"""

from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[Any]

BUDGET = 1_000_000_000  # additions at most, half a second


def upper_tail(positive: Counts, negative: Counts) -> tuple[float, str]:
    """Return P(U >= u) under random labels, and how it was found: "exact" or "asymptotic".

    u counts pairs in which the positive has the higher score, ties one half. Cases of either class
    are given for each distinct score, the highest first.
    """
    sizes, twice_u = positive + negative, _twice_u(positive, negative)
    p, q = int(positive.sum()), int(negative.sum())
    if min(p, q) == 1:
        return _single(sizes, p, twice_u), "exact"
    if (p + q) * (min(p, q) + 1) * (2 * p * q + 1) <= BUDGET:
        return _exact(sizes, p, q, twice_u), "exact"
    return _normal(sizes, p, q, twice_u), "asymptotic"


def _twice_u(positive: Counts, negative: Counts) -> int:
    return int(np.dot(negative, 2 * np.cumsum(positive) - positive))


def _single(sizes: Counts, positive: int, twice_u: int) -> float:
    """Let one case be the only one of its class: it is any of the others with equal chance."""
    above = np.cumsum(sizes) - sizes
    below = sizes.sum() - above - sizes
    won = 2 * (below if positive == 1 else above) + sizes - 1
    return float(sizes[won >= twice_u].sum() / sizes.sum())


def _exact(by_score: Counts, few: int, many: int, twice_u: int) -> float:
    """Count labellings by their statistic, one shared score at a time.

    Of t cases that share a score and lie above m others, a of which carry the rarer label, j more
    can carry it in C(t, j) ways, and then win 2 j (m - a) + j (t - j) half pairs.
    """
    sizes = [int(size) for size in by_score]
    if few <= many:
        sizes.reverse()  # from the lowest score on; the rarer label wins from below otherwise
    few, many = sorted((few, many))
    unit = 1 if max(sizes) == 1 else 2
    ways = np.zeros((few + 1, unit * few * many + 1))
    ways[0, 0] = 1.0
    below = 0
    for size in sizes:
        _place(ways, size, below, unit)
        below += size
    least = twice_u // 2 if unit == 1 else twice_u
    return float(ways[few, least:].sum() / ways[few].sum())


def _place(ways: Array, size: int, below: int, unit: int) -> None:
    """Let every possible number of the cases of one score carry the rarer label."""
    top = ways.shape[1]
    for rare in range(min(len(ways) - 1, below + size), 0, -1):
        for j in range(max(1, rare - below), min(size, rare) + 1):
            others = below - (rare - j)
            won = unit * j * others + unit * j * (size - j) // 2
            length = min(top - won, unit * (rare - j) * others + 1)
            if length > 0:
                ways[rare, won : won + length] += float(comb(size, j)) * ways[rare - j, :length]


def _normal(sizes: Counts, positive: int, negative: int, twice_u: int) -> float:
    from scipy.special import ndtr

    n = positive + negative
    shared = sizes.astype(float)
    ties = float(np.sum(shared**3 - shared)) / (n * (n - 1))
    variance: Any = positive * (negative / 12) * (n + 1 - ties)
    if variance <= 0:  # one score shared by all
        return 1.0
    half = 0.5  # continuity: half the distance between neighbouring values of U
    return float(ndtr(-((twice_u - positive * negative) / 2 - half) / sqrt(variance)))
