"""Sums of probabilities on both sides of thresholds, each side summed from its own end."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate._windows import Array
from baserate.questions._urns import Ints, Windows

# A tail below this is computed again from windows that reach down to 1e-300.
FAINT = 1e-10


class Sides(NamedTuple):
    """Probability of being defined and below x, at x, and above x."""

    below: float
    equal: float
    above: float

    @classmethod
    def along(cls, masses: Iterable[float], *, rising: bool) -> "Sides":
        """Return the masses before, at and past x on lines that rise, or fall."""
        before, equal, past = masses
        return cls(before, equal, past) if rising else cls(past, equal, before)

    def has_more(self, most: "Sides") -> bool:
        """Return whether a faint mass is not all of it, from the most that any part of it has."""
        return any(mass < FAINT and top > 0 for mass, top in zip(self, most, strict=True))

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
