"""How often audits and comparisons of weighted cases err: rejections at 5% where nothing differs.

Lognormal weights (σ of the logarithm, and by how much it is larger for cases predicted positive) in
a group of n cases and in a rest of 1,000; base rate 0.4, recall 0.7, false positive rate 0.2 in
both. Below, a tenth of the cases predicted positive, and a rest of n cases. Ours is
`rao_scott_test`, as `audit(weight=)` asks it; the naive test takes sums of weights, scaled to the
number of cases, as counts. With 1,000 samples the standard error is 0.7 points.

Then two equal classifiers on the same n cases, whose weights may go with how many of the two are
right: rejections by a weighted McNemar test, as `compare(weight=)` asks it, by McNemar's statistic
of sums of weights taken for counts, and per cent of 95% intervals that hold the true difference.

    python benchmarks/bench_weighted_audit.py [SAMPLES]
"""

import sys
import time

import numpy as np

from baserate import ConfusionMatrix
from baserate.groups import rao_scott_test
from baserate.inference.paired_weights import WeightedPair
from baserate.metrics import binary_metric

CELLS = ("tp", "fn", "fp", "tn")
SIZES = (20, 50, 200, 500)
WEIGHTS = ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, -1.0))
COMPARED = ("accuracy", "recall", "f1")
METRICS = ("predicted_positive_rate", "recall", "f1")
REST, LEVEL = 1000, 0.05
RATES, RARE = (0.7, 0.2), (0.1, 0.1)  # recall and false positive rate


def weighted(metric, sums, squared, n):
    """Return what is known of the difference by the sums of weights, and of their squares."""
    return WeightedPair(np.array(sums), np.array(squared), n).compared(binary_metric(metric), 0.95)


def sample(n, sigma, outcome, rng, rates=RATES):
    """Return sums of weights and of their squares, alike for the group and for the rest."""
    truth = rng.random(n) < 0.4
    found = rng.random(n) < np.where(truth, *rates)
    weight = np.exp(sigma * rng.standard_normal(n) + outcome * found)
    cell = 2 * ~truth + ~found
    return [
        ConfusionMatrix(**dict(zip(CELLS, np.bincount(cell, w, 4).tolist(), strict=True)))
        for w in (weight, weight**2)
    ]


def as_counts(table, n):
    return ConfusionMatrix(**{k: v * n / table.n for k, v in table.to_dict().items()})


def rejections(n, sigma, outcome, samples, rng):
    """Return how often both tests reject, and how often there was a test, metric by metric."""
    ours, naive, tested = np.zeros((3, len(METRICS)))
    for _ in range(samples):
        (group, squares), (rest, others) = (sample(k, sigma, outcome, rng) for k in (n, REST))
        counts = as_counts(group, n), as_counts(rest, REST)
        for i, metric in enumerate(METRICS):
            found = rao_scott_test(metric, group, rest, squared_weights=(squares, others))
            tested[i] += found.reason is None
            ours[i] += found.p_value <= LEVEL
            naive[i] += rao_scott_test(metric, *counts).p_value <= LEVEL
    return 100 * ours / tested, 100 * naive / tested


def rare(n, sigma, outcome, samples, rng):
    """Return how often the predicted positive rate is rejected where it is a tenth."""
    rejected = 0
    for _ in range(samples):
        (group, squares), (rest, others) = (sample(n, sigma, outcome, rng, RARE) for _ in "ab")
        weights = {"squared_weights": (squares, others)}
        rejected += (
            rao_scott_test("predicted_positive_rate", group, rest, **weights).p_value <= LEVEL
        )
    return 100 * rejected / samples


def decided(n, sigma, outcome, rng):
    """Return weights, and their squares, by decision of A, decision of B and class."""
    truth, hard = rng.random(n) < 0.4, rng.standard_normal(n)
    right = [0.6 * hard + 0.8 * rng.standard_normal(n) + 0.8 > 0 for _ in "ab"]
    weight = np.exp(sigma * rng.standard_normal(n) + outcome * (right[0] + right[1]) / 2)
    a, b = (truth == one for one in right)
    place = 4 * ~a + 2 * ~b + ~truth
    return [np.bincount(place, w, 8).reshape(2, 2, 2) for w in (weight, weight**2)]


def comparisons(n, sigma, outcome, samples, rng):
    """Return rejections by both tests, and intervals that hold 0, metric by metric."""
    ours, naive, held, known = np.zeros((4, len(COMPARED)))
    for _ in range(samples):
        sums, squares = decided(n, sigma, outcome, rng)
        counts = sums * n / sums.sum()
        for i, metric in enumerate(COMPARED):
            found = weighted(metric, sums, squares, n=n)
            known[i] += found.reason is None
            held[i] += found.low <= 0 <= found.high
            ours[i] += found.p_value <= LEVEL
            naive[i] += weighted(metric, counts, counts, n=n).p_value <= LEVEL
    return 100 * ours / samples, 100 * naive / samples, 100 * held / known


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng, began = np.random.default_rng(20), time.process_time()
    print(f"rejections in {samples:,} samples, %: ours (naive)")
    print("    n     σ  outcome  " + "  ".join(f"{m[:23]:>23}" for m in METRICS))
    for sigma, outcome in WEIGHTS:
        for n in SIZES:
            ours, naive = rejections(n, sigma, outcome, samples, rng)
            cells = (f"{a:.1f} ({b:.1f})" for a, b in zip(ours, naive, strict=True))
            row = "  ".join(f"{cell:>23}" for cell in cells)
            print(f"{n:5}  {sigma:4}  {outcome:7}  {row}", flush=True)
    print("a tenth predicted positive, a rest of n cases: " + "  ".join(f"n = {n}" for n in SIZES))
    for sigma, outcome in WEIGHTS:
        found = (rare(n, sigma, outcome, samples, rng) for n in SIZES)
        row = "  ".join(f"{share:5.1f}" for share in found)
        print(f"{'':5}  {sigma:4}  {outcome:7}  {row}", flush=True)
    print(
        "two equal classifiers on the same cases, rejections, %: ours (naive); intervals that hold"
    )
    print("    n     σ  outcome  " + "  ".join(f"{m:>23}" for m in COMPARED))
    for sigma, outcome in WEIGHTS:
        for n in SIZES:
            parts = zip(*comparisons(n, sigma, outcome, samples, rng), strict=True)
            cells = (f"{a:.1f} ({b:.1f}); {held:.1f}" for a, b, held in parts)
            row = "  ".join(f"{cell:>23}" for cell in cells)
            print(f"{n:5}  {sigma:4}  {outcome:7}  {row}", flush=True)
    print(f"{time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
