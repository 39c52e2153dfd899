"""The extremes of a metric under blind guessing, over the number of cases called positive.

A known shape says where to look: at the ends, at a change of sign of the step from k to k + 1, or
nowhere because all numbers are alike. Only metrics of unknown shape are searched in full.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf, nan
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from baserate._windows import DEPTH
from baserate.baselines.chance_curve import (
    BUDGET,
    ChanceCurve,
    Ranges,
    blocks,
    n_tables,
    precise_expectation,
)
from baserate.errors import UnsupportedError
from baserate.metrics import Metric

# Means within this of the extreme are compared with many digits, up to so many terms in all; with
# more terms (flat curves of large tables), means this close count as equal.
_CLOSE, _EQUAL = 1e-12, 1e-13
_DIGITS_UP_TO = 200_000
_PIECES = BUDGET // 10  # optimal ranges that are listed

Piece = tuple[int, int]
Number = TypeVar("Number", int | None, float | None)


class Optimum(NamedTuple):
    """The extreme mean, every k that attains it as inclusive ranges, and how they were found.

    Where doubles cannot tell some k apart, and there are too many terms for many digits, the ranges
    hold all of them and the route says "optimisers to rounding".
    """

    value: float
    n_predicted: Ranges
    route: str


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
    every: bool = True,
) -> Optimum:
    """Return the largest or smallest E(k), among the k `within` at which the metric is defined.

    Where E is the same number throughout, `every` lists all ranges of k; one of them else.
    """
    ranges = clipped(defined_counts(metric, n_positive, n_negative), *within)
    if not ranges:
        return Optimum(nan, (), "closed form")
    curve = ChanceCurve(metric, n_positive, n_negative)
    if not _is_shaped(metric, ranges):
        return _scanned(curve, ranges, goal)
    pieces = Pieces(ranges, _step(metric, n_positive, n_negative))
    if next(pieces.walk(), None) is None:
        return Optimum(nan, (), "closed form")
    signs = Signs(curve)
    on_hill = metric.chance_shape in {"concave", "unimodal"}
    best = (
        _on_hills(signs, goal, pieces) if on_hill else _on_slope(signs, goal, pieces, every=every)
    )
    told = _told(_route(metric), undecided=signs.undecided)
    return Optimum(curve.value(best[0][1]), tuple(sorted(best)), told)


def searched(metric: Metric, n_positive: int, n_negative: int) -> int:
    """Return how many tables `optimum` would look at; none where a shape says where to look."""
    ranges = defined_counts(metric, n_positive, n_negative)
    if not ranges or _is_shaped(metric, ranges):
        return 0
    return n_tables(n_positive, n_negative, ranges, _depth(metric))


def _depth(metric: Metric) -> float:
    return inf if metric.undefined_also is not None else DEPTH


def defined_counts(metric: Metric, n_positive: int, n_negative: int) -> Ranges:
    """Return the numbers predicted positive at which no declared denominator can be zero.

    A zero cell pins tp to 0, n_positive, k or k - n_negative. All cells of a sum are zero if these
    numbers agree and are possible, which happens for a range of k.
    """
    n = n_positive + n_negative
    bad = [
        _all_zero(total.split("+"), n_positive, n_negative) for total in metric.undefined_if_zero
    ]
    out: list[Piece] = []
    start = 0
    for low, high in sorted(b for b in bad if b[0] <= b[1]):
        if low > start:
            out.append((start, low - 1))
        start = max(start, high + 1)
    if start <= n:
        out.append((start, n))
    return tuple(out)


def _all_zero(cells: list[str], p: int, q: int) -> Piece:
    """Return the range of k at which these cells can be zero together; empty if low > high."""
    limits = {"tp": (0, q), "fn": (p, p + q), "fp": (0, p), "tn": (q, p + q)}
    pairs = {
        ("tp", "fp"): (0, 0),
        ("tp", "tn"): (q, q),
        ("fn", "fp"): (p, p),
        ("fn", "tn"): (p + q, p + q),
        ("tp", "fn"): (0, p + q) if p == 0 else (1, 0),
        ("fp", "tn"): (0, p + q) if q == 0 else (1, 0),
    }
    spans = [limits[cell] for cell in cells]
    spans += [span for pair, span in pairs.items() if set(pair) <= set(cells)]
    return max(low for low, _ in spans), min(high for _, high in spans)


def clipped(ranges: Ranges, low: int, high: int) -> Ranges:
    """Return the part of the ranges within [low, high]."""
    cut = ((max(a, low), min(b, high)) for a, b in ranges)
    return tuple((a, b) for a, b in cut if a <= b)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Ranges of k, cut where k is a multiple of `step` (0 cuts nothing); there may be millions."""

    ranges: Ranges
    step: int

    def walk(self, way: Literal[1, -1] = 1) -> Iterator[Piece]:
        """Yield the pieces from the lowest on, or (-1) from the highest on."""
        for low, high in self.ranges[::way]:
            for start in self._starts(low, high)[::way]:
                end = start + self.step - 2 if self.step else high
                yield from clipped(((start, end),), low, high)

    def all(self, metric: Metric) -> list[Piece]:
        """Return the pieces as a list, unless that is too long."""
        size = sum(len(self._starts(*piece)) for piece in self.ranges)
        if size > _PIECES:
            raise UnsupportedError(
                f"{metric.name} has {size:,} ranges of n_predicted that would have to be listed, "
                f"more than {_PIECES:,}: limit n_predicted or theta in dutch_draw."
            )
        return [piece for low, high in self.ranges for piece in self._within(low, high)]

    def _within(self, low: int, high: int) -> Iterator[Piece]:
        if not self.step:
            return iter([(low, high)])
        starts = np.array(self._starts(low, high))
        first, last = np.maximum(starts, low), np.minimum(starts + self.step - 2, high)
        some = first <= last
        return zip(first[some].tolist(), last[some].tolist(), strict=True)

    def _starts(self, low: int, high: int) -> range:
        return range(
            low - low % self.step + 1 if self.step else low, high + 1, self.step or high + 1
        )


