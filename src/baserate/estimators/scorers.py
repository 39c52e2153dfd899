"""Metrics in the shape that scikit-learn expects: functions of two arrays of labels."""

import warnings
from dataclasses import dataclass, field
from math import isfinite, isnan, nan
from typing import Any

from baserate.cases import confusion_matrix
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, get

FAR = 1e100  # stands in for an infinite bound: means and squares of a few stay finite
POLICIES = ("worst", "nan", "raise")


def metric_function(metric: str | Metric, *, undefined: str | float = "worst") -> "MetricFunction":
    """Return ``f(y_true, y_pred, *, pos_label=None, sample_weight=None)`` for any metric.

    The function returns a float and can be handed to ``sklearn.metrics.make_scorer``. It pickles,
    for parallel searches, unless the metric is made of a lambda.

    Parameters
    ----------
    metric : str or Metric
    undefined : {"worst", "nan", "raise"} or float
        What the function returns where the metric is undefined. Searches take the greatest score,
        and NumPy takes nan for the greatest; so by default it is a number that none prefers, and
        scikit-learn's ``UndefinedMetricWarning`` says so: the chance value where that is one
        number (0 for the Matthews correlation, kappa and informedness), else the worse bound of
        the metric (the lower one, or the upper one where lower is better; for metrics with
        neither direction the lower one), 1e100 or -1e100 if there is no bound. "nan" gives nan,
        "raise" an error, a number itself; these three do not warn.

    Raises
    ------
    InvalidArgumentError
        `undefined` is none of these; or, when the function is called with "raise", the metric is
        undefined.

    Examples
    --------
    >>> mcc = metric_function("mcc")
    >>> round(mcc([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    >>> metric_function("precision", undefined=1)([1, 0], [0, 0])
    1.0
    """
    chosen = get(metric)
    if undefined not in POLICIES:
        undefined = _number(undefined)
    return MetricFunction(chosen, undefined)


@dataclass(frozen=True, repr=False)
class MetricFunction:
    """A metric as a function of true and predicted labels; made by `metric_function`.

    Attributes
    ----------
    metric : Metric
    undefined : {"worst", "nan", "raise"} or float
    """

    metric: Metric
    undefined: str | float = "worst"
    __name__: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", self.metric.name)
        object.__setattr__(self, "__qualname__", self.metric.name)
        meaning = f"{self.metric.meaning}\n\n{self.metric.definition}"
        object.__setattr__(self, "__doc__", meaning)

    def __call__(
        self, y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """Count the labels and return the metric."""
        table = confusion_matrix(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        value = float(self.metric(table))
        return self._stand_in(table) if isnan(value) else value

    def __repr__(self) -> str:
        return f"metric_function({self.metric.name!r}, undefined={self.undefined!r})"

    def _stand_in(self, table: ConfusionMatrix) -> float:
        """Return what an undefined value counts as."""
        reason = self.metric.undefined_reason(table) or "its formula has no value there"
        if self.undefined == "raise":
            rule, remedy = "must be defined", "pass undefined='worst', 'nan' or a number"
            raise InvalidArgumentError(f"{self.metric.name} {rule}, got {reason}: {remedy}.")
        if self.undefined != "worst":
            return float(self.undefined)
        from sklearn.exceptions import UndefinedMetricWarning

        value = worst(self.metric)
        warnings.warn(
            f"{self.metric.name} is undefined ({reason}) and counts as {value:g}: pass "
            "undefined='nan', 'raise' or a number to metric_function to choose.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return value


def worst(metric: Metric) -> float:
    """Return a finite number that no search for the best prefers to a value of the metric.

    The chance value where it is one number, else the worse bound, or 1e100 where that is infinite.

    Examples
    --------
    >>> worst(get("mcc")), worst(get("precision")), worst(get("negative_likelihood_ratio"))
    (0.0, 0.0, 1e+100)
    """
    if metric.chance is not None and isfinite(metric.chance):
        return float(metric.chance)
    low, high = metric.bounds
    if metric.direction == "lower":
        return float(high) if isfinite(high) else FAR
    return float(low) if isfinite(low) else -FAR


def _number(undefined: Any) -> float:
    try:
        number = float(undefined)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        rule = f"must be {', '.join(map(repr, POLICIES))}, or a finite number"
        remedy = "'worst' lets no search prefer an undefined score"
        raise InvalidArgumentError.from_rule("undefined", rule, undefined, remedy)
    return number
