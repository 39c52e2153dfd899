"""Total ignorance: every table of n cases alike."""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from baserate._checks import DRAWS, generator, whole_number
from baserate.counts import CELLS, ConfusionMatrix
from baserate.models.factors import BetaBinomialCount, Factor, FixedCount
from baserate.models.model import CAN_SUM, checked, countable, within


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
    >>> from baserate.models import UniformTables
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

    def positives(self) -> BetaBinomialCount:
        """Return the law of the number of positives: (P + 1)(N + 1) / C(n + 3, 3)."""
        return BetaBinomialCount(self.n, 2, 2)

    def true_positives(self, n_positive: int) -> BetaBinomialCount:
        """Return the law of the true positives among that many positives."""
        return BetaBinomialCount(n_positive, 1, 1)

    def false_positives(self, n_negative: int) -> BetaBinomialCount:
        """Return the law of the false positives among that many negatives."""
        return BetaBinomialCount(n_negative, 1, 1)

    def total(self, cells: frozenset[str]) -> BetaBinomialCount:
        """Return the law of the sum of these cells: this is a Dirichlet-multinomial of ones."""
        checked("cells", cells)
        return BetaBinomialCount(self.n, len(cells), 4 - len(cells))

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor:
        """Return the law of the sum of `cells`, a subset of `whole`, given that of `whole`."""
        checked("whole", whole)
        checked("cells", cells, whole)
        within("size", whole_number("size", size), self.total(whole).support, CAN_SUM)
        if not whole:
            return FixedCount(0)
        return BetaBinomialCount(size, len(cells), len(whole - cells))

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
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
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
