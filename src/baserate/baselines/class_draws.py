"""The best blind draw among several classes: how many cases it puts into each.

An average over classes is a sum of one curve per class, over the cases put into it, which together
are all cases. Where all curves are concave a price decides: every class takes the cases that gain
more. Coarse looks at the curves bound the price, and with it how many cases each class gets at
least; only the last ones are put in singly. Otherwise the best shares are found by dynamic
programming. Numbers at which a class could lack a value do not compete.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heapreplace
from itertools import accumulate, pairwise
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Whole
from baserate.baselines.chance_curve import chance_by_alarms
from baserate.baselines.class_chance import class_weights, few_shares, of_draw, of_margins
from baserate.baselines.search import defined_counts
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassHypergeometric
from baserate.questions import probability_defined
from baserate.questions.several_classes import mean_weights

_LOOKS = 32  # points of a curve that are looked at together
_ROUNDS = 8  # each narrows what is open about as many times as there are looks
_SINGLY = 1_000  # cases that are put in one by one even where all gain the same


class Gains:
    """What one more case gains in a class, at some numbers of cases, from `low` up to `high`.

    `value` returns the curve at several numbers in ascending order; its gains never rise.
    """

    def __init__(self, value: Callable[[Whole], Array], low: int, high: int) -> None:
        self.value, self.low, self.high = value, low, high
        self.places, self.gains = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.after: dict[int, float] = {}
        self.size = 0.0  # of the values seen, whose rounding the gains have
        if high > low:
            self.look(low - 1 + np.geomspace(1, high - low, _LOOKS))

    def look(self, places: Array) -> None:
        """Find the gains at these numbers, rounded, of those not yet known."""
        new = np.setdiff1d(np.rint(places).astype(np.int64), self.places)
        new = new[(self.low <= new) & (new < self.high)]
        if not len(new):
            return
        points = np.union1d(new, new + 1)
        values = self.value(points)
        self.size = max(self.size, float(np.abs(values).max()))
        at = np.searchsorted(points, new)
        gains = values[at + 1] - values[at]
        self.after.update(zip(new.tolist(), gains.tolist(), strict=True))
        order = np.argsort(np.concatenate((self.places, new)))
        self.places = np.concatenate((self.places, new))[order]
        # Of straight pieces rounding may let gains rise.
        self.gains = np.minimum.accumulate(np.concatenate((self.gains, gains))[order])

    def taken(self, price: float) -> tuple[int, int]:
        """Return how many cases, at least and at most, gain more than a price."""
        more = int(np.searchsorted(-self.gains, -price))
        least = int(self.places[more - 1]) + 1 if more else self.low
        return least, int(self.places[more]) if more < len(self.places) else self.high

    def gain(self, number: int) -> float:
        """Return what one case more than so many gains; minus infinity where there is no room."""
        if number >= self.high:
            return -np.inf
        if number not in self.after:
            self.look(np.arange(number, number + _LOOKS, dtype=np.float64))
        return self.after[number]


def share_out(kinds: Mapping[int, Gains], counts: Sequence[int], n: int) -> tuple[int, ...] | None:
    """Share n cases out among classes, each of the kind named, where they gain most in all.

    None if there is no way to keep every class between its ends.
    """
    if not sum(kinds[c].low for c in counts) <= n <= sum(kinds[c].high for c in counts):
        return None
    times = dict.fromkeys(kinds, 0)
    for c in counts:
        times[c] += 1
    least, most = ({k: getattr(kinds[k], end) for k in kinds} for end in ("low", "high"))
    for _ in range(_ROUNDS):
        least, most = _narrowed(kinds, times, n)
        wide = [kind for kind in kinds if most[kind] - least[kind] > _LOOKS // 4]
        if not wide:
            break
        for kind in wide:
            kinds[kind].look(np.linspace(least[kind], most[kind] - 1, _LOOKS))
    left = n - sum(times[kind] * least[kind] for kind in kinds)
    if left > _SINGLY and _all_alike(kinds, least, most):
        return _in_proportion(counts, least, most, left)
    return _one_by_one(kinds, counts, least, n)


def _all_alike(
    kinds: Mapping[int, Gains], least: Mapping[int, int], most: Mapping[int, int]
) -> bool:
    """Whether all cases that are left gain the same, as far as rounding tells."""
    wide = [kind for kind in kinds if most[kind] > least[kind]]
    gains = [kinds[kind].gain(at) for kind in wide for at in (least[kind], most[kind] - 1)]
    return max(gains) - min(gains) <= 4 * np.spacing(max(kinds[kind].size for kind in wide))


def _in_proportion(
    counts: Sequence[int], least: Mapping[int, int], most: Mapping[int, int], left: int
) -> tuple[int, ...]:
    """Fill all classes by one share of the room that they have."""
    ends = [0, *accumulate(most[c] - least[c] for c in counts)]
    upto = [end * left // ends[-1] for end in ends]
    return tuple(least[c] + b - a for c, (a, b) in zip(counts, pairwise(upto), strict=True))


def _narrowed(
    kinds: Mapping[int, Gains], times: Mapping[int, int], n: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many cases each kind of class gets at least, and at most."""
    prices = np.unique(np.concatenate([found.gains for found in kinds.values()]))

    def in_all(price: float, end: int) -> int:
        return sum(times[kind] * found.taken(price)[end] for kind, found in kinds.items())

    high = _first(len(prices), lambda i: in_all(prices[i], 1) <= n)
    low = _first(len(prices), lambda i: in_all(prices[i], 0) < n) - 1
    dear = float(prices[high]) if high < len(prices) else np.inf
    cheap = float(prices[low]) if low >= 0 else -np.inf
    least = {kind: found.taken(dear)[0] for kind, found in kinds.items()}
    return least, {kind: found.taken(cheap)[1] for kind, found in kinds.items()}


