"""Probabilities of several classes: Brier score, logarithmic loss, the k most probable classes."""

from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import confidence, whole_number
from baserate.cases.scores import has_columns
from baserate.cases.values import listed
from baserate.curves.class_scores import ClassScores
from baserate.curves.estimates import Estimate, ScoreComparison
from baserate.curves.loss_comparisons import paired_losses
from baserate.curves.probability_scores import Losses
from baserate.errors import InvalidArgumentError

Array = NDArray[np.float64]
Loss = Literal["brier_score", "log_loss"]


def class_brier_score(cases: ClassScores, level: float) -> Estimate:
    """Return the mean of Σ (probability - outcome)² over the classes, from 0 to 2."""
    p = cases.scores.copy()
    p[np.arange(len(p)), cases.truth] -= 1.0
    shares = cases.shares
    return _estimate(cases, (p**2).sum(axis=1), 2.0, float((shares * (1 - shares)).sum()), level)


def class_log_loss(cases: ClassScores, level: float) -> Estimate:
    """Return the mean of -log(probability of the class that it was)."""
    with np.errstate(divide="ignore"):
        losses, most = -np.log(cases.of_truth), float(-np.log(cases.scores.min()))
    shares = cases.shares[cases.shares > 0]
    return _estimate(cases, losses + 0.0, most, float(-(shares * np.log(shares)).sum()), level)


def compare_class_losses(
    a: ClassScores, b: ClassScores, measure: Loss, level: float
) -> ScoreComparison:
    """Compare the Brier scores or logarithmic losses of two forecasts of the same cases."""
    weights = a.weights if a.is_weighted else None
    each = [lost_at_outcomes(cases.scores, measure) for cases in (a, b)]
    return paired_losses(each, a.truth, weights, level)


def lost_at_outcomes(p: Array, measure: Loss) -> Array:
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


def _estimate(
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
