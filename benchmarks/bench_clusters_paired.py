"""How often 95% intervals of clustered cases hold the truth, beside those of independent cases.

    python benchmarks/bench_clusters_paired.py [samples]

Clusters of unequal size (1 and more, 8 on average, coefficient of variation .8), intraclass
correlation .3. Differences of two classifiers by `difference`, areas and their differences by
`roc_auc` and `compare_auc`; clusters of both classes, and of one class each. Prints per cent of
intervals above and below the truth; of tests at a level of 5% that reject equal classifiers: by the
law of the interval, by swaps of whole clusters, by McNemar; and of samples where interval and swaps
disagree about 0, where p and interval of one law may never.
"""

import sys
import time
from math import sqrt

import numpy as np
from scipy.stats import norm

from baserate.curves import compare_auc, roc_auc
from baserate.inference import difference, mcnemar_test, paired_counts
from baserate.inference.paired import compare_paired

ICC, SIZE = 0.3, 8
FEWEST = 20  # clusters, with which areas and intervals of independent cases are compared
CONJUGATE = 1 / ICC - 1  # of Beta base rates of clusters


def sample(rng, k, *, pure):
    """Draw the cluster and the class of each case."""
    sizes = 1 + rng.negative_binomial(1.3, 1.3 / (1.3 + SIZE - 1), size=k)
    cluster = np.repeat(np.arange(k), sizes)
    if pure:
        return cluster, (rng.random(k) < 0.4)[cluster]
    rates = rng.beta(0.4 * CONJUGATE, 0.6 * CONJUGATE, size=k)
    return cluster, rng.random(len(cluster)) < rates[cluster]


def normal(rng, cluster, hard, shared=0.3):
    """Draw what is alike within clusters, and within cases of both classifiers."""
    effect = sqrt(ICC) * rng.normal(size=cluster[-1] + 1)[cluster]
    own = sqrt(shared) * hard + sqrt(1 - shared) * rng.normal(size=len(cluster))
    return effect + sqrt(1 - ICC) * own


def decided(rng, cluster, y, shifts):
    """Draw what two classifiers decide; the higher the shift, the more of it is right."""
    hard = rng.normal(size=len(y))
    right = [normal(rng, cluster, hard) + shift > 0 for shift in shifts]
    return [np.where(side, y, ~y) for side in right]


def scored(rng, cluster, y, areas):
    """Draw two scores with these areas."""
    hard = rng.normal(size=len(y))
    return [normal(rng, cluster, hard) + sqrt(2) * norm.ppf(area) * y for area in areas]


class Tally:
    """How often intervals lay above and below the truth."""

    def __init__(self):
        self.runs, self.beyond = 0, np.zeros((2, 2))

    def add(self, truth, by_clusters, alone):
        self.runs += 1
        for i, (low, high) in enumerate((by_clusters, alone)):
            self.beyond[i] += truth < low, truth > high

    def row(self):
        shares = 100 * self.beyond / self.runs
        return "  ".join(f"{100 - sum(s):5.1f} ({s[0]:.1f}/{s[1]:.1f})" for s in shares)


def differences(k, metric, runs, *, pure):
    rng, tally = np.random.default_rng(k), Tally()
    cluster, y = sample(np.random.default_rng(0), 40_000, pure=pure)
    many = decided(np.random.default_rng(1), cluster, y, (1.0, 0.6))
    truth = difference(metric, paired=paired_counts(y, *many)[None]).value
    rejected, parted = np.zeros(3), 0
    for i in range(runs):
        cluster, y = sample(rng, k, pure=pure)
        joint = paired_counts(y, *decided(rng, cluster, y, (1.0, 0.6)), cluster=cluster)
        found = difference(metric, paired=joint)
        if found.reason is None:
            alone = compare_paired(metric, joint.sum(axis=0), rng=i) if k >= FEWEST else found
            tally.add(truth, (found.low, found.high), (alone.low, alone.high))
        equal = paired_counts(y, *decided(rng, cluster, y, (0.8, 0.8)), cluster=cluster)
        same = [difference(metric, paired=equal, method=method) for method in (None, "exact")]
        both = equal.sum(axis=0)
        single = both[0, 1, 0] + both[1, 0, 1], both[1, 0, 0] + both[0, 1, 1]
        alone = mcnemar_test(*single)
        rejected += [one.p_value <= 0.05 for one in (*same, alone)]
        for one in (found, same[0]):
            assert (one.p_value <= 0.05) == (one.low > 0 or one.high < 0)
        parted += (same[0].p_value <= 0.05) != (same[1].p_value <= 0.05)
    return tally, [*rejected / runs, parted / runs]


def areas(k, pair, runs, *, pure):
    rng, one, two = np.random.default_rng(k), Tally(), Tally()
    for _ in range(runs):
        cluster, y = sample(rng, k, pure=pure)
        if y.all() or not y.any():
            continue
        a, b = scored(rng, cluster, y, pair)
        found, alone = roc_auc(y, a, cluster=cluster), roc_auc(y, a)
        if found.reason is None:
            one.add(pair[0], (found.low, found.high), (alone.low, alone.high))
        found, alone = compare_auc(y, a, b, cluster=cluster), compare_auc(y, a, b)
        if found.reason is None:
            two.add(pair[0] - pair[1], (found.low, found.high), (alone.low, alone.high))
    return one, two


def main(runs):
    start = time.perf_counter()
    print("95% intervals that hold (above/below): by clusters, as of independent cases")
    for k in (6, 10, 20, 200):
        for pure in (False, True):
            kind = "one class each" if pure else "both classes"
            for metric in ("accuracy", "recall", "balanced_accuracy"):
                found, sizes = differences(k, metric, runs, pure=pure)
                shown = " / ".join(f"{100 * r:.1f}" for r in sizes)
                print(
                    f"{k:4} {kind:15} difference of {metric:18} {found.row()}   {shown}", flush=True
                )
            for pair in ((0.7, 0.7), (0.9, 0.8)) if k >= FEWEST else ():
                one, two = areas(k, pair, runs, pure=pure)
                print(f"{k:4} {kind:15} area {pair[0]:<27} {one.row()}")
                apart = f"{pair[0]} - {pair[1]}"
                print(f"{k:4} {kind:15} difference of areas {apart:12} {two.row()}")
    print("behind differences: tests of equal classifiers by the law of the interval, by swaps of")
    print(f"clusters and by McNemar; samples where the first two disagree; {runs} samples")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
