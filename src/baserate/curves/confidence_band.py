"""A confidence band that holds the whole calibration curve at once, however few the cases."""

from dataclasses import dataclass
from itertools import pairwise
from math import log2, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask, Whole
from baserate._beta import lower_limit
from baserate._checks import confidence, float_array
from baserate._result import Result
from baserate.curves.cut_points import Sweep
from baserate.curves.score_bins import REMEDY

# Chosen by the mean width of the band, for n from 5 to 5000 (benchmarks/bench_calibration_band.py):
LENGTHS = 2  # per halving
STEP = 0.25  # from one interval to the next of its length, in lengths
SHORTEST = 0.75  # times log2(20 n): shorter intervals could say next to nothing at their error


class Family(NamedTuple):
    """Intervals of distinct scores, the longest first, and how the error is shared among them.

    Chosen without a look at the outcomes, so that the error may be divided.
    """

    start: Index  # each holds the distinct scores start, ..., end - 1, counted from the lowest
    end: Index
    share: Array  # of the error; they sum to 1
    lengths: Index  # where one length ends and the next begins, as for `itertools.pairwise`


def family(cases: Whole) -> Family:
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


def _right_ends(cases: Whole, length: int) -> Whole:
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


def may_exceed(positives: Any, n: Any, error: Any, level: Any) -> Mask:
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


