"""Ranking numbers of held-out cases: of each fold, whose scores one model gave, and averaged.

A model that was fitted without a fold has learnt from fewer cases of the class of which the fold
has more. So its scores lie lower where positives are many, and scores that know nothing, pooled
over folds, rank worse than chance.

Folds share training cases. Where the labels tell nothing, and scores are sums over training cases,
what the label of one case adds to the area of another's fold, the other adds to the area of the
first: the mean of areas has twice the variance of independent folds. Intervals and tests take it
for twice that; it is less where scores tell more (1.1 to 1.2 times for a logistic regression with
areas of .85 and .98), and for deep trees and nearest neighbours (1.2 to 1.6 times). It is more
where one choice is common to all folds, as of the sign of a single column, or of the column that a
tree of one split looks at: 1.6 to 2.7 times. Intervals still held there (96% at the least of
200 cases in ten folds without any relation, ``benchmarks/bench_held_out.py``). No estimator is
unbiased.

References
----------
Airola, Pahikkala, Waegeman, De Baets and Salakoski (2011), Computational Statistics and Data
Analysis 55:1828, doi:10.1016/j.csda.2010.11.018. Bengio and Grandvalet (2004), Journal of Machine
Learning Research 5:1089. Forman and Scholz (2010), SIGKDD Explorations 12:49,
doi:10.1145/1882471.1882479. Zou and Donner (2008), Statistics in Medicine 27:1693,
doi:10.1002/sim.3095, for intervals of means.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isnan, nan, sqrt
from statistics import fmean
from typing import Any

import numpy as np

from baserate.cases.strata import read_clusters
from baserate.curves.area_spread import AreaSpread, area_limits, spread_of
from baserate.curves.bounded_means import p_value_of
from baserate.curves.cut_points import Sweep, sweep
from baserate.curves.estimates import Estimate
from baserate.curves.scored_labels import read_truth
from baserate.errors import InvalidArgumentError

Folds = Mapping[Any, Sweep]

SHARED = 2.0  # times the variance of independent folds
UNTESTED = "a mean over folds has no test"
LACKING = "fold {!r} has {}: stratify the folds"


def read_folds(y_true: Any, y_score: Any, fold: Any, pos_label: Any, sample_weight: Any) -> Folds:
    """Return a sweep for every fold, by its number in the order in which folds come."""
    if y_score is None:
        rule, remedy = "needs labels and scores case by case", "pass y_true and y_score"
        given = f"beside {type(y_true).__name__} alone"
        raise InvalidArgumentError.from_rule("fold", rule, given, remedy)
    truth, _ = read_truth(y_true, pos_label)
    codes = read_clusters("fold", fold, len(truth))
    scores = np.asarray(y_score)
    weights = None if sample_weight is None else np.asarray(sample_weight)
    parts = {k: codes == k for k in range(int(codes.max(initial=-1)) + 1)}
    return {
        k: sweep(
            truth[rows], scores[rows], pos_label=True,
            sample_weight=None if weights is None else weights[rows],
        )
        for k, rows in parts.items()
    }  # fmt: skip


def area_of_folds(folds: Folds, level: float) -> Estimate:
    """Return the mean of the areas within folds, its interval by cases, and its p-value.

    Every case keeps the share of pairs that it wins within its fold; of these the interval is that
    of `roc_auc` with twice the variance. A fold with fewer cases of a class counts as much as any
    other: the class is worth 1/Σ w² cases then. The p-value goes with the interval.
    """
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := lacking(folds):
        return Estimate(value=nan, reason=absent, p_value_reason=absent, **known)
    spreads = [spread_of(swept) for swept in folds.values()]
    area = fmean(one.area for one in spreads)
    pooled = AreaSpread(
        area,
        SHARED * fmean(one.positive + (one.area - area) ** 2 for one in spreads),
        SHARED * fmean(one.negative + (one.area - area) ** 2 for one in spreads),
        len(spreads) ** 2 / sum(1 / one.n_positive for one in spreads),
        len(spreads) ** 2 / sum(1 / one.n_negative for one in spreads),
    )
    low, high = area_limits(pooled, (1 - level) / 2)
    return Estimate(
        value=area,
        low=low,
        high=high,
        p_value=p_value_of(lambda tail: area_limits(pooled, tail), area, 0.5),
        route="conservative",
        p_value_route="conservative",
        **known,
    )


def mean_of_folds(
    measure: Callable[[Any], Estimate], folds: Mapping[Any, Any], level: float
) -> Estimate:
    """Return the mean of a measure over folds, chance of the same sizes, and an interval.

    The interval joins those of folds: its arms are the root of twice the sum of squares of theirs,
    over the number of folds, and none is longer than theirs on average.
    """
    if absent := lacking(folds):
        return Estimate(value=nan, confidence_level=level, reason=absent, chance_reason=absent)
    found = [measure(one) for one in folds.values()]
    value, k = fmean(one.value for one in found), len(found)
    below, above = (
        min(sqrt(SHARED * sum(arm**2 for arm in arms)) / k, fmean(arms))
        for arms in (
            [one.value - one.low for one in found],
            [one.high - one.value for one in found],
        )
    )
    return replace(
        found[0],
        value=value,
        low=value - below,
        high=value + above,
        chance=fmean(one.chance for one in found),
        perfect=fmean(one.perfect for one in found),
        p_value=nan,
        p_value_route=None,
        p_value_reason=None if isnan(found[0].p_value) else UNTESTED,
        reason=next((one.reason for one in found if one.reason), None),
        chance_reason=next((one.chance_reason for one in found if one.chance_reason), None),
    )


def lacking(folds: Mapping[Any, Any]) -> str | None:
    """Say which fold has no pairs to rank, if one has none."""
    for label, one in folds.items():
        if one.absent:
            return LACKING.format(label, one.absent)
    return None
