"""Groups of cases of which every cell has its share: laws that stay of one kind when cells merge.

Draw n cases, each of them one of four cells. Merge cells, or fix how many cases some of them hold
together: the counts still follow a law of the same kind. So one rule, the law of a count in one of
two merged cells, gives every factor of these models.
"""

from abc import ABC, abstractmethod
from typing import Any

from baserate.counts import ConfusionMatrix
from baserate.models._cells import (
    ALL,
    NEGATIVE,
    POSITIVE,
    Cells,
    checked,
    impossible,
    summed,
    table_of,
)
from baserate.models._factors import Factor, FixedCount
from baserate.models._model import batch_size, from_margins, generator


class Group(ABC):
    """A model of tables whose cells can be merged."""

    __slots__ = ()

    n: int

    @property
    @abstractmethod
    def weights(self) -> Cells:
        """How much each of tp, fn, fp, tn weighs."""

    @abstractmethod
    def _split(self, a: Any, b: Any, size: int) -> Factor:
        """Return the law of the count in weight a of two weights, of `size` cases; a + b > 0."""

    @abstractmethod
    def draw(self, a: Any, b: Any, size: Any, shape: int, rng: Any) -> Any:
        """Draw counts from that law; `size` may be an array."""

    @property
    def fixed_n_predicted(self) -> None:
        """None: the number predicted positive varies."""
        return

    @property
    def mean(self) -> ConfusionMatrix:
        """Each cell's share of the cases."""
        total = sum(self.weights)
        return table_of(self.n * (weight / total) for weight in self.weights)

    def positives(self) -> Factor:
        """Return the law of the number of positives."""
        tp, fn, fp, tn = self.weights
        return self.split(tp + fn, fp + tn, self.n)

    def true_positives(self, n_positive: Any) -> Factor:
        """Return the law of the true positives among that many positives."""
        tp, fn, _, _ = self.weights
        return self.split(tp, fn, n_positive)

    def false_positives(self, n_negative: Any) -> Factor:
        """Return the law of the false positives among that many negatives."""
        _, _, fp, tn = self.weights
        return self.split(fp, tn, n_negative)

    def total(self, cells: frozenset[str]) -> Factor:
        """Return the law of the sum of these cells."""
        return self.part(cells, ALL, self.n)

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor:
        """Return the law of the sum of `cells`, a subset of `whole`, given that `whole` sums to size.

        Raises
        ------
        InvalidArgumentError
            An unknown cell, or a size that `whole` cannot have.
        """
        whole = checked("whole", whole)
        cells = checked("cells", cells, whole)
        inside, outside = summed(whole, self.weights), summed(ALL - whole, self.weights)
        low, high = self.split(inside, outside, self.n).support
        if not low <= size <= high:
            rule = f"must be {low}" if low == high else f"must lie between {low} and {high}"
            raise impossible("size", f"{rule}, what these cells can sum to", size)
        a = summed(cells, self.weights)
        return self.split(a, summed(whole - cells, self.weights), size)

    def split(self, a: Any, b: Any, size: Any) -> Factor:
        """Return the law of the count in weight a of two weights, of `size` cases."""
        if a + b:
            return self._split(a, b, int(size))
        if size:
            raise impossible("size", "must be 0 for cells that never occur", size)
        return FixedCount(0)

    def tower(self) -> None:
        """Return None: class totals vary."""
        return

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        return none(self.total(cells))

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        return self.total(cells).support[0] == 0

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        a, b = summed(POSITIVE, self.weights), summed(NEGATIVE, self.weights)
        return self.sample_given(self.draw(a, b, self.n, size, rng), size, rng)

    def sample_given(self, n_positive: Any, size: int, rng: Any) -> ConfusionMatrix:
        """Return random tables with these numbers of positives."""
        n_negative = self.n - n_positive
        tp, fn, fp, tn = self.weights
        hits = self.draw(tp, fn, n_positive, size, rng)
        alarms = self.draw(fp, tn, n_negative, size, rng)
        return from_margins(hits, alarms, n_positive, n_negative)


def none(factor: Any) -> float:
    """Return the probability of 0."""
    return float(factor.value == 0) if isinstance(factor, FixedCount) else factor.none
