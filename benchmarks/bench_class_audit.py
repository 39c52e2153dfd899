"""How often audits of several classes reject a true hypothesis: weighted and clustered cases.

And how often the interval of the difference, which is of the same kind, leaves out 0.

python benchmarks/bench_class_audit.py [samples]
"""

import sys

import numpy as np

from baserate.cases.arrays import read_arrays
from baserate.evaluation.audit_samples import sample_of
from baserate.groups.rao_scott import class_rao_scott
from baserate.groups.sampled_gaps import sampled_ends
from baserate.metrics import class_metric

METRICS = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation")
SHARES = [0.5, 0.3, 0.2]
CORRELATION = 0.3  # of errors within a cluster


def sample(rng, *, clusters, size, across, weights, part):
    """Return cases whose group says nothing about how they are called."""
    ward = np.repeat(np.arange(clusters), size)
    n = len(ward)
    truth = rng.choice(3, n, p=SHARES)
    a = 0.25 * (1 / CORRELATION - 1)  # beta-binomial errors, a quarter on average
    error = rng.beta(a, 3 * a, clusters)[ward] if weights is None else np.full(n, 0.25)
    wrong = rng.random(n) < error
    called = np.where(wrong, (truth + rng.integers(1, 3, n)) % 3, truth)
    group = rng.random(n) < part if across else (rng.random(clusters) < part)[ward]
    found = read_arrays(
        truth, {"m": called}, groups={"g": group * 1},
        keys={"cluster": ward} if weights is None else {},
        **({} if weights is None else {"sample_weight": np.exp(weights * rng.normal(size=n))}),
    )  # fmt: skip
    return found.classes().counted()


def main(samples=400):
    """Print the share of samples in which a metric has p <= .05, and an interval without 0."""
    designs = {
        "40 clusters of 10, groups across": (40, 10, True, None, 0.4),
        "40 clusters of 10, groups within": (40, 10, False, None, 0.4),
        "20 clusters of 20, groups across": (20, 20, True, None, 0.3),
        "20 clusters of 20, groups within": (20, 20, False, None, 0.3),
        "400 weights, sigma .5": (400, 1, True, 0.5, 0.3),
        "400 weights, sigma 1": (400, 1, True, 1.0, 0.3),
        "100 weights, sigma .5": (100, 1, True, 0.5, 0.3),
    }
    for name, (clusters, size, across, weights, part) in designs.items():
        rng = np.random.default_rng(1)
        hits, out, tested = np.zeros((3, len(METRICS)))
        for _ in range(samples):
            counted = sample(
                rng, clusters=clusters, size=size, across=across, weights=weights, part=part
            )
            if len(counted.groups) < 2:
                continue
            held = sample_of(counted, (1,))
            for k, metric in enumerate(METRICS):
                p = class_rao_scott(held, class_metric(metric), "classes").p_value
                tested[k] += not np.isnan(p)
                hits[k] += p <= 0.05
                low, high = sampled_ends(class_metric(metric), held, 0.95, held=True)
                out[k] += not low <= 0 <= high
        rates = "  ".join(
            f"{m} {100 * h / t:.1f}, {100 * o / t:.1f}"
            for m, h, o, t in zip(METRICS, hits, out, tested, strict=True)
        )
        sys.stdout.write(f"{name}: {rates} (% of {tested.min():.0f})\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
