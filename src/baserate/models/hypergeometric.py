"""Both margins fixed: a blind draw that flags a given number of cases."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, nan
from typing import Any

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models._cells import (
    ALL,
    CAN_SUM,
    FLAGGED,
    NEGATIVE,
    PASSED,
    POSITIVE,
    checked,
    within,
)
from baserate.models._draws import hypergeometric_draws
from baserate.models._factors import Factor, FixedCount, HypergeometricCount, probability_of
from baserate.models._model import batch_size, countable, from_margins, generator


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
        size, rng = batch_size(size), generator(rng)
        k = self.fixed_n_predicted
        tp = hypergeometric_draws(self.n_positive, self.n_negative, k, size, rng)
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


def _flagged(n: int, n_predicted: Any, theta: Any) -> int:
    if (n_predicted is None) == (theta is None):
        rule = "must be given alone: exactly one of the two"
        given = (n_predicted, theta)
        raise InvalidArgumentError.from_rule("n_predicted, theta", rule, given, "drop one")
    if n_predicted is None:
        number_in("theta", theta, "[0, 1]", "pass a share of the cases")
        return floor(n * theta + Fraction(1, 2))
    flagged = whole_number("n_predicted", n_predicted)
    if flagged > n:
        rule = f"must be at most the number of cases, {n}"
        raise InvalidArgumentError.from_rule("n_predicted", rule, flagged, "flag fewer")
    return flagged
