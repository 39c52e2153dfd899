"""The calibration curve that only assumes it never falls, and what it says about a mean loss.

Where scores were counted in bins, something holds it all the same. The curve at a score s is the
least, over places b at or above s, of the greatest share of positives among the cases from a to b,
over places a at or below s. For b the upper end of a bin will do: an end more can only lower the
least. From a within a bin up to b lie all cases of the bins between and some of the first, whose
share of positives is greatest if these are its positives alone. So in bin j the curve is at most

    u(j) = min over bins k >= j of max over bins i <= j of (P + p(i)) / (N + p(i)),

with P and N the positives and cases of the bins after i up to k, p(i) the positives of i. Any one k
gives a bound that holds; the ends of the pools of tied scores at or after j are tried, a few. From
below, the same holds with negatives for positives and the scores turned round.

The places of a are the points (N, P) just before the positives of each bin; for one k, the greatest
slope from those up to j is found among the corners of their lower hull.
"""

from bisect import bisect_left
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Whole
from baserate._checks import float_array, one_of
from baserate._result import Result
from baserate.curves.cut_points import Sweep
from baserate.curves.dominance import upper_hull
from baserate.curves.losses import Losses, loss_bounds, loss_ends, squared_errors, surprises
from baserate.curves.score_bins import SPARE, UNIT, Bounds, orders, outward, score_ends, spread_out
from baserate.errors import InvalidArgumentError

Loss = Literal["brier", "log"]

FURTHER = 4  # pools after its own whose ends are tried for a bin
FEW = 10_000  # distinct scores, a few milliseconds of hull


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IsotonicCurve(Result):
    """The share of positives at each score, by the best curve that never falls.

    It minimises the Brier score, and with it every proper loss, among all functions of the score
    that never fall: pools of neighbouring scores with the share of positives of each (pool
    adjacent violators). No bandwidth, no bins. Exact for counts. O(n), beside the sort. One entry
    per step, the lowest scores first; levels rise from each to the next.

    Other names: isotonic regression, PAV-calibrated probabilities, CORP reliability curve,
    nonparametric maximum likelihood; the slopes of the convex hull of the ROC curve.

    Attributes
    ----------
    low_score, high_score : array of shape (m,)
        The lowest and the highest score of a step; both belong to it.
    n, positives : array of shape (m,)
        Cases and positives of the step, or sums of their weights.
    level : array of shape (m,)
        positives / n.
    bounds : pair of arrays of shape (m,), or None
        What holds the curve of the scores themselves at all scores of a step, where scores were
        counted in bins; `level` takes those of a bin as tied. None if no score is lost.

    References
    ----------
    Ayer, Brunk, Ewing, Reid and Silverman (1955), Annals of Mathematical Statistics 26:641,
    doi:10.1214/aoms/1177728423. Dimitriadis, Gneiting and Jordan (2021), PNAS 118:e2016191118,
    doi:10.1073/pnas.2016191118.

    Examples
    --------
    The outcome at 0.3 is above that at 0.6, so these two are pooled:

    >>> import baserate as br
    >>> curve = br.calibration([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9]).curve()
    >>> curve.level, curve.low_score, curve.high_score
    (array([0. , 0.5, 1. ]), array([0.1, 0.3, 0.9]), array([0.1, 0.6, 0.9]))
    >>> curve.at(0.2)
    0.25
    """

    low_score: NDArray[Any]
    high_score: NDArray[Any]
    n: NDArray[Any]
    positives: NDArray[Any]
    level: Array
    bounds: tuple[Array, Array] | None = None

    def at(self, scores: Any) -> Any:
        """Return the curve at these scores: a float, or an array of their shape.

        Between two steps, where no case says more, it runs straight from one to the other. Below
        and above all scores it keeps the level of the first and of the last step.
        """
        corners = np.column_stack((self.low_score, self.high_score)).ravel().astype(float)
        levels = np.interp(float_array("scores", scores), corners, np.repeat(self.level, 2))
        return levels.item() if levels.ndim == 0 else levels


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDecomposition(Result):
    """A mean loss = miscalibration - discrimination + uncertainty; ``float()`` gives the loss.

    With S the mean loss: miscalibration = S(probabilities) - S(isotonic curve), discrimination =
    S(base rate) - S(isotonic curve), uncertainty = S(base rate). The first two are never negative.
    As the curve is fitted to the same cases, both are too high on average where cases are few.

    Attributes
    ----------
    loss : {"brier", "log"}
        (probability - outcome)², or -log(probability of what happened), natural logarithm.
    score : float
        Mean loss of the probabilities.
    miscalibration : float
        What recalibration by the isotonic curve would save; infinite, as the score, where
        `reason` says why. Other names: MCB, reliability.
    discrimination : float
        What the recalibrated probabilities save beside the base rate. Other names: DSC, resolution.
    uncertainty : float
        Mean loss of always saying the base rate. Other names: UNC, entropy.
    reason : str or None
    score_bounds, miscalibration_bounds, discrimination_bounds : pair of float or None
        What holds these of the scores themselves, where scores were counted in bins: they follow
        from the curve with all positives of a bin above its negatives.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), PNAS 118:e2016191118, doi:10.1073/pnas.2016191118.

    Examples
    --------
    The isotonic curve is 1/2 throughout, as the base rate is: with these scores nothing is known.

    >>> import baserate as br
    >>> found = br.calibration([1, 0, 1, 0], [0.2, 0.4, 0.6, 0.8]).decomposition()
    >>> round(found.score, 3), round(found.miscalibration, 3), found.discrimination
    (0.4, 0.15, 0.0)
    """

    loss: Loss
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    reason: str | None = None
    score_bounds: Bounds | None = None
    miscalibration_bounds: Bounds | None = None
    discrimination_bounds: Bounds | None = None

    def __float__(self) -> float:
        return self.score


