"""Two classifiers of several classes: by any metric, and by the yield under any utilities.

A yield is linear in the shares of cells, so that its difference has an exact law. Other metrics are
simulated from a fixed seed, as their intervals are, and say with which error.
"""

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import confidence, float_array
from baserate.class_counts import ClassTable, single_class_table
from baserate.errors import InvalidArgumentError, InvalidCountError
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.class_draws import Stretched, by_mass
from baserate.inference.class_pairs import (
    SHIFTS,
    ClassPairs,
    class_gaps,
    paired_parts,
    separate_parts,
)
from baserate.inference.linearity import cell_prior
from baserate.inference.metric_comparison import UNDEFINED, MetricComparison, comparison, of_one_law
from baserate.inference.paired import compare_paired
from baserate.inference.posterior import refuse_beyond
from baserate.inference.separate_samples import (
    compare_separate,
    gap_of_laws,
    gap_of_tables,
    table_of,
)
from baserate.inference.several_classes import (
    SEED,
    asked_metrics,
    percentiles,
    size_of_draws,
    with_even_prior,
)
from baserate.metrics import ClassMetric, Metric, utility
from baserate.metrics.utilities import decision_counts

FEW_WEIGHTS = 6  # from more on, laws are tabulated: nested integrals would take seconds


def compare_classes(
    metrics: str | Metric | ClassMetric | Sequence[str | Metric | ClassMetric],
    a: Any,
    b: Any = None,
    *,
    confidence_level: float = 0.95,
    n_draws: int | None = None,
) -> dict[str, MetricComparison]:
    """Return the posterior of metric(A) - metric(B) for metrics of several classes, by name.

    Class tables of cases of their own have the posterior of `class_intervals`, independently. On
    the same cases (`a` alone, a `ClassPairs`) the kinds "both right", "only A", "only B", "neither"
    have a Dirichlet law with half a case for A alone and half a case for B alone. Metrics that are
    means over cases are exact; all others share one simulation with a fixed seed, whose `error` is
    the standard error of the probability that A is higher. With two classes a metric with a form
    for two is compared as four counts are, to the last digit.
    """
    level, every = confidence(confidence_level), asked_metrics(metrics)
    sides = _Together(a) if b is None else _tables(a, b)
    size, tables = size_of_draws(n_draws), sides.tables
    values = {metric: (float(metric(tables[0])), float(metric(tables[1]))) for metric in every}
    known = {m: UNDEFINED for m, pair in values.items() if any(map(isnan, pair))}
    forms = {metric: metric.form_of(tables[0].n_classes) for metric in every}
    answers = {m: sides.of_two(two, level) for m, two in forms.items() if two is not None}
    for metric in every:
        if metric not in known and metric not in answers and metric.weights is not None:
            worth = metric.weights(tables[0].n_classes).T
            known[metric] = sides.yield_gap(worth, level)
    waiting = [metric for metric in every if metric not in known and metric not in answers]
    if waiting:
        gaps = by_mass(waiting, tables[0].n_classes, partial(sides.drawn, size))
        known |= {m: _from_gaps(gap, level, size) for m, gap in zip(waiting, gaps, strict=True)}
    for metric, found in known.items():
        answers[metric] = comparison(metric, values[metric], level, found)
    return {metric.name: answers[metric] for metric in every}


