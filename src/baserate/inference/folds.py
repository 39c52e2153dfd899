"""Two models over the folds of one cross-validation: the corrected resampled t test."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from baserate._checks import confidence, float_array, same_length, whole_number
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.metrics.utilities import MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldComparison(Result):
    """The mean difference of two learning methods over folds; ``float()`` gives it.

    Attributes
    ----------
    difference : float
        Mean score of A less that of B.
    low, high : float
        Its interval; nan if `reason` says why.
    p_value : float
        Two-sided, of no difference between the methods.
    statistic : float
        t, with `degrees_of_freedom`.
    degrees_of_freedom : int
        Folds less one.
    confidence_level : float
    route : str or None
        "corrected t": approximate, as folds share training cases.
    reason : str or None
    """

    difference: float
    low: float = nan
    high: float = nan
    p_value: float = nan
    statistic: float = nan
    degrees_of_freedom: int = 0
    confidence_level: float = 0.95
    route: str | None = None
    reason: str | None = None

    def __float__(self) -> float:
        return self.difference


def compare_folds(
    scores_a: Any,
    scores_b: Any,
    *,
    n_train: int,
    n_test: int,
    confidence_level: float = 0.95,
) -> FoldComparison:
    """Compare two learning methods by their scores on the same folds.

    The question is whether one *method* is better than the other on data like these, each trained
    anew on every fold. Folds share training cases, so that their scores are correlated and a plain
    paired t test finds differences where there are none. With k differences of mean d and variance
    s², the variance of d is taken to be (1/k + n_test/n_train) s² in place of s²/k:

        t = d / sqrt((1/k + n_test/n_train) s²),  k - 1 degrees of freedom.

    Repeated cross-validation is welcome: k is then the number of folds over all repetitions.
    Two fixed classifiers on the same cases are another question: see `baserate.compare`.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        As ``cross_validate`` returns them, fold by fold; any score.
    n_train, n_test : int
        Cases that each fold is trained and tested on; of unequal folds the mean.
    confidence_level : float
        In (0, 1).

    Returns
    -------
    FoldComparison
        Without interval and p-value where all differences are equal, or some score is nan.

    Raises
    ------
    InvalidArgumentError
        There are fewer than two folds, or counts are not positive.
    LabelError
        The scores differ in length.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52:239,
    doi:10.1023/A:1024068626366. Bouckaert and Frank (2004), Evaluating the replicability of
    significance tests for comparing learning algorithms, PAKDD, LNCS 3056:3,
    doi:10.1007/978-3-540-24775-3_3, for repeated cross-validation.

    Examples
    --------
    >>> from baserate.inference import compare_folds
    >>> found = compare_folds([0.8, 0.7, 0.9, 0.8], [0.7, 0.7, 0.8, 0.6], n_train=75, n_test=25)
    >>> round(found.difference, 3), round(found.statistic, 4), round(found.p_value, 4)
    (0.1, 1.6036, 0.2071)
    """
    level = confidence(confidence_level)
    train, test = (
        whole_number(name, n, minimum=1) for name, n in (("n_train", n_train), ("n_test", n_test))
    )
    a, b = (
        float_array(name, scores).ravel()
        for name, scores in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    same_length("scores_b", len(b), "scores_a", len(a))
    if len(a) < 2:
        rule, remedy = "must hold the scores of at least two folds", "use more folds"
        raise InvalidArgumentError.from_rule("scores_a", rule, len(a), remedy)
    for name, scores in (("scores_a", a), ("scores_b", b)):
        if (np.abs(scores) > MOST).any():
            rule, remedy = (
                f"must lie between {-MOST:g} and {MOST:g}",
                "pass the metric of each fold",
            )
            raise InvalidArgumentError.from_rule(name, rule, scores, remedy)
    apart = a - b
    mean, spread = float(apart.mean()), float(apart.std(ddof=1))
    if np.isnan(apart).any():
        reason = "some fold has no score"
    elif spread <= 1e-15 * float(np.abs(np.concatenate((a, b))).max()):
        reason = "all folds differ by the same amount, so their spread is unknown"
    else:
        return _tested(mean, spread, len(a), test / train, level)
    return FoldComparison(difference=mean, confidence_level=level, reason=reason)


def _tested(mean: float, spread: float, k: int, ratio: float, level: float) -> FoldComparison:
    from scipy.special import stdtr, stdtrit

    error = spread * sqrt(1 / k + ratio)
    t = mean / error
    reach = float(stdtrit(k - 1, (1 + level) / 2)) * error
    return FoldComparison(
        difference=mean,
        low=mean - reach,
        high=mean + reach,
        p_value=2 * float(stdtr(k - 1, -abs(t))),
        statistic=t,
        degrees_of_freedom=k - 1,
        confidence_level=level,
        route="corrected t",
    )
