"""Bands for a ROC curve: where every cut lies in the population that the cases stand for."""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Whole
from baserate._beta import betaincinv
from baserate._checks import confidence, numbers_in, one_of
from baserate._result import Drawable
from baserate.curves.cut_points import as_sweep, need_both_classes
from baserate.errors import InvalidArgumentError

Kind = Literal["simultaneous", "pointwise"]

LONGEST = 2000  # cases of a class up to which the law of the whole band is counted
FINENESS = 8  # cuts of a longer band that stand for the others, over the root of their number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocBand(Drawable):
    """A rectangle around every point of a ROC curve, aligned with the thresholds of its sweep.

    Attributes
    ----------
    at : array of shape (k,)
        Thresholds, in descending order; the first calls nothing positive.
    false_positive_rate_low, false_positive_rate_high, recall_low, recall_high : array of shape (k,)
        Sides of each rectangle.
    confidence_level : float
    kind : {"simultaneous", "pointwise"}
    route : {"exact", "grid"}
        How the level of single limits was found; "grid" if a class has more than 2,000 cases.
    """

    at: NDArray[Any]
    false_positive_rate_low: Array
    false_positive_rate_high: Array
    recall_low: Array
    recall_high: Array
    confidence_level: float
    kind: Kind
    route: str
    display: ClassVar[str] = "RocDisplay"

    def recall_at(self, false_positive_rate: Any) -> tuple[Array, Array]:
        """Return between what recalls the whole curve passes at these false positive rates.

        It lies above the lower right corner of every rectangle, and below every upper left one.

        Raises
        ------
        InvalidArgumentError
            The band is pointwise, or a rate lies outside [0, 1].
        """
        if self.kind != "simultaneous":
            rule, remedy = "must be simultaneous to hold the curve", "leave kind out of roc_band"
            raise InvalidArgumentError.from_rule("kind", rule, self.kind, remedy)
        remedy = "pass false positive rates"
        x = np.atleast_1d(numbers_in("false_positive_rate", false_positive_rate, "[0, 1]", remedy))
        reached = np.searchsorted(self.false_positive_rate_high, x, side="right")
        passed = np.searchsorted(self.false_positive_rate_low, x, side="left")
        return (
            np.concatenate(([0.0], self.recall_low))[reached],
            np.concatenate((self.recall_high, [1.0]))[passed],
        )


def roc_band(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    kind: Kind = "simultaneous",
    pos_label: Any = None,
) -> RocBand:
    """Return a rectangle around the point of every cut, to hold what it is in the population.

    Recall and false positive rate of a cut are shares of the positives and of the negatives, which
    are separate samples. Each has the limits of Clopper and Pearson at a level η to either side: k
    of n cases give the quantile η of Beta(k, n - k + 1) and the quantile 1 - η of Beta(k + 1, n -
    k).

    - "pointwise": with η = (1 - √level)/2 both shares of a cut chosen beforehand lie within its
      rectangle with probability of at least the level.
    - "simultaneous": with a smaller η, all cuts lie within theirs at once, those between the scores
      found included, so that cuts may be chosen by looking, and the whole curve runs through the
      band. η is such that each class stays within its limits with probability √level: up to 2,000
      cases exactly ("exact": the law of uniform order statistics within n pairs of limits). Of more
      cases, some 11 √n cuts are limited, each at the share (1 - √level) of its number, and the
      limits between them are those of the next cut that is ("grid").

    Either holds for any law of the scores, ties included, and any number of cases.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    confidence_level : float in (0, 1)
    kind : {"simultaneous", "pointwise"}
    pos_label : optional
        As in `sweep`.

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        A class is absent, the sweep is weighted, or there is no such kind.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26:404, doi:10.1093/biomet/26.4.404. Campbell (1994),
    Statistics in Medicine 13:499, for rectangles. Owen (1995), Journal of the American Statistical
    Association 90:516, for limits of equal level. Moscovich and Nadler (2017), Statistics and
    Probability Letters 123:177, doi:10.1016/j.spl.2016.11.027, for counting them.

    Examples
    --------
    >>> from baserate.curves import roc_band
    >>> y, s = [0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7]
    >>> band = roc_band(y, s, kind="pointwise")
    >>> band.at[2], band.recall_low[2].round(3), band.recall_high[2].round(3)  # 2 of 3
    (np.float64(6.0), np.float64(0.066), np.float64(0.996))
    >>> roc_band(y, s).recall_low[2].round(3)
    np.float64(0.04)
    """
    level = confidence(confidence_level)
    one_of("kind", kind, Kind)
    swept = need_both_classes("y_true", as_sweep(y_true, y_score, pos_label))
    if swept.is_weighted:
        rule, remedy = "must be without weights", "sweep the cases without weights"
        raise InvalidArgumentError.from_rule("y_true", rule, "a weighted sweep", remedy)
    each = sqrt(level)
    sides = [
        _limits(hits, each, simultaneous=kind == "simultaneous")
        for hits in (swept.false_positives, swept.true_positives)
    ]
    long = kind == "simultaneous" and max(swept.n_positive, swept.n_negative) > LONGEST
    return RocBand(
        at=swept.thresholds,
        false_positive_rate_low=sides[0][0],
        false_positive_rate_high=sides[0][1],
        recall_low=sides[1][0],
        recall_high=sides[1][1],
        confidence_level=level,
        kind=kind,
        route="grid" if long else "exact",
    )


