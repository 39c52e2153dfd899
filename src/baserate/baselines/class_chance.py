"""What guessing scores on several classes: any metric, any guess, exactly."""

from collections.abc import Sequence
from functools import lru_cache
from math import comb, exp, isnan, lgamma, log, nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._windows import binomial
from baserate.baselines.guessing import random_guess
from baserate.baselines.search import defined_counts
from baserate.baselines.totals import settled
from baserate.class_counts import ClassTable
from baserate.errors import UnsupportedError
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassHypergeometric
from baserate.models.class_hits import size_in_words
from baserate.questions import expect, probability_defined
from baserate.questions.several_classes import affine_in_hits, micro_at_hits

Counts = tuple[int, ...]

_FEW = 3_000  # ways to share cases out among classes that are looked at one by one
_UNSEEN = 1e-30
_NEVER = 1e-14  # a probability that rounding of a mean hides


def of_margins(metric: ClassMetric, truth: Any, predicted: Any) -> float | None:
    """Return what guessing scores where the mean table says it; None where it does not.

    Sums of weights will do: means over cases and over rates of classes, and metrics of which every
    guess scores the same.
    """
    t, p = (np.asarray(side, dtype=float) for side in (truth, predicted))
    if not t.sum():
        return nan
    mean = np.outer(t, p / p.sum())
    if metric.weights is not None:
        return float((np.asarray(metric.weights(len(t))) * mean).sum() / t.sum())
    if not (metric.of_lines or (metric.chance is not None and metric.part is None)):
        return None
    value = float(metric(ClassTable(mean)))
    return value if isnan(value) or metric.of_lines else float(metric.chance or 0.0)