def _first(end: int, holds: Callable[[int], bool]) -> int:
    """Return the first number from which on it holds, or `end`."""
    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _one_by_one(
    kinds: Mapping[int, Gains], counts: Sequence[int], least: Mapping[int, int], n: int
) -> tuple[int, ...]:
    shares = [least[c] for c in counts]
    heap = [(-kinds[c].gain(least[c]), place) for place, c in enumerate(counts)]
    heapify(heap)
    for _ in range(n - sum(shares)):
        place = heap[0][1]
        shares[place] += 1
        heapreplace(heap, (-kinds[counts[place]].gain(shares[place]), place))
    return tuple(shares)


Counts = tuple[int, ...]

_PROGRAMME = 10**9  # steps of the dynamic programme: some seconds
_CURVES = 2 * 10**7  # tables behind all curves
_KINDS = 1_000  # curves of which some points are looked at: some seconds
_ROUNDING = 1e-13


def best_draw(
    metric: ClassMetric, truth: Sequence[int], kept: Array | None = None
) -> tuple[float, Counts]:
    """Return the best mean of a blind draw, and one way to share the cases out that attains it.

    (nan, ()) if the metric may be undefined however one draws. Of an average that leaves classes
    out, `kept` says which ones it is over: all of these must have a value.
    """
    if metric.direction == "neither":
        rule = "must have a direction: the best guess needs a better end"
        raise InvalidArgumentError.from_rule("metric", rule, metric.name, "choose another metric")
    counts = tuple(map(int, truth))
    n = sum(counts)
    if not n:
        return nan, ()
    found = _in_one_class(metric, counts)
    if found is None and metric.part is not None and metric.kind != "micro":
        found = _of_classes(metric, metric.part, counts, kept)
    if found is None and kept is not None:
        return nan, ()
    return _of_all(metric, counts) if found is None else found


def _sign(metric: ClassMetric) -> float:
    return -1.0 if metric.direction == "lower" else 1.0


def _in_one_class(metric: ClassMetric, counts: Counts) -> tuple[float, Counts] | None:
    """Compare constant draws, where no other can be better; or any, where all are alike."""
    n, size = sum(counts), len(counts)
    if metric.weights is None and metric.chance is not None and metric.part is None:
        elsewhere = tuple(n * int(c == int(np.argmin(counts))) for c in range(size))
        for draw in (counts, elsewhere):  # all draws that have a value score the same
            value = of_margins(metric, counts, draw)
            if value is not None and not isnan(value):
                return value, draw
        return nan, ()
    if (weights := mean_weights(metric, n, size)) is None:
        return None
    means = np.array(counts, dtype=float) @ weights / n
    top = int(np.argmax(_sign(metric) * means))
    return float(means[top]), tuple(n * int(c == top) for c in range(size))


