"""Means and variances that formulas give: of metrics affine in tp, or linear in the two rates."""

from math import isnan, nan

import numpy as np

from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions.law import InheritedLaw
from baserate.questions.undefined import always_defined, decided_by_margins, probability_undefined


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
    >>> from baserate import affine
    >>> from baserate.models import Hypergeometric
    >>> affine("accuracy", Hypergeometric(n_positive=24, n_negative=8, n_predicted=16))
    (0.0625, -0.25)
    """
    law = InheritedLaw.of(metric, model)
    if model.fixed_n_predicted is None or not (law.fixed_classes and law.metric.affine_in_tp):
        return None
    p = model.positives().support[0]
    low, high = model.true_positives(p).support
    tp = np.array([low, max(high, low + 1)], dtype=float)
    first, second = law.at(tp, p, model.n - p, model.fixed_n_predicted - tp).tolist()
    if isnan(first) or isnan(second):
        return None
    low, high = tp.tolist()
    at_zero = first if low == 0 else (first * high - second * low) / (high - low)
    return (second - first) / (high - low), at_zero


def closed_mean(law: InheritedLaw) -> tuple[float, float] | None:
    """Return the mean where a formula gives it, and nan; nan twice if never defined."""
    metric = law.metric
    if not law.regular:
        return None
    if probability_undefined(law) == 1:
        return nan, nan
    guessing = law.model.fixed_n_predicted is not None or law.model.tower() is not None
    blind = guessing and (decided_by_margins(law) or always_defined(law))
    if blind and metric.chance is not None:
        return float(metric.chance), nan
    if _affine_at_fixed_margins(law) or _linear(law):
        return law.at_mean(), nan
    if blind and metric.affine_in_tp and metric.chance_shape == "constant":
        return _at_some_draw(law), nan
    return None


def closed_variance(law: InheritedLaw) -> tuple[float, float] | None:
    """Return mean and variance where formulas give both; nan twice if never defined."""
    if not law.regular:
        return None
    if probability_undefined(law) == 1:
        return nan, nan
    if _affine_at_fixed_margins(law):
        k = np.array([float(law.model.fixed_n_predicted or 0)])
        return law.at_mean(), float(variances_given(law, k)[0])
    return (law.at_mean(), _linear_variance(law)) if _linear(law) else None


def means_given(law: InheritedLaw, k: Array) -> Array:
    """Return the metric's mean given each number predicted positive, if affine in tp.

    Class totals are fixed.
    """
    n, p = max(1, law.model.n), float(law.model.positives().support[0])
    h, q = law.model.n - k, law.model.n - p
    return law.value(k * p / n, h * p / n, k * q / n, h * q / n)


def variances_given(law: InheritedLaw, k: Array) -> Array:
    """Return its variance given each number predicted positive: slope^2 Var(tp)."""
    p = float(law.model.positives().support[0])
    n = max(1, law.model.n)
    q = law.model.n - p
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    at_low, at_high = (law.at(tp, p, q, k - tp) for tp in (low, high))
    slope = (at_high - at_low) / np.maximum(1, high - low)
    return slope * slope * (k * p / n) * ((law.model.n - k) * q / n) / max(1, n - 1)


def _affine_at_fixed_margins(law: InheritedLaw) -> bool:
    """Both margins are fixed, the metric is affine in tp, and every table is defined."""
    fixed = law.model.fixed_n_predicted is not None and law.fixed_classes
    return fixed and law.metric.affine_in_tp and always_defined(law)


def _linear(law: InheritedLaw) -> bool:
    """Class totals are fixed, tp and fp independent, and the metric linear in the two rates."""
    fixed = law.model.fixed_n_predicted is None and law.fixed_classes
    return fixed and law.metric.linear_in_rates and always_defined(law)


def _linear_variance(law: InheritedLaw) -> float:
    """Add squared slope times variance of tp and of fp."""
    p = law.model.positives().support[0]
    q = law.model.n - p
    corner, more_tp, more_fp = law.at(np.array([0, p, 0]), p, q, np.array([0, 0, q]))
    of_tp = ((more_tp - corner) / (p or 1)) ** 2 * law.model.true_positives(p).variance
    of_fp = ((more_fp - corner) / (q or 1)) ** 2 * law.model.false_positives(q).variance
    return float(of_tp + of_fp)


def _at_some_draw(law: InheritedLaw) -> float:
    """Return the value that is the same at every defined number predicted positive."""
    n = law.model.n
    k = law.model.fixed_n_predicted
    candidates = np.array([n // 2, 1, n - 1, 0, n] if k is None else [k], dtype=float)
    values = means_given(law, candidates[(candidates >= 0) & (candidates <= n)])
    return float(values[~np.isnan(values)][0])
