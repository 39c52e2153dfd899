"""Cross-Prior Smoothing of a confusion matrix with any number of classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import number_in
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.groups.strength import best_for_cells

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothedMulticlass(Result):
    """A K x K confusion matrix after smoothing; rows are the truth.

    Attributes
    ----------
    probabilities : array of shape (K, K)
        They sum to one.
    table : array of shape (K, K)
        Expected counts, n times the probabilities.
    strength : float
    best_strength : float
        λ* = (1 - Σ p²)/Σ (p - q)² at the observed shares; nan for row-wise smoothing, whose rows
        each have one of their own, and without cases.
    """

    probabilities: Array
    table: Array
    strength: float
    best_strength: float


def smooth_multiclass(
    group: Any, reference: Any, *, strength: float = 10, per_row: bool = False
) -> SmoothedMulticlass:
    """Return (C + λ Q)/(n + λ) for a K x K matrix of counts C and the reference's shares Q.

    Parameters
    ----------
    group, reference : arrays of shape (K, K)
        Counts, or for the reference also shares; rows are the truth.
    strength : float
        λ, the pseudo-cases borrowed; with `per_row`, borrowed by each row.
    per_row : bool
        Smooth each row towards the reference's row, (n_r/n) (C_rc + λ Q_rc/Q_r)/(n_r + λ): the
        group's class shares n_r/n stay as they are.

    Returns
    -------
    SmoothedMulticlass

    Raises
    ------
    InvalidArgumentError
        Not two square arrays of one shape with non-negative finite entries; an empty reference, or
        (with `per_row`) an empty row of it that the group needs; nothing to divide by.

    References
    ----------
    Briscoe et al. (2025), Algorithmic Accountability in Small Data, AISTATS.

    Examples
    --------
    >>> group = [[3, 1, 0], [0, 2, 0], [0, 0, 4]]
    >>> reference = [[30, 5, 5], [10, 20, 10], [0, 5, 35]]
    >>> smooth_multiclass(group, reference, strength=5).table.sum(axis=1).round(2)
    array([3.78, 2.44, 3.78])
    >>> smooth_multiclass(group, reference, strength=5, per_row=True).table.sum(axis=1)
    array([4., 2., 4.])
    """
    counts, shares = (_square(k, x) for k, x in (("group", group), ("reference", reference)))
    if counts.shape != shares.shape:
        rule = f"must have the shape of the reference, {shares.shape}"
        raise InvalidArgumentError.from_rule("group", rule, counts.shape, "use the same classes")
    weight = number_in("strength", strength, "[0, inf)", "pass a number of pseudo-cases")
    n = float(counts.sum())
    if not n and (per_row or not weight):
        rule = "must hold cases with strength 0, or row by row"
        raise InvalidArgumentError.from_rule("group", rule, "no cases", "pass the group's counts")
    shares = shares / shares.sum()
    if per_row:
        probabilities = _by_row(counts, shares, weight)
        best = np.nan
    else:
        probabilities = (counts + weight * shares) / (n + weight)
        best = best_for_cells(counts / n, shares) if n else np.nan
    return SmoothedMulticlass(
        probabilities=probabilities, table=n * probabilities, strength=weight, best_strength=best
    )


def _by_row(counts: Array, shares: Array, weight: float) -> Array:
    size, whole = counts.sum(axis=1, keepdims=True), shares.sum(axis=1, keepdims=True)
    missing = np.flatnonzero((size > 0) & (whole == 0))
    if missing.size and weight:
        rule = "must have cases in every class that the group has, to be smoothed row by row"
        given = f"none in row {missing[0]}"
        raise InvalidArgumentError.from_rule("reference", rule, given, "use per_row=False")
    given = shares / np.where(whole, whole, 1)
    smoothed = (counts + weight * given) / np.where(size + weight, size + weight, 1)
    return size / size.sum() * smoothed


def _square(argument: str, value: Any) -> Array:
    array = np.asarray(value, dtype=float)
    right = array.ndim == 2 and array.shape[0] == array.shape[1] and array.size > 0
    if not right or not np.isfinite(array).all() or (array < 0).any():
        rule = "must be a square array of non-negative finite numbers"
        raise InvalidArgumentError.from_rule(argument, rule, value, "rows are the truth")
    if argument == "reference" and not array.sum():
        rule = "must hold at least one case"
        raise InvalidArgumentError.from_rule(argument, rule, value, "pass the reference's counts")
    return array