def isotonic_curve(swept: Sweep) -> IsotonicCurve:
    """Return the calibration curve that fits best among all that never fall."""
    first, n, positives = _pools(swept)
    scores, highest = (end[::-1] for end in score_ends(swept))
    last = np.append(first[1:], len(scores)) - 1
    bounds = None
    if swept.highest is not None:
        low, high = bounds_of(swept)
        bounds = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
    return IsotonicCurve(
        bounds=bounds,
        low_score=scores[first],
        high_score=highest[last],
        n=n,
        positives=positives,
        level=positives / n,
    )


def fitted(swept: Sweep) -> Array:
    """Return the isotonic curve at each distinct score, the lowest first."""
    first, n, positives = _pools(swept)
    return np.repeat(positives / n, np.diff(np.append(first, len(swept.thresholds) - 1)))


def bounds_of(swept: Sweep) -> tuple[Array, Array]:
    """Return what holds the curve of the scores themselves in each bin, the lowest first."""
    first, _, _ = _pools(swept)
    positive, negative = (side[::-1] for side in swept.by_score)
    apart, last = spread_out(swept)[::-1], len(positive) - 1
    high = _at_most(positive, negative, apart, np.append(first[1:], len(positive)) - 1)
    low = 1 - _at_most(negative[::-1], positive[::-1], apart[::-1], last - first[::-1])[::-1]
    slack = SPARE * UNIT
    return np.maximum(low - slack, 0.0), np.minimum(high + slack, 1.0)


def decomposition(swept: Sweep, *, loss: Loss = "brier") -> ScoreDecomposition:
    """Split a mean loss into miscalibration, discrimination and uncertainty."""
    one_of("loss", loss, Loss)
    of_case = squared_errors if loss == "brier" else surprises
    score = Losses.of(swept, of_case).mean
    _, n, positives = _pools(swept)
    uncertainty = _pooled_loss(n.sum(keepdims=True), positives.sum(keepdims=True), loss)
    best = _pooled_loss(n, positives, loss)
    reason = None
    if score == inf:
        reason = (
            "a positive has probability 0, or a negative probability 1: pass the scores as they "
            "were before rounding, or read the Brier score"
        )
    return ScoreDecomposition(
        **_part_bounds(swept, of_case, loss, best, uncertainty),
        loss=loss,
        score=score,
        miscalibration=max(score - best, 0.0),
        discrimination=max(uncertainty - best, 0.0),
        uncertainty=uncertainty,
        reason=reason,
    )


def _part_bounds(
    swept: Sweep, of_case: Any, loss: Loss, best: float, uncertainty: float
) -> dict[str, Bounds]:
    """Return what holds the parts of the mean loss of counted scores."""
    both, ends = orders(swept), loss_ends(swept, of_case)
    if both is None or ends is None:
        return {}
    _, n, positives = _pools(both.best)
    low, high = outward(_pooled_loss(n, positives, loss), best, terms=len(both.best.thresholds))
    lost, saved = loss_bounds(*ends), outward(uncertainty - high, uncertainty - low)
    return {
        "score_bounds": lost,
        "miscalibration_bounds": (max(0.0, lost[0] - high), lost[1] - low),
        "discrimination_bounds": (max(0.0, saved[0]), saved[1]),
    }


def _pools(swept: Sweep) -> tuple[Index, NDArray[Any], NDArray[Any]]:
    """Return the first distinct score of each pool, the lowest first, its cases and positives.

    SciPy's pooling compares rounded means; the hull of what it leaves settles ties exactly. Of few
    scores the hull alone is found before SciPy's pooling is loaded.
    """
    positive, negative = (side[::-1] for side in swept.by_score)
    size = positive + negative
    kept = np.flatnonzero(size)  # a weight may be nothing beside the others
    starts = np.append(kept, len(size))
    if len(kept) > FEW:
        from scipy.optimize import isotonic_regression

        found: Any = isotonic_regression(positive[kept] / size[kept], weights=size[kept])
        starts = starts[found.blocks]
    starts[0] = 0
    # From the highest score down, as the ROC curve runs: its upper hull are the pools.
    corners = len(size) - starts[::-1]
    x, y = (side[corners].astype(float) for side in (swept.false_positives, swept.true_positives))
    ends = corners[upper_hull(x, y)]
    n = np.diff((swept.true_positives + swept.false_positives)[ends])
    positives = np.diff(swept.true_positives[ends])
    if not n.all():
        rule, remedy = "must not be lost in sums with larger ones", "leave out such cases"
        given = float(size[kept].min())
        raise InvalidArgumentError.from_rule("sample_weight", rule, given, remedy)
    return len(size) - ends[:0:-1], n[::-1], positives[::-1]


def _pooled_loss(n: Any, positives: Any, loss: Loss) -> float:
    """Return the mean loss of saying in each pool its share of positives."""
    from scipy.special import xlogy

    n, negatives = n.astype(float), (n - positives).astype(float)
    if loss == "brier":
        return float((positives * (negatives / n)).sum() / n.sum())
    entropy = xlogy(positives, positives / n) + xlogy(negatives, negatives / n)
    return float(-entropy.sum() / n.sum()) + 0.0  # not -0.0


def _at_most(positive: Whole, negative: Whole, apart: Any, ends: Whole) -> Array:
    """Return what the curve is at most; `apart` are bins of several scores, `ends` end pools."""
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
