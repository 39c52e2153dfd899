"""Groups of independent cases, of known or of uncertain chances, or all tables alike."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import comb
from typing import Any

from baserate._checks import DRAWS, generator, whole_number
from baserate.counts import ConfusionMatrix, of_four
from baserate.models.factors import BetaBinomialCount, BinomialCount, Factor, FixedCount
from baserate.models.model import (
    ALL,
    CAN_SUM,
    NEGATIVE,
    POSITIVE,
    Cells,
    checked,
    countable,
    four_numbers,
    from_margins,
    summed,
    within,
)


class Mergeable(ABC):
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
    def n_tables(self) -> int:
        """C(n + 3, 3), or fewer where cells are impossible."""
        free = sum(map(bool, self.weights)) - 1
        return comb(self.n + free, free)

    @property
    def mean(self) -> ConfusionMatrix:
        """Each cell's share of the cases."""
        total = sum(self.weights)
        return of_four(self.n * weight / total for weight in self.weights)

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
        """Return the law of the sum of `cells`, a subset of `whole`, given the sum of `whole`."""
        checked("whole", whole)
        checked("cells", cells, whole)
        within("size", whole_number("size", size), self._ends(whole), CAN_SUM)
        return self.known_part(cells, whole, size)

    def known_part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor:
        """Return the same without a check."""
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
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Multinomial(Mergeable):
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

    >>> from baserate.models import Multinomial
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

    def _law(self, a: float, b: float, size: int) -> BinomialCount:
        return BinomialCount(size, a / (a + b), b / (a + b))

    def _draw(self, a: float, b: float, size: Any, shape: int, rng: Any) -> Any:
        return rng.binomial(size, a / (a + b) if a else 0.0, shape)


class OfUncertainChances(Mergeable):
    """Cases whose chances are drawn once from a Dirichlet law; the weights are its parameters."""

    __slots__ = ()

    def _law(self, a: float, b: float, size: int) -> BetaBinomialCount:
        return BetaBinomialCount(size, a, b)

    def _draw(self, a: float, b: float, size: Any, shape: int, rng: Any) -> Any:
        share = rng.beta(a, b, shape) if a and b else float(a > 0)
        return rng.binomial(size, share, shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirichletMultinomial(OfUncertainChances):
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

    >>> from baserate.models import DirichletMultinomial
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformTables(OfUncertainChances):
    """Every table of n cases with the same probability, 1 / C(n + 3, 3).

    It is a Dirichlet-multinomial law whose four parameters are 1.

    Parameters
    ----------
    n : int
        Cases in every table, below 2^53.

    Raises
    ------
    InvalidArgumentError
        n is not a whole number, or too large.

    Examples
    --------
    >>> from baserate.models import UniformTables
    >>> UniformTables(n=8).n_tables
    165
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        countable("n", self.n)

    @property
    def weights(self) -> Cells:
        """Ones."""
        return 1, 1, 1, 1
