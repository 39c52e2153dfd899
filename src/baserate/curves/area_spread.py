"""How much an area under the ROC curve varies, and the limits that hold with few cases."""

from math import exp, log, nan
from typing import NamedTuple

import numpy as np

from baserate._beta_limits import matching_beta
from baserate.curves._merge import pieces
from baserate.curves.cut_points import Sweep


class Spread(NamedTuple):
    """An area, how much the cases of each class differ in it, and how many these are.

    Attributes
    ----------
    area : float
        Share of pairs won.
    positive, negative : float
        Variance of the share of pairs that a positive wins, and that a negative loses.
    n_positive, n_negative : float
        Cases, or Kish's effective number of cases.
    """

    area: float
    positive: float
    negative: float
    n_positive: float
    n_negative: float

    @property
    def fewer(self) -> float:
        """Cases of the rarer class."""
        return min(self.n_positive, self.n_negative)

    @property
    def delong(self) -> float:
        """DeLong's variance of the area; nan if a class has a single case."""
        p, q = self.n_positive, self.n_negative
        return self.positive / (p - 1) + self.negative / (q - 1) if min(p, q) > 1 else nan

    @property
    def variance(self) -> float:
        """Variance of the area if the cases of each class have uniform Dirichlet weights.

        (n₋ v₊ + n₊ v₋ + v)/((n₊ + 1)(n₋ + 1)), with v = A(1 - A) the variance of single pairs;
        with ties these vary less. At most v, which a part of the curve that holds less than one
        case would exceed.
        """
        p, q = self.n_positive, self.n_negative
        single = self.area * (1 - self.area)
        return min((q * self.positive + p * self.negative + single) / (p + 1) / (q + 1), single)


def spread_of(sweep: Sweep) -> Spread:
    """Return the area under the curve of a sweep with both classes, and its spread."""
    tp, fp = sweep.true_positives, sweep.false_positives
    area = sweep.tied_area
    positive = negative = 0.0
    for piece in pieces(tp):
        p, n = tp[piece].astype(float), fp[piece].astype(float)
        won = 1 - (n[1:] + n[:-1]) / (2 * fp[-1]) - area  # by a positive of each score
        lost = (p[1:] + p[:-1]) / (2 * tp[-1]) - area  # by a negative of each score
        positive += float(np.dot(np.diff(p), won * won))
        negative += float(np.dot(np.diff(n), lost * lost))
    spreads = positive / tp[-1].item(), negative / fp[-1].item()
    return Spread(area, *spreads, *sweep.effective_sizes)


class Kept(NamedTuple):
    """The law of the share of an area that one further case, which loses all, leaves of it.

    Attributes
    ----------
    mean, lack, variance : float
        The mean, 1 less the mean, and the variance.
    quantile : float
        At the level of the limit.
    """

    mean: float
    lack: float
    variance: float
    quantile: float

    @classmethod
    def beside(cls, cases: float, tail: float) -> "Kept":
        """Return it for a case beside so many others: Beta(cases, 1)."""
        n = cases
        variance = n / (n + 2) / (n + 1) ** 2
        return cls(n / (n + 1), 1 / (n + 1), variance, exp(log(tail) / n))


def area_limits(spread: Spread, tail: float) -> tuple[float, float]:
    """Return the interval that errs with probability `tail` on either side."""
    kept = Kept.beside(spread.fewer, tail)
    area, rest, varies = spread.area, 1 - spread.area, spread.variance
    return lower_limit(area, varies, kept, tail), 1 - lower_limit(rest, varies, kept, tail)


def lower_limit(area: float, variance: float, kept: Kept, tail: float) -> float:
    """Return the quantile of a share of the area that is kept, as of a Beta law.

    No more than if the area did not vary, which the Beta law misses where nearly all is tied.
    """
    from scipy.special import betaincinv

    if area * kept.quantile <= 0:
        return 0.0
    mean, rest = area * kept.mean, (1 - area) + area * kept.lack
    law = matching_beta(mean, rest, limit_variance(area, variance, kept))
    return min(float(betaincinv(*law, tail)), area * kept.quantile)


def limit_variance(area: float, variance: float, kept: Kept) -> float:
    """Return the variance of what is kept of an area, the product of two independent factors."""
    return (kept.mean**2 + kept.variance) * variance + area * area * kept.variance
