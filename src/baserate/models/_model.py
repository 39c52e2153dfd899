"""What every model of tables offers; questions ask for nothing else."""

from typing import Any, Protocol

import numpy as np

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models._factors import BinomialCount, Factor

LIMIT = 2**53


class Model(Protocol):
    """A probability over tables of four counts, factorised the same way for all models.

    First the number of positives, then the true positives given the positives, then the false
    positives given the negatives; the last two are independent given the first, unless the number
    of predicted positives is fixed: then ``n_predicted`` is a number and fp = n_predicted - tp.
    """

    @property
    def n(self) -> int:
        """Cases in every table."""
        ...

    @property
    def fixed_n_predicted(self) -> int | None:
        """Cases predicted positive, if that number is the same in every table."""
        ...

    @property
    def n_tables(self) -> int:
        """Tables that are possible."""
        ...

    @property
    def mean(self) -> ConfusionMatrix:
        """The mean of each count."""
        ...

    def positives(self) -> Factor:
        """Return the law of the number of positives."""
        ...

    def true_positives(self, n_positive: Any) -> Factor:
        """Return the law of the true positives among that many positives."""
        ...

    def false_positives(self, n_negative: Any) -> Factor:
        """Return the law of the false positives among that many negatives."""
        ...

    def total(self, cells: frozenset[str]) -> Factor | None:
        """Return the law of the sum of these cells, or None where it is no single factor."""
        ...

    def part(self, cells: frozenset[str], whole: frozenset[str], size: int) -> Factor | None:
        """Return the law of the sum of `cells`, a subset of `whole`, given the sum of `whole`.

        None where it is no single factor.
        """
        ...

    def tower(self) -> BinomialCount | None:
        """Return the law of n_predicted if, given it, the table is Hypergeometric; else None."""
        ...

    def probability_zero(self, cells: frozenset[str]) -> float:
        """Return the probability that all of these cells are zero."""
        ...

    def possible_zero(self, cells: frozenset[str]) -> bool:
        """Return whether all of these cells can be zero, decided in integers."""
        ...

    def sample(self, size: int, rng: Any) -> ConfusionMatrix:
        """Return a batch of `size` random tables."""
        ...


def generator(rng: Any) -> np.random.Generator:
    """Return a generator for a seed; a generator passes through."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        rule = "must be a seed or a numpy.random.Generator"
        raise InvalidArgumentError.from_rule("rng", rule, rng, "pass for example 1") from None


def batch_size(size: Any) -> int:
    """Return the number of tables to draw."""
    return whole_number("size", size)


def countable(argument: str, n: int) -> None:
    """Refuse 2^53 cases or more."""
    if n >= LIMIT:
        rule = "must be below 2^53, up to where doubles tell whole numbers apart"
        remedy = "ask a metric's own formula at the mean table, from which it hardly differs"
        raise InvalidArgumentError.from_rule(argument, rule, n, remedy)


def from_margins(tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> ConfusionMatrix:
    """Return the table with these class totals."""
    return ConfusionMatrix(tp=tp, fn=n_positive - tp, fp=fp, tn=n_negative - fp)
