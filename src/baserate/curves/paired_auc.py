"""Two scores of the same cases: which has the larger area under its ROC curve."""

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import number_in
from baserate._result import Result
from baserate.cases.two_classes import effective_size
from baserate.curves.cut_points import read_scores, read_truth, read_weights

Array = NDArray[np.float64]

ROUNDING = 1e-24  # a variance of shares of pairs that is no more than rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class AucComparison(Result):
    """Two areas under the ROC curve, of the same cases; ``float()`` gives the difference.

    Attributes
    ----------
    difference : float
        Area of A less that of B; nan if `reason` says why.
    low, high : float
        Its interval, within [-1, 1].
    p_value : float
        Two-sided, of no difference in the population.
    auc_a, auc_b : float
    confidence_level : float
    reason : str or None
        Why there is no difference, or no interval and no p-value.
    """

    difference: float
    low: float = nan
    high: float = nan
    p_value: float = nan
    auc_a: float = nan
    auc_b: float = nan
    confidence_level: float = 0.95
    reason: str | None = None

    def __float__(self) -> float:
        return self.difference


def compare_auc(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> AucComparison:
    """Compare the areas under the ROC curves of two scores of the same cases.

    With v⁺ the share of negatives that a positive beats (ties counting one half) and v⁻ the share
    of positives that a negative loses to, the variance of A - B is that of the mean of v⁺(A) -
    v⁺(B) over positives, plus that of v⁻(A) - v⁻(B) over negatives. The two areas are correlated,
    as hard cases are hard for both, and this takes it into account; intervals of each alone do not.
    With weights, each class is worth Kish's effective number of cases.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    score_a, score_b : array-like of shape (n,)
        Real scores, higher for the positive class.
    confidence_level : float
        In (0, 1).
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    AucComparison
        Without interval and p-value where a class has fewer than two cases, or where both scores
        win the same share of pairs for every case, so that nothing shows how much they differ.

    Raises
    ------
    InvalidArgumentError
        The confidence level lies outside (0, 1); or as in `sweep`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837, doi:10.2307/2531595.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> found = compare_auc(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 4, 6, 2, 5, 3, 7, 8])
    >>> round(found.difference, 4), round(found.low, 3), round(found.high, 3)
    (0.125, -0.275, 0.525)
    >>> round(found.p_value, 3)
    0.54
    """
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    truth, _ = read_truth(y_true, pos_label)
    n = len(truth)
    a, b = read_scores("score_a", score_a, n), read_scores("score_b", score_b, n)
    weights = np.ones(n) if sample_weight is None else read_weights(sample_weight, n)
    for side, which in ((truth, "positives"), (~truth, "negatives")):
        if not weights[side].any():
            return AucComparison(difference=nan, confidence_level=level, reason=f"no {which}")
    won = [_shares_won(truth, scores, weights) for scores in (a, b)]
    areas = [float(np.average(shares[truth], weights=weights[truth])) for shares in won]
    variances = [
        _variance_of_mean((won[0] - won[1])[side], weights[side]) for side in (truth, ~truth)
    ]
    low, high, p_value, reason = _ends(areas[0] - areas[1], sum(variances), level)
    return AucComparison(
        difference=areas[0] - areas[1],
        low=low,
        high=high,
        p_value=p_value,
        auc_a=areas[0],
        auc_b=areas[1],
        confidence_level=level,
        reason=reason,
    )


def _shares_won(truth: NDArray[np.bool_], scores: NDArray[Any], weights: Array) -> Array:
    """Return the share of pairs with the other class in which the positive has the higher score."""
    shares = np.empty(len(truth))
    for side in (truth, ~truth):
        order = np.argsort(scores[~side])
        others, below = scores[~side][order], np.append(0.0, np.cumsum(weights[~side][order]))
        ends = [np.searchsorted(others, scores[side], side=end) for end in ("left", "right")]
        shares[side] = (below[ends[0]] + below[ends[1]]) / (2 * below[-1])
    return np.where(truth, shares, 1 - shares)


def _variance_of_mean(values: Array, weights: Array) -> float:
    """Return the variance of a weighted mean; nan if the weights are worth a single case."""
    total, squares = float(weights.sum()), weights * weights
    effective = effective_size(total, float(squares.sum()))
    if effective <= 1:
        return nan
    apart = values - np.average(values, weights=weights)
    spread = float(np.dot(squares, apart * apart)) / total / total
    return spread * effective / (effective - 1)


def _ends(
    difference: float, variance: float, level: float
) -> tuple[float, float, float, str | None]:
    from scipy.special import ndtr, ndtri

    if isnan(variance):
        return nan, nan, nan, "a single case of a class does not show how much its cases differ"
    if variance <= ROUNDING:
        return nan, nan, nan, "every case of a class shows the same difference: no spread is known"
    error = sqrt(variance)
    reach = error * float(ndtri((1 + level) / 2))
    p_value = 2 * float(ndtr(-abs(difference) / error))
    return max(-1.0, difference - reach), min(1.0, difference + reach), p_value, None
