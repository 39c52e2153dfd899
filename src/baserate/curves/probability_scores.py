"""Scores of probability forecasts, beside the forecast that always says the base rate."""

from dataclasses import replace
from math import nan, prod
from typing import Any, Literal

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, whole_number
from baserate.cases.scores import has_columns
from baserate.cases.values import listed
from baserate.curves.class_scores import ClassScores, answer_of
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate, ScoreComparison
from baserate.curves.losses import (
    Loss,
    Losses,
    class_shares,
    entropy,
    loss_bounds,
    loss_ends,
    paired_losses,
    squared_errors,
    surprises,
)
from baserate.curves.score_bins import middle
from baserate.errors import InvalidArgumentError

Measure = Literal["brier_score", "log_loss"]


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
    return answer_of(
        lambda swept: _estimate(swept, squared_errors, prod(class_shares(swept)), level, most=1.0),
        lambda cases: class_brier_score(cases.check_probabilities(), level),
        (y_true, y_score, labels, pos_label, sample_weight),
    )


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
    return answer_of(
        lambda swept: _estimate(swept, surprises, entropy(swept), level),
        lambda cases: class_log_loss(cases.check_probabilities(), level),
        (y_true, y_score, labels, pos_label, sample_weight),
    )


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


def class_brier_score(cases: ClassScores, level: float) -> Estimate:
    """Return the mean of Σ (probability - outcome)² over the classes, from 0 to 2."""
    p = cases.scores.copy()
    p[np.arange(len(p)), cases.truth] -= 1.0
    shares = cases.shares
    return _of_losses(cases, (p**2).sum(axis=1), 2.0, float((shares * (1 - shares)).sum()), level)


def class_log_loss(cases: ClassScores, level: float) -> Estimate:
    """Return the mean of -log(probability of the class that it was)."""
    with np.errstate(divide="ignore"):
        losses, most = -np.log(cases.of_truth), float(-np.log(cases.scores.min()))
    shares = cases.shares[cases.shares > 0]
    return _of_losses(cases, losses + 0.0, most, float(-(shares * np.log(shares)).sum()), level)


def compare_class_losses(
    a: ClassScores, b: ClassScores, measure: Measure, level: float
) -> ScoreComparison:
    """Compare the Brier scores or logarithmic losses of two forecasts of the same cases."""
    weights = a.weights if a.is_weighted else None
    each = [lost_at_outcomes(cases.scores, measure) for cases in (a, b)]
    return paired_losses(each, a.truth, weights, level)


def lost_at_outcomes(p: Array, measure: Measure) -> Array:
    """Return what every case would lose, were it of each class, of shape (K, n)."""
    if measure == "brier_score":
        return ((p**2).sum(axis=1, keepdims=True) - 2 * p + 1).T
    with np.errstate(divide="ignore"):
        return -np.log(p).T + 0.0


def top_k_accuracy(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    labels: Any = None,
    confidence_level: float = 0.95,
    sample_weight: Any = None,
) -> Estimate:
    """Return the share of cases whose class is among the k with the highest scores.

    Where the class of a case shares its score with others and only some of them get in, it counts
    as the chance that it is one of these: m places for t tied classes are worth m/t. Breaking ties
    by the order of the columns, as others do, favours some classes.

    The interval is that of Clopper and Pearson (`route` "exact"), or Gaffke's where ties make
    shares of cases ("conservative"); with weights the cases are worth Kish's effective number
    ("asymptotic"). Chance always names the k most frequent classes.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_score : array-like of shape (n, K)
        Probabilities or any other scores, one column per class.
    k : int
        At least 1 and less than K.
    labels : sequence of K labels, optional
        The classes in the order of the columns, as in `roc_auc`.
    confidence_level : float in (0, 1)
    sample_weight : array-like of shape (n,), optional

    Raises
    ------
    InvalidArgumentError, LabelError, MissingValueError
        k is not below K; labels are not those of the columns; something is missing.

    Examples
    --------
    >>> from baserate.curves import top_k_accuracy
    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.2, 0.4, 0.4], [0.7, 0.2, 0.1]]
    >>> found = top_k_accuracy([0, 1, 2, 2], scores, k=2)
    >>> found.value, round(found.low, 4), round(found.high, 4), found.route
    (0.75, 0.1941, 0.9937, 'exact')
    """
    level = confidence(confidence_level)
    if not has_columns(y_score):
        rule, remedy = "must have one column per class", "pass what predict_proba returns"
        raise InvalidArgumentError.from_rule("y_score", rule, type(y_score).__name__, remedy)
    cases = ClassScores.of(y_true, y_score, labels, sample_weight)
    places = whole_number("k", k, minimum=1)
    if places >= cases.n_classes:
        rule = f"must be less than the number of classes ({cases.n_classes})"
        raise InvalidArgumentError.from_rule("k", rule, k, "pass a smaller one")
    return class_top_k_accuracy(cases, places, level)


def class_top_k_accuracy(cases: ClassScores, places: int, level: float) -> Estimate:
    """Return the same of cases that were read; `places` is k."""
    own = cases.of_truth[:, None]
    above, tied = (cases.scores > own).sum(axis=1), (cases.scores == own).sum(axis=1)
    got_in = np.clip((places - above) / tied, 0.0, 1.0)  # how likely, ties broken by lot
    found = _packed(cases, got_in, 1.0)
    low, high = found.limits(level)
    whole = not cases.is_weighted and bool(np.isin(got_in, (0.0, 1.0)).all())
    return Estimate(
        value=found.mean,
        low=low,
        high=high,
        confidence_level=level,
        chance=float(np.sort(cases.shares)[-places:].sum()),
        perfect=1.0,
        route="exact" if whole else found.route,
    )


def _of_losses(
    cases: ClassScores, losses: Array, most: float, chance: float, level: float
) -> Estimate:
    there, alone = [x for x, n in zip(cases.labels, cases.class_counts, strict=True) if n], None
    if len(there) == 1:
        alone = f"only class {listed(there)} occurs, so the class shares are a perfect forecast"
    return _packed(cases, losses, most).estimate(level, nan if alone else chance, alone)


def _packed(cases: ClassScores, losses: Array, most: float) -> Losses:
    none = np.zeros(0)
    return Losses(
        losses,
        none,
        cases.weights,
        none,
        effective=cases.effective_n / float(cases.weights.sum()),
        most=most,
        is_weighted=cases.is_weighted,
    )
