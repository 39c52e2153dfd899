"""Cases: some of them, sums over their rows; and those of two classes, with their tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Mask
from baserate.cases.clusters import ClassDesign, Replicated, cluster_designs, replicate_designs
from baserate.cases.counted import Counted, Key, Unverified
from baserate.cases.labels import Codes, Grouping, adder
from baserate.cases.scores import THRESHOLD, check_scale, cutting_point, reaches
from baserate.cases.strata import Jackknife
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError

SUMS = ("count", "weight", "squared")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Cases, of two classes or of several; a row is a case, or `count` cases that look alike."""

    columns: ClassVar[tuple[str, ...]] = ()  # what else has a row for each: arrays, or such by name

    count: NDArray[np.int64]
    weight: NDArray[np.float64] | None = None
    squared: NDArray[np.float64] | None = None
    grouping: Grouping | None = None
    fold: Grouping | None = None
    # what is independent of each other, where cases are not; and which rows are the same item
    # again, for which the item is the cluster where none is named
    cluster: Grouping | None = None
    case: Grouping | None = None
    replicated: Replicated | None = None  # replicate weights beside the weights
    n_missing: int = 0  # cases left out because something was missing
    n_idle: int = 0  # cases left out because their weight is 0

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

    @property
    def is_designed(self) -> bool:
        """Whether clusters or replicate weights say how sure everything is."""
        return self.cluster is not None or self.replicated is not None

    @property
    def drawn(self) -> Codes | Jackknife | None:
        """The cluster of each row, or of strata the weights without each; None if none was drawn.

        Replicate weights name no clusters, and of items and runs both are drawn.
        """
        if self.cluster is not None:
            return self.cluster.codes
        units = None if self.replicated is None else self.replicated.amounts
        return units if isinstance(units, Jackknife) and not units.crossed else None

    @property
    def amount(self) -> NDArray[Any]:
        """What tables add up: weights, or cases."""
        return self.count if self.weight is None else self.weight

    @property
    def rows(self) -> NDArray[np.intp]:
        """The row of every case, one by one."""
        return np.repeat(np.arange(len(self.count)), self.count)

    def take(self, rows: Any) -> Self:
        """Return some rows, without their groups."""
        taken: dict[str, Any] = {"grouping": None, "fold": None}
        for name in (*SUMS, *self.columns):
            column = getattr(self, name)
            if isinstance(column, Mapping):
                taken[name] = {key: each[rows] for key, each in column.items()}
            elif column is not None:
                taken[name] = column[rows]
        for name in ("cluster", "case", "replicated"):
            key = getattr(self, name)
            taken[name] = None if key is None else key.take(rows)
        return replace(self, **taken)

    def within(self, group: int) -> Self:
        """Return the cases of one group."""
        assert self.grouping is not None
        return self.take(self.grouping.codes == group)

    def folds(self) -> list[tuple[Any, Self]]:
        """Return the cases of each fold beside its label."""
        if self.fold is None:
            return []
        labels = (label for (label,) in self.fold.keys)
        return [(label, self.take(self.fold.codes == k)) for k, label in enumerate(labels)]

    def tables(self, cell: NDArray[Any], k: int, table: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what `Counted` and `ClassCounted` hold, from the cell of each row: K i + j."""
        whole, groups = self._sums(cell, k * k, self.amount)
        squared, squares = None, dict[Key, Any]()
        if self.squared is not None:
            squared, squares = self._sums(cell, k * k, self.squared)
        sizes = list[int]()
        if self.grouping is not None:
            codes = self.grouping.codes
            sizes = adder(self.count)(codes, self.count, len(self.groups)).tolist()
        design, designs = self._designs(cell, k)
        if self.replicated is not None:  # around the tables of the weights themselves
            design = design and _around(design, whole)
            designs = {key: _around(one, groups[key]) for key, one in designs.items()}
        return {
            "table": table(whole),
            "n": self.n,
            "n_missing": self.n_missing,
            "groups": {key: table(cells) for key, cells in groups.items()},
            "group_names": self.group_names,
            "group_n": dict(zip(self.groups, sizes, strict=True)),
            "squared": None if squared is None else table(squared),
            "group_squared": {key: table(cells) for key, cells in squares.items()},
            "design": design,
            "group_designs": designs,
        }

    def _designs(
        self, cell: NDArray[Any], k: int
    ) -> tuple[ClassDesign | None, dict[Key, ClassDesign]]:
        """Return how the tables of all cases and of every group vary."""
        how = (self.grouping, cell, k)
        if self.replicated is not None:
            return replicate_designs(self.replicated, *how, self.count)
        if self.cluster is None:
            return None, {}
        amount = self.amount
        add = adder(amount)
        return cluster_designs(
            self.cluster, *how, lambda place, size: add(place, amount, size), self.count
        )

    def _sums(
        self, cell: NDArray[Any], size: int, amount: NDArray[Any]
    ) -> tuple[NDArray[Any], dict[Key, NDArray[Any]]]:
        """Add up an amount of each row by cells, over all cases and in each group."""
        add = adder(amount)
        whole = add(cell, amount, size)
        if self.grouping is None:
            return whole, {}
        place = size * self.grouping.codes + cell
        parts = add(place, amount, size * len(self.groups)).reshape(-1, size)
        return whole, dict(zip(self.groups, parts, strict=True))


def _around(design: ClassDesign, cells: NDArray[Any]) -> ClassDesign:
    return replace(design, total=cells.reshape(design.total.shape).astype(float))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinaryCases(Sample):
    """Cases of two classes."""

    columns: ClassVar[tuple[str, ...]] = ("truth", "decisions", "scores", "highest")

    truth: Mask  # whether the cases of each row are positive
    decisions: Mapping[str, Mask]  # whether each classifier calls them so
    # scores that are no decisions yet: of a row of many cases, the lowest
    scores: Mapping[str, NDArray[Any]]
    positive: Any
    labels: tuple[Any, ...]  # every label found, in order
    # the highest score of each row, where some row's cases differ in score
    highest: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    # labels that predictions have and the truth never, and how many of these there are
    only_predicted: Mapping[Any, int] = field(default_factory=dict)
    unverified: Unverified | None = None  # those left out of which the truth is missing
    # how many of those left out of which it is known are positive, and negative
    unanswered: NDArray[np.int64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(self.decisions)

    def table(self, name: str | int) -> ConfusionMatrix:
        """Return the confusion matrix of one classifier, given by name or place; see `counted`."""
        return self.counted(name).table

    def counted(self, name: str | int = 0) -> Counted:
        """Return the confusion matrices of one classifier, over all cases and in each group."""
        key = self.names[name] if isinstance(name, int) else name
        lost, found = self.unverified, self.tables(self._cell(key), 2, _table)
        if (design := found["design"]) is not None:
            designs = {group: one.binary(0, 0) for group, one in found["group_designs"].items()}
            found |= {"design": design.binary(0, 0), "group_designs": designs}
        return Counted(
            positive=self.positive,
            labels=self.labels,
            beside=None if lost is None else lost.beside(key, self.unweighted(key)),
            **found,
        )

    def unweighted(self, name: str) -> ConfusionMatrix:
        """Return how many cases one classifier calls what, whatever their weight."""
        return _table(adder(self.count)(self._cell(name), self.count, 4))

    def _cell(self, name: str) -> NDArray[Any]:
        return 2 * ~self.truth + ~self.decisions[name]  # tp, fn, fp, tn

    def cells(self, which: Sequence[int], amount: str = "count") -> NDArray[Any]:
        """Return how often these classifiers decided what, by class; or sums of another amount.

        One axis of 2 per classifier and one for the class: 0 stands for positive, 1 for negative.
        """
        column = getattr(self, amount)
        column = self.count if column is None else column
        decisions = list(self.decisions.values())
        place = np.zeros(len(self.truth), dtype=np.intp)
        for decided in (*(decisions[k] for k in which), self.truth):
            place = 2 * place + ~decided
        shape = (2,) * (len(which) + 1)
        return adder(column)(place, column, 2 ** len(shape)).reshape(shape)

    def with_decisions(self, decisions: Mapping[str, Mask]) -> "BinaryCases":
        """Return the same cases with more classifiers."""
        return replace(self, decisions={**self.decisions, **decisions})

    def cut(
        self, score: str, threshold: Any, *, name: str | None = None, argument: str = "threshold"
    ) -> "BinaryCases":
        """Return the same cases with a score cut at a threshold as one more classifier.

        A threshold of None means 0.5, and then every score must lie in [0, 1].
        """
        at, values = cutting_point(threshold), self.scores[score]
        low = np.min(values, initial=0)
        high = np.max(self.highest.get(score, values), initial=0)
        check_scale(low, high, threshold, name=name or score)
        decided = reaches(values, at)
        if score in self.highest:
            self._refuse_split(score, decided, at, argument)
        lost = self.unverified
        if lost is not None and score in lost.scores:
            lost = lost.cut(score, at)
        return replace(self.with_decisions({score: decided}), unverified=lost)

    def usual_cut(self, score: str) -> float | None:
        """Return where to cut if nobody says: None, which is 0.5, where that parts no row.

        Else the nearest threshold that parts none, since the order within rows is lost.
        """
        if score not in self.highest:
            return None
        low, high = self.scores[score], self.highest[score]
        apart = not ((low < THRESHOLD) & (high >= THRESHOLD)).any()
        if apart or low.min() < 0 or high.max() > 1:
            return None
        return min(_exact_around(low, high, THRESHOLD), key=lambda at: abs(at - THRESHOLD))

    def _refuse_split(self, score: str, decided: Mask, at: float, argument: str) -> None:
        """Refuse to cut between cases of which only the range of their scores is known."""
        low, high = self.scores[score], self.highest[score]
        split = ~decided & reaches(high, at)
        if split.any():
            reach = " and ".join(
                f"{int(self.count[side & decided].sum()):,} to "
                f"{int(self.count[side & (decided | split)].sum()):,} {name}"
                for side, name in ((self.truth, "positives"), (~self.truth, "negatives"))
            )
            below, above = _exact_around(low, high, at)
            raise InvalidArgumentError(
                f"{argument} must not lie between scores that were counted together, got {at!r}, "
                f"which {reach} reach: pass {below!r} or {above!r}, or count the decisions at it "
                "where the cases lie."
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


def _table(cells: NDArray[Any]) -> ConfusionMatrix:
    tp, fn, fp, tn = cells.tolist()
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
