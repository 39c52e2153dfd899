"""Means and ratios of totals of cases in clusters, or under replicate weights: how sure they are.

A mean loss is the sum of all losses over the sum of all weights, an O:E ratio positives over the
sum of all risks: both are ratios of two totals, and move with the clusters that add to both.
"""

from dataclasses import replace
from math import inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array, Index
from baserate.cases.labels import Grouping
from baserate.cases.several_classes import ClassCases
from baserate.cases.strata import Jackknife
from baserate.cases.two_classes import BinaryCases
from baserate.cases.units import ALIKE as CLUSTERS_ALIKE
from baserate.cases.units import (
    SCORES,
    SCORES_APART,
    Floor,
    Law,
    Likeness,
    Limits,
    law_of_replicates,
)
from baserate.curves.area_spread import ScoredSample
from baserate.curves.estimates import ScoreComparison
from baserate.curves.replicated_auc import ReplicatedArea

ROUTE = "asymptotic"
INFINITE = "it is infinite: an outcome had a probability of 0"
ALIKE = "nothing shows how much it varies: no cluster or replicate changes it"


class DesignUnits(NamedTuple):
    """What is independent of each other: clusters by number, or replicate weights of each case."""

    weight: Array  # of each of n rows
    cluster: Index | None
    # of shape (R, n): weights too, in place of the clusters
    replicates: Array | Jackknife | None = None
    scale: Array | None = None  # what the squared deviation of each replicate counts
    degrees: float | None = None  # of freedom, that come with the replicates
    n_cases: float | None = None  # where rows stand for several cases; None for one each

    def totals(self, amount: Array) -> Array:
        """Return the weighted total of an amount without each cluster, or under each replicate."""
        if self.replicates is not None:
            return self.replicates @ amount
        assert self.cluster is not None
        _, codes = np.unique(self.cluster, return_inverse=True)
        parts = np.bincount(codes, self.weight * amount)
        return parts.sum() - parts

    def law(self, value: float, without: Array, bounds: Limits) -> Law:
        """Return the law of a number, given what it is without each unit."""
        scale = np.ones(len(without)) if self.scale is None else self.scale
        return law_of_replicates(value, without, scale, self.degrees, bounds)

    def of_ratio(
        self, top: Array, bottom: Array, bounds: Limits = (0.0, inf), wrong: float | None = None
    ) -> Law:
        """Return the ratio of two weighted totals, and how it moves.

        `wrong` is the ratio in a cluster that is all wrong, if that is known; all right, it is 0.
        """
        top = np.where((self.weight > 0) | np.isfinite(top), top, 0.0)  # nobody suffers that loss
        with np.errstate(invalid="ignore"):  # an infinite loss, less itself or without weight
            value = float(_over(self.weight @ top, self.weight @ bottom))
            ratios = _over(self.totals(top), self.totals(bottom))
            floor = self.floor(top - value * bottom, float(self.weight @ bottom), SCORES)
            law = self.law(value, ratios, bounds)
        if floor is None or wrong is None:
            return replace(law, floor=floor)
        return replace(law, floor=floor, centre=floor.centre(value, wrong, right=0.0))

    def floor(self, off: Array, bottom: float, likeness: Likeness) -> Floor | None:
        """Return the least variance of a ratio: each case moves it by `off` over the bottom."""
        if self.cluster is None or not (bottom and np.isfinite(off).all()):
            return None
        whole, n = float(self.weight.sum()), self.n_cases or float(len(self.weight))
        alone = whole / max(n - 1, 1) * float(self.weight @ (off / bottom) ** 2)
        sizes = np.bincount(self.cluster, self.weight).astype(np.float64) * (n / whole)
        return Floor.of(sizes[:, None], np.array([alone]), likeness)

    def of_fit(self, x: Array, off: Array, curvature: Array) -> "Fitted":
        """Return how what is fitted to all cases moves, by one step of Newton's rule.

        Of each case `x` (n, p) is what it tells of the p coefficients, `off` how far it lies from
        the fit, `curvature` how much it bends the likelihood: 1 for a mean, p (1 - p) for log odds.
        """
        scores = np.stack([self.totals(one * off) for one in x.T], axis=-1)
        bent = [[self.totals(a * b * curvature) for b in x.T] for a in x.T]
        information = np.moveaxis(np.array(bent), -1, 0)
        whole = (x * (self.weight * curvature)[:, None]).T @ x
        try:
            moves = np.asarray(np.linalg.solve(information, scores[..., None])[..., 0], dtype=float)
        except np.linalg.LinAlgError:  # nothing is left to fit without one of the units
            moves = np.full_like(scores, nan)
        return Fitted(self, x @ np.linalg.inv(whole) * off[:, None], moves)

    def of_pulls(self, value: float, pulls: Array, bounds: Limits) -> Law:
        """Return the law of a number, given how fast it grows with the weight of each case.

        It does not change where all weights grow alike: the weighted sum of the pulls is 0.
        """
        each = np.ones(len(pulls))
        law = self.of_fit(each[:, None], pulls * float(self.weight.sum()), each).law(
            value, each[:1]
        )
        return replace(law, bounds=bounds)

    def apart(self, first: Law, second: Law, amount: Array) -> Law:
        """Return the law of the difference of two means, given by how much each case's parts."""
        off = amount - (first.value - second.value)
        return first.minus(second, self.floor(off, float(self.weight.sum()), SCORES_APART))


