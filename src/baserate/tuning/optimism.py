"""How much the best cut point flatters: what it has on its own cases beyond the population.

The bootstrap sees only part of it. A bootstrap sample is drawn from data whose luckiest cut is
already known, so the gap between a sample and the data it came from is about half the gap between
the data and the population. How large a part it sees is measured where the population is known: in
a model world of two normal classes with the same area under the ROC curve, the same class totals
and the same ties. The bootstrap's gap is scaled up by that part. The model decides the scale only,
so other shapes of scores do little harm (benchmarks/bench_expected_anew.py).
"""

from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.strata import Jackknife, drawn_again
from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix, unchecked
from baserate.curves.cut_points import Sweep, tables_above
from baserate.metrics import Metric
from baserate.tuning.targets import Constraint, Values, all_hold, first_maxima, oriented

PARTS = 8  # a case that shares its score with none spreads over so many cells of the model world
CELLS = 4096  # while these are no more than so many
HALVINGS = 80
MOST = 2.0  # the model's gap is scaled by at most this factor, either way


class World(NamedTuple):
    """Shares of positives and of negatives above each rule of a model world."""

    recall: Values
    false_positive_rate: Values
    n_positive: int
    n_negative: int

    @classmethod
    def like(cls, swept: Sweep, sizes: tuple[float, float] | None = None) -> Self:
        """Return two normal classes with the area, the totals and the ties of real scores.

        `sizes` are what the cases of either class are worth, if not what their weights say.
        """
        from scipy.special import ndtr, ndtri

        positive, negative = (max(1, round(size)) for size in sizes or swept.effective_sizes)
        pairs = positive * negative
        distance = sqrt(2) * float(ndtri((swept.roc_auc() * pairs + 0.5) / (pairs + 1)))
        above = _shares(np.diff(swept.true_positives + swept.false_positives))
        rate = positive / (positive + negative)
        low, high = np.full_like(above, -40 - abs(distance)), np.full_like(above, 40 + distance)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            reach = rate * ndtr(distance - middle) + (1 - rate) * ndtr(-middle)
            low, high = np.where(reach > above, middle, low), np.where(reach > above, high, middle)
        recall, alarms = (np.concatenate(([0.0], ndtr(d - high), [1.0])) for d in (distance, 0.0))
        return cls(recall, alarms, positive, negative)

    @property
    def tables(self) -> ConfusionMatrix:
        """What each rule gives on average."""
        tp, fp = self.n_positive * self.recall, self.n_negative * self.false_positive_rate
        return unchecked(tp=tp, fn=self.n_positive - tp, fp=fp, tn=self.n_negative - fp)

    def sample(self, size: int, random: np.random.Generator) -> ConfusionMatrix:
        """Draw samples of the same class totals."""
        classes = (self.n_positive, self.recall), (self.n_negative, self.false_positive_rate)
        tp, fp = (_reached(random.multinomial(n, _steps(up), size)) for n, up in classes)
        return tables_above(tp, fp)


