"""A group and its reference as weighted samples, perhaps in clusters: how sure their totals are.

Tables are of two classes, with cells tp, fn, fp, tn, or of K, with their K² cells row by row.
A test holds some sums of cells fixed (`blocks`); within each, the null hypothesis gives both tables
the same shares. The variance of any difference is taken at the shares that both have in common, as
Pearson's statistic takes it, with the weights and the clusters as they were found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isqrt, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from baserate._arrays import Array, Index
from baserate.cases.units import TABLES, Floor, Law
from baserate.class_counts import ClassTable
from baserate.counts import CELLS, ConfusionMatrix, unchecked
from baserate.groups.null import Cells, in_words, sides
from baserate.inference.class_draws import Margins, at_draws
from baserate.metrics import ClassMetric, Metric
from baserate.models.model import ALL, NEGATIVE, POSITIVE

Contrast = Callable[[Any], Any]  # of all cells: the group's, then as many of the others
Table = ConfusionMatrix | ClassTable
Block = Cells | Index  # cells by name, or by place

# A cell's mean weight is known as if so many further cases had the mean weight of this cell in both
# tables: one or two cases say little about it. Found by simulation: with 0 the test errs up to 8.6%
# of the time where a tenth of 50 cases are positive, with 2 up to 7.2%.
FURTHER = 2.0
STEP = 1e-20  # of a complex step, relative to the cell
NUDGE, AGREES = 1e-6, 1e-3  # of a difference; relative to which both ways agree
LEAST_DEGREES, MOST_DEGREES = 1.0, 1e12  # SciPy's Student law knows no infinite ones
LEAST_SHARE, TINY = 1e-9, 1e-300  # of an empty cell, so that it has a mean weight


class GapSpread(NamedTuple):
    """The variance of a difference, and what it rests on."""

    variance: Any
    design_effect: Any  # of clusters, against independent cases with the same weights
    degrees: Any  # of freedom
    believed: Any = 1.0  # how far what so few clusters allow holds: see `baserate.cases.units`


# Design effect, degrees of freedom, how far few clusters count; of many samples, arrays.
DesignEffect = tuple[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class Samples:
    """A group and the cases that are not in it, with what says how sure their totals are."""

    group: Any  # sums of weights
    other: Any
    squared: tuple[Any, Any]  # sums of squared weights; of cases without weights, their numbers
    # (2 m, 2 m): of the m totals of the group and the m others. None: cases are independent, unless
    # `replicates` say otherwise
    covariance: Array | None = None
    # degrees of freedom of that covariance or of the replicates, such as clusters less strata; inf
    # if these are to be told from the replicates
    degrees: float = inf
    # (2 m, k): all totals without each of k clusters, or under each of k sets of replicate weights
    replicates: Array | None = None
    # (k,): what each replicate's squared deviation counts; 1 for clusters left out
    scale: Any = 1.0
    # whether the group is compared with all cases, of which it is a part, instead of the others
    contained: bool = False
    # of the test: its law has no model, and allows for what the reference leaves open
    law: ClassVar[str] = "rao-scott"
    model: ClassVar[None] = None
    uncertain: ClassVar[bool] = True

    @property
    def reference(self) -> Any:
        """What the group is compared with."""
        return self.group + self.other if self.contained else self.other

    @cached_property
    def totals(self) -> Array:
        """The sums of weights."""
        return np.concatenate([flat(self.group), flat(self.other)])

    @cached_property
    def squares(self) -> Array:
        """The sums of squared weights."""
        return np.concatenate([*map(flat, self.squared)])

    @property
    def half(self) -> int:
        """Cells of either table, m."""
        return len(self.totals) // 2

    @property
    def n_classes(self) -> int:
        """Classes, K."""
        return isqrt(self.half)

    @property
    def alone(self) -> str | None:
        """Which of both lies within a single cluster; None without clusters."""
        if self.replicates is None:
            return None
        differs = self.replicates != self.totals[:, None]
        sides = {"the group": differs[: self.half], "the reference": differs[self.half :]}
        few = (name for name, side in sides.items() if np.count_nonzero(side.any(axis=0)) < 2)
        return next(few, None)

    @property
    def clusters(self) -> tuple[float, float]:
        """Of both samples (Σ n)²/Σ n² over clusters; inf where cases are independent."""
        if self.replicates is None or not np.isinf(self.degrees):
            return inf, inf
        sizes = (self.totals[:, None] - self.replicates).reshape(2, self.half, -1).sum(axis=1)
        group, other = (float(over(n.sum() ** 2, n @ n)) or inf for n in sizes)
        return group, other

    def blocks(self, metric: Metric | ClassMetric, condition: str) -> "tuple[Block, ...]":
        """Return the sums of cells that a test holds fixed: of true classes, or of all cells."""
        if isinstance(metric, Metric):
            return blocks_of(metric, condition)
        cells = np.arange(self.half)
        return tuple(cells.reshape(self.n_classes, -1)) if condition == "classes" else (cells,)

    def in_words(self, metric: Metric, condition: str) -> str:
        """Say which hypothesis is tested."""
        return in_words(metric, condition, f"the {'rest' if self.contained else 'reference'}'s")

    def placed(self, condition: str) -> Array:
        """Return the cells that the reference would have in place of the group."""
        return in_place(flat(self.reference), flat(self.group), condition)

    def contrast(
        self, metric: Metric | ClassMetric, condition: str, scale: np.ufunc = np.positive
    ) -> Contrast:
        """Return the metric at the group, less what the reference would score in its place.

        Both on a scale: of logarithms, such as that of ratios is.
        """

        def apart(cells: Any) -> Any:
            group, other = cells[: self.half], cells[self.half :]
            reference = group + other if self.contained else other
            with np.errstate(all="ignore"):
                placed = in_place(reference, group, condition)
                return scale(self.score(metric, group)) - scale(self.score(metric, placed))

        return apart

    def score(self, metric: Metric | ClassMetric, cells: Any) -> Any:
        """Return a metric at the cells of a table; an average over classes is over the group's."""
        if isinstance(metric, Metric):
            return metric.formula(*cells)
        if np.iscomplexobj(cells):
            raise TypeError
        k = self.n_classes
        tables = np.moveaxis(np.asarray(cells, dtype=float).reshape(k, k, -1), -1, 0)
        sides = np.diagonal(tables, axis1=1, axis2=2), tables.sum(axis=2), tables.sum(axis=1)
        [found] = at_draws([metric], Margins(*sides, cells=lambda: tables), self.group)
        return found.reshape(np.shape(cells)[1:])

    def under_null(self, totals: Array, blocks: Sequence[Block]) -> Array:
        """Return the totals if both tables had the same shares within each block.

        The shares are pooled by effective numbers of cases. Cells outside all blocks stay.
        """
        common = totals.copy()
        for at in map(places, blocks):
            tables = (at, at + self.half)
            sizes = [totals[rows].sum(axis=0) for rows in tables]
            cases = [self._effective(rows) for rows in tables]
            shares = [over(totals[rows], n) for rows, n in zip(tables, sizes, strict=True)]
            pooled = over(cases[0] * shares[0] + cases[1] * shares[1], sum(cases))
            for rows, n in zip(tables, sizes, strict=True):
                common[rows] = n * pooled
        return common

    def spread(
        self,
        contrast: Contrast,
        totals: Array,
        blocks: Sequence[Block],
        *,
        null: bool,
        design: DesignEffect | None = None,
    ) -> GapSpread:
        """Return the variance of a contrast at these totals; under the null hypothesis if asked.

        Totals may be a batch, along a second axis. `design` is what `design_effect` says, if that
        is known.
        """
        at = self.under_null(totals, blocks) if null else totals
        slopes = gradient(contrast, at)
        parts: list[tuple[Any, Any]] = []
        for rows in map(places, blocks):
            for cells in (rows, rows + self.half):
                weight = beside(self._mean_weights(rows)[cells], at)
                part = (slopes[cells] ** 2 * at[cells] * weight).sum(axis=0)
                parts.append((part, np.maximum(self._effective(cells) - 1, LEAST_DEGREES)))
        variance = np.asarray(sum(part for part, _ in parts))
        doubt = np.asarray(sum(part**2 / degrees for part, degrees in parts))
        degrees = np.where(doubt > 0, over(variance**2, doubt), inf)
        effect, most, holds = design or self.design_effect(contrast, blocks)
        return GapSpread(effect * variance, effect, np.minimum(degrees, most), holds)

    def design_of(self, metric: Metric | ClassMetric, condition: str) -> DesignEffect:
        """Return the `design_effect` of a metric's difference, which a test and its power ask."""
        key = metric, condition
        if key not in self._designs:
            contrast = self.contrast(metric, condition)
            self._designs[key] = self.design_effect(contrast, self.blocks(metric, condition))
        return self._designs[key]

    @cached_property
    def _designs(self) -> dict[tuple[Metric | ClassMetric, str], DesignEffect]:
        return {}

    def design_effect(self, contrast: Contrast, blocks: Sequence[Block]) -> DesignEffect:
        """Return the variance of a contrast over that of independent cases, and its degrees.

        At the totals found; where these leave no variance, such as for a recall of 1, at those
        under the null hypothesis; 1 where these leave none either.
        """
        if self.covariance is None and self.replicates is None:
            return 1.0, inf, 1.0
        for totals in (self.totals, self.under_null(self.totals, blocks)):
            slopes = gradient(contrast, totals)
            alone = float(slopes**2 @ self.squares)
            if alone > 0:
                variance, degrees, holds = self._varied(contrast, slopes)
                return variance / alone, degrees, holds
        return 1.0, self.degrees, 1.0

    def _varied(self, contrast: Contrast, slopes: Array) -> DesignEffect:
        """Return the variance of a contrast by the design, and its degrees of freedom.

        Replicates recompute it, as the jackknife around the value itself does: linearised where it
        is undefined in one of them.
        """
        if self.replicates is None:
            return float(slopes @ np.asarray(self.covariance) @ slopes), self.degrees, 1.0
        off = contrast(self.replicates) - contrast(self.totals)
        if not np.isfinite(off).all():
            off = slopes @ (self.replicates - self.totals[:, None])
        moves, scale = np.asarray(off, dtype=float), np.broadcast_to(self.scale, len(off))
        of_clusters = np.isinf(self.degrees)
        floor = self._floor(slopes) if of_clusters else None
        known = None if of_clusters else self.degrees
        law = Law(nan, moves, np.arange(len(moves)), scale, known=known, floor=floor)
        return law.variance, law.degrees, law.believed

    def _floor(self, slopes: Array) -> Floor:
        """Return the least variance that so few clusters allow, of both samples one by one.

        It counts as many clusters as the sample in fewer of them.
        """
        assert self.replicates is not None
        units, k, found, few = self.totals[:, None] - self.replicates, self.n_classes, 0.0, inf
        for side in (slice(0, self.half), slice(self.half, None)):
            weight = over(self.squares[side].sum(), self.totals[side].sum())
            sizes = over(units[side].reshape(k, k, -1).sum(axis=1).T, weight)
            parts = (slopes[side] ** 2 * self.squares[side]).reshape(k, k).sum(axis=1)
            if (floor := Floor.of(sizes, parts, TABLES)) is not None:
                found, few = found + floor.variance, min(few, floor.clusters)
        return Floor(found, 1.0, few, TABLES)

    def _effective(self, at: Index) -> Any:
        """Return Kish's effective number of cases in these cells."""
        total, squares = self.totals[at].sum(axis=0), self.squares[at].sum(axis=0)
        return total * over(total, squares)

    def effective_counts(self, successes: Cells, whole: Cells) -> list[tuple[float, float]]:
        """Return for both tables the successes and failures of as many effective cases.

        So many independent cases, with the share that was found, have a share as uncertain as this
        one is by its weights (Rao and Scott 1992).
        """
        hit, rows, counts = places(successes), places(whole), list[tuple[float, float]]()
        mean = self._mean_weights(rows)
        for shift in (0, self.half):
            total, hits = self.totals[rows + shift].sum(), self.totals[hit + shift].sum()
            share = float(over(hits, total))
            miss = np.setdiff1d(rows, hit) + shift
            of_hit, of_miss = (
                float(np.average(mean[at], weights=self.totals[at] + total * LEAST_SHARE + TINY))
                for at in (hit + shift, miss)
            )
            cases = total / ((1 - share) * of_hit + share * of_miss)
            counts.append((cases * share, cases * (1 - share)))
        return counts

    def _mean_weights(self, at: Index) -> Array:
        """Return Σw² / Σw of every cell of a block, steadied where there are few cases."""
        key = at.tobytes()
        if key not in self._weights:
            self._weights[key] = self._steadied(at)
        return self._weights[key]

    @cached_property
    def _weights(self) -> dict[bytes, Array]:
        return {}

    def _steadied(self, at: Index) -> Array:
        found, further = np.ones(self.totals.shape), self.totals.shape[1:]
        typical = np.ones((2, *further))
        for i, rows in enumerate((at, at + self.half)):
            total, squares = self.totals[rows].sum(axis=0), self.squares[rows].sum(axis=0)
            typical[i] = np.where(total > 0, over(squares, total), 1.0)
        for cell in at:
            pair = np.array([cell, cell + self.half])
            weight, square = self.totals[pair] / typical, self.squares[pair] / typical**2
            both = weight.sum(axis=0)
            pooled = np.where(both > 0, over(square.sum(axis=0), both), 1.0)
            cases = over(weight**2, square)
            found[pair] = (cases * over(square, weight) + FURTHER * pooled) / (cases + FURTHER)
            found[pair] *= typical
        return found


