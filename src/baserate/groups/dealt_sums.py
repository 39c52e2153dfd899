"""The law of the sum of so many numbers, dealt out at random from all: exact, or simulated."""

from math import comb, log2, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import generator
from baserate.errors import UnsupportedError

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

BUDGET = 1_000_000_000  # additions at most, a second or two
ROOM = 20_000_000  # sums that are kept at a time
FINE = 10_000  # steps of the largest number, where numbers are not whole
COARSE = 100  # and at least, where the sums of finer ones are too many
FEW = 36  # numbers that are enumerated, in two halves
FEWER = 22  # so that a smaller budget enumerates fewer
EXACT = 1 << 53  # whole numbers that floats hold
BLOCK = 4_000_000  # random numbers at a time


class DealTails(NamedTuple):
    """P(S < s), P(S = s) and P(S > s), how they were found, and their standard error."""

    below: float
    equal: float
    above: float
    route: str
    error: float = 0.0


def tails_of_deals(
    values: Array, size: int, rng: Any, n_resamples: int, *, budget: int = BUDGET
) -> DealTails:
    """Return where the sum of the first `size` values lies among the sums of any so many.

    Whole numbers are counted as such if their sums are few enough; others in steps of the largest.

    Raises
    ------
    UnsupportedError
        Too many deals, and no `rng`.

    Examples
    --------
    Of the ten pairs of five numbers one has a smaller sum than 1 + 3, and no other that one:

    >>> import numpy as np
    >>> from baserate.groups.dealt_sums import tails_of_deals
    >>> found = tails_of_deals(np.array([1.0, 3, 2, 5, 9]), 2, None, 1)
    >>> round(found.below, 9), round(found.equal, 9), round(found.above, 9), found.route
    (0.1, 0.1, 0.8, 'convolution')
    """
    steps = _whole(values)
    if steps is not None and _fits(steps, size, budget):
        return _counted(steps, size)
    if len(values) <= min(FEW, 2 * int(log2(budget)) - FEWER):
        return _enumerated(values, size)
    for fine in (FINE, COARSE):
        steps = _rounded(values, fine)
        if _fits(steps, size, budget):
            return _counted(steps, size)
    if rng is None:
        deals = comb(len(values), size)
        raise UnsupportedError(
            f"{len(values):,} clusters can be dealt out in 10^{len(str(deals)) - 1} ways, too many "
            "to count: pass rng to simulate them, with a stated error."
        )
    return _simulated(values, size, generator(rng), n_resamples)


def _whole(values: Array) -> Whole | None:
    """Return whole numbers from 0 up without a common divisor; None if values are not whole."""
    if not ((values == np.rint(values)).all() and np.abs(values).sum() < EXACT):
        return None
    steps = values.astype(np.int64)
    steps -= steps.min()
    return steps // max(int(np.gcd.reduce(steps)), 1)


def _rounded(values: Array, fine: int) -> Whole:
    apart = values - values.min()
    return np.rint(apart * (fine / (float(apart.max()) or 1.0))).astype(np.int64)


def _fits(steps: Whole, size: int, budget: int) -> bool:
    few = min(size, len(steps) - size)
    reach = few * _reach(steps, few)
    return reach <= ROOM and len(steps) * reach <= budget


def _reach(steps: Whole, few: int) -> int:
    """Return the largest sum of so many."""
    return int(np.sort(steps)[len(steps) - few :].sum()) + 1


def _counted(steps: Whole, size: int) -> DealTails:
    """Add one number after another, chosen or not, and keep the sums of so many."""
    mirrored = 2 * size > len(steps)
    few = len(steps) - size if mirrored else size
    at = int(steps[size:].sum() if mirrored else steps[:size].sum())
    law = np.zeros((few + 1, _reach(steps, few)))
    law[0, 0], chosen = 1.0, few / len(steps)
    for step in np.sort(steps).tolist():
        moved = chosen * law[:-1, : law.shape[1] - step]
        law *= 1 - chosen
        law[1:, step:] += moved
    sums = law[few] / law[few].sum()
    below, above = float(sums[:at].sum()), float(sums[:at:-1].sum())
    if mirrored:
        below, above = above, below
    return DealTails(below, float(sums[at]), above, "convolution")


def _enumerated(values: Array, size: int) -> DealTails:
    """Set every sum of one half of the numbers against those of the other."""
    half, at = len(values) // 2, float(values[:size].sum())
    tie = 1e-12 * float(np.abs(values).sum())
    (one, chosen), (other, rest) = _subsets(values[:half]), _subsets(values[half:])
    below = equal = 0
    for few in range(max(0, size - (len(values) - half)), min(half, size) + 1):
        sums = np.sort(other[rest == size - few])
        wanted = at - one[chosen == few]
        first = np.searchsorted(sums, wanted - tie, "left")
        below += int(first.sum())
        equal += int((np.searchsorted(sums, wanted + tie, "right") - first).sum())
    deals = comb(len(values), size)
    above = deals - below - equal
    return DealTails(below / deals, equal / deals, above / deals, "enumeration")


def _subsets(values: Array) -> tuple[Array, Whole]:
    """Return the sum of every subset, and how many numbers it has."""
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for value in values.tolist():
        sums, sizes = np.concatenate((sums, sums + value)), np.concatenate((sizes, sizes + 1))
    return sums, sizes


def _simulated(values: Array, size: int, rng: np.random.Generator, n: int) -> DealTails:
    """Deal out n times; the deal found is one more (Phipson and Smyth)."""
    at, tie = float(values[:size].sum()), 1e-12 * float(np.abs(values).sum())
    below, equal, block = 0, 1, max(1, BLOCK // len(values))
    for start in range(0, n, block):
        keys = rng.random((min(block, n - start), len(values)))
        sums = values[np.argpartition(keys, size - 1, axis=1)[:, :size]].sum(axis=1)
        below += int(np.count_nonzero(sums < at - tie))
        equal += int(np.count_nonzero(np.abs(sums - at) <= tie))
    less, same, more = (count / (n + 1) for count in (below, equal, n + 1 - below - equal))
    error = max(sqrt(p * (1 - p) / n) for p in (less, more))
    return DealTails(less, same, more, "simulation", error)
