"""Areas under ROC curves without each cluster of a stratum, or under sets of replicate weights.

An area is a sum over pairs of a positive and a negative, so that what a change of weights makes of
it is known from who meets whom: nothing is sorted anew for each of the units.
"""

from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Mask
from baserate.cases.strata import Jackknife


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


def area_pulls(truth: Mask, scores: NDArray[Any], weight: Array, value: float) -> Array:
    """Return how fast the area grows with the weight of each case, by how many it is ahead of."""
    _, at = np.unique(scores, return_inverse=True)
    sides = float(weight[truth].sum()), float(weight[~truth].sum())
    own, rivals = np.where(truth, sides[0], sides[1]), np.where(truth, sides[1], sides[0])
    return (beaten(at, truth, weight) / rivals - value) / own
