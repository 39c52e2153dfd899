"""Holm's adjustment of several p-values, which holds however they depend on each other."""

from math import isnan
from typing import Any

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


def not_one(*tests: tuple[str, float, Any], alpha: float = 0.05) -> set[str]:
    """Tell which measures are surely not 1, by Holm's rule: all are right in 95% of cases.

    A test is a name, a p-value and the measure with its limits `low` and `high`; where the p-value
    is nan the interval tells.
    """
    known = [(name, p) for name, p, _ in tests if not isnan(p)]
    adjusted = holm(np.array([p for _, p in known])).tolist()
    wrong = {name for (name, _), p in zip(known, adjusted, strict=True) if p < alpha}
    untested = ((name, found) for name, p, found in tests if found is not None and isnan(p))
    return wrong | {name for name, found in untested if found.low > 1 or found.high < 1}