COUNTED = f"no band is proved of counted scores, whose bins depend on outcomes: {REMEDY}"
WEIGHTED = (
    "weights have no binomial law: pass the cases without weights, to answer for this sample alone"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationBand(Result):
    """Limits that hold the calibration curve at every score at once.

    The curve c is the probability of a positive given the score. Assumed is only that it never
    falls and that cases are independent. In an interval of scores, the positives are then at most
    as many (stochastically) as those of a binomial with the share c(right end), so that its
    Clopper-Pearson lower limit lies above that only with the error it was given. Hence, with
    probability `confidence_level` at least, for all scores x, max of lower limits of intervals that
    end at or below x <= c(x) <= min of upper limits of intervals that start at or above x.

    The intervals hold n, n / √2, n / 2, ... cases, down to (3/4) log2(20 n); those of a length lie
    a quarter of it apart, from the highest score down for the lower limits, from the lowest up for
    the upper ones; tied scores stay together. Each side has half the error, each length the same
    part of it, each interval of a length the same part of that. All n (n + 1) / 2 intervals, as in
    the literature, give a wider band. O(n log n).

    Other names: honest calibration band, simultaneous confidence band, calibration belt (another,
    parametric band goes by this name).

    Attributes
    ----------
    scores : array of shape (m,)
        Ascending: the first and the last distinct score, and those between at which a limit
        changes. Empty if there is no band.
    low, high : array of shape (m,)
        The limits there. A lower limit holds up to the next score, an upper limit back to the one
        before: `at` gives both at any score.
    confidence_level : float
        The whole curve, if it never falls, lies within with this probability at least; 0.8 and 0.95
        are usually drawn together. A band of a higher level holds those of lower ones.
    n_intervals : int
        Intervals of scores among which the error is divided.
    route, reason : str or None
        "band"; why there is none (of weights and of counted scores), or why no curve that never
        falls fits into it.

    References
    ----------
    Dimitriadis, Dümbgen, Henzi, Puke and Ziegel (2023), Biometrika 110:663,
    doi:10.1093/biomet/asac068. Clopper and Pearson (1934), Biometrika 26:404,
    doi:10.1093/biomet/26.4.404.

    Examples
    --------
    One score, 10 positives among 100: Clopper and Pearson's interval.

    >>> import baserate as br
    >>> band = br.calibration([1] * 10 + [0] * 90, [0.1] * 100).band()
    >>> [round(limit, 4) for limit in band.at(0.1)]
    [0.049, 0.1762]
    >>> band.at(0.05)[0], band.at(0.2)[1]
    (0.0, 1.0)
    """

    scores: NDArray[Any]
    low: Array
    high: Array
    confidence_level: float
    n_intervals: int
    route: str | None = None
    reason: str | None = None

    @property
    def crosses(self) -> bool:
        """Whether a lower limit lies above the upper one: then the curve falls somewhere.

        Calibration curves that never fall give this with probability 1 - confidence_level at most,
        so it refutes that higher scores mean higher risks.
        """
        return bool((self.low > self.high).any())

    def at(self, scores: Any) -> tuple[Any, Any]:
        """Return lower and upper limits at these scores: two floats, or arrays of their shape.

        Limits are 0 below all scores seen, and 1 above them all; nan if there is no band.
        """
        floats = float_array("scores", scores)
        whole = np.asarray(scores)  # whole numbers beyond 2^53 as such
        at = whole if whole.dtype.kind in "iu" else floats
        if not len(self.scores):
            low, high = np.full((2, *at.shape), nan)
        else:
            lows, highs = np.append(0.0, self.low), np.append(self.high, 1.0)
            low = lows[np.searchsorted(self.scores, at, side="right")]
            high = highs[np.searchsorted(self.scores, at)]
        return (low.item(), high.item()) if at.ndim == 0 else (low, high)


def calibration_band(swept: Sweep, *, confidence_level: float = 0.95) -> CalibrationBand:
    """Return a band that holds the calibration curve at every score; see `CalibrationBand`."""
    level = confidence(confidence_level)
    if swept.is_weighted or swept.highest is not None:
        none, reason = np.empty(0), WEIGHTED if swept.is_weighted else COUNTED
        return CalibrationBand(
            scores=none, low=none, high=none, confidence_level=level, n_intervals=0, reason=reason
        )
    cases, positives = cumulated(swept)
    sides = families(cases)
    low, high = limits(cases, positives, sides, (1 - level) / 2)
    scores, kept = swept.thresholds[:0:-1], _corners(low, high)
    return CalibrationBand(
        scores=scores[kept],
        low=low[kept],
        high=high[kept],
        confidence_level=level,
        n_intervals=sum(len(side.share) for side in sides),
        route="band",
        reason=_refuted(scores, low, high),
    )


def cumulated(swept: Sweep) -> tuple[Whole, Whole]:
    """Return cases and positives below each distinct score, the lowest first, and all of them."""
    higher, every = swept.true_positives[::-1], swept.true_positives + swept.false_positives
    return every[-1] - every[::-1], higher[0] - higher


def families(cases: Whole) -> tuple[Family, Family]:
    """Return the intervals for lower and for upper limits: each seen from the other end."""
    return family(cases), mirrored(family(cases[-1] - cases[::-1]), len(cases) - 1)


def limits(
    cases: Whole,
    positives: Whole,
    sides: tuple[Family, Family],
    error: float,
) -> tuple[Array, Array]:
    """Return both limits at each distinct score, each side with this error."""
    low = _lower(cases, positives, sides[0], error)
    back = cases[-1] - cases[::-1]
    negatives = back - (positives[-1] - positives[::-1])
    high = 1 - _lower(back, negatives, mirrored(sides[1], len(cases) - 1), error)[::-1]
    return low, high


def _lower(cases: Whole, positives: Whole, intervals: Family, error: float) -> Array:
    """Return the highest lower limit among intervals that end at or before each distinct score.

    Long intervals come first: few short ones can then still raise the limit, and only for those is
    the incomplete beta function inverted.
    """
    at, level = np.zeros(1, dtype=np.intp), np.zeros(1)  # the steps of the limit, as they rise
    for first, last in pairwise(intervals.lengths):
        start, end = intervals.start[first:last], intervals.end[first:last]
        n, found = cases[end] - cases[start], positives[end] - positives[start]
        own = error * intervals.share[first:last]
        so_far = level[np.searchsorted(at, end - 1, side="right") - 1]
        may = np.flatnonzero(may_exceed(found, n, own, so_far))
        if len(may):
            raised = lower_limit(found[may], (n - found)[may], own[may])
            at, level = _rising(np.append(at, end[may] - 1), np.append(level, raised))
    return np.repeat(level, np.diff(at, append=len(cases) - 1))


def _rising(at: Index, level: Array) -> tuple[Index, Array]:
    """Return the steps of the highest level at or before each place."""
    order = np.argsort(at, kind="stable")
    at, level = at[order], np.maximum.accumulate(level[order])
    last = np.append(at[1:] > at[:-1], True)
    at, level = at[last], level[last]
    new = np.append(True, level[1:] > level[:-1])
    return at[new], level[new]


def _corners(low: Array, high: Array) -> Mask:
    """Say where a lower limit is new or an upper limit the last of its kind, and both ends."""
    return np.append(True, np.diff(low) > 0) | np.append(np.diff(high) > 0, True)


def _refuted(scores: NDArray[Any], low: Array, high: Array) -> str | None:
    gap = low - high
    worst = int(np.argmax(gap))
    if gap[worst] <= 0:
        return None
    return (
        f"no curve that never falls fits: at score {scores[worst]:.6g}, lower scores ask for at "
        f"least {low[worst]:.3g}, higher ones for at most {high[worst]:.3g}: check that high "
        "scores stand for positives, or look at the groups of cases one by one"
    )
