"""The best blind draw among several classes: how many cases it puts into each.

An average over classes is a sum of one curve per class, over the cases put into it, which together
are all cases: the best shares go to the largest gains where all curves are concave, and are found
by dynamic programming otherwise. Numbers at which a class could lack a value do not compete.
"""

from collections.abc import Sequence
from heapq import heapify, heapreplace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.baselines.as_many_alarms import chance_by_alarms
from baserate.baselines.class_chance import (
    class_weights,
    few_shares,
    of_draw,
    of_margins,
)
from baserate.baselines.search import defined_counts
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassHypergeometric
from baserate.questions import probability_defined
from baserate.questions.several_classes import affine_in_hits

Array = NDArray[np.float64]
Counts = tuple[int, ...]

_PROGRAMME = 10**9  # steps of the dynamic programme: some seconds
_CURVES = 2 * 10**7  # tables behind all curves
_ROUNDING = 1e-13


def best_draw(metric: ClassMetric, truth: Sequence[int]) -> tuple[float, Counts]:
    """Return the best mean of a blind draw, and one way to share the cases out that attains it.

    (nan, ()) if the metric may be undefined however one draws.
    """
    if metric.direction == "neither":
        rule = "must have a direction: the best guess needs a better end"
        raise InvalidArgumentError.from_rule("metric", rule, metric.name, "choose another metric")
    counts = tuple(map(int, truth))
    n = sum(counts)
    if not n:
        return nan, ()
    found = _in_one_class(metric, counts)
    if found is None and metric.part is not None and metric.kind != "micro":
        found = _of_classes(metric, metric.part, counts)
    return _of_all(metric, counts) if found is None else found


def _sign(metric: ClassMetric) -> float:
    return -1.0 if metric.direction == "lower" else 1.0


def _in_one_class(metric: ClassMetric, counts: Counts) -> tuple[float, Counts] | None:
    """Compare constant draws, where no other can be better; or any, where all are alike."""
    n, size = sum(counts), len(counts)
    if metric.weights is None and metric.chance is not None and metric.part is None:
        value = of_margins(metric, counts, counts)
        return (nan, ()) if value is None or isnan(value) else (value, counts)
    curved = metric.kind != "micro" or affine_in_hits(metric, n, size) is None
    if metric.weights is None and curved:
        return None
    means = _constant(metric, counts)
    if np.isnan(means).any():
        return nan, ()
    top = int(np.argmax(_sign(metric) * means))
    return float(means[top]), tuple(n * int(c == top) for c in range(size))


def _constant(metric: ClassMetric, counts: Counts) -> Array:
    """Return what each constant draw scores; of a micro average it has as many right cases."""
    t, n = np.array(counts, dtype=float), sum(counts)
    if metric.weights is not None:
        return t @ np.asarray(metric.weights(len(t)), dtype=float) / n
    margins = np.broadcast_to(t, (len(t), len(t)))
    right = np.diag(t)
    return np.asarray(metric.at_margins(right, margins, n * np.eye(len(t))), dtype=float)


def _of_classes(metric: ClassMetric, part: Metric, counts: Counts) -> tuple[float, Counts] | None:
    """Share cases out by one curve per class; None where the classes do not part."""
    weights = class_weights(metric, counts)
    if part.undefined_also is not None:
        return None
    if part.chance_shape == "constant" and metric.undefined_classes != "omit":
        return _all_alike(metric, part, counts)
    if part.chance_shape == "affine" and _always_defined(part, counts):
        return _in_steepest(metric, part, counts, weights)
    return _by_curves(metric, part, counts, weights)


def _by_curves(
    metric: ClassMetric, part: Metric, counts: Counts, weights: Array
) -> tuple[float, Counts] | None:
    """Share cases out by one exact curve per class; None where the classes do not part."""
    n = sum(counts)
    if metric.undefined_classes != "omit" and _never_defined(part, counts, weights):
        return nan, ()
    kinds = {p for p, w in zip(counts, weights, strict=True) if w}
    size = sum(1 if part.affine_in_tp else min(p, n - p) + 1 for p in kinds) * (n + 1)
    if size > _CURVES:
        raise UnsupportedError(
            f"The best draw for {metric.name} takes {size:,} tables, more than {_CURVES:,}: use "
            'guess="same_alarms", "proportional" or "uniform", which are quick.'
        )
    curves = {p: _sign(metric) * _curve(part, p, n - p) for p in kinds}
    known = {p: ~np.isnan(curve) for p, curve in curves.items()}
    if metric.undefined_classes == "omit":
        if any(k.any() and not k.all() for k in known.values()):
            return None
        weights = np.where([known.get(p, np.zeros(1)).any() for p in counts], weights, 0.0)
        weights = weights / weights.sum() if weights.any() else weights
    if not weights.any() or not all(
        known[p].any() for p, w in zip(counts, weights, strict=True) if w
    ):
        return nan, ()
    flat = np.zeros(n + 1)
    each = [w * curves[p] if w else flat for p, w in zip(counts, weights.tolist(), strict=True)]
    draw = _largest_gains(each, n) if all(map(_concave, each)) else _programme(metric, each, n)
    if draw is None:
        return nan, ()
    value = sum(float(curve[k]) for curve, k in zip(each, draw, strict=True))
    return _sign(metric) * value, draw


