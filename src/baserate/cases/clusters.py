"""How the cells of a table vary where cases belong together, of any classes.

A table of K classes has K² cells, and a cluster has cases in few of them: only these are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate.cases.labels import Codes, Grouping, adder, combinations
from baserate.cases.strata import Jackknife
from baserate.cases.units import parts_of


class UnitMargins(NamedTuple):
    """The margins of some units, each of shape (units, K), and where they stand among all."""

    hits: Array
    class_counts: Array
    predicted_counts: Array
    at: slice


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleUnits:
    """What a sample was drawn by: whole clusters, or replicates of its weights.

    Attributes
    ----------
    units : array of int, shape (k,)
        Which cluster has cases in a table, or which replicate, in order: the same in all tables of
        one sample, so that what two of them share is known.
    n_units : int
        Clusters of the whole sample, or replicates.
    n_cases : int
        Cases that the table counts, whatever their weight.
    scale : array of shape (k,) or None
        What each replicate's squared deviation counts; None for clusters.
    known_degrees : float or None
        Degrees of freedom that come with replicate weights.
    """

    units: Codes
    n_units: int
    n_cases: int
    scale: Array | None = None
    known_degrees: float | None = None

    @property
    def of_clusters(self) -> bool:
        """Whether units are whole clusters, not sets of replicate weights (strata, runs)."""
        return self.scale is None

    @property
    def sizes(self) -> dict[str, int | None]:
        """How many clusters, or replicates and strata there are, by name."""
        return sizes_of(self.n_units, self.known_degrees, self.scale)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design(SampleUnits):
    """How the four cell totals of a table vary: by its clusters, or by replicate weights.

    Attributes
    ----------
    total : array of shape (4,)
        True positives, false negatives, false positives, true negatives of the table.
    tables : array of shape (k, 4)
        The same of each cluster that has a case here, or under each set of replicate weights.
    """

    total: Array
    tables: Array

    @property
    def effective_clusters(self) -> float:
        """(Σ n)²/Σ n²: so many clusters of equal size say as much."""
        return equal_clusters(self.tables.sum(axis=1))

    def of_opposite(self) -> "Design":
        """Return the design of the opposite predictions."""
        turned = [1, 0, 3, 2]
        return replace(self, total=self.total[turned], tables=self.tables[:, turned])

    @property
    def margins(self) -> tuple[Array, Array, Array]:
        """Right cases, cases and calls of both classes, the positive one first."""
        return _margins(self.total)

    def parts(self) -> Iterator[UnitMargins]:
        """Yield the same of all units, as `ClassDesign` does."""
        yield UnitMargins(*_margins(self.tables), at=slice(0, len(self.units)))

    def covariance(self, other: "Design | None" = None) -> Array:
        """Return the covariance of the four cell totals, or theirs with another table's.

        Of m clusters drawn with replacement, centred: m/(m - 1) Σ (t_c - t/m)(u_c - u/m)ᵀ over all
        clusters of the sample, of which some may have no case here. Clusters are never split, so
        tables that share them are correlated. nan for a single cluster.

        References
        ----------
        Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, Springer,
        doi:10.1007/978-1-4612-4378-6, for sampling of clusters with replacement. Binder (1983),
        International Statistical Review 51:279, doi:10.2307/1402588, for what is made of it.
        """
        other = self if other is None else other
        _, mine, theirs = np.intersect1d(self.units, other.units, return_indices=True)
        first, second = self.tables[mine], other.tables[theirs]
        if self.scale is not None:
            off = (first - self.total) * self.scale[mine, None]
            return off.T @ (second - other.total)
        m = self.n_units
        if m < 2:
            return np.full((4, 4), np.nan)
        return m / (m - 1) * (first.T @ second - np.outer(self.total, other.total) / m)


def _margins(tables: Array) -> tuple[Array, Array, Array]:
    tp, fn, fp, tn = np.moveaxis(tables, -1, 0)
    sides = (tp, tn), (tp + fn, fp + tn), (tp + fp, fn + tn)
    hits, truth, called = (np.stack(side, axis=-1) for side in sides)
    return hits, truth, called


class Replicated(NamedTuple):
    """Replicate weights of each row, shape (R, m), and what squared deviations count, (R,).

    As many degrees of freedom as there are replicates less one; of strata, clusters less strata.

    covariance = Σ scale_r (t_r - t)(t_r - t)ᵀ (Wolter 2007, Introduction to Variance Estimation,
    doi:10.1007/978-0-387-35099-8): 1/R for BRR, 1/(R (1 - ρ)²) for Fay's, (R - 1)/R for the
    delete-one jackknife, 1/(R - 1) for the bootstrap.
    """

    amounts: Array | Jackknife
    scale: Array
    degrees: float

    @classmethod
    def of(cls, amounts: Array, scale: Any) -> "Replicated":
        """Take weights that came with the sample."""
        return cls(amounts, np.broadcast_to(scale, len(amounts)), len(amounts) - 1.0)

    @classmethod
    def of_units(cls, amounts: Jackknife) -> "Replicated":
        """Take weights without each cluster of a stratum, or without each item, cell and run."""
        scale = 1 - 1 / amounts.sizes
        if amounts.crossed:  # what items and runs share counts once
            _, cells, runs = amounts.starts
            scale[cells:runs] *= -1
            return cls(amounts, scale, len(amounts) - runs - 1.0)
        return cls(amounts, scale, float(np.rint(scale.sum())))

    @property
    def sizes(self) -> dict[str, int | None]:
        """How many replicates there are, and in how many strata, or of how many items and runs."""
        return sizes_of(len(self.scale), self.degrees, self.scale)

    def sums(self, place: Codes, size: int) -> Array:
        """Return the total weight of each place under every replicate, of shape (R, size)."""
        if isinstance(self.amounts, Jackknife):
            return self.amounts.totals(place, size)
        return np.array([_sums(place, each, size) for each in self.amounts])

    def take(self, rows: Any) -> "Replicated":
        """Return those of some rows."""
        return self._replace(amounts=self.amounts[:, rows])


def sizes_of(
    n_units: int, degrees: float | None, scale: Array | None = None
) -> dict[str, int | None]:
    """Return how many clusters there are, or replicates and strata (or items, runs), by name."""
    if degrees is None:
        return {"n_clusters": n_units}
    if scale is not None and len(parts := parts_of(scale)) > 1:
        items, _, runs = (part.stop - part.start for part in parts)
        return {"n_replicates": n_units, "n_items": items, "n_runs": runs}
    strata = n_units - round(degrees)
    return {"n_replicates": n_units, "n_strata": strata if strata > 1 else None}


def equal_clusters(sizes: NDArray[Any]) -> float:
    """Return how many clusters of equal size say as much; nan without cases."""
    square = float(sizes @ sizes)
    return float(sizes.sum()) ** 2 / square if square > 0 else np.nan


Key = tuple[Any, ...]
AT_ONCE = 1 << 21  # numbers that are held at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassDesign(SampleUnits):
    """How the cells of a class table vary, as `Design` says of two classes."""

    total: Array  # (K, K): the table, truth in rows
    # of every cell that a unit has an amount in: its place among `units`, in order, and K i + j
    unit: Codes
    cell: Codes
    amount: Array  # cases or weights there

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.total)

    @property
    def effective_clusters(self) -> float:
        """(Σ n)²/Σ n²: so many clusters of equal size say as much."""
        return equal_clusters(np.bincount(self.unit, self.amount, len(self.units)))

    @property
    def margins(self) -> tuple[Array, Array, Array]:
        """Right cases, cases and calls of each class, of the whole table."""
        return np.diagonal(self.total), self.total.sum(axis=1), self.total.sum(axis=0)

    @property
    def tables(self) -> Array:
        """All cells of every unit, of shape (units, K²); `cells` has those of some units."""
        return self.cells(slice(0, len(self.units))).reshape(len(self.units), -1)

    def binary(self, truth: int, prediction: int) -> Design:
        """Return the design of "is class i" called "is class j"; of one class for i = j."""
        row, column = np.divmod(self.cell, self.n_classes)
        place = 2 * (row != truth) + (column != prediction)
        size = len(self.units)
        tables = _added(self.unit, place, self.amount, size, 4)
        total = tables.sum(axis=0)
        if self.scale is not None:
            rows, columns = self.total[truth], self.total[:, prediction]
            hits = self.total[truth, prediction]
            fn, fp = np.delete(rows, prediction).sum(), np.delete(columns, truth).sum()
            others = np.delete(np.delete(self.total, truth, 0), prediction, 1).sum()
            total = np.array([hits, fn, fp, others])
        return Design(
            total=total,
            tables=tables,
            units=self.units,
            n_units=self.n_units,
            n_cases=self.n_cases,
            scale=self.scale,
            known_degrees=self.known_degrees,
        )

    def arranged(self, places: Sequence[int], size: int) -> "ClassDesign":
        """Return the same of `size` classes, among which class k has `places[k]`; -1 for none."""
        new, total = np.asarray(places), np.zeros((size, size))
        kept = np.flatnonzero(new >= 0)
        total[np.ix_(new[kept], new[kept])] = self.total[np.ix_(kept, kept)]
        row, column = np.divmod(self.cell, self.n_classes)
        return replace(self, total=total, cell=new[row] * size + new[column])

    def parts(self, *, with_cells: bool = False) -> Iterator[UnitMargins]:
        """Yield the margins of all units, so many at a time as memory has room for.

        `with_cells` leaves room for their cells as well; see `cells`.
        """
        k = self.n_classes
        step = max(1, AT_ONCE // (k * k if with_cells else 3 * k))
        for start in range(0, len(self.units), step):
            at = slice(start, min(start + step, len(self.units)))
            unit, cell, amount = self._within(at)
            row, column = np.divmod(cell, k)
            on = row == column
            sums = ((unit[on], row[on], amount[on]), (unit, row, amount), (unit, column, amount))
            yield UnitMargins(*(_added(*one, at.stop - at.start, k) for one in sums), at=at)

    def cells(self, at: slice) -> Array:
        """Return all cells of some units, of shape (units, K, K)."""
        k = self.n_classes
        found = _added(*self._within(at), at.stop - at.start, k * k)
        return found.reshape(-1, k, k)

    def _within(self, at: slice) -> tuple[Codes, Codes, Array]:
        low, high = np.searchsorted(self.unit, [at.start, at.stop])
        return self.unit[low:high] - at.start, self.cell[low:high], self.amount[low:high]


def _added(unit: Codes, place: Codes, amount: Array, size: int, width: int) -> Array:
    return _sums(unit * width + place, amount, size * width).reshape(size, width)


Designs = tuple[ClassDesign, dict[Key, ClassDesign]]


def cluster_designs(
    cluster: Grouping,
    grouping: Grouping | None,
    cell: NDArray[Any],
    n_classes: int,
    sums: Any,
    count: NDArray[np.int64],
) -> Designs:
    """Return the design of all cases, and that of every group, by clusters.

    `cell` is K i + j of each row; `sums` adds amounts up by the place of each row.
    """
    keys, group, cases = _groups(grouping, count)
    sizes = [len(cluster.keys), n_classes**2]
    rows, place = combinations([group, cluster.codes, cell], [len(cases), *sizes])
    amount = sums(place, len(rows)).astype(float)
    group, unit, cell = group[rows], cluster.codes[rows], cell[rows]  # sorted by these
    n_units = int(np.count_nonzero(np.bincount(cluster.codes)))

    def design(unit: Codes, cell: NDArray[Any], amount: Array, n: int) -> ClassDesign:
        new = np.diff(unit, prepend=-1) > 0
        return ClassDesign(
            total=_sums(cell, amount, sizes[1]).reshape(n_classes, n_classes),
            unit=np.cumsum(new) - 1,
            cell=cell,
            amount=amount,
            units=unit[new],
            n_units=n_units,
            n_cases=n,
        )

    of_groups = {
        key: design(unit[part], cell[part], amount[part], n)
        for key, part, n in zip(keys, _parts(group, len(keys)), cases.tolist(), strict=False)
    }
    if grouping is not None:
        rows, place = combinations([unit, cell], sizes)
        unit, cell, amount = unit[rows], cell[rows], _sums(place, amount, len(rows))
    return design(unit, cell, amount, int(cases.sum())), of_groups


def replicate_designs(
    replicated: Replicated,
    grouping: Grouping | None,
    cell: NDArray[Any],
    n_classes: int,
    count: NDArray[np.int64],
) -> Designs:
    """Return the design of all cases, and that of every group, by replicate weights.

    Its totals are not known here: they come from the weights themselves.
    """
    keys, group, cases = _groups(grouping, count)
    rows, place = combinations([group, cell], [len(cases), n_classes**2])
    sums = replicated.sums(place, len(rows))
    group, cell, size = group[rows], cell[rows], len(sums)  # sorted by these

    def design(cell: NDArray[Any], amount: Array, n: int) -> ClassDesign:
        return ClassDesign(
            total=np.zeros((n_classes, n_classes)),
            unit=np.repeat(np.arange(size), len(cell)),
            cell=np.tile(cell, size),
            amount=amount.ravel(),
            units=np.arange(size),
            n_units=size,
            n_cases=n,
            scale=replicated.scale,
            known_degrees=replicated.degrees,
        )

    of_groups = {
        key: design(cell[part], sums[:, part], n)
        for key, part, n in zip(keys, _parts(group, len(keys)), cases.tolist(), strict=False)
    }
    used, at = np.unique(cell, return_inverse=True)
    every = np.zeros((len(used), size))
    np.add.at(every, at, sums.T)
    return design(used, every.T, int(cases.sum())), of_groups


def _sums(place: Codes, amount: Array, size: int) -> Array:
    return np.bincount(place, amount, size).astype(float, copy=False)


def _groups(
    grouping: Grouping | None, count: NDArray[np.int64]
) -> tuple[tuple[Key, ...], Codes, NDArray[np.int64]]:
    """Return the groups, that of each row, and the cases of each: without any, all are one."""
    keys = () if grouping is None else grouping.keys
    codes = np.zeros(len(count), dtype=np.intp) if grouping is None else grouping.codes
    return keys, codes, adder(count)(codes, count, max(len(keys), 1))


def _parts(group: Codes, size: int) -> Iterator[slice]:
    """Yield where the rows of each group stand, sorted by it."""
    ends = np.searchsorted(group, np.arange(size + 1)).tolist()
    return (slice(*pair) for pair in pairwise(ends))