def _shares(sizes: NDArray[Any]) -> Values:
    """Return the share of cases above each rule but the first and the last; ties stay ties."""
    parts = max(1, min(PARTS, CELLS // len(sizes)))
    repeats = np.where(sizes == 1, parts, 1)
    reached = np.cumsum(np.repeat(sizes / repeats, repeats))
    return reached[:-1] / reached[-1]


def _steps(rates: Values) -> Values:
    steps = np.maximum(np.diff(rates), 0.0)
    return steps / steps.sum()


def _reached(steps: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((np.zeros((len(steps), 1), dtype=steps.dtype), np.cumsum(steps, 1)), 1)


def bootstrap(
    tables: ConfusionMatrix, size: int | None, random: np.random.Generator
) -> ConfusionMatrix:
    """Draw cases with replacement within each class: `size` samples of one row, or one of each."""
    tp, fp = (
        _reached(
            random.multinomial(
                reached[..., -1].flat[0], np.diff(reached, axis=-1) / reached[..., -1:], size
            )
        )
        for reached in (tables.tp, tables.fp)
    )
    return tables_above(tp, fp)


def best_rules(
    metric: Metric, tables: ConfusionMatrix, limits: tuple[Constraint, ...]
) -> tuple[NDArray[np.intp], Values]:
    """Return the best rule of each sample, -1 if none may win, and the metric at every rule."""
    values = np.asarray(metric(tables), dtype=float)
    upward = np.where(all_hold(limits, tables), oriented(metric, values), -np.inf)
    return first_maxima(metric, upward), values


def gaps(rules: NDArray[np.intp], values: Values, beyond: Values) -> Values:
    """Return how far each sample's value at its rule exceeds what that rule has beyond the sample.

    Samples without a best rule, or whose rule is undefined beyond them, are left out.
    """
    rows = np.flatnonzero(rules >= 0)
    at = rules[rows]
    found = values[rows, at] - np.broadcast_to(beyond, values.shape)[rows, at]
    return found[~np.isnan(found)]


def calibrated(seen: Values, model_seen: Values, model_true: Values) -> float:
    """Scale the gap that the bootstrap sees by what it misses in the model world.

    seen (model_true / model_seen), all of them means of gaps in the direction that flatters, with
    seen / model_seen kept within [1/2, 2]; nan where one of them is unknown. As 1 / mean is too
    large on average, by the squared relative error of the mean, that much is taken off.
    """
    if not (len(seen) and len(model_seen) and len(model_true)):
        return nan
    found, part, whole = (float(np.mean(gap)) for gap in (seen, model_seen, model_true))
    if part <= 0:
        return whole
    noise = float(np.var(model_seen)) / len(model_seen)
    return whole * min(MOST, max(1 / MOST, found * part / (part * part + noise)))


CUTS = 41  # at which the scores of a class are looked at


@dataclass(frozen=True, eq=False)
class Units:
    """Independent units of a sample, and what each adds at every cut point.

    Attributes
    ----------
    positive : array of bool, shape (m,)
        Whether each case is positive.
    score : array of shape (m,)
    weight : array of float, shape (m,)
    unit : array of int, shape (m,)
        The cluster of each case; without clusters the case itself.
    stratum : array of int, shape (n,), or None
        What each of n units was drawn in, of which some may have no case here; None if all alike.
    """

    positive: NDArray[np.bool_]
    score: NDArray[Any]
    weight: Values
    unit: NDArray[np.intp]
    stratum: NDArray[np.intp] | None = None

    @classmethod
    def of_cases(cls, cases: BinaryCases) -> Self:
        """Return the clusters of cases with one score, or without any these, with their weights.

        Replicate weights have none, unless they leave out each cluster of a stratum.
        """
        [score], count = cases.scores.values(), cases.count
        weight = np.ones(len(count)) if cases.weight is None else cases.weight / count
        rows = cases.rows
        unit, stratum = np.arange(len(rows)), None
        drawn = cases.drawn
        if isinstance(drawn, Jackknife):
            unit, stratum = drawn.units[0, rows], drawn.stratum
        elif drawn is not None:
            unit = np.unique(drawn[rows], return_inverse=True)[1]
        return cls(cases.truth[rows], score[rows], weight[rows], unit, stratum)

    @cached_property
    def n(self) -> int:
        """How many units there are."""
        return int(self.unit.max()) + 1 if self.stratum is None else len(self.stratum)

    @cached_property
    def effective_sizes(self) -> tuple[float, float] | None:
        """How many independent positives and negatives say as much; None without clusters."""
        if self.n == len(self.unit) and self.stratum is None:
            return None
        return self._effective(self.positive), self._effective(~self.positive)

    def _effective(self, rows: NDArray[np.bool_]) -> float:
        """Hold the variance of shares above cuts against that of independent cases of weight one.

        Both are added up over cuts all along the scores of the class, as what a best cut is chosen
        by; never more cases than there are, by Kish. The variance is k/(k - 1) Σ (z - z̄)², over the
        k clusters that have such cases, or the k of each stratum.
        """
        place = np.unique(self.score[rows], return_inverse=True)[1]
        weight, unit, stratum = self.weight[rows], self.unit[rows], self.stratum
        if stratum is None:
            unit = np.unique(unit, return_inverse=True)[1]
            stratum = np.zeros(int(unit.max()) + 1, dtype=np.intp)
        total, beside = weight.sum(), np.bincount(stratum)[stratum]
        alone = together = 0.0
        for cut in np.unique(np.quantile(place, np.linspace(0, 1, CUTS), method="nearest")):
            off = weight * ((place >= cut) - weight @ (place >= cut) / total)
            moved = np.bincount(unit, off, len(stratum))
            moved = moved - np.bincount(stratum, moved)[stratum] / beside
            alone += (weight @ (place >= cut) / total) * (weight @ (place < cut) / total)
            together += moved**2 @ (beside / np.maximum(beside - 1, 1)) / total**2
        if not together:
            return float(len(stratum))
        return float(min(alone / together + 1, total**2 / (weight @ weight)))

    def times(self, size: int, random: np.random.Generator) -> NDArray[Any]:
        """Draw as many units as there are, with replacement: how often each, a row a sample."""
        return drawn_again(self.n, self.stratum, size, random)

    def drawn(self, swept: Sweep) -> "DrawnUnits":
        """Return what draws samples of them, cut where a sweep of the same cases is."""
        from scipy.sparse import csr_array

        last = len(swept.thresholds) - 1
        # Thresholds fall, and the first of them, infinity or nan, calls nothing positive.
        rule = last - np.searchsorted(swept.thresholds[:0:-1], self.score, side="right")
        column = np.where(self.positive, rule, rule + last)
        shape = (self.n, 2 * last)
        return DrawnUnits(self, csr_array((self.weight, (self.unit, column)), shape=shape), last)


@dataclass(frozen=True, eq=False)
class DrawnUnits:
    """Samples of units: what each unit adds between two cut points, positives first."""

    units: Units
    steps: Any
    last: int

    def sample(self, size: int, random: np.random.Generator) -> ConfusionMatrix:
        """Return the tables of samples at every cut."""
        times = self.units.times(size, random)
        steps = np.asarray((self.steps.T @ times.T).T, dtype=float)
        tp, fp = map(_reached, (steps[:, : self.last], steps[:, self.last :]))
        return tables_above(tp, fp)
