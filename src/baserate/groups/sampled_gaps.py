"""Gaps of weighted or clustered groups: which would be seen, and how wide an interval is left."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from math import isfinite, isnan
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from baserate._arrays import Array, Index
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix, as_float, cells_from_rates, of_four
from baserate.errors import UnsupportedError
from baserate.groups.count_laws import ends_of, rates_moved
from baserate.groups.null import sides
from baserate.groups.pairs import SCALES, Operation
from baserate.groups.rao_scott import no_sample
from baserate.groups.samples import (
    MOST_DEGREES,
    DesignEffect,
    Samples,
    beside,
    blocks_of,
    in_place,
    of_columns,
    over,
    places,
)
from baserate.inference.class_design import centre_of
from baserate.inference.class_pairs import DifferenceEnds, with_classes_of
from baserate.inference.intervals import class_intervals
from baserate.inference.linearity import HALF
from baserate.inference.metric_limits import flat, limits, two_shares
from baserate.inference.several_classes import squares_of
from baserate.metrics import ClassMetric, Metric
from baserate.models.model import summed

TINY = 1e-6  # a design effect that no design has


@np.errstate(divide="ignore", invalid="ignore")  # the logarithm of none
def sampled_ends(
    metric: Metric | ClassMetric,
    samples: Samples,
    level: float,
    *,
    operation: Operation = "difference",
    held: bool = False,
) -> DifferenceEnds:
    """Return the interval of a metric's difference, or ratio, of a sample and its reference.

    Of a share: that of as many effective cases, each with Jeffreys' law; the effective numbers are
    divided by the design effect of the difference, and by what Student's quantile exceeds the
    normal one (Rao and Scott 1992, Biometrics 48:577, doi:10.2307/2532311; Korn and Graubard 1998,
    Survey Methodology 24:193). Of any other metric: Student's, from the linearised variance, within
    what is possible, and no narrower than what the intervals of both samples make of it (Zou and
    Donner 2008, Statistics in Medicine 27:1693, doi:10.1002/sim.3095). Of cases in clusters, the
    outer ends with either sample as it is or with half a cluster more that is all wrong and half a
    cluster that is all right (see `baserate.cases.units`). A ratio is a difference of logarithms.

    `held`, of several classes: from what the reference would score with as many of each class.
    """
    reference, other = (
        with_classes_of(table, samples.group) if held else table
        for table in (samples.reference, samples.other)
    )
    scale, back = SCALES[operation]
    first, second = (float(scale(metric(table))) for table in (samples.group, reference))
    apart = first - second
    share = metric if isinstance(metric, Metric) and metric.proportion is not None else None
    if samples.alone or isnan(apart) or (share is None and not isfinite(apart)):
        return DifferenceEnds(float(back(apart)))
    condition = "classes" if held else "none"
    blocks = samples.blocks(metric, "denominator" if share else condition)
    contrast = samples.contrast(metric, condition, scale)
    found = samples.spread(contrast, samples.totals, blocks, null=False)
    few = [m / max(found.believed, TINY) for m in samples.clusters]  # their half a cluster as far
    wide = float(stdtrit(np.fmin(found.degrees, MOST_DEGREES), (1 + level) / 2))
    if share is not None:
        worth = (float(ndtri((1 + level) / 2)) / wide) ** 2 / max(found.design_effect, TINY)
        counts = samples.effective_counts(*sides(share))
        low, high = _share_ends(operation, counts, worth, few, level)
        value = float(back(apart))
        return DifferenceEnds(value, min(low, value), max(high, value))
    shifts: list[float] = []
    for table, value, m in zip((samples.group, reference), (first, second), few, strict=True):
        shift = float(scale(_centre(table, metric, m))) - value if isfinite(m) else 0.0
        shifts.append(0.0 if isnan(shift) else shift)
    own = ClassTable(other.counts * (samples.other.n / other.n), other.labels) if held else other
    pairs, effect = zip((samples.group, own), samples.squared, strict=True), found.design_effect
    down, up = _joined(_reach(*pair, metric, max(1.0, effect), level, scale) for pair in pairs)
    (low, high), far = scale(metric.bounds), wide * float(np.sqrt(found.variance))
    one, two = shifts
    ends = (
        apart,
        max(apart + min(one, 0.0) - max(two, 0.0) - max(far, down), low - high),
        min(apart + max(one, 0.0) - min(two, 0.0) + max(far, up), high - low),
    )
    return DifferenceEnds(*(float(back(end)) for end in ends))


def _share_ends(
    operation: Operation,
    counts: Sequence[tuple[float, float]],
    worth: float,
    few: Sequence[float],
    level: float,
) -> tuple[float, float]:
    """Return the outer ends of a gap of shares, of counts worth so many cases each."""
    one, other = (
        [(worth * hits + HALF, worth * misses + HALF) for hits, misses in each]
        for each in map(_with_half_a_cluster, counts, few)
    )
    far_apart = {(min(one, key=_mean), max(other, key=_mean)): None}
    far_apart |= {(max(one, key=_mean), min(other, key=_mean)): None}
    ends = [two_shares(operation, *laws, confidence_level=level) for laws in far_apart]
    return min(each.low.item() for each in ends), max(each.high.item() for each in ends)


def _mean(law: tuple[float, float]) -> float:
    return law[0] / sum(law)


def _with_half_a_cluster(
    counts: tuple[float, float], clusters: float
) -> Sequence[tuple[float, float]]:
    """Return hits and misses as they are, and with half a cluster of either among as many cases."""
    if np.isinf(clusters):
        return [counts]
    half = sum(counts) / 2
    hits, misses = ((clusters * count + half) / (clusters + 1) for count in counts)
    return [counts, (hits, misses)]


@singledispatch
def _centre(table: ConfusionMatrix, metric: Any, clusters: float) -> float:
    """Return a metric with half a cluster all wrong and half a cluster all right."""
    positive, negative = table.n_positive / (2 * clusters), table.n_negative / (2 * clusters)
    more = (positive, positive, negative, negative)
    return float(metric(of_four(cell + half for cell, half in zip(table, more, strict=True))))


@_centre.register
def _centre_of_several(table: ClassTable, metric: Any, clusters: float) -> float:
    return centre_of(metric, table, clusters)


@singledispatch
def _reach(
    table: ConfusionMatrix,
    squared: ConfusionMatrix,
    metric: Any,
    effect: float,
    level: float,
    scale: np.ufunc,
) -> Array:
    """Return how far a metric's own interval reaches down and up, on a scale."""
    row = flat(table)
    # As sums of squares these may be more than any weights have: a class may be worth less than a
    # case.
    squares = of_four(effect * as_float(cell) for cell in flat(squared))
    found = limits(metric, row, squares, level)
    return np.diff(scale([found.low[0], float(metric(table)), found.high[0]]))


