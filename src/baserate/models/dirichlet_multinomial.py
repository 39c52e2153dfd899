"""A group like a reference that is itself uncertain."""

from dataclasses import dataclass
from math import comb
from typing import Any

from baserate._checks import whole_number
from baserate.models._beta_binomial import BetaBinomialCount
from baserate.models._cells import Cells, four_numbers
from baserate.models._group import Group
from baserate.models._model import countable


@dataclass(frozen=True, slots=True, kw_only=True)
class DirichletMultinomial(Group):
    """Tables of n cases whose four chances are drawn once from a Dirichlet law.

    With concentration a: the positives are beta-binomial(n, a_tp + a_fn, a_fp + a_tn), and given
    them tp and fp are independent beta-binomials.

    Parameters
    ----------
    n : int
        Cases in every table, below 2^53.
    concentration : ConfusionMatrix, or (tp, fn, fp, tn)
        Parameters of the Dirichlet law. For a reference of which only a sample is known: its counts
        plus 1/2 (Jeffreys). A zero makes its cell impossible.

    Raises
    ------
    InvalidArgumentError
        n is not a whole number or too large; a parameter is negative or not finite, or all are 0.

    See Also
    --------
    Multinomial : the chances are known.

    References
    ----------
    Mosimann (1962), On the compound multinomial distribution, the multivariate beta distribution,
    and correlations among proportions, Biometrika 49:65, doi:10.1093/biomet/49.1-2.65.

    Examples
    --------
    The White defendants in COMPAS (Briscoe et al. 2025) as the reference of a group of 20. None of
    the group is positive, so that its recall is undefined, with probability:

    >>> m = DirichletMultinomial(n=20, concentration=(77.5, 129.5, 380.5, 1679.5))
    >>> round(m.probability_zero(frozenset({"tp", "fn"})), 3)
    0.149
    """

    n: int
    concentration: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        countable("n", self.n)
        cells = four_numbers("concentration", self.concentration)
        object.__setattr__(self, "concentration", tuple(map(float, cells)))

    @property
    def weights(self) -> Cells:
        """The parameters of tp, fn, fp, tn."""
        return self.concentration

    @property
    def n_tables(self) -> int:
        """C(n + 3, 3), or fewer where cells are impossible."""
        free = sum(map(bool, self.weights)) - 1
        return comb(self.n + free, free)

    def _law(self, a: float, b: float, size: int) -> BetaBinomialCount:
        return BetaBinomialCount(size, a, b)

    def _draw(self, a: float, b: float, size: Any, shape: int, rng: Any) -> Any:
        share = rng.beta(a, b, shape) if a and b else float(a > 0)
        return rng.binomial(size, share, shape)