def _of_classes(
    metric: ClassMetric, part: Metric, counts: Counts, kept: Array | None
) -> tuple[float, Counts] | None:
    """Share cases out by one curve per class; None where the classes do not part."""
    weights, n = class_weights(metric, counts, kept), sum(counts)
    # Of classes of as many cases perhaps only some are averaged over.
    uneven = len({*zip(counts, weights.tolist(), strict=True)}) > len({*counts})
    if uneven or part.undefined_also is not None:
        return None
    spans = {p: defined_counts(part, p, n - p) for p, w in zip(counts, weights, strict=True) if w}
    if part.chance_shape == "affine" and all(span == ((0, n),) for span in spans.values()):
        return _in_steepest(metric, part, counts, weights)
    if metric.undefined_classes == "omit" and kept is None:
        if not all(span in ((), ((0, n),)) for span in spans.values()):
            return None
        weights = weights * [bool(spans.get(p)) for p in counts]
        weights = weights / weights.sum() if weights.any() else weights
    each = {c: spans[p] for c, (p, w) in enumerate(zip(counts, weights, strict=True)) if w}
    if not each or not all(each.values()) or sum(span[0][0] for span in each.values()) > n:
        return nan, ()
    inside = (any(low <= counts[c] <= high for low, high in span) for c, span in each.items())
    if part.chance_shape == "constant" and all(inside):
        own = kept is None
        value = of_draw(metric, counts, counts) if own else _at_draw(part, counts, weights, counts)
        return value, counts
    single = all(len(span) == 1 for span in each.values())
    concave = single and _is_concave(metric, part)
    draw = (_by_price if concave else _by_curves)(metric, part, counts, weights)
    return (nan, ()) if draw is None else (_at_draw(part, counts, weights, draw), draw)


def _is_concave(metric: ClassMetric, part: Metric) -> bool:
    """Whether all curves are known to be concave, the better end up.

    That of the Jaccard index is: of a positive and a negative put into the class, the second gains
    less, of two negatives more, of two positives the same. With r = fn, s = tn and u = tp + fn + fp
    the second difference is -2 E[r s (1 - fp/(u - 1)) / (u (u + 1))] / (m (m - 1)) over the m cases
    not in the class, and fp < u.
    """
    bent = part.chance_shape == "concave" or part.proportion == (("tp",), ("fn", "fp"))
    return part.chance_shape == "constant" or (bent and metric.direction == "higher")


def _at_draw(part: Metric, counts: Counts, weights: Array, draw: Counts) -> float:
    """Return the weighted sum of the means of all classes."""
    n, known = sum(counts), dict[tuple[int, int], float]()
    for p, k in {*zip(counts, draw, strict=True)}:
        known[p, k] = float(chance_by_alarms(part, _alarms(p, n - p, np.array([k])))[0])
    each = zip(counts, draw, weights.tolist(), strict=True)
    return float(sum(w * known[p, k] for p, k, w in each if w))


def _by_price(metric: ClassMetric, part: Metric, counts: Counts, weights: Array) -> Counts | None:
    """Share cases out by a few points of curves that are known to be concave."""
    n, kinds = sum(counts), dict(zip(counts, weights.tolist(), strict=True))
    if len(kinds) > _KINDS:
        raise UnsupportedError(
            f"The best draw for {metric.name} takes a look at {len(kinds):,} curves, more than "
            f'{_KINDS:,}: use guess="same_alarms", "proportional" or "uniform", which are quick.'
        )

    def gains(p: int, weight: float) -> Gains:
        if not weight:
            return Gains(lambda k: np.zeros(len(k)), 0, n)
        ((low, high),) = defined_counts(part, p, n - p)
        return Gains(lambda k: weight * chance_by_alarms(part, _alarms(p, n - p, k)), low, high)

    return share_out({p: gains(p, weight) for p, weight in kinds.items()}, counts, n)


def _by_curves(metric: ClassMetric, part: Metric, counts: Counts, weights: Array) -> Counts | None:
    """Share cases out by one exact curve per class."""
    n, kinds = sum(counts), {p for p, w in zip(counts, weights, strict=True) if w}
    size = sum(1 if part.affine_in_tp else min(p, n - p) + 1 for p in kinds) * (n + 1)
    if size > _CURVES:
        raise UnsupportedError(
            f"The best draw for {metric.name} takes {size:,} tables, more than {_CURVES:,}: use "
            'guess="same_alarms", "proportional" or "uniform", which are quick.'
        )
    curves = {p: _sign(metric) * _curve(part, p, n - p) for p in kinds}
    flat = np.zeros(n + 1)
    each = [w * curves[p] if w else flat for p, w in zip(counts, weights.tolist(), strict=True)]
    return _largest_gains(each, n) if all(map(_concave, each)) else _programme(metric, each, n)