def compare_class_yields(
    utilities: Any,
    a: Any,
    b: Any = None,
    *,
    confidence_level: float = 0.95,
) -> MetricComparison:
    """Return the posterior of yield(A) - yield(B), the mean utilities per case; exact.

    The yield Σ U[d][c] θ[d][c] is linear in shares θ that have a Dirichlet law. Its prior is half a
    case for all decisions that are best for their class and half a case for all others, spread
    evenly (`even_prior`), or that of `interval` for two classes and decisions. On the same cases it
    is half a case for those that only A decides best and half a case for those that only B does,
    which leaves either of them what is its own.

    `a` and `b` are counts of the shape of the utilities (decisions in rows, classes in columns), or
    tables of K labels, each tested on cases of its own; or `a` alone is a `ClassPairs`. Yields are
    those of Dyrland, Lundervold and Porta Mana (2022), doi:10.31219/osf.io/7rz8t.
    """
    level = confidence(confidence_level)
    worth = float_array("utilities", getattr(utilities, "matrix", utilities))
    if worth.ndim != 2 or not np.isfinite(worth).all():
        rule, remedy = "must be finite, decisions in rows and classes in columns", "pass [[..]]"
        raise InvalidArgumentError.from_rule("utilities", rule, worth.shape, remedy)
    sides = _Together(a) if b is None else _counts(utilities, worth.shape, a, b)
    decided = sides.decided(worth)
    values = _mean(worth, decided[0]), _mean(worth, decided[1])
    gap = UNDEFINED if any(map(isnan, values)) else sides.yield_gap(worth, level)
    return comparison(None, values, level, gap)


def even_prior(n_decisions: int, n_classes: int) -> Array:
    """Return half a case for all right decisions and half a case for all others, evenly spread.

    A decision is right on the diagonal, if there is one decision for each class; else nothing says
    which is, and one case is spread over all.
    """
    if n_decisions != n_classes:
        return np.full((n_decisions, n_classes), 1 / (n_decisions * n_classes))
    return with_even_prior(np.zeros((n_classes, n_classes)))


def yield_prior(worth: Array) -> Array:
    """Return what is added to counts of the utilities' shape: for 2 x 2 that of four counts."""
    if worth.shape != (2, 2):
        return even_prior(*worth.shape)
    tp, fn, fp, tn = cell_prior(utility(worth / max(1.0, np.abs(worth).max())))
    return np.array([[tp, fp], [fn, tn]])


class _Together(NamedTuple):
    """Two classifiers on the same cases."""

    pairs: ClassPairs

    @property
    def tables(self) -> tuple[ClassTable, ClassTable]:
        """The class tables of A and of B."""
        return self.pairs.tables

    def decided(self, worth: Array) -> tuple[Array, Array]:
        """Return how often A and B decided what in which class, of the shape of the utilities."""
        truth, both = self.pairs.truth, (self.pairs.a, self.pairs.b)
        n, (d, k) = self.pairs.n_classes, worth.shape
        if n != k or any((called >= d).any() for called in both):
            rule = f"must have a column for each of {n} classes, a row for each decision"
            raise InvalidArgumentError.from_rule("utilities", rule, worth.shape, "list all of them")
        cells = np.zeros((2, d, k))
        for side, called in zip(cells, both, strict=True):
            np.add.at(side, (called, truth), self.pairs.counts)
        return cells[0], cells[1]

    def of_two(self, metric: Metric, level: float) -> MetricComparison:
        """Compare as four counts are compared; the second class is positive, as 1 of 0, 1."""
        joint = np.zeros((2, 2, 2))  # the positive class comes first, the second of the table
        places = 1 - self.pairs.a, 1 - self.pairs.b, 1 - self.pairs.truth
        np.add.at(joint, places, self.pairs.counts)
        return compare_paired(metric, joint, confidence_level=level, rng=SEED)

    def yield_gap(self, worth: Array, level: float) -> MetricComparison:
        """Return the exact law of a difference of two means over cases."""
        return of_one_law(_paired_gain(worth, self.pairs), level)

    def drawn(self, size: int, metrics: list[ClassMetric], mass: float) -> list[Stretched]:
        """Return draws of the differences: each of A beside that of B."""
        rng = np.random.default_rng(SEED)
        return class_gaps(metrics, self.tables, paired_parts(self.pairs, size, rng, mass))