class Fitted(NamedTuple):
    """How the coefficients of a fit move: with each case, and without each unit."""

    units: DesignUnits
    cases: Array  # (n, p)
    moves: Array  # (units, p)

    def law(self, value: float, along: Array) -> Law:
        """Return the law of so many times the coefficients, such as the log odds at a score."""
        law = self.units.law(value, value + self.moves @ along, (-inf, inf))
        return replace(law, floor=self.units.floor(self.cases @ along, 1.0, SCORES))


def amounts(cases: BinaryCases, score: str, measure: str) -> tuple[Array, Array]:
    """Return what is added up over cases for a measure: numerator and denominator of each."""
    p, y = np.asarray(cases.scores[score], dtype=float), cases.truth.astype(float)
    if measure == "observed_expected":
        return y, p
    if measure == "brier_score":
        return (y - p) ** 2, np.ones(len(y))
    with np.errstate(divide="ignore"):
        return -np.log(np.where(cases.truth, p, 1 - p)), np.ones(len(y))


def units_of(cases: BinaryCases | ClassCases) -> DesignUnits:
    """Return what is independent: the clusters of the cases, or their replicate weights."""
    weight = np.asarray(cases.count if cases.weight is None else cases.weight, dtype=float)
    if cases.replicated is not None:
        return DesignUnits(weight, None, *cases.replicated)
    assert cases.cluster is not None
    return DesignUnits(weight, cases.cluster.codes, n_cases=float(cases.count.sum()))


def with_whole_clusters(cases: Any) -> Any:
    """Return cases whose clusters can be swapped whole, to which strata do not matter."""
    if not isinstance(units := cases.drawn, Jackknife):
        return cases
    keys = tuple((unit,) for unit in range(len(units)))
    return replace(cases, replicated=None, cluster=Grouping(("cluster",), units.units[0], keys))


def area_by_design(cases: BinaryCases, score: str) -> ReplicatedArea:
    """Return the ROC area under replicate weights; of folds, the mean of theirs."""
    assert cases.replicated is not None
    sample = ScoredSample.of(cases.truth, score, cases.scores[score], units_of(cases).weight)
    folds = None if cases.fold is None else cases.fold.codes
    return ReplicatedArea.of(sample, cases.replicated, folds)


def precision_by_design(cases: BinaryCases, score: str) -> Law:
    """Return average precision, and how it moves with clusters or replicates.

    The weight of a case adds its own precision, if it is positive, and changes the precision at
    each positive that scores no higher.
    """
    units, y = units_of(cases), cases.truth.astype(float)
    _, at = np.unique(np.asarray(cases.scores[score], dtype=float), return_inverse=True)
    positive, every = np.bincount(at, units.weight * y), np.bincount(at, units.weight)
    reached = np.cumsum(every[::-1])[::-1]
    precision = _over(np.cumsum(positive[::-1])[::-1], reached)
    value = float(positive @ precision / positive.sum())
    more, less = (np.cumsum(_over(positive * part, reached)) for part in (1.0, precision))
    pulls = (y * (precision[at] - value + more[at]) - less[at]) / positive.sum()
    return units.of_pulls(value, pulls, (0.0, 1.0))


def separation_by_design(cases: BinaryCases, score: str) -> Law:
    """Return the discrimination slope: the mean score of positives less that of negatives."""
    units, p = units_of(cases), np.asarray(cases.scores[score], dtype=float)
    positive, negative = units.weight * cases.truth, units.weight * ~cases.truth
    high, low = (float(side @ p / side.sum()) for side in (positive, negative))
    pulls = np.where(cases.truth, (p - high) / positive.sum(), (low - p) / negative.sum())
    return units.of_pulls(high - low, pulls, (-1.0, 1.0))


def areas_apart(cases: BinaryCases, a: str, b: str) -> tuple[Law, Law, Law]:
    """Return both ROC areas under replicate weights, and their difference."""
    first, second = (area_by_design(cases, name).law() for name in (a, b))
    return first, second, first.minus(second)


def losses_apart(cases: BinaryCases, a: str, b: str, measure: str) -> tuple[Law, Law, Law | None]:
    """Return the mean losses of two scores, and their difference unless one is infinite."""
    return means_apart(units_of(cases), *(amounts(cases, name, measure)[0] for name in (a, b)))


def means_apart(units: DesignUnits, a: Array, b: Array) -> tuple[Law, Law, Law | None]:
    """Return two means of what the cases have, and their difference unless one is infinite."""
    each = np.ones(len(a))
    first, second = (units.of_ratio(of, each) for of in (a, b))
    if not (isfinite(first.value) and isfinite(second.value)):
        return first, second, None
    return first, second, units.apart(first, second, a - b)


def told_apart(laws: tuple[Law, Law, Law], level: float) -> ScoreComparison:
    """Return the difference of two measures by Student's law."""
    first, second, found = laws
    (low, high), reason = found.around(level), found.reason
    reason = ALIKE if reason == CLUSTERS_ALIKE else reason
    route = None if reason else ROUTE
    return ScoreComparison(
        difference=found.value,
        low=low,
        high=high,
        p_value=found.p_value(),
        value_a=first.value,
        value_b=second.value,
        confidence_level=level,
        route=route,
        p_value_route=route,
        reason=reason,
        p_value_reason=reason,
    )


def _over(top: Any, bottom: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(top) / bottom
