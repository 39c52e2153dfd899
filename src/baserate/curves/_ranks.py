"""Ranks of scores and pairs won, ties counting one half: everything doubled, so that it is whole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def doubled_ranks(scores: NDArray[Any]) -> Whole:
    """Return how many scores are lower, those that are equal counting half, times two.

    Examples
    --------
    >>> doubled_ranks(np.array([0.3, 0.1, 0.3, 0.7]))
    array([4, 1, 4, 7])
    """
    return doubled_wins(scores, scores)


def doubled_wins(scores: NDArray[Any], others: NDArray[Any]) -> Whole:
    """Return how many of the others each score exceeds, equal ones counting half, times two."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    return below + np.searchsorted(ordered, scores, side="right")
