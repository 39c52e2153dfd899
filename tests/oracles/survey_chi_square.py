"""Rao and Scott's corrected chi-square in matrices, as R's survey package writes it.

Lumley (2004), Analysis of complex survey samples, Journal of Statistical Software 9(8): the design
effects are the eigenvalues of (C' D⁻¹ V₀ D⁻¹ C)⁻¹ C' D⁻¹ V D⁻¹ C, C the interaction contrasts.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats


class Found(NamedTuple):
    pearson: float
    design_effect: float
    f: float
    ndf: float
    ddf: float
    p_value: float


def survey_chi_square(clusters, sampled=1.0):
    """Return the test of independence, given counts of clusters of shape (m, rows, columns).

    `sampled` is the correction for a finite population of clusters, 1 - m/M.
    """
    m, rows, columns = clusters.shape
    flat = clusters.reshape(m, -1)
    n = flat.sum()
    shares = flat.sum(axis=0) / n
    residual = (flat - flat.sum(axis=1, keepdims=True) * shares) / n  # of ratios to the total
    apart = residual - residual.mean(axis=0)
    covariance = sampled * m / (m - 1) * apart.T @ apart
    r, c = np.divmod(np.arange(rows * columns), columns)
    main = np.stack(
        [np.ones(rows * columns), *(r == i for i in range(1, rows)),
         *(c == j for j in range(1, columns))], axis=1
    ).astype(float)  # fmt: skip
    pairs = [(r == i) & (c == j) for i in range(1, rows) for j in range(1, columns)]
    interaction = np.stack(pairs, axis=1).astype(float)
    contrasts = interaction - main @ np.linalg.lstsq(main, interaction, rcond=None)[0]
    weights = contrasts / shares[:, None]
    delta = np.linalg.solve(contrasts.T @ (weights / n), weights.T @ covariance @ weights)
    trace, squares = np.trace(delta), np.trace(delta @ delta)
    observed = clusters.sum(axis=0)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / n
    pearson = float(((observed - expected) ** 2 / expected).sum())
    ndf = float(trace**2 / squares)
    ddf = ndf * (m - 1)
    f = pearson / float(trace)
    return Found(pearson, float(trace) / len(delta), f, ndf, ddf, float(stats.f.sf(f, ndf, ddf)))
