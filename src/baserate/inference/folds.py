"""Two learning methods over the folds of one cross-validation: the corrected resampled t test."""

from math import nan, sqrt
from typing import Any

import numpy as np

from baserate._checks import float_array, same_length
from baserate.curves.estimates import ScoreComparison
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.inference.found_difference import MEASURES, Asked, Difference
from baserate.metrics import binary_metric, class_metric
from baserate.metrics.class_averages import is_average
from baserate.metrics.utilities import MOST

ROUTE = "corrected t"
NO_SCORE = "some fold has no score"
NO_SPREAD = "all folds differ by the same amount, so their spread is unknown"


def over_folds(asked: Asked, scores_a: Any, scores_b: Any, ratio: float) -> Difference:
    """Compare two learning methods by their scores on the same folds.

    `ratio` is how many cases a fold is tested on for each that it is trained on.
    """
    from scipy.special import stdtr, stdtrit

    if asked.method is not None:
        raise asked.refused("is for two scores, or for classifiers on the same cases")
    a, b = (
        float_array(name, scores).ravel() for name, scores in (("a", scores_a), ("b", scores_b))
    )
    same_length("b", len(b), "a", len(a))
    if len(a) < 2:
        rule, remedy = "must hold the scores of at least two folds", "use more folds"
        raise InvalidArgumentError.from_rule("a", rule, len(a), remedy)
    for name, scores in (("a", a), ("b", b)):
        if (np.abs(scores) > MOST).any():
            rule = f"must lie between {-MOST:g} and {MOST:g}"
            raise InvalidArgumentError.from_rule(name, rule, scores, "pass the metric of each fold")
    apart, k = a - b, len(a)
    mean, spread = float(apart.mean()), float(apart.std(ddof=1))
    known: dict[str, Any] = {
        "difference": mean,
        "value_a": float(a.mean()),
        "value_b": float(b.mean()),
        "confidence_level": asked.level,
    }
    reason = NO_SCORE if np.isnan(apart).any() else None
    if reason is None and spread <= 1e-15 * float(np.abs(np.concatenate((a, b))).max()):
        reason = NO_SPREAD
    if reason is not None:
        lost = ScoreComparison(**known, reason=reason, p_value_reason=reason)
        return asked.by_law(lost, nan, _metric(asked.metric))
    error = spread * sqrt(1 / k + ratio)
    reach = float(stdtrit(k - 1, (1 + asked.level) / 2)) * error
    found = ScoreComparison(
        **known,
        low=mean - reach,
        high=mean + reach,
        p_value=2 * float(stdtr(k - 1, -abs(mean) / error)),
        route=ROUTE,
        p_value_route=ROUTE,
    )
    return asked.by_law(found, float(stdtr(k - 1, mean / error)), _metric(asked.metric))


def _metric(metric: Any) -> Any:
    """Return the metric that the scores are of, which says whether higher is better."""
    if isinstance(metric, str) and metric in MEASURES:
        return None
    if is_average(metric):
        return class_metric(metric)
    try:
        return binary_metric(metric)
    except UnknownNameError:
        return class_metric(metric)