def _limits(hits: NDArray[Any], level: float, *, simultaneous: bool) -> tuple[Array, Array]:
    """Return the limits of the share of cases at or above each cut."""
    n = int(hits[-1])
    cuts = _grid(n) if simultaneous and n > LONGEST else np.arange(1, n + 1)
    error = (1 - level) / 2
    if simultaneous:
        error = single_error(n, level) if n <= LONGEST else error / len(cuts)
    low, high = order_limits(n, error, cuts)
    reached = np.searchsorted(cuts, hits, side="right")
    next_one = np.searchsorted(cuts, hits + 1, side="left")
    return np.concatenate(([0.0], low))[reached], np.concatenate((high, [1.0]))[next_one]


def _grid(n: int) -> Whole:
    """Return which order statistics are limited: the closer the nearer to either end."""
    half = np.unique(np.arange(FINENESS, int(FINENESS * sqrt(n)) + 1) ** 2 // FINENESS**2)
    half = half[half <= (n + 1) // 2]
    return np.union1d(half, n + 1 - half)


def order_limits(n: int, error: float, which: Whole | None = None) -> tuple[Array, Array]:
    """Return the quantiles `error` and 1 - `error` of n uniform order statistics, or of some.

    Those asked for must lie symmetrically.
    """
    k = np.arange(1, n + 1) if which is None else which
    low = betaincinv(k, n + 1.0 - k, error)
    return low, 1 - low[::-1]


@lru_cache(maxsize=64)
def single_error(n: int, level: float) -> float:
    """Return the error of single limits so that all hold at once with probability `level`."""
    from scipy.optimize import brentq

    least, most = (1 - level) / (2 * n), (1 - level) / 2
    if n == 1:
        return most
    solve: Any = brentq
    found = solve(
        lambda x: probability_within(*order_limits(n, exp(x))) - level, log(least), log(most)
    )
    return exp(found)


def probability_within(low: Array, high: Array) -> float:
    """Return P(low[i] <= U(i) <= high[i] for all i) for uniform order statistics.

    The limits must be symmetric. Given their number, the points of a Poisson process are uniform,
    and what it does before and after 1/2 is independent.
    """
    n = len(low)
    first, counts = _poisson_to_half(low, high)
    states = np.arange(first, first + len(counts))
    mirror = n - states - first
    there = (mirror >= 0) & (mirror < len(counts))
    both = float(np.dot(counts[there], counts[mirror[there]]))
    return both / float(_poisson(float(n), n + 1)[-1])


def _poisson_to_half(low: Array, high: Array) -> tuple[int, Array]:
    """Return the law of how many points lie below 1/2, without breaking a limit, from a first on.

    At low[i] at most i points have come, at high[i] at least i + 1.
    """
    n, first, counts, before = len(low), 0, np.ones(1), 0.0
    ends = np.concatenate((low, high))
    for place in np.argsort(ends, kind="stable")[: np.count_nonzero(ends < 0.5)].tolist():
        at, is_high, index = float(ends[place]), place >= n, place % n
        most = index + n * is_high  # no bound from above where one from below is met
        counts = np.convolve(counts, _poisson(n * (at - before), n + 1 - first))
        if is_high:
            counts, first = counts[max(0, index + 1 - first) :], max(first, index + 1)
        else:
            counts = counts[: max(0, most - first + 1)]
        before = at
    return first, np.convolve(counts, _poisson(n * (0.5 - before), n + 1 - first))[: n + 1 - first]


def _poisson(mean: float, longest: int) -> Array:
    """Return the Poisson probabilities of 0, 1, ... as far as they matter."""
    from scipy.special import gammaln, xlogy

    k = np.arange(min(longest, int(mean + 12 * sqrt(mean) + 30)))
    return np.exp(xlogy(k, mean) - mean - gammaln(k + 1))
