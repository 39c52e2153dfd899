"""How much an area under the ROC curve varies by its cases, and limits that hold with few."""

from dataclasses import dataclass, replace
from math import exp, log, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask
from baserate._beta import betaincinv, matching_beta
from baserate.cases.counted import effective_of_mean, effective_size
from baserate.curves._merge import pieces
from baserate.curves.cut_points import Sweep
from baserate.curves.scored_labels import read_scores, read_weights

OF_LUCK = 1 / 3  # of the variance of a pair, what two pairs with a common case share by luck alone
TRUSTED = 10.0  # cases from which on the placements of the sample count for more than luck's
NEGLIGIBLE = 1e-12


class AreaSpread(NamedTuple):
    """An area, how much the cases of each class differ in it, and how many these are."""

    area: float  # share of pairs won
    positive: float  # variance of the share of pairs that a positive wins
    negative: float  # variance of the share that a negative loses
    n_positive: float  # cases, or the effective number of them
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
    squares, linearised = sweep.squared_weights, [0.0, 0.0]
    for piece in pieces(tp):
        p, n = tp[piece].astype(float), fp[piece].astype(float)
        won = 1 - (n[1:] + n[:-1]) / (2 * fp[-1]) - area  # by a positive of each score
        lost = (p[1:] + p[:-1]) / (2 * tp[-1]) - area  # by a negative of each score
        positive += float(np.dot(np.diff(p), won * won))
        negative += float(np.dot(np.diff(n), lost * lost))
        tied += float(np.dot(np.diff(p), np.diff(n)))
        for k, (square, apart) in enumerate(zip(squares or (), (won, lost), strict=False)):
            linearised[k] += float(np.dot(np.diff(square[piece]), apart * apart))
    weights = tp[-1].item(), fp[-1].item()
    varies = positive / weights[0], negative / weights[1]
    (p_size, n_size), squared = sweep.effective_sizes, [w * w for w in weights]
    return AreaSpread(
        area,
        *varies,
        effective_of_mean(p_size, varies[0], linearised[0] / squared[0]),
        effective_of_mean(n_size, varies[1], linearised[1] / squared[1]),
        tied / weights[0] / weights[1],
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


Sides = tuple[Array, Array]
NO_SPREAD = "the cases do not show how much they differ: ask for method conservative"


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """Cases with a score; class 0 is that of the positives."""

    truth: Mask
    scores: NDArray[Any]
    weights: Sides | None

    @classmethod
    def of(cls, truth: Mask, name: str, scores: Any, weights: Any) -> "ScoredSample":
        """Read scores and weights of cases whose truth is known."""
        n = len(truth)
        kept = None if weights is None else read_weights(weights, n)
        apart = None if kept is None else (kept[truth], kept[~truth])
        return cls(truth, read_scores(name, scores, n), apart)

    @property
    def amount(self) -> Array:
        """The weight of every case."""
        found = np.ones(len(self.truth))
        if self.weights is not None:
            found[self.truth], found[~self.truth] = self.weights
        return found

    @property
    def absent(self) -> str | None:
        """Say which class has no case of any weight."""
        sides = (self.truth, ~self.truth) if self.weights is None else self.weights
        for side, which in zip(sides, ("positives", "negatives"), strict=True):
            if not side.any():
                return f"no {which}"
        return None

    def cases(self, k: int, squares: Array | None = None) -> float:
        """Return the effective number of cases of a class, whose mean has such squared errors."""
        if self.weights is None:
            return float(np.count_nonzero(self.truth if k == 0 else ~self.truth))
        weights, weight = self.weights[k], float(self.weights[k].sum())
        size = effective_size(weight, float(np.dot(weights, weights)))
        if squares is None:
            return size
        linearised = float(np.dot(weights**2, squares)) / weight**2
        return effective_of_mean(size, self.mean(k, squares), linearised)

    def mean(self, k: int, values: Array) -> float:
        """Return the mean over the cases of a class."""
        weights = None if self.weights is None else self.weights[k]
        return float(np.mean(values) if weights is None else np.average(values, weights=weights))

    def variance(self, sides: Sides) -> float:
        """Return that of the sum of both means, without bias; nan if a class has a single case."""
        return sum(self.variances(sides))

    def variances(self, sides: Sides) -> tuple[float, float]:
        """Return that of either mean."""
        apart = [(sides[k] - self.mean(k, sides[k])) ** 2 for k in (0, 1)]
        sizes = [self.cases(k, apart[k]) for k in (0, 1)]
        if min(sizes) <= 1:
            return nan, nan
        first, second = (self.mean(k, apart[k]) / (sizes[k] - 1) for k in (0, 1))
        return first, second


def placed(sample: ScoredSample) -> tuple[AreaSpread, Sides]:
    """Return the area, its spread, and how far the share of pairs of each case is from it."""
    sides = shares_won(sample)
    area = min(1.0, sample.mean(0, sides[0]))
    first, second = (side - area for side in sides)
    squares = first**2, second**2
    varies = [sample.mean(k, squares[k]) for k in (0, 1)]
    sizes = [sample.cases(k, squares[k]) for k in (0, 1)]
    return AreaSpread(area, *varies, *sizes), (first, second)


def shares_within(sample: ScoredSample, folds: Index) -> tuple[ScoredSample, Sides]:
    """Return the same within folds, and the cases with weights by which all folds count alike."""
    sides = np.count_nonzero(sample.truth), np.count_nonzero(~sample.truth)
    weights = sample.weights or (np.ones(sides[0]), np.ones(sides[1]))
    kept, shares = (weights[0].copy(), weights[1].copy()), (np.empty(sides[0]), np.empty(sides[1]))
    own = folds[sample.truth], folds[~sample.truth]
    for fold in range(int(folds.max()) + 1):
        rows, parts = folds == fold, (own[0] == fold, own[1] == fold)
        apart = weights[0][parts[0]], weights[1][parts[1]]
        found = shares_won(ScoredSample(sample.truth[rows], sample.scores[rows], apart))
        for k in (0, 1):
            shares[k][parts[k]] = found[k]
            kept[k][parts[k]] /= apart[k].sum()
    return replace(sample, weights=kept), shares


def shares_won(sample: ScoredSample) -> Sides:
    """Return of which share of the other class each positive wins, and each negative loses.

    One sort of all scores: what each case has below it is a running total, taken where its ties
    begin and where they end.
    """
    truth, order = sample.truth, np.argsort(sample.scores)
    ordered, labels = sample.scores[order], truth[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    ends = np.append(starts[1:], len(ordered))
    shares = np.empty(len(truth))
    sides: list[Array] = []
    for k, (side, rivals) in enumerate(((truth, ~labels), (~truth, labels))):
        amount: Any = rivals
        if sample.weights is not None:
            amount = np.zeros(len(truth))
            amount[~side] = sample.weights[1 - k]
            amount = amount[order]
        below = np.concatenate(([0], np.cumsum(amount)))
        shares[order] = np.repeat((below[starts] + below[ends]) / (2 * below[-1]), ends - starts)
        sides.append(shares[side] if k == 0 else 1 - shares[side])
    return sides[0], sides[1]
