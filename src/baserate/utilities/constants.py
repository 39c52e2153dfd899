"""What each decision is worth when it is taken in every case: what a classifier has to beat."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import TIE
from baserate._result import Result
from baserate.errors import InvalidArgumentError
from baserate.utilities._exact import exact
from baserate.utilities._probabilities import EDGE, SUM, numbers

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantDecisions(Result):
    """What each decision is worth when it is taken in every case.

    ``float()`` gives `value`, the bar that a classifier has to clear.

    Attributes
    ----------
    expected : dict of name to float
        Expected utility per case, sum over classes of utility times class share.
    best : label
        The best constant decision, the first listed among equals.
    value : float
        Its expected utility: what a classifier has to beat.
    perfect : float
        Expected utility of knowing every class, and deciding best in each.
    class_shares : tuple of float
    """

    expected: dict[Any, float]
    best: Any
    value: float
    perfect: float
    class_shares: tuple[float, ...]

    def __float__(self) -> float:
        return self.value

    def skill(self, value: float) -> float:
        """Return (value - best constant) / (perfect - best constant); nan where these are equal."""
        gap, lead = self.perfect - self.value, value - self.value
        size = TIE * max(abs(self.perfect), abs(self.value))
        if gap <= size:
            return nan
        return lead / gap if abs(lead) > size else 0.0


def constants(matrix: Matrix, names: tuple[Any, ...], shares: Matrix) -> ConstantDecisions:
    """Return the worth of each constant decision at these class shares."""
    expected = matrix @ shares
    best = int(best_rows((matrix - matrix.min(axis=0)) @ shares))
    return ConstantDecisions(
        expected=dict(zip(names, expected.tolist(), strict=True)),
        best=names[best],
        value=float(expected[best]),
        perfect=float(matrix.max(axis=0) @ shares),
        class_shares=tuple(shares.tolist()),
    )


def exact_constants(
    matrix: Matrix, names: tuple[Any, ...], shares: Sequence[Fraction]
) -> ConstantDecisions:
    """Return the same, in fractions that are rounded once, so that equal worths are equal floats.

    Examples
    --------
    >>> third = Fraction(1, 3)
    >>> exact_constants(np.array([[0.1, 0.7], [0.0, 0.9]]), (0, 1), (third, 1 - third)).expected
    {0: 0.5, 1: 0.6}
    """
    rows = [[exact(value) for value in row] for row in matrix.tolist()]
    worth = [sum((u * s for u, s in zip(row, shares, strict=True)), Fraction(0)) for row in rows]
    best = worth.index(max(worth))
    perfect = sum(
        (max(c) * s for c, s in zip(zip(*rows, strict=True), shares, strict=True)), Fraction(0)
    )
    return ConstantDecisions(
        expected=dict(zip(names, map(float, worth), strict=True)),
        best=names[best],
        value=float(worth[best]),
        perfect=float(perfect),
        class_shares=tuple(map(float, shares)),
    )


def shares_of(class_shares: Any, n_classes: int) -> Matrix:
    """Return one share per class, which add up to 1."""
    array = numbers("class_shares", class_shares)
    remedy = "pass the share of each class, for example [0.1, 0.9]"
    if array.shape != (n_classes,):
        rule = f"must be one share for each of {n_classes} classes"
        raise InvalidArgumentError.from_rule("class_shares", rule, array.shape, remedy)
    if not (array.min() >= -EDGE and array.max() <= 1 + EDGE):  # nan is neither
        given = array[~((array >= -EDGE) & (array <= 1 + EDGE))][0].item()
        raise InvalidArgumentError.from_rule("class_shares", "must lie in [0, 1]", given, remedy)
    if abs(array.sum() - 1) > SUM:
        total = float(array.sum())
        raise InvalidArgumentError.from_rule("class_shares", "must sum to 1", total, remedy)
    return array


def best_rows(gains: Matrix) -> NDArray[np.intp]:
    """Return the first index of the largest entry in the last axis, equal ones within rounding.

    Entries must be sums of non-negative terms, so that rounding is relative.
    """
    top = gains[..., 0]
    for column in range(1, gains.shape[-1]):  # much faster than max over a short last axis
        top = np.maximum(top, gains[..., column])
    enough = top * (1 - TIE)
    best = np.full(enough.shape, gains.shape[-1] - 1, dtype=np.intp)
    for column in reversed(range(gains.shape[-1] - 1)):
        best = np.where(gains[..., column] >= enough, column, best)
    return best
