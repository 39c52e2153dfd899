"""Lines of tables along which one cell gives to another, and the metric moves one way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._windows import Array
from baserate.questions._law import Law
from baserate.questions._ties import Cut

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines of tables: at position t, t cases lie in the gaining cell and the rest in the losing.

    Attributes
    ----------
    law : Law
    gaining, losing : int
        Which two of the four cells move.
    total : array
        Cases in both.
    still : (array, array)
        The other two cells, in their order.
    start, stop : arrays
        The metric is defined, and matters, from `start` to before `stop`.
    rising : bool
        Whether the metric rises along the lines; else it falls.
    """

    law: Law
    gaining: int
    losing: int
    total: Array
    still: tuple[Array, Array]
    start: Array
    stop: Array
    rising: bool

    def __getitem__(self, which: Any) -> "Lines":
        """Return some of the lines."""
        first, second = self.still
        return replace(
            self,
            total=self.total[which],
            still=(first[which], second[which]),
            start=self.start[which],
            stop=self.stop[which],
        )

    def where_defined(self) -> "Lines":
        """Narrow each line to where the metric has a value: it may lack one at the ends, or all."""
        ends = (np.zeros_like(self.total), self.total, self.total / 2)
        no_start, no_end, never = (np.isnan(self.values(t)) for t in ends)
        start = np.maximum(self.start, no_start)
        stop = np.minimum(self.stop, self.total + 1 - no_end)
        stop = np.where(never & (self.total >= 2), start, stop)
        return replace(self, start=start, stop=np.maximum(start, stop))

    def cells(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """Return the tables at one position of each line."""
        still = iter(self.still)
        moving = {self.gaining: t, self.losing: self.total - t}
        tp, fn, fp, tn = (moving[i] if i in moving else next(still) for i in range(4))
        return tp, fn, fp, tn

    def values(self, t: Array) -> Array:
        """Return the metric at one position of each line."""
        return self.law.value(*self.cells(t))

    def sides(self, cut: Cut, t: Array) -> tuple[Mask, Mask]:
        """Return where the metric at these positions comes before x, and where it is past x."""
        cells = self.cells(np.minimum(np.maximum(t, 0), self.total))
        below, above = cut.sides(self.law.value(*cells), cells)
        return (below, above) if self.rising else (above, below)


def listed(begin: Any, end: Any) -> tuple[NDArray[np.int64], Array]:
    """Return all positions from `begin` to before `end`: their lines, and they themselves."""
    number = np.maximum(end - begin, 0).astype(np.int64)
    line = np.repeat(np.arange(len(number)), number)
    first = np.repeat(begin - (np.cumsum(number) - number), number)
    return line, (first + np.arange(len(line))).astype(np.float64)
