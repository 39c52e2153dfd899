"""Where two curves change places: changes of sign of their difference, each followed to its end."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from baserate.curves.populations import Array

Gap = Callable[[Array], Array]
Ends = tuple[float, float]

_EQUAL = 1e-13  # differences of values of size one that rounding alone makes
_CLEAR = 16.0


def crossing_points(gap: Gap, at: Array, gaps: Array) -> list[Ends]:
    """Return the ends of each crossing, equal but where the curves coincide for a stretch.

    `gap` gives the difference at an array of places; `at` are rising places and `gaps` the
    differences there, nan where unknown.
    """
    at, gaps = _with_dips(gap, at, gaps)
    signs = np.where(np.abs(gaps) <= _EQUAL, 0, np.sign(gaps))
    clear = np.flatnonzero(signs)
    found: list[Ends] = []
    for i, j in pairwise(clear.tolist()):
        if signs[i] == signs[j] or np.isnan(signs[i : j + 1]).any():
            continue
        inside = float(at[i + 1]), float(at[j - 1])
        found.append(inside if j > i + 1 else _refined(gap, *reversed(inside)))
    return found


def crossing_totals(gap: Gap, gaps: Array, totals: Any, n: int) -> list[Ends]:
    """Return neighbouring shares of n between which the difference changes sign.

    `gaps` are the differences at the rising whole numbers `totals`, at which alone it is known.
    """
    signs = np.where(np.abs(gaps) <= _EQUAL, 0, np.sign(gaps))
    clear = np.flatnonzero(signs)
    found: list[Ends] = []
    for i, j in pairwise(clear.tolist()):
        if signs[i] == signs[j] or np.isnan(signs[i : j + 1]).any():
            continue
        low, high = int(totals[i]), int(totals[j])
        while high - low > 1:
            middle = (low + high) // 2
            same = np.sign(gap(np.array([middle / n]))[0]) == signs[i]
            low, high = (middle, high) if same else (low, middle)
        found.append((low / n, high / n))
    return found


def _refined(gap: Gap, low: float, high: float) -> Ends:
    from scipy.optimize import brentq

    root: Any = brentq(lambda x: float(gap(np.array([x]))[0]), low, high, xtol=1e-15)
    return root, root


def _with_dips(gap: Gap, at: Array, gaps: Array) -> tuple[Array, Array]:
    """Add the places between which the difference comes closest to zero without changing sign.

    Where it is many times larger than it changes from place to place, it stays clear of zero. What
    is lowest at an end may come lower still next to it.
    """
    every, last = np.arange(at.size), at.size - 1
    before, after = np.maximum(every - 1, 0), np.minimum(every + 1, last)
    sizes, signs = np.abs(gaps), np.sign(gaps)
    change = np.maximum(sizes[before], sizes[after]) - sizes
    if last > 1:  # at an end the next place may lie as high beyond the dip
        change[[0, last]] = np.maximum(change[[0, last]], sizes[[2, last - 2]] - sizes[[0, last]])
    dips = every[
        (np.minimum(sizes[before], sizes[after]) >= sizes)
        & ((change > np.maximum(_EQUAL, sizes / _CLEAR)) | (last == 1))
        & (signs[before] == signs)
        & (signs[after] == signs)
    ]
    lowest = [_lowest(gap, *map(float, (at[before[i]], at[after[i]], signs[i]))) for i in dips]
    places = np.concatenate((at, lowest)) if lowest else at
    heights = np.concatenate((gaps, gap(np.array(lowest)))) if lowest else gaps
    places, order = np.unique(places, return_index=True)
    return places, heights[order]


def _lowest(gap: Gap, low: float, high: float, sign: float) -> float:
    from scipy.optimize import minimize_scalar

    def size(x: float) -> float:
        return float(sign * gap(np.array([x]))[0])

    found: Any = minimize_scalar(
        size, bounds=(low, high), method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x)