def of_columns(totals: Array, squares: Array, *, contained: bool) -> Samples:
    """Return many independent samples of two classes as one, each a column of totals.

    What a test rejects, and how far, is asked of all of them at once, where it is known what their
    designs make of a variance (see `Samples.spread`).
    """
    halves = (half for both in (totals, squares) for half in np.split(both, 2))
    group, other, *squared = (unchecked(**dict(zip(CELLS, half, strict=True))) for half in halves)
    return Samples(group, other, (squared[0], squared[1]), contained=contained)


def beside(known: Array, totals: Any) -> Array:
    """Return what is known of one sample, or of each of many, in the shape of these totals."""
    return known.reshape(*known.shape, *(1,) * (np.ndim(totals) - known.ndim))


def blocks_of(metric: Metric, condition: str) -> tuple[Cells, ...]:
    """Return the sums of cells that a test holds fixed."""
    if condition == "denominator":
        return (sides(metric)[1],)
    return (POSITIVE, NEGATIVE) if condition == "classes" else (ALL,)


def in_place(reference: Any, group: Any, condition: str) -> Any:
    """Return the cells that the reference would have in place of the group.

    As many cases, and where class totals are held fixed as many of each class. A class that the
    group lacks needs no rate.
    """
    rows = isqrt(len(group)) if condition == "classes" else 1
    parted = (rows, -1, *np.shape(group)[1:])
    there, here = np.reshape(reference, parted), np.reshape(group, parted)
    shares = over(there, there.sum(axis=1, keepdims=True))
    return (shares * here.sum(axis=1, keepdims=True)).reshape(np.shape(group))


