"""The one shift of logits that makes the expected positives as many as were found."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def level_shift(logits: Array, size: Array, positives: float) -> float:
    """Solve Σ size expit(logits + a) = positives for a, with 0 < positives < Σ size.

    The sum grows with a. Where every probability is at most the share of positives it is too small,
    where every one is at least that share it is too large: this brackets the one root.

    Examples
    --------
    >>> round(level_shift(np.array([-600.0, -599.0]), np.array([1.0, 1.0]), 1.0), 6)
    599.5
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    target = float(logit(positives / size.sum()))
    low, high = target - float(logits.max()), target - float(logits.min())
    if high <= low:
        return low

    def excess(a: float) -> float:
        return float(size @ expit(logits + a)) - positives

    if excess(low) >= 0:  # equal up to rounding
        return low
    if excess(high) <= 0:
        return high
    root: Any = brentq(excess, low, high, xtol=1e-13)
    return float(root)
