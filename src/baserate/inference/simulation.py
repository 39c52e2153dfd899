"""Random tables: the bootstrap, and scrambled Sobol points turned into draws from a posterior."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._beta import betainccinv, betaincinv
from baserate._checks import generator
from baserate.cases.clusters import ClassDesign, Design
from baserate.cases.strata import drawn_again
from baserate.cases.units import strata_of
from baserate.counts import ConfusionMatrix, of_four
from baserate.errors import UnsupportedError
from baserate.inference.metric_comparison import MetricComparison
from baserate.inference.posterior import Evidence
from baserate.metrics import Metric

Draw = Callable[[Array], tuple[Array, Array]]  # points of the cube to cells of A and of B

POINTS = 2048  # of each scrambling
SEEDS = range(20_250_101, 20_250_109)  # of scramblings: a table always has the same interval
STUDENT = 5.41  # 99.9% of Student's law with 7 degrees of freedom lie within
PAIR_SCRAMBLINGS = 16
PAIR_POINTS = 4096  # of each scrambling, for a difference
AT_ONCE = 4_000_000  # clusters drawn before their tables are added up
LEFT = 1e-12  # of a cell: what rounding leaves of it
SIGMAS = 3.29  # within which 99.9% of a normal law lie
COARSE = 2  # points by which a share may be off in all scramblings alike


def bootstrap(
    metric: Metric, table: ConfusionMatrix, levels: Array, *, rng: Any, n_resamples: int
) -> tuple[Array, float]:
    """Return percentiles over multinomial resamples, and the share of undefined ones."""
    cells = np.array([float(cell) for cell in table])
    shares = cells / cells.sum() if cells.sum() else np.full(4, 0.25)
    counts = generator(rng).multinomial(int(table.n), shares, size=n_resamples)
    return _percentiles(_values(metric, counts.T.astype(np.float64)), levels, method="linear")


def bootstrap_of_clusters(
    metric: Metric, design: Design, levels: Array, *, rng: np.random.Generator, n_resamples: int
) -> tuple[Array, float, float]:
    """Return percentiles over resamples of whole clusters, their error, and the undefined share.

    The error is half the distance, of either end, between the percentiles that lie 3.29 binomial
    standard errors (99.9%) away from the one that is asked for.
    """
    step, values = max(AT_ONCE // design.n_units, 1), []
    for low in range(0, n_resamples, step):
        times, whole = redrawn(design, min(step, n_resamples - low), rng)
        cells = resummed(times @ design.tables, whole, design.total).T
        size = cells.sum(axis=0)
        scale = np.divide(design.total.sum(), size, out=np.zeros(size.shape), where=size > 0)
        values.append(_values(metric, cells * scale))
    found = np.concatenate(values)
    ends, undefined = _percentiles(found, levels, method="linear")
    off = SIGMAS * np.sqrt(levels * (1 - levels) / n_resamples)
    around = [_percentiles(found, np.clip(levels + sign * off, 0, 1))[0] for sign in (-1, 1)]
    return ends, float(np.max(around[1] - around[0])) / 2, undefined


def redrawn(
    design: Design | ClassDesign, size: int, rng: np.random.Generator
) -> tuple[NDArray[Any], float]:
    """Return how often the tables of all units, and the whole table, count in samples of clusters.

    Of strata, tables are those without each cluster: of k clusters, k - 1 are drawn, and each adds
    how far the table is from the one without it (see `drawn_again`).
    """
    m, drawn = design.n_units, len(design.units)
    if design.scale is None:
        shares = np.append(np.full(drawn, 1 / m), max(1 - drawn / m, 0.0))  # the last: no case here
        return rng.multinomial(m, shares, size=size)[:, :-1], 0.0
    times = drawn_again(m, strata_of(design.scale), size, rng) * design.scale
    return -times, 1 + float(times[0].sum())


def resummed(parts: Array, whole: float, total: Array) -> Array:
    """Add the whole table so often; what rounding leaves of an empty place is 0."""
    if not whole:
        return parts
    sums = parts + whole * total
    return np.where(sums < LEFT * whole * total, 0.0, sums)


def quasi_monte_carlo(
    metric: Metric, evidence: Evidence, levels: Array
) -> tuple[float, float, str, float, float]:
    """Return posterior quantiles, the route, their error, and the share of holes.

    The four cell probabilities come from three independent Beta variables, and these from Sobol
    points, so that the error falls nearly like 1 / points. The error is the half-width of a 99.9%
    Student interval over independent scramblings.
    """
    found = []
    for seed in SEEDS:
        points = sobol(3, POINTS, np.random.default_rng(seed))
        found.append(_percentiles(_values(metric, cells_at(evidence, points)), levels))
    ends = np.array([limits for limits, _ in found])
    low, high = ends.mean(axis=0)
    spread = ends.std(axis=0, ddof=1) / len(SEEDS) ** 0.5
    undefined = float(np.mean([share for _, share in found]))
    error = STUDENT * float(spread.max())
    return float(low), float(high), "quasi-monte-carlo", error, undefined


def values_at_points(metric: Metric, known: Evidence) -> Array:
    """Return a metric at equidistributed points of its posterior: all scramblings together."""
    points = (sobol(3, POINTS, np.random.default_rng(seed)) for seed in SEEDS)
    return np.concatenate([_values(metric, cells_at(known, one)) for one in points])


def simulated_difference(
    metric: Metric, dimension: int, draw: Draw, level: float, rng: Any
) -> MetricComparison:
    """Return interval and probabilities from several independent scramblings of Sobol points."""
    if rng is None:
        raise UnsupportedError(
            f"the posterior difference of {metric.name} has no exact route here: pass rng to "
            f"simulate it ({PAIR_SCRAMBLINGS} x {PAIR_POINTS} points, with a standard error), or "
            "choose a metric that is linear in the counts, or in recall and specificity."
        )
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    random, gaps, rows = generator(rng), [], []
    for _ in range(PAIR_SCRAMBLINGS):
        cells = draw(sobol(dimension, PAIR_POINTS, random))
        values = np.subtract(*(_values(metric, side) for side in cells))
        gap = values[~np.isnan(values)]
        if not gap.size:
            return MetricComparison(
                np.nan, np.nan, np.nan, np.nan, "quasi-monte-carlo", undefined=1.0
            )
        (low, high), undefined = _percentiles(values, tails)
        rows.append([low, high, (gap > 0).mean(), (gap < 0).mean(), undefined])
        gaps.append(gap)
    low, high, higher, lower, undefined = np.mean(rows, axis=0).tolist()
    shares = [[(gap > 0).mean(), (gap < low).mean(), (gap < high).mean()] for gap in gaps]
    # Stratified points may fall alike in every scrambling: then what a point stands for is left.
    error = float(np.std(shares, axis=0, ddof=1).max() / PAIR_SCRAMBLINGS**0.5)
    error += COARSE / PAIR_POINTS
    return MetricComparison(low, high, higher, lower, "quasi-monte-carlo", error, undefined)


def sobol(dimension: int, size: int, rng: np.random.Generator) -> Array:
    """Return scrambled Sobol points of the cube, one in each row."""
    # scipy.stats takes most of a second to import, which no other route should pay.
    qmc = import_module("scipy.stats.qmc")
    points = qmc.Sobol(dimension, scramble=True, rng=rng).random(size)
    return np.clip(points, 1e-12, 1 - 1e-12)


def cells_at(known: Evidence, points: Array) -> Array:
    """Turn points of the cube into tables: base rate, recall and false positive rate."""
    (pi, no), (r, miss), (f, rest) = (
        (betaincinv(a, b, q), betainccinv(b, a, q))
        for (a, b), q in zip(known.laws, points.T, strict=True)
    )
    return known.n * np.array([pi * r, pi * miss, no * f, no * rest])


def dirichlet(alpha: Array, points: Array) -> Array:
    """Turn points of the cube into shares, one Beta variable after the other."""
    left, shares = np.ones(len(points)), []
    for i, column in enumerate(points.T):
        rest = alpha[i + 1 :].sum()
        shares.append(left * betaincinv(alpha[i], rest, column))
        left = left * betainccinv(rest, alpha[i], column)
    return np.array([*shares, left])


def _values(metric: Metric, cells: Array) -> Array:
    return np.asarray(metric(of_four(cells)))


def _percentiles(values: Array, levels: Array, *, method: Any = "hazen") -> tuple[Array, float]:
    """Return quantiles of the defined values, and the share of the others."""
    # Each of n equidistributed points stands for the middle of its share, 1/n.
    defined = values[~np.isnan(values)]
    share = 1 - defined.size / values.size
    if not defined.size:
        return np.full(levels.shape, np.nan), share
    return np.quantile(defined, levels, method=method), share
