"""Areas under precision-recall and gain curves, and what random rankings would have."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate._windows import hypergeometric
from baserate.curves.cut_points import WEIGHTED, as_sweep

Array = NDArray[np.float64]

BUDGET = 50_000_000  # steps of the sum for chance, about a second
OVERHEAD = 1_000  # steps that one distinct score costs by itself
ROOM = 1e-9  # negatives per positive below which recall gain 0 and 1 differ by rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionArea(Result):
    """An area with the precision of rankings in it, beside its chance; ``float()`` gives it.

    Attributes
    ----------
    value : float
        At most 1; nan if `reason` says why.
    chance : float
        The exact expectation under random labels; nan if `chance_reason` says why.
    skill : float
        (value - chance) / (1 - chance); nan where either is, or where chance is perfect.
    reason, chance_reason : str or None
    """

    value: float
    chance: float = nan
    skill: float = nan
    reason: str | None = None
    chance_reason: str | None = None

    def __float__(self) -> float:
        return self.value


def average_precision(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None
) -> PrecisionArea:
    """Return average precision and its exact chance level.

    AP = Σ over cut points of (recall - recall one cut before) · precision. It is the mean, over the
    positives, of the precision at the score of each.

    Chance is the expectation over all ways to place P positives on the n scores found. With
    distinct scores it is (P - 1)/(n - 1) + (n - P)/(n (n - 1)) · H_n, where H_n = 1 + 1/2 + ... +
    1/n; it exceeds the base rate P/n, by much if there are few positives. With t_g cases at the
    g-th score and n_g at or above it, it is Σ t_g/n_g · (1/n + (n_g - 1)(P - 1)/(n (n - 1))).

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    pos_label, sample_weight : optional
        As in `sweep`; with weights there is no chance level.

    Returns
    -------
    PrecisionArea

    Raises
    ------
    InvalidArgumentError
        More data stand beside a sweep.

    References
    ----------
    Bestgen (2015), Prague Bulletin of Mathematical Linguistics 103:131,
    doi:10.1515/pralin-2015-0007, for distinct scores.

    Examples
    --------
    >>> found = average_precision([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> found.value, round(found.chance, 4), round(found.skill, 4)
    (0.75, 0.5267, 0.4718)
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if swept.absent == "no positives":
        return PrecisionArea(value=nan, reason=swept.absent, chance_reason=swept.absent)
    positive, negative = swept.by_score
    tp, fp = swept.true_positives[1:], swept.false_positives[1:]
    value = min(1.0, float(np.dot(positive, tp / (tp + fp)) / tp[-1]))
    if swept.is_weighted:
        return PrecisionArea(value=value, chance_reason=WEIGHTED)
    chance = _expected_precision(positive + negative, swept.n_positive)
    skill = (value - chance) / (1 - chance) if swept.n_negative else nan
    return PrecisionArea(value=value, chance=chance, skill=skill)


def _expected_precision(by_score: NDArray[Any], p: float) -> float:
    """Return the expectation under random labels of p positives, given how many share a score."""
    sizes = by_score.astype(float)
    above = np.cumsum(sizes)
    n = float(above[-1])
    if p == n:
        return 1.0
    return float(np.dot(sizes / above, 1 / n + (above - 1) * ((p - 1) / (n * (n - 1)))))


def precision_recall_gain_auc(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None
) -> PrecisionArea:
    """Return the area under the precision-recall-gain curve over recall gains in [0, 1].

    With base rate π, precision gain = (precision - π) / ((1 - π) precision) = 1 - π fp / ((1 - π)
    tp), and recall gain the same of recall = 1 - π fn / ((1 - π) tp). Always predicting positive
    has precision gain 0, so unlike average precision the area has one zero at every base rate, and
    segments between cut points are straight. It starts where recall is π, on the straight line of
    the ROC curve between its neighbours.

    A random ranking has about 0, by expectation, and more nearly the more cases there are (but far
    less with a single positive); a worse one is negative without bound.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    pos_label, sample_weight : optional
        As in `sweep`; with weights there is no chance level.

    Returns
    -------
    PrecisionArea

    Raises
    ------
    InvalidArgumentError
        More data stand beside a sweep.

    References
    ----------
    Flach and Kull (2015), Precision-Recall-Gain Curves: PR Analysis Done Right, Advances in Neural
    Information Processing Systems 28.

    Examples
    --------
    >>> found = precision_recall_gain_auc([1, 0, 1, 0], [4, 3, 2, 1])
    >>> found.value, round(found.chance, 4)
    (0.25, 0.0)
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if absent := swept.absent:
        return PrecisionArea(value=nan, reason=absent, chance_reason=absent)
    if swept.n_negative < ROOM * swept.n_positive:
        reason = "the negatives weigh too little beside the positives for recall to gain"
        return PrecisionArea(value=nan, reason=reason, chance_reason=reason)
    tp, fp = (np.asarray(c, float) for c in (swept.true_positives, swept.false_positives))
    value = float(_areas(tp[:-1], tp[1:], fp[:-1], fp[1:], (tp[-1], fp[-1])).sum())
    if swept.is_weighted:
        return PrecisionArea(value=value, chance_reason=WEIGHTED)
    sizes, p = np.add(*swept.by_score), int(swept.n_positive)
    steps = int(np.sum(OVERHEAD + (p + 1) * (np.minimum(sizes, p) + 1)))
    if steps > BUDGET:
        reason = f"its exact sum has about {steps:,} terms, beyond {BUDGET:,}; it tends to 0"
        return PrecisionArea(value=value, chance_reason=reason)
    chance = _expected_gain(sizes, p, int(swept.n_negative))
    skill = (value - chance) / (1 - chance)
    return PrecisionArea(value=value, chance=chance, skill=skill)


def _areas(tp0: Any, tp1: Any, fp0: Any, fp1: Any, totals: tuple[float, float]) -> Array:
    """Return the area under each segment from (tp0, fp0) to (tp1, fp1), where recall gain >= 0."""
    p, q = totals
    start = p / (p + q)  # recall at recall gain 0
    tp0, tp1, fp0, fp1 = tp0 / p, tp1 / p, fp0 / q, fp1 / q  # products of weights may leave floats
    kept = (tp1 > start) & (tp1 > tp0)
    low, high = np.where(kept, np.maximum(tp0, start), 1), np.where(kept, tp1, 1)
    share = np.where(kept, (low - tp0) / np.where(kept, tp1 - tp0, 1), 0)
    entry = fp0 + (fp1 - fp0) * share
    gained = p / q / low * ((high - low) / high)
    return np.where(kept, gained * (1 - (entry / low + fp1 / high) / 2), 0.0)


def _expected_gain(by_score: NDArray[Any], p: int, q: int) -> float:
    """Return the expectation under random labels: segments times the chance to pass them.

    The number of positives above a score is a Markov chain; each segment of the curve is one step.
    """
    law, tp = np.zeros(p + 1), np.arange(p + 1.0)
    law[0], above, total = 1.0, 0, 0.0
    for size in map(int, by_score):
        after = np.zeros(p + 1)
        for more, share in enumerate(_draws(p, q, above, size)):
            start = slice(None, p + 1 - more)
            passing = law[start] * share[start]
            after[more:] += passing
            if more:
                tp0 = tp[start]
                fp0 = above - tp0
                areas = _areas(tp0, tp0 + more, fp0, fp0 + size - more, (p, q))
                total += float(np.dot(passing, areas))
        law, above = after, above + size
    return total


def _draws(p: int, q: int, above: int, size: int) -> Array:
    """Return P(j positives at this score | a above it), one row per j, one column per a."""
    left = np.arange(p, -1, -1.0)  # positives not yet placed
    if size == 1:
        share = left / (p + q - above)
        return np.array([1 - share, share])
    draws = np.zeros((min(size, p) + 1, p + 1))
    for a in range(max(0, above - q), min(p, above) + 1):
        window = hypergeometric(p - a, q - above + a, size)
        draws[window.start : window.start + len(window.pmf), a] = window.pmf
    return draws
