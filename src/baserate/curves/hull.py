"""The convex hull of a ROC curve: the cut points that can be best for some costs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import determinant
from baserate.counts import as_float
from baserate.curves._groups import need_both_classes
from baserate.curves.sweep import Sweep

WORTHWHILE = 1 / 16  # share of points that a pass over all must remove to be followed by another


def convex_hull(sweep: Sweep) -> NDArray[np.intp]:
    """Return the vertices of the upper convex hull of the ROC curve, as indices into the sweep.

    From "call nothing positive" (0) to "call everything positive" (the last index), in order.
    Points on an edge are no vertices. For every metric that is quasi-convex in recall and false
    positive rate, such as accuracy, F1 or any expected cost, some vertex is a best cut point.

    Exact for counts (no tolerance): orientations are signs of determinants without rounding.

    Parameters
    ----------
    sweep : Sweep
        With cases of both classes.

    Returns
    -------
    array of int
        ``sweep.tables[convex_hull(sweep)]`` are the tables of the vertices.

    Raises
    ------
    InvalidArgumentError
        The sweep holds no case of one class.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854. Andrew (1979),
    Information Processing Letters 9:216, doi:10.1016/0020-0190(79)90072-3, for the chain.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> s = sweep([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> convex_hull(s)
    array([0, 1, 4, 6])
    """
    need_both_classes(sweep)
    x, y = as_float(sweep.false_positives), as_float(sweep.true_positives)
    return upper_hull(x, y)


def upper_hull(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the vertices above a path along which x and y never fall, as indices.

    A point on or below the chord of its neighbours is no vertex, whatever else is removed at the
    same time, so whole arrays can be thinned at once. A chain finishes what is left.
    """
    kept = np.arange(len(x))
    while len(kept) > 2:
        above = _above(x[kept], y[kept])
        if above.all():  # every turn is a right turn: nothing can be hidden
            return kept
        kept = kept[np.concatenate(([True], above, [True]))]
        if np.count_nonzero(~above) < WORTHWHILE * len(above):
            break
    return kept[_chain(x[kept].tolist(), y[kept].tolist())]


def _above(x: Any, y: Any) -> NDArray[np.bool_]:
    """Say which inner points lie strictly above the chord of their neighbours."""
    along = x[2:] - x[:-2], y[2:] - y[:-2]
    return determinant(*along, x[1:-1] - x[:-2], y[1:-1] - y[:-2]) > 0


def _chain(x: list[float], y: list[float]) -> list[int]:
    """Walk along the points once, dropping what a new point hides."""
    hull: list[int] = []
    for new in range(len(x)):
        while len(hull) > 1 and not _turns(x, y, hull[-2], hull[-1], new):
            hull.pop()
        hull.append(new)
    return hull


def _turns(x: list[float], y: list[float], first: int, middle: int, last: int) -> bool:
    along = x[last] - x[first], y[last] - y[first]
    step = x[middle] - x[first], y[middle] - y[first]
    return bool(determinant(*map(np.float64, (*along, *step))) > 0)
