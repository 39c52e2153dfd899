"""The extremes of a metric under blind guessing, over the number of cases called positive.

A known shape says where to look: at the ends, at a change of sign of the step from k to k + 1, or
nowhere because all numbers are alike. Only metrics of unknown shape are searched in full.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf, nan
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from baserate._windows import DEPTH
from baserate.baselines._curve import ChanceCurve, Ranges, clipped, defined_counts
from baserate.baselines._digits import precise_expectation
from baserate.baselines._scan import blocks, expectations
from baserate.metrics import Metric

# Means within this of the extreme are compared with many digits, up to so many terms in all; with
# more terms (flat curves of large tables), means this close count as equal.
_CLOSE, _EQUAL = 1e-12, 1e-13
_DIGITS_UP_TO = 200_000


class Optimum(NamedTuple):
    """The extreme mean, every k that attains it as inclusive ranges, and how they were found.

    Where doubles cannot tell some k apart, and there are too many terms for many digits, the ranges
    hold all of them and the route says "optimisers to rounding".
    """

    value: float
    n_predicted: Ranges
    route: str


Number = TypeVar("Number", int | None, float | None)


@dataclass(slots=True)
class Signs:
    """Signs along a curve; what cannot be told counts as equal, and is remembered."""

    curve: ChanceCurve
    undecided: bool = False

    def slope(self, k: int) -> float:
        """Return E(k + 1) - E(k), or 0.0."""
        return self._noted(self.curve.slope(k)) or 0.0

    def sign(self, k: int) -> int:
        """Return the sign of E(k + 1) - E(k), or 0."""
        return self._noted(self.curve.sign(k)) or 0

    def compare(self, a: int, b: int) -> int:
        """Return the sign of E(b) - E(a), or 0."""
        return self._noted(self.curve.compare(a, b)) or 0

    def _noted(self, found: Number) -> Number:
        self.undecided |= found is None
        return found


def optimum(
    metric: Metric,
    n_positive: int,
    n_negative: int,
    *,
    goal: Literal["max", "min"],
    within: tuple[int, int],
) -> Optimum:
    """Return the largest or smallest E(k), among the k `within` at which the metric is defined."""
    ranges = clipped(defined_counts(metric, n_positive, n_negative), *within)
    curve = ChanceCurve(metric, n_positive, n_negative)
    shaped = metric.chance_shape != "unknown" or _single(ranges)
    if metric.undefined_also is not None or not shaped:
        return _scanned(curve, ranges, goal)
    if not ranges:
        return Optimum(nan, (), "closed form")
    signs = Signs(curve)
    best = [(k, r) for low, high in ranges for k, r in _by_shape(signs, goal, low, high)]
    best = _merged(signs, best, goal)
    route = _told(_route(metric), undecided=signs.undecided)
    return Optimum(curve.value(best[0][0]), tuple(r for _, r in best), route)


def _single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _route(metric: Metric) -> str:
    if metric.affine_in_tp or metric.chance is not None:
        return "closed form"
    return f"{metric.chance_shape} in n_predicted"


def _told(route: str, *, undecided: bool) -> str:
    return f"{route}, optimisers to rounding" if undecided else route


Found = list[tuple[int, tuple[int, int]]]


def _by_shape(signs: Signs, goal: str, low: int, high: int) -> Found:
    """Return optimal ranges within one range of defined k, each with one k in it."""
    shape = signs.curve.metric.chance_shape
    if shape == "constant" or low == high:
        return [(high, (low, high))]
    if shape == "concave":
        return _of_concave(signs, goal, low, high)
    rising = {
        "increasing": lambda: 1,
        "decreasing": lambda: -1,
        "affine": lambda: signs.sign(low),
        "monotone": lambda: signs.compare(low, high),
    }[shape]()
    if rising == 0:
        return [(high, (low, high))]
    at_high = (rising > 0) == (goal == "max")
    if shape == "affine":
        return [(high, (high, high)) if at_high else (low, (low, low))]
    return [_plateau_at_high(signs, low, high) if at_high else _plateau_at_low(signs, low, high)]


def _plateau_at_high(signs: Signs, low: int, high: int) -> tuple[int, tuple[int, int]]:
    if signs.sign(high - 1):
        return high, (high, high)
    return high, (_first(lambda k: signs.sign(k) == 0, low, high - 1), high)


def _plateau_at_low(signs: Signs, low: int, high: int) -> tuple[int, tuple[int, int]]:
    if signs.sign(low):
        return low, (low, low)
    return low, (low, _first(lambda k: k == high or signs.sign(k) != 0, low, high))


def _of_concave(signs: Signs, goal: str, low: int, high: int) -> Found:
    if goal == "max":
        top = _first_not_rising(signs, low, high)
        last = top
        if top < high and signs.sign(top) == 0:
            last = _first(lambda k: k == high or signs.sign(k) < 0, top + 1, high)
        return [(top, (top, last))]
    order = signs.compare(low, high)
    if order == 0 and signs.sign(low) == 0:
        return [(high, (low, high))]
    ends = [low] * (order >= 0) + [high] * (order <= 0)
    return [(k, (k, k)) for k in ends]


def _first_not_rising(signs: Signs, low: int, high: int) -> int:
    """Return the least k in [low, high] from which a concave E stops rising.

    Secants of the slope, each carried to the next number so that the root is caught between two;
    every fourth step halves, so that no curve can stall it.
    """
    below, above = low - 1, high  # the slope is positive at `below`, and not at `above`
    k, seen = (low + high) // 2, list[tuple[int, float]]()
    while above - below > 1:
        k = min(max(k, below + 1), above - 1)
        seen.append((k, signs.slope(k)))
        below, above = (k, above) if seen[-1][1] > 0 else (below, k)
        k = (below + above) // 2 if len(seen) % 4 == 0 else _secant(seen, high - low)
    return above


def _secant(seen: list[tuple[int, float]], size: int) -> int:
    k, slope = seen[-1]
    if len(seen) == 1:
        step = size / 64
    else:
        before, other = seen[-2]
        step = abs(slope * (k - before) / (slope - other)) if slope != other else size / 64
    reach = int(step) + 1
    return k + reach if slope > 0 else k - reach


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least k in [low, high] at which a condition holds that then stays true."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _merged(signs: Signs, found: Found, goal: str) -> Found:
    """Keep the best of several ranges."""
    better = 1 if goal == "max" else -1
    kept: Found = []
    for k, r in found:
        order = signs.compare(kept[0][0], k) * better if kept and len(found) > 1 else 0
        if order > 0:
            kept = [(k, r)]
        elif order == 0:
            kept.append((k, r))
    return kept


def _scanned(curve: ChanceCurve, ranges: Ranges, goal: str) -> Optimum:
    """Compare E(k) of every k; the closest ones to the extreme with many digits."""
    metric, sizes = curve.metric, (curve.n_positive, curve.n_negative)
    depth = inf if metric.undefined_also is not None else DEPTH
    counts, means, scale = [np.empty(0, dtype=np.int64)], [np.empty(0)], 0.0
    for block in blocks(*sizes, ranges, remedy=_remedy(metric), depth=depth):
        mean, size = expectations(metric, block)
        known = ~np.isnan(mean)
        counts.append(block.k[known])
        means.append(mean[known])
        scale = max(scale, float(size[known].max(initial=0.0)))
    k, mean = np.concatenate(counts), np.concatenate(means)
    if not len(k):
        return Optimum(nan, (), "scan")
    best = float(mean.max() if goal == "max" else mean.min())
    near = k[np.abs(mean - best) <= _CLOSE * scale]
    if decided := len(near) == 1 or len(near) * (min(*sizes) + 1) <= _DIGITS_UP_TO:
        near = _equal_best(curve, [int(j) for j in near], goal)
    else:
        near = k[np.abs(mean - best) <= _EQUAL * scale]
    return Optimum(best, _as_ranges(near), _told("scan", undecided=not decided))


def _remedy(metric: Metric) -> str:
    return (
        f'limit n_predicted or theta in dutch_draw, or compare with guess="uniform", which is '
        f"exact; {metric.name} declares no shape under guessing that would spare the search"
    )


def _equal_best(curve: ChanceCurve, near: list[int], goal: str) -> list[int]:
    if len(near) < 2:
        return near
    means = {
        k: precise_expectation(curve.metric, curve.n_positive, curve.n_negative, k) for k in near
    }
    order = sorted(means.values(), key=lambda m: m.mean, reverse=goal == "max")
    return [k for k, m in means.items() if m.agrees(order[0])]


def _as_ranges(numbers: Iterable[int]) -> Ranges:
    out: list[tuple[int, int]] = []
    for k in map(int, numbers):
        if out and out[-1][1] == k - 1:
            out[-1] = (out[-1][0], k)
        else:
            out.append((k, k))
    return tuple(out)
