"""Draws of the tables of two classifiers of several classes, of the same cases or of separate ones.

The same cases are of four kinds: both classifiers are right, only A, only B, or neither. They have
a Dirichlet law with half a case for A alone and half a case for B alone, as `compare_paired` has
it: so the share of cases that either gets right has Jeffreys' law, and so has the share of those
that only one gets right. Within a kind cases spread as those of one table do in
`baserate.inference.class_draws`. What the prior adds where neither is right is called the same by
both, so that it favours nobody.

Of separate cases the cells of either table are drawn from the posterior of `class_intervals`, apart
from each other, and the differences are spread as far as those of new tables would be
(`class_draws`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from baserate._arrays import Array, Index, Mask
from baserate._checks import whole_number
from baserate.class_counts import ClassTable
from baserate.errors import InvalidCountError
from baserate.inference.class_draws import (
    AGAIN,
    AT_ONCE,
    HALF,
    CellDraws,
    ClassPosterior,
    Drawn,
    Margins,
    Stretched,
    at_draws,
    atoms_elsewhere,
    by_mass,
    dense_cells,
    errors_of,
    new_tables,
    per_hit,
    spread,
    stretched,
    summed,
    summed_atoms,
    together,
)
from baserate.inference.several_classes import N_DRAWS, SEED, concentration
from baserate.metrics import ClassMetric

ALONE = 0.0, HALF, HALF, 0.0  # of a case that is added to each kind: only one of them is right


@dataclass(frozen=True, eq=False)
class ClassPairs:
    """How often each class was called what by A and by B, on the same cases: cells that occur.

    Attributes
    ----------
    truth, a, b : array of int
        Places of the labels; each triple once.
    counts : array
        Cases of each triple.
    n_classes : int
    """

    truth: Index
    a: Index
    b: Index
    counts: Array
    n_classes: int

    @classmethod
    def of_cases(
        cls,
        truth: Any,
        a: Any,
        b: Any,
        n_classes: int,
        *,
        count: Any = None,
        n_decisions: int | None = None,
    ) -> Self:
        """Count cases, given the places of their labels, from 0 to K - 1; `count` for each row.

        Of `n_decisions`, where `a` and `b` are places of decisions that are no classes, pairs have
        yields (`compare_class_yields`) and no tables.
        """
        k = whole_number("n_classes", n_classes, minimum=2)
        columns = [np.asarray(column, dtype=np.int64) for column in (truth, a, b)]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            rule, given = "must be three columns of equal length", [x.shape for x in columns]
            raise InvalidCountError.from_rule("truth, a, b", rule, given, "one value per case")
        d = k if n_decisions is None else whole_number("n_decisions", n_decisions, minimum=1)
        most = [k, d, d]
        if any(((x < 0) | (x >= size)).any() for x, size in zip(columns, most, strict=True)):
            rule = f"must be places from 0 to {k - 1}"
            rule += "" if d == k else f", of decisions to {d - 1}"
            given = [x.tolist()[:5] for x in columns]
            raise InvalidCountError.from_rule("truth, a, b", rule, given, "raise n_classes")
        code, place = np.unique((columns[0] * d + columns[1]) * d + columns[2], return_inverse=True)
        cases = np.bincount(place, None if count is None else np.asarray(count), len(code))
        first, last = np.divmod(code, d)
        return cls(*np.divmod(first, d), last, cases.astype(np.float64), k)

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.counts.sum())

    @property
    def tables(self) -> tuple[ClassTable, ClassTable]:
        """The class tables of A and of B."""
        found = []
        for called in (self.a, self.b):
            cells = np.zeros((self.n_classes, self.n_classes))
            np.add.at(cells, (self.truth, called), self.counts)
            found.append(ClassTable(cells))
        return found[0], found[1]

    @property
    def kinds(self) -> tuple[Mask, ...]:
        """Which cells are right for both, only for A, only for B, for neither."""
        right_a, right_b = self.truth == self.a, self.truth == self.b
        return right_a & right_b, right_a & ~right_b, right_b & ~right_a, ~right_a & ~right_b


class _Kind(NamedTuple):
    """Draws of one kind of case: of cells that hold cases, and of the prior's atoms."""

    cells: tuple[Index, Index, Index]  # truth, called by A, called by B
    counted: Array
    atoms: Array
    places: tuple[Index, Index, Index]

    def along(self, side: int, k: int) -> Array:
        """Return what falls on each class: of truth (0), of the calls of A (1) or of B (2)."""
        return summed(self.counted, self.cells[side], k) + summed_atoms(
            self.atoms, self.places[side], k
        )