def _is_shaped(metric: Metric, ranges: Ranges) -> bool:
    """Whether a shape is known, and all k at which the metric is defined."""
    if metric.undefined_also is not None and metric.undefined_multiples is None:
        return False
    single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return single or metric.chance_shape != "unknown"


def _step(metric: Metric, n_positive: int, n_negative: int) -> int:
    if metric.undefined_multiples is None:
        return 0
    return metric.undefined_multiples(n_positive, n_negative)[0]


def _route(metric: Metric) -> str:
    if metric.affine_in_tp or metric.chance is not None:
        return "closed form"
    return f"{metric.chance_shape} in n_predicted"


def _told(route: str, *, undecided: bool) -> str:
    return f"{route}, optimisers to rounding" if undecided else route


def _on_slope(signs: Signs, goal: str, pieces: Pieces, *, every: bool) -> list[Piece]:
    """Return the optimal ranges of a curve that rises, falls or stays; the first is at its end."""
    metric = signs.curve.metric
    (low, next_to), (_, high) = next(pieces.walk()), next(pieces.walk(-1))
    rising = _rising(signs, low, high, affine=metric.chance_shape == "affine" and low < next_to)
    if rising == 0:
        return pieces.all(metric)[::-1] if every else [next(pieces.walk(-1))]
    at_high = (rising > 0) == (goal == "max")
    if metric.chance_shape == "affine":
        return [(high, high)] if at_high else [(low, low)]
    best: list[Piece] = []
    for piece in pieces.walk(-1 if at_high else 1):
        if best and signs.compare(best[0][0], piece[at_high]):
            break
        best.append((_plateau_at_high if at_high else _plateau_at_low)(signs, *piece))
        if best[-1] != piece:
            break
    return best


def _rising(signs: Signs, low: int, high: int, *, affine: bool) -> int:
    shape = signs.curve.metric.chance_shape
    if shape == "constant" or low == high:
        return 0
    if affine:
        return signs.sign(low)
    return {"increasing": 1, "decreasing": -1}.get(shape) or signs.compare(low, high)


def _plateau_at_high(signs: Signs, low: int, high: int) -> Piece:
    if low == high or signs.sign(high - 1):
        return high, high
    return _first(lambda k: signs.sign(k) == 0, low, high - 1), high


def _plateau_at_low(signs: Signs, low: int, high: int) -> Piece:
    if low == high or signs.sign(low):
        return low, low
    return low, _first(lambda k: k == high or signs.sign(k) != 0, low, high)


def _on_hills(signs: Signs, goal: str, pieces: Pieces) -> list[Piece]:
    """Keep the best of the tops, or of the feet, of curves that rise and then fall."""
    better = 1 if goal == "max" else -1
    of_hill = _top if goal == "max" else _feet
    found = [best for piece in pieces.all(signs.curve.metric) for best in of_hill(signs, *piece)]
    kept = found[:1]
    for piece in found[1:]:
        order = signs.compare(kept[0][0], piece[0]) * better
        kept = [*kept, piece] if order == 0 else [piece] if order > 0 else kept
    return kept


def _feet(signs: Signs, low: int, high: int) -> list[Piece]:
    order = signs.compare(low, high) if low < high else 0
    if low == high or (order == 0 and signs.sign(low) == 0):
        return [(low, high)]
    return [(k, k) for k in [low] * (order >= 0) + [high] * (order <= 0)]


def _top(signs: Signs, low: int, high: int) -> list[Piece]:
    top = _first_not_rising(signs, low, high)
    last = top
    if top < high and signs.sign(top) == 0:
        last = _first(lambda k: k == high or signs.sign(k) < 0, top + 1, high)
    return [(top, last)]


def _first_not_rising(signs: Signs, low: int, high: int) -> int:
    """Return the least k in [low, high] from which E stops rising.

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


def _scanned(curve: ChanceCurve, ranges: Ranges, goal: str) -> Optimum:
    """Compare E(k) of every k; the closest ones to the extreme with many digits."""
    metric, sizes = curve.metric, (curve.n_positive, curve.n_negative)
    counts, means, scale = [np.empty(0, dtype=np.int64)], [np.empty(0)], 0.0
    for block in blocks(*sizes, ranges, remedy=_remedy(metric), depth=_depth(metric)):
        mean, size = block.expectations(metric)
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
    shapeless = metric.chance_shape == "unknown"
    fact = "shape under guessing (chance_shape)" if shapeless else "undefined_if_zero"
    return (
        f'limit n_predicted or theta in dutch_draw, or compare with guess="uniform", which is '
        f"exact; {metric.name} declares no {fact} that would spare the search"
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
    out: list[Piece] = []
    for k in map(int, numbers):
        if out and out[-1][1] == k - 1:
            out[-1] = (out[-1][0], k)
        else:
            out.append((k, k))
    return tuple(out)
