"""Class totals fixed: every positive and every negative is flagged by its own coin."""

from dataclasses import dataclass
from typing import Any

from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.models._cells import POSITIVE
from baserate.models._class_totals import ClassTotals
from baserate.models._factors import BinomialCount
from baserate.models._model import batch_size, countable, from_margins, generator


@dataclass(frozen=True, slots=True, kw_only=True)
class BinomialPair(ClassTotals):
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
    def mean(self) -> ConfusionMatrix:
        """Class totals times rates."""
        r, f = self.recall, self.false_positive_rate
        p, q = self.n_positive, self.n_negative
        return ConfusionMatrix(tp=p * r, fn=p * (1 - r), fp=q * f, tn=q * (1 - f))

    def true_positives(self, n_positive: int) -> BinomialCount:
        """Return the law of the true positives."""
        return BinomialCount(n_positive, self.recall)

    def false_positives(self, n_negative: int) -> BinomialCount:
        """Return the law of the false positives."""
        return BinomialCount(n_negative, self.false_positive_rate)

    def cell(self, name: str) -> BinomialCount:
        """Return the law of one cell."""
        positive, flagged = name in POSITIVE, name in {"tp", "fp"}
        p = self.recall if positive else self.false_positive_rate
        n = self.n_positive if positive else self.n_negative
        return BinomialCount(n, p) if flagged else BinomialCount(n, 1 - p, p)

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        size, rng = batch_size(size), generator(rng)
        tp = rng.binomial(self.n_positive, self.recall, size)
        fp = rng.binomial(self.n_negative, self.false_positive_rate, size)
        return from_margins(tp, fp, self.n_positive, self.n_negative)
