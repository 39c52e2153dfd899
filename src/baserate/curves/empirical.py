"""A sample of scores as a population: the slopes of its ROC hull are its density ratios."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate.counts import ConfusionMatrix, as_float
from baserate.curves._population import Array, log_ratio, number
from baserate.curves.hull import convex_hull
from baserate.curves.sweep import Sweep


@dataclass(frozen=True, slots=True, eq=False)
class Empirical:
    """The population in which scores have exactly the distribution of a sample.

    Its density ratio is the slope of the convex hull of the ROC curve: within a segment of the hull
    scores carry no more order than chance, so they share one ratio. The rule "ratio > δ" is a
    vertex of the hull.

    Parameters
    ----------
    sweep : Sweep
        Every cut point of the scores, from ``br.sweep(y_true, y_score)``; with cases of both
        classes.

    Attributes
    ----------
    vertices : ConfusionMatrix
        Tables of the vertices, from nothing to everything predicted positive.
    slopes : array
        Density ratios of the segments between them, strictly falling; inf at a vertical one.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854.

    Examples
    --------
    >>> from baserate.curves import sweep
    >>> p = Empirical(sweep([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> p.slopes
    array([inf,  2.,  0.])
    >>> round(p.recall(2.5), 4), p.recall(1.5)
    (0.3333, 1.0)
    """

    sweep: Sweep
    vertices: ConfusionMatrix = field(init=False, repr=False)
    slopes: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        vertices = self.sweep.tables[convex_hull(self.sweep)]
        found, alarms = np.diff(as_float(vertices.tp)), np.diff(as_float(vertices.fp))
        odds = float(self.sweep.n_negative) / float(self.sweep.n_positive)
        vertical = alarms == 0
        slopes = np.where(vertical, np.inf, odds * (found / np.where(vertical, 1, alarms)))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "slopes", slopes)

    def recall(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio exceeds `ratio`."""
        return self._share(self.vertices.tp, self.vertices.n_positive, ratio)

    def miss_rate(self, ratio: Any) -> Any:
        """Return the share of positives whose density ratio is at most `ratio`."""
        return self._share(self.vertices.fn, self.vertices.n_positive, ratio)

    def false_positive_rate(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio exceeds `ratio`."""
        return self._share(self.vertices.fp, self.vertices.n_negative, ratio)

    def specificity(self, ratio: Any) -> Any:
        """Return the share of negatives whose density ratio is at most `ratio`."""
        return self._share(self.vertices.tn, self.vertices.n_negative, ratio)

    def _share(self, cell: Array, total: Array, ratio: Any) -> Any:
        log_ratio(ratio)  # refuses what is not a ratio
        above = np.searchsorted(-self.slopes, -np.asarray(ratio, dtype=float), side="left")
        return number((as_float(cell) / as_float(total))[above])
