"""How often a gate such as `--fail-under recall=0.9@low` opens though the truth is the limit.

Enumerated, no simulation. A share of n cases: every number of hits, every n up to 1,000. F1 and
Matthews correlation: every table of n cases, under truths at which the metric is the limit.
Nominal is 2.5% (95% limits), and a gate that opens more often is none.
"""

import sys
import time

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtrc, betaincinv, gammaln

import baserate as br
from baserate import metrics
from baserate._beta import clopper_pearson
from baserate.inference import interval

LIMITS = 0.5, 0.8, 0.9, 0.95, 0.99
TAIL = 0.025


def of_a_share(limit, most):
    """Return, for either lower limit, the largest size over n, the n, and the mean over n."""
    sizes = {"Clopper-Pearson": [], "Jeffreys": []}
    for n in range(1, most + 1):
        hits = np.arange(n + 1)
        lows = {
            "Clopper-Pearson": clopper_pearson(hits, n - hits, 1 - 2 * TAIL)[0],
            "Jeffreys": betaincinv(hits + 0.5, n - hits + 0.5, TAIL),
        }
        for name, low in lows.items():
            needed = int(np.searchsorted(low >= limit, True))
            sizes[name].append(bdtrc(needed - 1, n, limit) if needed <= n else 0.0)
    return {name: (max(row), int(np.argmax(row)) + 1, np.mean(row)) for name, row in sizes.items()}


def all_tables(n):
    cells = [
        (a, b, c, n - a - b - c)
        for a in range(n + 1)
        for b in range(n + 1 - a)
        for c in range(n + 1 - a - b)
    ]
    return br.ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), np.array(cells).T, strict=True)))


def of_tables(metric, limit, n, base_rate, method):
    """Return the size where recall and specificity are equal and the metric is the limit."""

    def at(rate):
        return metric.at_rates(recall=rate, specificity=rate, base_rate=base_rate) - limit

    rate = brentq(at, 0.5, 1 - 1e-9)
    shares = np.array([base_rate * rate, base_rate * (1 - rate),
                       (1 - base_rate) * (1 - rate), (1 - base_rate) * rate])  # fmt: skip
    tables = all_tables(n)
    cells = np.array([*tables], dtype=float)
    weight = gammaln(n + 1) - gammaln(cells + 1).sum(axis=0) + np.log(shares) @ cells
    low = interval(metric, tables, method=method, confidence_level=1 - 2 * TAIL).low
    return float(np.exp(weight)[low >= limit].sum())


def main(most, sizes):
    print("a share, every n: largest size in %, at which n, mean over n")
    for limit in LIMITS:
        found = of_a_share(limit, most)
        told = (
            f"{name} {100 * a:.2f} (n = {n}) {100 * m:.2f}" for name, (a, n, m) in found.items()
        )
        print(f"  {limit:>5}: " + "; ".join(told))
    for metric, limits, methods in (
        (metrics.get("f1"), (0.6, 0.8, 0.9), ("exact", "bayes")),
        (metrics.matthews_correlation, (0.3, 0.6, 0.8), ("bayes",)),
    ):
        print(f"{metric.name}: size in %, by n and base rate, {' and '.join(methods)}")
        for limit in limits:
            cells = []
            for n in sizes:
                for base_rate in (0.5, 0.2):
                    found = [of_tables(metric, limit, n, base_rate, how) for how in methods]
                    cells.append("/".join(f"{100 * size:.2f}" for size in found))
            print(f"  {limit}: " + "  ".join(cells))


if __name__ == "__main__":
    start = time.process_time()
    quick = "--quick" in sys.argv
    main(100 if quick else 1000, (10,) if quick else (10, 20, 40))
    print(f"{time.process_time() - start:.0f} s of processor")
