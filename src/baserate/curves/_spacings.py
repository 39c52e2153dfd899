"""Limits for an area of real scores that hold whatever law the scores follow.

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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._beta_limits import matching_beta
from baserate._large_beta import betaincinv
from baserate.curves.cut_points import Sweep

Array = NDArray[np.float64]

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


def _steps(
    reached: NDArray[Any], squares: Array | None, size: float, ends: NDArray[np.intp]
) -> _Steps:
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
