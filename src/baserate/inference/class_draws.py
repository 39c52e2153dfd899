"""Draws from what a table of several classes leaves open about its cells.

One prior for all cells of a K x K table goes wrong: half a case in each of 100 cells makes every
classifier of ten classes bad, and what gives recall and precision of each class Jeffreys' law still
holds K pseudo-cases of which half are errors. Then 95% intervals of a table of 30 cases and 10
classes cover 40% and 65% of the time (macro-F1). So the posterior has three independent parts:

- the share of cases that are called what they are: Beta(hits + 1/2, errors + 1/2), Jeffreys' law,
  so that accuracy has the interval of a proportion, however many classes there are;
- how the hits spread over the classes: Dirichlet(hits of the class + 1 - 1/K);
- how the errors spread over the K (K - 1) pairs: Dirichlet(errors of the pair + 1/(2 (K - 1))),
  half a case for each class, so that the recall of a class of ten cases has nearly Jeffreys' law.

The last two were chosen by coverage, see `benchmarks/bench_class_coverage.py`.

Where some errors count more than others (weighted kappa), half a case for each class is too much:
spread evenly over the pairs, most of it falls on gross errors, and with twelve classes whose errors
are one class off, 95% intervals held the quadratic kappa 40 to 70% of the time. There half a case
is spread over all errors together, as in the law of a mean over cases. An error distribution taken
from the table (its own errors, or weighted by how much they count) is narrower, and right while no
gross errors exist; where one error in ten is gross it held the mean cost half of the time.

Only the cells that hold cases are drawn one by one. What the prior adds to the errors is one gamma
process over all pairs, drawn by its atoms, largest first on average: so a thousand classes cost as
much as their cases, not as their million cells.

Metrics at draws are spread as far as new samples would. Where classes have few cases, what the
prior adds to each shrinks the posterior of an average: with three cases of each of ten classes it
is a quarter narrower than estimates of balanced accuracy from new samples spread, and 95% intervals
held the truth 88 to 94% of the time. So a table of as many cases is drawn from each of some draws
of the cells, and the metric's error in it is noted. If these errors spread further than the draws
(by the range that holds the middle 68% of either, two standard deviations of a normal law), the
draws are stretched about their median to spread as far. With many cases of each class both agree,
and nothing is stretched.

An error of an average over classes is taken over the classes that the new table defines: of others
it would say nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from baserate._arith import ratio
from baserate._arrays import Array, Index
from baserate._beta import betaincinv
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.inference.posterior import refuse_beyond
from baserate.metrics import ClassMetric

HALF = 0.5  # of a case, added to the hits and to the errors
PER_CLASS = 0.5  # of a case, added to the errors of each class
# Levels at which the law of the share of hits is inverted, 0.04 standard deviations apart; between
# them a straight line is off by 0.0002 of one.
LEVELS = ndtr(np.linspace(-5, 5, 251))


def by_mass(
    metrics: Sequence[ClassMetric], k: int, solve: Callable[[list[ClassMetric], float], list[Any]]
) -> list[Any]:
    """Return what draws say of each metric: all metrics of one prior share a set of draws.

    A prior is known by how many cases it adds to all errors, to spread over the pairs of classes.
    """
    masses = [HALF if m.weighs_errors and k > 2 else PER_CLASS * k for m in metrics]
    found = {
        mass: iter(solve([m for m, own in zip(metrics, masses, strict=True) if own == mass], mass))
        for mass in dict.fromkeys(masses)
    }
    return [next(found[mass]) for mass in masses]


def per_hit(k: int) -> float:
    """Return what is added to the hits of each class: half a case for two, nearly one for many."""
    return 1 - 1 / k


AT_ONCE = 1 << 20  # gamma variables that are held at a time
FADED = 7.0  # the atoms that are drawn leave a share of about exp(-7) to the last of them
SPARE = 4.0  # standard deviations of the number of atoms that this takes


class Margins(NamedTuple):
    """Draws of a table's cells, at its number of cases; arrays of shape (draws, K)."""

    hits: Array
    class_counts: Array
    predicted_counts: Array
    cells: Callable[[], Array]  # of shape (draws, K, K), K times as many numbers: on demand


