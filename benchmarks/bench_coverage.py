"""How often the intervals contain the truth: exact coverage, by summing over every table.

Proportions: every x of Binomial(n, p). F1, Matthews correlation and kappa: every table of 20 cases,
weighted by its multinomial probability; 50 and 200 cases by 200 sampled tables (standard error
about 1.5 points at 95 %).

    python benchmarks/bench_coverage.py
"""

import time
from math import comb

import numpy as np
from scipy.special import gammaln

from baserate import ConfusionMatrix, metrics
from baserate.inference import interval

LEVEL = 0.95
SHARES = (0.01, 0.05, 0.1, 0.3, 0.5)
SIZES = (10, 20, 50, 200, 1000)
TRUTHS = {
    "balanced, good": (0.45, 0.05, 0.10, 0.40),
    "rare positives": (0.06, 0.04, 0.10, 0.80),
    "near chance": (0.18, 0.12, 0.37, 0.33),
}
SAMPLED = 200
NEGLIGIBLE = 2e-5  # tables less likely than this are left out; their total is printed


def proportion_coverage(method, n, p):
    weights = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    inside = np.zeros(n + 1, dtype=bool)
    for x in np.flatnonzero(weights > 1e-12):
        found = interval(
            "recall", ConfusionMatrix(tp=int(x), fn=n - int(x), fp=0, tn=0), method=method
        )
        inside[x] = found.low <= p <= found.high
    return weights @ inside


def tables_of(n, cells, rng):
    """Return tables, their weights, and the probability left out."""
    if n > 20:
        return rng.multinomial(n, cells, size=SAMPLED), np.full(SAMPLED, 1 / SAMPLED), 0.0
    grid = np.array([c for c in np.ndindex(*(n + 1,) * 3) if sum(c) <= n])
    tables = np.column_stack([grid, n - grid.sum(axis=1)])
    logs = gammaln(n + 1) + (tables * np.log(cells) - gammaln(tables + 1)).sum(axis=1)
    weights = np.exp(logs)
    kept = weights > NEGLIGIBLE
    return tables[kept], weights[kept], 1 - weights[kept].sum()


def metric_coverage(name, n, cells, rng):
    metric = metrics.get(name)
    truth = metric(ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))))
    tables, weights, left_out = tables_of(n, cells, rng)
    hit = np.full(len(tables), np.nan)
    for i, row in enumerate(tables):
        table = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), row.tolist(), strict=True)))
        found = interval(metric, table, confidence_level=LEVEL)
        if not np.isnan(found.value):
            hit[i] = found.low <= truth <= found.high
    defined = ~np.isnan(hit)
    return weights[defined] @ hit[defined] / weights[defined].sum(), left_out


def main():
    start = time.perf_counter()
    print(f"Coverage of {LEVEL:.0%} intervals for a proportion (exact), in percent")
    print(f"{'n':>6} {'p':>6} {'bayes':>7} {'wilson':>7} {'exact':>7}")
    for n in SIZES:
        for p in SHARES:
            row = (proportion_coverage(method, n, p) for method in ("bayes", "wilson", "exact"))
            print(f"{n:>6} {p:>6} " + " ".join(f"{100 * share:7.1f}" for share in row))
    print('\nCoverage of method="bayes", in percent (n = 20 exact, others sampled)')
    names = ("f1", "matthews_correlation", "cohen_kappa")
    print(f"{'n':>6} {'cells':<16}" + "".join(f"{name:>22}" for name in names) + "   left out")
    rng = np.random.default_rng(2025)
    for n in (20, 50, 200):
        for label, cells in TRUTHS.items():
            found = [metric_coverage(name, n, cells, rng) for name in names]
            shares = "".join(f"{100 * share:22.1f}" for share, _ in found)
            print(f"{n:>6} {label:<16}{shares}   {found[0][1]:.1e}")
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
