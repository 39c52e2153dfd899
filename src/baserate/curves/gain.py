"""The area under the precision-recall-gain curve, and what a random ranking would have."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import Result
from baserate._windows import hypergeometric
from baserate.curves._groups import Groups, absent_class, groups
from baserate.curves.sweep import Sweep

Array = NDArray[np.float64]

BUDGET = 50_000_000  # steps of the sum for chance, about a second
OVERHEAD = 1_000  # steps that one distinct score costs by itself
ROOM = 1e-9  # negatives per positive below which recall gain 0 and 1 differ by rounding
WEIGHTED = "weights have no law under random labels: pass the cases without weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRecallGainAuc(Result):
    """The area under the precision-recall-gain curve; ``float()`` gives it.

    Attributes
    ----------
    value : float
        At most 1; about 0 for a random ranking, negative without bound for a worse one. nan if
        `reason` says why.
    chance : float
        The exact expectation under random labels: near 0, and tending to it as data grow, but far
        below with a single positive; nan if `chance_reason` says why.
    skill : float
        (value - chance) / (1 - chance).
    reason, chance_reason : str or None
    """

    value: float
    chance: float = nan
    skill: float = nan
    reason: str | None = None
    chance_reason: str | None = None

    def __float__(self) -> float:
        return self.value


def precision_recall_gain_auc(sweep: Sweep) -> PrecisionRecallGainAuc:
    """Return the area under the precision-recall-gain curve over recall gains in [0, 1].

    With base rate π, precision gain = (precision - π) / ((1 - π) precision) = 1 - π fp / ((1 - π)
    tp), and recall gain the same of recall = 1 - π fn / ((1 - π) tp). Always predicting positive
    has precision gain 0, so unlike average precision the area has one zero at every base rate, and
    segments between cut points are straight. It starts where recall is π, on the straight line of
    the ROC curve between its neighbours.

    Parameters
    ----------
    sweep : Sweep
        Of cases or weights; with weights there is no chance level.

    Returns
    -------
    PrecisionRecallGainAuc

    Raises
    ------
    InvalidArgumentError
        No sweep was given.

    References
    ----------
    Flach and Kull (2015), Precision-Recall-Gain Curves: PR Analysis Done Right, Advances in Neural
    Information Processing Systems 28.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> found = precision_recall_gain_auc(sweep([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> found.value, round(found.chance, 4)
    (0.25, 0.0)
    """
    absent = absent_class(sweep)
    if absent:
        return PrecisionRecallGainAuc(value=nan, reason=absent, chance_reason=absent)
    if sweep.n_negative < ROOM * sweep.n_positive:
        reason = "the negatives weigh too little beside the positives for recall to gain"
        return PrecisionRecallGainAuc(value=nan, reason=reason, chance_reason=reason)
    tp, fp = (np.asarray(c, float) for c in (sweep.true_positives, sweep.false_positives))
    value = float(_areas(tp[:-1], tp[1:], fp[:-1], fp[1:], (tp[-1], fp[-1])).sum())
    if sweep.is_weighted:
        return PrecisionRecallGainAuc(value=value, chance_reason=WEIGHTED)
    found = groups(sweep)
    steps = _cost(found)
    if steps > BUDGET:
        reason = f"its exact sum has about {steps:,} terms, beyond {BUDGET:,}; it tends to 0"
        return PrecisionRecallGainAuc(value=value, chance_reason=reason)
    chance = chance_level(found)
    skill = (value - chance) / (1 - chance)
    return PrecisionRecallGainAuc(value=value, chance=chance, skill=skill)


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


def _cost(found: Groups) -> int:
    p = int(found.positive.sum())
    return int(np.sum(OVERHEAD + (p + 1) * (np.minimum(found.sizes, p) + 1)))


def chance_level(found: Groups) -> float:
    """Return the expectation under random labels: segments times the chance to pass them.

    The number of positives above a score is a Markov chain; each segment of the curve is one step.
    """
    p, q = (int(side.sum()) for side in found)
    law, tp = np.zeros(p + 1), np.arange(p + 1.0)
    law[0], above, total = 1.0, 0, 0.0
    for size in map(int, found.sizes):
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
