"""Randomised quasi-Monte-Carlo for differences of a metric, with a stated standard error."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.inference._comparison import Found
from baserate.metrics import Metric

Array = NDArray[np.float64]
Draw = Callable[[Array], tuple[Array, Array]]  # points of the cube to cells of A and of B

SCRAMBLINGS = 16
POINTS = 4096  # of each scrambling
COARSE = 2  # points by which a share may be off in all scramblings alike


def simulate(metric: Metric, dimension: int, draw: Draw, level: float, rng: Any) -> Found:
    """Return interval and probabilities from several independent scramblings of Sobol points."""
    if rng is None:
        message = (
            f"the posterior difference of {metric.name} has no exact route here: pass rng to "
            f"simulate it ({SCRAMBLINGS} x {POINTS} points, with a standard error), or choose a "
            "metric that is linear in the counts, or in recall and specificity."
        )
        raise UnsupportedError(message)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    generator, gaps, rows = np.random.default_rng(rng), [], []
    for _ in range(SCRAMBLINGS):
        a, b = (_values(metric, cells) for cells in draw(_sobol(dimension, generator)))
        gap = (a - b)[~np.isnan(a - b)]
        if not gap.size:
            return Found(np.nan, np.nan, np.nan, np.nan, "quasi-monte-carlo", undefined=1.0)
        # Each of n equidistributed points stands for the middle of its share, 1/n.
        low, high = np.quantile(gap, tails, method="hazen")
        rows.append([low, high, (gap > 0).mean(), (gap < 0).mean(), 1 - gap.size / a.size])
        gaps.append(gap)
    low, high, higher, lower, undefined = np.mean(rows, axis=0).tolist()
    shares = [[(gap > 0).mean(), (gap < low).mean(), (gap < high).mean()] for gap in gaps]
    # Stratified points may fall alike in every scrambling: then what a point stands for is left.
    error = float(np.std(shares, axis=0, ddof=1).max() / SCRAMBLINGS**0.5) + COARSE / POINTS
    return Found(low, high, higher, lower, "quasi-monte-carlo", error, undefined)


def dirichlet(alpha: Array, u: Array) -> Array:
    """Turn points of the cube into shares, one Beta variable after the other."""
    left, shares = np.ones(len(u)), []
    for i, column in enumerate(u.T):
        part = betaincinv(alpha[i], alpha[i + 1 :].sum(), column)
        shares.append(left * part)
        left = left * betaincinv(alpha[i + 1 :].sum(), alpha[i], 1 - column)
    return np.array([*shares, left])


def _sobol(dimension: int, rng: np.random.Generator) -> Array:
    # scipy.stats takes most of a second to import, which no other route should pay.
    qmc = import_module("scipy.stats.qmc")
    points = qmc.Sobol(dimension, scramble=True, rng=rng).random(POINTS)
    return np.clip(points, 1e-12, 1 - 1e-12)


def _values(metric: Metric, cells: Array) -> Array:
    return np.asarray(metric(ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))))
