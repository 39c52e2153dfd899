"""Two classifiers on the same cases: independent ones, clusters, weights or replicate weights."""

from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.errors import UnsupportedError
from baserate.inference.class_comparison import compare_class_yields, compare_classes
from baserate.inference.found_difference import Asked, Difference, lacking
from baserate.inference.paired import compare_paired
from baserate.inference.paired_class_draws import ClassPairs
from baserate.inference.paired_clusters import ByUnits, ClusteredPair, swapped_sums
from baserate.inference.paired_weights import WeightedCells, WeightedPair
from baserate.inference.sampled_class_pairs import Decided, paired_classes
from baserate.inference.several_classes import SEED
from baserate.inference.swap_test import swapped_cases
from baserate.metrics import Metric, class_metric, class_utility

Array = NDArray[np.float64]
Names = tuple[str, str]

MID_P = "mid-p"
LEAST = 3  # classes of a table that has a mean utility


def two_classes_apart(asked: Asked, metric: Metric, cases: BinaryCases, names: Names) -> Difference:
    """Compare two classifiers of two classes."""
    places = [cases.names.index(name) for name in names]
    cells = cases.cells(places, "weight")  # counts where there are no weights
    if cases.is_designed:
        a, b = (cases.counted(name).design for name in names)
        assert a is not None
        assert b is not None
        return _sampled(asked, metric, ClusteredPair.of(a, b, cells.astype(float)), cases)
    if cases.weight is not None:
        pair = WeightedPair(cells, cases.cells(places, "squared"), cases.n)
        return _sampled(asked, metric, pair, cases)
    gap = compare_paired(metric, cells, confidence_level=asked.level, rng=SEED)
    answer = asked.posterior(gap, lacking(metric, *map(cases.table, names)))
    return _told(asked, answer, lambda: (swapped_cases(metric, cells), MID_P))


def classes_apart(asked: Asked, cases: ClassCases, names: Names) -> Difference:
    """Compare two classifiers of several classes, or by utilities."""
    if (matrix := getattr(asked.metric, "matrix", None)) is not None:
        return _yields_apart(asked, np.asarray(matrix, dtype=float), cases, names)
    return _several_apart(asked, class_metric(asked.metric), cases, names)


def _yields_apart(asked: Asked, matrix: Array, cases: ClassCases, names: Names) -> Difference:
    """Compare mean utilities: exactly, or of clusters and weights as any metric of the table."""
    if cases.cluster is cases.weight is cases.replicated is None and asked.method is None:
        pairs = _pairs(cases, names, cases.count, len(cases.labels), len(matrix))
        gap = compare_class_yields(matrix, pairs, confidence_level=asked.level)
        return asked.posterior(gap, None)
    # A table has as many decisions as classes: those that lack are never taken, or never occur.
    size = max(*matrix.shape, LEAST)
    square = np.pad(matrix, [(0, size - n) for n in matrix.shape], constant_values=matrix.min())
    right = np.arange(size)
    right[: matrix.shape[1]] = matrix.argmax(axis=0)
    cases = replace(cases, labels=tuple(range(size)), decisions=None, grouping=None)
    return _several_apart(asked, class_utility(square), cases, names, right)


def _several_apart(
    asked: Asked, metric: Any, cases: ClassCases, names: Names, right: Any = None
) -> Difference:
    k = len(cases.labels)
    weight = cases.count if cases.weight is None else cases.weight
    pairs = _pairs(cases, names, weight, k)
    sides = [Decided(cases.counted(name)) for name in names]
    if asked.method is None and cases.cluster is cases.weight is cases.replicated is None:
        [gap] = compare_classes(metric, pairs, confidence_level=asked.level).values()
        return asked.posterior(gap, lacking(metric, *pairs.tables))
    squared = _pairs(cases, names, cases.count if cases.squared is None else cases.squared, k)
    right = np.arange(k) if right is None else right
    both = paired_classes(pairs, squared.counts, sides[0], sides[1], right)
    if isinstance(both, ByUnits) or cases.weight is not None:
        return _sampled(asked, metric, both, cases)
    answer = asked.by_law(both.compared(metric, asked.level), nan, metric)
    apart, by_slopes = np.repeat(both.swapped(metric), pairs.counts.astype(int)), not metric.weights
    return _told(asked, answer, lambda: swapped_sums(apart, by_slopes=by_slopes))


def _pairs(
    cases: ClassCases, names: Names, amount: Any, n_classes: int, n_decisions: int | None = None
) -> ClassPairs:
    a, b = (cases.predictions[name] for name in names)
    how: Any = {"count": amount, "n_decisions": n_decisions}
    return ClassPairs.of_cases(cases.truth, a, b, n_classes, **how)


def _sampled(
    asked: Asked, metric: Any, pair: WeightedCells, cases: BinaryCases | ClassCases
) -> Difference:
    """Return what Student's law of clusters, weights or replicate weights tells."""
    answer = asked.by_law(pair.compared(metric, asked.level), pair.law(metric).above, metric)
    if isinstance(pair, ByUnits) and cases.replicated is None:
        return _told(asked, answer, partial(pair.swapped_clusters, metric))
    return _told(asked, answer, None)


def _told(asked: Asked, answer: Difference, swap: Any) -> Difference:
    """Return the answer by its law, or by swaps."""
    if asked.method is None:
        return answer
    if asked.method != "exact":
        raise asked.refused("is for scores")
    if swap is None:
        message = (
            "weighted cases are not exchangeable, so that swaps of A and B say nothing: leave "
            "method out."
        )
        raise UnsupportedError(message)
    return answer.swapped(*swap())
