"""Total ignorance: every table of n cases alike."""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from baserate._checks import whole_number
from baserate._windows import DEPTH, Nodes, Window
from baserate.counts import CELLS, ConfusionMatrix
from baserate.models._factors import UniformCount
from baserate.models._model import batch_size, countable, generator


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformTables:
    """Every table of n cases with the same probability, 1 / C(n + 3, 3).

    Parameters
    ----------
    n : int
        Cases in every table, below 2^53.

    Raises
    ------
    InvalidArgumentError
        n is not a whole number, or too large.

    Examples
    --------
    >>> UniformTables(n=8).n_tables
    165
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        countable("n", self.n)

    @property
    def fixed_n_predicted(self) -> None:
        """None: the number predicted positive varies."""
        return

    @property
    def n_tables(self) -> int:
        """C(n + 3, 3)."""
        return comb(self.n + 3, 3)

    @property
    def mean(self) -> ConfusionMatrix:
        """A quarter of the cases in each cell."""
        return ConfusionMatrix(**dict.fromkeys(CELLS, self.n / 4))

    def positives(self) -> "PositivesOfUniformTables":
        """Return the law of the number of positives: (P + 1)(N + 1) / C(n + 3, 3)."""
        return PositivesOfUniformTables(self.n)

    def true_positives(self, n_positive: int) -> UniformCount:
        """Return the law of the true positives among that many positives."""
        return UniformCount(n_positive)

    def false_positives(self, n_negative: int) -> UniformCount:
        """Return the law of the false positives among that many negatives."""
        return UniformCount(n_negative)

    def tower(self) -> None:
        """Return None: given the number predicted positive, tables are not hypergeometric."""
        return

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the share of tables in which all of these cells are zero."""
        free = 4 - len(cells)
        left = comb(self.n + free - 1, free - 1) if free else int(self.n == 0)
        return left / self.n_tables

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero."""
        return len(cells) < 4 or self.n == 0

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        a, b, c = _three_of(self.n + 3, size, rng)
        return ConfusionMatrix(tp=a, fn=b - a - 1, fp=c - b - 1, tn=self.n + 2 - c)


def _three_of(n: int, size: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Draw three of the numbers below n without replacement, ascending: every set alike.

    Each number is drawn from as many as are left, and steps over those drawn before it. Three
    dividers among n places part the others into four counts, every table of n - 3 cases alike.
    """
    a, b, c = (rng.integers(0, n - i, size) for i in range(3))
    b += b >= a
    low, high = np.minimum(a, b), np.maximum(a, b)
    c += c >= low
    c += c >= high
    return np.minimum(low, c), np.clip(c, low, high), np.maximum(high, c)


@dataclass(frozen=True, slots=True)
class PositivesOfUniformTables:
    """The law of the number of positives in a uniform table: (P + 1)(N + 1) / C(n + 3, 3)."""

    n: int

    @property
    def support(self) -> tuple[int, int]:
        """0 to n."""
        return 0, self.n

    def span(self, *, depth: float = DEPTH) -> tuple[int, int]:  # noqa: ARG002 (Factor's signature)
        """Return 0 and n."""
        return self.support

    def window(self, *, depth: float = DEPTH) -> Window:  # noqa: ARG002 (Factor's signature)
        """Return all values."""
        p = np.arange(self.n + 1, dtype=np.float64)
        weights = (p + 1) * (self.n - p + 1)
        return Window(0, weights / weights.sum())

    def rules(self) -> tuple[Nodes, Nodes]:
        """Return all values."""
        window = self.window()
        nodes = Nodes(window.values, window.pmf)
        return nodes, nodes

    def n_nodes(self) -> int:
        """Return n + 1."""
        return self.n + 1
