"""Average precision, the area under the precision-recall curve, and what chance would have.

The sorted scores of P positives cut their population into P + 1 parts. Whatever its law, the shares
of these parts are uniform on the simplex, Dirichlet(1, ..., 1); so are the N + 1 parts between
negatives, independently. Where within its part a share lies is unknown. For the lower limit every
part of the positives lies at its lower end, every part of the negatives at its upper end; for the
upper limit the other way round. An area that grows as positives move up and negatives down is then
at least (at most) a function of the shares alone: what the Bayesian bootstrap gives the cases with
one more positive below all others and one more negative above them, at the base rate found; for
the upper limit, one more positive above and one more negative below. The mean and the variance of
that, both to first order, give a beta law, whose quantile is the limit.

For the mean of a bounded variable this is Gaffke's bound, for a share that of Clopper and Pearson.
Weighted cases count as many as Kish's effective size.

Gaffke (2005), Mathematical Methods of Statistics 14:451. Rubin (1981), doi:10.1214/aos/1176345338.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import hypot, log1p, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index
from baserate._beta import betaincinv, matching_beta
from baserate._checks import confidence, number_in
from baserate.curves.cut_points import WEIGHTED, Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.score_bins import COUNTED, orders, outward
from baserate.curves.within_folds import mean_of_folds, read_folds

LEAST_SIZE = 0.01  # of the beta law, where the first-order variance exceeds any law's
CERTAIN = 1e30  # both parameters of a beta law whose quantiles are its mean to all digits
STEEPEST = 1e100  # gain whose square is a float; a variance beyond any law's it is anyway


class AreaGain(NamedTuple):
    """An area, and what it gains per unit that each step of its ROC curve grows by."""

    value: float
    by_recall: Array
    by_fpr: Array


# Takes recall and false positive rate at every corner of a ROC curve from (0, 0) to (1, 1), and the
# base rate; steps lie between corners, one fewer.
Area = Callable[[Array, Array, float], AreaGain]


class _Steps(NamedTuple):
    """Shares of one class at each score, the share of one part, and sums of squared shares."""

    shares: Array
    part: float
    squares: Array

    def padded(self, *, top: bool) -> tuple[Array, Array]:
        """Return shares and squares from the top, with the part beyond all scores first or last."""
        before, after = ((self.part,), (0.0,)) if top else ((0.0,), (self.part,))
        shares = np.concatenate((before, self.shares, after))
        return shares, np.concatenate((np.square(before), self.squares, np.square(after)))


def limits(
    swept: Sweep, area: Area, bounds: tuple[float, float], confidence_level: float
) -> tuple[float, float]:
    """Return the interval of an area that lies within `bounds`; the sweep has both classes."""
    tail = (1 - confidence_level) / 2
    classes = _both(swept)
    low, high = (_placed(classes, area, swept.base_rate, up=up) for up in (False, True))
    return _quantile(low, bounds, tail), _quantile(high, bounds, 1 - tail)


def _both(swept: Sweep) -> tuple[_Steps, _Steps]:
    """Return the steps of both classes; scores of negatives alone that follow each other merge."""
    has_positive = swept.by_score[0] > 0
    ends = np.flatnonzero(has_positive | np.append(has_positive[1:], True)) + 1
    squares = swept.squared_weights or (None, None)
    reached = swept.true_positives, swept.false_positives
    sides = zip(reached, squares, swept.effective_sizes, strict=True)
    positive, negative = (_steps(*side, ends) for side in sides)
    return positive, negative


def _steps(reached: NDArray[Any], squares: Array | None, size: float, ends: Index) -> _Steps:
    scale = size / (size + 1) / float(reached[-1])
    shares = np.diff(reached[ends], prepend=0) * scale
    square = reached[ends] if squares is None else squares[ends]
    return _Steps(shares, 1 / (size + 1), np.diff(square, prepend=0) * scale**2)


def _placed(
    classes: tuple[_Steps, _Steps], area: Area, base_rate: float, *, up: bool
) -> tuple[float, float]:
    """Return mean and variance of the area with every part of either class at one end."""
    positive, negative = classes
    recall, positive_squares = positive.padded(top=up)
    fpr, negative_squares = negative.padded(top=not up)
    found = area(_corners(recall), _corners(fpr), base_rate)
    variance = _variance(found.by_recall, recall, positive_squares, positive.part)
    variance += _variance(found.by_fpr, fpr, negative_squares, negative.part)
    return found.value, variance


def _quantile(moments: tuple[float, float], bounds: tuple[float, float], level: float) -> float:
    """Return a quantile of the beta law with this mean and variance."""
    least, width = bounds[0], bounds[1] - bounds[0]
    if not width:
        return least
    mean, variance = (moments[0] - least) / width, moments[1] / width**2
    if not (variance and 0 < mean < 1):
        return moments[0]
    law = matching_beta(mean, 1 - mean, variance, LEAST_SIZE)
    if min(law) > CERTAIN:
        return moments[0]
    return least + width * float(betaincinv(*law, level))


def _corners(steps: Array) -> Array:
    corners = np.concatenate(((0.0,), np.cumsum(steps)))
    return np.minimum(corners / corners[-1], 1.0)


def _variance(gains: Array, shares: Array, squares: Array, part: float) -> float:
    """Return the variance of Σ gain · share under the Dirichlet law of the shares."""
    gains = np.clip(gains, -STEEPEST, STEEPEST)
    centre = float(gains @ shares)
    return float(squares @ (gains - centre) ** 2) / (1 + part)


def average_precision(
    y_true: Any,
    y_score: Any = None,
    *,
    base_rate: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    fold: Any = None,
) -> Estimate:
    """Return average precision, an interval that holds with few positives, and its exact chance.

    AP = Σ over cut points of (recall - recall one cut before) · precision. It is the mean, over the
    positives, of the precision at the score of each. Other names: area under the precision-recall
    curve (by steps, not by trapezoids), AUPRC.

    The interval is for the population that the cases are drawn from: the mean over u in [0, 1] of π
    u / (π u + (1 - π) r(u)), where r(u) is the false positive rate at recall u. At the share π of
    these cases, or a stated one, it supposes no law of scores: each end places what lies between
    neighbouring scores at its worst, and is a quantile of the beta law with the first-order mean
    and variance of the Bayesian bootstrap of these cases and one more positive below (above) all
    others, and one more negative above (below) them (`route` "conservative"). That the share is of
    a sample moves each end on: by the square root of the sum of the squares of its distance from
    the value, and of that of the average precision at the share's own limit (Jeffreys; Zou and
    Donner 2008). State `base_rate` where the numbers of positives and negatives were chosen, as in
    a case-control sample. With few positives it is wide, and the value, which then flatters, may
    lie near the upper end.

    Chance is the expectation over all ways to place P positives on the n scores found: with t_g
    cases at the g-th score and n_g at or above it, Σ t_g/n_g · (1/n + (n_g - 1)(P - 1)/(n (n -
    1))). It exceeds the base rate P/n, by much if there are few positives.

    Of a histogram, `bounds` take the positives of a bin as below all its negatives, one by one, and
    as above them, tied. The interval grows by as much at either end. There is then no chance, which
    depends on ties.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep` alone.
    base_rate : float, optional
        In (0, 1). Share of positives where the scores will be used; there is then no exact chance,
        which belongs to a number of positives. Default: that of the cases.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`; with weights there is no chance level, and each class counts as many cases in
        the interval as Kish's effective size.
    fold : array-like of shape (n,), optional
        As in `roc_auc`: the mean of those within folds. Chance is that of lists as short, far above
        the base rate where a fold has few positives.

    Returns
    -------
    Estimate
        Without negatives the value is 1 and there is no interval; nan if a base rate is stated for
        one class only.

    References
    ----------
    Bestgen (2015), Prague Bulletin of Mathematical Linguistics 103:131,
    doi:10.1515/pralin-2015-0007, for distinct scores. Boyd, Eng and Page (2013),
    doi:10.1007/978-3-642-40994-3_29, compare intervals. Zou and Donner (2008), Statistics in
    Medicine 27:1693, doi:10.1002/sim.3095, for joining two. Least value: Boyd, Santos Costa, Davis
    and Page (2012), Unachievable region in precision-recall space, ICML.

    Examples
    --------
    >>> from baserate import average_precision
    >>> found = average_precision([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> found.value, round(found.chance, 4), round(found.skill, 4)
    (0.75, 0.5267, 0.4718)
    >>> round(found.low, 2), round(found.high, 2)
    (0.18, 1.0)

    At a base rate of 0.1 precision is 1 at the first positive, and 0.1/(0.1 + 0.9 · 2/4) at the
    second:

    >>> rare = average_precision([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], base_rate=0.1)
    >>> round(rare.value, 6), round((1 + 0.1 / 0.55) / 2, 6)
    (0.590909, 0.590909)
    """
    level = confidence(confidence_level)
    if fold is not None:
        measure = partial(average_precision, base_rate=base_rate, confidence_level=level)
        folds = read_folds(y_true, y_score, fold, pos_label, sample_weight)
        return mean_of_folds(measure, folds, level)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    if base_rate is not None:
        pi = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
        return _restated(swept, pi, level)
    if swept.absent == "no positives":
        return no_area(level, swept.absent, swept.absent)
    positive, negative = swept.by_score
    tp, fp = swept.true_positives[1:], swept.false_positives[1:]
    value = min(1.0, float(np.dot(positive, tp / (tp + fp)) / tp[-1]))
    if swept.absent:
        found = no_area(level, "no negatives: precision is 1 whatever the scores")
        found = found if swept.highest is None else replace(found, bounds=(1.0, 1.0))
    else:
        found = area_within(
            swept, value, level, (_least_precision(swept.base_rate), 1.0), _mean_precision
        )
        found = _of_sampled_share(swept, found)
        found = _extended(found, _precision_bounds(swept, 1.0))
        value = found.value
    if swept.is_weighted:
        return replace(found, value=value, chance_reason=WEIGHTED)
    if swept.highest is not None:
        return replace(found, value=value, chance_reason=COUNTED)
    chance = _expected_precision(positive + negative, swept.n_positive)
    return replace(found, value=value, chance=chance)


def _of_sampled_share(swept: Sweep, found: Estimate) -> Estimate:
    """Return the interval for the population's share of positives, which is not known."""
    tp, fp = (np.asarray(c, float) for c in (swept.true_positives, swept.false_positives))
    pi, n = float(swept.base_rate), swept.effective_n
    tails = (1 - found.confidence_level) / 2, (1 + found.confidence_level) / 2
    shares = [float(betaincinv(pi * n + 0.5, (1 - pi) * n + 0.5, tail)) for tail in tails]
    at = [
        _mean_precision(tp / tp[-1], fp / fp[-1], share).value
        for share in (shares[0], pi, shares[1])
    ]
    low = found.value - hypot(found.value - found.low, max(at[1] - at[0], 0.0))
    high = found.value + hypot(found.high - found.value, max(at[2] - at[1], 0.0))
    return replace(found, low=max(low, _least_precision(shares[0])), high=min(high, 1.0))


def _restated(swept: Sweep, pi: float, level: float) -> Estimate:
    """Return average precision at another base rate."""
    if swept.absent:
        return no_area(level, swept.absent, swept.absent)

    def area(recall: Array, fpr: Array, _: float) -> AreaGain:
        return _mean_precision(recall, fpr, pi)

    tp, fp = (np.asarray(c, float) for c in (swept.true_positives, swept.false_positives))
    value = min(1.0, area(tp / tp[-1], fp / fp[-1], pi).value)
    found = area_within(swept, value, level, (_least_precision(pi), 1.0), area)
    rarer = float(swept.n_positive) / float(swept.n_negative) * ((1 - pi) / pi)
    found = _extended(found, _precision_bounds(swept, rarer))
    return replace(found, chance_reason="chance belongs to cases, not to a stated base rate")


def no_area(level: float, reason: str, chance_reason: str | None = None) -> Estimate:
    """Return an estimate that has no value, and why."""
    return Estimate(
        value=nan, confidence_level=level, perfect=1.0, reason=reason, chance_reason=chance_reason
    )


def area_within(
    swept: Sweep,
    value: float,
    level: float,
    bounds: tuple[float, float],
    area: Area,
) -> Estimate:
    """Return the value with its interval."""
    low, high = limits(swept, area, bounds, level)
    return Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        confidence_level=level,
        perfect=1.0,
        route="conservative",
    )


def _extended(found: Estimate, bounds: tuple[float, float] | None) -> Estimate:
    """Let the interval reach as far beyond its ends as the bounds reach beyond the value.

    Ties within a bin flatter: no order alone has the least average precision.
    """
    if bounds is None:
        return found
    low, high = found.low - (found.value - bounds[0]), found.high + (bounds[1] - found.value)
    value = bounds[0] / 2 + bounds[1] / 2
    return replace(found, value=value, low=max(0.0, low), high=min(1.0, high), bounds=bounds)


def _precision_bounds(swept: Sweep, weight: float) -> tuple[float, float] | None:
    """Return what holds the mean of the precision at each positive, negatives worth `weight`.

    Of positives whose score is one known number, precision is at least that of the worst order
    there. Of the others, whose rows are ranges, the j-th highest score is at least the j-th highest
    lower end, l, and at most the j-th highest upper end, u. At or above it are j of these, at least
    the e with a known score of u or more, and at most the b negatives whose rows reach l: precision
    is at least (j + e)/(j + e + w b). The p of a row come after a with higher lower ends; with
    c = a + e + w b theirs sum to p - w b Σ 1/(c + i), where Σ 1/(c + i) is at most
    log((c + p + 1/2)/(c + 1/2)), since 1/x is convex, and at most p/(c + 1); with one positive it
    is that. Precision at a score is at most that of the best order there, and so at most the
    largest within the range of the row.
    """
    rows, both = swept.rows, orders(swept)
    if rows is None or both is None:
        return None
    low, high = (side[rows.positive] for side in (rows.lowest, rows.highest))
    known, positive = low == high, rows.cases[rows.positive].astype(float)
    at = both.worst.rules_at(low[known])
    reached = both.worst.true_positives[at].astype(float)
    below = weight * both.worst.false_positives[at].astype(float)
    least = float(positive[known] @ (reached / (reached + below)))
    least += _least_within(low, high, positive, both.worst, weight)
    tp, fp = both.best.true_positives[1:], both.best.false_positives[1:]
    precision = np.append(tp / np.maximum(tp + weight * fp, 1e-300), 0.0)
    ranges = np.column_stack((both.best.rules_at(high) - 1, both.best.rules_at(low))).ravel()
    highest = float(positive @ np.maximum.reduceat(precision, ranges)[::2])
    ends = (side / float(swept.n_positive) for side in (least, highest))
    bounds = outward(*ends, terms=len(positive))
    return max(0.0, bounds[0]), min(1.0, bounds[1])


def _least_within(low: Array, high: Array, positive: Array, worst: Sweep, weight: float) -> float:
    """Return what the precision at positives of rows that are ranges sums up to at least."""
    known = low == high
    at_known = np.argsort(-low[known], kind="stable")
    scores, above = -low[known][at_known], np.append(0, np.cumsum(positive[known][at_known]))
    low, high, p = low[~known], high[~known], positive[~known]
    down, order = np.argsort(-high, kind="stable"), np.argsort(-low, kind="stable")
    low, p_up, high, p = low[order], p[down], high[down], p[order]
    a = np.cumsum(p) - p
    u = high[np.searchsorted(np.cumsum(p_up), a, side="right")]
    e = above[np.searchsorted(scores, -u, side="right")]
    below = weight * worst.false_positives[worst.rules_at(low)].astype(float)
    c = a + e + below
    return float((p - below * np.minimum(np.log1p(p / (c + 0.5)), p / (c + 1))).sum())


def _mean_precision(recall: Array, fpr: Array, base_rate: float) -> AreaGain:
    """Return the average precision of a ROC curve by steps."""
    width, rest = np.diff(recall), 1 - base_rate
    u, r = recall[1:], fpr[1:]
    called = np.where(u > 0, base_rate * u + rest * r, 1.0)
    precision = base_rate * u / called
    with np.errstate(over="ignore"):  # a base rate of 1e-200: an alarm more changes everything
        by_fpr = -from_each_on(precision * width * rest / called)
    by_recall = precision + from_each_on(base_rate / called * width * (rest * r / called))
    return AreaGain(float(precision @ width), by_recall, by_fpr)


def from_each_on(gains: Array) -> Array:
    """Return the sum of all from each on."""
    return np.cumsum(gains[::-1])[::-1]


def _least_precision(pi: float) -> float:
    """Return the average precision of the worst ranking: 1 + (1 - π) log(1 - π) / π."""
    return max(0.0, 1 + (1 - pi) * log1p(-pi) / pi) if pi < 1 else 1.0


def _expected_precision(by_score: NDArray[Any], p: float) -> float:
    """Return the expectation under random labels of p positives, given how many share a score."""
    sizes = by_score.astype(float)
    above = np.cumsum(sizes)
    n = float(above[-1])
    if p == n:
        return 1.0
    return float(np.dot(sizes / above, 1 / n + (above - 1) * ((p - 1) / (n * (n - 1)))))
