"""Draws from what a table of several classes leaves open about its cells.

One prior for all cells of a K x K table goes wrong: half a case in each of 100 cells makes every
classifier of ten classes bad, and what gives recall and precision of each class Jeffreys' law still
holds K pseudo-cases of which half are errors. Then 95% intervals of a table of 30 cases and 10
classes cover 40% and 65% of the time (macro-F1). So the posterior has three independent parts:

- the share of cases that are called what they are: Beta(hits + 1/2, errors + 1/2), Jeffreys' law,
  so that accuracy has the interval of a proportion, however many classes there are;
- how the hits spread over the classes: Dirichlet(hits of the class + 1 - 1/K);
- how the errors spread over the K (K - 1) pairs: Dirichlet(errors of the pair + 1/(4 (K - 1))), a
  quarter of a case for each class.

The last two were chosen by coverage, see `benchmarks/bench_class_coverage.py`.

Only the cells that hold cases are drawn one by one. What the prior adds to the errors is one gamma
process over all pairs, drawn by its atoms, largest first on average: so a thousand classes cost as
much as their cases, not as their million cells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

Array = NDArray[np.float64]
Index = NDArray[np.intp]

HALF = 0.5  # of a case, added to the hits and to the errors
PER_CLASS = 0.25  # of a case, added to the errors of each class
AT_ONCE = 1 << 20  # gamma variables that are held at a time
FADED = 7.0  # the atoms that are drawn leave a share of about exp(-7) to the last of them
SPARE = 4.0  # standard deviations of the number of atoms that this takes


class Margins(NamedTuple):
    """Draws of a table's cells, at its number of cases; arrays of shape (draws, K)."""

    hits: Array
    class_counts: Array
    predicted_counts: Array
    cells: Callable[[], Array]  # of shape (draws, K, K), K times as many numbers: on demand


class Errors(NamedTuple):
    """Draws of the cells beside the diagonal that hold cases, and of the prior's atoms."""

    row: Index
    column: Index
    counted: Array  # (cells, draws)
    atoms: tuple[Index, Index, Array]  # row, column and share, each of shape (atoms, draws)

    def cells(self, hits: Array) -> Array:
        """Return every cell, the hits among them, of shape (draws, K, K)."""
        k, size = hits.shape
        found, draw = np.zeros((size, k, k)), np.arange(size)
        found[:, self.row, self.column] = self.counted.T
        for row, column, share in zip(*self.atoms, strict=True):
            found[draw, row, column] += share
        found[:, np.arange(k), np.arange(k)] = hits.T
        return found


@dataclass(frozen=True, eq=False)
class ClassPosterior:
    """What a K x K table of (effective) counts leaves open: hits, errors, how either spread."""

    counts: Array
    n: float  # cases at which draws are stated; of weights, more than are counted

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.counts)

    def parts(self, size: int, rng: np.random.Generator) -> Iterator[Margins]:
        """Yield blocks of draws, `size` in all."""
        k, hits = self.n_classes, np.diagonal(self.counts).astype(float)
        off = self.counts * (1 - np.eye(k))
        row, column = np.nonzero(off)
        by_column = np.argsort(column, kind="stable")
        right = self._right(hits.sum(), off.sum(), size, rng)
        step = max(1, AT_ONCE // (len(row) + 2 * k))
        for start in range(0, size, step):
            share = right[start : start + step]
            spread = rng.standard_gamma(hits[:, None] + 1 - 1 / k, size=(k, share.size))
            spread *= self.n * share / spread.sum(0)
            errors = self._errors(row, column, off[row, column], self.n * (1 - share), rng)
            at_row, at_column, atoms = errors.atoms
            by_truth = _summed(errors.counted, row, k) + _scattered(atoms, at_row, k)
            by_call = _summed(errors.counted[by_column], column[by_column], k)
            by_call += _scattered(atoms, at_column, k)
            truth, called = spread + by_truth, spread + by_call
            yield Margins(spread.T, truth.T, called.T, partial(errors.cells, spread))

    def _right(self, hits: float, errors: float, size: int, rng: np.random.Generator) -> Array:
        """Return draws of the share of hits: one in each part of equal probability."""
        level = (np.arange(size) + rng.random(size)) / size
        shares: Array = betaincinv(hits + HALF, errors + HALF, level)
        rng.shuffle(shares)
        return shares

    def _errors(
        self, row: Index, column: Index, cases: Array, total: Array, rng: np.random.Generator
    ) -> Errors:
        """Return draws of the errors that add up to these totals."""
        k, size = self.n_classes, total.size
        mass = PER_CLASS * k
        counted = rng.standard_gamma(cases[:, None], size=(len(cases), size))
        n_atoms = int(np.ceil(FADED * mass + SPARE * np.sqrt(FADED * mass))) + 1
        # Sethuraman's sticks: with Poisson times t, what is left after each is exp(-t / mass).
        left = np.exp(-rng.standard_exponential((n_atoms - 1, size)).cumsum(0) / mass)
        atoms = -np.diff(left, axis=0, prepend=1.0, append=0.0)
        at_row = rng.integers(k, size=atoms.shape)
        at_column = rng.integers(k - 1, size=atoms.shape)
        at_column += at_column >= at_row
        weight = rng.standard_gamma(mass, size=size) if len(cases) else np.ones(size)
        scale = total / (counted.sum(0) + weight)
        return Errors(row, column, counted * scale, (at_row, at_column, atoms * (weight * scale)))


def _summed(cells: Array, place: Index, k: int) -> Array:
    """Add up the rows of `cells` with the same place; places are ascending."""
    found = np.zeros((k, cells.shape[1]))
    if len(place):
        starts = np.flatnonzero(np.diff(place, prepend=-1))
        found[place[starts]] = np.add.reduceat(cells, starts, axis=0)
    return found


def _scattered(atoms: Array, place: Index, k: int) -> Array:
    """Add up what falls on each of K places, draw by draw."""
    size = atoms.shape[1]
    at = (place * size + np.arange(size)).ravel()
    return np.bincount(at, atoms.ravel(), k * size).astype(np.float64).reshape(k, size)


def resampled(counts: Array, size: int, rng: np.random.Generator) -> Iterator[Margins]:
    """Yield blocks of multinomial resamples of a table, `size` in all."""
    k = len(counts)
    row, column = np.nonzero(counts)
    cases, by_column = counts[row, column], np.argsort(column, kind="stable")
    step = max(1, AT_ONCE // (len(row) + 2 * k))
    for start in range(0, size, step):
        block = min(step, size - start)
        drawn = rng.multinomial(int(cases.sum()), cases / cases.sum(), size=block).T.astype(float)
        hits = np.zeros((k, block))
        hits[row[row == column]] = drawn[row == column]
        truth = _summed(drawn, row, k)
        called = _summed(drawn[by_column], column[by_column], k)
        yield Margins(hits.T, truth.T, called.T, partial(_dense, row, column, drawn, k))


def _dense(row: Index, column: Index, drawn: Array, k: int) -> Array:
    found = np.zeros((drawn.shape[1], k, k))
    found[:, row, column] = drawn.T
    return found
