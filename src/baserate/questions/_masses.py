"""Sums of probabilities on both sides of thresholds, each side summed from its own end."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate._windows import Array
from baserate.questions._urns import Ints, Windows


class Sides(NamedTuple):
    """Probability of being defined and below x, at x, and above x; and of not being defined.

    The last is not looked at where sums of counts say all about it.
    """

    below: float
    equal: float
    above: float
    undefined: float = 0.0

    @classmethod
    def along(cls, masses: Iterable[float], *, rising: bool, undefined: float = 0.0) -> "Sides":
        """Return the masses before, at and past x on lines that rise, or fall."""
        before, equal, past = masses
        ends = (before, equal, past) if rising else (past, equal, before)
        return cls(*ends, undefined)

    @property
    def defined(self) -> float:
        """Probability of being defined."""
        return self.below + self.equal + self.above


@dataclass(frozen=True, slots=True)
class Masses:
    """Sums of windows up to, and from, every value on."""

    up: Array
    down: Array
    offset: Ints

    @classmethod
    def of(cls, windows: Windows) -> "Masses":
        """Sum the windows both ways."""
        n, width = windows.pmf.shape
        up, down = np.zeros((2, n, width + 1))
        np.cumsum(windows.pmf, axis=1, out=up[:, 1:])
        np.cumsum(windows.pmf[:, ::-1], axis=1, out=down[:, -2::-1])
        return cls(up.ravel(), down.ravel(), np.arange(n) * (width + 1) - windows.start)

    def parted(
        self, row: Ints, start: Array, low: Array, past: Array, stop: Array
    ) -> tuple[Array, Array, Array]:
        """Return the masses from `start` to `low`, to `past`, to `stop`, in these rows.

        The ends must lie within the windows, or just behind.
        """
        base = self.offset[row]
        at = [base + edge.astype(np.int64) for edge in (start, low, past, stop)]
        equal = np.zeros(len(base))
        tied = np.flatnonzero(low < past)
        if tied.size:
            equal[tied] = self._between(at[1][tied], at[2][tied])
        up, down = self.up, self.down
        return up[at[1]] - up[at[0]], equal, down[at[2]] - down[at[3]]

    def _between(self, low: Ints, high: Ints) -> Array:
        """Subtract on the side where there is less."""
        up, down = self.up, self.down
        return np.where(up[high] < down[low], up[high] - up[low], down[low] - down[high])
