"""Quantiles of a continuous law, by Newton steps on the normal scale: nearly straight there."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sides = tuple[Array, Array, Array]  # P(Y <= c), P(Y > c) and the density

MOST_STEPS = 100
CLOSE_ENOUGH = 1e-6  # on the normal scale; one more Newton step squares it


def quantiles(
    evaluate: Callable[[Array], Sides], level: Array, start: Array, ends: tuple[float, float]
) -> Array:
    """Return the values that Y does not exceed with these probabilities, within a bracket."""
    from scipy.special import ndtri

    goal, (low, high) = ndtri(level), (np.full(level.shape, end) for end in ends)
    c, last = start, high - low
    for _ in range(MOST_STEPS):
        below, above, height = evaluate(c)
        z = np.where(below < above, ndtri(below), -ndtri(above))
        low, high = np.where(z < goal, c, low), np.where(z > goal, c, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = c + (goal - z) * np.exp(-z * z / 2) / (height * np.sqrt(2 * np.pi))
        narrow = high - low <= 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        settled = np.abs(z - goal) <= CLOSE_ENOUGH
        # A step that is hardly shorter than the one before it leads nowhere.
        short = (newton != c) & (np.abs(newton - c) <= last / 2)
        moves = settled | ((newton >= low) & (newton <= high) & short)
        at = np.where(moves, np.clip(newton, low, high), (low + high) / 2)
        c, last = at, np.abs(at - c)
        if (settled | narrow).all():
            break
    return c
