"""Fixed class totals with independent predictions in both classes."""

from abc import ABC, abstractmethod

from baserate._checks import whole_number
from baserate.models._cells import ALL, CAN_SUM, NEGATIVE, POSITIVE, checked, within
from baserate.models._factors import BinomialCount, Factor, FixedCount, HypergeometricCount


class ClassTotals(ABC):
    """A model of tables with fixed class totals, in which tp and fp are independent."""

    __slots__ = ()

    n_positive: int
    n_negative: int

    @abstractmethod
    def cell(self, name: str) -> Factor:
        """Return the law of one cell."""

    @property
    def n(self) -> int:
        """Cases in every table."""
        return self.n_positive + self.n_negative

    @property
    def fixed_n_predicted(self) -> None:
        """None: the number predicted positive varies."""
        return

    @property
    def n_tables(self) -> int:
        """Tables that are possible."""
        tp, fp = self.cell("tp").support, self.cell("fp").support
        return (tp[1] - tp[0] + 1) * (fp[1] - fp[0] + 1)

    def positives(self) -> FixedCount:
        """Return the law of the number of positives."""
        return FixedCount(self.n_positive)

    def tower(self) -> BinomialCount | None:
        """Return the law of n_predicted where both classes are flagged with the same known chance.

        Given n_predicted, the table is then `Hypergeometric`, whatever the chance.
        """
        return _merged(self.cell("tp"), self.cell("fp"))

    def total(self, cells: frozenset[str]) -> Factor | None:
        """Return the law of the sum of these cells, or None where it is no single factor."""
        checked("cells", cells)
        return _added(*self._halves(cells))

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor | None:
        """Return the law of the sum of `cells`, a subset of `whole`, given the sum of `whole`.

        None where it is no single factor.
        """
        checked("whole", whole)
        checked("cells", cells, whole)
        size = whole_number("size", size)
        within("size", size, self._ends(whole), CAN_SUM)
        if not cells:
            return FixedCount(0)
        if cells == whole:
            return FixedCount(size)
        if whole in {POSITIVE, NEGATIVE, ALL}:
            return self.total(cells)
        merged = _merged(*self._halves(whole)) if len(whole) == 2 else None
        return None if merged is None else self._blind(cells, size)

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        positive, negative = self._halves(cells)
        return positive.none * negative.none

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        return self._ends(cells)[0] == 0

    def _blind(self, cells: frozenset[str], size: int) -> HypergeometricCount:
        """Return the law of one of two cells of the same chance, given their sum."""
        mine, other = self.n_positive, self.n_negative
        if cells <= NEGATIVE:
            mine, other = other, mine
        return HypergeometricCount(mine, other, size)

    def _halves(self, cells: frozenset[str]) -> tuple[Factor, Factor]:
        """Return the laws of what these cells sum to in each class."""
        classes = (POSITIVE, self.n_positive), (NEGATIVE, self.n_negative)
        first, second = (self._half(cells & own, size) for own, size in classes)
        return first, second

    def _half(self, cells: frozenset[str], size: int) -> Factor:
        if len(cells) == 1:
            return self.cell(*cells)
        return FixedCount(size if cells else 0)

    def _ends(self, cells: frozenset[str]) -> tuple[int, int]:
        first, second = (half.support for half in self._halves(cells))
        return first[0] + second[0], first[1] + second[1]


def _added(a: Factor, b: Factor) -> Factor | None:
    """Return the law of the sum of two independent counts where it is a factor."""
    if isinstance(a, FixedCount) and isinstance(b, FixedCount):
        return FixedCount(a.value + b.value)
    for count, other in ((a, b), (b, a)):
        if isinstance(other, FixedCount) and other.value == 0:
            return count
    return _merged(a, b)


def _merged(a: Factor, b: Factor) -> BinomialCount | None:
    """Return the sum of two binomial counts of the same chance."""
    if not (isinstance(a, BinomialCount) and isinstance(b, BinomialCount)):
        return None
    return BinomialCount(a.n + b.n, a.p, a.complement) if a.p == b.p and a.q == b.q else None
