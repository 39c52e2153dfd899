"""What a difference of two classifiers is told by: a posterior, a law, or folds."""

from dataclasses import dataclass, fields, replace
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._checks import float_array, same_length
from baserate._result import Result
from baserate.curves.estimates import ScoreComparison
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.inference.metric_comparison import MetricComparison
from baserate.inference.paired_weights import NO_SLOPES
from baserate.metrics import binary_metric, class_metric
from baserate.metrics.class_averages import is_of_classes
from baserate.metrics.utilities import MOST

NO_SWAPS = "swaps tell whether both are equal, not how far apart: leave method out"
LOSSES = "brier_score", "log_loss"
MEASURES = "roc_auc", *LOSSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Result):
    """How far two classifiers differ by a metric; ``float()`` gives the difference.

    Attributes
    ----------
    metric : str
    value : float
        Metric of A less that of B; nan if `reason` says why.
    low, high : float
        Its interval; nan if `reason` says why.
    p_value : float
        Two-sided, of no difference; nan if `p_value_reason` says why.
    p_better : float
        How surely A is the better one; nan of a metric of which neither end is better, and where
        nothing but a swap test is known.
    value_a, value_b : float
    confidence_level : float
    method : str or None
        What was asked for.
    route, p_value_route : str or None
        How interval and p-value were computed.
    reason, p_value_reason : str or None
    error : float
        Of the probabilities beyond either end: a standard error, or the bound of an integral's.
    n_clusters : int or None
        Clusters that cases came in; None for independent cases.
    design_effect : float
        The variance over that of as many independent cases of weight one; nan where it is one.
    """

    metric: str
    value: float
    low: float = nan
    high: float = nan
    p_value: float = nan
    p_better: float = nan
    value_a: float = nan
    value_b: float = nan
    confidence_level: float = 0.95
    method: str | None = None
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    p_value_reason: str | None = None
    error: float = 0.0
    n_clusters: int | None = None
    design_effect: float = nan

    def __float__(self) -> float:
        return self.value

    def swapped(self, p_value: float, route: str | None) -> "Difference":
        """Return the same with the p-value of swaps, which give no interval."""
        if isnan(self.value):
            return self
        return replace(
            self, low=nan, high=nan, p_better=nan, route=None, reason=NO_SWAPS,
            p_value=p_value, p_value_route=route, p_value_reason=None if route else NO_SLOPES,
        )  # fmt: skip


class AskedPair(NamedTuple):
    """What is asked of two classifiers."""

    metric: Any
    level: float
    method: str | None = None

    @property
    def name(self) -> str:
        """What results call the metric."""
        return (
            self.metric if isinstance(self.metric, str) else getattr(self.metric, "name", "yield")
        )

    @property
    def scored(self) -> bool:
        """Whether a measure of scores is asked for."""
        return isinstance(self.metric, str) and self.metric in MEASURES

    def refused(self, rule: str) -> InvalidArgumentError:
        """Return the refusal of the method."""
        return InvalidArgumentError.from_rule("method", rule, self.method, "leave it out")

    def posterior(self, found: MetricComparison, reason: str | None) -> Difference:
        """Tell a difference by its posterior, which is undefined for a `reason`."""
        route = None if reason else found.route
        return Difference(
            metric=self.name if hasattr(self.metric, "matrix") else found.metric,
            value=found.difference,
            low=found.low,
            high=found.high,
            p_value=found.p_value,
            p_better=found.better,
            value_a=found.value_a,
            value_b=found.value_b,
            confidence_level=found.confidence_level,
            method=self.method,
            route=route,
            p_value_route=route,
            reason=reason,
            p_value_reason=reason,
            error=found.error,
        )

    def by_law(self, found: ScoreComparison, above: float, metric: Any = None) -> Difference:
        """Tell a difference by its interval, and by how surely it is above 0."""
        known = {f.name: getattr(found, f.name) for f in fields(found) if f.name != "difference"}
        lower = self.metric in LOSSES if metric is None else metric.direction == "lower"
        better = 1 - above if lower else above
        if (metric is not None and metric.direction == "neither") or isnan(found.difference):
            better = nan
        name = self.name if metric is None or hasattr(self.metric, "matrix") else metric.name
        return Difference(
            metric=name, value=found.difference, p_better=better, method=self.method, **known
        )


def lacking(metric: Any, *tables: Any) -> str | None:
    """Return why a metric has no value at one of the tables, or None."""
    return next(filter(None, map(metric.undefined_reason, tables)), None)


ROUTE = "corrected t"
NO_SCORE = "some fold has no score"
NO_SPREAD = "all folds differ by the same amount, so their spread is unknown"


def over_folds(asked: AskedPair, scores_a: Any, scores_b: Any, ratio: float) -> Difference:
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
    if is_of_classes(metric):
        return class_metric(metric)
    try:
        return binary_metric(metric)
    except UnknownNameError:
        return class_metric(metric)
