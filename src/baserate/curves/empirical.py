"""A sample of scores as a population: the slopes of its ROC hull are its density ratios."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from baserate.counts import ConfusionMatrix, as_float
from baserate.curves._population import Array, log_ratio, number
from baserate.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, eq=False)
class Empirical:
    """The population in which scores have exactly the distribution of a sample.

    Its density ratio is the slope of the convex hull of the ROC curve: within a segment of the hull
    scores carry no more order than chance, so they share one ratio. The rule "ratio > δ" is a
    vertex of the hull.

    Parameters
    ----------
    sweep : Sweep
        Every cut point of the scores, from ``br.sweep(y_true, y_score)``.

    Attributes
    ----------
    vertices : ConfusionMatrix
        Tables of the vertices, from nothing to everything predicted positive.
    slopes : array
        Density ratios of the segments between them, strictly falling; inf at a vertical one.

    References
    ----------
    Provost and Fawcett (2001), Machine Learning 42:203, doi:10.1023/A:1007601015854.
    """

    sweep: Any
    vertices: ConfusionMatrix = field(init=False, repr=False)
    slopes: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tp, fp = (as_float(cell) for cell in (self.sweep.tables.tp, self.sweep.tables.fp))
        positive, negative = (float(v) for v in (self.sweep.n_positive, self.sweep.n_negative))
        if not (positive > 0 and negative > 0):
            rule, given = "must hold cases of both classes", (positive, negative)
            remedy = "collect positives and negatives"
            raise InvalidArgumentError.from_rule("sweep", rule, given, remedy)
        tp, fp = _hull(np.r_[0.0, tp, positive], np.r_[0.0, fp, negative])
        slopes = _slopes(tp, fp) * (negative / positive)
        corner = np.r_[True, slopes[1:] < slopes[:-1], True]  # collinear segments are one
        tp, fp, slopes = tp[corner], fp[corner], slopes[corner[:-1]]
        vertices = ConfusionMatrix(tp=tp, fn=positive - tp, fp=fp, tn=negative - fp)
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
        return number((cell / total)[above])


def _hull(tp: Array, fp: Array) -> tuple[Array, Array]:
    """Return the upper hull of a rising path, as pools of adjacent violators."""
    from scipy.optimize import isotonic_regression

    found, alarms = np.diff(tp), np.diff(fp)
    kept = found + alarms > 0
    size = (found + alarms)[kept]
    pools = isotonic_regression(found[kept] / size, weights=size, increasing=False).blocks
    corners = np.r_[0, np.flatnonzero(kept)[pools[1:] - 1] + 1]
    return tp[corners], fp[corners]


def _slopes(tp: Array, fp: Array) -> Array:
    found, alarms = np.diff(tp), np.diff(fp)
    flat = alarms == 0
    return np.where(flat, np.inf, found / np.where(flat, 1, alarms))
