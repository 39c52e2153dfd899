"""Curves of a sweep or a population: ROC, and recall against precision at any base rate."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio as divided
from baserate._arrays import Array
from baserate._checks import numbers_in
from baserate._result import drawn, json_ready
from baserate.counts import as_float
from baserate.curves.cut_points import Sweep, as_sweep, need_both_classes
from baserate.curves.populations import Population, rates_at
from baserate.errors import InvalidArgumentError

# Density ratios at which a population is drawn unless told otherwise, from strict to lax.
RATIOS = np.concatenate(([np.inf], np.geomspace(1e9, 1e-9, 1801), [0.0]))


class RocCurve(NamedTuple):
    """Points from (0, 0) to (1, 1).

    Attributes
    ----------
    false_positive_rate, recall : array of shape (k,)
    at : array of shape (k,)
        The threshold of each point of a sweep, or the density ratio of each point of a population.
    """

    false_positive_rate: Array
    recall: Array
    at: NDArray[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists, by name."""
        return json_ready(self._asdict())

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it with matplotlib, and return its `baserate.displays.RocDisplay`."""
        return drawn(self, "RocDisplay", ax, options)


class PrecisionRecallCurves(NamedTuple):
    """Recall against 1 - precision, one curve per base rate.

    Attributes
    ----------
    recall : array of shape (k,)
        The same at every base rate.
    false_discovery_rate, precision : array of shape (b, k)
        1 - precision, and precision; nan where nothing is predicted positive.
    base_rate : array of shape (b,)
    at : array of shape (k,)
        Threshold or density ratio.
    """

    recall: Array
    false_discovery_rate: Array
    precision: Array
    base_rate: Array
    at: NDArray[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists, by name."""
        return json_ready(self._asdict())

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it with matplotlib, and return its `baserate.displays.PrecisionRecallDisplay`."""
        return drawn(self, "PrecisionRecallDisplay", ax, options)


def roc_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    ratio: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> RocCurve:
    """Return the points of a ROC curve: recall against false positive rate.

    Every cut point is kept; `convex_hull` says which are vertices.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep`, or a `Population`, alone. Without cases of both
        classes there is an InvalidArgumentError.
    ratio : array, optional
        Density ratios at which to look at a population, in descending order. Default: infinity,
        1801 values evenly spaced by their logarithm from 1e9 to 1e-9, and 0.
    pos_label, sample_weight : optional
        As in `sweep`.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27:861, doi:10.1016/j.patrec.2005.10.010.

    Examples
    --------
    >>> from baserate.curves import roc_curve
    >>> fpr, recall, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, recall
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    return _points(_curve(y_true, y_score, pos_label, sample_weight), ratio)


def precision_recall(
    y_true: Any,
    y_score: Any = None,
    *,
    base_rate: Any = None,
    ratio: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> PrecisionRecallCurves:
    """Return recall and 1 - precision at every cut, as they would be at other base rates.

    1 - precision = (1 - π) f / (π r + (1 - π) f), with recall r, false positive rate f and base
    rate π. Recall and false positive rate do not depend on the base rate; precision does, so a
    curve says little about a population with another one.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores; or a `Sweep`, or a `Population`, alone. Without cases of both
        classes there is an InvalidArgumentError.
    base_rate : float or array of shape (b,), optional
        In [0, 1]. Default: that of the sweep. A population has none, so it must be given.
    ratio : array, optional
        As for `roc_curve`.
    pos_label, sample_weight : optional
        As in `sweep`.

    References
    ----------
    Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems,
    arXiv:2404.07661, for curves at prescribed base rates.

    Examples
    --------
    >>> from baserate.curves import precision_recall
    >>> found = precision_recall([0, 0, 1, 1], [1, 3, 2, 4], base_rate=[0.5, 0.1])
    >>> found.recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> found.precision.round(2)
    array([[ nan, 1.  , 0.5 , 0.67, 0.5 ],
           [ nan, 1.  , 0.1 , 0.18, 0.1 ]])
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    points = _points(curve, ratio)
    if base_rate is None:
        if not isinstance(curve, Sweep):
            rule, remedy = "must be given for a population, which has none", "pass one or several"
            raise InvalidArgumentError.from_rule("base_rate", rule, base_rate, remedy)
        base_rate = curve.base_rate
    pi = np.atleast_1d(numbers_in("base_rate", base_rate, "[0, 1]", "pass the share of positives"))
    right, wrong = np.outer(pi, points.recall), np.outer(1 - pi, points.false_positive_rate)
    flagged = right + wrong
    shares = divided(wrong, flagged), divided(right, flagged)
    return PrecisionRecallCurves(points.recall, *shares, pi, points.at)


def _curve(y_true: Any, *data: Any) -> Sweep | Population:
    """Return the population or the sweep that was given, or the sweep of labels and scores."""
    alone = all(part is None for part in data)
    if isinstance(y_true, Population) and alone:
        return y_true
    if alone and not isinstance(y_true, Sweep):
        rule, remedy = "must be a sweep or a population if alone", "pass y_true and y_score"
        raise InvalidArgumentError.from_rule("y_true", rule, type(y_true).__name__, remedy)
    return as_sweep(y_true, *data)


def _points(curve: Sweep | Population, ratio: Any) -> RocCurve:
    if isinstance(curve, Sweep):
        if ratio is not None:
            rule, remedy = "is for populations", "leave it out: a sweep has thresholds"
            raise InvalidArgumentError.from_rule("ratio", rule, ratio, remedy)
        need_both_classes("sweep", curve)
        fpr = as_float(curve.false_positives) / curve.n_negative
        return RocCurve(fpr, as_float(curve.true_positives) / curve.n_positive, curve.thresholds)
    at = RATIOS if ratio is None else np.atleast_1d(np.asarray(ratio, dtype=float))
    if at.ndim != 1 or (at[1:] > at[:-1]).any():
        rule, remedy = "must fall from one value to the next", "sort it in descending order"
        raise InvalidArgumentError.from_rule("ratio", rule, ratio, remedy)
    rates = rates_at(curve, at)
    return RocCurve(rates.false_positive_rate, rates.recall, at)
