"""How often 95% intervals of differences of two classifiers of three classes hold the truth.

    python benchmarks/bench_class_pairs.py [SAMPLES]

25 clusters of unequal size (1 and more, 8 on average), intraclass correlation .3 of what is right
and of the classes; as they are, with lognormal weights of cases (σ .6), and with such weights where
cases are independent. Beside ours, the posterior that takes cases as independent and equal. Per
cent of intervals that hold the population's difference, and of tests at a level of 5% that reject
equal classifiers; samples without an interval are left out. "Swaps" are those of whole clusters,
without interval; p and interval of ours are of one law, and never disagree about 0.
"""

import sys
import time
from math import sqrt

import numpy as np

from baserate.cases.arrays import read_arrays
from baserate.evaluation.class_contest import ClassContest
from baserate.evaluation.sampled_pairs import of_classes
from baserate.evaluation.stakes import stakes_of
from baserate.inference import difference, mcnemar_test
from baserate.inference.class_comparison import compare_classes
from baserate.inference.class_pairs import ClassPairs
from baserate.metrics import class_metric

METRICS = ("accuracy", "balanced_accuracy", "macro_f1", "matthews_correlation")
ICC, SIZE, LABELS = 0.3, 8, (0, 1, 2)
SHARES = np.array([0.5, 0.3, 0.2])
EVERY = 5  # of so many samples one is also taken as independent cases


def sample(rng, k, shifts, *, alone=False):
    """Draw the cluster and the class of each case, and what both call it."""
    sizes = 1 + rng.negative_binomial(1.3, 1.3 / (1.3 + SIZE - 1), size=k)
    cluster = np.repeat(np.arange(sizes.sum() if alone else k), 1 if alone else sizes)
    m, n = cluster[-1] + 1, len(cluster)
    mixes = rng.dirichlet(SHARES * (1 / ICC - 1), m)
    truth = (rng.random(n)[:, None] > mixes.cumsum(axis=1)[cluster]).sum(axis=1).clip(max=2)
    hard, called = rng.normal(size=n), []
    for shift in shifts:
        own = sqrt(0.3) * hard + sqrt(0.7) * rng.normal(size=n)
        ease = sqrt(ICC) * rng.normal(size=m)[cluster] + sqrt(1 - ICC) * own
        wrong = (truth + rng.choice([1, 2], size=n, p=[0.7, 0.3])) % 3
        called.append(np.where(ease + shift - 0.3 * truth > 0, truth, wrong))
    return cluster, truth, called


def known(rng, shifts):
    """Return the population's differences."""
    _, truth, (a, b) = sample(rng, 200_000, shifts)
    found = compare_classes(METRICS, ClassPairs.of_cases(truth, a, b, 3), n_draws=100)
    return [found[name].difference for name in METRICS]


def of_sample(rng, design, shifts):
    """Return what is found of one sample by each metric: interval and p-value."""
    cluster, truth, (a, b) = sample(rng, 25, shifts, alone=design == "weights")
    keys = {} if design == "weights" else {"cluster": cluster}
    weight = None if design == "clusters" else rng.lognormal(sigma=0.6, size=len(truth))
    called = {"A": a, "B": b}
    cases = read_arrays(truth, called, keys=keys, sample_weight=weight).classes(LABELS)
    pairs = of_classes(ClassContest.of_cases(cases, stakes_of(None, None), {}), 0.95)
    ours = [pairs.compared(class_metric(name), 0, 1) for name in METRICS]
    if design != "weights":
        assert all((one.p_value <= 0.05) == (one.low > 0 or one.high < 0) for one in ours)
    return [(one.low, one.high, one.p_value) for one in ours], (truth, a, b, cluster)


def swaps(truth, a, b, cluster):
    """Return the p-values of swaps of whole clusters."""
    joint = np.zeros((cluster[-1] + 1, 3, 3, 3), dtype=int)
    np.add.at(joint, (cluster, a, b, truth), 1)
    found = [difference(name, paired=joint, method="exact") for name in METRICS]
    return [(one.low, one.high, one.p_value) for one in found]


def plain(truth, a, b, _cluster):
    """Return the same of independent cases."""
    found = compare_classes(METRICS, ClassPairs.of_cases(truth, a, b, 3), n_draws=1000)
    right = truth == a, truth == b
    alone = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    p = mcnemar_test(*alone).p_value
    return [(one.low, one.high, p) for one in (found[name] for name in METRICS)]


def held(rows, truth):
    """Return per cent of intervals with the truth, and of p-values up to 5%, by metric."""
    low, high, p = np.moveaxis(np.array(rows, dtype=float), -1, 0)
    inside = np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))
    there = np.nanmean(inside, axis=0) if np.isfinite(low).any() else np.full(len(truth), np.nan)
    return 100 * there, 100 * np.nanmean(p <= 0.05, axis=0)


def main(samples=1000, seed=7):
    start = time.perf_counter()
    print(f"{'':34}" + "".join(f"{name[:14]:>16}" for name in METRICS))
    for label, shifts in (("equal", (0.9, 0.9)), ("apart", (1.3, 0.6))):
        truth = np.zeros(4) if label == "equal" else known(np.random.default_rng(seed), shifts)
        for design in ("clusters", "both", "weights"):
            rng = np.random.default_rng([seed, len(design)])
            found = [of_sample(rng, design, shifts) for _ in range(samples)]
            alone = [plain(*cases) for _, cases in found[::EVERY]]
            rows_of = {"ours": [one for one, _ in found], "independent": alone}
            if design == "clusters":
                rows_of["swaps"] = [swaps(*cases) for _, cases in found]
            for kind, rows in rows_of.items():
                inside, rejected = held(rows, truth)
                cells = "".join(f"{x:8.1f}{y:8.1f}" for x, y in zip(inside, rejected, strict=True))
                print(f"{label:8}{design:12}{kind:14}{cells}")
    print(f"{samples:,} samples, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
