"""Arithmetic shared by every layer: division that knows where it is undefined."""

from typing import Any

import numpy as np


def ratio(top: Any, bottom: Any) -> Any:
    """Divide elementwise; any zero denominator (x/0 as well as 0/0) gives nan, without a warning.

    Works for real and complex arrays, so that a complex step differentiates whatever uses it.

    Examples
    --------
    >>> ratio(np.array([1.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    array([0.5, nan, nan])
    """
    zero = np.equal(bottom, 0)
    return np.where(zero, np.nan, top / np.where(zero, 1, bottom))


def plain(value: Any) -> Any:
    """Turn a 0-d array into the Python number it holds; leave other arrays alone."""
    return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
