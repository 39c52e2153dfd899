"""What deciding without a classifier is worth."""

from dataclasses import dataclass
from functools import reduce
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import TIE
from baserate._arrays import Array
from baserate._result import Result


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
        if not gap > size:
            return nan
        return lead / gap if abs(lead) > size else 0.0


def constants(matrix: Array, names: tuple[Any, ...], shares: Array) -> ConstantDecisions:
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


def highest(values: Array) -> Array:
    """Return the largest entry in the last axis: much faster than max where that is short."""
    return reduce(np.maximum, (values[..., column] for column in range(values.shape[-1])))


def best_rows(gains: Array) -> NDArray[np.intp]:
    """Return the first index of the largest entry in the last axis, equal ones within rounding.

    Entries must be sums of non-negative terms, so that rounding is relative.
    """
    enough = highest(gains) * (1 - TIE)
    best = np.full(enough.shape, gains.shape[-1] - 1, dtype=np.intp)
    for column in reversed(range(gains.shape[-1] - 1)):
        best = np.where(gains[..., column] >= enough, column, best)
    return best