def _all_alike(metric: ClassMetric, part: Metric, counts: Counts) -> tuple[float, Counts] | None:
    """Return what all draws score that leave no class without a value; that of the truth is one."""
    n = sum(counts)
    allowed = (defined_counts(part, p, n - p) for p in counts)
    if all(any(a <= k <= b for a, b in spans) for k, spans in zip(counts, allowed, strict=True)):
        return of_draw(metric, counts, counts), counts
    return (nan, ()) if metric.kind == "macro" and min(counts) == 0 else None


def _always_defined(part: Metric, counts: Counts) -> bool:
    n = sum(counts)
    return all(defined_counts(part, p, n - p) == ((0, n),) for p in {*counts})


def _never_defined(part: Metric, counts: Counts, weights: Array) -> bool:
    """Whether classes need more cases to have a value than there are, or cannot have one."""
    n = sum(counts)
    spans = [defined_counts(part, p, n - p) for p, w in zip(counts, weights, strict=True) if w]
    return not all(spans) or sum(span[0][0] for span in spans) > n


def _in_steepest(
    metric: ClassMetric, part: Metric, counts: Counts, weights: Array
) -> tuple[float, Counts]:
    """Put all cases where each gains most: nothing is better for a sum of straight lines."""
    n = sum(counts)
    ends = {p: chance_by_alarms(part, _alarms(p, n - p, np.array([0, n]))) for p in {*counts}}
    low, high = np.array([ends[p] for p in counts]).T
    gains = weights * (high - low)
    top = int(np.argmax(_sign(metric) * gains))
    draw = tuple(n * int(c == top) for c in range(len(counts)))
    return float(weights @ low + gains[top]), draw


def _alarms(p: int, q: int, k: NDArray[np.int64]) -> ConfusionMatrix:
    """Return a table for every number of cases put into the class."""
    tp = np.minimum(p, k)
    return ConfusionMatrix(tp=tp, fn=p - tp, fp=k - tp, tn=q - (k - tp))


def _curve(part: Metric, p: int, q: int) -> Array:
    """Return the mean for every number of cases put into the class; nan where it may lack one."""
    found = chance_by_alarms(part, _alarms(p, q, np.arange(p + q + 1)))
    out = np.full(p + q + 1, nan)
    for low, high in defined_counts(part, p, q):
        out[low : high + 1] = found[low : high + 1]
    return out


def _concave(curve: Array) -> bool:
    there = np.flatnonzero(~np.isnan(curve))
    if len(there) != there[-1] - there[0] + 1:
        return False
    inside = curve[there]
    return bool(np.all(np.diff(inside, 2) <= _ROUNDING * max(1e-300, float(np.abs(inside).max()))))


def _largest_gains(curves: list[Array], n: int) -> Counts | None:
    """Put one case after the other where it gains most."""
    there = [np.flatnonzero(~np.isnan(curve)) for curve in curves]
    k, most = [int(x[0]) for x in there], [int(x[-1]) for x in there]
    if sum(k) > n or sum(most) < n:
        return None
    gains = [np.append(np.diff(curve), np.nan) for curve in curves]

    def loss(c: int) -> float:
        return -float(gains[c][k[c]]) if k[c] < most[c] else np.inf

    heap = [(loss(c), c) for c in range(len(curves))]
    heapify(heap)
    for _ in range(n - sum(k)):
        c = heap[0][1]
        k[c] += 1
        heapreplace(heap, (loss(c), c))
    return tuple(k)


def _programme(metric: ClassMetric, curves: list[Array], n: int) -> Counts | None:
    """Find the best shares of any curves: the best of c + 1 classes from the best of c."""
    steps = len(curves) * (n + 1) ** 2
    if steps > _PROGRAMME:
        raise UnsupportedError(
            f"The best draw for {metric.name}, whose curves are not concave, takes {steps:,} steps,"
            f' more than {_PROGRAMME:,}: use guess="same_alarms", "proportional" or "uniform".'
        )
    best, choices = np.full(n + 1, -np.inf), list[NDArray[np.int64]]()
    best[0] = 0.0
    for curve in curves:
        gain, kept = np.where(np.isnan(curve), -np.inf, curve), np.full(n + 1, -np.inf)
        choice = np.zeros(n + 1, dtype=np.int64)
        for k in np.flatnonzero(np.isfinite(gain)).tolist():
            other = best[: n + 1 - k] + gain[k]
            better = other > kept[k:]
            kept[k:][better], choice[k:][better] = other[better], k
        best = kept
        choices.append(choice)
    if not np.isfinite(best[n]):
        return None
    out, left = list[int](), n
    for choice in reversed(choices):
        out.append(int(choice[left]))
        left -= out[-1]
    return tuple(reversed(out))


def _of_all(metric: ClassMetric, counts: Counts) -> tuple[float, Counts]:
    """Look at every way to share the cases out, if these are few."""
    best: tuple[float, Any] = (-np.inf, ())
    for draw in few_shares(metric, sum(counts), len(counts), "The best draw"):
        model = ClassHypergeometric(class_counts=counts, predicted_counts=draw)
        if float(probability_defined(metric, model)) > 1 - 1e-12:
            value = _sign(metric) * of_draw(metric, counts, draw)
            best = max(best, (value, draw), key=lambda pair: pair[0])
    return (nan, ()) if not best[1] else (_sign(metric) * best[0], best[1])
