"""When two utility matrices pose the same problem."""

import numpy as np
from numpy.typing import NDArray

from baserate._arith import TIE

Matrix = NDArray[np.float64]


def affine(a: Matrix, b: Matrix) -> bool:
    """Whether b = k a + c with k > 0: another unit and another zero."""
    return _proportional(a, b, a - a.min(), b - b.min())


def same_decisions(a: Matrix, b: Matrix) -> bool:
    """Whether b = k a + c_class with k > 0: the zero may differ between classes."""
    return _proportional(a, b, a - a.min(axis=0), b - b.min(axis=0))


def _proportional(a: Matrix, b: Matrix, gains_a: Matrix, gains_b: Matrix) -> bool:
    if a.shape != b.shape:
        return False
    top_a, top_b = float(gains_a.max()), float(gains_b.max())
    if not (top_a and top_b):
        return top_a == top_b
    # What the entries had to give up when they were rounded, in units of the differences.
    slack = TIE * max(1.0, np.abs(a).max() / top_a, np.abs(b).max() / top_b)
    return bool(np.allclose(gains_a / top_a, gains_b / top_b, rtol=0, atol=slack))
