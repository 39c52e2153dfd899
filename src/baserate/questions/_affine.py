"""Slope and intercept of a metric under fixed margins."""

from math import isnan

import numpy as np

from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._law import Law


def affine(metric: str | Metric, model: Model) -> tuple[float, float] | None:
    """Return (a, b) with metric = a tp + b under fixed margins, or None if there are none such.

    Parameters
    ----------
    metric : Metric or str
    model : Hypergeometric

    Returns
    -------
    (float, float) or None
        None if the metric is not affine in tp, or undefined at these margins, or if the model does
        not fix both margins. Where only one table is possible, the slope is that of the formula.

    References
    ----------
    van de Bijl et al. (2025), The Dutch Draw, Journal of Applied Probability 62, section 2.

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> affine("accuracy", Hypergeometric(n_positive=24, n_negative=8, n_predicted=16))
    (0.0625, -0.25)
    """
    law = Law.of(metric, model)
    if model.fixed_n_predicted is None or not (law.fixed_classes and law.metric.affine_in_tp):
        return None
    p = model.positives().support[0]
    low, high = model.true_positives(p).support
    tp = np.array([low, max(high, low + 1)], dtype=float)
    first, second = law.at(tp, p, model.n - p, model.fixed_n_predicted - tp).tolist()
    if isnan(first) or isnan(second):
        return None
    slope = (second - first) / float(tp[1] - tp[0])
    return slope, _intercept(first, second, float(tp[0]), float(tp[1]))


def _intercept(first: float, second: float, low: float, high: float) -> float:
    """Extend the line through both ends to tp = 0."""
    return first if low == 0 else (first * high - second * low) / (high - low)
