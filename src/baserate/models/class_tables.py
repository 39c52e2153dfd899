"""Models of tables of several classes: both margins fixed, or a group of cases."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb, lgamma, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from baserate._arrays import Whole
from baserate._checks import DRAWS, each_of, generator, whole_number
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.models.class_hits import cells_within, counts_of_sum
from baserate.models.hypergeometric import Hypergeometric, MultivariateHypergeometric
from baserate.models.model import countable
from baserate.models.multinomial import DirichletMultinomial, Multinomial

Block = tuple[Whole, NDArray[np.float64]]  # tables (m, K, K) and the logarithms of probabilities


class ClassModel(ABC):
    """A probability over tables of several classes with the same number of cases."""

    n: int
    labels: Any
    fixes_margins: ClassVar[bool] = False

    @property
    @abstractmethod
    def n_tables(self) -> int:
        """Tables that are possible; where counting them is as long as listing them, at most."""

    @property
    @abstractmethod
    def mean(self) -> ClassTable:
        """The mean of each count."""

    @abstractmethod
    def one_vs_rest(self, label: Any) -> Any:
        """Return the law of the table of one class against the rest."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield every possible table, some thousands at a time, with the log-probabilities."""

    @abstractmethod
    def sample(self, size: int, rng: Any) -> ClassTable:
        """Return a batch of `size` random tables."""

    @abstractmethod
    def variance_of(self, weights: NDArray[np.float64]) -> float:
        """Return the variance of a mean of weights over cases, whose own mean is zero."""

    def right_or_wrong(self) -> Any:
        """Return the law of a table with right cases in tp and wrong ones in fn, or None."""
        return None

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.labels)

    def _shares(self) -> NDArray[np.float64]:
        return np.asarray(self.mean.counts, dtype=float) / self.n


@dataclass(frozen=True, kw_only=True)
class ClassHypergeometric(ClassModel):
    """Tables of a blind draw: both margins fixed, predictions dealt to cases at random.

    P(table) = Π t_c! Π p_c! / (n! Π n_ij!). Each class against the rest is `Hypergeometric`.

    Parameters
    ----------
    class_counts, predicted_counts : sequence of int
        Cases of each class, and cases called each class, of the same sum.
    labels : sequence of K labels, optional

    Raises
    ------
    InvalidArgumentError
        Counts are not whole, not as many, or of different sums.

    References
    ----------
    Freeman, G. H. and Halton, J. H. (1951), Biometrika 38:141-149, doi:10.2307/2332323.

    Examples
    --------
    >>> from baserate.models import ClassHypergeometric
    >>> m = ClassHypergeometric(class_counts=[2, 1, 1], predicted_counts=[1, 2, 1])
    >>> m.mean.counts.tolist()[0], m.one_vs_rest(0)
    ([0.5, 1.0, 0.5], Hypergeometric(n_positive=2, n_negative=2, n_predicted=1))
    """

    fixes_margins: ClassVar[bool] = True
    class_counts: Any
    predicted_counts: Any
    labels: Any = None
    n: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("class_counts", "predicted_counts"):
            counts = tuple(whole_number(name, c) for c in each_of(name, getattr(self, name), ()))
            object.__setattr__(self, name, counts)
        truth, predicted = self.class_counts, self.predicted_counts
        if len(truth) != len(predicted) or len(truth) < 2 or sum(truth) != sum(predicted):
            rule = f"must be {len(truth)} counts, two or more, that sum to {sum(truth)}"
            remedy = "pass both margins of one table"
            raise InvalidArgumentError.from_rule("predicted_counts", rule, predicted, remedy)
        countable("class_counts", sum(truth))
        names = range(len(truth)) if self.labels is None else each_of("labels", self.labels, ())
        object.__setattr__(self, "labels", tuple(names))
        object.__setattr__(self, "n", sum(truth))

    @property
    def n_tables(self) -> int:
        """At most so many tables: the rows but one, or the columns but one, in every way."""
        k = self.n_classes
        sides = (sorted(self.class_counts)[:-1], sorted(self.predicted_counts)[:-1])
        return min(prod(comb(c + k - 1, k - 1) for c in side) for side in sides)

    @property
    def mean(self) -> ClassTable:
        """t_i p_j / n."""
        cells = np.outer(self.class_counts, np.asarray(self.predicted_counts) / max(1, self.n))
        return ClassTable(cells, self.labels)

    def one_vs_rest(self, label: Any) -> Hypergeometric:
        """Return the law of the table of one class against the rest."""
        c = self.labels.index(label)
        positive = self.class_counts[c]
        return Hypergeometric(
            n_positive=positive,
            n_negative=self.n - positive,
            n_predicted=self.predicted_counts[c],
        )

    def variance_of(self, weights: NDArray[np.float64]) -> float:
        """Return the variance of a mean of weights over cases, whose own mean is zero."""
        if self.n < 2:
            return 0.0
        t, p = np.array(self.class_counts) / self.n, np.array(self.predicted_counts) / self.n
        w = weights - (weights @ p)[:, None] - (t @ weights)[None, :]
        return float((w**2 * self._shares()).sum()) / (self.n - 1)

    def blocks(self) -> Iterator[Block]:
        """Yield every possible table, some thousands at a time, with the log-probabilities."""
        k = self.n_classes
        margins = (*self.class_counts, *self.predicted_counts)
        whole = float(gammaln(np.array(margins) + 1.0).sum()) - lgamma(self.n + 1)
        for cells in cells_within(self.class_counts, self.predicted_counts):
            yield cells.reshape(len(cells), k, k), whole - gammaln(cells + 1.0).sum(1)

    def sample(self, size: int, rng: Any) -> ClassTable:
        """Return a batch of `size` random tables."""
        size, rng = whole_number("size", size, maximum=DRAWS), generator(rng)
        k = self.n_classes
        left = np.tile(np.array(self.predicted_counts, dtype=np.int64), (size, 1))
        cells = np.zeros((size, k, k), dtype=np.int64)
        for i, row in enumerate(self.class_counts):
            rest = np.full(size, row)
            for j in range(k):
                drawn = rng.hypergeometric(left[:, j], left[:, j + 1 :].sum(1), rest)
                cells[:, i, j], rest = drawn, rest - drawn
            left -= cells[:, i]
        return ClassTable(cells, self.labels)


