"""Curves of a sweep or a population: ROC, and recall against precision at any base rate."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio as divided
from baserate._checks import numbers_in
from baserate._result import json_ready
from baserate.counts import as_float
from baserate.curves._groups import need_both_classes
from baserate.curves._population import Population, rates_at
from baserate.curves.sweep import Sweep
from baserate.errors import InvalidArgumentError

Array = NDArray[np.float64]

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


def roc_curve(curve: Sweep | Population, *, ratio: Any = None) -> RocCurve:
    """Return the points of a ROC curve: recall against false positive rate.

    Every cut point is kept; `convex_hull` says which are vertices.

    Parameters
    ----------
    curve : Sweep or Population
    ratio : array, optional
        Density ratios at which to look at a population, in descending order. Default: infinity,
        1801 values evenly spaced by their logarithm from 1e9 to 1e-9, and 0.

    Raises
    ------
    InvalidArgumentError
        A sweep holds no case of one class, or was given ratios.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27:861, doi:10.1016/j.patrec.2005.10.010.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> fpr, recall, thresholds = roc_curve(sweep([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> fpr, recall
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    if isinstance(curve, Sweep):
        _no_ratios(ratio)
        need_both_classes(curve)
        fpr = as_float(curve.false_positives) / curve.n_negative
        return RocCurve(fpr, as_float(curve.true_positives) / curve.n_positive, curve.thresholds)
    at = _ratios(curve, ratio)
    rates = rates_at(curve, at)
    return RocCurve(rates.false_positive_rate, rates.recall, at)


def precision_recall(
    curve: Sweep | Population, *, base_rate: Any = None, ratio: Any = None
) -> PrecisionRecallCurves:
    """Return recall and 1 - precision at every cut, as they would be at other base rates.

    1 - precision = (1 - π) f / (π r + (1 - π) f), with recall r, false positive rate f and base
    rate π. Recall and false positive rate do not depend on the base rate; precision does, so a
    curve says little about a population with another one.

    Parameters
    ----------
    curve : Sweep or Population
    base_rate : float or array of shape (b,), optional
        In [0, 1]. Default: that of the sweep. A population has none, so it must be given.
    ratio : array, optional
        As for `roc_curve`.

    Returns
    -------
    PrecisionRecallCurves

    Raises
    ------
    InvalidArgumentError
        A base rate outside [0, 1], none for a population, or a sweep without one of the classes.

    References
    ----------
    Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems,
    arXiv:2404.07661, for curves at prescribed base rates.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> found = precision_recall(sweep([0, 0, 1, 1], [1, 3, 2, 4]), base_rate=[0.5, 0.1])
    >>> found.recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> found.precision.round(2)
    array([[ nan, 1.  , 0.5 , 0.67, 0.5 ],
           [ nan, 1.  , 0.1 , 0.18, 0.1 ]])
    """
    points = roc_curve(curve, ratio=ratio)
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


def _ratios(curve: Any, ratio: Any) -> Array:
    if not isinstance(curve, Population):
        rule, remedy = "must be a sweep or a population", "pass baserate.sweep(y_true, y_score)"
        raise InvalidArgumentError.from_rule("curve", rule, type(curve).__name__, remedy)
    if ratio is None:
        return RATIOS
    at = np.atleast_1d(np.asarray(ratio, dtype=float))
    if at.ndim != 1 or (at[1:] > at[:-1]).any():
        rule, remedy = "must fall from one value to the next", "sort it in descending order"
        raise InvalidArgumentError.from_rule("ratio", rule, ratio, remedy)
    return at


def _no_ratios(ratio: Any) -> None:
    if ratio is not None:
        rule, remedy = "is for populations", "leave it out: a sweep has thresholds"
        raise InvalidArgumentError.from_rule("ratio", rule, ratio, remedy)
