"""Areas under ROC curves of several classes: each against the rest, or each pair."""

from collections.abc import Iterator
from itertools import combinations
from math import nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.curves.area_spread import AreaSpread, FurtherCase, area_limits
from baserate.curves.class_scores import ClassScores
from baserate.curves.estimates import Estimate
from baserate.curves.placements import Sample, shares_won

Array = NDArray[np.float64]
Average = Literal["macro", "weighted"]
Contests = Literal["ovr", "ovo"]


# The cases whose pairs make one area: its weight in the mean, their scores, which of all cases they
# are, and how positives and negatives are made up of the classes, of shape (2, K).
_ClassContest = tuple[float, Sample, NDArray[np.intp], Array]


def class_roc_auc(
    cases: ClassScores, level: float, average: str = "macro", multi_class: str = "ovr"
) -> Estimate:
    """Return the mean of the areas of several classes, and its interval; see `roc_auc`.

    Each area has limits of its own, and reaches a below itself. With the correlations ρ of the
    areas the mean reaches sqrt(Σ ρ[c, d] w[c] a[c] w[d] a[d]) below (Zou and Donner). That is the
    length of Σ w[c] a[c] φ[c], with φ[c] the influences on area c, of length one, so that no table
    of correlations is needed. Influences are those of the cases (DeLong's placements), and of one
    unseen case of each class: it wins or loses all its pairs, in all contests of its class. Without
    these the areas of a class with two cases would look independent.
    """
    how, which = one_of("average", average, Average), one_of("multi_class", multi_class, Contests)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := cases.absent:
        return Estimate(value=nan, reason=absent, **known)
    contests = _against_the_rest if which == "ovr" else _of_pairs
    tail, value, k = (1 - level) / 2, 0.0, cases.n_classes
    down, up = np.zeros((2, len(cases.truth) + k))  # Σ w a φ, of the cases and of K unseen ones
    for part, sample, rows, classes in contests(cases, weighted=how == "weighted"):
        sides = shares_won(sample)
        area = min(1.0, sample.mean(0, sides[0]))
        apart = [side - area for side in sides]
        varies = [sample.mean(i, apart[i] ** 2) for i in (0, 1)]
        low, high = area_limits(AreaSpread(area, *varies, *map(sample.cases, (0, 1))), tail)
        kept = [FurtherCase.beside(sample.cases(i), 0.5).variance for i in (0, 1)]
        influence, unseen = _influence(sample, apart), np.sqrt(kept @ classes)
        value += part * area
        for reach, total, lost in ((area - low, down, area), (high - area, up, 1 - area)):
            length = sqrt(float(influence @ influence + lost * lost * (unseen @ unseen)))
            if length > 0:
                total[rows] += influence * (part * reach / length)
                total[-k:] += unseen * (lost * part * reach / length)
    below, above = (sqrt(float(side @ side)) for side in (down, up))
    ends = {"low": max(0.0, value - below), "high": min(1.0, value + above)}
    return Estimate(value=value, **ends, route="asymptotic", **known)


def _against_the_rest(cases: ClassScores, *, weighted: bool) -> Iterator[_ClassContest]:
    """Give each class against the rest, with its part in the mean."""
    parts = cases.shares if weighted else np.full(cases.n_classes, 1 / cases.n_classes)
    rows, own = np.arange(len(cases.truth)), np.eye(cases.n_classes)
    for c, part in enumerate(parts.tolist()):
        rest = np.where(own[c], 0.0, cases.class_counts)
        yield part, _sample(cases, rows, c), rows, np.stack((own[c], rest / rest.sum()))


def _of_pairs(cases: ClassScores, *, weighted: bool) -> Iterator[_ClassContest]:
    """Give each pair of classes twice, by the scores for the one and for the other."""
    pairs = list(combinations(range(cases.n_classes), 2))
    sizes = [float(cases.shares[i] + cases.shares[j]) if weighted else 1.0 for i, j in pairs]
    order, ends = np.argsort(cases.truth, kind="stable"), np.cumsum(np.bincount(cases.truth))
    of_class, own = np.split(order, ends[:-1]), np.eye(cases.n_classes)
    for (i, j), size in zip(pairs, sizes, strict=True):
        rows = np.concatenate((of_class[i], of_class[j]))
        for pair in ((i, j), (j, i)):
            yield size / sum(sizes) / 2, _sample(cases, rows, pair[0]), rows, own[list(pair)]


def _sample(cases: ClassScores, rows: NDArray[np.intp], c: int) -> Sample:
    """Return these cases by their scores for one class, which is positive."""
    truth, weights = cases.truth[rows] == c, None
    if cases.is_weighted:
        of_rows = cases.weights[rows]
        weights = of_rows[truth], of_rows[~truth]
    return Sample(truth, cases.scores[rows, c], weights)


def _influence(sample: Sample, apart: list[Array]) -> Array:
    """Return how much each case moves the area."""
    found = np.empty(len(sample.truth))
    for k, side in enumerate((sample.truth, ~sample.truth)):
        if sample.weights is None:
            found[side] = apart[k] / len(apart[k])
        else:
            found[side] = apart[k] * sample.weights[k] / sample.weights[k].sum()
    return found
