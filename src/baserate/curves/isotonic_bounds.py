"""What holds the isotonic calibration curve of scores that were counted in bins.

The curve at a score s is the least, over places b at or above s, of the greatest share of positives
among the cases from a to b, over places a at or below s. For b the upper end of a bin will do: an
end more can only lower the least. From a within a bin up to b lie all cases of the bins between and
some of the first, whose share of positives is greatest if these are its positives alone. So in bin
j the curve is at most

    u(j) = min over bins k >= j of max over bins i <= j of (P + p(i)) / (N + p(i)),

with P and N the positives and cases of the bins after i up to k, p(i) the positives of i. Any one k
gives a bound that holds; the ends of the pools of tied scores at or after j are tried, a few. From
below, the same holds with negatives for positives and the scores turned round.

The places of a are the points (N, P) just before the positives of each bin; for one k, the greatest
slope from those up to j is found among the corners of their lower hull.
"""

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

FURTHER = 4  # pools after its own whose ends are tried for a bin
SHORTEST = 8  # bins ahead of one, of which the nearest ends are tried besides


def fitted_bounds(positive: Whole, negative: Whole, apart: Any, ends: Whole) -> tuple[Array, Array]:
    """Return what holds the isotonic curve in each bin, the lowest scores first.

    `apart` says whether the scores of a bin differ; `ends` are the last bins of pools of tied
    scores.
    """
    high = _at_most(positive, negative, apart, ends)
    starts = np.append(0, ends[:-1] + 1)
    turned = len(positive) - 1 - starts[::-1]
    low = 1 - _at_most(negative[::-1], positive[::-1], apart[::-1], turned)[::-1]
    return np.minimum(low, 1.0), high


def _at_most(positive: Whole, negative: Whole, apart: Any, ends: Whole) -> Array:
    cases, found = np.cumsum(positive + negative), np.cumsum(positive)
    kept = np.where(apart, positive, positive + negative)  # of the bin where the interval begins
    x, y = cases - kept, found - positive
    most = np.ones(len(positive))
    hull = _Hull()
    first = 0
    starts = np.append(0, ends[:-1] + 1).tolist()
    for pool, start in enumerate(starts):
        hull.grow(x[first:start], y[first:start])
        first = start
        end = int(ends[pool])
        bins = slice(start, end + 1)
        tried = [int(ends[after]) for after in range(pool, min(pool + FURTHER, len(ends)))]
        for k in tried:
            top = (int(cases[k]), int(found[k]))
            own = _slopes(x[bins], y[bins], top)
            so_far = np.maximum(np.maximum.accumulate(own), hull.steepest(*top))
            most[bins] = np.minimum(most[bins], so_far)
    return most


def _slopes(x: Whole, y: Whole, top: tuple[int, int]) -> Array:
    """Return the slopes from points to one above; 0 from the point itself."""
    along = top[0] - x
    return np.where(along > 0, (top[1] - y) / np.maximum(along, 1), 0.0)


class _Hull:
    """The lower hull of points in order, in whole numbers."""

    def __init__(self) -> None:
        self.points: list[tuple[int, int]] = []

    def grow(self, x: Whole, y: Whole) -> None:
        """Add points further to the right, and no lower."""
        kept = self.points
        for point in zip(x.tolist(), y.tolist(), strict=True):
            while len(kept) > 1 and _turns_down(kept[-2], kept[-1], point):
                kept.pop()
            kept.append(point)

    def steepest(self, x: int, y: int) -> float:
        """Return the greatest slope from one of the points to a further one; 0 without points.

        Along the hull the slope grows until the next segment is steeper than it.
        """
        kept = self.points
        if not kept:
            return 0.0

        def beyond(place: int) -> bool:
            return not _turns_down(kept[place], kept[place + 1], (x, y))

        place = bisect_left(range(len(kept) - 1), True, key=lambda at: not beyond(at))
        near = kept[max(0, place - 1) : place + 2]
        return max((y - b) / (x - a) for a, b in near if x > a)


def _turns_down(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Whether the way from a to c passes below b, or through it."""
    return (b[0] - a[0]) * (c[1] - a[1]) <= (b[1] - a[1]) * (c[0] - a[0])
