"""Intervals from many tables: the bootstrap, and quasi-Monte-Carlo draws from the posterior."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from baserate.counts import CELLS, ConfusionMatrix
from baserate.inference._evidence import Evidence
from baserate.metrics import Metric

Array = NDArray[np.float64]

POINTS = 4096
SCRAMBLINGS = (20_250_101, 20_250_102)  # fixed seeds: the same table always has the same interval


def bootstrap(
    metric: Metric, table: ConfusionMatrix, levels: Array, *, rng: Any, n_resamples: int
) -> tuple[Array, float]:
    """Return percentiles over multinomial resamples, and the share of undefined ones."""
    cells = np.array([float(cell) for cell in table])
    shares = cells / cells.sum() if cells.sum() else np.full(4, 0.25)
    counts = np.random.default_rng(rng).multinomial(int(table.n), shares, size=n_resamples)
    return _percentiles(metric, counts.T.astype(np.float64), levels)


def quasi_monte_carlo(
    metric: Metric, evidence: Evidence, levels: Array
) -> tuple[float, float, str, float, float]:
    """Return posterior quantiles, the route, the largest difference of two scramblings, and holes.

    The four cell probabilities come from three independent Beta variables, and these from Sobol
    points, so that the error falls nearly like 1 / points.
    """
    found = [_percentiles(metric, _draw(evidence, seed), levels) for seed in SCRAMBLINGS]
    ends = np.array([limits for limits, _ in found])
    low, high = ends.mean(axis=0)
    error = float(np.max(np.abs(ends[0] - ends[1])))
    undefined = float(np.mean([share for _, share in found]))
    return float(low), float(high), "quasi-monte-carlo", error, undefined


def _draw(evidence: Evidence, seed: int) -> Array:
    # scipy.stats takes most of a second to import, which no other route should pay.
    qmc = import_module("scipy.stats.qmc")
    sobol = qmc.Sobol(3, scramble=True, rng=np.random.default_rng(seed))
    u = np.clip(sobol.random(POINTS).T, 1e-12, 1 - 1e-12)
    (pi, not_pi), (r, not_r), (f, not_f) = (
        (betaincinv(a, b, q), betainccinv(b, a, q))
        for (a, b), q in zip(evidence.laws, u, strict=True)
    )
    return evidence.n * np.array([pi * r, pi * not_r, not_pi * f, not_pi * not_f])


def _percentiles(metric: Metric, cells: Array, levels: Array) -> tuple[Array, float]:
    values = np.asarray(metric(ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))))
    defined = values[~np.isnan(values)]
    share = 1 - defined.size / values.size
    if not defined.size:
        return np.full(levels.shape, np.nan), share
    return np.quantile(defined, levels), share
