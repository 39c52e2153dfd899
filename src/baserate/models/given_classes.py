"""A group whose own class totals are known: only its predictions vary."""

from dataclasses import dataclass, field
from typing import Any

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models._cells import checked, impossible, table_of
from baserate.models._factors import BinomialCount, Factor, FixedCount
from baserate.models._group import Group, none
from baserate.models._model import batch_size, generator


@dataclass(frozen=True, slots=True)
class GivenClasses:
    """The tables of a group model that have this number of positives.

    tp given the positives and fp given the negatives keep their laws and are independent. From
    `Multinomial` this makes `BinomialPair`, from `DirichletMultinomial` a pair of beta-binomials,
    from `MultivariateHypergeometric` two independent draws without replacement.

    Parameters
    ----------
    parent : Multinomial, DirichletMultinomial or MultivariateHypergeometric
    n_positive : int
        Positives in every table; the other cases are negative.

    Raises
    ------
    InvalidArgumentError
        `parent` is another model, or cannot have this number of positives.

    Examples
    --------
    >>> from baserate.models import Multinomial
    >>> whole = Multinomial(n=100, cells=(0.35, 0.05, 0.1, 0.5))
    >>> GivenClasses(whole, n_positive=40).mean
    ConfusionMatrix(tp=35.0, fn=5.0, fp=10.0, tn=50.0)
    """

    parent: Any
    n_positive: int = field(kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.parent, Group):
            rule = "must be Multinomial, DirichletMultinomial or MultivariateHypergeometric"
            remedy = "other models have their class totals fixed, or no reference"
            raise InvalidArgumentError.from_rule("parent", rule, self.parent, remedy)
        n_positive = whole_number("n_positive", self.n_positive)
        low, high = self.parent.positives().support
        if not low <= n_positive <= high:
            rule = f"must lie between {low} and {high}, the positives that parent can have"
            raise impossible("n_positive", rule, n_positive)
        object.__setattr__(self, "n_positive", n_positive)

    @property
    def n(self) -> int:
        """Cases in every table."""
        return self.parent.n

    @property
    def n_negative(self) -> int:
        """Negatives in every table."""
        return self.parent.n - self.n_positive

    @property
    def fixed_n_predicted(self) -> None:
        """None: the number predicted positive varies."""
        return

    @property
    def n_tables(self) -> int:
        """Tables that are possible."""
        tp, fp = self._tp.support, self._fp.support
        return (tp[1] - tp[0] + 1) * (fp[1] - fp[0] + 1)

    @property
    def mean(self) -> ConfusionMatrix:
        """Each class total shared out like the parent's cells."""
        tp, fn, fp, tn = self.parent.weights
        positive, negative = (tp + fn) or 1, (fp + tn) or 1
        p, q = self.n_positive, self.n_negative
        return table_of(
            (p * (tp / positive), p * (fn / positive), q * (fp / negative), q * (tn / negative))
        )

    def positives(self) -> FixedCount:
        """Return the law of the number of positives."""
        return FixedCount(self.n_positive)

    def true_positives(self, n_positive: Any) -> Factor:
        """Return the law of the true positives."""
        return self.parent.true_positives(n_positive)

    def false_positives(self, n_negative: Any) -> Factor:
        """Return the law of the false positives."""
        return self.parent.false_positives(n_negative)

    def total(self, cells: frozenset[str]) -> Factor | None:
        """Return the law of the sum of these cells, or None where it is no single factor."""
        cells = checked("cells", cells)
        return None

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor | None:
        """Return the law of the sum of `cells` given that `whole` sums to size, or None."""
        return None

    def tower(self) -> BinomialCount | None:
        """Return the law of n_predicted where both classes are flagged with one known chance."""
        tp, fp = self._tp, self._fp
        if isinstance(tp, BinomialCount) and isinstance(fp, BinomialCount) and tp.p == fp.p:
            return BinomialCount(self.n, tp.p)
        return None

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        return none(self._positive_cells(cells)) * none(self._negative_cells(cells))

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        parts = self._positive_cells(cells), self._negative_cells(cells)
        return all(part.support[0] == 0 for part in parts)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        return self.parent.sample_given(self.n_positive, size, rng)

    @property
    def _tp(self) -> Factor:
        return self.true_positives(self.n_positive)

    @property
    def _fp(self) -> Factor:
        return self.false_positives(self.n_negative)

    def _positive_cells(self, cells: frozenset[str]) -> Factor:
        return self.parent.part(cells & {"tp", "fn"}, frozenset({"tp", "fn"}), self.n_positive)

    def _negative_cells(self, cells: frozenset[str]) -> Factor:
        return self.parent.part(cells & {"fp", "tn"}, frozenset({"fp", "tn"}), self.n_negative)
