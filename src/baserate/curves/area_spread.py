"""How much an area under the ROC curve varies, and the limits that hold with few cases."""

from math import exp, log, nan, sqrt
from typing import NamedTuple

import numpy as np

from baserate._beta_limits import matching_beta
from baserate._large_beta import betaincinv
from baserate.curves._merge import pieces
from baserate.curves.cut_points import Sweep

OF_LUCK = 1 / 3  # of the variance of a pair, what two pairs with a common case share by luck alone
TRUSTED = 10.0  # cases from which on the placements of the sample count for more than luck's
NEGLIGIBLE = 1e-12


class AreaSpread(NamedTuple):
    """An area, how much the cases of each class differ in it, and how many these are."""

    area: float  # share of pairs won
    positive: float  # variance of the share of pairs that a positive wins
    negative: float  # variance of the share that a negative loses
    n_positive: float  # cases, or Kish's effective number of them
    n_negative: float
    tied: float = 0.0  # share of pairs whose scores are equal

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

    @property
    def effective_pairs(self) -> float:
        """Independent pairs that say as much of the area: A(1 - A) over its variance.

        That is pq / (s + (p + q - 2) r), with p and q the cases of the classes. s is the variance
        of single pairs, of which t are tied, and r what two of them with a common case share, both
        over A(1 - A):

        - s = 1 - t/(4A(1 - A)), and r from the placements (DeLong), without bias;
        - r is no less than s/3, as by luck alone (Mann and Whitney), but for the part
          4A(1 - A)(m - 1) / (4A(1 - A)(m - 1) + 10) of what it lacks, with m cases of the rarer
          class: few of these, and few pairs that are lost, do not show how far cases differ;
        - then a further case of the rarer class is added of which all pairs go the same way, 1 to
          m in s, and to m (1 + 4A(1 - A))/2 in r.
        """
        p, q, few = self.n_positive, self.n_negative, self.fewer
        whole = self.area * (1 - self.area)
        if whole > NEGLIGIBLE:
            sides = _unbiased(self.positive / whole, p), _unbiased(self.negative / whole, q)
            single = max(0.0, 1 - self.tied / (4 * whole))
        else:
            sides, single = (0.0, 0.0), 1.0
        common = p + q - 2
        shared = ((q - 1) * sides[0] + (p - 1) * sides[1]) / common if common > 0 else 0.0
        shown = 4 * whole * (few - 1)
        shared += max(0.0, OF_LUCK * single - shared) * TRUSTED / (shown + TRUSTED)
        seen = few * (1 + 4 * whole) / 2
        shared, single = (seen * shared + 1) / (seen + 1), (few * single + 1) / (few + 1)
        return p * q / (single + common * shared)


def _unbiased(variance: float, cases: float) -> float:
    """Return a variance without bias, of at most 1; 0 of a single case, which shows none."""
    return min(variance * cases / (cases - 1), 1.0) if cases > 1 else 0.0


def spread_of(sweep: Sweep) -> AreaSpread:
    """Return the area under the curve of a sweep with both classes, and its spread."""
    tp, fp = sweep.true_positives, sweep.false_positives
    area = sweep.tied_area
    positive = negative = tied = 0.0
    for piece in pieces(tp):
        p, n = tp[piece].astype(float), fp[piece].astype(float)
        won = 1 - (n[1:] + n[:-1]) / (2 * fp[-1]) - area  # by a positive of each score
        lost = (p[1:] + p[:-1]) / (2 * tp[-1]) - area  # by a negative of each score
        positive += float(np.dot(np.diff(p), won * won))
        negative += float(np.dot(np.diff(n), lost * lost))
        tied += float(np.dot(np.diff(p), np.diff(n)))
    positives, negatives = tp[-1].item(), fp[-1].item()
    sizes = sweep.effective_sizes
    return AreaSpread(
        area, positive / positives, negative / negatives, *sizes, tied / positives / negatives
    )


class FurtherCase(NamedTuple):
    """The law of the share of an area that one further case, which loses all, leaves of it."""

    mean: float
    lack: float  # 1 less the mean
    variance: float
    quantile: float  # at the level of the limit

    @classmethod
    def beside(cls, cases: float, tail: float) -> "FurtherCase":
        """Return it for a case beside so many others: Beta(cases, 1)."""
        n = cases
        variance = n / (n + 2) / (n + 1) ** 2
        return cls(n / (n + 1), 1 / (n + 1), variance, exp(log(tail) / n))


def wilson_limits(spread: AreaSpread, tail: float) -> tuple[float, float]:
    """Return Wilson's interval of an area as a share of so many independent pairs."""
    from scipy.special import ndtri

    area, rest = spread.area, 1 - spread.area
    half = float(ndtri(tail)) ** 2 / spread.effective_pairs / 2
    reach, total = sqrt(2 * half * area * rest + half * half), 1 + 2 * half
    return max(0.0, (area + half - reach) / total), min(1.0, 1 - (rest + half - reach) / total)


def area_limits(spread: AreaSpread, tail: float) -> tuple[float, float]:
    """Return the interval that errs with probability `tail` on either side."""
    kept = FurtherCase.beside(spread.fewer, tail)
    area, rest, varies = spread.area, 1 - spread.area, spread.variance
    return lower_limit(area, varies, kept, tail), 1 - lower_limit(rest, varies, kept, tail)


def lower_limit(area: float, variance: float, kept: FurtherCase, tail: float) -> float:
    """Return the quantile of a share of the area that is kept, as of a Beta law.

    No more than if the area did not vary, which the Beta law misses where nearly all is tied.
    """
    if area * kept.quantile <= 0:
        return 0.0
    mean, rest = area * kept.mean, (1 - area) + area * kept.lack
    law = matching_beta(mean, rest, limit_variance(area, variance, kept))
    return min(float(betaincinv(*law, tail)), area * kept.quantile)


def limit_variance(area: float, variance: float, kept: FurtherCase) -> float:
    """Return the variance of what is kept of an area, the product of two independent factors."""
    return (kept.mean**2 + kept.variance) * variance + area * area * kept.variance
