"""Shares of positives in bins of scores, each with its exact interval."""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask
from baserate._beta import clopper_pearson
from baserate._checks import confidence, one_of, whole_number
from baserate._result import Result
from baserate.curves.confidence_band import WEIGHTED
from baserate.curves.cut_points import Sweep
from baserate.curves.losses import probabilities
from baserate.curves.score_bins import SPARE, UNIT, score_ends

Kind = Literal["mass", "width"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CalibrationBins(Result):
    """Bins of probabilities, the lowest first; bins without a case are left out.

    "width": ((b - 1) / n_bins, b / n_bins], 0 in the first. "mass": with the cases in the order of
    their scores, tied scores stay together in the bin that holds the middle one of them; bins then
    differ in size, and there may be fewer. The ECE depends on the number of bins: it is 0 also for
    models wrong within bins, and too high on average where cases are few. The isotonic curve, its
    band and the distances from it need no bins.

    Scores that a histogram counts together stay together, too. Its `ece_bounds` hold the error of
    bins that may part them: a score elsewhere in its bin changes the error by the distance at most,
    and a case that goes to another bin by twice its own ``|outcome - score|``.

    Other names: reliability diagram, calibration plot by deciles (10 of "mass"), adaptive ECE
    ("mass").

    Attributes
    ----------
    kind : {"mass", "width"}
        Bins of about as many cases each, or of the same width.
    low_score, high_score : array of shape (m,)
        The lowest and the highest score in each bin.
    n, positives, mean_score, share : array of shape (m,)
        Cases and positives, or sums of their weights; mean score, and positives / n.
    low, high : array of shape (m,)
        Clopper-Pearson interval of the share, for each bin by itself (some one of ten 95% intervals
        may miss in 40% of all samples); nan if `reason` says why.
    ece : float
        Expected calibration error: Σ n ``|share - mean_score|`` / Σ n.
    confidence_level : float
    route, reason : str or None
        "exact", or why there are no intervals.
    mean_score_bounds : pair of arrays of shape (m,), or None
        What holds the mean score of the cases of each bin, where scores were counted together, in
        finer bins: bins are then made of whole ones, and all else that they say is exact.
    ece_bounds : pair of float or None
        What holds the error of the scores themselves, in bins of their own.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), AAAI, doi:10.1609/aaai.v29i1.9602, for the ECE. Clopper
    and Pearson (1934), Biometrika 26:404, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> import baserate as br
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.2, 0.3, 0.6, 0.7, 0.7, 0.8]
    >>> found = br.calibration(y, p).bins(n_bins=2)
    >>> found.n, found.share, found.mean_score.round(3)
    (array([4, 4]), array([0.25, 0.75]), array([0.175, 0.7  ]))
    >>> round(found.ece, 4), found.low.round(4), found.high.round(4)
    (0.0625, array([0.0063, 0.1941]), array([0.8059, 0.9937]))
    """

    kind: Kind
    low_score: Array
    high_score: Array
    n: NDArray[Any]
    positives: NDArray[Any]
    mean_score: Array
    share: Array
    low: Array
    high: Array
    ece: float
    confidence_level: float
    route: str | None = None
    reason: str | None = None
    mean_score_bounds: tuple[Array, Array] | None = None
    ece_bounds: tuple[float, float] | None = None


def calibration_bins(
    swept: Sweep, *, n_bins: int = 10, kind: Kind = "mass", confidence_level: float = 0.95
) -> CalibrationBins:
    """Return cases and positives in bins of probabilities; see `CalibrationBins`."""
    number = whole_number("n_bins", n_bins, minimum=1)
    level = confidence(confidence_level)
    one_of("kind", kind, Kind)
    scores = probabilities(swept)[::-1]
    lowest, highest = (end[::-1] for end in score_ends(swept))
    positive, negative = (side[::-1] for side in swept.by_score)
    cases = positive + negative
    _, first = np.unique(_bins(scores, cases, number, kind), return_index=True)
    n, positives = np.add.reduceat(cases, first), np.add.reduceat(positive, first)
    mean, share = np.add.reduceat(cases * scores, first) / n, positives / n
    low = high = np.full(len(n), nan)
    if not swept.is_weighted:
        low, high = clopper_pearson(positives, n - positives, level)
    ece, bounds, means = float(n @ np.abs(share - mean) / n.sum()), None, None
    if swept.highest is not None:
        slack = (len(scores) + SPARE) * UNIT
        sums = (np.add.reduceat(cases * end, first) / n for end in (lowest, highest))
        low_mean, high_mean = sums
        means = low_mean - slack, high_mean + slack
        moved = _may_part((lowest, highest), cases, number, kind)
        worst = np.where(positive > 0, 1 - lowest, 0), np.where(negative > 0, highest, 0)
        apart = float(cases @ (highest - lowest)) / 2
        parted = float((moved * (positive * worst[0] + negative * worst[1])).sum())
        room = (apart + 2 * parted) / float(n.sum()) + slack
        bounds = max(0.0, ece - room), min(1.0, ece + room)
    return CalibrationBins(
        mean_score_bounds=means,
        ece_bounds=bounds,
        kind=kind,
        low_score=lowest[first],
        high_score=highest[np.append(first[1:], len(scores)) - 1],
        n=n,
        positives=positives,
        mean_score=mean,
        share=share,
        low=low,
        high=high,
        ece=ece,
        confidence_level=level,
        route=None if swept.is_weighted else "exact",
        reason=WEIGHTED if swept.is_weighted else None,
    )


def _may_part(ends: tuple[Array, Array], cases: NDArray[Any], number: int, kind: Kind) -> Mask:
    """Return which scores that were counted together may be in several bins of their own.

    By mass, the middle of tied cases is at least half a case from either end.
    """
    if kind == "width":
        places = [_bins(end, cases, number, kind) for end in ends]
        return places[0] < places[1]
    up_to, total = np.cumsum(cases), cases.sum()
    middles = up_to - cases + 0.5, up_to - 0.5, up_to - cases / 2
    low, high, own = ((number * middle / total).astype(np.intp) for middle in middles)
    return (ends[0] < ends[1]) & ((low < high) | (own < low) | (own > high))


def _bins(scores: Array, cases: NDArray[Any], number: int, kind: Kind) -> Index:
    """Return the bin of each distinct score, from 0; the scores ascend, and so do these."""
    if kind == "width":
        return np.searchsorted(np.arange(1, number) / number, scores)
    up_to = np.cumsum(cases)
    middle = up_to - cases / 2
    return np.minimum((number * middle / up_to[-1]).astype(np.intp), number - 1)
