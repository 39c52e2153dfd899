"""What several classifiers decided on the same cases, counted together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.cases.cases import coded, score_array
from baserate.cases.tally import Tally, resolve
from baserate.cases.values import distinct, is_missing, listed, order
from baserate.counts import ConfusionMatrix
from baserate.errors import LabelError, MissingValueError

Codes = NDArray[np.intp]


class Coded(NamedTuple):
    """A column of labels: `labels[code]` of each row; None is a missing label."""

    codes: Codes
    labels: list[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Columns as they were read; a row is a case, or `count` cases that look the same.

    Attributes
    ----------
    target : str
    truth : Coded
    predictions, groups : dict of name to Coded
    scores : dict of name to array
        nan where a score is missing.
    count : array of int
    from_text : bool
        Labels came as text, so that "1" may mean the number.
    n_missing : int
        Cases left out before.
    """

    target: str
    truth: Coded
    predictions: Mapping[str, Coded]
    groups: Mapping[str, Coded]
    scores: Mapping[str, NDArray[Any]]
    count: NDArray[np.int64]
    from_text: bool = False
    n_missing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joint:
    """Decisions of several classifiers on the same cases.

    Attributes
    ----------
    names : tuple of str
        Of the classifiers.
    truth : array of bool, shape (m,)
        Whether the cases of each row are positive.
    decided : array of bool, shape (k, m)
        Whether each classifier calls them so.
    count : array of int, shape (m,)
    scores : dict of name to array of shape (m,)
        Scores that are no decisions yet; then every row is one case.
    group : array of int, shape (m,)
        Index into `groups`.
    groups : tuple of tuple
        Group labels, in order; empty without group columns.
    group_names : tuple of str
    positive : label
    labels : tuple
    n_missing : int
    """

    names: tuple[str, ...]
    truth: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    count: NDArray[np.int64]
    scores: Mapping[str, NDArray[Any]]
    group: Codes
    groups: tuple[tuple[Any, ...], ...]
    group_names: tuple[str, ...]
    positive: Any
    labels: tuple[Any, ...]
    n_missing: int

    @property
    def n(self) -> int:
        """Cases."""
        return int(self.count.sum())

    def table(self, k: int) -> ConfusionMatrix:
        """Return the confusion matrix of one classifier."""
        tp, fp, fn, tn = self.cells((k,)).ravel().tolist()
        return ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)

    def cells(self, which: Sequence[int]) -> NDArray[np.int64]:
        """Return how often these classifiers decided what, by class.

        Returns
        -------
        array of shape (2, ..., 2), one axis per classifier and one for the class
            0 stands for positive, 1 for negative.
        """
        place = np.zeros(len(self.truth), dtype=np.intp)
        for column in (*(self.decided[k] for k in which), self.truth):
            place = 2 * place + ~column
        size = 2 ** (len(which) + 1)
        sums = np.bincount(place, weights=self.count, minlength=size)
        return sums.astype(np.int64).reshape((2,) * (len(which) + 1))

    def within(self, index: int) -> "Joint":
        """Return the cases of one group."""
        rows = self.group == index
        return replace(
            self,
            truth=self.truth[rows],
            decided=self.decided[:, rows],
            count=self.count[rows],
            scores={name: score[rows] for name, score in self.scores.items()},
            group=self.group[rows],
        )

    def with_decisions(self, decisions: Mapping[str, NDArray[np.bool_]]) -> "Joint":
        """Return the same cases with more classifiers."""
        names = (*self.names, *decisions)
        return replace(self, names=names, decided=np.stack([*self.decided, *decisions.values()]))


def joint_of_arrays(
    y_true: Any,
    predictions: Mapping[str, Any],
    scores: Mapping[str, Any],
    groups: Mapping[str, Any],
    *,
    positive: Any = None,
    missing: str = "error",
) -> Joint:
    """Count what several columns of predictions say about the same cases.

    Examples
    --------
    >>> joint = joint_of_arrays([1, 1, 0], {"A": [1, 0, 0], "B": [1, 1, 1]}, {}, {})
    >>> joint.table(1), joint.cells((0, 1)).tolist()
    (ConfusionMatrix(tp=2, fn=0, fp=1, tn=0), [[[1, 0], [0, 0]], [[1, 1], [0, 0]]])
    """
    truth = Coded(*coded("y_true", y_true))
    columns = Columns(
        target="y_true",
        truth=truth,
        predictions={name: Coded(*coded(name, column)) for name, column in predictions.items()},
        groups={
            name: Coded(*coded(name, column, refuse_scores=False))
            for name, column in groups.items()
        },
        scores={name: score_array(name, column) for name, column in scores.items()},
        count=np.ones(len(truth.codes), dtype=np.int64),
    )
    return joint_of_columns(columns, positive=positive, missing=missing)


def joint_of_columns(columns: Columns, *, positive: Any = None, missing: str = "error") -> Joint:
    """Decide which label is positive, and what each classifier says.

    Every prediction is resolved beside the truth as `evaluate` would alone.

    Raises
    ------
    LabelError
        Columns differ in length or in their labels, or nothing says which label is positive.
    MissingValueError
        Something is missing, unless `missing` is "drop".
    """
    drop = one_of("missing", missing, ("error", "drop")) == "drop"
    columns, n_missing = _complete(_of_one_length(columns), drop=drop)
    found = {name: _resolved(columns, name, positive) for name in columns.predictions}
    if not found:
        found = {"": _resolved(columns, None, positive)}
    first = next(iter(found.values()))
    _refuse_other_labels(columns.target, found)
    decided = [side.decided for side in found.values() if side.decided is not None]
    size = len(columns.count)
    group, groups = _groups(columns.groups, size)
    return Joint(
        names=tuple(columns.predictions),
        truth=first.truth,
        decided=np.array(decided, dtype=bool).reshape(-1, size),
        count=columns.count,
        scores=columns.scores,
        group=group,
        groups=groups,
        group_names=tuple(map(str, columns.groups)),
        positive=first.positive,
        labels=distinct(label for side in found.values() for label in side.labels),
        n_missing=columns.n_missing + n_missing,
    )