class ClassGroup(ClassModel):
    """A group of cases that fall into the cells of a reference table."""

    told: ClassVar[str]  # what the reference is called

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n))
        countable("n", self.n)
        single_class_table(self.told, self.reference)
        if not self.reference.counts.any():
            rule, remedy = "must hold a count above 0", "pass a table with cases"
            raise InvalidArgumentError.from_rule(self.told, rule, self.reference, remedy)

    @property
    def reference(self) -> ClassTable:
        """The table of chances, of parameters, or of the population."""
        return getattr(self, self.told)

    @property
    def labels(self) -> tuple[Any, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Labels of the classes."""
        return self.reference.labels

    @abstractmethod
    def _of_two(self, table: ConfusionMatrix) -> Any:
        """Return the same law of four cells, whose reference is this table."""

    def _inflation(self) -> float:
        """Return the variance of a share, over that of independent cases."""
        return 1.0

    def one_vs_rest(self, label: Any) -> Any:
        """Return the law of the table of one class against the rest."""
        return self._of_two(self.reference.one_vs_rest(label))

    def right_or_wrong(self) -> Any:
        """Return the law of a table with right cases in tp, wrong ones in fn."""
        cells = self.reference.counts
        right = np.trace(cells).item()
        wrong = max(0, cells.sum().item() - right)
        return self._of_two(ConfusionMatrix(tp=right, fn=wrong, fp=0, tn=0))

    def variance_of(self, weights: NDArray[np.float64]) -> float:
        """Return the variance of a mean of weights over cases, whose own mean is zero."""
        return float((weights**2 * self._shares()).sum()) / self.n * self._inflation()

    @abstractmethod
    def _drawn(self, size: int, rng: np.random.Generator) -> Whole:
        """Return random flat tables."""

    @abstractmethod
    def _log_weights(self, cells: Whole) -> NDArray[np.float64]:
        """Return the log-probabilities of flat tables, up to one number for all."""

    def _most(self) -> list[int]:
        """Return the largest count of each cell."""
        return [self.n * bool(c) for c in self.reference.counts.ravel()]

    @abstractmethod
    def _whole(self) -> float:
        """Return the number that is added to all log-probabilities."""

    @property
    def n_tables(self) -> int:
        """Tables with n cases in the cells that are possible."""
        free = sum(map(bool, self._most())) - 1
        return comb(self.n + free, free)

    @property
    def mean(self) -> ClassTable:
        """Each cell's share of the cases."""
        cells = self.reference.counts
        return ClassTable(cells * (self.n / cells.sum()), self.labels)

    def blocks(self) -> Iterator[Block]:
        """Yield every possible table, some thousands at a time, with the log-probabilities."""
        k, whole = self.n_classes, self._whole()
        for cells in counts_of_sum(self.n, self._most()):
            yield cells.reshape(len(cells), k, k), whole + self._log_weights(cells)

    def sample(self, size: int, rng: Any) -> ClassTable:
        """Return a batch of `size` random tables."""
        k, size = self.n_classes, whole_number("size", size, maximum=DRAWS)
        return ClassTable(self._drawn(size, generator(rng)).reshape(size, k, k), self.labels)


@dataclass(frozen=True, kw_only=True)
class ClassMultinomial(ClassGroup):
    """Tables of n independent cases that fall into K x K cells with the given chances.

    Parameters
    ----------
    n : int
    cells : ClassTable
        Counts of a reference, or chances; only their proportions matter.

    References
    ----------
    Johnson, Kotz, Balakrishnan (1997), Discrete Multivariate Distributions, chapter 35, Wiley.

    Examples
    --------
    >>> from baserate import ClassTable
    >>> from baserate.models import ClassMultinomial
    >>> m = ClassMultinomial(n=10, cells=ClassTable([[3, 1, 0], [0, 3, 1], [0, 0, 2]]))
    >>> m.n_tables, m.mean.hits.tolist()
    (1001, [3.0, 3.0, 2.0])
    """

    told: ClassVar[str] = "cells"
    n: int
    cells: ClassTable

    @property
    def chances(self) -> NDArray[np.float64]:
        """Chances of the cells, of shape (K, K)."""
        return self.cells.counts / self.cells.counts.sum()

    def _of_two(self, table: ConfusionMatrix) -> Multinomial:
        return Multinomial(n=self.n, cells=table)

    def _drawn(self, size: int, rng: np.random.Generator) -> Whole:
        return rng.multinomial(self.n, self.chances.ravel(), size)

    def _whole(self) -> float:
        return lgamma(self.n + 1)

    def _log_weights(self, cells: Whole) -> NDArray[np.float64]:
        return (xlogy(cells, self.chances.ravel()) - gammaln(cells + 1.0)).sum(1)


@dataclass(frozen=True, kw_only=True)
class ClassDirichletMultinomial(ClassGroup):
    """Tables of n cases whose K x K chances are drawn once from a Dirichlet law.

    Parameters
    ----------
    n : int
    concentration : ClassTable
        Parameters of the Dirichlet law; a zero makes its cell impossible.

    References
    ----------
    Mosimann (1962), On the compound multinomial distribution, the multivariate beta distribution,
    and correlations among proportions, Biometrika 49:65, doi:10.1093/biomet/49.1-2.65.

    Examples
    --------
    >>> from baserate import ClassTable
    >>> from baserate.models import ClassDirichletMultinomial
    >>> m = ClassDirichletMultinomial(n=4, concentration=ClassTable([[1, 1, 1]] * 3))
    >>> m.n_tables, m.one_vs_rest(0).concentration
    (495, (1.0, 2.0, 2.0, 4.0))
    """

    told: ClassVar[str] = "concentration"
    n: int
    concentration: ClassTable

    def _of_two(self, table: ConfusionMatrix) -> DirichletMultinomial:
        return DirichletMultinomial(n=self.n, concentration=table)

    def _inflation(self) -> float:
        total = float(self.concentration.counts.sum())
        return (total + self.n) / (total + 1)

    def _drawn(self, size: int, rng: np.random.Generator) -> Whole:
        shares = rng.standard_gamma(self.concentration.counts.ravel(), (size, self.n_classes**2))
        return rng.multinomial(self.n, shares / shares.sum(1, keepdims=True))

    def _whole(self) -> float:
        total = float(self.concentration.counts.sum())
        return lgamma(self.n + 1) + lgamma(total) - lgamma(total + self.n)

    def _log_weights(self, cells: Whole) -> NDArray[np.float64]:
        a = self.concentration.counts.ravel().astype(float)
        there = np.flatnonzero(a)
        a, x = a[there], cells[:, there]
        return (gammaln(a + x) - gammaln(a) - gammaln(x + 1.0)).sum(1)


@dataclass(frozen=True, kw_only=True)
class ClassMultivariateHypergeometric(ClassGroup):
    """Tables of n cases drawn without replacement from a population that is fully known.

    Parameters
    ----------
    n : int
    population : ClassTable
        Counts of all cases, whole numbers.

    References
    ----------
    Johnson, Kotz, Balakrishnan (1997), Discrete Multivariate Distributions, chapter 39, Wiley.

    Examples
    --------
    >>> from baserate import ClassTable
    >>> from baserate.models import ClassMultivariateHypergeometric
    >>> whole = ClassTable([[3, 1, 0], [0, 3, 1], [0, 0, 2]])
    >>> ClassMultivariateHypergeometric(n=2, population=whole).one_vs_rest(2).population
    (2, 0, 1, 7)
    """

    told: ClassVar[str] = "population"
    n: int
    population: ClassTable

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.population.is_weighted or self.n > self.population.n:
            rule = "must be whole counts of n cases at least"
            remedy = "draw fewer, or use ClassMultinomial, which draws with replacement"
            raise InvalidArgumentError.from_rule("population", rule, self.population, remedy)

    def _of_two(self, table: ConfusionMatrix) -> MultivariateHypergeometric:
        return MultivariateHypergeometric(n=self.n, population=table)

    def _inflation(self) -> float:
        size = float(self.population.n)
        return (size - self.n) / (size - 1) if size > 1 else 0.0

    def _drawn(self, size: int, rng: np.random.Generator) -> Whole:
        sizes = self.population.counts.ravel().astype(np.int64)
        return rng.multivariate_hypergeometric(sizes, self.n, size)

    def _most(self) -> list[int]:
        return [min(self.n, int(c)) for c in self.population.counts.ravel()]

    def _whole(self) -> float:
        n, total = self.n, int(self.population.n)
        return lgamma(n + 1) + lgamma(total - n + 1) - lgamma(total + 1)

    def _log_weights(self, cells: Whole) -> NDArray[np.float64]:
        sizes = self.population.counts.ravel()
        return (gammaln(sizes + 1.0) - gammaln(cells + 1.0) - gammaln(sizes - cells + 1.0)).sum(1)