def paired_parts(
    pairs: ClassPairs, size: int, rng: np.random.Generator, mass: float
) -> Iterator["PairedDraws"]:
    """Yield blocks of draws of both tables, `size` in all, of errors with a prior of this mass."""
    k, kinds = pairs.n_classes, pairs.kinds
    known = [pairs.counts[kind].sum() + half for kind, half in zip(kinds, ALONE, strict=True)]
    on_both = np.bincount(pairs.truth[kinds[0]], pairs.counts[kinds[0]], k) + per_hit(k)
    step = max(1, AT_ONCE // (len(pairs.counts) + 4 * k))
    for start in range(0, size, step):
        block = min(step, size - start)
        shares = rng.standard_gamma(np.array(known)[:, None], size=(4, block))
        shares *= pairs.n / shares.sum(0)
        both = rng.standard_gamma(on_both[:, None], size=(k, block))
        both *= shares[0] / both.sum(0)
        others = [_drawn(pairs, i, shares[i], mass / 2, rng) for i in (1, 2, 3)]
        yield PairedDraws(both, others, pairs.n)


def _drawn(pairs: ClassPairs, i: int, total: Array, mass: float, rng: np.random.Generator) -> _Kind:
    """Return draws of a kind other than the first that add up to these totals."""
    at, k = pairs.kinds[i], pairs.n_classes
    counted, atoms = spread(pairs.counts[at], mass, total, rng)
    truth, other = atoms_elsewhere(atoms.shape, k, rng)
    places = {1: (truth, truth, other), 2: (truth, other, truth), 3: (truth, other, other)}[i]
    return _Kind((pairs.truth[at], pairs.a[at], pairs.b[at]), counted, atoms, places)


@dataclass(frozen=True, eq=False)
class PairedDraws:
    """Draws of what is right for both, by class, and of the three other kinds of case."""

    both: Array
    others: list[_Kind]
    cases: float

    @property
    def margins(self) -> tuple[Margins, Margins]:
        """The draws of either table, by class."""
        k, (only_a, only_b, neither) = len(self.both), self.others
        truth = self.both + sum(kind.along(0, k) for kind in self.others)
        return (
            self._of_one(1, only_a, (only_b, neither), truth),
            self._of_one(2, only_b, (only_a, neither), truth),
        )

    def _of_one(self, side: int, alone: _Kind, wrong: tuple[_Kind, ...], truth: Array) -> Margins:
        k = len(self.both)
        hits = self.both + alone.along(0, k)
        called = hits + sum(kind.along(side, k) for kind in wrong)
        parts = [(kind.cells[0], kind.cells[side], kind.counted) for kind in wrong]
        loose = [(kind.places[0], kind.places[side], kind.atoms) for kind in wrong]
        return Margins(hits.T, truth.T, called.T, partial(dense_cells, hits, parts, loose))

    def first(self, part: int) -> "PairedDraws":
        """Return the first of the draws, one in so many, rounded up."""
        some = slice(-(-self.both.shape[1] // part))
        others = [
            kind._replace(
                counted=kind.counted[:, some],
                atoms=kind.atoms[:, some],
                places=tuple(place[:, some] for place in kind.places),
            )
            for kind in self.others
        ]
        return replace(self, both=self.both[:, some], others=others)

    def anew(self, rng: np.random.Generator) -> "PairedDraws":
        """Return new cases, as many for each draw."""
        parts = [self.both, *(part for kind in self.others for part in (kind.counted, kind.atoms))]
        drawn = new_tables(np.concatenate(parts), self.cases, rng)
        both, *rest = np.split(drawn, np.cumsum([len(part) for part in parts])[:-1])
        pairs = zip(self.others, rest[::2], rest[1::2], strict=True)
        others = [kind._replace(counted=counted, atoms=atoms) for kind, counted, atoms in pairs]
        return replace(self, both=both, others=others)


Tables = tuple[ClassTable, ClassTable]

SHIFTS = 8  # ways to pair the draws of two independent tables


class DifferenceEnds(NamedTuple):
    """A difference and the ends of its interval; nan where a table has no value."""

    value: float
    low: float = np.nan
    high: float = np.nan


def class_differences(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    other: ClassTable,
    *,
    confidence_level: float,
    contained: bool = False,
    held: bool = False,
    n_draws: int = N_DRAWS,
    scale: np.ufunc = np.positive,
) -> list[DifferenceEnds]:
    """Return what a table scores above another one, with credible intervals, by simulation.

    As in `compare_classes`, always with the same seed. The tables are of different cases and of the
    same classes: `contained` compares with both tables together, `held` with what the other one
    would score with as many cases of each class. Differences are of the metrics on a `scale`:
    of logarithms, such as those of ratios are.
    """
    against = table, table + other if contained else other
    if held:
        against = table, with_classes_of(against[1], table)
    values = [float(scale(metric(against[0])) - scale(metric(against[1]))) for metric in metrics]
    known = [i for i, value in enumerate(values) if not np.isnan(value)]
    found = [DifferenceEnds(value) for value in values]
    if not known:
        return found
    how: Any = {"contained": contained, "held": held}
    # Means over cases that weigh errors: others have a prior for each class.
    own = [i for i in known if metrics[i].weights is not None and metrics[i].of_cells is not None]
    drawn = {i: _mean_gaps(metrics[i], (table, other), n_draws, scale, **how) for i in own}
    if simulated := [i for i in known if i not in drawn]:
        gaps = by_mass(
            [metrics[i] for i in simulated],
            table.n_classes,
            lambda some, mass: class_gaps(
                some, against, separate_parts((table, other), n_draws, mass, **how), scale=scale
            ),
        )
        drawn |= {i: one.values for i, one in zip(simulated, gaps, strict=True)}
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    for i, every in drawn.items():
        defined = every[~np.isnan(every)]
        if defined.size:
            low, high = np.quantile(defined, tails, method="hazen").tolist()
            found[i] = DifferenceEnds(values[i], min(low, values[i]), max(high, values[i]))
    return found


def _mean_gaps(
    metric: ClassMetric,
    tables: Tables,
    size: int,
    scale: np.ufunc,
    *,
    contained: bool,
    held: bool,
) -> Array:
    """Return draws of a difference of means over cases whose cells have a Dirichlet law."""
    cells = []
    for i, table in enumerate(tables):
        alpha = concentration(metric, table.counts.astype(float))
        shares = np.random.default_rng((SEED, i)).standard_gamma(alpha, (size, *alpha.shape))
        cells.append(shares * (table.n / shares.sum((-2, -1), keepdims=True)))
    one, two = cells[0], cells[0] + cells[1] if contained else cells[1]
    if held:
        two = two * times_of(one.sum(-1), two.sum(-1))[..., None]
    assert metric.of_cells is not None
    return np.asarray(scale(metric.of_cells(one)) - scale(metric.of_cells(two)))


def class_gaps(
    metrics: Sequence[ClassMetric],
    tables: Tables,
    blocks: Iterable["SeparateDraws | PairedDraws"],
    shifts: int = 1,
    scale: np.ufunc = np.positive,
) -> list[Stretched]:
    """Return what one table scores above another one, at draws of both, on a scale.

    Of independent tables each draw of one can be paired with several of the other.
    """
    rng, sides = np.random.default_rng((SEED, 2)), ([], [])
    for block in blocks:
        some = block.first(AGAIN)
        again = some.anew(rng)
        parts = zip(tables, block.margins, some.margins, again.margins, sides, strict=True)
        for table, every, old, new, found in parts:
            errors = errors_of(metrics, new, old, table, scale)
            found.append(Drawn(scale(at_draws(metrics, every, table)), errors))
    one, two = (together(found) for found in sides)
    step = one.values.shape[1] // shifts
    rolled = [one.values - np.roll(two.values, step * i, axis=1) for i in range(shifts)]
    ends = [scale(metric.bounds) for metric in metrics]
    reach = [(low - high, high - low) for low, high in ends]
    every = zip(np.concatenate(rolled, axis=1), one.errors - two.errors, reach, strict=True)
    return [stretched(*each) for each in every]


def separate_parts(
    tables: Tables, size: int, mass: float, *, contained: bool = False, held: bool = False
) -> Iterator["SeparateDraws"]:
    """Yield blocks of draws of two tables of different cases, `size` in all."""
    laws = [ClassPosterior(table.counts.astype(float), float(table.n)) for table in tables]
    step = min(law.at_once for law in laws)
    streams = (
        law.parts(size, np.random.default_rng((SEED, i)), mass, step) for i, law in enumerate(laws)
    )
    for one, two in zip(*streams, strict=True):
        yield SeparateDraws(one, two, (laws[0].n, laws[1].n), contained=contained, held=held)


@dataclass(frozen=True, eq=False)
class SeparateDraws:
    """Draws of two tables of different cases; the second may stand for both together.

    `held` gives the second the class totals of the first, draw by draw.
    """

    one: CellDraws
    two: CellDraws
    cases: tuple[float, float]
    contained: bool = False
    held: bool = False

    @property
    def margins(self) -> tuple[Margins, Margins]:
        """The draws by class."""
        one, two = self.one.margins, self.two.margins
        if not self.held:
            return one, both(one, two) if self.contained else two
        there = two.class_counts + (one.class_counts if self.contained else 0.0)
        by = times_of(one.class_counts, there).T
        placed = self.two.times(by).margins
        return one, both(self.one.times(by).margins, placed) if self.contained else placed

    def first(self, part: int) -> "SeparateDraws":
        """Return the first of the draws, one in so many, rounded up."""
        return replace(self, one=self.one.first(part), two=self.two.first(part))

    def anew(self, rng: np.random.Generator) -> "SeparateDraws":
        """Return new tables of as many cases, one of each draw."""
        one, two = (
            side.tables(n, rng) for side, n in zip((self.one, self.two), self.cases, strict=True)
        )
        return replace(self, one=one, two=two)


def with_classes_of(table: ClassTable, other: ClassTable) -> ClassTable:
    """Return a table with as many cases of each class as another one has."""
    by = times_of(other.class_counts, table.class_counts)
    return ClassTable(table.counts * by[:, None], table.labels)


def times_of(wanted: Any, there: Any) -> Array:
    """Return by what cells are multiplied; 0 where there is nothing to multiply."""
    wanted, there = np.asarray(wanted, dtype=float), np.asarray(there, dtype=float)
    return np.divide(wanted, there, out=np.zeros_like(wanted), where=there > 0)


def both(one: Margins, two: Margins) -> Margins:
    """Return draws of two tables together."""
    sides = (a + b for a, b in zip(one[:3], two[:3], strict=True))
    return Margins(*sides, cells=lambda: one.cells() + two.cells())
