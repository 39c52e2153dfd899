"""How far probabilities are from the calibration curve, and where, as far as the band proves it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Whole
from baserate._beta import lower_limit
from baserate._result import Result
from baserate.curves.confidence_band import (
    CalibrationBand,
    Family,
    cumulated,
    families,
    may_exceed,
    mirrored,
)
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.isotonic import bounds_of, fitted
from baserate.curves.losses import probabilities
from baserate.curves.score_bins import outward, score_ends

Direction = Literal["underestimates", "overestimates"]

# A binomial reaches its mean with a probability above this, if that is above 1: see `_proven`.
REACHES_MEAN = 1 / 4
FARTHEST = 32  # a quarter of their length apart, each fourth or fifth is disjoint, ties aside


@dataclass(frozen=True, slots=True, kw_only=True)
class MiscalibratedRegion(Result):
    """Neighbouring scores at all of which the band excludes the probability stated.

    All regions hold at once with the band's confidence level at least. A score that is in none may
    be as wrong: then the cases are too few to say so.

    Attributes
    ----------
    low_score, high_score : float
    direction : {"underestimates", "overestimates"}
        What the probabilities do: the curve lies above them, or below.
    n, positives : int
    at_least, at : float
        The largest distance between probability and curve that the band proves, and the score
        where.
    mean_at_least : float
        The mean distance over these cases that it proves.

    References
    ----------
    Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2023), Biometrika 110:663,
    doi:10.1093/biomet/asac068.

    Examples
    --------
    >>> import baserate as br
    >>> (region,) = br.calibration([1] * 40 + [0] * 60, [0.2] * 100).regions()
    >>> region.low_score, region.high_score, region.direction, round(region.at_least, 4)
    (0.2, 0.2, 'underestimates', 0.1033)
    """

    low_score: float
    high_score: float
    direction: Direction
    n: int
    positives: int
    at_least: float
    at: float
    mean_at_least: float


def calibration_distances(swept: Sweep, band: CalibrationBand) -> dict[str, Estimate]:
    """Return ICI, E50, E90 and ECI of a sweep and its band; see `Calibration.ici`."""
    stated, n = probabilities(swept)[::-1], np.add(*swept.by_score)[::-1]
    distance = np.abs(fitted(swept) - stated)
    flat = np.abs(swept.base_rate - stated)
    values, chances = distance_measures(distance, n), distance_measures(flat, n)
    lows = highs = (np.nan,) * 4
    about: list[dict[str, Any]] = [{"chance": chance} for chance in chances]
    if swept.highest is not None:
        about = _of_bins(swept, n)
    if band.reason is None:
        low, high = band.at(stated)
        nearest = np.maximum(np.maximum(low - stated, stated - high), 0)
        farthest = np.maximum(high - stated, stated - low)
        lows, highs = list(distance_measures(nearest, n)), distance_measures(farthest, n)
        proven = _proven(swept, stated, (1 - band.confidence_level) / 2)
        lows[0], lows[3] = max(lows[0], proven[0]), max(lows[3], 100 * proven[1])
    names = ("ici", "e50", "e90", "eci")
    shared = {
        "confidence_level": band.confidence_level,
        "perfect": 0.0,
        "route": None if band.reason else band.route,
        "reason": band.reason,
    }
    return {
        name: Estimate(value=value, low=min(low, value), high=max(high, value), **more, **shared)
        for name, value, low, high, more in zip(names, values, lows, highs, about, strict=True)
    }


def _of_bins(swept: Sweep, n: NDArray[Any]) -> list[dict[str, Any]]:
    """Return what holds the distances of scores that were counted in bins, and why no chance.

    In a bin, curve and probability lie each between two limits; the distances between them are at
    least what is between these, and at most what they span, and all four measures grow with every
    distance.
    """
    low, high = bounds_of(swept)
    lowest, highest = (end[::-1] for end in score_ends(swept))
    rate = swept.base_rate
    found = [
        [
            distance_measures(np.maximum(np.maximum(below - highest, lowest - above), 0), n),
            distance_measures(np.maximum(above - lowest, highest - below), n),
        ]
        for below, above in ((low, high), (rate, rate))
    ]
    sides = [[outward(*ends, terms=len(n)) for ends in zip(*one, strict=True)] for one in found]
    return [
        {
            "bounds": (max(0.0, own[0]), own[1]),
            "chance_reason": f"known within bounds only: from {flat[0]:.6g} to {flat[1]:.6g}",
        }
        for own, flat in zip(*sides, strict=True)
    ]


def miscalibrated_regions(swept: Sweep, band: CalibrationBand) -> tuple[MiscalibratedRegion, ...]:
    """Return where probabilities are too low or too high, the lowest scores first."""
    stated = probabilities(swept)[::-1]
    if band.reason is not None:
        return ()
    low, high = band.at(stated)
    side = (low > stated).astype(np.int8) - (high < stated)
    cases, positives = cumulated(swept)
    proven = np.where(side > 0, low - stated, stated - high)
    starts = np.flatnonzero(np.diff(side, prepend=0, append=0))
    found = []
    for first, end in pairwise(starts.tolist()):
        if side[first]:
            most = first + int(np.argmax(proven[first:end]))
            n = np.diff(cases[first : end + 1])
            found.append(
                MiscalibratedRegion(
                    low_score=float(stated[first]),
                    high_score=float(stated[end - 1]),
                    direction="underestimates" if side[first] > 0 else "overestimates",
                    n=int(n.sum()),
                    positives=int(positives[end] - positives[first]),
                    at_least=float(proven[most]),
                    at=float(stated[most]),
                    mean_at_least=float(np.average(proven[first:end], weights=n)),
                )
            )
    return tuple(found)


def distance_measures(distance: Array, n: NDArray[Any]) -> tuple[float, float, float, float]:
    """Return mean, median, 90th percentile and 100 times the mean square, over the cases."""
    total = n.sum()
    parts = (1, 2), (9, 10)  # that the least distances do not exceed
    if n.dtype.kind != "f" and n.max() == 1 == n.min():  # no ties: selected sooner than sorted
        ranks = [-(-top * len(n) // bottom) - 1 for top, bottom in parts]
        half, most = np.partition(distance, ranks)[ranks].tolist()
    else:
        order = np.argsort(distance)
        below, whole = np.cumsum(n[order]), n.dtype.kind != "f"
        last = below[-1].item()
        needed = [-(-top * last // end) if whole else last * top / end for top, end in parts]
        half, most = distance[order[np.searchsorted(below, needed)]].tolist()
    return float(distance @ n / total), half, most, float(100 * (distance**2 @ n / total))


def _proven(swept: Sweep, stated: Array, error: float) -> tuple[float, float]:
    """Return lower limits of the mean distance and of its mean square, from whole intervals.

    In each interval of the families, the mean of the curve lies between the limits, all at once,
    whatever the curve: a sum of independent outcomes of unequal probabilities reaches k >= 1 + its
    mean at most as likely as a binomial of the same mean does (Hoeffding 1956). A limit that is too
    high stems from such a k if its error is at most 1/4 (Greenberg and Mohri 2014, Statistics and
    Probability Letters 86:91), but for k = 1, where 1 - exp(-error) makes up for it. Parts where
    the curve is above and where it is below what is stated add up.
    """
    if error > REACHES_MEAN:
        return 0.0, 0.0
    cases, positives = cumulated(swept)
    sides, total, size = families(cases), cases[-1], len(stated)
    expected = np.append(0.0, np.cumsum(stated * np.diff(cases)))
    above = _missing(cases, positives, expected, sides[0], error)
    # The same for negatives, counted from the highest score down.
    back, rest = total - cases[::-1], cases - expected
    negatives = back - (positives[-1] - positives[::-1])
    below = _missing(back, negatives, rest[-1] - rest[::-1], mirrored(sides[1], size), error)
    first, second = ((a + b) / total for a, b in zip(above, below, strict=True))
    return float(first), float(second)


def _missing(
    cases: Whole,
    positives: Whole,
    expected: Array,
    intervals: Family,
    error: float,
) -> tuple[float, float]:
    """Return what disjoint intervals of one length prove at most, as two sums over cases.

    Of the distances by which the curve lies above what is stated, and of their squares.
    """
    best = np.zeros(2)
    for first, last in pairwise(intervals.lengths):
        start, end = intervals.start[first:last], intervals.end[first:last]
        n, found = cases[end] - cases[start], positives[end] - positives[start]
        level = np.clip((expected[end] - expected[start]) / n, 0, 1)
        own = -np.expm1(-error * intervals.share[first:last])
        may = may_exceed(found, n, own, level)
        if may.any():
            short = np.zeros(len(n))
            proven = lower_limit(found[may], (n - found)[may], own[may])
            short[may] = np.maximum(proven - level[may], 0)
            best = np.maximum(best, _disjoint(start, end, np.stack((n * short, n * short**2))))
    return float(best[0]), float(best[1])


def _disjoint(start: Any, end: Any, worth: Array) -> Array:
    """Return the largest sums over each q-th interval, with q large enough to keep them apart.

    The last interval may lie close to the one before, so it is also tried without.
    """
    best = worth.max(axis=1)
    for m in {len(start), len(start) - 1}:
        apart = (q for q in range(2, min(m, FARTHEST)) if (start[: m - q] >= end[q:m]).all())
        q = next(apart, m)
        for offset in range(q if q < m else 0):
            best = np.maximum(best, worth[:, offset:m:q].sum(axis=1))
    return best