class _Resolved(NamedTuple):
    truth: NDArray[np.bool_]
    decided: NDArray[np.bool_] | None
    positive: Any
    labels: tuple[Any, ...]


def _of_one_length(columns: Columns) -> Columns:
    size = len(columns.count)
    labels = {**columns.predictions, **columns.groups}
    sizes = {name: len(column.codes) for name, column in labels.items()}
    sizes |= {name: len(score) for name, score in columns.scores.items()}
    for name, other in sizes.items():
        if other != size:
            rule = f"must have as many cases as {columns.target} ({size:,})"
            remedy = "pass one entry per case in every column"
            raise LabelError.from_rule(name, rule, other, remedy)
    return columns


def _complete(columns: Columns, *, drop: bool) -> tuple[Columns, int]:
    """Leave out rows in which a label, a score or a group is missing, or refuse them."""
    named = {columns.target: columns.truth, **columns.predictions, **columns.groups}
    gaps = {name: _missing(column) for name, column in named.items()}
    for name, score in columns.scores.items():
        is_float = score.dtype.kind == "f"
        gaps[name] = np.isnan(score) if is_float else np.zeros(len(score), dtype=bool)
    absent = np.logical_or.reduce(list(gaps.values()))
    if not absent.any():
        return columns, 0
    if not drop:
        sizes = {name: int(columns.count[gap].sum()) for name, gap in gaps.items()}
        raise MissingValueError.from_rows("The data have", sizes)
    return _kept(columns, ~absent), int(columns.count[absent].sum())


def _missing(column: Coded) -> NDArray[np.bool_]:
    gap = np.array([*map(is_missing, column.labels), False])
    return gap[column.codes]


def _kept(columns: Columns, rows: NDArray[np.bool_]) -> Columns:
    def part(several: Mapping[str, Coded]) -> dict[str, Coded]:
        return {name: Coded(c.codes[rows], c.labels) for name, c in several.items()}

    return replace(
        columns,
        truth=Coded(columns.truth.codes[rows], columns.truth.labels),
        predictions=part(columns.predictions),
        groups=part(columns.groups),
        scores={name: score[rows] for name, score in columns.scores.items()},
        count=columns.count[rows],
    )


def _resolved(columns: Columns, name: str | None, positive: Any) -> _Resolved:
    """Resolve one prediction beside the truth, on the few pairs of labels that occur."""
    truth = columns.truth
    side = Coded(np.zeros_like(truth.codes), [False]) if name is None else columns.predictions[name]
    width = len(side.labels)
    place = truth.codes * width + side.codes
    pairs, where = np.unique(place, return_inverse=True)
    sizes = np.bincount(where, weights=columns.count, minlength=len(pairs)).astype(np.int64)
    rows, cols = np.divmod(pairs, max(width, 1))
    tally = Tally(
        truth=tuple(truth.labels[i] for i in rows.tolist()),
        prediction=tuple(side.labels[i] for i in cols.tolist()),
        count=tuple(sizes.tolist()),
        groups=tuple((i,) for i in range(len(pairs))),
        group_names=("pair",),
        decided=name is None,
        n_missing=columns.n_missing,
    )
    found = resolve(
        tally,
        positive=positive,
        target=columns.target,
        prediction=name or "score",
        from_text=columns.from_text,
    )
    tables = [found.groups[i,] for i in range(len(pairs))]
    is_positive = np.array([table.n_positive > 0 for table in tables], dtype=bool)
    flagged = np.array([table.n_predicted > 0 for table in tables], dtype=bool)
    decided = None if name is None else flagged[where]
    return _Resolved(is_positive[where], decided, found.positive, found.labels)


def _refuse_other_labels(target: str, found: Mapping[str, _Resolved]) -> None:
    """Refuse predictions of which one spells the truth's labels otherwise than another one."""
    (first, one), *others = found.items()
    for name, other in others:
        if other.positive != one.positive:
            raise LabelError(
                f"{first} and {name} must use the same labels: beside {target} the one holds "
                f"{listed(one.labels)} and the other {listed(other.labels)}; give both the labels "
                f"of {target}."
            )


def _groups(columns: Mapping[str, Coded], size: int) -> tuple[Codes, tuple[tuple[Any, ...], ...]]:
    """Return the group of each row, and the groups in order; a missing label is None."""
    if not columns:
        return np.zeros(size, dtype=np.intp), ()
    codes = np.stack([column.codes for column in columns.values()], axis=1)
    found, where = np.unique(codes, axis=0, return_inverse=True)
    keys = [
        tuple(_label(c.labels[i]) for c, i in zip(columns.values(), row, strict=True))
        for row in found.tolist()
    ]
    places = sorted(range(len(keys)), key=lambda i: [order(label) for label in keys[i]])
    to = np.empty(len(keys), dtype=np.intp)
    to[places] = np.arange(len(keys))
    return to[where.ravel()], tuple(keys[i] for i in places)


def _label(value: Any) -> Any:
    return None if is_missing(value) else value
