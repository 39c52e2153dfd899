"""What guessing with as many alarms scores, at every cut of a score at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._windows import hypergeometric_rows, widest_reach
from baserate.baselines.chance_curve import tables
from baserate.baselines.totals import class_totals, needs_fixed_weights, settled
from baserate.counts import ConfusionMatrix, unchecked
from baserate.metrics import Metric, binary_metric
from baserate.metrics.class_averages import MARGINS

Array = NDArray[np.float64]

BLOCK = 200_000  # tables held at a time


def chance_by_alarms(metric: str | Metric, cuts: ConfusionMatrix) -> Array:
    """Return what blind draws of as many cases as each table calls positive score on average.

    E[metric | defined] with tp hypergeometric: of n cases, n_positive of them positive, as many are
    drawn as the table has alarms. What ``skill(metric, table, guess="same_alarms")`` calls chance,
    for every table in one pass over the windows of all the hypergeometric laws; closed forms where
    the metric is affine in tp, given the margins. nan where every draw leaves it undefined.

    `cuts` is a batch of shape (m,), all of the same class totals. A metric that is restated at
    another base rate has what a guess with this share of alarms scores there.
    """
    metric = binary_metric(metric)
    alarms = np.asarray(cuts.tp + cuts.fp)
    totals = (cuts.n_positive, cuts.n_negative)
    positive, negative = (np.ravel(total).tolist()[0] for total in totals)
    if "base_rate" in metric.parameters:
        share = alarms / (positive + negative)
        return _at(metric.on_rates, share, share, metric.parameters["base_rate"], alarms[-1])
    totals = None if cuts.is_weighted else class_totals(positive, negative)
    if totals is None:
        needs_fixed_weights(metric)
    decided = {*metric.undefined_if_zero} <= MARGINS and metric.undefined_also is None
    if totals is None or (metric.affine_in_tp and decided):
        rest, n = (positive + negative) - alarms, positive + negative
        both = (alarms * positive, rest * positive, alarms * negative, rest * negative)
        means = _at(metric.formula, *(np.asarray(product / n) for product in both))
        return settled(metric, means)
    distinct, place = np.unique(alarms.astype(np.int64), return_inverse=True)
    found = _means(metric, *totals, distinct)
    return settled(metric, found)[place]


def _at(formula: Any, *cells: Any) -> Array:
    with np.errstate(all="ignore"):  # a user's formula may divide by zero
        return np.asarray(formula(*cells), dtype=float)


def _means(metric: Metric, p: int, q: int, alarms: NDArray[np.int64]) -> Array:
    """Return the mean for each number of alarms, in ascending order, given that it is defined."""
    width = 2 * int(min(p, q, widest_reach(p, q, int(alarms[0]), int(alarms[-1])))) + 1
    step = max(1, BLOCK // width)
    parts = (alarms[start : start + step] for start in range(0, len(alarms), step))
    return np.concatenate([_block(metric, p, q, part) for part in parts])


def _block(metric: Metric, p: int, q: int, alarms: NDArray[np.int64]) -> Array:
    found, weights = hypergeometric_rows(p, q, alarms)
    tp, fn, fp, tn = tables(p, q, alarms[:, None], found)
    values = _at(metric, unchecked(tp=tp, fn=fn, fp=fp, tn=tn))
    weights = np.where(np.isnan(values), 0.0, weights)
    mass = weights.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return (weights * np.nan_to_num(values)).sum(axis=1) / np.where(mass > 0, mass, np.nan)
