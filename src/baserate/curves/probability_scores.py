"""Scores of probability forecasts, beside the forecast that always says the base rate."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, log, log1p, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence, numbers_in
from baserate.cases.scores import as_probabilities, has_columns
from baserate.curves.bounded_means import mean_limits
from baserate.curves.class_scores import COLUMNS, ONE_COLUMN, ClassScores, refuse
from baserate.curves.cut_points import Sweep, as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.score_bins import middle, orders, outward, score_ends

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[Array, Array]]  # of a positive, and of a negative, at each score


def brier_score(
    y_true: Any,
    y_score: Any = None,
    *,
    labels: Any = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Estimate:
    """Return the Brier score, its interval and its skill.

    Mean of (probability - outcome)², with outcome 1 for a positive and 0 for a negative. The
    base-rate forecast has π (1 - π). Other names: mean squared error, quadratic score; its skill is
    the scaled Brier score, to which `r_squared` adds an interval.

    The interval is Gaffke's, for the mean of a quantity between 0 and 1: the quantiles of the mean
    under Dirichlet(1, ..., 1) weights, with one further loss of 0 for the lower limit and of 1 for
    the upper. Where all forecasts are 0 or 1 it is Clopper and Pearson's, and proved; for others no
    population is known in which it holds the truth less often than stated (`route` "conservative").
    With weights the cases are worth Kish's effective number, and `route` is "asymptotic".

    Of several classes it is the mean of the sum of (probability - outcome)² over all classes, from
    0 to 2, as Brier had it; a forecast that always says the class shares π has Σ π (1 - π). Two
    columns are read as the second one, whose score is half of that sum.

    Of a histogram, `bounds`, and the limits of the interval, which rise with every loss, take
    positives and negatives at the farthest ends of their bins.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone. For several classes `y_score` has
        shape (n, K), one column per class, and rows that sum to one.
    labels : sequence of K labels, optional
        Of several classes, in the order of the columns, as in `roc_auc`.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    Estimate
        With one class alone, always saying the base rate is perfect: neither chance nor skill.

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1], or the confidence level outside (0, 1).

    References
    ----------
    Brier (1950), Monthly Weather Review 78:1,
    doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2. Learned-Miller and Thomas (2019),
    arXiv:1905.06208, for Gaffke's limits.

    Examples
    --------
    >>> from baserate import brier_score
    >>> found = brier_score([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> round(found.value, 4), found.chance, round(found.skill, 2)
    (0.0925, 0.25, 0.63)

    Forecasts of 0 and 1, of which 2 of 10 are wrong: the interval of a share.

    >>> found = brier_score([1, 1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 1, 0, 0, 0, 0])
    >>> found.value, round(found.low, 4), round(found.high, 4)
    (0.2, 0.0252, 0.5561)

    Three classes: (0.14 + 0.26 + 0.24) / 3.

    >>> p = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]
    >>> found = brier_score(["a", "b", "c"], p)
    >>> round(found.value, 4), round(found.chance, 4)
    (0.2133, 0.6667)
    """
    level = confidence(confidence_level)
    if has_columns(y_score):
        return _of_classes(brier_score, (y_true, y_score, labels), level, pos_label, sample_weight)
    refuse(*ONE_COLUMN, labels=labels)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    pi, rest = class_shares(swept)
    return _estimate(swept, squared_errors, pi * rest, level, most=1.0)


def log_loss(
    y_true: Any,
    y_score: Any = None,
    *,
    labels: Any = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Estimate:
    """Return the logarithmic loss, its interval and its skill.

    Mean of -log(probability of what happened), natural logarithm. The base-rate forecast has -π log
    π - (1 - π) log(1 - π), and one of several class shares their entropy. A positive at probability
    0, or a negative at 1, makes it infinite: nothing is clipped. Other names: cross-entropy,
    deviance / 2, ignorance (base 2); its skill is McFadden's R², to which `r_squared` adds an
    interval.

    The loss has no bound, so that no interval could hold in every population. This one supposes
    that no score will be more extreme than the most extreme one of these cases, right or wrong: the
    losses then lie between 0 and the largest that these scores could have made, and the interval is
    that of `brier_score` with these bounds (`route` "conservative"; "asymptotic" with weights). If
    the score 0 or 1 occurs, or of several classes a probability of 0, `high` is infinite. `bounds`
    of a histogram are as for `brier_score`.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and probabilities; or a `Sweep` of them alone. For several classes `y_score` has
        shape (n, K), one column per class, and rows that sum to one.
    labels : sequence of K labels, optional
        As for `brier_score`.
    confidence_level : float in (0, 1)
    pos_label, sample_weight : optional
        As in `sweep`.

    Raises
    ------
    InvalidArgumentError
        Scores lie outside [0, 1], or the confidence level outside (0, 1).

    References
    ----------
    Good (1952), Journal of the Royal Statistical Society B 14:107,
    doi:10.1111/j.2517-6161.1952.tb00104.x.

    Examples
    --------
    >>> from baserate import log_loss
    >>> found = log_loss([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.4])
    >>> round(found.value, 4), round(found.chance, 4), round(found.skill, 4)
    (0.3375, 0.6931, 0.513)
    """
    level = confidence(confidence_level)
    if has_columns(y_score):
        return _of_classes(log_loss, (y_true, y_score, labels), level, pos_label, sample_weight)
    refuse(*ONE_COLUMN, labels=labels)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    return _estimate(swept, surprises, entropy(swept), level)


def _of_classes(
    measure: Callable[..., Estimate],
    data: tuple[Any, Any, Any],
    level: float,
    pos_label: Any,
    sample_weight: Any,
) -> Estimate:
    """Return the same of probabilities in columns; two of them are those of the second class."""
    from baserate.curves.class_losses import class_brier_score, class_log_loss

    refuse(*COLUMNS, pos_label=pos_label)
    cases = ClassScores.of(*data, sample_weight).check_probabilities()
    if cases.n_classes == 2:
        return measure(cases.against_the_rest(1), confidence_level=level)
    return {brier_score: class_brier_score, log_loss: class_log_loss}[measure](cases, level)


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What each case lost, alike cases together, and the most that any case could lose."""

    positive: Array  # loss of a positive at each distinct score
    negative: Array
    n_positive: Array  # cases, or weights
    n_negative: Array
    effective: float  # effective cases per case, or per unit of weight
    most: float  # the least loss of any case is 0
    is_weighted: bool

    @classmethod
    def of(cls, swept: Sweep, loss: Loss, most: float | None = None) -> "Losses":
        """Read a sweep; `most` is the largest loss that its scores could make, unless given."""
        positive, negative = loss(probabilities(swept))
        total = swept.n_positive + swept.n_negative
        return cls(
            positive,
            negative,
            *swept.by_score,
            effective=swept.effective_n / total,
            most=float(max(positive.max(), negative.max())) if most is None else most,
            is_weighted=swept.is_weighted,
        )

    @property
    def mean(self) -> float:
        """Mean loss; a loss that nobody suffers is 0, be it infinite."""
        sides = ((self.n_positive, self.positive), (self.n_negative, self.negative))
        lost = sum(
            float(np.multiply(cases, each, out=np.zeros(len(each)), where=cases != 0).sum())
            for cases, each in sides
        )
        return lost / float(self.n_positive.sum() + self.n_negative.sum())

    @property
    def cases(self) -> tuple[Array, Array]:
        """Losses, and how many effective cases have each."""
        counts = np.concatenate((self.n_positive, self.n_negative)) * self.effective
        return np.concatenate((self.positive, self.negative)), counts

    @property
    def route(self) -> str:
        """What an interval of these cases is."""
        return "asymptotic" if self.is_weighted else "conservative"

    def limits(self, level: float) -> tuple[float, float]:
        """Return an interval for the mean loss in the population."""
        if not isfinite(self.mean):
            return inf, inf
        low, high = mean_limits(*self.cases, (0.0, self.most), level)
        return min(low, self.mean), max(high, self.mean)  # sums are rounded in other orders

    def estimate(self, level: float, chance: float, alone: str | None) -> Estimate:
        """Return the mean loss beside that of the shares, or why these are no forecast."""
        low, high = self.limits(level)
        return Estimate(
            value=self.mean,
            low=low,
            high=high,
            confidence_level=level,
            chance=chance,
            perfect=0.0,
            route=self.route,
            chance_reason=alone,
        )


def squared_errors(eta: Array) -> tuple[Array, Array]:
    """Return the squared error of a positive and of a negative of these probabilities."""
    return (1 - eta) ** 2, eta**2


def surprises(eta: Array) -> tuple[Array, Array]:
    """Return the logarithmic loss of a positive and of a negative of these probabilities."""
    with np.errstate(divide="ignore"):
        return -np.log(eta), -np.log1p(-eta)


def entropy(swept: Sweep) -> float:
    """Return the logarithmic loss of always saying the base rate."""
    rare, common = sorted(class_shares(swept))
    return -rare * log(rare) - common * log1p(-rare) if rare else 0.0


def probabilities(swept: Sweep) -> Array:
    """Return the distinct scores, having checked that they are probabilities.

    The middle of a bin stands for scores that were counted together.
    """
    lowest, highest = score_ends(swept)
    remedy = as_probabilities(float(lowest.min(initial=0)), float(highest.max(initial=0)))
    ends = [np.asarray(numbers_in("y_score", end, "[0, 1]", remedy)) for end in (lowest, highest)]
    return ends[0] if swept.highest is None else ends[0] + (ends[1] - ends[0]) / 2


def class_shares(swept: Sweep) -> tuple[float, float]:
    """Return the shares of both classes, each as a quotient: one may be far below rounding."""
    total = swept.n_positive + swept.n_negative
    return swept.n_positive / total, swept.n_negative / total


def _estimate(
    swept: Sweep, loss: Loss, chance: float, level: float, most: float | None = None
) -> Estimate:
    alone = swept.absent and f"{swept.absent}, so the base rate is a perfect forecast"
    losses = Losses.of(middle(swept), loss, most)
    found = losses.estimate(level, nan if alone else chance, alone)
    ends = loss_ends(swept, loss, most)
    if ends is None:
        return found
    low, high = ends[0].limits(level)[0], ends[1].limits(level)[1]
    return replace(found, low=low, high=high, bounds=loss_bounds(*ends))


def loss_ends(swept: Sweep, loss: Loss, most: float | None = None) -> tuple[Losses, Losses] | None:
    """Return the least and the greatest losses that counted scores may stand for.

    The least where positives have the highest score of their range and negatives the lowest.
    """
    both = orders(swept)
    if both is None:
        return None
    (up, _), (_, down) = map(loss, score_ends(swept))
    worst = most or float(max(up.max(), down.max()))
    return Losses.of(both.best, loss, most), Losses.of(both.worst, loss, worst)


def loss_bounds(least: Losses, greatest: Losses) -> tuple[float, float]:
    """Return what holds the mean loss between these."""
    low, high = outward(least.mean, greatest.mean, terms=len(least.positive))
    return max(0.0, low), high
