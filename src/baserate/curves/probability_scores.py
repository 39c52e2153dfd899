"""Scores of probability forecasts, beside the forecast that always says the base rate."""

from dataclasses import dataclass
from math import log, log1p, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import numbers_in
from baserate._result import Result
from baserate.curves.cut_points import Sweep, as_sweep

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityScore(Result):
    """A mean loss of probability forecasts, lower is better; ``float()`` gives it.

    Attributes
    ----------
    value : float
    chance : float
        The loss of always saying the base rate of these cases.
    skill : float
        1 - value / chance: 1 is perfect, 0 is as good as the base rate, negative is worse. nan
        if `reason` says why.
    reason : str or None
    """

    value: float
    chance: float
    skill: float
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def brier_score(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None
) -> ProbabilityScore:
    """Return the Brier score and its skill.

    Mean of (probability - outcome)², with outcome 1 for a positive and 0 for a negative. The
    base-rate forecast has π (1 - π). Other names: mean squared error; its skill is also
    called scaled Brier score.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone. Pooled probabilities lose nothing: the
        score depends on the cases of each class at each distinct probability alone.
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    ProbabilityScore

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1].

    References
    ----------
    Brier (1950), Monthly Weather Review 78:1,
    doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.

    Examples
    --------
    >>> found = brier_score([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> round(found.value, 4), found.chance, round(found.skill, 2)
    (0.0925, 0.25, 0.63)
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    eta = probabilities(swept)
    pi, rest = _shares(swept)
    return _score(swept, (1 - eta) ** 2, eta**2, pi * rest)


def log_loss(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None
) -> ProbabilityScore:
    """Return the logarithmic loss and its skill.

    Mean of -log(probability of what happened), natural logarithm. The base-rate forecast has
    -π log π - (1 - π) log(1 - π). A positive at probability 0, or a negative at 1, makes it
    infinite: nothing is clipped. Other names: cross-entropy, deviance / 2, ignorance (base 2).

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone.
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    ProbabilityScore

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1].

    References
    ----------
    Good (1952), Journal of the Royal Statistical Society B 14:107,
    doi:10.1111/j.2517-6161.1952.tb00104.x.

    Examples
    --------
    >>> found = log_loss([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> round(found.value, 4), round(found.chance, 4), round(found.skill, 4)
    (0.3375, 0.6931, 0.513)
    """
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    eta = probabilities(swept)
    with np.errstate(divide="ignore"):
        losses = -np.log(eta), -np.log1p(-eta)
    rare, common = sorted(_shares(swept))
    entropy = -rare * log(rare) - common * log1p(-rare) if rare else 0.0
    return _score(swept, *losses, entropy)


def probabilities(swept: Sweep) -> Array:
    """Return the distinct scores, having checked that they are probabilities."""
    remedy = "pass probabilities, calibrated if they are scores of another kind"
    return np.asarray(numbers_in("y_score", swept.thresholds[1:], "[0, 1]", remedy))


def _shares(swept: Sweep) -> tuple[float, float]:
    """Return the shares of both classes, each as a quotient: one may be far below rounding."""
    total = swept.n_positive + swept.n_negative
    return swept.n_positive / total, swept.n_negative / total


def _score(swept: Sweep, of_positive: Array, of_negative: Array, chance: float) -> ProbabilityScore:
    positive, negative = swept.by_score
    # A loss that nobody suffers is 0, be it infinite.
    loss = sum(
        float(np.multiply(cases, each, out=np.zeros(len(each)), where=cases != 0).sum())
        for cases, each in ((positive, of_positive), (negative, of_negative))
    )
    value = loss / (swept.n_positive + swept.n_negative)
    reason = swept.absent
    skill = nan if reason else 1 - value / chance
    if reason:
        reason = f"{reason}, so the base rate is a perfect forecast"
    return ProbabilityScore(value=value, chance=chance, skill=skill, reason=reason)
