"""What each decision is worth when it is taken in every case: what a classifier has to beat."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import TIE

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantDecisions:
    """What each decision is worth when it is taken in every case.

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

    def skill(self, value: float) -> float:
        """Return (value - best constant) / (perfect - best constant); nan where these are equal."""
        gap = self.perfect - self.value
        size = max(abs(self.perfect), abs(self.value))
        return (value - self.value) / gap if gap > TIE * size else nan


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
