"""Cases of two classes, and what is asked of them: tables of decisions, joint cells, some rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.clusters import Design, Replicated, cluster_designs
from baserate.cases.counted import Counted, Key
from baserate.cases.labels import Grouping, Mask
from baserate.cases.scores import THRESHOLD, check_scale, cutting_point, reaches
from baserate.cases.unverified import Unverified
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinaryCases:
    """Cases of two classes; a row is a case, or `count` cases that look alike."""

    truth: Mask  # whether the cases of each row are positive
    decisions: Mapping[str, Mask]  # whether each classifier calls them so
    # scores that are no decisions yet: of a row of many cases, the lowest
    scores: Mapping[str, NDArray[Any]]
    count: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    squared: NDArray[np.float64] | None
    grouping: Grouping | None
    fold: Grouping | None
    # what is independent of each other; and which rows are the same item again, for which the item
    # is the cluster where none is named
    cluster: Grouping | None = None
    case: Grouping | None = None
    replicated: Replicated | None = None  # replicate weights beside the weights
    positive: Any
    labels: tuple[Any, ...]  # every label found, in order
    n_missing: int  # cases left out because something was missing
    # the highest score of each row, where some row's cases differ in score
    highest: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    unverified: Unverified | None = None  # those of them whose truth is missing

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
        design, designs = self._designs(cell, amount)
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
            beside=None
            if self.unverified is None
            else self.unverified.beside(
                self.names[name] if isinstance(name, int) else name, count.table
            ),
        )

    def unweighted(self, name: str) -> ConfusionMatrix:
        """Return how many cases one classifier calls what, whatever their weight."""
        return _Sums(self, 2 * ~self.truth + ~self.decisions[name], self.count).table

    def _designs(
        self, cell: NDArray[Any], amounts: "_Sums"
    ) -> tuple[Design | None, dict[Key, Design]]:
        if self.replicated is not None:
            whole, parts = self.replicated.designs(cell, self.grouping, self.count)
            tables = amounts.groups
            return _around(whole, amounts.table), {
                k: _around(d, tables[k]) for k, d in parts.items()
            }
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

    @property
    def is_designed(self) -> bool:
        """Whether clusters or replicate weights say how sure everything is."""
        return self.cluster is not None or self.replicated is not None

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
            replicated=None if self.replicated is None else self.replicated.take(rows),
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


def _around(design: Design, table: ConfusionMatrix) -> Design:
    """Return the design of replicate weights around the table of the weights themselves."""
    return replace(design, total=np.array([*table], dtype=float))


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
    if count.strides == (0,):  # every row is one case
        return np.bincount(place, minlength=size) * count[:1].sum()
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, place, count)
    return sums


def _exact_sums(place: NDArray[Any], amount: NDArray[Any], size: int) -> NDArray[np.float64]:
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place, minlength=size)
    used = np.flatnonzero(counts)
    parts = np.split(amount[order], np.cumsum(counts[used])[:-1]) if len(used) else []
    sums = np.zeros(size)
    sums[used] = [fsum(part.tolist()) for part in parts]
    return sums
