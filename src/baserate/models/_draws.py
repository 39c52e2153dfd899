"""Random counts drawn without replacement, from populations of any size."""

from typing import Any

import numpy as np

from baserate.errors import UnsupportedError
from baserate.models._factors import HypergeometricCount

# NumPy's sampler takes fewer cases than this; beyond, windows are inverted.
_SAMPLER_LIMIT = 10**9
_MOST = 10**9  # values of all windows together


def hypergeometric_draws(
    a: int, b: int, size: Any, shape: int, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """Draw counts of the first of two kinds, `size` cases at a time (a number, or one per draw)."""
    if a + b < _SAMPLER_LIMIT:
        return rng.hypergeometric(a, b, size, shape)
    sizes, which = np.unique(np.broadcast_to(size, (shape,)), return_inverse=True)
    factors = [HypergeometricCount(a, b, k) for k in sizes.tolist()]
    if sum(high - low for low, high in (factor.span() for factor in factors)) > _MOST:
        raise UnsupportedError(
            f"Drawing so many cases from a population of {a + b:,} takes too long: draw fewer "
            "tables, or use Multinomial, from which so large a population hardly differs."
        )
    draws = np.empty(shape, dtype=np.int64)
    for i, factor in enumerate(factors):
        window, here = factor.window(), np.flatnonzero(which == i)
        position = np.searchsorted(np.cumsum(window.pmf[:-1]), rng.random(len(here)))
        draws[here] = window.start + position
    return draws
