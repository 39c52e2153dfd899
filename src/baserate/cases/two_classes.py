"""Cases of two classes, and what is asked of them: tables of decisions, joint cells, some rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baserate.cases.counted import Counted
from baserate.cases.labels import Mask, adder
from baserate.cases.sample import Sample
from baserate.cases.scores import THRESHOLD, check_scale, cutting_point, reaches
from baserate.cases.unverified import Unverified
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError


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
    unverified: Unverified | None = None  # those left out of which the truth is missing

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

    def within(self, group: int) -> "BinaryCases":
        """Return the cases of one group."""
        assert self.grouping is not None
        return self.take(self.grouping.codes == group)

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


def _table(cells: NDArray[Any]) -> ConfusionMatrix:
    tp, fn, fp, tn = cells.tolist()
    return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)