def _in_steepest(
    metric: ClassMetric, part: Metric, counts: Counts, weights: Array
) -> tuple[float, Counts]:
    """Put all cases where each gains most: nothing is better for a sum of straight lines."""
    n, kinds = sum(counts), {p for p, w in zip(counts, weights, strict=True) if w}
    ends = {p: chance_by_alarms(part, _alarms(p, n - p, np.array([0, n]))) for p in kinds}
    low, high = np.array([ends.get(p, np.zeros(2)) for p in counts]).T
    gains = weights * (high - low)
    top = int(np.argmax(_sign(metric) * gains))
    draw = tuple(n * int(c == top) for c in range(len(counts)))
    return float(weights @ low + gains[top]), draw


def _alarms(p: int, q: int, k: NDArray[np.int64]) -> ConfusionMatrix:
    """Return a table for every number of cases put into the class."""
    tp = np.minimum(p, k)
    return ConfusionMatrix(tp=tp, fn=p - tp, fp=k - tp, tn=q - (k - tp))


def _curve(part: Metric, p: int, q: int) -> Array:
    """Return the mean for every number of cases put into the class; nan where it may lack one."""
    found = chance_by_alarms(part, _alarms(p, q, np.arange(p + q + 1)))
    out = np.full(p + q + 1, nan)
    for low, high in defined_counts(part, p, q):
        out[low : high + 1] = found[low : high + 1]
    return out


def _concave(curve: Array) -> bool:
    there = np.flatnonzero(~np.isnan(curve))
    if len(there) != there[-1] - there[0] + 1:
        return False
    inside = curve[there]
    return bool(np.all(np.diff(inside, 2) <= _ROUNDING * max(1e-300, float(np.abs(inside).max()))))


def _largest_gains(curves: list[Array], n: int) -> Counts | None:
    """Put every case where it gains most; gains never rise, so that the largest ones are taken."""
    inside = [curve[~np.isnan(curve)] for curve in curves]
    least = np.array([int(np.isnan(curve).argmin()) for curve in curves])
    gains = [np.minimum.accumulate(np.diff(curve)) for curve in inside]
    left = n - int(least.sum())
    if not 0 <= left <= sum(map(len, gains)):
        return None
    owner = np.repeat(np.arange(len(curves)), [len(gain) for gain in gains])
    taken = owner[np.argsort(-np.concatenate(gains), kind="stable")[:left]]
    return tuple((least + np.bincount(taken, minlength=len(curves))).tolist())


def _programme(metric: ClassMetric, curves: list[Array], n: int) -> Counts | None:
    """Find the best shares of any curves: the best of c + 1 classes from the best of c."""
    steps = len(curves) * (n + 1) ** 2
    if steps > _PROGRAMME:
        raise UnsupportedError(
            f"The best draw for {metric.name}, whose curves are not concave, takes {steps:,} steps,"
            f' more than {_PROGRAMME:,}: use guess="same_alarms", "proportional" or "uniform".'
        )
    best, choices = np.full(n + 1, -np.inf), list[NDArray[np.int64]]()
    best[0] = 0.0
    for curve in curves:
        gain, kept = np.where(np.isnan(curve), -np.inf, curve), np.full(n + 1, -np.inf)
        choice = np.zeros(n + 1, dtype=np.int64)
        for k in np.flatnonzero(np.isfinite(gain)).tolist():
            other = best[: n + 1 - k] + gain[k]
            better = other > kept[k:]
            kept[k:][better], choice[k:][better] = other[better], k
        best = kept
        choices.append(choice)
    if not np.isfinite(best[n]):
        return None
    out, left = list[int](), n
    for choice in reversed(choices):
        out.append(int(choice[left]))
        left -= out[-1]
    return tuple(reversed(out))


def _of_all(metric: ClassMetric, counts: Counts) -> tuple[float, Counts]:
    """Look at every way to share the cases out, if these are few."""
    best: tuple[float, Any] = (-np.inf, ())
    for draw in few_shares(metric, sum(counts), len(counts), "The best draw"):
        model = ClassHypergeometric(class_counts=counts, predicted_counts=draw)
        if float(probability_defined(metric, model)) > 1 - 1e-12:
            value = _sign(metric) * of_draw(metric, counts, draw)
            best = max(best, (value, draw), key=lambda pair: pair[0])
    return (nan, ()) if not best[1] else (_sign(metric) * best[0], best[1])
