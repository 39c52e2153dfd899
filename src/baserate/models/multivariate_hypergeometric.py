"""A group drawn from a finite population, without replacement."""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

from baserate._checks import whole_number
from baserate.counts import CELLS
from baserate.errors import InvalidArgumentError
from baserate.models._cells import four_numbers, within
from baserate.models._draws import hypergeometric_draws
from baserate.models._factors import HypergeometricCount
from baserate.models._group import Group
from baserate.models._model import countable


@dataclass(frozen=True, slots=True, kw_only=True)
class MultivariateHypergeometric(Group):
    """Tables of n cases drawn without replacement from a population that is fully known.

    P(table) = C(K_tp, tp) C(K_fn, fn) C(K_fp, fp) C(K_tn, tn) / C(K, n). So the positives are
    hypergeometric, and given them tp and fp are independent hypergeometric counts.

    Parameters
    ----------
    n : int
        Cases drawn, at most all.
    population : ConfusionMatrix, or (tp, fn, fp, tn)
        Counts K of all cases: whole numbers, below 2^53 together.

    Raises
    ------
    InvalidArgumentError
        A count is not a whole number, there are too many cases, or more are drawn than there are.

    See Also
    --------
    Multinomial : cases drawn with replacement.

    References
    ----------
    Johnson, Kotz, Balakrishnan (1997), Discrete Multivariate Distributions, chapter 39, Wiley.

    Examples
    --------
    Of the 345 people of the smallest group in Folktables (Briscoe et al. 2025), 20 drawn at random
    hold no positive, so that their recall is undefined, with probability C(306, 20)/C(345, 20):

    >>> from baserate.counts import ConfusionMatrix
    >>> population = ConfusionMatrix(tp=13, fn=26, fp=31, tn=275)
    >>> m = MultivariateHypergeometric(n=20, population=population)
    >>> round(m.probability_zero(frozenset({"tp", "fn"})), 4)
    0.0844
    """

    n: int
    population: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        cells = four_numbers("population", self.population)
        whole = (
            whole_number(f"population.{name}", cell)
            for name, cell in zip(CELLS, cells, strict=True)
        )
        object.__setattr__(self, "population", tuple(whole))
        size = sum(self.population)
        countable("population", size)
        if self.n > size:
            rule = f"must be at most the number of cases in the population, {size}"
            remedy = "draw fewer, or use Multinomial, which draws with replacement"
            raise InvalidArgumentError.from_rule("n", rule, self.n, remedy)

    @property
    def weights(self) -> tuple[int, int, int, int]:
        """The cases in tp, fn, fp, tn."""
        return self.population

    @property
    def n_tables(self) -> int:
        """Tables with n cases and no count above the population's, by inclusion and exclusion."""
        subsets = (s for size in range(5) for s in combinations(self.weights, size))
        left = ((len(s), self.n - sum(s) - len(s)) for s in subsets)
        return sum((-1) ** size * comb(rest + 3, 3) for size, rest in left if rest >= 0)

    def _law(self, a: int, b: int, size: int) -> HypergeometricCount:
        within("size", size, (0, a + b), "the cases of these cells in the population")
        return HypergeometricCount(a, b, size)

    def _draw(self, a: int, b: int, size: Any, shape: int, rng: Any) -> Any:
        return hypergeometric_draws(a, b, size, shape, rng)
