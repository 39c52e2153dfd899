"""Which cut points can be best, and which classifier: convex hulls and dominance of ROC curves."""

from dataclasses import dataclass
from math import gcd
from typing import Any, Literal, NamedTuple

import numpy as np

from baserate._arith import TIE, determinant
from baserate._arrays import Array, Index, Mask
from baserate._checks import instance_of
from baserate._result import Result
from baserate.counts import as_float
from baserate.curves.cut_points import Sweep, need_both_classes
from baserate.curves.score_bins import need_scores

Relation = Literal["a", "b", "equal", "crossing"]

WORTHWHILE = 1 / 16  # share of points that a pass over all must remove to be followed by another


def convex_hull(sweep: Sweep) -> Index:
    """Return the vertices of the upper convex hull of the ROC curve, as indices into the sweep.

    From "call nothing positive" (0) to "call everything positive" (the last index), in order.
    Points on an edge are no vertices. For every metric that is quasi-convex in recall and false
    positive rate, such as accuracy, F1 or any expected cost, some vertex is a best cut point.

    Exact for counts (no tolerance): orientations are signs of determinants without rounding.

    Parameters
    ----------
    sweep : Sweep
        With cases of both classes, or InvalidArgumentError.

    Returns
    -------
    array of int
        ``sweep.tables[convex_hull(sweep)]`` are the tables of the vertices.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854. Andrew (1979),
    Information Processing Letters 9:216, doi:10.1016/0020-0190(79)90072-3, for the chain.

    Examples
    --------
    >>> from baserate.curves import convex_hull, sweep
    >>> s = sweep([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> convex_hull(s)
    array([0, 1, 4, 6])
    """
    instance_of("sweep", sweep, Sweep, "pass sweep(y_true, y_score)")
    need_both_classes("sweep", sweep)
    need_scores("The convex hull", sweep)
    x, y = as_float(sweep.false_positives), as_float(sweep.true_positives)
    return upper_hull(x, y)


def upper_hull(x: Array, y: Array) -> Index:
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


def _above(x: Any, y: Any) -> Mask:
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dominance(Result):
    """Which of two ROC curves is above the other.

    Attributes
    ----------
    relation : {"a", "b", "equal", "crossing"}
        For the curves themselves, straight between neighbouring cut points. "a" says that a is
        nowhere below b, and somewhere above.
    crossings : array of shape (m, 2)
        False positive rate and recall where one curve passes through the other. Where they run
        together before they part on the other side, it is where they meet.
    hull_relation, hull_crossings
        The same for the convex hulls, which is what counts once cut points are chosen for the best
        expected cost (at random between two cut points, if need be).
    """

    relation: Relation
    crossings: Array
    hull_relation: Relation
    hull_crossings: Array


class _Path(NamedTuple):
    """A curve in units that make the points of both curves whole numbers."""

    x: Array
    y: Array

    @property
    def u(self) -> Array:
        return self.x + self.y


def roc_dominance(a: Sweep, b: Sweep) -> Dominance:
    """Say whether one classifier's ROC curve lies above the other's, or where they cross.

    If a dominates b, then at every base rate, for every cost, and for every metric that rises with
    recall and with specificity, the best cut point of a is at least as good as that of b. If the
    curves cross, which one is better depends on these. The two sweeps may stem from different test
    sets: this compares what was measured, without regard to how uncertain it is.

    Signs are exact for counts as long as products of the class totals of a and b stay below 2^53
    (divided by their common factors, so equal test sets of up to 2^53 cases); with weights,
    distances of 1e-12 of the axes count as none.

    Parameters
    ----------
    a, b : Sweep
        Each with cases of both classes, or InvalidArgumentError.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854. Davis and
    Goadrich (2006), ICML, doi:10.1145/1143844.1143874: a curve dominates in ROC space if and only
    if it dominates in precision-recall space.

    Examples
    --------
    >>> from baserate.curves import roc_dominance, sweep
    >>> y = [1, 1, 0, 0]
    >>> first, second = sweep(y, [4, 3, 2, 1]), sweep(y, [4, 2, 3, 1])
    >>> roc_dominance(first, second).relation
    'a'
    >>> early, late = sweep([1, 0, 0, 1], [4, 3, 2, 1]), sweep([0, 1, 1, 0], [4, 3, 2, 1])
    >>> found = roc_dominance(early, late)
    >>> found.relation, found.crossings.tolist()
    ('crossing', [[0.5, 0.5]])
    """
    for name, side in (("a", a), ("b", b)):
        instance_of(name, side, Sweep, "pass sweep(y_true, y_score)")
        need_both_classes(name, side)
        need_scores("Dominance", side)
    first, second = _scaled(a, b), _scaled(b, a)
    slack = TIE * float(first.u[-1]) if a.is_weighted or b.is_weighted else 0.0
    curve = _compared(first, second, slack)
    hull = _compared(_hull(first), _hull(second), slack)
    return Dominance(
        relation=curve[0], crossings=curve[1], hull_relation=hull[0], hull_crossings=hull[1]
    )


def _scaled(own: Sweep, other: Sweep) -> _Path:
    """Multiply by the other's class totals, so that both curves end in the same corner."""
    x = as_float(own.false_positives) * _factor(own.n_negative, other.n_negative)
    y = as_float(own.true_positives) * _factor(own.n_positive, other.n_positive)
    moves = np.append(np.diff(x + y) > 0, True)  # a weight may be nothing beside the others
    return _Path(x[moves], y[moves])


def _factor(own: float, other: float) -> float:
    if isinstance(own, int) and isinstance(other, int):
        return other // gcd(own, other)
    return 1 / own  # sums of weights are not exact anyway


def _hull(path: _Path) -> _Path:
    kept = upper_hull(path.x, path.y)
    return _Path(path.x[kept], path.y[kept])


def _compared(a: _Path, b: _Path, slack: float) -> tuple[Relation, Array]:
    """Compare along u = x + y, in which both curves are functions, vertical steps included.

    Both are straight between breakpoints, so the signs at all breakpoints decide.
    """
    u = np.concatenate((a.u, b.u))
    height = np.concatenate((_height(a, b), -_height(b, a)))
    order = np.argsort(u, kind="stable")
    u, height = u[order], height[order]
    sign = np.where(np.abs(height) <= slack, 0, np.sign(height))
    above, below = bool((sign > 0).any()), bool((sign < 0).any())
    if above and below:
        return "crossing", _crossings(a, u, height, sign)
    return ("a" if above else "b" if below else "equal"), np.empty((0, 2))


def _height(points: _Path, curve: _Path) -> Array:
    """Return how far each point lies above a curve, in x, at the same u; the sign is exact."""
    start = np.searchsorted(curve.u, points.u, side="right") - 1
    start = np.minimum(start, len(curve.u) - 2)
    x, y = curve.x[start], curve.y[start]
    along = curve.x[start + 1] - x, curve.y[start + 1] - y
    return determinant(*along, points.x - x, points.y - y) / (along[0] + along[1])


def _crossings(path: _Path, u: Array, height: Array, sign: Any) -> Array:
    apart = np.flatnonzero(sign)
    changes = np.flatnonzero(sign[apart[1:]] != sign[apart[:-1]])
    before, after = apart[changes], apart[changes + 1]
    share = height[before] / (height[before] - height[after])
    straight = u[before] + (u[after] - u[before]) * share
    at = np.where(after == before + 1, straight, u[before + 1])
    x, y = (np.interp(at, path.u, side) / side[-1] for side in (path.x, path.y))
    return np.column_stack((x, y))
