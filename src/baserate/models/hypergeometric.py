"""Draws without replacement: a blind draw with both margins fixed, a group from a population."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb, floor, nan
from typing import Any

import numpy as np

from baserate._checks import DRAWS, generator, number_in, whole_number
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.models.factors import Factor, FixedCount, HypergeometricCount, probability_of
from baserate.models.model import (
    ALL,
    CAN_SUM,
    FLAGGED,
    NEGATIVE,
    PASSED,
    POSITIVE,
    checked,
    countable,
    four_numbers,
    from_margins,
    within,
)
from baserate.models.multinomial import Mergeable

# NumPy's sampler takes fewer cases than this; beyond, windows are inverted.
_SAMPLER_LIMIT = 10**9
_MOST_VALUES = 10**9  # values of all windows together


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypergeometric:
    """Tables of a blind draw: `n_predicted` cases flagged at random among positives and negatives.

    P(tp) = C(n_positive, tp) C(n_negative, n_predicted - tp) / C(n, n_predicted), and the other
    three counts follow. This is the law of the Dutch Draw, and of Fisher's exact test.

    Parameters
    ----------
    n_positive, n_negative : int
        Class totals, below 2^53 together.
    n_predicted : int
        Cases flagged, at most all.
    theta : float or Fraction in [0, 1]
        Instead of `n_predicted`: the share flagged, n_predicted = floor(n theta + 1/2). Afterwards
        it holds the share really flagged, n_predicted / n.

    Raises
    ------
    InvalidArgumentError
        A count is not a whole number, there are too many cases, more are flagged than there are,
        or not exactly one of `n_predicted` and `theta` is given.

    References
    ----------
    van de Bijl, Klein, Pries, Bhulai, Hoogendoorn, van der Mei (2025), The Dutch Draw, Journal of
    Applied Probability 62.

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> m = Hypergeometric(n_positive=30, n_negative=70, theta=0.5)
    >>> m.n_predicted, m.mean
    (50, ConfusionMatrix(tp=15.0, fn=15.0, fp=35.0, tn=35.0))
    """

    n_positive: int
    n_negative: int
    n_predicted: int | None = None
    theta: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        n_positive = whole_number("n_positive", self.n_positive)
        n_negative = whole_number("n_negative", self.n_negative)
        n = n_positive + n_negative
        countable("n_positive + n_negative", n)
        flagged = _flagged(n, self.n_predicted, self.theta)
        object.__setattr__(self, "n_positive", n_positive)
        object.__setattr__(self, "n_negative", n_negative)
        object.__setattr__(self, "n_predicted", flagged)
        object.__setattr__(self, "theta", flagged / n if n else nan)

    @property
    def n(self) -> int:
        """Cases in every table."""
        return self.n_positive + self.n_negative

    @property
    def fixed_n_predicted(self) -> int:
        """Cases predicted positive: the same in every table."""
        assert self.n_predicted is not None
        return self.n_predicted

    @property
    def n_tables(self) -> int:
        """Tables that are possible: one for every possible number of true positives."""
        low, high = self.true_positives(self.n_positive).support
        return high - low + 1

    @property
    def mean(self) -> ConfusionMatrix:
        """(kP, hP, kN, hN) / n with k predicted positive and h not: products, never differences."""
        k, n = self.fixed_n_predicted, self.n or 1
        p, q = self.n_positive, self.n_negative
        return ConfusionMatrix(
            tp=k * p / n, fn=(self.n - k) * p / n, fp=k * q / n, tn=(self.n - k) * q / n
        )

    def positives(self) -> FixedCount:
        """Return the law of the number of positives."""
        return FixedCount(self.n_positive)

    def true_positives(self, n_positive: int) -> HypergeometricCount:
        """Return the law of the true positives."""
        return HypergeometricCount(n_positive, self.n - n_positive, self.fixed_n_predicted)

    def false_positives(self, n_negative: int) -> HypergeometricCount:
        """Return the law of the false positives; they are n_predicted - tp."""
        return HypergeometricCount(n_negative, self.n - n_negative, self.fixed_n_predicted)

    def total(self, cells: frozenset[str]) -> Factor | None:
        """Return the law of the sum of these cells; None for a diagonal and for three cells."""
        checked("cells", cells)
        if len(cells) == 1:
            return self._cell(*cells)
        margins = {
            frozenset[str](): 0,
            POSITIVE: self.n_positive,
            NEGATIVE: self.n_negative,
            FLAGGED: self.fixed_n_predicted,
            PASSED: self.n - self.fixed_n_predicted,
            ALL: self.n,
        }
        return FixedCount(margins[cells]) if cells in margins else None

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor | None:
        """Return the law of the sum of `cells` given that of `whole`: a margin, or one cell."""
        checked("whole", whole)
        checked("cells", cells, whole)
        size, law = whole_number("size", size), self.total(whole)
        if law is None:
            return None
        within("size", size, law.support, CAN_SUM)
        if isinstance(law, FixedCount):
            return self.total(cells)
        return FixedCount(size if cells else 0)

    def tower(self) -> None:
        """Return None: the number predicted positive is fixed."""
        return

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        if not self.possible_zero(cells):
            return 0.0
        pins = self._pins(cells)
        factor = self.true_positives(self.n_positive)
        return probability_of(factor, pins.pop()) if pins else 1.0

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        pins = self._pins(cells)
        low, high = self.true_positives(self.n_positive).support
        return len(pins) < 2 and all(low <= pin <= high for pin in pins)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
        k = self.fixed_n_predicted
        tp = _draws(self.n_positive, self.n_negative, k, size, rng)
        return from_margins(tp, k - tp, self.n_positive, self.n_negative)

    def _cell(self, name: str) -> HypergeometricCount:
        mine, other = self.n_positive, self.n_negative
        if name in NEGATIVE:
            mine, other = other, mine
        k = self.fixed_n_predicted
        return HypergeometricCount(mine, other, k if name in FLAGGED else self.n - k)

    def _pins(self, cells: frozenset[str]) -> set[int]:
        """Return the values of tp at which each of these cells is zero."""
        k = self.fixed_n_predicted
        at = {"tp": 0, "fn": self.n_positive, "fp": k, "tn": k - self.n_negative}
        return {at[cell] for cell in cells}


@dataclass(frozen=True, slots=True, kw_only=True)
class MultivariateHypergeometric(Mergeable):
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

    >>> from baserate.models import MultivariateHypergeometric
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
        return _draws(a, b, size, shape, rng)


def _flagged(n: int, n_predicted: Any, theta: Any) -> int:
    if (n_predicted is None) == (theta is None):
        rule = "must be given alone: exactly one of the two"
        given = (n_predicted, theta)
        raise InvalidArgumentError.from_rule("n_predicted, theta", rule, given, "drop one")
    if n_predicted is None:
        share = number_in("theta", theta, "[0, 1]", "pass a share of the cases")
        share = theta if isinstance(theta, Fraction) else share
        return floor(n * share + Fraction(1, 2))
    flagged = whole_number("n_predicted", n_predicted)
    if flagged > n:
        rule = f"must be at most the number of cases, {n}"
        raise InvalidArgumentError.from_rule("n_predicted", rule, flagged, "flag fewer")
    return flagged


def _draws(a: int, b: int, size: Any, shape: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Draw counts of the first of two kinds, `size` cases at a time (a number, or one per draw)."""
    if a + b < _SAMPLER_LIMIT:
        return rng.hypergeometric(a, b, size, shape)
    sizes, which = np.unique(np.broadcast_to(size, (shape,)), return_inverse=True)
    factors = [HypergeometricCount(a, b, k) for k in sizes.tolist()]
    if sum(high - low for low, high in (factor.span() for factor in factors)) > _MOST_VALUES:
        raise UnsupportedError(
            f"Drawing so many cases from a population of {a + b:,} takes too long: draw fewer "
            "tables, or use Multinomial, from which so large a population hardly differs."
        )
    draws = np.empty(shape, dtype=np.int64)
    for i, factor in enumerate(factors):
        window, here = factor.window(), np.flatnonzero(which == i)
        position = np.searchsorted(np.cumsum(window.pmf[:-1]), rng.random(len(here)))
        draws[here] = window.start + position
    return draws
