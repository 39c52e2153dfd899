"""Cases shared out among many concave curves, of which only a few points are looked at.

The best shares put one case after the other where it gains most. Where all curves are concave, a
price decides: every class takes the cases that gain more. Coarse looks at the curves bound the
price, and with it how many cases each class gets at least; only the last ones are put in singly.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heapreplace
from itertools import accumulate, pairwise

import numpy as np

from baserate._arrays import Array, Whole

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
