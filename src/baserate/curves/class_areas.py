"""Areas under ROC curves of several classes: each against the rest, or each pair."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baserate._checks import one_of
from baserate.curves.auc import Spread, area_limits
from baserate.curves.class_scores import ClassScores
from baserate.curves.estimates import Estimate
from baserate.curves.placements import Sample, shares_won

Array = NDArray[np.float64]
Average = Literal["macro", "weighted"]
Contest = Literal["ovr", "ovo"]


def class_roc_auc(
    cases: ClassScores, level: float, average: str = "macro", multi_class: str = "ovr"
) -> Estimate:
    """Return the mean of the areas of several classes, and its interval; see `roc_auc`."""
    how, which = one_of("average", average, Average), one_of("multi_class", multi_class, Contest)
    known: dict[str, Any] = {"confidence_level": level, "chance": 0.5, "perfect": 1.0}
    if absent := cases.absent:
        return Estimate(value=nan, reason=absent, **known)
    contests = _against_the_rest if which == "ovr" else _of_pairs
    mean = _Mean(len(cases.truth), (1 - level) / 2)
    for share, sample, rows in contests(cases, weighted=how == "weighted"):
        mean.add(share, sample, rows)
    low, high = mean.limits
    return Estimate(value=mean.value, low=low, high=high, route="conservative", **known)


def _against_the_rest(
    cases: ClassScores, *, weighted: bool
) -> Iterator[tuple[float, Sample, NDArray[np.intp]]]:
    """Give each class against the rest, with its part in the mean."""
    parts = cases.shares if weighted else np.full(cases.n_classes, 1 / cases.n_classes)
    rows = np.arange(len(cases.truth))
    for c, part in enumerate(parts.tolist()):
        yield part, _sample(cases, rows, c), rows


def _of_pairs(
    cases: ClassScores, *, weighted: bool
) -> Iterator[tuple[float, Sample, NDArray[np.intp]]]:
    """Give each pair of classes twice, by the scores for the one and for the other."""
    pairs = list(combinations(range(cases.n_classes), 2))
    sizes = [cases.shares[i] + cases.shares[j] if weighted else 1.0 for i, j in pairs]
    total, of_class = float(sum(sizes)), _rows_of_classes(cases)
    for (i, j), size in zip(pairs, sizes, strict=True):
        rows = np.concatenate((of_class[i], of_class[j]))
        for c in (i, j):
            yield float(size) / total / 2, _sample(cases, rows, c), rows


def _rows_of_classes(cases: ClassScores) -> list[NDArray[np.intp]]:
    order = np.argsort(cases.truth, kind="stable")
    sizes = np.bincount(cases.truth, minlength=cases.n_classes)
    return np.split(order, np.cumsum(sizes)[:-1])


def _sample(cases: ClassScores, rows: NDArray[np.intp], c: int) -> Sample:
    """Return these cases by their scores for one class, which is positive."""
    truth, weights = cases.truth[rows] == c, None
    if cases.is_weighted:
        of_rows = cases.weights[rows]
        weights = of_rows[truth], of_rows[~truth]
    return Sample(truth, cases.scores[rows, c], weights)


@dataclass(slots=True)
class _Mean:
    """A weighted mean of areas of the same cases, and how far its limits reach.

    Each area has limits of its own, and reaches a below itself. With the correlations ρ of the
    areas, by DeLong's placements, the mean reaches sqrt(Σ ρ[c, d] w[c] a[c] w[d] a[d]) below (Zou
    and Donner). That is the length of Σ w[c] a[c] φ[c], with φ[c] the influence of each case on
    area c, of length one, so that no table of correlations is needed. Areas that no case changes
    (of classes that are separated) are taken as fully correlated with all others.

    Attributes
    ----------
    n : int
        Cases.
    tail : float
        Error of each limit.
    """

    n: int
    tail: float
    value: float = 0.0
    down: Array = field(init=False)
    up: Array = field(init=False)
    fixed_down: float = 0.0
    fixed_up: float = 0.0

    def __post_init__(self) -> None:
        self.down, self.up = np.zeros(self.n), np.zeros(self.n)

    def add(self, part: float, sample: Sample, rows: NDArray[np.intp]) -> None:
        """Add an area with its part in the mean."""
        sides = shares_won(sample)
        area = min(1.0, sample.mean(0, sides[0]))
        apart = [side - area for side in sides]
        spread = Spread(
            area,
            *(sample.mean(k, apart[k] ** 2) for k in (0, 1)),
            *(sample.cases(k) for k in (0, 1)),
        )
        low, high = area_limits(spread, self.tail)
        below, above = part * max(0.0, area - low), part * max(0.0, high - area)
        self.value += part * area
        influence = _influence(sample, apart)
        length = float(np.sqrt(influence @ influence))
        if length > 0:
            self.down[rows] += influence * (below / length)
            self.up[rows] += influence * (above / length)
        else:
            self.fixed_down += below
            self.fixed_up += above

    @property
    def limits(self) -> tuple[float, float]:
        """The interval of the mean."""
        down = sqrt(float(self.down @ self.down)) + self.fixed_down
        up = sqrt(float(self.up @ self.up)) + self.fixed_up
        return max(0.0, self.value - down), min(1.0, self.value + up)


def _influence(sample: Sample, apart: list[Array]) -> Array:
    """Return how much each case moves the area."""
    found = np.empty(len(sample.truth))
    for k, side in enumerate((sample.truth, ~sample.truth)):
        if sample.weights is None:
            found[side] = apart[k] / len(apart[k])
        else:
            found[side] = apart[k] * sample.weights[k] / sample.weights[k].sum()
    return found
