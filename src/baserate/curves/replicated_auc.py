"""Areas under ROC curves without each cluster of a stratum, or under sets of replicate weights.

An area is a sum over pairs of a positive and a negative, so that what a change of weights makes of
it is known from who meets whom: nothing is sorted anew for each of the units.
"""

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask
from baserate.cases.clusters import Replicated
from baserate.cases.strata import Jackknife
from baserate.cases.units import ALIKE, Law, law_of_replicates
from baserate.curves.area_spread import ScoredSample, Sides, shares_within, shares_won
from baserate.curves.bounded_means import Limits
from baserate.curves.clustered_auc import ROUNDING, ClusteredArea
from baserate.curves.within_folds import SHARED


def beaten(at: Index, truth: Mask, weight: Array, part: Index | None = None) -> Array:
    """Return what each case is ahead of: of a positive the weight of the negatives that score less.

    Of a negative, that of the positives that score more; ties count half, and only cases of the
    same part count. `at` is the place of each case's score among all scores, in order.
    """
    part = np.zeros(len(at), dtype=np.intp) if part is None else part
    _, rank = np.unique(part * (at.max() + 1) + at, return_inverse=True)
    ahead = np.empty(len(at))
    for side in (truth, ~truth):
        rivals = np.where(side, 0.0, weight)
        each, whole = np.bincount(rank, rivals), np.bincount(part, rivals)
        below = (np.cumsum(each) - each / 2)[rank] - (np.cumsum(whole) - whole)[part]
        ahead[side] = (below if side is truth else whole[part] - below)[side]
    return ahead


def areas_under(truth: Mask, scores: NDArray[Any], replicates: Array | Jackknife) -> Array:
    """Return the area under every set of weights; nan where one leaves a class without a case.

    The area of weights w is Σ w_i w_j [s_i > s_j] / (Σ w_i Σ w_j) over positives i and negatives j,
    ties one half.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.curves.replicated_auc import areas_under
    >>> weights = np.array([[1.0, 1, 1, 1], [1, 1, 0, 1], [0, 0, 1, 1]])
    >>> areas_under(np.array([True, True, False, False]), np.array([3, 1, 2, 1]), weights).tolist()
    [0.625, 0.75, nan]
    """
    _, at = np.unique(scores, return_inverse=True)
    if isinstance(replicates, Jackknife):
        return _without_each(at, truth, replicates)
    return np.array([_area(at, truth, weight) for weight in replicates])


def _area(at: Index, truth: Mask, weight: Array) -> float:
    won, lost = (np.bincount(at, np.where(side, weight, 0.0)) for side in (truth, ~truth))
    pairs = won.sum() * lost.sum()
    return float(won @ (np.cumsum(lost) - lost / 2) / pairs) if pairs else nan


def _without_each(at: Index, truth: Mask, units: Jackknife) -> Array:
    """Weigh pairs anew: k/(k - 1) for each case beside the unit in its stratum, 0 in the unit.

    Weights change by the factors f = 1/(k - 1) in the whole stratum and -k f in the unit.
    """
    [unit], weight = units.units, units.weight
    k, n_units = units.sizes, len(units)
    f, g = 1 / (k - 1), k / (k - 1)

    def met(part: Index | None) -> tuple[Any, Any]:
        """Return the pairs of each unit's cases with cases of the same part; of its stratum's."""
        own = np.bincount(unit, weight * beaten(at, truth, weight, part), n_units)
        return own, np.bincount(units.stratum, own)[units.stratum]

    every, of_all = met(None)
    beside, of_beside = met(units.stratum[unit])
    within, _ = met(unit)
    won = every.sum() / 2 + f * of_all - g * every
    won += f * f * of_beside / 2 - f * g * beside + g * g * within / 2
    pairs = np.prod(units.totals(truth.astype(np.intp), 2), axis=1)
    return np.divide(won, pairs, out=np.full(n_units, nan), where=pairs > 0).astype(float)


