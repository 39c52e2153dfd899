"""P(A - B <= d) for a metric of two independent posteriors, by sums of their own."""

from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaincinv
from scipy.stats import qmc

SCRAMBLINGS = 8


def shares(counts, points, seed):
    """Draw (tp, fn, fp, tn) from Dirichlet(counts + 1/2) by way of what was predicted."""
    tp, fn, fp, tn = (c + 0.5 for c in counts)
    u = qmc.Sobol(3, scramble=True, rng=np.random.default_rng(seed)).random(points)
    u = np.clip(u.T, 1e-14, 1 - 1e-14)
    laws = (tp + fp, fn + tn), (tp, fp), (fn, tn)
    (q, rest), (hit, alarm), (miss, right) = (
        (betaincinv(a, b, column), betaincinv(b, a, 1 - column))
        for (a, b), column in zip(laws, u, strict=True)
    )
    return q * hit, rest * miss, q * alarm, rest * right


def by_sobol(formulas, first, second, gaps, *, points=2**14):
    """Return P(A - B <= d) for each d, and its standard error over independent scramblings."""
    found = []
    for seed in range(SCRAMBLINGS):
        with np.errstate(all="ignore"):
            a = np.sort(formulas[0](*shares(first, points, 2 * seed)))
            b = formulas[1](*shares(second, points, 2 * seed + 1))
        found.append(
            [
                (np.searchsorted(a, b + d, "left") + np.searchsorted(a, b + d, "right")).mean()
                / (2 * points)
                for d in gaps
            ]
        )
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / SCRAMBLINGS**0.5


def of_beta_variables(increasing, inverse, first, second, gap):
    """P(g(X) - g(Y) <= d) for X ~ Beta(first), Y ~ Beta(second) and g rising from 0 to 1."""
    fine, coarse = (_midpoints(increasing, inverse, first, second, gap, n) for n in (4000, 2000))
    return (
        fine + (fine - coarse) / 3
    )  # the error of midpoints falls with the square of their number


def _midpoints(increasing, inverse, first, second, gap, steps):
    """Sum, over short pieces of Y, their probability times that of X at their middle.

    The pieces shrink double exponentially to where Y ends and to where X's law begins or ends.
    """
    low, high = betaincinv(*second, 1e-16), 1 - betaincinv(*second[::-1], 1e-16)
    kinks = [inverse(y) for y in (-gap, 1 - gap) if 0 < y < 1]
    edges = [low, *sorted(y for y in kinks if low < y < high), high]
    share = 1 / (1 + np.exp(-np.pi * np.sinh(np.linspace(-3.6, 3.6, 2 * steps + 1))))
    total = 0.0
    for start, end in pairwise(edges):
        y = start + (end - start) * share
        x = inverse(np.clip(increasing(y[1::2]) + gap, 0.0, 1.0))
        total += float(np.diff(betainc(*second, y[::2])) @ betainc(*first, x))
    return total