class OffDiagonal(NamedTuple):
    """Draws of cells off the diagonal, named by their places: those that hold cases, and atoms."""

    row: Index  # of the cells that hold cases
    column: Index
    counted: Array  # (cells, draws)
    at_row: Index  # of the atoms, of shape (atoms, draws)
    at_column: Index
    atoms: Array  # shares of the prior


@dataclass(frozen=True, eq=False)
class CellDraws:
    """Draws of a table: the hits of each class, of shape (K, draws), and the errors."""

    hits: Array
    errors: OffDiagonal

    @property
    def margins(self) -> Margins:
        """The same by class, and cell by cell on demand."""
        k, e = len(self.hits), self.errors
        truth = self.hits + summed(e.counted, e.row, k) + summed_atoms(e.atoms, e.at_row, k)
        called = self.hits + summed(e.counted, e.column, k) + summed_atoms(e.atoms, e.at_column, k)
        cells = partial(dense_cells, self.hits, [e[:3]], [e[3:]])
        return Margins(self.hits.T, truth.T, called.T, cells)

    def first(self, part: int) -> "CellDraws":
        """Return the first of the draws, one in so many, rounded up."""
        some, e = slice(-(-self.hits.shape[1] // part)), self.errors
        fewer = e._replace(
            counted=e.counted[:, some],
            at_row=e.at_row[:, some],
            at_column=e.at_column[:, some],
            atoms=e.atoms[:, some],
        )
        return CellDraws(self.hits[:, some], fewer)

    def times(self, by: Array) -> "CellDraws":
        """Return the draws with the cells of each true class multiplied by so much, (K, draws)."""
        e, draw = self.errors, np.arange(self.hits.shape[1])
        counted, atoms = e.counted * by[e.row], e.atoms * by[e.at_row, draw]
        return CellDraws(self.hits * by, e._replace(counted=counted, atoms=atoms))

    def tables(self, cases: float, rng: np.random.Generator) -> "CellDraws":
        """Return a table of so many cases from each draw, in the draws' units."""
        e, k = self.errors, len(self.hits)
        drawn = new_tables(np.concatenate((self.hits, e.counted, e.atoms)), cases, rng)
        counted, atoms = drawn[k : k + len(e.counted)], drawn[k + len(e.counted) :]
        return CellDraws(drawn[:k], e._replace(counted=counted, atoms=atoms))


@dataclass(frozen=True, eq=False)
class ClassPosterior:
    """What a K x K table of (effective) counts leaves open: hits, errors, how either spread."""

    counts: Array
    n: float  # cases at which draws are stated; of weights, more than are counted

    def __post_init__(self) -> None:
        refuse_beyond(self.n)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.counts)

    def parts(
        self, size: int, rng: np.random.Generator, mass: float, step: int | None = None
    ) -> Iterator[CellDraws]:
        """Yield blocks of draws, `size` in all and at most `step` each, of errors with a prior."""
        k, hits = self.n_classes, np.diagonal(self.counts).astype(float)
        off = self.counts * (1 - np.eye(k))
        row, column = np.nonzero(off)
        # Draws of the share of hits: one in each part of equal probability.
        level = (np.arange(size) + rng.random(size)) / size
        shares = betaincinv(hits.sum() + HALF, off.sum() + HALF, LEVELS)
        right = np.interp(level, LEVELS, shares)
        rng.shuffle(right)
        step = step or self.at_once
        for start in range(0, size, step):
            share = right[start : start + step]
            hit = rng.standard_gamma(hits[:, None] + per_hit(k), size=(k, share.size))
            hit *= self.n * share / hit.sum(0)
            cases = self.n * (1 - share)
            counted, atoms = spread(off[row, column], mass, cases, rng)
            elsewhere = atoms_elsewhere(atoms.shape, k, rng)
            yield CellDraws(hit, OffDiagonal(row, column, counted, *elsewhere, atoms))

    @property
    def at_once(self) -> int:
        """How many draws are held at a time."""
        return max(1, AT_ONCE // (int(np.count_nonzero(self.counts)) + 2 * self.n_classes))


def spread(
    cases: Array, mass: float, total: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return draws of cells that hold cases, and of the atoms of a prior with this mass.

    Together they add up to the total of each draw. They have Sethuraman's sticks as lengths: with
    Poisson times t, what is left after each atom is exp(-t / mass).
    """
    counted = rng.standard_gamma(cases[:, None], size=(len(cases), total.size))
    n_atoms = int(np.ceil(FADED * mass + SPARE * np.sqrt(FADED * mass))) + 1
    times = rng.standard_exponential((n_atoms - 1, total.size)).cumsum(0)
    atoms: Array = -np.diff(np.exp(-times / mass), axis=0, prepend=1.0, append=0.0)
    weight = rng.standard_gamma(mass, size=total.size) if len(cases) else np.ones(total.size)
    scale = total / (counted.sum(0) + weight)
    return counted * scale, atoms * (weight * scale)


def new_tables(cells: Array, cases: float, rng: np.random.Generator) -> Array:
    """Return a table of so many cases from each column of cells, with the sum of its cells."""
    total, size = cells.sum(0), max(1, round(cases))
    return rng.multinomial(size, (cells / total).T).T * (total / size)


def atoms_elsewhere(
    shape: tuple[int, ...], k: int, rng: np.random.Generator
) -> tuple[Index, Index]:
    """Return a random class for each atom, and another one that is not the same."""
    first = rng.integers(k, size=shape)
    second = rng.integers(k - 1, size=shape)
    second += second >= first
    return first, second


def summed(cells: Array, place: Index, k: int) -> Array:
    """Add up the rows of `cells` with the same place, for each of K places."""
    found = np.zeros((k, cells.shape[1]))
    if len(place):
        if np.any(np.diff(place) < 0):
            order = np.argsort(place, kind="stable")
            cells, place = cells[order], place[order]
        starts = np.flatnonzero(np.diff(place, prepend=-1))
        found[place[starts]] = np.add.reduceat(cells, starts, axis=0)
    return found


def summed_atoms(atoms: Array, place: Index, k: int) -> Array:
    """Add up what falls on each of K places, draw by draw."""
    size = atoms.shape[1]
    at = (place * size + np.arange(size)).ravel()
    return np.bincount(at, atoms.ravel(), k * size).astype(np.float64).reshape(k, size)


def dense_cells(
    hits: Array, counted: list[tuple[Index, Index, Array]], atoms: list[tuple[Index, Index, Array]]
) -> Array:
    """Return every cell, of shape (draws, K, K): the hits, and sums of what is named by place."""
    k, size = hits.shape
    found, draw = np.zeros((size, k, k)), np.arange(size)
    for rows, columns, amounts in counted:
        for row, column, amount in zip(rows.tolist(), columns.tolist(), amounts, strict=True):
            found[:, row, column] += amount
    for rows, columns, amounts in atoms:
        for row, column, amount in zip(rows, columns, amounts, strict=True):
            found[draw, row, column] += amount
    found[:, np.arange(k), np.arange(k)] = hits.T
    return found


def resampled(counts: Array, size: int, rng: np.random.Generator) -> Iterator[Margins]:
    """Yield blocks of multinomial resamples of a table, `size` in all."""
    k = len(counts)
    row, column = np.nonzero(counts)
    cases, on = counts[row, column], row == column
    step = max(1, AT_ONCE // (len(row) + 2 * k))
    for start in range(0, size, step):
        block = min(step, size - start)
        drawn = rng.multinomial(int(cases.sum()), cases / cases.sum(), size=block).T.astype(float)
        hits = summed(drawn[on], row[on], k)
        parts = [(row[~on], column[~on], drawn[~on])]
        truth, called = summed(drawn, row, k), summed(drawn, column, k)
        yield Margins(hits.T, truth.T, called.T, partial(dense_cells, hits, parts, []))


AGAIN = 2  # of so many draws one has a new table drawn from it
MIDDLE = (0.16, 0.5, 0.84)  # about one standard deviation of a normal law either way
NOISE = 0.964  # relative standard error of that range at one draw of a normal law


class Drawn(NamedTuple):
    """Metrics in rows, at draws in columns; and their errors in new tables, at some of these."""

    values: Array
    errors: Array


class Stretched(NamedTuple):
    """Values of a metric at draws, and the relative standard error of their scale by the draws."""

    values: Array
    noise: float = 0.0


def drawn_values(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    blocks: Iterable[CellDraws],
    cases: float,
    rng: np.random.Generator,
) -> list[Stretched]:
    """Return each metric at every draw, spread as new tables of so many cases would be."""
    found = list[Drawn]()
    for block in blocks:
        some = block.first(AGAIN)
        errors = errors_of(metrics, some.tables(cases, rng).margins, some.margins, table)
        found.append(Drawn(at_draws(metrics, block.margins, table), errors))
    drawn = together(found)
    every = zip(metrics, *drawn, strict=True)
    return [stretched(values, errors, metric.bounds) for metric, values, errors in every]


def together(blocks: Sequence[Drawn]) -> Drawn:
    """Put the draws of several blocks into one."""
    return Drawn(*(np.concatenate(part, axis=1) for part in zip(*blocks, strict=True)))


def stretched(values: Array, errors: Array, bounds: tuple[float, float]) -> Stretched:
    """Return the values stretched about their median to the errors' spread, if that is wider."""
    known, seen = values[~np.isnan(values)], errors[~np.isnan(errors)]
    if not min(known.size, seen.size):
        return Stretched(values)
    low, center, high = np.quantile(known, MIDDLE)
    left, _, right = np.quantile(seen, MIDDLE)
    if not 0 < high - low < right - left < np.inf:
        return Stretched(values)
    wider = center + (values - center) * ((right - left) / (high - low))
    noise = NOISE * np.sqrt(1 / known.size + 1 / seen.size)
    return Stretched(np.clip(wider, *bounds), float(noise))


def at_draws(metrics: Sequence[ClassMetric], draws: Margins, table: ClassTable) -> Array:
    """Return metrics in rows, at every draw.

    An average over the classes in which a metric is defined is one over those of the table.
    """
    return np.array([_at_draws(metric, draws, table) for metric in metrics])


def _at_draws(metric: ClassMetric, draws: Margins, table: ClassTable) -> Array:
    if metric.undefined_classes == "omit":
        return _average_over(metric, draws, _defined(metric, table))
    if metric.of_margins is not None:
        return np.asarray(metric.at_margins(*draws[:3]))
    assert metric.of_cells is not None
    return np.asarray(metric.of_cells(draws.cells()))


def errors_of(
    metrics: Sequence[ClassMetric],
    again: Margins,
    draws: Margins,
    table: ClassTable,
    scale: np.ufunc = np.positive,
) -> Array:
    """Return how far new tables are from the draws that they come from, metrics in rows."""
    every = (_at_both(metric, again, draws, table) for metric in metrics)
    return np.array([scale(new) - scale(old) for new, old in every])


def _at_both(
    metric: ClassMetric, again: Margins, draws: Margins, table: ClassTable
) -> tuple[Array, Array]:
    if metric.undefined_classes is None or metric.part is None:
        return _at_draws(metric, again, table), _at_draws(metric, draws, table)
    kept = _defined(metric, table) & ~metric.part.undefined(_each_class(again))
    return _average_over(metric, again, kept), _average_over(metric, draws, kept)


def _defined(metric: ClassMetric, table: ClassTable) -> Any:
    assert metric.part is not None
    return ~np.asarray(metric.part.undefined(table.one_vs_rest()))


def _average_over(metric: ClassMetric, draws: Margins, kept: Any) -> Array:
    """Return the macro or weighted average over some of the classes."""
    assert metric.part is not None
    every = np.asarray(metric.part(_each_class(draws)))
    weight = np.where(kept, draws.class_counts if metric.kind == "weighted" else 1.0, 0.0)
    return np.asarray(ratio((np.where(kept, every, 0.0) * weight).sum(-1), weight.sum(-1)))


def _each_class(draws: Margins) -> ConfusionMatrix:
    """Return the tables of each class against the rest."""
    hits, truth, predicted = draws[:3]
    fn, fp = np.maximum(truth - hits, 0.0), np.maximum(predicted - hits, 0.0)
    tn = np.maximum(truth.sum(-1, keepdims=True) - truth - fp, 0.0)
    return ConfusionMatrix(tp=hits, fn=fn, fp=fp, tn=tn)
