"""A group of independent cases, each with the same four chances."""

from dataclasses import dataclass
from math import comb
from typing import Any

from baserate._checks import whole_number
from baserate.models._cells import Cells, four_numbers
from baserate.models._factors import BinomialCount
from baserate.models._group import Group
from baserate.models._model import countable


@dataclass(frozen=True, slots=True, kw_only=True)
class Multinomial(Group):
    """Tables of n independent cases that fall into the four cells with the given chances.

    P(table) = n! / (tp! fn! fp! tn!) c_tp^tp c_fn^fn c_fp^fp c_tn^tn. So the positives are
    Binomial(n, c_tp + c_fn), and given them tp and fp are independent binomials. It is also the law
    of the bootstrap.

    Parameters
    ----------
    n : int
        Cases in every table, below 2^53.
    cells : ConfusionMatrix, or (tp, fn, fp, tn)
        Counts of a reference, or chances; only their proportions matter, and afterwards they sum to
        one. A zero makes its cell impossible.

    Raises
    ------
    InvalidArgumentError
        n is not a whole number or too large; a cell is negative or not finite, or all are zero.

    See Also
    --------
    DirichletMultinomial : the reference itself is uncertain.
    MultivariateHypergeometric : cases drawn without replacement.

    References
    ----------
    Briscoe, Kepler, DeFord, Gebremedhin (2025), Algorithmic Accountability in Small Data, AISTATS.

    Examples
    --------
    Where the reference is right in three cases of four, a group of 100 scores an accuracy of at
    most 0.80 with probability 0.90 (the worked example of Briscoe et al.):

    >>> import baserate as br
    >>> m = Multinomial(n=100, cells=(0.5, 0.15, 0.1, 0.25))
    >>> round(float(br.cdf("accuracy", m, 0.8)), 4)
    0.9005
    """

    n: int
    cells: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        countable("n", self.n)
        cells = tuple(float(cell) for cell in four_numbers("cells", self.cells))
        total = sum(cells)
        object.__setattr__(self, "cells", tuple(cell / total for cell in cells))

    @property
    def weights(self) -> Cells:
        """The chances of tp, fn, fp, tn."""
        return self.cells

    @property
    def n_tables(self) -> int:
        """C(n + 3, 3), or fewer where cells are impossible."""
        free = sum(map(bool, self.weights)) - 1
        return comb(self.n + free, free)

    def _law(self, a: float, b: float, size: int) -> BinomialCount:
        return BinomialCount(size, a / (a + b), b / (a + b))

    def _draw(self, a: float, b: float, size: Any, shape: int, rng: Any) -> Any:
        return rng.binomial(size, a / (a + b) if a else 0.0, shape)
