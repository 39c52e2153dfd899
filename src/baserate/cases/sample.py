"""Cases of two classes or of several: some of them, and sums over their rows, cell by cell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.class_designs import ClassDesign, cluster_designs, replicate_designs
from baserate.cases.clusters import Replicated
from baserate.cases.counted import Key
from baserate.cases.labels import Grouping, adder

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
    def amount(self) -> NDArray[Any]:
        """What tables add up: weights, or cases."""
        return self.count if self.weight is None else self.weight

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
