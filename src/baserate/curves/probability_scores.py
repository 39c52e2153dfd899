"""Scores of probability forecasts, beside the forecast that always says the base rate."""

from dataclasses import dataclass
from math import log, log1p, nan

import numpy as np
from numpy.typing import NDArray

from baserate.curves._groups import absent_class, groups
from baserate.curves.sweep import Sweep
from baserate.errors import InvalidArgumentError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityScore:
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


def brier_score(sweep: Sweep) -> ProbabilityScore:
    """Return the Brier score and its skill.

    Mean of (probability - outcome)², with outcome 1 for a positive and 0 for a negative. The
    base-rate forecast has π (1 - π). Other names: mean squared error; its skill is also
    called scaled Brier score.

    Parameters
    ----------
    sweep : Sweep
        Of probabilities, with or without weights. Pooled probabilities lose nothing: the score
        depends on the cases of each class at each distinct probability alone.

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
    >>> from baserate.curves import sweep
    >>> found = brier_score(sweep([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4]))
    >>> round(found.value, 4), found.chance, round(found.skill, 2)
    (0.0925, 0.25, 0.63)
    """
    eta = probabilities(sweep)
    pi, rest = _shares(sweep)
    return _score(sweep, (1 - eta) ** 2, eta**2, pi * rest)


def log_loss(sweep: Sweep) -> ProbabilityScore:
    """Return the logarithmic loss and its skill.

    Mean of -log(probability of what happened), natural logarithm. The base-rate forecast has
    -π log π - (1 - π) log(1 - π). A positive at probability 0, or a negative at 1, makes it
    infinite: nothing is clipped. Other names: cross-entropy, deviance / 2, ignorance (base 2).

    Parameters
    ----------
    sweep : Sweep
        Of probabilities, with or without weights.

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
    >>> from baserate.curves import sweep
    >>> found = log_loss(sweep([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4]))
    >>> round(found.value, 4), round(found.chance, 4), round(found.skill, 4)
    (0.3375, 0.6931, 0.513)
    """
    eta = probabilities(sweep)
    with np.errstate(divide="ignore"):
        losses = -np.log(eta), -np.log1p(-eta)
    rare, common = sorted(_shares(sweep))
    entropy = -rare * log(rare) - common * log1p(-rare) if rare else 0.0
    return _score(sweep, *losses, entropy)


def probabilities(sweep: Sweep) -> Array:
    """Return the distinct scores, having checked that they are probabilities."""
    absent_class(sweep)
    eta = sweep.thresholds[1:]
    outside = (eta < 0) | (eta > 1)
    if outside.any():
        rule, remedy = "must hold probabilities in [0, 1]", "calibrate the scores first"
        raise InvalidArgumentError.from_rule("sweep", rule, float(eta[outside][0]), remedy)
    return eta.astype(float)


def _shares(sweep: Sweep) -> tuple[float, float]:
    """Return the shares of both classes, each as a quotient: one may be far below rounding."""
    total = sweep.n_positive + sweep.n_negative
    return sweep.n_positive / total, sweep.n_negative / total


def _score(sweep: Sweep, of_positive: Array, of_negative: Array, chance: float) -> ProbabilityScore:
    found = groups(sweep)
    loss = float(
        _times(found.positive, of_positive).sum() + _times(found.negative, of_negative).sum()
    )
    value = loss / (sweep.n_positive + sweep.n_negative)
    reason = absent_class(sweep)
    skill = nan if reason else 1 - value / chance
    if reason:
        reason = f"{reason}, so the base rate is a perfect forecast"
    return ProbabilityScore(value=value, chance=chance, skill=skill, reason=reason)


def _times(amount: Array, loss: Array) -> Array:
    """Multiply; a loss that nobody suffers is 0, be it infinite."""
    return np.where(np.equal(amount, 0), 0.0, amount * np.where(np.equal(amount, 0), 0.0, loss))
