"""Cases of two classes: the tables of decisions, over all cases and group by group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._result import HIDDEN, Result
from baserate.cases.clusters import Design, cluster_designs
from baserate.cases.labels import Grouping, Mask
from baserate.cases.scores import check_scale, cutting_point, reaches
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Result):
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
        One table per combination of group values, in order: numbers by size, text by alphabet.
        Empty without group columns.
    group_names : tuple of str
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
    """

    table: ConfusionMatrix
    positive: Any
    labels: tuple[Any, ...]
    n: int
    n_missing: int = 0
    groups: Mapping[Key, ConfusionMatrix] = field(default_factory=dict, metadata=HIDDEN)
    group_names: tuple[str, ...] = ()
    group_n: Mapping[Key, int] = field(default_factory=dict, metadata=HIDDEN)
    squared: ConfusionMatrix | None = None
    group_squared: Mapping[Key, ConfusionMatrix] = field(default_factory=dict, metadata=HIDDEN)
    design: Design | None = field(default=None, metadata=HIDDEN)
    group_designs: Mapping[Key, Design] = field(default_factory=dict, metadata=HIDDEN)

    def covariance(self, key: Key | None = None, other: Key | None = None) -> NDArray[np.float64]:
        """Return the covariance of the four cell totals of all cases, or of one group.

        With `other`, theirs with the totals of that group. Clusters are drawn with replacement
        (see `Design.covariance`); without clusters every case is one, and the sum over clusters
        becomes the diagonal of the squared weights, or of the counts:
        n/(n - 1) (diag(Σ w²) - t uᵀ/n).

        Returns
        -------
        array of shape (4, 4)

        Examples
        --------
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
        squares = {key: table.n for key, table in self.group_squared.items()}
        return {key: effective_size(t.n, squares.get(key)) for key, t in self.groups.items()}


def effective_size(weight: float, squared: float | None) -> float:
    """Return Kish's effective number of cases (Σw)² / Σw²; nan if all weights are 0.

    Parameters
    ----------
    weight : float
        Sum of the weights.
    squared : float or None
        Sum of their squares; None for cases without weights, of which there are `weight`.

    References
    ----------
    Kish, L. (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> effective_size(4.0, 10.0)  # weights 1 and 3
    1.6
    """
    if squared is None:
        return float(weight)
    return weight * (weight / squared) if squared else nan


def effective_sizes(table: ConfusionMatrix, squared: ConfusionMatrix | None) -> tuple[float, float]:
    """Return Kish's effective number of positives and of negatives; 0 for a class without weight.

    Examples
    --------
    >>> weights = ConfusionMatrix(tp=3.0, fn=1.0, fp=0, tn=0)
    >>> effective_sizes(weights, ConfusionMatrix(tp=9.0, fn=1.0, fp=0, tn=0))
    (1.6, 0.0)
    """
    squares = (None, None) if squared is None else (squared.n_positive, squared.n_negative)
    sides = zip((table.n_positive, table.n_negative), squares, strict=True)
    positive, negative = (effective_size(*side) if side[0] else 0.0 for side in sides)
    return positive, negative


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinaryCases:
    """Cases of two classes; a row is a case, or `count` cases that look alike.

    Attributes
    ----------
    truth : array of bool, shape (m,)
        Whether the cases of each row are positive.
    decisions : dict of name to array of bool
        Whether each classifier calls them so.
    scores : dict of name to array of numbers
        Scores that are no decisions yet: of a row of many cases, the lowest.
    highest : dict of name to array of float
        The highest score of each row, where some row's cases differ in score.
    count : array of int
    weight, squared : array of float or None
    grouping, fold : Grouping or None
    cluster, case : Grouping or None
        What is independent of each other; and which rows are the same item again, for which the
        item is the cluster where none is named.
    positive : label
    labels : tuple
        Every label found, in order.
    n_missing : int
        Cases left out because something was missing.
    """

    truth: Mask
    decisions: Mapping[str, Mask]
    scores: Mapping[str, NDArray[Any]]
    count: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    squared: NDArray[np.float64] | None
    grouping: Grouping | None
    fold: Grouping | None
    cluster: Grouping | None = None
    case: Grouping | None = None
    positive: Any
    labels: tuple[Any, ...]
    n_missing: int
    highest: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(self.decisions)

    @property
    def n(self) -> int:
        """Cases."""
        return int(self.count.sum())

    @property
    def groups(self) -> tuple[Key, ...]:
        """Group labels, in order; empty without group columns."""
        return () if self.grouping is None else self.grouping.keys

    @property
    def group_names(self) -> tuple[str, ...]:
        """Names of the group columns."""
        return () if self.grouping is None else self.grouping.names

    def table(self, name: str | int) -> ConfusionMatrix:
        """Return the confusion matrix of one classifier, given by name or place; see `counted`."""
        return self.counted(name).table

    def counted(self, name: str | int = 0) -> Counted:
        """Return the confusion matrices of one classifier, over all cases and in each group."""
        decided = self.decisions[self.names[name] if isinstance(name, int) else name]
        cell = 2 * ~self.truth + ~decided  # tp, fn, fp, tn
        count = _Sums(self, cell, self.count)
        amount = count if self.weight is None else _Sums(self, cell, self.weight)
        square = None if self.squared is None else _Sums(self, cell, self.squared)
        design, designs = self._designs(cell)
        return Counted(
            table=amount.table,
            positive=self.positive,
            labels=self.labels,
            n=self.n,
            n_missing=self.n_missing,
            groups=amount.groups,
            group_names=self.group_names,
            group_n={key: table.n for key, table in count.groups.items()},
            squared=None if square is None else square.table,
            group_squared={} if square is None else square.groups,
            design=design,
            group_designs=designs,
        )

    def _designs(self, cell: NDArray[Any]) -> tuple[Design | None, dict[Key, Design]]:
        if self.cluster is None:
            return None, {}
        amount: NDArray[Any] = self.count if self.weight is None else self.weight
        add = adder(amount)
        return cluster_designs(
            self.cluster,
            self.grouping,
            lambda place, size: add(4 * place + cell, amount, 4 * size).reshape(-1, 4),
            self.count,
        )

    def cells(self, which: Sequence[int], amount: str = "count") -> NDArray[Any]:
        """Return how often these classifiers decided what, by class; or sums of another amount.

        Returns
        -------
        array of shape (2, ..., 2), one axis per classifier and one for the class
            0 stands for positive, 1 for negative.
        """
        column = getattr(self, amount)
        column = self.count if column is None else column
        decisions = list(self.decisions.values())
        place = np.zeros(len(self.truth), dtype=np.intp)
        for decided in (*(decisions[k] for k in which), self.truth):
            place = 2 * place + ~decided
        shape = (2,) * (len(which) + 1)
        return adder(column)(place, column, 2 ** len(shape)).reshape(shape)

    def within(self, group: int) -> "BinaryCases":
        """Return the cases of one group."""
        assert self.grouping is not None
        return self.take(self.grouping.codes == group)

    def take(self, rows: Any) -> "BinaryCases":
        """Return some rows, without their groups."""
        sums = {name: getattr(self, name) for name in ("count", "weight", "squared")}
        keys = {name: getattr(self, name) for name in ("cluster", "case")}
        return replace(
            self,
            truth=self.truth[rows],
            decisions={name: decided[rows] for name, decided in self.decisions.items()},
            scores={name: score[rows] for name, score in self.scores.items()},
            highest={name: score[rows] for name, score in self.highest.items()},
            grouping=None,
            fold=None,
            **{name: None if key is None else key.take(rows) for name, key in keys.items()},
            **{name: None if column is None else column[rows] for name, column in sums.items()},
        )

    def folds(self) -> list[tuple[Any, "BinaryCases"]]:
        """Return the cases of each fold beside its label."""
        if self.fold is None:
            return []
        labels = (label for (label,) in self.fold.keys)
        return [(label, self.take(self.fold.codes == k)) for k, label in enumerate(labels)]

    def with_decisions(self, decisions: Mapping[str, Mask]) -> "BinaryCases":
        """Return the same cases with more classifiers."""
        return replace(self, decisions={**self.decisions, **decisions})

    def cut(
        self, score: str, threshold: Any, *, name: str | None = None, argument: str = "threshold"
    ) -> "BinaryCases":
        """Return the same cases with a score cut at a threshold as one more classifier.

        Parameters
        ----------
        score : str
        threshold : float or None
            None means 0.5, and then every score must lie in [0, 1].
        name, argument : str, optional
            What messages call the score, and the threshold.

        Raises
        ------
        InvalidArgumentError
            The threshold is no finite number, or None while scores lie outside [0, 1]; or it lies
            between the scores of cases that were counted together.

        Examples
        --------
        >>> from baserate.cases import read_arrays
        >>> two = read_arrays([1, 1, 0], scores={"risk": [0.9, 0.4, 0.5]}).binary()
        >>> two.cut("risk", 0.5).table("risk")
        ConfusionMatrix(tp=1, fn=1, fp=1, tn=0)
        """
        at, values = cutting_point(threshold), self.scores[score]
        low = np.min(values, initial=0)
        high = np.max(self.highest.get(score, values), initial=0)
        check_scale(low, high, threshold, name=name or score)
        decided = reaches(values, at)
        if score in self.highest:
            self._refuse_split(score, decided, at, argument)
        return self.with_decisions({score: decided})

    def _refuse_split(self, score: str, decided: Mask, at: float, argument: str) -> None:
        """Refuse to cut between cases of which only the range of their scores is known."""
        low, high = self.scores[score], self.highest[score]
        split = ~decided & reaches(high, at)
        if split.any():
            n = int(self.count[split].sum())
            below, above = _exact_around(low, high, at)
            raise InvalidArgumentError(
                f"{argument} must not lie between scores that were counted together, got {at!r}, "
                f"which {n:,} of them may or may not reach: pass {below!r} or {above!r}, or count "
                "the cases again with more bins."
            )


def _exact_around(low: NDArray[Any], high: NDArray[Any], at: float) -> tuple[float, float]:
    """Return the nearest thresholds below and above this one that part no row."""
    order = np.argsort(low, kind="stable")
    starts, reached = low[order], np.maximum.accumulate(high[order])
    first = np.append(True, starts[1:] > reached[:-1])  # of rows that overlap, the lowest
    place = int(np.searchsorted(starts[first], at, side="right"))
    above = starts[first][place:]
    return (
        starts[first][place - 1].item(),
        above[0].item() if len(above) else float(np.nextafter(reached[-1], np.inf)),
    )


class _Sums:
    """An amount of each row, added up cell by cell."""

    def __init__(self, cases: BinaryCases, cell: NDArray[Any], amount: NDArray[Any]) -> None:
        add = adder(amount)
        self.table = _table(add(cell, amount, 4))
        self.groups: dict[Key, ConfusionMatrix] = {}
        if cases.grouping is not None:
            keys = cases.grouping.keys
            sums = add(4 * cases.grouping.codes + cell, amount, 4 * len(keys)).reshape(-1, 4)
            self.groups = {key: _table(part) for key, part in zip(keys, sums, strict=True)}


def _table(cells: NDArray[Any]) -> ConfusionMatrix:
    tp, fn, fp, tn = cells.tolist()
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)


def adder(amount: NDArray[Any]) -> Any:
    """Return the function (place, amount, size) that adds up such amounts without loss."""
    return _whole_sums if amount.dtype.kind == "i" else _exact_sums


def _whole_sums(place: NDArray[Any], count: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Add up whole numbers, however large."""
    if count.strides == (0,):  # every row is one case
        return np.bincount(place, minlength=size) * count[:1].sum()
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place, count)
    return sums


def _exact_sums(place: NDArray[Any], amount: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Add up weights without loss."""
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place, minlength=size)
    used = np.flatnonzero(counts)
    parts = np.split(amount[order], np.cumsum(counts[used])[:-1]) if len(used) else []
    sums = np.zeros(size)
    sums[used] = [fsum(part.tolist()) for part in parts]
    return sums
