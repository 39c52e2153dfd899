"""A group whose own class totals are known: only its predictions vary."""

from dataclasses import dataclass, field
from typing import Any

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models._cells import NEGATIVE, POSITIVE, table_of, within
from baserate.models._class_totals import ClassTotals
from baserate.models._factors import Factor
from baserate.models._group import Group
from baserate.models._model import batch_size, generator


@dataclass(frozen=True, slots=True)
class GivenClasses(ClassTotals):
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
    n_negative: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.parent, Group):
            rule = "must be Multinomial, DirichletMultinomial or MultivariateHypergeometric"
            remedy = "other models have their class totals fixed, or no reference"
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
        return table_of(
            (p * tp / positive, p * fn / positive, q * fp / negative, q * tn / negative)
        )

    def true_positives(self, n_positive: int) -> Factor:
        """Return the law of the true positives."""
        return self.parent.true_positives(n_positive)

    def false_positives(self, n_negative: int) -> Factor:
        """Return the law of the false positives."""
        return self.parent.false_positives(n_negative)

    def cell(self, name: str) -> Factor:
        """Return the law of one cell."""
        if name in POSITIVE:
            return self.parent.part(frozenset({name}), POSITIVE, self.n_positive)
        return self.parent.part(frozenset({name}), NEGATIVE, self.n_negative)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        return self.parent.sample_given(self.n_positive, size, rng)
