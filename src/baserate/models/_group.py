"""Groups of cases of which every cell has its share: laws that stay of one kind when cells merge.

Draw n cases, each of them one of four cells. Merge cells, or fix how many cases some of them hold
together: the counts still follow a law of the same kind. So one rule, the law of a count in one of
two merged cells, gives every factor of these models.
"""

from abc import ABC, abstractmethod
from typing import Any

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
from baserate.models._cells import (
    ALL,
    CAN_SUM,
    NEGATIVE,
    POSITIVE,
    Cells,
    checked,
    summed,
    table_of,
    within,
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
    def _law(self, a: Any, b: Any, size: int) -> Factor:
        """Return the law of the count in weight a of two weights, of `size` cases; a + b > 0."""

    @abstractmethod
    def _draw(self, a: Any, b: Any, size: Any, shape: int, rng: Any) -> Any:
        """Draw counts from that law; `size` may be an array."""

    @property
    def fixed_n_predicted(self) -> None:
        """None: the number predicted positive varies."""
        return

    @property
    def mean(self) -> ConfusionMatrix:
        """Each cell's share of the cases."""
        total = sum(self.weights)
        return table_of(self.n * weight / total for weight in self.weights)

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
        """Return the law of the sum of `cells`, a subset of `whole`, given the sum of `whole`.

        Raises
        ------
        InvalidArgumentError
            An unknown cell, or a size that `whole` cannot have.
        """
        checked("whole", whole)
        checked("cells", cells, whole)
        within("size", whole_number("size", size), self._ends(whole), CAN_SUM)
        inside = summed(cells, self.weights)
        return self.split(inside, summed(whole - cells, self.weights), size)

    def split(self, a: Any, b: Any, size: Any) -> Factor:
        """Return the law of the count in weight a of two weights, of `size` cases."""
        if a + b:
            return self._law(a, b, int(size))
        within("size", size, (0, 0), "since these cells never occur")
        return FixedCount(0)

    def tower(self) -> None:
        """Return None: class totals vary."""
        return

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        return self.total(cells).none

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        return self._ends(cells)[0] == 0

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        a, b = summed(POSITIVE, self.weights), summed(NEGATIVE, self.weights)
        return self.sample_given(self._draw(a, b, self.n, size, rng), size, rng)

    def _ends(self, cells: frozenset[str]) -> tuple[int, int]:
        """Return the least and the greatest sum of these cells."""
        inside, outside = summed(cells, self.weights), summed(ALL - cells, self.weights)
        return self.split(inside, outside, self.n).support

    def sample_given(self, n_positive: Any, size: int, rng: Any) -> ConfusionMatrix:
        """Return random tables with these numbers of positives."""
        n_negative = self.n - n_positive
        tp, fn, fp, tn = self.weights
        hits = self._draw(tp, fn, n_positive, size, rng)
        alarms = self._draw(fp, tn, n_negative, size, rng)
        return from_margins(hits, alarms, n_positive, n_negative)
