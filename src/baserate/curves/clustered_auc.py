"""Areas under ROC curves of cases in clusters: images of a patient, runs of a question.

Cases of one cluster are alike, so clusters are counted, not cases. A cluster adds to the area what
its positives win and its negatives win beyond their share; the variance is that of these sums
(Obuchowski 1997, Biometrics 53:567, doi:10.2307/2533958).
"""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from baserate.curves.bounded_means import difference_limits
from baserate.curves.placements import Array, Sample, Sides, shares_won

Limits = tuple[float, float]

ROUNDING = 1e-24  # a variance of shares of pairs that is no more than rounding
ONE_CLUSTER = "all {} lie in one cluster: collect more clusters"
ALIKE = "nothing shows how much clusters differ: collect more clusters"


@dataclass(frozen=True, slots=True)
class ClusteredArea:
    """An area, or a difference of two, and what each of k clusters adds to it.

    Attributes
    ----------
    area : float
    added : pair of arrays of shape (k,)
        Of the positives of each cluster, and of its negatives: the sum of their placements, less
        what as many cases win on average, over the cases of the class.
    held : pair of arrays of shape (k,)
        The share of each class that the cluster holds.
    independent : float
        The variance that DeLong gives as many independent cases.
    """

    area: float
    added: Sides
    held: Sides
    independent: float

    @classmethod
    def of(cls, sample: Sample, codes: NDArray[np.intp]) -> "ClusteredArea":
        """Place every case, and add up by cluster; classes without cases are not for it."""
        _, codes = np.unique(codes, return_inverse=True)  # some clusters have lost their cases
        sides, k = shares_won(sample), int(codes.max()) + 1
        means = [sample.mean(i, sides[i]) for i in (0, 1)]
        added: list[Array] = []
        held: list[Array] = []
        for i, own in enumerate((sample.truth, ~sample.truth)):
            weights = None if sample.weights is None else sample.weights[i]
            amount = np.ones(len(sides[i])) if weights is None else weights
            total = float(amount.sum())
            held.append(np.bincount(codes[own], amount, k) / total)
            apart = amount * (sides[i] - means[i])
            added.append(np.bincount(codes[own], apart, k) / total)
        area = min(1.0, means[0])
        return cls(area, (added[0], added[1]), (held[0], held[1]), sample.variance(sides))

    def less(self, other: "ClusteredArea", independent: float = nan) -> "ClusteredArea":
        """Return the difference from another area of the same cases."""
        added = self.added[0] - other.added[0], self.added[1] - other.added[1]
        return ClusteredArea(self.area - other.area, added, self.held, independent)

    @property
    def n_clusters(self) -> int:
        """Clusters with a case that counts."""
        return int(np.count_nonzero(self.held[0] + self.held[1]))

    @property
    def lacking(self) -> str | None:
        """Why there is no variance, or None."""
        for held, cases in zip(self.held, ("positives", "negatives"), strict=True):
            if np.count_nonzero(held) < 2:
                return ONE_CLUSTER.format(cases)
        return None

    @property
    def variance(self) -> float:
        """Obuchowski's: k₊/(k₊ - 1) Σ x² + k₋/(k₋ - 1) Σ y² + 2 k/(k - 1) Σ x y.

        With x and y what the positives and the negatives of a cluster add; k₊ clusters have
        positives, k₋ negatives.
        """
        (x, y), both = self.added, _unbiased(self.n_clusters)
        more, also = (_unbiased(int(np.count_nonzero(held))) - both for held in self.held)
        together = x + y  # squared as a whole: what cancels leaves no rounding behind
        return both * float(together @ together) + more * float(x @ x) + also * float(y @ y)

    @property
    def effective_clusters(self) -> float:
        """1 / Σ (share of the class)², for the class whose cases lie in fewer clusters.

        So many clusters of equal size say as much; of independent cases it is their number.
        """
        return 1 / max(float(held @ held) for held in self.held)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the variance."""
        return self.effective_clusters - 1

    @property
    def design_effect(self) -> float:
        """The variance, over that of as many independent cases; nan where that is 0."""
        return self.variance / self.independent if self.independent > ROUNDING else nan

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        """Return the interval of an area that errs with probability `tail` to either side, and why.

        Student's law on the logit scale. An area of 1 has no variance: if a share w of the clusters
        did not win all pairs, m would with probability (1 - w)^m, and the limit is tail^(1/m).
        """
        if (reason := self.lacking) is not None:
            return (nan, nan), reason
        if self.area in (0.0, 1.0):
            bound = tail ** (1 / self.effective_clusters)
            return ((bound, 1.0) if self.area else (0.0, 1 - bound)), None
        variance = self.variance
        if variance <= ROUNDING:
            return (nan, nan), ALIKE
        reach = _quantile(self.freedom, tail) * sqrt(variance)
        return (_moved(self.area, -reach), _moved(self.area, reach)), None

    def two_sided(self) -> tuple[float, str | None]:
        """Return P(|t| as far) if the difference is 0, and why there is none."""
        tail, reason = self._beyond(abs(self.area))
        return min(1.0, 2 * tail), reason

    def above_chance(self) -> tuple[float, str | None]:
        """Return P(t as high) if the area is 1/2, and why there is none."""
        return self._beyond(self.area - 0.5)

    def _beyond(self, apart: float) -> tuple[float, str | None]:
        from scipy.special import stdtr

        if (reason := self.lacking) is not None:
            return nan, reason
        if apart**2 <= ROUNDING:
            return 0.5, None
        variance = self.variance
        if variance <= ROUNDING:
            return nan, ALIKE
        return float(stdtr(self.freedom, -apart / sqrt(variance))), None


def limits_of_difference(
    a: ClusteredArea, b: ClusteredArea, tail: float
) -> tuple[Limits, str | None]:
    """Join the intervals of two areas of the same cases, less what these have in common."""
    found = [area.limits(tail) for area in (a, b)]
    if (reason := found[0][1] or found[1][1]) is not None:
        return (nan, nan), reason
    variances = a.variance, b.variance
    common = (sum(variances) - a.less(b).variance) / 2
    product = variances[0] * variances[1]
    shared = max(-1.0, min(1.0, common / sqrt(product))) if product > ROUNDING**2 else 0.0
    limits = found[0][0], found[1][0]
    return difference_limits((a.area, b.area), limits, (shared, shared)), None


def _unbiased(k: int) -> float:
    return k / (k - 1) if k > 1 else inf


def _quantile(freedom: float, tail: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - tail))


def _moved(area: float, by: float) -> float:
    """Return an area that lies `by` away where it is small, and never beyond 0 or 1."""
    odds = np.log(area) - np.log1p(-area) + by / (area * (1 - area))
    return float(1 / (1 + np.exp(-np.clip(odds, -700, 700))))
