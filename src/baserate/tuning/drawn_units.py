"""What bootstrap samples draw as a whole: cases with their weights, or clusters of cases."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.two_classes import BinaryCases
from baserate.counts import ConfusionMatrix
from baserate.curves.cut_points import Sweep, tables_above
from baserate.tuning.targets import Values

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
    """

    positive: NDArray[np.bool_]
    score: NDArray[Any]
    weight: Values
    unit: NDArray[np.intp]

    @classmethod
    def of_cases(cls, cases: BinaryCases) -> Self:
        """Return the clusters of cases with one score, or without any these, with their weights."""
        [score], count = cases.scores.values(), cases.count
        weight = np.ones(len(count)) if cases.weight is None else cases.weight / count
        rows = np.repeat(np.arange(len(count)), count)
        unit = np.arange(len(rows))
        if cases.cluster is not None:
            unit = np.unique(cases.cluster.codes[rows], return_inverse=True)[1]
        return cls(cases.truth[rows], score[rows], weight[rows], unit)

    @cached_property
    def n(self) -> int:
        """How many units there are."""
        return int(self.unit.max()) + 1

    @cached_property
    def effective_sizes(self) -> tuple[float, float] | None:
        """How many independent positives and negatives say as much; None without clusters."""
        if self.n == len(self.unit):
            return None
        return self._effective(self.positive), self._effective(~self.positive)

    def _effective(self, rows: NDArray[np.bool_]) -> float:
        """Hold the variance of shares above cuts against that of independent cases of weight one.

        Both are added up over cuts all along the scores of the class, as what a best cut is chosen
        by; never more cases than there are, by Kish.
        """
        place = np.unique(self.score[rows], return_inverse=True)[1]
        weight, unit = self.weight[rows], np.unique(self.unit[rows], return_inverse=True)[1]
        total, n_units = weight.sum(), float(unit.max()) + 1
        alone = together = 0.0
        for cut in np.unique(np.quantile(place, np.linspace(0, 1, CUTS), method="nearest")):
            off = weight * ((place >= cut) - weight @ (place >= cut) / total)
            moved = np.bincount(unit, off)
            alone += (weight @ (place >= cut) / total) * (weight @ (place < cut) / total)
            together += moved @ moved / total**2 * n_units / max(n_units - 1, 1)
        if not together:
            return n_units
        return float(min(alone / together + 1, total**2 / (weight @ weight)))

    def times(self, size: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Draw as many units as there are, with replacement: how often each, a row a sample."""
        return random.multinomial(self.n, np.full(self.n, 1 / self.n), size)

    def drawn(self, swept: Sweep) -> "Drawn":
        """Return what draws samples of them, cut where a sweep of the same cases is."""
        from scipy.sparse import csr_array

        last = len(swept.thresholds) - 1
        # Thresholds fall, and the first of them, infinity or nan, calls nothing positive.
        rule = last - np.searchsorted(swept.thresholds[:0:-1], self.score, side="right")
        column = np.where(self.positive, rule, rule + last)
        shape = (self.n, 2 * last)
        return Drawn(self, csr_array((self.weight, (self.unit, column)), shape=shape), last)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Samples of units: what each unit adds between two cut points, positives first."""

    units: Units
    steps: Any
    last: int

    def sample(self, size: int, random: np.random.Generator) -> ConfusionMatrix:
        """Return the tables of samples at every cut."""
        times = self.units.times(size, random)
        steps = np.asarray((self.steps.T @ times.T).T, dtype=float)
        tp, fp = (
            np.concatenate((np.zeros((size, 1)), np.cumsum(part, axis=1)), axis=1)
            for part in (steps[:, : self.last], steps[:, self.last :])
        )
        return tables_above(tp, fp)