@_reach.register
def _reach_of_several(
    table: ClassTable,
    squared: ClassTable,
    metric: Any,
    effect: float,
    level: float,
    scale: np.ufunc,
) -> Array:
    how: Any = {"squared_weights": effect * (squares_of(table, squared) or 0.0)}
    [own] = class_intervals(metric, table, confidence_level=level, **how).values()
    return np.diff(scale([own.low, own.value, own.high]))


def _joined(reaches: Iterable[Array]) -> tuple[float, float]:
    """Return how far a difference may reach down and up, by the intervals of both samples.

    A group of a few alike cases has no variance to linearise: its own interval, of as many
    effective cases, is wide, and joined with the other's by squares (Zou and Donner 2008).
    """
    try:
        (below, above), (other_below, other_above) = (np.fmax(each, 0.0) for each in reaches)
    except UnsupportedError:
        return 0.0, 0.0
    return float(np.hypot(below, other_above)), float(np.hypot(above, other_below))


@dataclass(frozen=True)
class SampledTrial:
    """A weighted or clustered group that may differ: how probable a rejection then is, nearly.

    A rate is shifted; other metrics move by both classes' rates, as in `match_power`.
    """

    samples: Samples
    metric: Metric
    condition: str

    @property
    def reason(self) -> str | None:
        """Why nothing can be seen, or None."""
        why = "no cases" if not self.samples.group.n else None
        why = why or no_sample(self.samples, self.metric, self.condition)
        if why is None and isnan(float(self._values(0.0))):
            return "the metric is undefined at the rates of the reference"
        return why

    @property
    def ends(self) -> tuple[float, float]:
        """All the way down, all the way up."""
        if self.condition == "denominator":
            theta = self._rate
            return -theta, 1 - theta
        return ends_of(self._values)

    def gaps(self, shifts: Any) -> Array:
        """Return the metric at the shifted tables, less its value at the reference's rates."""
        return self._values(shifts) - self._values(0.0)

    def power(self, alpha: float) -> Any:
        """Return the probability of a rejection, as a function of shifts: by the normal law."""
        return partial(self.rejected, alpha, self.design)

    @property
    def design(self) -> DesignEffect:
        """What the design makes of a variance: of the cases as they are."""
        return self.samples.design_of(self.metric, self.condition)

    def rejected(self, alpha: float, design: DesignEffect, shifts: Array) -> Array:
        """Return the probability of a rejection at each shift; of many samples, at one of each."""
        blocks = blocks_of(self.metric, self.condition)
        contrast = self.samples.contrast(self.metric, self.condition)
        totals = self._totals(np.atleast_1d(np.asarray(shifts, dtype=float)))
        null, true = (
            self.samples.spread(contrast, totals, blocks, null=null, design=design)
            for null in (True, False)
        )
        cut = stdtrit(np.fmin(null.degrees, MOST_DEGREES), 1 - alpha / 2)
        far = np.abs(np.asarray(contrast(totals), dtype=float))
        bar, error = cut * np.sqrt(null.variance), np.sqrt(np.maximum(true.variance, 1e-300))
        return ndtr((far - bar) / error) + ndtr((-far - bar) / error)

    @property
    def _rate(self) -> Any:
        return self.metric(self.samples.reference)

    def _values(self, shifts: Any) -> Array:
        cells = self._totals(np.asarray(shifts, dtype=float))[:4]
        with np.errstate(all="ignore"):
            return np.asarray(self.metric.formula(*cells), dtype=float)

    def _totals(self, shifts: Array) -> Array:
        """Return the totals of a group with shifted rates, and of the others as they are."""
        shape = (8, *shifts.shape)
        totals = np.broadcast_to(beside(self.samples.totals, np.empty(shape)), shape).copy()
        if self.condition == "denominator":
            successes, whole = sides(self.metric)
            hit, miss = places(successes), places(whole - successes)
            size, rate = as_float(summed(whole, self.samples.group)), self._rate
            moved = np.clip(rate + shifts, 0.0, 1.0)
            totals[hit], totals[miss] = size * moved / len(hit), size * (1 - moved) / len(miss)
            return totals
        totals[:4] = self._shifted(shifts)
        return totals

    def _shifted(self, shifts: Array) -> Any:
        group, reference = (np.array([*t], dtype=float) for t in
                            (self.samples.group, self.samples.reference))  # fmt: skip
        tp, fn, fp, tn = in_place(reference, group, self.condition)
        n, positive, negative = tp + fn + fp + tn, tp + fn, fp + tn
        recall, alarms = over(tp, positive), over(fp, negative)
        rates = rates_moved(recall, 1 - alarms, shifts, self.metric.direction == "neither")
        return np.stack(np.broadcast_arrays(*cells_from_rates(*rates, positive / n, n)))


def powers(trials: Sequence[SampledTrial], alpha: float) -> Callable[[Index, Array], Array]:
    """Return the power of trials of one metric and condition, given by place, at a shift of each.

    Each is what the `power` of the trial gives, of all that are asked for at once.
    """
    first, samples = trials[0], [one.samples for one in trials]
    totals, squares = (
        np.array(part).T
        for part in ([one.totals for one in samples], [one.squares for one in samples])
    )
    designs = np.array([one.design for one in trials]).T

    def seen(which: Index, shifts: Array) -> Array:
        some = of_columns(totals[:, which], squares[:, which], contained=first.samples.contained)
        effect, most, holds = designs[:, which]
        return replace(first, samples=some).rejected(alpha, (effect, most, holds), shifts)

    return seen