@dataclass(frozen=True, slots=True)
class ReplicatedArea:
    """An area, or a difference of two, and what it is without each unit or under each replicate.

    What `ClusteredArea` is for clusters that were all drawn alike.
    """

    moved: Law
    independent: float  # the variance that DeLong gives as many independent cases

    @classmethod
    def of(
        cls, sample: ScoredSample, replicated: Replicated, folds: Index | None = None
    ) -> "ReplicatedArea":
        """Weigh the cases anew; within folds, and of items in runs, as placements would move it.

        Folds share training cases: variances count twice.
        """
        amounts, scale, degrees = replicated
        shared = 1.0 if folds is None else SHARED
        if folds is None:
            kept, sides = sample, shares_won(sample)
        else:
            kept, sides = shares_within(sample, folds)
        value = min(1.0, kept.mean(0, sides[0]))
        if folds is None and not (isinstance(amounts, Jackknife) and amounts.crossed):
            areas = areas_under(sample.truth, sample.scores, amounts)
        else:
            areas = value + _pulled(kept, sides, folds, sample.amount, amounts)
        law = law_of_replicates(value, areas, shared * scale, degrees, (0.0, 1.0))
        return cls(law, shared * kept.variance(sides))

    def less(self, other: "ReplicatedArea") -> "ReplicatedArea":
        """Return the difference from another area of the same cases."""
        return ReplicatedArea(self.moved.minus(other.moved), nan)

    def floored(self, sample: ScoredSample, sides: Sides, *_: Any) -> "ReplicatedArea":
        """Return the same with what placements say of as many independent cases.

        No variance is the least one: how the units were drawn is known.
        """
        return replace(self, independent=sample.variance(sides))

    @property
    def area(self) -> float:
        """The area, or the difference."""
        return self.moved.value

    @property
    def n_clusters(self) -> int:
        """Clusters, those of which no case is here among them, or replicates."""
        return len(self.moved.units)

    @property
    def lacking(self) -> str | None:
        """Why units say nothing, or None."""
        return self.moved.lacking

    @property
    def variance(self) -> float:
        """Σ scale d²."""
        return self.moved.variance

    @property
    def design_effect(self) -> float:
        """The variance, over that of as many independent cases; nan where that is 0."""
        return self.variance / self.independent if self.independent > ROUNDING else nan

    def law(self, bounds: Limits = (0.0, 1.0)) -> Law:
        """Return the law of the area, or with other bounds of a difference."""
        return replace(self.moved, bounds=bounds)

    def limits(self, tail: float) -> tuple[Limits, str | None]:
        """Return the interval that errs with probability `tail` to either side, and why if none."""
        reason = self.lacking or (ALIKE if self.moved.blind else None)
        return ((nan, nan) if reason else self.moved.within(1 - 2 * tail)), reason

    @property
    def student(self) -> tuple[float, float, str | None]:
        """The variance, its degrees of freedom, and why there is none."""
        return self.variance, self.moved.degrees, self.moved.reason


def area_by_units(
    sample: ScoredSample, units: Index | Jackknife, folds: Index | None = None
) -> Any:
    """Return a `ClusteredArea`, or of clusters that were drawn within strata a `ReplicatedArea`."""
    if isinstance(units, Jackknife):
        return ReplicatedArea.of(sample, Replicated.of_units(units), folds)
    return ClusteredArea.of(sample, units, folds, 1.0 if folds is None else SHARED)


def _pulled(
    sample: ScoredSample, sides: Sides, folds: Index | None, weight: Array, replicates: Any
) -> Array:
    """Return how far the area moves under each set of weights, to first order.

    With the weight of a case it grows by how much more of the other class the case is ahead of than
    others are, over the weight of its class, in its fold and times the folds.
    """
    folds, pulls = np.zeros(len(weight), dtype=np.intp) if folds is None else folds, weight * 0
    for k, side in enumerate((sample.truth, ~sample.truth)):
        whole = np.bincount(folds[side], weight[side])
        pulls[side] = sides[k] - sample.mean(k, sides[k])
        pulls[side] /= whole[folds[side]] * len(whole)
    return (replicates @ pulls) * (weight.sum() / (replicates @ np.ones(len(weight))))
