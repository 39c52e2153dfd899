"""What was counted: tables of all cases and of groups, how sure they are, and cases left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from baserate._result import HIDDEN, Result
from baserate.cases.clusters import Design
from baserate.cases.scores import reaches
from baserate.cases.values import from_text
from baserate.counts import ConfusionMatrix

if TYPE_CHECKING:
    from baserate.cases.cases import Cases

UNKNOWN = -1


class Beside(NamedTuple):
    """How many of the cases without a truth are alarms, of how many, and those with one."""

    alarms: int
    n: int
    kept: ConfusionMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Unverified:
    """Rows without a truth."""

    count: NDArray[np.int64]  # cases of each row
    # whether each classifier calls them positive: 1, 0, or UNKNOWN
    calls: Mapping[str, NDArray[np.int8]]
    scores: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, cases: "Cases | None", positive: Any) -> "Unverified | None":
        """Read what each prediction says of cases without a truth."""
        if cases is None:
            return None
        calls = dict[str, NDArray[np.int8]]()
        for name, column in cases.predictions.items():
            told = [
                UNKNOWN if label is None
                else int(bool(label) if column.decided else label == positive
                         or (cases.from_text and from_text(label) == positive))
                for label in column.labels
            ]  # fmt: skip
            calls[name] = np.array(told, dtype=np.int8)[column.codes]
        return cls(cases.count, calls, cases.scores)

    def cut(self, score: str, at: float, name: str | None = None) -> "Unverified":
        """Return the same rows with a score cut as one more classifier."""
        values = self.scores[score]
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        calls = np.where(known, reaches(values, at), UNKNOWN).astype(np.int8)
        return replace(self, calls={**self.calls, name or score: calls})

    def beside(self, name: str, kept: ConfusionMatrix) -> Beside | None:
        """Return how many are alarms of a classifier, beside the table of the others."""
        if name not in self.calls:
            return None
        calls = self.calls[name]
        alarms, passed = (int(self.count[calls == call].sum()) for call in (1, 0))
        return Beside(alarms, alarms + passed, kept) if alarms + passed else None


Key = tuple[Any, ...]


Table = TypeVar("Table", bound=Any)
Varies = TypeVar("Varies", bound=Any)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighable(Result, Generic[Table, Varies]):
    """Tables of all cases and of every group, of two classes or several, perhaps of weights."""

    table: Table
    n: int
    n_missing: int = 0
    groups: Mapping[Key, Table] = field(default_factory=dict, metadata=HIDDEN)
    group_names: tuple[str, ...] = ()
    group_n: Mapping[Key, int] = field(default_factory=dict, metadata=HIDDEN)
    squared: Table | None = None
    group_squared: Mapping[Key, Table] = field(default_factory=dict, metadata=HIDDEN)
    design: Varies | None = field(default=None, metadata=HIDDEN)
    group_designs: Mapping[Key, Varies] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def weighted(self) -> bool:
        """Whether cases came with weights, even if these sum to whole numbers."""
        return self.squared is not None

    @property
    def effective_n(self) -> float:
        """Kish's effective sample size, which is `n` without weights."""
        return effective_size(self.table.n, None if self.squared is None else self.squared.n)

    @property
    def group_effective_n(self) -> dict[Key, float]:
        """The same for each group; nan where all weights are 0."""
        return {key: self.effective_n_of(key) for key in self.groups}

    def effective_n_of(self, key: Key) -> float:
        """Return the same for one group."""
        squared = self.group_squared.get(key)
        return effective_size(self.groups[key].n, None if squared is None else squared.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Weighable[ConfusionMatrix, Design]):
    """A confusion matrix of all cases and of every group, counted here or published.

    Attributes
    ----------
    table : ConfusionMatrix
        Whole numbers, or sums of weights.
    positive : label
        The label that counts as positive.
    labels : tuple
        Every label found, in order; empty for published tables.
    n : int
        Cases counted, whatever their weight.
    n_missing : int
        Cases left out because something was missing.
    groups : dict of tuple to ConfusionMatrix
        One table per combination of group values, in order: numbers by size, text by
        alphabet and the numbers in it.
        Empty without group columns.
    group_n : dict of tuple to int
        Cases of each group.
    squared : ConfusionMatrix or None
        Sums of squared weights; None for unweighted cases, which the table counts.
    group_squared : dict of tuple to ConfusionMatrix
        The same for each group; empty for unweighted cases.
    design : Design or None
        How the cells vary with the clusters that were sampled; None for independent cases.
    group_designs : dict of tuple to Design
        The same for each group; empty for independent cases.
    beside : Beside or None
        How many of the cases without a truth, which were left out, are alarms.
    """

    positive: Any
    labels: tuple[Any, ...]
    beside: Beside | None = field(default=None, metadata=HIDDEN)

    def covariance(self, key: Key | None = None, other: Key | None = None) -> NDArray[np.float64]:
        """Return the covariance of the four cell totals of all cases, or of one group.

        With `other`, theirs with the totals of that group. Clusters are drawn with replacement
        (see `Design.covariance`); without clusters every case is one, and the sum over clusters
        becomes the diagonal of the squared weights, or of the counts:
        n/(n - 1) (diag(Σ w²) - t uᵀ/n).

        Examples
        --------
        >>> from baserate import ConfusionMatrix
        >>> from baserate.cases.counted import Counted
        >>> counted = Counted(
        ...     table=ConfusionMatrix(tp=2, fn=1, fp=0, tn=1), positive=1, labels=(0, 1), n=4
        ... )
        >>> counted.covariance().diagonal().round(3).tolist()
        [1.333, 1.0, 0.0, 1.0]
        """
        other = key if other is None else other
        if self.design is not None:
            one, two = (self.design if k is None else self.group_designs[k] for k in (key, other))
            return one.covariance(two)
        total, others = (self.table if k is None else self.groups[k] for k in (key, other))
        pair = {key, other}  # None stands for all cases, which hold those of every group
        shared = pair - {None} or pair
        squares = [*self._squares(*shared)] if len(shared) == 1 else [0.0] * 4
        product = np.outer([*total], [*others]).astype(float)
        return self.n / (self.n - 1) * (np.diag(squares) - product / self.n)

    def _squares(self, key: Key | None) -> ConfusionMatrix:
        if key is None:
            return self.table if self.squared is None else self.squared
        return self.group_squared.get(key, self.groups[key])


def effective_size(weight: float, squared: float | None) -> float:
    """Return Kish's effective number of cases (Σw)² / Σw²; nan if all weights are 0.

    References
    ----------
    Kish, L. (1965). Survey Sampling. Wiley.
    """
    if squared is None:
        return float(weight)
    return weight * (weight / squared) if squared else nan


def effective_of_mean(size: float, variance: float, linearised: float) -> float:
    """Return the effective number of cases of a weighted mean: Kish's `size`, or fewer.

    Where the heavy cases lie further off than others, as where few cases of another kind were
    looked at, the number that gives the mean its linearised variance Σ w² d²/(Σ w)² (Korn and
    Graubard 1998, Survey Methodology 24:193), d being what each case is off. `variance` is the mean
    of d².
    """
    return min(size, variance / linearised) if linearised > 0 else size


def effective_sizes(table: ConfusionMatrix, squared: ConfusionMatrix | None) -> tuple[float, float]:
    """Return Kish's effective numbers of positives and negatives; 0 for a class without weight."""
    squares = (None, None) if squared is None else (squared.n_positive, squared.n_negative)
    sides = zip((table.n_positive, table.n_negative), squares, strict=True)
    positive, negative = (effective_size(*side) if side[0] else 0.0 for side in sides)
    return positive, negative
