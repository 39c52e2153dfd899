"""The area under the precision-recall-gain curve, and what random rankings would have."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence
from baserate._windows import hypergeometric
from baserate.curves._spacings import AreaGain
from baserate.curves.cut_points import WEIGHTED, Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.precision_areas import area_within, from_each_on, no_area
from baserate.curves.score_bins import COUNTED, held

Array = NDArray[np.float64]

BUDGET = 10_000_000  # steps of the sum for chance, about a fifth of a second
OVERHEAD = 1_000  # steps that a law costs by itself: one a score, of tied ones one a positive
FIRST = 50  # positives above the recall where the gain starts, below which no interval holds
ROOM = 1e-9  # negatives per positive below which recall gain 0 and 1 differ by rounding


def precision_recall_gain_auc(
    y_true: Any,
    y_score: Any = None,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Estimate:
    """Return the area under the precision-recall-gain curve over recall gains in [0, 1].

    With base rate π, precision gain = (precision - π) / ((1 - π) precision) = 1 - π fp / ((1 - π)
    tp), and recall gain the same of recall = 1 - π fn / ((1 - π) tp). Always predicting positive
    has precision gain 0 at every base rate, and segments between cut points are straight. The area
    starts where recall is π, on the straight line of the ROC curve between its neighbours. A worse
    ranking than random is negative, and at least -(1 - π) / (2 π); chance, about 0, is summed of
    few cases only, some hundreds if scores are tied.

    The interval is that of `average_precision`, for this area in the population at the base rate of
    these cases. About P²/n of the P positives of n cases lie above the recall at which it starts,
    and with fewer than 50 there is no interval. Of a histogram, `bounds` are the areas for the two
    orders within bins between which all ROC curves lie, and there is no chance.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`; with weights there is no chance level, and each class counts as many cases in
        the interval as Kish's effective size.

    References
    ----------
    Flach and Kull (2015), Precision-Recall-Gain Curves: PR Analysis Done Right, Advances in Neural
    Information Processing Systems 28.

    Examples
    --------
    >>> from baserate.curves import precision_recall_gain_auc
    >>> found = precision_recall_gain_auc([1, 0, 1, 0], [4, 3, 2, 1])
    >>> found.value, round(found.chance, 4), found.reason
    (0.25, 0.0, 'no interval: P²/n = 1 of the positives lie above its first recall, fewer than 50')
    """
    level = confidence(confidence_level)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if absent := swept.absent:
        return no_area(level, absent, absent)
    if swept.n_negative < ROOM * swept.n_positive:
        reason = "the negatives weigh too little beside the positives for recall to gain"
        return no_area(level, reason, reason)
    found = held(lambda each: _gain_within(each, _area(each), level), swept)
    if swept.is_weighted:
        return replace(found, chance_reason=WEIGHTED)
    if found.bounds is not None:
        return replace(found, chance_reason=COUNTED)
    sizes, p = np.add(*swept.by_score), int(swept.n_positive)
    laws = np.where(sizes > 1, p + 1, 1)
    steps = int(np.sum(OVERHEAD * laws + (p + 1) * (np.minimum(sizes, p) + 1)))
    if steps > BUDGET:
        reason = f"its exact sum has about {steps:,} terms, beyond {BUDGET:,}; it tends to 0"
        return replace(found, chance_reason=reason)
    return replace(found, chance=_expected_gain(sizes, p, int(swept.n_negative)))


def _area(swept: Sweep) -> float:
    tp, fp = (np.asarray(c, float) for c in (swept.true_positives, swept.false_positives))
    return float(_areas(tp[:-1], tp[1:], fp[:-1], fp[1:], (tp[-1], fp[-1])).sum())


def _gain_within(swept: Sweep, value: float, level: float) -> Estimate:
    """Return the area with its interval, or why it has none."""
    pi = swept.base_rate
    first = swept.effective_sizes[0] * pi
    if first < FIRST:
        few = f"P²/n = {first:.3g} of the positives lie above its first recall"
        reason = f"no interval: {few}, fewer than {FIRST}"
        return replace(no_area(level, reason), value=value)
    least = -(1 - pi) / (2 * pi)
    return area_within(swept, value, level, (least, 1.0), _gain)


def _gain(recall: Array, fpr: Array, base_rate: float) -> AreaGain:
    """Return the area of a ROC curve of straight segments, entered where recall is the base rate.

    With u recall and r false positive rate, precision gain is y = 1 - r/u, and recall gain grows by
    c (1/u0 - 1/u1) from u0 to u1, where c = π / (1 - π).
    """
    c = base_rate / (1 - base_rate)
    first = int(np.searchsorted(recall, base_rate, side="right")) - 1
    (u0, u1), (r0, r1) = recall[first : first + 2], fpr[first : first + 2]
    share = (base_rate - u0) / (u1 - u0)
    u, r = recall[first:].copy(), fpr[first:].copy()
    u[0], r[0] = base_rate, r0 + (r1 - r0) * share
    y = 1 - r / u
    width, height = c * np.diff(u) / (u[1:] * u[:-1]), (y[1:] + y[:-1]) / 2
    beside = (np.append(0, width) + np.append(width, 0)) / 2
    by_u = beside * r / u**2
    by_u[1:] += c * height / u[1:] ** 2
    by_u[:-1] -= c * height / u[:-1] ** 2
    by_r = -beside / u
    entry, rise = by_r[0], (r1 - r0) / (u1 - u0)  # the entry moves along its segment
    by_u[0], by_r[0] = -entry * rise * (1 - share), entry * (1 - share)
    by_u[1] -= entry * rise * share
    by_r[1] += entry * share
    before = np.zeros(first)
    gains = (from_each_on(np.concatenate((before, by)))[1:] for by in (by_u, by_r))
    return AreaGain(float(width @ height), *gains)


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
