"""Best cuts of cases in clusters: what is expected of them anew, and how far they spread.

Scores and base rates of a cluster are alike. Beside whole clusters, samples of cases by themselves,
as if they were independent; the truth is the metric at the cut in 20,000 other clusters.
"""

import argparse

import numpy as np

import baserate as br
from baserate.tuning import threshold_spread

DESIGNS = (
    (20, 10, 0.3, 1.0, "f1"), (20, 10, 0.3, 1.0, "mcc"), (10, 30, 0.5, 1.0, "mcc"),
    (40, 5, 0.1, 1.5, "balanced_accuracy"), (20, 10, 0.3, 0.3, "mcc"),
)  # fmt: skip


def drawn(rng, clusters, size, alike, shift):
    """Return truth, score and cluster of cases; `alike` is the share of variance between them."""
    cluster = np.repeat(np.arange(clusters), size)
    lean, level = rng.normal(size=(2, clusters))[:, cluster] * np.sqrt(alike)
    truth = rng.random(cluster.size) < 1 / (1 + np.exp(1 - 2 * lean))
    own = np.sqrt(1 - alike) * rng.normal(size=cluster.size)
    return truth, level + own + shift * truth, cluster


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=int, nargs="?", default=300)
    given = parser.parse_args()
    rng = np.random.default_rng(5)
    print("clusters size alike shift metric: value, expected by clusters, by cases, truth | "
          "best cut of the population held by clusters, by cases")  # fmt: skip
    for clusters, size, alike, shift, name in DESIGNS:
        metric = br.metrics.get(name)
        truth, score, _ = drawn(np.random.default_rng(1), 20_000, size, alike, shift)
        population = br.sweep(truth, score)
        best = population.thresholds[int(np.nanargmax(metric(population.tables)))]
        rows = []
        for _ in range(given.samples):
            y, s, cluster = drawn(rng, clusters, size, alike, shift)
            if y.all() or not y.any():
                continue
            both = [threshold_spread(metric, y, s, rng=0, n_resamples=100, cluster=c)
                    for c in (cluster, None)]  # fmt: skip
            cut = br.optimal_threshold(metric, y, s).threshold
            there = float(metric(population.tables[int(population.rules_at(cut))]))
            held = [one.low <= best <= one.high for one in both]
            rows.append((both[0].value, *(one.corrected for one in both), there, *held))
        found = np.mean(rows, axis=0)
        print(
            clusters,
            size,
            alike,
            shift,
            f"{metric.name}:",
            *(f"{x:.3f}" for x in found[:4]),
            "|",
            *(f"{x:.0%}" for x in found[4:]),
            flush=True,
        )


if __name__ == "__main__":
    main()
