"""Where a best cut jumps as the base rate changes: two maxima of the metric change places.

The rates of cuts do not depend on the base rate, so that the best of a grid of cuts costs next to
nothing anywhere. Base rates between which it passes over other cuts are halved until it passes over
none, or they are equal; there, both maxima are found in full, and where they are equal is solved.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._result import Result
from baserate.curves.populations import Rates
from baserate.errors import UnsupportedError
from baserate.metrics import Metric
from baserate.tuning.derivatives import value_of
from baserate.tuning.stationary_points import RatioRule

Maxima = Callable[[float], list[RatioRule]]

_EQUAL = 1e-9  # of neighbouring base rates, relative
_AROUND = (1e-2, 1e-3, 1e-5, 0.1)  # relative, how far the grid may be wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump(Result):
    """A base rate at which two cuts are equally good, one below it and the other above.

    Attributes
    ----------
    base_rate : float
    before, after : BayesThreshold
        The best cut below and above this base rate, both at it.
    """

    base_rate: float
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Jumping:
    """A metric along cuts of rising density ratio; `maxima` finds the best ones in full."""

    metric: Metric
    ratios: Array
    cuts: Rates
    maxima: Maxima
    told: Callable[[RatioRule, float], Any]

    def between(self, base_rates: Array) -> tuple[Jump, ...]:
        """Return the jumps between the least and the largest of some base rates."""
        rising = [(float(pi), self._best(float(pi))) for pi in np.unique(base_rates)]
        found = [self._solved(*at) for ends in pairwise(rising) for at in self._leaps(*ends)]
        return tuple(jump for jump in found if jump is not None)

    def _values(self, base_rate: float) -> Array:
        values = value_of(self.metric, self.cuts, base_rate)
        return np.where(np.isnan(values), -np.inf, values)

    def _best(self, base_rate: float) -> int:
        return int(np.argmax(self._values(base_rate)))

    def _leaps(self, low: tuple[float, int], high: tuple[float, int]) -> Iterator[Any]:
        """Yield base rates at which the best cut of the grid passes over others, and the two."""
        (a, i), (b, j) = low, high
        if abs(i - j) <= 1:
            return
        if b - a <= _EQUAL * min(a, 1 - b):
            yield (a + b) / 2, min(i, j), max(i, j)
            return
        half = float(np.sqrt(a * b)) if b < 0.5 else (a + b) / 2
        middle = half, self._best(half)
        yield from self._leaps(low, middle)
        yield from self._leaps(middle, high)

    def _solved(self, near: float, i: int, j: int) -> Jump | None:
        """Return where the maxima on both sides of the worst cut between them are equal."""
        from scipy.optimize import brentq

        lowest = i + int(np.argmin(self._values(near)[i : j + 1]))
        if lowest in {i, j}:  # it only moves fast
            return None

        @cache
        def sides(base_rate: float) -> list[RatioRule | None]:
            try:
                rules = self.maxima(base_rate)
            except UnsupportedError:
                return [None, None]
            above = [rule.ratio > self.ratios[lowest] for rule in rules]
            parts = (
                [r for r, up in zip(rules, above, strict=True) if up == side] for side in (0, 1)
            )
            return [max(part, key=lambda rule: rule.value, default=None) for part in parts]

        def lead(base_rate: float) -> float:
            low, high = sides(base_rate)
            return np.nan if low is None or high is None else low.value - high.value

        for width in _AROUND:
            a, b = near * (1 - width), near + (1 - near) * near * width
            if (first := lead(a)) * lead(b) < 0:
                at: Any = brentq(lead, a, b, xtol=1e-12 * near)
                ends = sides(at) if first > 0 else sides(at)[::-1]
                before, after = (self.told(rule, at) for rule in ends if rule is not None)
                return Jump(base_rate=at, before=before, after=after)
        return None


def jump_column(jumps: Sequence[Jump], base_rates: Any) -> Array:
    """Return for each base rate where the cut jumped since the next lower one; nan if it did not.

    Examples
    --------
    >>> from baserate.tuning.jumps import Jump, jump_column
    >>> jump_column([Jump(base_rate=0.07, before=None, after=None)], [0.06, 0.08]).tolist()
    [nan, 0.07]
    """
    every = np.atleast_1d(np.asarray(base_rates, dtype=float))
    order, column = np.argsort(every), np.full(every.shape, np.nan)
    for jump in jumps:
        column[order[np.searchsorted(every[order], jump.base_rate)]] = jump.base_rate
    return column
