"""Intervals from many tables: the bootstrap, and quasi-Monte-Carlo draws from the posterior."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from baserate.counts import CELLS, ConfusionMatrix
from baserate.inference.evidence import Evidence
from baserate.metrics import Metric

Array = NDArray[np.float64]

POINTS = 2048  # of each scrambling
SCRAMBLINGS = range(20_250_101, 20_250_109)  # fixed seeds: a table always has the same interval
STUDENT = 5.41  # 99.9% of Student's law with 7 degrees of freedom lie within


def bootstrap(
    metric: Metric, table: ConfusionMatrix, levels: Array, *, rng: Any, n_resamples: int
) -> tuple[Array, float]:
    """Return percentiles over multinomial resamples, and the share of undefined ones."""
    cells = np.array([float(cell) for cell in table])
    shares = cells / cells.sum() if cells.sum() else np.full(4, 0.25)
    counts = np.random.default_rng(rng).multinomial(int(table.n), shares, size=n_resamples)
    return _percentiles(metric, counts.T.astype(np.float64), levels, method="linear")


def quasi_monte_carlo(
    metric: Metric, evidence: Evidence, levels: Array
) -> tuple[float, float, str, float, float]:
    """Return posterior quantiles, the route, their error, and the share of holes.

    The four cell probabilities come from three independent Beta variables, and these from Sobol
    points, so that the error falls nearly like 1 / points. The error is the half-width of a 99.9%
    Student interval over independent scramblings.
    """
    found = [_percentiles(metric, _draw(evidence, seed), levels) for seed in SCRAMBLINGS]
    ends = np.array([limits for limits, _ in found])
    low, high = ends.mean(axis=0)
    spread = ends.std(axis=0, ddof=1) / len(SCRAMBLINGS) ** 0.5
    undefined = float(np.mean([share for _, share in found]))
    error = STUDENT * float(spread.max())
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


def _percentiles(
    metric: Metric, cells: Array, levels: Array, *, method: Any = "hazen"
) -> tuple[Array, float]:
    # Each of n equidistributed points stands for the middle of its share, 1/n.
    values = np.asarray(metric(ConfusionMatrix(**dict(zip(CELLS, cells, strict=True)))))
    defined = values[~np.isnan(values)]
    share = 1 - defined.size / values.size
    if not defined.size:
        return np.full(levels.shape, np.nan), share
    return np.quantile(defined, levels, method=method), share
