"""What bootstrap samples draw as a whole: cases with their weights, or clusters of cases."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate.cases.two_classes import BinaryCases
from baserate.counts import CELLS, ConfusionMatrix
from baserate.curves.cut_points import Sweep, tables_above
from baserate.tuning.targets import Values


@dataclass(frozen=True, eq=False)
class Units:
    """Independent units of a sample, and what each adds at every cut point.

    Attributes
    ----------
    positive : array of bool, shape (m,)
        Whether the cases of each row are positive.
    score : array of shape (m,)
    weight : array of float, shape (m,)
        Of all cases of the row.
    unit : array of int, shape (m,)
        The cluster of each row; without clusters the row itself.
    size : array of int, shape (k,)
        How many units that are alike each of them stands for: the cases of a row.
    """

    positive: NDArray[np.bool_]
    score: NDArray[Any]
    weight: Values
    unit: NDArray[np.intp]
    size: NDArray[np.int64]

    @classmethod
    def of_cases(cls, cases: BinaryCases) -> Self:
        """Return the clusters of cases with one score if there are any, else these, with weights.

        Rows of weight 0 are nobody's.
        """
        [score] = cases.scores.values()
        weight = np.asarray(cases.count if cases.weight is None else cases.weight, dtype=float)
        kept = weight > 0
        truth, score, weight = cases.truth[kept], score[kept], weight[kept]
        if cases.cluster is None:
            return cls(truth, score, weight, np.arange(len(weight)), cases.count[kept])
        places, unit = np.unique(cases.cluster.codes[kept], return_inverse=True)
        return cls(truth, score, weight, unit, np.ones(len(places), dtype=np.int64))

    @cached_property
    def n(self) -> int:
        """How many units there are."""
        return int(self.size.sum())

    def tables_at(self, cut: float, size: int) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        """Return the table at one cut, and those of samples of units; always the same samples."""
        random, parts = np.random.default_rng(0), (self.positive, self.score >= cut)
        cell = 2 * ~parts[0] + ~parts[1]
        each = np.zeros((len(self.size), 4))
        np.add.at(each, (self.unit, cell), self.weight / self.size[self.unit])
        times = random.multinomial(self.n, self.size / self.n, size)
        tables = (self.size @ each, (times @ each).T)
        whole, drawn = (ConfusionMatrix(**dict(zip(CELLS, four, strict=True))) for four in tables)
        return whole, drawn

    def drawn(self, swept: Sweep) -> "Drawn":
        """Return what draws samples of them, cut where a sweep of the same cases is."""
        from scipy.sparse import csr_array

        last = len(swept.thresholds) - 1
        # Thresholds fall, and the first of them, infinity or nan, calls nothing positive.
        rule = last - np.searchsorted(swept.thresholds[:0:-1], self.score, side="right")
        column = np.where(self.positive, rule, rule + last)
        amount = self.weight / self.size[self.unit]
        shape = (len(self.size), 2 * last)
        return Drawn(self, csr_array((amount, (self.unit, column)), shape=shape), last)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Samples of units: what each unit adds between two cut points, positives first."""

    units: Units
    steps: Any
    last: int

    def sample(self, size: int, random: np.random.Generator) -> ConfusionMatrix:
        """Draw as many units as there are, with replacement; return the tables at every cut."""
        alike = self.units.size
        times = random.multinomial(self.units.n, alike / self.units.n, size)
        steps = np.asarray((self.steps.T @ times.T).T, dtype=float)
        tp, fp = (
            np.concatenate((np.zeros((size, 1)), np.cumsum(part, axis=1)), axis=1)
            for part in (steps[:, : self.last], steps[:, self.last :])
        )
        return tables_above(tp, fp)