class _Apart(NamedTuple):
    """Two classifiers, each on cases of its own: counts with decisions in rows."""

    cells: tuple[Array, Array]
    labels: tuple[Any, ...] | None = None

    @property
    def tables(self) -> tuple[ClassTable, ClassTable]:
        first, second = (ClassTable(cells.T, self.labels) for cells in self.cells)
        return first, second

    def decided(self, _: Array) -> tuple[Array, Array]:
        return self.cells

    def of_two(self, metric: Metric, level: float) -> MetricComparison:
        sides = [table.one_vs_rest(table.labels[1]) for table in self.tables]
        return compare_separate(metric, *sides, confidence_level=level, rng=SEED)

    def yield_gap(self, worth: Array, level: float) -> MetricComparison:
        prior = yield_prior(worth)
        first, second = (DirichletLinear(worth.ravel(), (x + prior).ravel()) for x in self.cells)
        many = max(law.knots.size for law in (first, second)) > FEW_WEIGHTS
        if many and first.sd and second.sd:
            return gap_of_tables(table_of(first), table_of(second), level)
        return gap_of_laws(first, second, level)

    def drawn(self, size: int, metrics: list[ClassMetric], mass: float) -> list[Stretched]:
        return class_gaps(metrics, self.tables, separate_parts(self.tables, size, mass), SHIFTS)


def _counts(utilities: Any, shape: tuple[int, ...], a: Any, b: Any) -> _Apart:
    """Return counts of A and of B, of the shape of the utilities."""
    found = decision_counts("a", a, utilities), decision_counts("b", b, utilities)
    for name, cells in zip("ab", found, strict=True):
        if cells.shape != shape:
            rule = f"must hold counts of at least 0, of the shape of the utilities, {shape}"
            remedy = "pass decisions in rows and classes in columns, a ClassTable or ClassPairs"
            raise InvalidCountError.from_rule(name, rule, f"shape {cells.shape}", remedy)
    return _Apart(found)


def _mean(worth: Array, cells: Array) -> float:
    return float((worth * cells).sum() / cells.sum()) if cells.sum() else float("nan")


def _tables(a: Any, b: Any) -> _Apart:
    """Return tables of the same classes, each of cases of its own."""
    first, second = single_class_table("a", a), single_class_table("b", b)
    if first.labels != second.labels:
        rule, remedy = "must have the classes of a, in the same order", "use b.reorder(a.labels)"
        raise InvalidArgumentError.from_rule("b", rule, list(second.labels), remedy)
    for table in (first, second):
        refuse_beyond(float(table.n))
    return _Apart((first.counts.T, second.counts.T), first.labels)


def _paired_gain(worth: Array, pairs: ClassPairs) -> DirichletLinear:
    """Return the law of the mean gain of A over B, a case at a time."""
    gain = worth[pairs.a, pairs.truth] - worth[pairs.b, pairs.truth]
    square = worth.shape[0] == worth.shape[1]
    right = np.arange(worth.shape[1]) if square else worth.argmax(axis=0)
    ahead = (worth[right, np.arange(worth.shape[1])] - worth).ravel()  # of right over any other
    other = (np.arange(worth.shape[0])[:, None] != right).ravel()
    ahead = ahead[other]
    alone = yield_prior(worth).sum() / 2  # for cases that one of them decides best
    even = np.full(ahead.size, alone / max(ahead.size, 1))
    values = np.concatenate((gain, ahead, -ahead))
    return DirichletLinear(values, np.concatenate((pairs.counts, even, even)))


def _from_gaps(gaps: Stretched, level: float, size: int) -> MetricComparison:
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    end = percentiles(gaps.values, tails, "simulation", gaps.noise)
    known = gaps.values[~np.isnan(gaps.values)]
    higher, lower = float((known > 0).mean()), float((known < 0).mean())
    worst = max(higher * (1 - higher), tails[0] * (1 - tails[0]))
    error = float(np.sqrt(worst / size))
    return MetricComparison(end.low, end.high, higher, lower, "simulation", error, end.undefined)
