"""The table of several classes: how many cases of each class were called what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arith import plain, ratio
from baserate._checks import can_be_looked_up, one_of
from baserate._result import Crossed, frame_of
from baserate.counts import LARGEST, ConfusionMatrix
from baserate.errors import InvalidArgumentError, InvalidCountError, LabelError

Share = Literal["truth", "prediction", "all"]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class ClassTable(Crossed):
    """Counts of K classes: truth in rows, predictions in columns, both in the order of the labels.

    Parameters
    ----------
    counts : array of shape (..., K, K)
        Non-negative and finite; K at least 2. Further axes make a batch of tables. Floats are
        weighted counts; whole numbers of which one exceeds 2^61 / K^2 become floats, so that no sum
        overflows. A pandas frame must have the same labels in rows and columns, in one order.
    labels : sequence of K labels, optional
        Default: those of a pandas frame, else 0, 1, ..., K - 1.

    Raises
    ------
    InvalidCountError
        Counts are negative, not finite, not numbers, or not square.
    InvalidArgumentError
        Labels are not as many as the classes, one stands twice, is missing or has no hash, or rows
        and columns of a frame differ.

    Examples
    --------
    Fisher's irises by linear discriminant analysis: three of 150 flowers are taken for others.

    >>> from baserate import ClassTable
    >>> t = ClassTable([[50, 0, 0], [0, 48, 2], [0, 1, 49]], ["setosa", "versicolor", "virginica"])
    >>> t.n, t.n_classes, t.class_counts.tolist(), t.predicted_counts.tolist()
    (150, 3, [50, 50, 50], [50, 49, 51])
    >>> t.one_vs_rest("virginica")
    ConfusionMatrix(tp=49, fn=1, fp=2, tn=98)
    """

    counts: NDArray[Any]
    labels: tuple[Any, ...]

    def __init__(self, counts: Any, labels: Sequence[Any] | None = None) -> None:
        cells = _checked(counts)
        names = _named(_labels_of(counts, cells) if labels is None else labels, cells.shape[-1])
        object.__setattr__(self, "counts", cells)
        object.__setattr__(self, "labels", names)

    @classmethod
    def stack(cls, tables: Iterable[Self]) -> Self:
        """Make one batch of single tables, of the same classes in the same order."""
        every = list(tables)
        return cls(np.stack([table.counts for table in every]), every[0].labels)

    @property
    def n(self) -> Any:
        """All cases."""
        return plain(self.counts.sum((-2, -1)))

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.labels)

    @property
    def class_counts(self) -> NDArray[Any]:
        """Cases of each class, shape (..., K)."""
        return self.counts.sum(-1)

    @property
    def predicted_counts(self) -> NDArray[Any]:
        """Cases called each class, shape (..., K)."""
        return self.counts.sum(-2)

    @property
    def hits(self) -> NDArray[Any]:
        """Cases of each class that are called so, shape (..., K)."""
        return np.diagonal(self.counts, axis1=-2, axis2=-1)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for a single table."""
        return self.counts.shape[:-2]

    @property
    def is_weighted(self) -> bool:
        """Whether some count is not a whole number."""
        return bool(np.any(self.counts % 1 != 0))

    @property
    def absent(self) -> tuple[Any, ...]:
        """Labels of which the table holds no case, in all tables of a batch."""
        cases = self.class_counts.reshape(-1, self.n_classes).sum(0).tolist()
        return tuple(label for label, n in zip(self.labels, cases, strict=True) if not n)

    def index(self, label: Any) -> int:
        """Return the place of a label.

        Raises
        ------
        LabelError
            There is no such class; the message lists them.
        """
        if can_be_looked_up(label) and label in self.labels:
            return self.labels.index(label)
        shown = ", ".join(map(repr, self.labels[:20]))
        raise LabelError.from_rule("label", "must be a class of the table", label, f"use {shown}")

    def one_vs_rest(self, label: Any = None) -> ConfusionMatrix:
        """Return the table of one class against all others together.

        Without a label, those of every class: a batch of shape (..., K).

        Examples
        --------
        >>> from baserate import ClassTable
        >>> ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]]).one_vs_rest().tp.tolist()
        [5, 7, 4]
        """
        if self.counts.dtype.kind == "i":  # differences of whole numbers lose nothing
            fn, fp = self.class_counts - self.hits, self.predicted_counts - self.hits
            tn = self.counts.sum((-2, -1))[..., None] - self.class_counts - fp
        else:
            wrong, others = _off_diagonal(self.counts), _of_others(self.counts)
            fn, fp, tn = wrong.sum(-1), wrong.sum(-2), _off_diagonal(others).sum(-1)
        every = ConfusionMatrix(tp=self.hits, fn=fn, fp=fp, tn=tn)
        return every if label is None else every[..., self.index(label)]

    def collapse(self, groups: Mapping[Any, Iterable[Any]]) -> Self:
        """Return the table of coarser classes: sums over the labels of each group.

        Parameters
        ----------
        groups : mapping of new label to labels
            Labels that stand in no group keep their own class, after the new ones.

        Raises
        ------
        InvalidArgumentError
            Groups are no mapping, a label stands in two of them, a new label is one that stays, or
            fewer than two classes are left.
        LabelError
            There is no such class.

        Examples
        --------
        >>> from baserate import ClassTable
        >>> t = ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["a", "b", "well"])
        >>> t.collapse({"ill": ["a", "b"]}).counts.tolist()
        [[15, 1], [0, 4]]
        """
        if not isinstance(groups, Mapping):
            raise _wrong(
                "be a mapping", groups, "pass {new label: [labels of the table]}", "groups"
            )
        one = {new: [old] for new, old in groups.items() if old in self.labels}
        members = {new: tuple(one.get(new, old)) for new, old in groups.items()}
        taken = [label for old in members.values() for label in old]
        if twice := sorted({repr(label) for label in taken if taken.count(label) > 1}):
            raise _wrong("hold each label once", twice, "leave it in one group", "groups")
        kept = {label: (label,) for label in self.labels if label not in taken}
        every, rule = {**members, **kept}, "not be called like a class that stays"
        if clash := [new for new in members if new in kept]:
            raise _wrong(rule, clash, "choose another name", "groups")
        if len(every) < 2:
            raise _wrong("leave at least two classes", [*every], "leave some label out", "groups")
        to = np.zeros(self.n_classes, dtype=np.intp)
        for place, old in enumerate(every.values()):
            to[[self.index(label) for label in old]] = place
        cells = np.zeros((*self.shape, len(every), len(every)), dtype=self.counts.dtype)
        into: Any = (..., to[:, None], to)
        np.add.at(cells, into, self.counts)
        return type(self)(cells, tuple(every))

    def reorder(self, labels: Sequence[Any]) -> Self:
        """Return the same table with its classes in another order, or with further empty ones.

        Raises
        ------
        LabelError
            A class that holds cases, or is predicted, is left out.
        InvalidArgumentError
            A label stands twice, or fewer than two are left.
        """
        names = _named(labels)
        place = {label: k for k, label in enumerate(names)}
        either = (self.class_counts + self.predicted_counts).reshape(-1, self.n_classes)
        used = np.flatnonzero(either.sum(0)).tolist()
        if lost := [self.labels[k] for k in used if self.labels[k] not in place]:
            rule = "must hold every class that occurs"
            raise LabelError.from_rule("labels", rule, f"none of {lost}", "add what is lacking")
        old = [k for k, label in enumerate(self.labels) if label in place]
        new = [place[self.labels[k]] for k in old]
        cells = np.zeros((*self.shape, len(names), len(names)), dtype=self.counts.dtype)
        cells[(..., *np.ix_(new, new))] = self.counts[(..., *np.ix_(old, old))]
        return type(self)(cells, names)

    def transpose(self) -> Self:
        """Exchange truth and prediction."""
        return type(self)(np.swapaxes(self.counts, -2, -1), self.labels)

    def rates(self, by: str = "truth") -> NDArray[np.float64]:
        """Return shares instead of counts, the `normalize` of scikit-learn.

        Parameters
        ----------
        by : {"truth", "prediction", "all"}
            What sums to 1: each row (of the cases of a class, how many are called what), each
            column (of the cases called so, how many are what), or the whole table.

        Returns
        -------
        array of shape (..., K, K)
            In [0, 1]; nan in the row of a class without cases, in the column of a class that is
            never predicted, and in a table without cases.

        Raises
        ------
        UnknownNameError
            `by` is none of these.

        Examples
        --------
        >>> from baserate import ClassTable
        >>> t = ClassTable([[5, 1, 0], [2, 7, 1], [0, 0, 4]], ["a", "b", "c"])
        >>> t.rates()[1].tolist(), t.rates("prediction")[:, 2].tolist()
        ([0.2, 0.7, 0.1], [0.0, 0.2, 0.8])
        """
        one_of("by", by, Share)
        axes: dict[str, int | tuple[int, int]] = {"truth": -1, "prediction": -2, "all": (-2, -1)}
        return ratio(self.counts, self.counts.sum(axes[by], keepdims=True))

    def to_frame(self, *, backend: Any = None) -> Any:
        """Return a row for each true class, its label first, and a column for each called so.

        Written as CSV it is a file of counts that can be read again.

        Parameters
        ----------
        backend : str, optional
            "pandas", "polars" or "pyarrow". Default: the first of them that is installed.

        Raises
        ------
        InvalidArgumentError
            This is a batch of tables, or two labels are written alike (1 and "1").
        MissingDependencyError
            None of these libraries is installed.

        Examples
        --------
        >>> from baserate import ClassTable
        >>> frame = ClassTable([[5, 1], [2, 7]], ["a", "b"]).to_frame(backend="polars")
        >>> frame.rows()
        [('a', 5, 1), ('b', 2, 7)]
        """
        single_class_table("table", self)
        names = [str(label) for label in self.labels]
        if len(set(names)) < len(names):
            raise _wrong("differ when written", list(self.labels), "rename one of them")
        corner = next(name for name in ("truth", "", "true class") if name not in names)
        rows = zip(self.labels, self.counts.tolist(), strict=True)
        return frame_of(
            [{corner: label, **dict(zip(names, row, strict=True))} for label, row in rows], backend
        )

    def to_dict(self) -> dict[str, Any]:
        """Return labels and counts as plain JSON values."""
        labels = [x if isinstance(x, str | int | float) else str(x) for x in self.labels]
        return {"labels": labels, "counts": self.counts.tolist()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a copy protect its counts as well."""
        return type(self), (self.counts, self.labels)

    def __getitem__(self, index: Any) -> Self:
        """Pick tables from a batch."""
        if not self.shape:
            rule, remedy = "hold several tables to be picked from", "leave the index out"
            raise _wrong(rule, "a single one", remedy, "table")
        picked = self.counts[(*index, ...) if isinstance(index, tuple) else (index, ...)]
        return type(self)(picked, self.labels)

    def __add__(self, other: object) -> Self:
        """Add counts class by class; classes that one of the two lacks are empty there."""
        if not isinstance(other, ClassTable):
            return NotImplemented
        every = tuple(dict.fromkeys((*self.labels, *other.labels)))
        one, two = (x if x.labels == every else x.reorder(every) for x in (self, other))
        return type(self)(one.counts + two.counts, every)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassTable):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        # Equal tables may hold whole numbers or floats, and 0.0 or -0.0.
        return hash((self.labels, self.counts.shape, (self.counts + 0.0).tobytes()))

    def __repr__(self) -> str:
        batch = f"{self.shape} tables of " if self.shape else ""
        if self.n_classes > 6 or self.shape:
            size = "" if self.shape else f", n={self.n}"
            return f"<ClassTable: {batch}{self.n_classes} classes{size}>"
        return f"ClassTable({self.counts.tolist()}, {list(self.labels)!r})"


def some_class_table(argument: str, table: Any) -> ClassTable:
    """Return the table if it is a class table, or a batch of them."""
    if not isinstance(table, ClassTable):
        raise _wrong("be a ClassTable", table, "pass ClassTable(counts, labels)", argument)
    return table


def single_class_table(argument: str, table: Any) -> ClassTable:
    """Return the table if it is one class table, not a batch of them."""
    if some_class_table(argument, table).shape:
        given, remedy = f"a batch of shape {table.shape}", "pass one table of a batch at a time"
        raise _wrong("be a single table", given, remedy, argument)
    return table


def total(tables: Iterable[ClassTable]) -> ClassTable:
    """Add up tables of the same or of different classes."""
    return reduce(ClassTable.__add__, tables)


def _off_diagonal(cells: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.eye(cells.shape[-1], dtype=bool), 0, cells)


def _of_others(counts: NDArray[Any]) -> NDArray[Any]:
    """Return for each class how many cases of all other classes are called what.

    Sums of the rows above and below it: what is left of the whole without its row would, of
    weights, be a rounding error where little or nothing is left.
    """
    found = np.zeros_like(counts)
    found[..., 1:, :] += counts[..., :-1, :].cumsum(-2)
    found[..., :-1, :] += counts[..., :0:-1, :].cumsum(-2)[..., ::-1, :]
    return found


def _checked(counts: Any) -> NDArray[Any]:
    """Copy counts into whole or floating numbers whose sums cannot overflow."""
    try:
        cells = np.asarray(counts)
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        cells = np.empty(0)
    size = cells.shape[-2:]
    if len(size) < 2 or size[0] != size[1] or size[1] < 2:
        rule = "must have shape (..., K, K) with K at least 2"
        remedy = "pass a square table, truth in rows and predictions in columns"
        raise InvalidCountError.from_rule("counts", rule, f"shape {cells.shape}", remedy)
    if cells.dtype.kind == "O" and all(type(count) in (int, float) for count in cells.flat):
        cells = cells.astype(np.float64)  # beyond 64 bits
    if cells.dtype.kind not in "iuf":
        rule, given = "must be numbers", cells.dtype.name
        raise InvalidCountError.from_rule("counts", rule, given, "pass counts, not labels")
    wrong = ~(np.isfinite(cells) & (cells >= 0))
    if wrong.any():
        rule, given = "must be non-negative and finite", cells[wrong].flat[0].item()
        raise InvalidCountError.from_rule("counts", rule, given, "pass counts or sums of weights")
    small = cells.dtype.kind in "iu" and int(cells.max(initial=0)) <= LARGEST // size[0] ** 2
    owned = np.array(cells, dtype=np.int64 if small else np.float64, order="C")
    owned.flags.writeable = False
    return owned


def _labels_of(counts: Any, cells: NDArray[Any]) -> Sequence[Any]:
    """Return the labels of a pandas frame, whose rows and columns must name the same classes."""
    if not (hasattr(counts, "index") and hasattr(counts, "columns")):
        return range(cells.shape[-1])
    if (rows := list(counts.index)) != (columns := list(counts.columns)):
        rule = "have the same labels in rows (the truth) and columns, in one order"
        fill = "reindex(index=labels, columns=labels, fill_value=0)"
        remedy = f"pass counts.{fill if {*rows} & {*columns} else 'to_numpy(), and labels'}"
        raise _wrong(rule, f"{rows} and {columns}", remedy, "counts")
    return rows


def _named(labels: Any, n_classes: int | None = None) -> tuple[Any, ...]:
    """Return labels that are plain, differ, and are as many as the classes."""
    try:
        names = tuple(plain(label) for label in labels)
        distinct = set(names)
        missing = any(label is None or bool(label != label) for label in names)  # noqa: PLR0124
    except Exception:  # noqa: BLE001  a foreign object may raise anything
        raise _wrong("be a sequence of plain values", labels, "pass one per class") from None
    most = max(2, len(names)) if n_classes is None else n_classes
    if len(names) != most:
        raise _wrong(f"be {most}, as many as the classes", len(names), "name every class")
    if missing:
        raise _wrong("not be missing", list(names), "give each class a name")
    if len(distinct) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise _wrong("differ", f"{twice!r} twice", "give each class a name of its own")
    return names


def _wrong(rule: str, given: Any, remedy: str, argument: str = "labels") -> InvalidArgumentError:
    return InvalidArgumentError.from_rule(argument, f"must {rule}", given, remedy)
