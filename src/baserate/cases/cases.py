"""The record of cases: columns of codes, from which tables and sweeps are asked.

Whatever holds the cases is read once into `Cases`. Labels may be of any number of classes; which
of them is positive is decided when two classes are asked for, in `Cases.binary`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Mask
from baserate.cases.binary import check_sides
from baserate.cases.clusters import Replicated
from baserate.cases.counted import Unverified
from baserate.cases.labels import (
    Decide,
    Labels,
    beside,
    grouped,
    labels_of_columns,
    likeliest,
    several_columns,
    values_of,
)
from baserate.cases.restated import Names, relabelled, repeated
from baserate.cases.several_classes import ClassCases
from baserate.cases.strata import clustered, jackknife, sampled
from baserate.cases.two_classes import BinaryCases
from baserate.cases.values import distinct, listed
from baserate.cases.weights import check_sums
from baserate.errors import InvalidArgumentError, LabelError, MissingValueError

Part = tuple[str, Any]  # "truth", "predictions", "groups" or "keys", and the name of a column
ARRAYS, FRAME = "the data", "the data frame"  # what messages call data that have no file name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cases:
    """Cases as they were read; a row is a case, or many that look alike.

    Attributes
    ----------
    predictions, groups, keys : dict of name to Labels
        `keys` are labels that say what belongs together: "fold", "strata", "cluster", "case_id",
        "run".
    scores : dict of name to array
        Floats (nan where a score is missing) or exact whole numbers: of many cases, the lowest. Of
        several classes they may be one array with a column for each.
    highest : dict of name to array of float
        The highest score of each row, where some row's cases differ in score.
    count : array of int
        Cases of each row.
    weight, squared : array of float or None
        Sum of the weights and of the squared weights of those cases; nan where they are missing.
    target, weight_name, where : str
        What messages call the truth, the weights and the data.
    from_text : bool
        Labels came as text, so that "1" may mean the number.
    n_missing : int
        Cases left out because something was missing.
    source : str or None
        Name and format of a file.
    unverified : Cases or None
        Those left out of which the truth is missing.
    unanswered : array of int or None
        How many of those left out, of which the truth is known, have each of its labels.
    idle : Cases or None
        Those left out because their weight is 0.
    drawn : mapping of name to Labels, or None
        Strata and clusters of the sample, those of cases that were left out among them.
    judged : bool
        Whether the truth is known. Else all cases stand as positive ones, so that what is said of
        predictions alone has its table.
    """

    truth: Labels
    count: NDArray[np.int64]
    predictions: Mapping[str, Labels] = field(default_factory=dict)
    scores: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    groups: Mapping[str, Labels] = field(default_factory=dict)
    keys: Mapping[str, Labels] = field(default_factory=dict)
    weight: NDArray[np.float64] | None = None
    squared: NDArray[np.float64] | None = None
    target: str = "y_true"
    weight_name: str = "sample_weight"
    where: str = ARRAYS
    from_text: bool = False
    n_missing: int = 0
    source: str | None = None
    highest: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    unverified: "Cases | None" = None
    unanswered: NDArray[np.int64] | None = None
    idle: "Cases | None" = None
    drawn: Mapping[str, Labels] | None = None
    judged: bool = True

    @classmethod
    def of(cls, parts: Sequence[Part], labels: Iterable[Labels], **rest: Any) -> Self:
        """Put columns of labels, the truth first, where they belong; see `columns_of`."""
        truth, *others = labels
        found: dict[str, dict[str, Labels]] = {"predictions": {}, "groups": {}, "keys": {}}
        for (part, name), column in zip(parts[1:], others, strict=True):
            found[part][str(name)] = column
        return cls(truth=truth, **found, **rest)

    def without_truth(self) -> "Cases":
        """Return the same, if what was read as the truth is a prediction, and no truth is known."""
        nothing = Labels(np.zeros_like(self.truth.codes), [""])
        return replace(
            self,
            truth=nothing,
            predictions={self.target: self.truth, **self.predictions},
            idle=self.idle and self.idle.without_truth(),
            unverified=None,
            unanswered=None,
            judged=False,
        )

    @property
    def n(self) -> int:
        """Cases."""
        return int(self.count.sum())

    @property
    def n_classes(self) -> int:
        """Labels that the truth holds; 1 and True are one."""
        return len(distinct(self.truth.found().values()))

    @property
    def occurring(self) -> tuple[Any, ...]:
        """The labels that the truth or a prediction holds, in order, as `classes` reads them."""
        columns = [self.truth, *self.predictions.values()]
        return labels_of_columns(columns, from_text=self.from_text)[0]

    def complete(
        self,
        missing: str,
        replicates: Iterable[str] = (),
        *,
        relabel: Names | None = None,
        frequency: str | None = None,
    ) -> "Cases":
        """Refuse cases that lack anything, or (`missing` is "drop") leave them out and count them.

        Before, labels are called by other names, and a row is as many cases as one of the scores
        says; see `restated`.

        Rows of weight 0 count nowhere and are left out, unless one of the scores that are
        `replicates`, weights too, is above 0: then they matter to that replicate, as no case.
        """
        if relabel is not None:
            return relabelled(self, relabel).complete(missing, replicates, frequency=frequency)
        if frequency is not None:
            return repeated(self, frequency).complete(missing, replicates)
        if self.drawn is None and (drawn := sampled(self.keys)) is not None:
            return replace(self, drawn=drawn).complete(missing, replicates)
        gaps = self._gaps()
        if not gaps:
            return self.weighted(replicates)
        absent = np.logical_or.reduce([gap for _, gap in gaps])
        rows = {name: int(self.count[gap].sum()) for name, gap in gaps}
        if missing != "drop":
            verb = "have" if self.where == ARRAYS else "has"
            raise MissingValueError.from_rows(f"{opening(self.where)} {verb}", rows)
        if absent.all():
            found = ", ".join(f"{n:,} in {column!r}" for column, n in rows.items())
            raise MissingValueError(f"Every row of {self.where} has a missing value: {found}.")
        lost = absent if self.weight is None else absent & (self.weight != 0)
        untold = lost & self.truth.missing()
        told = lost & ~untold
        return replace(
            self.take(~absent).weighted(replicates),
            n_missing=self.n_missing + int(self.count[lost].sum()),
            unverified=self.take(untold) if untold.any() else self.unverified,
            unanswered=self._by_label(told) if told.any() else self.unanswered,
        )

    def _by_label(self, rows: Mask) -> NDArray[np.int64]:
        """Return how many cases of these rows have each of the labels of the truth."""
        codes, size = self.truth.codes[rows], len(self.truth.labels)
        return np.bincount(codes, self.count[rows], size).astype(np.int64)

    def weighted(self, replicates: Iterable[str]) -> "Cases":
        """Leave out rows of weight 0, unless there are no others, which is refused later."""
        if self.weight is None or self.weight.all() or not self.weight.any():
            return self
        counts = self.weight > 0
        kept = np.logical_or.reduce([counts, *(self.scores[name] > 0 for name in replicates)])
        count = np.where(counts, self.count, 0)
        return replace(replace(self, count=count).take(kept), idle=self.take(~kept))

    def take(self, rows: Any) -> "Cases":
        """Return some rows."""
        sums = {name: getattr(self, name) for name in ("count", "weight", "squared")}
        return replace(
            self,
            truth=self.truth.take(rows),
            predictions={name: column.take(rows) for name, column in self.predictions.items()},
            groups={name: column.take(rows) for name, column in self.groups.items()},
            keys={name: column.take(rows) for name, column in self.keys.items()},
            scores={name: score[rows] for name, score in self.scores.items()},
            highest={name: score[rows] for name, score in self.highest.items()},
            **{name: None if column is None else column[rows] for name, column in sums.items()},
        )

    def of_columns(
        self,
        *,
        predictions: Iterable[Any],
        scores: Iterable[Any],
        groups: Iterable[Any],
        keys: Mapping[str, Any],
    ) -> "Cases":
        """Return the same rows with some of their columns; of class scores in one array, these."""
        whole = {name: score for name, score in self.scores.items() if score.ndim > 1}
        kept = whole | {name: self.scores[name] for name in scores}
        how = {"predictions": predictions, "scores": scores, "groups": groups, "keys": keys}
        others = {"unverified": self.unverified, "idle": self.idle}
        return replace(
            self,
            predictions={str(name): self.predictions[str(name)] for name in predictions},
            scores=kept,
            highest={name: high for name, high in self.highest.items() if name in kept},
            groups={str(name): self.groups[str(name)] for name in groups},
            keys={role: self.keys[role] for role in keys},
            **{name: part and part.of_columns(**how) for name, part in others.items()},
        )

    def binary(self, positive: Any = None, *, argument: str = "positive") -> BinaryCases:
        """Decide which label is positive; the others are negative.

        Every prediction is resolved beside the truth, as it would be alone.
        """
        check_sums(self.target, self.n, self.weight, self.squared)
        self._check_idle()
        # A score that is yet to be cut has no labels.
        columns = self.predictions or {"score": Labels(self.truth.codes[:0], [], decided=True)}
        how: dict[str, Any] = {"judged": self.judged, "from_text": self.from_text}
        how |= {"target": self.target, "argument": argument, "count": self.count}
        found = {n: beside(self.truth, x, positive, predicted=n, **how) for n, x in columns.items()}
        one, first = next(iter(found.items()))
        for name, other in found.items():
            if other.positive != first.positive:
                raise LabelError(
                    f"{one} and {name} must use the same labels: beside {self.target} the one "
                    f"holds {listed(first.labels)} and the other {listed(other.labels)}; give both "
                    f"the labels of {self.target}."
                )
        return BinaryCases(
            truth=first.truth[self.truth.codes],
            decisions={name: found[name].decided[x.codes] for name, x in self.predictions.items()},
            scores=self.scores,
            highest=self.highest,
            **self._sample(),
            positive=first.positive,
            labels=distinct(label for side in found.values() for label in side.labels),
            only_predicted=sum((side.only_predicted for side in found.values()), Counter[Any]()),
            n_missing=self.n_missing,
            unverified=Unverified.of(self.unverified, first.positive),
            unanswered=self._left_out((~first.truth).astype(np.intp), 2),
        )

    def classes(
        self,
        labels: Sequence[Any] | None = None,
        scores: Sequence[Any] | None = None,
        *,
        decisions: Sequence[Any] | None = None,
    ) -> ClassCases:
        """Tell every label from every other one.

        With `decisions`, predictions name these, which are no classes. `labels` may hold some that
        do not occur; `scores` are names, or columns of the one array that holds them.
        """
        check_sums(self.target, self.n, self.weight, self.squared)
        if labels is None and decisions is None:
            self._check_idle()
        columns = [self.truth, *self.predictions.values()]
        found = several_columns(
            columns, [self.target, *self.predictions], labels, decisions=decisions,
            from_text=self.from_text,
        )  # fmt: skip
        truth, *predicted = (
            to[column.codes] for to, column in zip(found.places, columns, strict=True)
        )
        return ClassCases(
            labels=found.labels,
            decisions=None if decisions is None else tuple(decisions),
            truth=truth,
            predictions=dict(zip(map(str, self.predictions), predicted, strict=True)),
            scores=None if scores is None else self.side_by_side(scores),
            **self._sample(),
            n_missing=self.n_missing,
            unverified=self.unverified,
            unanswered=self._left_out(found.places[0], len(found.labels)),
        )

    def _left_out(self, place: NDArray[np.intp], size: int) -> NDArray[np.int64] | None:
        """Return how many cases left out are of each class, of labels that the others have too."""
        if self.unanswered is None or not self.judged:
            return None
        known = [*self.truth.found()]
        return np.bincount(place[known], self.unanswered[known], size).astype(np.int64)

    def _sample(self) -> dict[str, Any]:
        """Return what every sample has: how its cases count, and what they belong to."""
        found: dict[str, Any] = {"count": self.count, "weight": self.weight}
        found |= {"squared": self.squared, "n_idle": self.idle.n if self.idle else 0}
        belonging = clustered(self.keys, self.count)
        amount = self.count if self.weight is None else self.weight
        if (weights := jackknife(self.keys, self.drawn, amount)) is not None:
            belonging = belonging._replace(cluster=None)
            found |= {"replicated": Replicated.of_units(weights)}
        fold = {"fold": self.keys["fold"]} if "fold" in self.keys else {}
        found |= {"grouping": grouped(self.groups), "fold": grouped(fold)}
        return found | belonging._asdict()

    def side_by_side(self, scores: Sequence[Any]) -> NDArray[np.float64]:
        """Return scores by name, or columns of the one array that holds them, in this order."""
        found = self._stacked(scores)
        if not np.isfinite(found).all():
            given = found[~np.isfinite(found)][0].item()
            remedy = "pass probabilities or other finite scores"
            raise InvalidArgumentError.from_rule("score", "must be finite", given, remedy)
        return found

    def decided(
        self, name: str, labels: Sequence[Any], scores: Sequence[Any], decide: Decide = likeliest
    ) -> "Cases":
        """Return the same rows, called a label by its scores; None where one lacks."""
        found = self._stacked(scores)
        known = np.logical_and.reduce(np.isfinite(found), axis=1)
        codes = np.full(len(found), len(labels))
        codes[known] = decide(found[known])
        called = Labels(codes, [*labels, None])
        return replace(self, predictions={**self.predictions, name: called})

    def _stacked(self, scores: Sequence[Any]) -> NDArray[np.float64]:
        whole = next((s for s in self.scores.values() if s.ndim > 1), None)
        if whole is None:
            return np.stack([np.asarray(self.scores[k], dtype=float) for k in scores], axis=1)
        places = list(scores)
        return whole if places == list(range(whole.shape[1])) else whole[:, places]

    def _gaps(self) -> list[tuple[Any, Mask]]:
        """Return the columns with something missing, and where."""
        several = (self.predictions, self.groups, self.keys)
        columns = [(self.target, self.truth), *(pair for part in several for pair in part.items())]
        gaps = [(c.name or name, c.missing()) for name, c in columns if None in c.labels]
        numbers = list(self.scores.items())
        numbers += [] if self.weight is None else [(self.weight_name, self.weight)]
        gaps += [(name, _absent(values)) for name, values in numbers if values.dtype.kind == "f"]
        return [(name, gap) for name, gap in gaps if gap.any()]

    def _check_idle(self) -> None:
        """Refuse rows of weight 0 whose labels are not understood beside those that count."""
        if self.idle is None:
            return
        sides = {"score": (Labels(self.truth.codes[:0], [], decided=True),) * 2}
        sides = {n: (c, self.idle.predictions[n]) for n, c in self.predictions.items()} or sides
        for name, pair in sides.items():
            truth = self.true_labels() | self.idle.true_labels()
            side = {} if pair[0].decided else pair[0].found() | pair[1].found()
            if self.from_text:
                truth, side = values_of([truth, side])
            found = distinct(truth.values()), distinct(side.values())
            check_sides(*found, target=self.target, predicted=name)

    def true_labels(self) -> dict[int, Any]:
        """Return the true labels that occur, by code; none where no truth is known."""
        return self.truth.found() if self.judged else {}


def _absent(values: NDArray[Any]) -> Mask:
    """Say which rows lack a number; a row that lacks one of several lacks it."""
    gaps = np.isnan(values)
    return gaps if gaps.ndim == 1 else np.logical_or.reduce(gaps, axis=1)


def columns_of(
    target: Any, predictions: Iterable[Any], groups: Iterable[Any] = (), keys: Iterable[Any] = ()
) -> list[Part]:
    """Name the columns of labels in the order in which they are read."""
    several = (("predictions", predictions), ("groups", groups), ("keys", keys))
    return [("truth", target), *((part, name) for part, names in several for name in names)]


def opening(where: str) -> str:
    """Write the name of the data as a sentence begins; a file name stays as it is."""
    return where.capitalize() if where in (ARRAYS, FRAME) else where
