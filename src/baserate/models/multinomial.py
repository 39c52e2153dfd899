"""A group of independent cases, each with the same four chances."""

from dataclasses import dataclass
from math import comb
from typing import Any

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
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
    Twenty defendants like the Black defendants in COMPAS (Briscoe et al.) hold two positives or
    fewer in more than two samples of three:

    >>> m = Multinomial(n=20, cells=ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692))
    >>> round(float(m.positives().window().pmf[:3].sum()), 3)
    0.434
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
        return _tables(self.n, self.weights)

    def _split(self, a: float, b: float, size: int) -> BinomialCount:
        return BinomialCount(size, a / (a + b))

    def draw(self, a: float, b: float, size: Any, shape: int, rng: Any) -> Any:
        """Draw binomial counts."""
        return rng.binomial(size, a / (a + b) if a else 0.0, shape)


def _tables(n: int, weights: Cells) -> int:
    free = sum(map(bool, weights)) - 1
    return comb(n + free, free)
