"""Areas under ROC curves of cases in clusters: images of a patient, runs of a question.

Cases of one cluster are alike, so clusters are counted, not cases. A cluster adds to the area what
its positives win and its negatives win beyond their share; the variance is that of these sums
(Obuchowski 1997, Biometrics 53:567, doi:10.2307/2533958).
"""

from dataclasses import dataclass, replace
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from baserate._arrays import Array, Index
from baserate.cases.units import ALIKE, SCORES, Floor, Law, Likeness
from baserate.curves.area_spread import ScoredSample, Sides, shares_within, shares_won
from baserate.curves.bounded_means import Limits, difference_limits

ROUNDING = 1e-24  # a variance of shares of pairs that is no more than rounding
ONE_CLUSTER = "all {} lie in one cluster: collect more clusters"


@dataclass(frozen=True, slots=True)
class ClusteredArea:
    """An area, or a difference of two, and what each of k clusters adds to it.

    Added is the sum of the placements of its positives, and of its negatives, less what as many
    cases win on average, over the cases of the class.
    """

    area: float
    added: Sides
    held: Sides  # the share of each class that the cluster holds
    independent: float  # the variance that DeLong gives as many independent cases
    shared: float = 1.0  # times the variance that folds have which share no training cases
    floor: Floor | None = None  # the least variance that so few clusters allow

    @classmethod
    def of(
        cls,
        sample: ScoredSample,
        codes: Index,
        folds: Index | None = None,
        shared: float = 1.0,
    ) -> "ClusteredArea":
        """Place every case, and add up by cluster; classes without cases are not for it.

        With `folds` cases are placed within their fold, and the area is the mean of theirs.
        """
        _, codes = np.unique(codes, return_inverse=True)  # some clusters have lost their cases
        if folds is None:
            sides = shares_won(sample)
        else:
            sample, sides = shares_within(sample, folds)
        k = int(codes.max()) + 1
        means = [sample.mean(i, sides[i]) for i in (0, 1)]
        added = list[Array]()
        held = list[Array]()
        for i, own in enumerate((sample.truth, ~sample.truth)):
            weights = None if sample.weights is None else sample.weights[i]
            amount = np.ones(len(sides[i])) if weights is None else weights
            total = float(amount.sum())
            held.append(np.bincount(codes[own], amount, k) / total)
            apart = amount * (sides[i] - means[i])
            added.append(np.bincount(codes[own], apart, k) / total)
        sums = (added[0], added[1]), (held[0], held[1])
        found = cls(min(1.0, means[0]), *sums, nan, shared)
        return found.floored(sample, sides, SCORES)

    def less(self, other: "ClusteredArea") -> "ClusteredArea":
        """Return the difference from another area of the same cases."""
        added = self.added[0] - other.added[0], self.added[1] - other.added[1]
        return ClusteredArea(self.area - other.area, added, self.held, nan)

    def floored(self, sample: ScoredSample, sides: Sides, likeness: Likeness) -> "ClusteredArea":
        """Return the same with what placements say of as many independent cases."""
        parts = [self.shared * part for part in sample.variances(sides)]
        each = zip(self.held, parts, (sample.cases(0), sample.cases(1)), strict=True)
        weighed = sum(held * sqrt(part * n) for held, part, n in each)
        floor = Floor.weighed(np.asarray(weighed), sum(parts), likeness)
        return replace(self, independent=sum(parts), floor=floor)

    @property
    def n_clusters(self) -> int:
        """Clusters with a case that counts."""
        return int(np.count_nonzero(self.held[0] + self.held[1]))

    @property
    def alone(self) -> str | None:
        """Why there is no variance, or None."""
        for held, cases in zip(self.held, ("positives", "negatives"), strict=True):
            if np.count_nonzero(held) < 2:
                return ONE_CLUSTER.format(cases)
        return None

    @property
    def lacking(self) -> str | None:
        """Why clusters say nothing, or None."""
        return self.alone or self.law().lacking

    @property
    def variance(self) -> float:
        """Obuchowski's: k₊/(k₊ - 1) Σ x² + k₋/(k₋ - 1) Σ y² + 2 k/(k - 1) Σ x y.

        With x and y what the positives and the negatives of a cluster add; k₊ clusters have
        positives, k₋ negatives.
        """
        (x, y), both = self.added, _unbiased(self.n_clusters)
        more, also = (_unbiased(int(np.count_nonzero(held))) - both for held in self.held)
        together = x + y  # squared as a whole: what cancels leaves no rounding behind
        found = both * float(together @ together) + more * float(x @ x) + also * float(y @ y)
        return self.shared * found

    @property
    def effective_clusters(self) -> float:
        """1 / Σ (share of the class)², for the class whose cases lie in fewer clusters.

        So many clusters of equal size say as much; of independent cases it is their number.
        """
        return 1 / max(float(held @ held) for held in self.held)

    @property
    def design_effect(self) -> float:
        """The variance, over that of as many independent cases; nan where that is 0."""
        return self.variance / self.independent if self.independent > ROUNDING else nan

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        """Return the interval of an area that errs with probability `tail` to either side, and why.

        Student's law on the logit scale, no narrower than `baserate.cases.units` allows. If a share
        w of the clusters did not win all pairs, m would with probability (1 - w)^m: the limit of an
        area of 1, which has no variance, is tail^(1/m).
        """
        if (reason := self.lacking) is not None:
            return (nan, nan), reason
        if self.area in (0.0, 1.0):
            bound = tail ** (1 / self.effective_clusters)
            return ((bound, 1.0) if self.area else (0.0, 1 - bound)), None
        if self.variance <= ROUNDING:
            return (nan, nan), ALIKE
        return self.law().within(1 - 2 * tail), None

    def law(self, bounds: Limits = (0.0, 1.0)) -> Law:
        """Return the law of the area; its moves are what clusters add, brought to the variance.

        Where one cluster holds nearly all of a class, the area hardly moves with it, which hides
        it: degrees of freedom are at most 2 m - 1 for a class in m effective clusters.
        """
        kept = self.held[0] + self.held[1] > 0
        moves = (self.added[0] + self.added[1])[kept]
        square, variance = float(moves @ moves), self.variance
        scale = np.full(len(moves), variance / square if square > 0 and variance < inf else 1.0)
        centre = nan if self.floor is None else self.floor.centre(self.area, wrong=0.0, right=1.0)
        units = np.arange(len(moves))
        found = Law(self.area, moves, units, scale, bounds, floor=self.floor, centre=centre)
        return replace(found, known=min(found.degrees, max(2 * self.effective_clusters - 1, 1.0)))

    @property
    def student(self) -> tuple[float, float, str | None]:
        """Obuchowski's variance, its degrees of freedom, and why there is none."""
        variance = self.variance
        why = self.alone or (ALIKE if variance <= ROUNDING else None)
        return variance, self.effective_clusters - 1, why


def limits_of_difference(a: Any, b: Any, apart: Any, tail: float) -> tuple[Limits, str | None]:
    """Return Student's interval of the difference of two areas of the same cases, by any units.

    Where no cluster parts them, join their intervals, less what these have in common.
    """
    if (reason := apart.lacking) is not None:
        return (nan, nan), reason
    if apart.variance > ROUNDING:
        return apart.law((-1.0, 1.0)).around(1 - 2 * tail), None
    found = [area.limits(tail) for area in (a, b)]
    if (reason := found[0][1] or found[1][1]) is not None:
        return (nan, nan), reason
    variances = a.variance, b.variance
    common = (sum(variances) - apart.variance) / 2
    product = variances[0] * variances[1]
    shared = max(-1.0, min(1.0, common / sqrt(product))) if product > ROUNDING**2 else 0.0
    limits = found[0][0], found[1][0]
    return difference_limits((a.area, b.area), limits, (shared, shared)), None


def _unbiased(k: int) -> float:
    return k / (k - 1) if k > 1 else inf
