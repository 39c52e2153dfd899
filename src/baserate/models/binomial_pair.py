"""Class totals fixed: every positive and every negative is flagged by its own coin."""

from dataclasses import dataclass
from typing import Any

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.models._factors import BinomialCount, FixedCount
from baserate.models._model import batch_size, countable, from_margins, generator


@dataclass(frozen=True, slots=True, kw_only=True)
class BinomialPair:
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
        tp, fp = self._tp.support, self._fp.support
        return (tp[1] - tp[0] + 1) * (fp[1] - fp[0] + 1)

    @property
    def mean(self) -> ConfusionMatrix:
        """Class totals times rates."""
        r, f = self.recall, self.false_positive_rate
        p, q = self.n_positive, self.n_negative
        return ConfusionMatrix(tp=p * r, fn=p * (1 - r), fp=q * f, tn=q * (1 - f))

    def positives(self) -> FixedCount:
        """Return the law of the number of positives."""
        return FixedCount(self.n_positive)

    def true_positives(self, n_positive: int) -> BinomialCount:
        """Return the law of the true positives."""
        return BinomialCount(n_positive, self.recall)

    def false_positives(self, n_negative: int) -> BinomialCount:
        """Return the law of the false positives."""
        return BinomialCount(n_negative, self.false_positive_rate)

    def tower(self) -> BinomialCount | None:
        """Return the law of n_predicted where the rates are equal.

        Given n_predicted, the table is then `Hypergeometric`, whatever the rate.
        """
        if self.recall != self.false_positive_rate:
            return None
        return BinomialCount(self.n, self.recall)

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        return _zero(self._tp, {"tp", "fn"} & cells, "tp") * _zero(
            self._fp, {"fp", "tn"} & cells, "fp"
        )

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        return _can_be_zero(self._tp, {"tp", "fn"} & cells, "tp") and _can_be_zero(
            self._fp, {"fp", "tn"} & cells, "fp"
        )

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        tp = rng.binomial(self.n_positive, self.recall, size)
        fp = rng.binomial(self.n_negative, self.false_positive_rate, size)
        return from_margins(tp, fp, self.n_positive, self.n_negative)

    @property
    def _tp(self) -> BinomialCount:
        return self.true_positives(self.n_positive)

    @property
    def _fp(self) -> BinomialCount:
        return self.false_positives(self.n_negative)


def _zero(factor: BinomialCount, cells: set[str], flagged: str) -> float:
    if not cells:
        return 1.0
    if len(cells) == 2:
        return float(factor.n == 0)
    return factor.none if flagged in cells else factor.all


def _can_be_zero(factor: BinomialCount, cells: set[str], flagged: str) -> bool:
    if len(cells) == 2:
        return factor.n == 0
    low, high = factor.support
    return (low == 0 if flagged in cells else high == factor.n) if cells else True
