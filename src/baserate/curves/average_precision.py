"""Average precision, and what a random ranking of as many positives would have."""

from dataclasses import dataclass
from math import nan

import numpy as np

from baserate._result import Result
from baserate.curves._groups import Groups, absent_class, groups
from baserate.curves.sweep import Sweep

WEIGHTED = "weights have no law under random labels: pass the cases without weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragePrecision(Result):
    """Average precision with its chance level; ``float()`` gives the value.

    Attributes
    ----------
    value : float
        nan if `reason` says why.
    chance : float
        The expectation under random labels; nan with weights (see `chance_reason`).
    skill : float
        (value - chance) / (1 - chance); nan where either is, or where chance is perfect.
    reason, chance_reason : str or None
    """

    value: float
    chance: float = nan
    skill: float = nan
    reason: str | None = None
    chance_reason: str | None = None

    def __float__(self) -> float:
        return self.value


def average_precision(sweep: Sweep) -> AveragePrecision:
    """Return average precision and its exact chance level.

    AP = Σ over cut points of (recall - recall one cut before) · precision. It is the mean, over the
    positives, of the precision at the score of each.

    Chance is the expectation over all ways to place P positives on the n scores found. With
    distinct scores it is (P - 1)/(n - 1) + (n - P)/(n (n - 1)) · H_n, where H_n = 1 + 1/2 + ... +
    1/n; it exceeds the base rate P/n, by much if there are few positives. With t_g cases at the
    g-th score and n_g at or above it, it is Σ t_g/n_g · (1/n + (n_g - 1)(P - 1)/(n (n - 1))).

    Parameters
    ----------
    sweep : Sweep
        Of cases or weights; with weights there is no chance level.

    Returns
    -------
    AveragePrecision

    Raises
    ------
    InvalidArgumentError
        No sweep was given.

    References
    ----------
    Bestgen (2015), Prague Bulletin of Mathematical Linguistics 103:131,
    doi:10.1515/pralin-2015-0007, for distinct scores.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> found = average_precision(sweep([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> found.value, round(found.chance, 4), round(found.skill, 4)
    (0.75, 0.5267, 0.4718)
    """
    if absent_class(sweep) == "no positives":
        return AveragePrecision(value=nan, reason="no positives", chance_reason="no positives")
    tp, fp = sweep.true_positives[1:], sweep.false_positives[1:]
    found = groups(sweep)
    value = min(1.0, float(np.dot(found.positive, tp / (tp + fp)) / tp[-1]))
    if sweep.is_weighted:
        return AveragePrecision(value=value, chance_reason=WEIGHTED)
    chance = chance_level(found)
    skill = (value - chance) / (1 - chance) if sweep.n_negative else nan
    return AveragePrecision(value=value, chance=chance, skill=skill)


def chance_level(found: Groups) -> float:
    """Return the expectation under random labels, given who shares a score."""
    sizes = found.sizes.astype(float)
    above = np.cumsum(sizes)
    n, p = float(above[-1]), float(found.positive.sum())
    if p == n:
        return 1.0
    return float(np.dot(sizes / above, 1 / n + (above - 1) * ((p - 1) / (n * (n - 1)))))
