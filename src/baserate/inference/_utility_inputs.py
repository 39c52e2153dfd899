"""Counts, utilities, priors and class shares, as arrays with decisions in rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import numbers_in
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError

Array = NDArray[np.float64]


def decision_counts(name: str, counts: Any, utilities: Any = None) -> Array:
    """Return counts with decisions in rows and classes in columns; axes before them are allowed.

    A confusion matrix knows which class is positive, and so may the utilities: then its rows and
    columns are put in their order. Arrays stay as they are.
    """
    if isinstance(counts, ConfusionMatrix):
        rows = [[counts.tp, counts.fp], [counts.fn, counts.tn]]
        turned = getattr(utilities, "positive", 0) == 1
        counts = [row[::-1] for row in rows[::-1]] if turned else rows
    array = np.asarray(counts, dtype=float)
    if array.ndim < 2 or 0 in array.shape:
        rule, remedy = "must have decisions in rows and classes in columns", "pass [[..], [..]]"
        raise InvalidCountError.from_rule(name, rule, array.shape, remedy)
    if not (np.isfinite(array) & (array >= 0)).all():
        rule = "must hold counts of at least 0"
        given = array[~(np.isfinite(array) & (array >= 0))].flat[0].item()
        raise InvalidCountError.from_rule(name, rule, given, "pass how often each pair occurred")
    return array


def utility_array(utilities: Any, shape: tuple[int, ...]) -> Array:
    """Return finite utilities of the shape that the counts have."""
    array = np.asarray(getattr(utilities, "matrix", utilities), dtype=float)
    if array.shape != shape:
        rule = f"must have the shape of the counts, {shape}"
        remedy = "give each pair of decision and class a utility"
        raise InvalidArgumentError.from_rule("utilities", rule, array.shape, remedy)
    if not np.isfinite(array).all():
        rule, given = "must be finite", array[~np.isfinite(array)].flat[0].item()
        raise InvalidArgumentError.from_rule("utilities", rule, given, "pass numbers")
    return array


def with_prior(counts: Array, prior: Any) -> Array:
    """Return counts plus prior counts, a positive number or one for each cell."""
    added = np.asarray(numbers_in("prior", prior, "(0, inf)", "1 and 0.5 are usual"))
    if added.ndim and added.shape != counts.shape:
        rule = f"must be a number, or have the shape of the counts, {counts.shape}"
        raise InvalidArgumentError.from_rule("prior", rule, added.shape, "pass a number")
    return counts + added


def shares_of_classes(class_shares: Any, n_classes: int) -> Array:
    """Return non-negative shares that add up to one."""
    shares = np.atleast_1d(
        numbers_in("class_shares", class_shares, "[0, 1]", "pass the share of each class")
    )
    if shares.shape != (n_classes,) or abs(shares.sum() - 1) > 1e-9:
        rule = f"must be {n_classes} shares that add up to 1"
        raise InvalidArgumentError.from_rule(
            "class_shares", rule, class_shares, "pass for example [0.1, 0.9]"
        )
    return shares / shares.sum()


def pooled_shares(*counts: Array) -> Array:
    """Return the class shares of all these counts together."""
    totals = np.sum([table.sum(axis=0) for table in counts], axis=0)
    if not totals.sum():
        remedy = 'pass class_shares=[...], or class_shares="free"'
        raise InvalidArgumentError.from_rule(
            "class_shares", "cannot be taken from tables without cases", "pooled", remedy
        )
    return totals / totals.sum()
