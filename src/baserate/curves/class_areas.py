"""Areas under ROC curves of several classes: each against the rest, or each pair."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.curves.area_spread import AreaSpread, FurtherCase, Sample, area_limits, shares_won
from baserate.curves.bounded_means import p_value_of
from baserate.curves.class_scores import ClassScores
from baserate.curves.estimates import Estimate, ScoreComparison

Array = NDArray[np.float64]
Average = Literal["macro", "weighted"]
Contests = Literal["ovr", "ovo"]


def class_roc_auc(
    cases: ClassScores, level: float, average: str = "macro", multi_class: str = "ovr"
) -> Estimate:
    """Return the mean of the areas of several classes, and its interval; see `roc_auc`."""
    how, which = one_of("average", average, Average), one_of("multi_class", multi_class, Contests)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := cases.absent:
        return Estimate(value=nan, reason=absent, **known)
    contests = _against_the_rest if which == "ovr" else _of_pairs
    areas = contests(cases, weighted=how == "weighted")
    value, *reached = _reached(areas, cases, (1 - level) / 2)
    down, up = map(_length, reached)
    low, high = max(0.0, value - down), min(1.0, value + up)
    return Estimate(value=value, low=low, high=high, route="asymptotic", **known)


def compare_class_areas(a: ClassScores, b: ClassScores, level: float) -> ScoreComparison:
    """Compare the mean areas, each class against the rest, of two scores of the same cases.

    As Zou and Donner (2008), doi:10.1002/sim.3095, join two intervals: down to where A reaches down
    and B up, less what both do of the same cases. What an unseen case does to A says nothing of
    what it does to B.
    """
    known: dict[str, Any] = {"confidence_level": level}
    if absent := a.absent:
        lost = dict.fromkeys(("value_a", "value_b", "difference"), nan)
        return ScoreComparison(**lost, reason=absent, p_value_reason=absent, **known)
    first, second = ([*_against_the_rest(x, weighted=False)] for x in (a, b))
    n = len(a.truth)

    def apart(one: Array, other: Array) -> float:
        unseen = np.concatenate((one[n:], other[n:]))
        return sqrt(_length(one[:n] - other[:n]) ** 2 + _length(unseen) ** 2)

    def interval(tail: float) -> tuple[float, float]:
        value_a, down_a, up_a = _reached(first, a, tail)
        value_b, down_b, up_b = _reached(second, b, tail)
        gap = value_a - value_b
        return max(-1.0, gap - apart(down_a, up_b)), min(1.0, gap + apart(up_a, down_b))

    value_a, value_b = (sum(x.part * x.spread.area for x in areas) for areas in (first, second))
    low, high = interval((1 - level) / 2)
    route = "asymptotic" if a.is_weighted else "conservative"  # in simulations, few cases too
    return ScoreComparison(
        value_a=value_a,
        value_b=value_b,
        difference=value_a - value_b,
        low=low,
        high=high,
        p_value=p_value_of(interval, value_a - value_b),
        route=route,
        p_value_route=route,
        **known,
    )


def _against_the_rest(cases: ClassScores, *, weighted: bool) -> Iterator["_Area"]:
    """Give each class against the rest, with its part in the mean."""
    parts = cases.shares if weighted else np.full(cases.n_classes, 1 / cases.n_classes)
    rows, own = np.arange(len(cases.truth)), np.eye(cases.n_classes)
    for c, part in enumerate(parts.tolist()):
        rest = np.where(own[c], 0.0, cases.class_counts)
        yield _area_of(part, _sample(cases, rows, c), rows, np.stack((own[c], rest / rest.sum())))


def _of_pairs(cases: ClassScores, *, weighted: bool) -> Iterator["_Area"]:
    """Give each pair of classes twice, by the scores for the one and for the other."""
    pairs = list(combinations(range(cases.n_classes), 2))
    sizes = [float(cases.shares[i] + cases.shares[j]) if weighted else 1.0 for i, j in pairs]
    order, ends = np.argsort(cases.truth, kind="stable"), np.cumsum(np.bincount(cases.truth))
    of_class, own = np.split(order, ends[:-1]), np.eye(cases.n_classes)
    for (i, j), size in zip(pairs, sizes, strict=True):
        rows = np.concatenate((of_class[i], of_class[j]))
        for pair in ((i, j), (j, i)):
            sample = _sample(cases, rows, pair[0])
            yield _area_of(size / sum(sizes) / 2, sample, rows, own[list(pair)])


def _sample(cases: ClassScores, rows: NDArray[np.intp], c: int) -> Sample:
    """Return these cases by their scores for one class, which is positive."""
    truth, weights = cases.truth[rows] == c, None
    if cases.is_weighted:
        of_rows = cases.weights[rows]
        weights = of_rows[truth], of_rows[~truth]
    return Sample(truth, cases.scores[rows, c], weights)


class _Area(NamedTuple):
    """One area, how much the cases move it, and an unseen case of each class."""

    part: float  # weight of the area in the mean
    rows: NDArray[np.intp]  # which of all cases these are
    spread: AreaSpread
    influence: Array
    unseen: Array


def _area_of(part: float, sample: Sample, rows: NDArray[np.intp], classes: Array) -> _Area:
    """Return the area of some rows, given how either side is made up of the classes, (2, K)."""
    sides = shares_won(sample)
    area = min(1.0, sample.mean(0, sides[0]))
    apart = [side - area for side in sides]
    varies = [sample.mean(k, apart[k] ** 2) for k in (0, 1)]
    spread = AreaSpread(area, *varies, *map(sample.cases, (0, 1)))
    kept = [FurtherCase.beside(sample.cases(k), 0.5).variance for k in (0, 1)]
    return _Area(part, rows, spread, _influence(sample, apart), np.sqrt(kept @ classes))


def _reached(areas: Iterable[_Area], cases: ClassScores, tail: float) -> tuple[float, Array, Array]:
    """Return a weighted mean of areas of the same cases, and how far its limits reach.

    Each area has limits of its own, with an error of `tail` each, and reaches a below itself. With
    the correlations ρ of the areas the mean reaches sqrt(Σ ρ[c, d] w[c] a[c] w[d] a[d]) below (Zou
    and Donner). That is the length of Σ w[c] a[c] φ[c], with φ[c] the influences on area c, of
    length one, so that no table of correlations is needed. Influences are those of the n cases
    (DeLong's placements), and of one unseen case of each of K classes: it wins or loses all its
    pairs, in all contests of its class. Without these the areas of a class with two cases would
    look independent. The sums down and up, of n + K, are what is returned.
    """
    n, value = len(cases.truth), 0.0
    down, up = np.zeros((2, n + cases.n_classes))
    for part, rows, spread, influence, unseen in areas:
        area, (low, high) = spread.area, area_limits(spread, tail)
        value += part * area
        for reach, total, lost in ((area - low, down, area), (high - area, up, 1 - area)):
            length = sqrt(float(influence @ influence + lost * lost * (unseen @ unseen)))
            if length > 0:
                total[rows] += influence * (part * reach / length)
                total[n:] += unseen * (lost * part * reach / length)
    return value, down, up


def _length(of: Array) -> float:
    return sqrt(float(of @ of))


def _influence(sample: Sample, apart: list[Array]) -> Array:
    """Return how much each case moves the area."""
    found = np.empty(len(sample.truth))
    for k, side in enumerate((sample.truth, ~sample.truth)):
        if sample.weights is None:
            found[side] = apart[k] / len(apart[k])
        else:
            found[side] = apart[k] * sample.weights[k] / sample.weights[k].sum()
    return found
