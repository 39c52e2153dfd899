"""Placements: of which share of the other class each case wins its pairs (DeLong)."""

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.cases.counted import effective_size
from baserate.curves.scored_labels import read_scores, read_weights

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Sides = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Sample:
    """Cases with a score; class 0 is that of the positives."""

    truth: Mask
    scores: NDArray[Any]
    weights: Sides | None

    @classmethod
    def of(cls, truth: Mask, name: str, scores: Any, weights: Any) -> "Sample":
        """Read scores and weights of cases whose truth is known."""
        n = len(truth)
        kept = None if weights is None else read_weights(weights, n)
        apart = None if kept is None else (kept[truth], kept[~truth])
        return cls(truth, read_scores(name, scores, n), apart)

    @property
    def absent(self) -> str | None:
        """Say which class has no case of any weight."""
        sides = (self.truth, ~self.truth) if self.weights is None else self.weights
        for side, which in zip(sides, ("positives", "negatives"), strict=True):
            if not side.any():
                return f"no {which}"
        return None

    def cases(self, k: int) -> float:
        """Return the effective number of cases of a class."""
        if self.weights is None:
            return float(np.count_nonzero(self.truth if k == 0 else ~self.truth))
        weights = self.weights[k]
        return effective_size(float(weights.sum()), float(np.dot(weights, weights)))

    def mean(self, k: int, values: Array) -> float:
        """Return the mean over the cases of a class."""
        weights = None if self.weights is None else self.weights[k]
        return float(np.mean(values) if weights is None else np.average(values, weights=weights))

    def variance(self, sides: Sides) -> float:
        """Return that of the sum of both means, without bias; nan if a class has a single case."""
        return sum(self.variances(sides))

    def variances(self, sides: Sides) -> tuple[float, float]:
        """Return that of either mean."""
        sizes = [self.cases(k) for k in (0, 1)]
        if min(sizes) <= 1:
            return nan, nan
        apart = [(sides[k] - self.mean(k, sides[k])) ** 2 for k in (0, 1)]
        first, second = (self.mean(k, apart[k]) / (sizes[k] - 1) for k in (0, 1))
        return first, second


def shares_within(sample: Sample, folds: NDArray[np.intp]) -> tuple[Sample, Sides]:
    """Return the same within folds, and the cases with weights by which all folds count alike."""
    sides = np.count_nonzero(sample.truth), np.count_nonzero(~sample.truth)
    weights = sample.weights or (np.ones(sides[0]), np.ones(sides[1]))
    kept, shares = (weights[0].copy(), weights[1].copy()), (np.empty(sides[0]), np.empty(sides[1]))
    own = folds[sample.truth], folds[~sample.truth]
    for fold in range(int(folds.max()) + 1):
        rows, parts = folds == fold, (own[0] == fold, own[1] == fold)
        apart = weights[0][parts[0]], weights[1][parts[1]]
        found = shares_won(Sample(sample.truth[rows], sample.scores[rows], apart))
        for k in (0, 1):
            shares[k][parts[k]] = found[k]
            kept[k][parts[k]] /= apart[k].sum()
    return replace(sample, weights=kept), shares


def shares_won(sample: Sample) -> Sides:
    """Return of which share of the other class each positive wins, and each negative loses.

    One sort of all scores: what each case has below it is a running total, taken where its ties
    begin and where they end.
    """
    truth, order = sample.truth, np.argsort(sample.scores)
    ordered, labels = sample.scores[order], truth[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    ends = np.append(starts[1:], len(ordered))
    shares = np.empty(len(truth))
    sides: list[Array] = []
    for k, (side, rivals) in enumerate(((truth, ~labels), (~truth, labels))):
        amount: Any = rivals
        if sample.weights is not None:
            amount = np.zeros(len(truth))
            amount[~side] = sample.weights[1 - k]
            amount = amount[order]
        below = np.concatenate(([0], np.cumsum(amount)))
        shares[order] = np.repeat((below[starts] + below[ends]) / (2 * below[-1]), ends - starts)
        sides.append(shares[side] if k == 0 else 1 - shares[side])
    return sides[0], sides[1]