def of_draw(metric: ClassMetric, truth: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the mean over all ways to deal these predictions to the cases, given it is defined."""
    closed = of_margins(metric, truth, predicted)
    if closed is not None:
        return closed
    model = ClassHypergeometric(class_counts=truth, predicted_counts=predicted)
    return _settled(metric, expect(metric, model).value)


def of_guess(metric: ClassMetric, truth: Sequence[int], shares: Sequence[float]) -> float:
    """Return the mean if every case gets class c with chance g_c, given that it is defined."""
    truth = tuple(map(int, truth))
    if max(shares) == 1:
        return of_draw(metric, truth, [sum(truth) * int(g == 1) for g in shares])
    closed = of_margins(metric, truth, shares)
    if closed is not None:
        return closed
    if metric.kind == "micro":
        return _of_hits(metric, truth, shares)
    found = None if metric.part is None else _of_classes(metric, metric.part, truth, shares)
    return _settled(metric, _of_every_draw(metric, truth, shares) if found is None else found)


def class_weights(metric: ClassMetric, truth: Sequence[int], kept: Array | None = None) -> Array:
    """Return how much each class counts in an average, or each that is kept; with a sum of one."""
    weights = np.asarray(truth, float) if metric.kind == "weighted" else np.ones(len(truth))
    weights = weights if kept is None else weights * kept
    return weights / weights.sum() if weights.any() else weights


def of_guess_in(
    metric: ClassMetric, truth: Sequence[int], shares: Sequence[float], kept: Array
) -> float:
    """Return the mean of an average over the classes that are kept; nan if one may lack a value."""
    assert metric.part is not None
    n, weights = sum(truth), class_weights(metric, truth, kept).tolist()
    each = [
        (w, _one_class(metric.part, p, n - p, g))
        for p, g, w in zip(truth, shares, weights, strict=True)
        if w
    ]
    sure = bool(each) and all(not isnan(value) and p >= 1 - _NEVER for _, (value, p) in each)
    return sum(w * value for w, (value, _) in each) if sure else nan


def every_share(n: int, size: int) -> list[Counts]:
    """Return all ways to share n cases out among so many classes."""
    if size == 1:
        return [(n,)]
    return [(k, *rest) for k in range(n + 1) for rest in every_share(n - k, size - 1)]


def few_shares(metric: ClassMetric, n: int, size: int, what: str) -> list[Counts]:
    """Return them, or refuse if there are too many."""
    ways = comb(n + size - 1, size - 1)
    if ways > _FEW:
        raise UnsupportedError(
            f"{what} of {metric.name} takes a look at {size_in_words(ways)} ways to share "
            f"{n:,} cases out among {size} classes, more than {_FEW:,}, since its classes do not "
            "part: use "
            'guess="same_alarms", or simulate with expect(metric, ClassHypergeometric(...), '
            'method="simulation", rng=...).'
        )
    return every_share(n, size)


def _of_classes(
    metric: ClassMetric, part: Metric, truth: Counts, shares: Sequence[float]
) -> float | None:
    """Average over classes, each a guess of two; None where classes lack values at random.

    Unless the guess scores the same whatever it calls: then which classes have a value is no matter
    as long as all must, and can.
    """
    weights, n = class_weights(metric, truth), sum(truth)
    omit = metric.undefined_classes == "omit"
    same = not omit and part.chance_shape == "constant" and part.affine_in_tp
    there = [p for p, weight in zip(truth, weights, strict=True) if weight]
    if same and sum(span[0][0] for p in there if (span := defined_counts(part, p, n - p))) > n:
        return nan
    total = used = 0.0
    for p, g, weight in zip(truth, shares, weights.tolist(), strict=True):
        if not weight:
            continue
        value, p_defined = _one_class(part, p, n - p, g)
        if isnan(value) and not omit:
            return nan
        if not isnan(value):
            if p_defined < 1 - _NEVER and not same:
                return None
            total, used = total + weight * value, used + weight
    return total / used if used else nan


@lru_cache(maxsize=4096)
def _one_class(part: Metric, n_positive: int, n_negative: int, g: float) -> tuple[float, float]:
    found = random_guess(part, n_positive=n_positive, n_negative=n_negative, strategy=g)
    return found.value, found.p_defined


def _of_hits(metric: ClassMetric, truth: Counts, shares: Sequence[float]) -> float:
    """Average over the number of right cases, a sum of binomial counts, which decides the value."""
    n, size = sum(truth), len(truth)
    if (line := affine_in_hits(metric, n, size)) is not None:
        mean = line[0] + line[1] * sum(p * g for p, g in zip(truth, shares, strict=True)) / n
        return _settled(metric, mean)
    law, start = np.ones(1), 0
    for p, g in zip(truth, shares, strict=True):
        window = binomial(p, g)
        law, start = np.convolve(law, window.pmf), start + window.start
    seen = np.flatnonzero(law > _UNSEEN)  # all others together are less than that of rounding
    law, hits = law[seen], start + seen
    values = micro_at_hits(metric, hits, n, size)
    there = ~np.isnan(values)
    mass = law[there].sum()
    return _settled(metric, float(law[there] @ values[there] / mass)) if mass else nan


def _of_every_draw(metric: ClassMetric, truth: Counts, shares: Sequence[float]) -> float:
    """Average over all numbers of predictions: given them, guesses are draws."""
    n, total, mass = sum(truth), 0.0, 0.0
    for called in few_shares(metric, n, len(truth), "Guessing"):
        if any(k and not g for k, g in zip(called, shares, strict=True)):
            continue
        weight = exp(
            lgamma(n + 1)
            + sum(k * log(g) - lgamma(k + 1) for k, g in zip(called, shares, strict=True) if k)
        )
        model = ClassHypergeometric(class_counts=truth, predicted_counts=called)
        value = expect(metric, model).value
        weight *= float(probability_defined(metric, model))
        if weight and not isnan(value):
            total, mass = total + weight * value, mass + weight
    return total / mass if mass else nan


def _settled(metric: ClassMetric, value: float) -> float:
    return settled(metric, value)  # pyright: ignore[reportArgumentType]
