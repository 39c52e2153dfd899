"""Whether predicted labels are better than guessing: yes, no, or cannot tell."""

import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

from baserate.baselines.guessing import SAME_ALARMS, guessing_rate
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix, has_both
from baserate.facts.evaluation import MetricFact
from baserate.facts.verdict import ADVANTAGE, VerdictFact
from baserate.inference.binary_intervals import Interval
from baserate.metrics import CATALOGUE, Metric

MEASURE = "informedness"
OF_CLASSES = "adjusted_balanced_accuracy"
MEAN_RECALL = "macro_recall.defined"  # of the classes that have cases
Z = NormalDist().inv_cdf(0.975)
STEP = 1.01  # numbers of cases are tried this many times apart
MOST = 1e6  # times as many cases as there are
KNOWN = {metric.name for metric in CATALOGUE}


def of_labels(
    table: ConfusionMatrix, measure: MetricFact, p_value: float, *, counted: bool
) -> VerdictFact:
    """Judge a table by the interval of its informedness.

    It can be said how many cases would decide where these are `counted` one by one.
    """
    found = (measure.value, measure.low, measure.high)
    turned = found[2] < 0 and 2 * (table.tp + table.tn) < table.n
    verdict = VerdictFact.of(MEASURE, found, p_value=p_value, reversed=turned)
    if verdict.answer != "cannot tell" or not counted:
        return verdict
    return replace(verdict, enough=_enough(table, measure.value))


def _enough(table: ConfusionMatrix, value: float) -> int | None:
    """Return how many cases make the interval so narrow that it decides either way.

    By the normal approximation of a difference of two independent shares with half a case more in
    each cell, which is told as "about": the posterior's own width (`sample_size_interval`) takes a
    hundred times as long, and differs by a few in a hundred. Without the half cases a share of 0 or
    1 would seem to be known from few.
    """
    if math.isnan(value):
        return None
    better = 2 * value >= ADVANTAGE
    size = 1.0
    while size < MOST:
        (recall, spread), (alarms, more) = (
            _share(size * part, size * whole)
            for part, whole in ((table.tp, table.n_positive), (table.fp, table.n_negative))
        )
        margin = recall - alarms if better else ADVANTAGE - recall + alarms
        if margin > 0 and Z**2 * (spread + more) <= margin**2:
            return math.ceil(size * table.n) if size > 1 else None
        size *= STEP
    return None


def _share(part: float, whole: float) -> tuple[float, float]:
    share = (part + 0.5) / (whole + 1)
    return share, share * (1 - share) / (whole + 2)


def of_classes(table: ClassTable, mean: Interval, p_value: float) -> VerdictFact:
    """Judge a class table by the mean recall of the classes that have cases, rescaled."""
    size = int((table.class_counts > 0).sum())
    nothing = (math.nan, math.nan, math.nan)
    if size < 2:
        return VerdictFact.of(OF_CLASSES, nothing, p_value=p_value)
    value, low, high = (float(x) for x in (mean.value, mean.low, mean.high))
    found = _beyond(value, size), _beyond(low, size), _beyond(high, size)
    return VerdictFact.of(OF_CLASSES, found, p_value=p_value)


def beyond_guess(metric: Metric, table: ConfusionMatrix, guess: str | float) -> list[Metric]:
    """Return what a utility is beyond a guess, as metrics: of the best guess both, all and none.

    The classifier and the guess meet the same cases, whose base rate moves the worth of both. None
    of a metric that is not linear, whose guess is no table of the same cases.
    """
    if (
        not metric.linear_in_rates
        or metric.name.partition(".at_base_rate(")[0] in KNOWN
        or not has_both(table)
    ):
        return []
    if guess == "dutch_draw":
        return [_beyond_share(metric, share) for share in (0.0, 1.0)]
    if guess == SAME_ALARMS:
        return [_beyond_share(metric, table.n_predicted / table.n)]
    return [_beyond_share(metric, guessing_rate(guess, table.n_positive, table.n_negative))]


def _beyond_share(metric: Metric, share: float) -> Metric:
    """Return how much better a metric is than where such a share of cases is called positive."""

    def formula(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        cells = [part * whole for whole in (tp + fn, fp + tn) for part in (share, 1 - share)]
        better = metric.formula(tp, fn, fp, tn) - metric.formula(*cells)
        return -better if metric.direction == "lower" else better

    width = metric.bounds[1] - metric.bounds[0]
    changed: dict[str, Any] = dict.fromkeys(("best", "chance", "proportion", "lumps"))
    return replace(
        metric,
        name=f"{metric.name} beyond {share}",
        formula=formula,
        bounds=(-width, width),
        **changed,
    )


def _beyond(recall: float, size: int) -> float:
    """Rescale a mean recall so that guessing has 0 and perfection 1."""
    return (size * recall - 1) / (size - 1)
