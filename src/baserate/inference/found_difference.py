"""What a difference of two classifiers is told by: a posterior, a law, or folds."""

from dataclasses import dataclass, fields, replace
from functools import partial
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import float_array, same_length, whole_number
from baserate._measures import MEASURES
from baserate._result import Result
from baserate.cases.several_classes import ClassCases
from baserate.cases.two_classes import BinaryCases
from baserate.curves.estimates import ScoreComparison
from baserate.curves.losses import compare_brier, compare_log_loss
from baserate.curves.paired_auc import compare_auc
from baserate.errors import InvalidArgumentError, UnknownNameError, UnsupportedError
from baserate.inference.class_comparison import compare_class_yields, compare_classes
from baserate.inference.class_pairs import ClassPairs
from baserate.inference.design_ratios import (
    INFINITE,
    areas_apart,
    losses_apart,
    told_apart,
    with_whole_clusters,
)
from baserate.inference.metric_comparison import MetricComparison
from baserate.inference.paired import compare_paired, swapped_cases
from baserate.inference.paired_clusters import ByUnits, ClusteredPair, paired_classes, swapped_sums
from baserate.inference.paired_weights import NO_SLOPES, Decided, WeightedCells, WeightedPair
from baserate.inference.several_classes import SEED
from baserate.metrics import Metric, binary_metric, class_metric, class_utility
from baserate.metrics.class_catalogue import is_of_classes
from baserate.metrics.utilities import MOST

NO_SWAPS = "swaps tell whether both are equal, not how far apart: leave method out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Result):
    """How far two classifiers differ by a metric; ``float()`` gives the difference.

    Attributes
    ----------
    metric : str
    value : float
        Metric of A less that of B; nan if `reason` says why.
    low, high : float
        Its interval; nan if `reason` says why.
    p_value : float
        Two-sided, of no difference; nan if `p_value_reason` says why.
    p_better : float
        How surely A is the better one; nan of a metric of which neither end is better, and where
        nothing but a swap test is known.
    value_a, value_b : float
    confidence_level : float
    method : str or None
        What was asked for.
    route, p_value_route : str or None
        How interval and p-value were computed.
    reason, p_value_reason : str or None
    error : float
        Of the probabilities beyond either end: a standard error, or the bound of an integral's.
    n_clusters : int or None
        Clusters that cases came in; None for independent cases, and of separate samples.
    design_effect : float
        The variance over that of as many independent cases of weight one; nan where it is one.
    """

    metric: str
    value: float
    low: float = nan
    high: float = nan
    p_value: float = nan
    p_better: float = nan
    value_a: float = nan
    value_b: float = nan
    confidence_level: float = 0.95
    method: str | None = None
    route: str | None = None
    p_value_route: str | None = None
    reason: str | None = None
    p_value_reason: str | None = None
    error: float = 0.0
    n_clusters: int | None = None
    design_effect: float = nan

    def __float__(self) -> float:
        return self.value

    def swapped(self, p_value: float, route: str | None) -> "Difference":
        """Return the same with the p-value of swaps, which give no interval."""
        if isnan(self.value):
            return self
        return replace(
            self, low=nan, high=nan, p_better=nan, route=None, reason=NO_SWAPS,
            p_value=p_value, p_value_route=route, p_value_reason=None if route else NO_SLOPES,
        )  # fmt: skip


class AskedPair(NamedTuple):
    """What is asked of two classifiers."""

    metric: Any
    level: float
    method: str | None = None

    @property
    def name(self) -> str:
        """What results call the metric."""
        return (
            self.metric if isinstance(self.metric, str) else getattr(self.metric, "name", "yield")
        )

    @property
    def scored(self) -> bool:
        """Whether a measure of scores is asked for."""
        return isinstance(self.metric, str) and self.metric in SCORES

    def refused(self, rule: str) -> InvalidArgumentError:
        """Return the refusal of the method."""
        return InvalidArgumentError.from_rule("method", rule, self.method, "leave it out")

    def posterior(self, found: MetricComparison, reason: str | None) -> Difference:
        """Tell a difference by its posterior, which is undefined for a `reason`."""
        route = None if reason else found.route
        return Difference(
            metric=self.name if hasattr(self.metric, "matrix") else found.metric,
            value=found.difference,
            low=found.low,
            high=found.high,
            p_value=found.p_value,
            p_better=found.better,
            value_a=found.value_a,
            value_b=found.value_b,
            confidence_level=found.confidence_level,
            method=self.method,
            route=route,
            p_value_route=route,
            reason=reason,
            p_value_reason=reason,
            error=found.error,
        )

    def by_law(self, found: ScoreComparison, above: float, metric: Any = None) -> Difference:
        """Tell a difference by its interval, and by how surely it is above 0."""
        known = {f.name: getattr(found, f.name) for f in fields(found) if f.name != "difference"}
        lower = (MEASURES[self.metric] if metric is None else metric).direction == "lower"
        better = 1 - above if lower else above
        if (metric is not None and metric.direction == "neither") or isnan(found.difference):
            better = nan
        name = self.name if metric is None or hasattr(self.metric, "matrix") else metric.name
        return Difference(
            metric=name, value=found.difference, p_better=better, method=self.method, **known
        )


