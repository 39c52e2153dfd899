"""Holm's adjustment of several p-values, which holds however they depend on each other."""

import numpy as np
from numpy.typing import NDArray


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values; none is nan.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate._holm import holm
    >>> holm(np.array([0.02, 0.5, 0.01])).tolist()
    [0.04, 0.5, 0.03]
    """
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
