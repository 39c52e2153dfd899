"""Metrics in the shape that scikit-learn expects: functions of two arrays of labels."""

from collections.abc import Callable
from typing import Any

from baserate.labels import confusion_matrix
from baserate.metrics import Metric, get


def metric_function(metric: str | Metric) -> Callable[..., float]:
    """Return ``f(y_true, y_pred, *, pos_label=None, sample_weight=None)`` for any metric.

    The function returns a float, nan where the metric is undefined, and can be handed to
    ``sklearn.metrics.make_scorer``.

    Parameters
    ----------
    metric : str or Metric

    Examples
    --------
    >>> mcc = metric_function("mcc")
    >>> round(mcc([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    """
    chosen = get(metric)

    def function(
        y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        table = confusion_matrix(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        return chosen(table)

    function.__name__ = function.__qualname__ = chosen.name
    function.__doc__ = f"{chosen.meaning}\n\n{chosen.definition}"
    return function