def lacking(metric: Any, *tables: Any) -> str | None:
    """Return why a metric has no value at one of the tables, or None."""
    return next(filter(None, map(metric.undefined_reason, tables)), None)


ROUTE = "corrected t"
NO_SCORE = "some fold has no score"
NO_SPREAD = "all folds differ by the same amount, so their spread is unknown"


def over_folds(asked: AskedPair, scores_a: Any, scores_b: Any, folds: Any) -> Difference:
    """Compare two learning methods by their scores on the same folds.

    `folds` are the cases that a fold is trained on, and tested on.
    """
    from scipy.special import stdtr, stdtrit

    if not isinstance(folds, tuple | list) or len(folds) != 2:
        rule, remedy = "must be two numbers", "pass the cases to train on and to test on"
        raise InvalidArgumentError.from_rule("folds", rule, folds, remedy)
    train, test = (whole_number("folds", n, minimum=1) for n in folds)
    if asked.method is not None:
        raise asked.refused("is for two scores, or for classifiers on the same cases")
    a, b = (
        float_array(name, scores).ravel() for name, scores in (("a", scores_a), ("b", scores_b))
    )
    same_length("b", len(b), "a", len(a))
    if len(a) < 2:
        rule, remedy = "must hold the scores of at least two folds", "use more folds"
        raise InvalidArgumentError.from_rule("a", rule, len(a), remedy)
    for name, scores in (("a", a), ("b", b)):
        if (np.abs(scores) > MOST).any():
            rule = f"must lie between {-MOST:g} and {MOST:g}"
            raise InvalidArgumentError.from_rule(name, rule, scores, "pass the metric of each fold")
    apart, k = a - b, len(a)
    mean, spread = float(apart.mean()), float(apart.std(ddof=1))
    known: dict[str, Any] = {
        "difference": mean,
        "value_a": float(a.mean()),
        "value_b": float(b.mean()),
        "confidence_level": asked.level,
    }
    reason = NO_SCORE if np.isnan(apart).any() else None
    if reason is None and spread <= 1e-15 * float(np.abs(np.concatenate((a, b))).max()):
        reason = NO_SPREAD
    if reason is not None:
        lost = ScoreComparison(**known, reason=reason, p_value_reason=reason)
        return asked.by_law(lost, nan, _metric(asked.metric))
    error = spread * sqrt(1 / k + test / train)
    reach = float(stdtrit(k - 1, (1 + asked.level) / 2)) * error
    found = ScoreComparison(
        **known,
        low=mean - reach,
        high=mean + reach,
        p_value=2 * float(stdtr(k - 1, -abs(mean) / error)),
        route=ROUTE,
        p_value_route=ROUTE,
    )
    return asked.by_law(found, float(stdtr(k - 1, mean / error)), _metric(asked.metric))


def _metric(metric: Any) -> Any:
    """Return the metric that the scores are of, which says whether higher is better."""
    if isinstance(metric, str) and metric in SCORES:
        return None
    if is_of_classes(metric):
        return class_metric(metric)
    try:
        return binary_metric(metric)
    except UnknownNameError:
        return class_metric(metric)


Names = tuple[str, str]

SCORES = {"roc_auc": compare_auc, "brier_score": compare_brier, "log_loss": compare_log_loss}
MID_P = "mid-p"
LEAST = 3  # classes of a table that has a mean utility


def two_classes_apart(
    asked: AskedPair, metric: Metric, cases: BinaryCases, names: Names
) -> Difference:
    """Compare two classifiers of two classes."""
    cases = with_whole_clusters(cases) if asked.method == "exact" else cases
    places = [cases.names.index(name) for name in names]
    cells = cases.cells(places, "weight")  # counts where there are no weights
    if cases.is_designed:
        a, b = (cases.counted(name).design for name in names)
        assert a is not None
        assert b is not None
        return _sampled(asked, metric, ClusteredPair.of(cells, cells, a.n_cases, a, b), cases)
    if cases.weight is not None:
        pair = WeightedPair.of(cells, cases.cells(places, "squared"), cases.n)
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
    cases = with_whole_clusters(cases) if asked.method == "exact" else cases
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
    if asked.metric == "roc_auc" and cases.drawn is not None:
        how["cluster"] = cases.drawn
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
        lost = ScoreComparison(
            difference=nan, value_a=first.value, value_b=second.value, reason=INFINITE,
            p_value_reason=INFINITE, confidence_level=asked.level,
        )  # fmt: skip
        return asked.by_law(lost, nan)
    found = told_apart((first, second, law), asked.level)
    answer = asked.by_law(found, law.above)
    if cases.cluster is None:
        return answer
    return replace(answer, n_clusters=len(np.unique(cases.cluster.codes)))


def separate_scores(asked: AskedPair, one: Any, other: Any) -> Difference:
    """Compare two scores, each beside its own truth and perhaps weights."""
    for name, side in (("a", one), ("b", other)):
        if not isinstance(side, tuple) or len(side) not in {2, 3}:
            rule = "must be (truth, score) or (truth, score, weight)"
            given, remedy = type(side).__name__, "or pass y_true as well"
            raise InvalidArgumentError.from_rule(name, rule, given, remedy)
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
