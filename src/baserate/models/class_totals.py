"""Class totals fixed, and independent predictions in both classes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from baserate._checks import DRAWS, generator, number_in, whole_number
from baserate.counts import ConfusionMatrix, of_four
from baserate.errors import InvalidArgumentError
from baserate.models.factors import BinomialCount, Factor, FixedCount, HypergeometricCount
from baserate.models.model import (
    ALL,
    CAN_SUM,
    FLAGGED,
    NEGATIVE,
    POSITIVE,
    checked,
    countable,
    from_margins,
    within,
)
from baserate.models.multinomial import Mergeable


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BinomialPair(ClassTotals):
    """Tables of a classifier with these rates on a test set with these class totals.

    tp ~ Binomial(n_positive, recall) and fp ~ Binomial(n_negative, false_positive_rate),
    independent. With equal rates it is random guessing: a Binomial(n, rate) mixture over the number
    predicted positive of `Hypergeometric` tables.

    Parameters
    ----------
    n_positive, n_negative : int
        Class totals, below 2^53 together.
    recall, false_positive_rate : float in [0, 1]

    Raises
    ------
    InvalidArgumentError
        A count is not a whole number, there are too many cases, or a rate lies outside [0, 1].

    Examples
    --------
    >>> from baserate.models import BinomialPair
    >>> BinomialPair(n_positive=40, n_negative=60, recall=0.5, false_positive_rate=0.25).mean
    ConfusionMatrix(tp=20.0, fn=20.0, fp=15.0, tn=45.0)
    """

    n_positive: int
    n_negative: int
    recall: float
    false_positive_rate: float

    def __post_init__(self) -> None:
        for name in ("n_positive", "n_negative"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        for name in ("recall", "false_positive_rate"):
            rate = number_in(name, getattr(self, name), "[0, 1]", "pass a rate")
            object.__setattr__(self, name, rate)
        countable("n_positive + n_negative", self.n)

    @property
    def mean(self) -> ConfusionMatrix:
        """Class totals times rates."""
        r, f = self.recall, self.false_positive_rate
        p, q = self.n_positive, self.n_negative
        return ConfusionMatrix(tp=p * r, fn=p * (1 - r), fp=q * f, tn=q * (1 - f))

    def true_positives(self, n_positive: int) -> BinomialCount:
        """Return the law of the true positives."""
        return BinomialCount(n_positive, self.recall)

    def false_positives(self, n_negative: int) -> BinomialCount:
        """Return the law of the false positives."""
        return BinomialCount(n_negative, self.false_positive_rate)

    def cell(self, name: str) -> BinomialCount:
        """Return the law of one cell."""
        positive, flagged = name in POSITIVE, name in FLAGGED
        p = self.recall if positive else self.false_positive_rate
        n = self.n_positive if positive else self.n_negative
        return BinomialCount(n, p) if flagged else BinomialCount(n, 1 - p, p)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
        tp = rng.binomial(self.n_positive, self.recall, size)
        fp = rng.binomial(self.n_negative, self.false_positive_rate, size)
        return from_margins(tp, fp, self.n_positive, self.n_negative)


@dataclass(frozen=True, slots=True)
class GivenClasses(ClassTotals):
    """The tables of a group model that have this number of positives.

    tp given the positives and fp given the negatives keep their laws and are independent. From
    `Multinomial` this makes `BinomialPair`, from `DirichletMultinomial` a pair of beta-binomials,
    from `MultivariateHypergeometric` two independent draws without replacement.

    Parameters
    ----------
    parent : Multinomial, DirichletMultinomial, MultivariateHypergeometric or UniformTables
    n_positive : int
        Positives in every table; the other cases are negative.

    Raises
    ------
    InvalidArgumentError
        `parent` is another model, or cannot have this number of positives.

    Examples
    --------
    >>> from baserate.models import GivenClasses
    >>> from baserate.models import Multinomial
    >>> whole = Multinomial(n=100, cells=(0.35, 0.05, 0.1, 0.5))
    >>> GivenClasses(whole, n_positive=40).mean
    ConfusionMatrix(tp=35.0, fn=5.0, fp=10.0, tn=50.0)
    """

    parent: Any
    n_positive: int = field(kw_only=True)
    n_negative: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.parent, Mergeable):
            rule = "must be a group model, such as Multinomial or DirichletMultinomial"
            remedy = "all others have their class totals fixed"
            raise InvalidArgumentError.from_rule("parent", rule, self.parent, remedy)
        n_positive = whole_number("n_positive", self.n_positive)
        within("n_positive", n_positive, self.parent.positives().support, "as `parent` can have")
        object.__setattr__(self, "n_positive", n_positive)
        object.__setattr__(self, "n_negative", self.parent.n - n_positive)

    @property
    def mean(self) -> ConfusionMatrix:
        """Each class total shared out like the parent's cells."""
        tp, fn, fp, tn = self.parent.weights
        positive, negative = (tp + fn) or 1, (fp + tn) or 1
        p, q = self.n_positive, self.n_negative
        return of_four((p * tp / positive, p * fn / positive, q * fp / negative, q * tn / negative))

    def true_positives(self, n_positive: int) -> Factor:
        """Return the law of the true positives."""
        return self.parent.true_positives(n_positive)

    def false_positives(self, n_negative: int) -> Factor:
        """Return the law of the false positives."""
        return self.parent.false_positives(n_negative)

    def cell(self, name: str) -> Factor:
        """Return the law of one cell."""
        if name in POSITIVE:
            return self.parent.known_part(frozenset({name}), POSITIVE, self.n_positive)
        return self.parent.known_part(frozenset({name}), NEGATIVE, self.n_negative)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
        return self.parent.sample_given(self.n_positive, size, rng)


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
