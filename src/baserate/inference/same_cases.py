"""Two classifiers or scores, by cases that are independent, weighted, clustered or replicated."""

from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.curves.estimates import ScoreComparison
from baserate.curves.loss_comparisons import compare_brier, compare_log_loss
from baserate.curves.paired_auc import compare_auc
from baserate.errors import UnsupportedError
from baserate.inference.class_comparison import compare_class_yields, compare_classes
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.design_ratios import INFINITE, areas_apart, losses_apart, told_apart
from baserate.inference.found_difference import AskedPair, Difference, lacking
from baserate.inference.paired import compare_paired, swapped_cases
from baserate.inference.paired_clusters import ByUnits, ClusteredPair, swapped_sums
from baserate.inference.paired_weights import WeightedCells, WeightedPair
from baserate.inference.sampled_class_pairs import Decided, paired_classes
from baserate.inference.several_classes import SEED
from baserate.metrics import Metric, class_metric, class_utility

Names = tuple[str, str]

SCORES = {"roc_auc": compare_auc, "brier_score": compare_brier, "log_loss": compare_log_loss}
MID_P = "mid-p"
LEAST = 3  # classes of a table that has a mean utility


def two_classes_apart(
    asked: AskedPair, metric: Metric, cases: BinaryCases, names: Names
) -> Difference:
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


def classes_apart(asked: AskedPair, cases: ClassCases, names: Names) -> Difference:
    """Compare two classifiers of several classes, or by utilities."""
    if (matrix := getattr(asked.metric, "matrix", None)) is not None:
        return _yields_apart(asked, np.asarray(matrix, dtype=float), cases, names)
    return _several_apart(asked, class_metric(asked.metric), cases, names)


def _yields_apart(asked: AskedPair, matrix: Array, cases: ClassCases, names: Names) -> Difference:
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
    asked: AskedPair, metric: Any, cases: ClassCases, names: Names, right: Any = None
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
    asked: AskedPair, metric: Any, pair: WeightedCells, cases: BinaryCases | ClassCases
) -> Difference:
    """Return what Student's law of clusters, weights or replicate weights tells."""
    answer = asked.by_law(pair.compared(metric, asked.level), pair.law(metric).above, metric)
    if isinstance(pair, ByUnits) and cases.replicated is None:
        return _told(asked, answer, partial(pair.swapped_clusters, metric))
    return _told(asked, answer, None)


def _told(asked: AskedPair, answer: Difference, swap: Any) -> Difference:
    """Return the answer by its law, or by swaps."""
    if asked.method is None:
        return answer
    if asked.method != "exact":
        raise asked.refused("is for scores")
    if swap is None:
        raise UnsupportedError(
            "weighted cases are not exchangeable, so that swaps of A and B say nothing: leave "
            "method out."
        )
    return answer.swapped(*swap())


def scores_apart(asked: AskedPair, cases: BinaryCases, names: tuple[str, str]) -> Difference:
    """Compare two scores of the same cases."""
    compare, (a, b) = SCORES[asked.metric], (cases.scores[name] for name in names)
    how: dict[str, Any] = {"sample_weight": cases.weight, "confidence_level": asked.level}
    if asked.metric == "roc_auc" and cases.cluster is not None:
        how["cluster"] = cases.cluster.codes
    elif cases.is_designed:
        return _scores_by_design(asked, cases, names)
    return _scored(asked, compare(cases.truth, a, b, method=_method(asked), **how))


def _scores_by_design(asked: AskedPair, cases: BinaryCases, names: tuple[str, str]) -> Difference:
    """Compare losses by whole clusters, or any measure by replicate weights: Student's law."""
    if asked.method is not None:
        raise UnsupportedError(
            "areas and losses of clustered cases, or with replicate weights, have Student's law "
            "alone: leave method out."
        )
    if asked.metric == "roc_auc":
        first, second, law = areas_apart(cases, *names)
    else:
        first, second, law = losses_apart(cases, *names, asked.metric)
    if law is None:
        values = {"value_a": first.value, "value_b": second.value}
        lost: dict[str, Any] = {"reason": INFINITE, "p_value_reason": INFINITE}
        return Difference(
            metric=asked.metric, value=nan, confidence_level=asked.level, **values, **lost
        )
    found = told_apart((first, second, law), asked.level)
    answer = asked.by_law(found, law.above)
    if cases.cluster is None:
        return answer
    return replace(answer, n_clusters=len(np.unique(cases.cluster.codes)))


def separate_scores(asked: AskedPair, one: Any, other: Any) -> Difference:
    """Compare two scores, each beside its own truth and perhaps weights."""
    (truth, a, weight), (truth_b, b, weight_b) = ((*side, None)[:3] for side in (one, other))
    found = SCORES[asked.metric](
        truth, a, b, y_true_b=truth_b, sample_weight=weight, sample_weight_b=weight_b,
        method=_method(asked), confidence_level=asked.level,
    )  # fmt: skip
    return _scored(asked, found)


def _method(asked: AskedPair) -> Any:
    if asked.method == "delong" and asked.metric != "roc_auc":
        raise asked.refused("is of areas, and losses have none")
    return asked.method


def _scored(asked: AskedPair, found: ScoreComparison) -> Difference:
    tail = found.p_value / 2  # of the side of 0 that is further
    above = 1 - tail if found.difference > 0 else tail
    return asked.by_law(found, nan if asked.method == "exact" else above)