def gradient(contrast: Contrast, totals: Array) -> Array:
    """Return the derivative by every cell; 0 by those that are empty.

    By complex steps; by differences where a formula does not take these. All cells move at once,
    along a second axis.
    """
    size, further = len(totals), totals.shape[1:]
    at = np.flatnonzero((totals > 0).reshape(size, -1).any(axis=1))
    here = np.broadcast_to(totals[:, None], (size, len(at), *further))
    steps, move = np.where(totals > 0, totals, 0.0)[at], np.zeros(here.shape)
    move[at, np.arange(len(at))] = steps
    ends = [np.real(contrast(here + sign * NUDGE * move)) for sign in (1, -1)]
    rough, found = over(ends[0] - ends[1], 2 * NUDGE * steps), np.zeros(totals.shape)
    try:
        fine = over(np.imag(contrast(here + 1j * STEP * move)), STEP * steps)
    except (TypeError, ValueError):
        found[at] = np.nan_to_num(rough)
        return found
    scale = np.abs(np.nan_to_num(rough) * steps).max(axis=0, initial=0.0)
    close = np.abs(fine - rough) * steps <= AGREES * scale
    found[at] = np.nan_to_num(np.where(close, fine, rough))
    return found


def flat(table: Table) -> Array:
    """Return the cells of a table: tp, fn, fp, tn, or row by row."""
    cells = [*table] if isinstance(table, ConfusionMatrix) else table.counts.ravel()
    return np.asarray(cells, dtype=float)


def places(cells: Block) -> Index:
    """Return where these cells stand among tp, fn, fp, tn, unless these are places."""
    if isinstance(cells, np.ndarray):
        return cells
    return np.array([i for i, name in enumerate(CELLS) if name in cells], dtype=np.intp)


def over(top: Any, bottom: Any) -> Any:
    """Divide; 0 where the denominator is 0."""
    bottom = np.asarray(bottom)
    return np.where(bottom == 0, 0.0, top / np.where(bottom == 0, 1.0, bottom))
