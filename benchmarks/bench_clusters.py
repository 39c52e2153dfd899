"""How often intervals of cases in clusters contain the truth, and tests of guessing reject it.

Clusters have 1 to 50 cases; base rate, recall and false positive rate of each follow Beta laws
of intraclass correlation .3. Beside ours, the interval that takes cases as independent. Per cent of
95% intervals that contain the population's value, samples in which there is no interval left out
(their share is printed where there are any); and per cent of one-sided tests below 5% where
predictions know nothing but their cluster.

    python benchmarks/bench_clusters.py [SAMPLES]
"""

import sys
import time

import numpy as np

from baserate import ConfusionMatrix, beats_chance, metrics
from baserate.cases.clusters import Design
from baserate.inference import design_effect, interval
from baserate.inference.binary_intervals import design_interval
from baserate.inference.survey_design import guessing_test

METRICS = ("recall", "precision", "accuracy", "f1", "matthews_correlation", "informedness")
CELLS = ("tp", "fn", "fp", "tn")
ICC, LARGEST, RECALL, ALARMS = 0.3, 50, 0.8, 0.15


def beta_binomial(rng, n, p):
    shape = 1 / ICC - 1
    return rng.binomial(n, rng.beta(p * shape, (1 - p) * shape, size=n.shape))


def sample(rng, m, base_rate):
    """Return a table for each of m clusters."""
    n = rng.integers(1, LARGEST + 1, m)
    positive = beta_binomial(rng, n, base_rate)
    tp, fp = beta_binomial(rng, positive, RECALL), beta_binomial(rng, n - positive, ALARMS)
    return np.stack([tp, positive - tp, fp, n - positive - fp], axis=1).astype(float)


def guessed(rng, m, base_rate, alarms):
    """Return the same of predictions that know nothing but their cluster."""
    n, shape = rng.integers(1, LARGEST + 1, m), 1 / ICC - 1
    positive = beta_binomial(rng, n, base_rate)
    rate = rng.beta(alarms * shape, (1 - alarms) * shape, m)
    tp, fp = rng.binomial(positive, rate), rng.binomial(n - positive, rate)
    return np.stack([tp, positive - tp, fp, n - positive - fp], axis=1).astype(float)


def design_of(tables):
    return Design(
        total=tables.sum(axis=0), tables=tables, units=np.arange(len(tables)),
        n_units=len(tables), n_cases=int(tables.sum()),
    )  # fmt: skip


def coverage(m, base_rate, samples, rng):
    """Print one row for each metric."""
    designs = [design_of(sample(rng, m, base_rate)) for _ in range(samples)]
    whole = ConfusionMatrix(**dict(zip(CELLS, np.array([d.total for d in designs]).T, strict=True)))
    shares = {"recall": RECALL, "specificity": 1 - ALARMS, "base_rate": base_rate}
    for name in METRICS:
        metric = metrics.get(name)
        truth = metric(ConfusionMatrix.from_rates(**shares))
        plain = interval(name, whole, tolerance=1e-2)
        found = [design_interval(metric, design, 0.95) for design in designs]
        low, high = np.array([[one.low, one.high] for one in found]).T
        known = ~np.isnan(low)
        hit = ((low <= truth) & (truth <= high))[known].mean()
        naive = ((plain.low <= truth) & (truth <= plain.high))[known].mean()
        width = np.median((high - low)[known] / (plain.high - plain.low)[known])
        effect = np.nanmedian([design_effect(metric, design) for design in designs])
        none = "" if known.all() else f"   none: {100 * (1 - known.mean()):.1f}"
        print(
            f"| {m} | {base_rate} | {name} | {100 * naive:.1f} | {100 * hit:.1f} | {width:.2f} | "
            f"{effect:.1f} |{none}"
        )


def size(m, base_rate, alarms, samples, rng):
    """Print how often a test rejects guessing."""
    tables = [guessed(rng, m, base_rate, alarms) for _ in range(samples)]
    ours = np.array([guessing_test(design_of(table)) for table in tables])
    totals = (dict(zip(CELLS, map(int, t.sum(axis=0)), strict=True)) for t in tables)
    fisher = np.array([beats_chance(ConfusionMatrix(**total)).p_value for total in totals])
    share, other = (100 * np.nanmean(ours[:, i] < 0.05) for i in (0, 1))
    print(
        f"| {m} | {base_rate} | {alarms} | {100 * np.nanmean(fisher < 0.05):.1f} | {share:.1f} | "
        f"{other:.1f} |"
    )


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng, start = np.random.default_rng(2026), time.perf_counter()
    print(f"{samples} samples; a standard error is at most {50 / samples**0.5:.1f}, at 95 %")
    print(f"{100 * (0.95 * 0.05 / samples) ** 0.5:.1f}\n")
    print("| clusters | base rate | metric | independent | ours | width ratio | design effect |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    for m in (20, 200):
        for base_rate in (0.5, 0.1):
            coverage(m, base_rate, samples, rng)
    print("\n| clusters | base rate | alarms | Fisher | ours | ours, reversed |")
    print("|---:|---:|---:|---:|---:|---:|")
    for m in (5, 20, 200):
        for base_rate, alarms in ((0.5, 0.5), (0.1, 0.5), (0.1, 0.1)):
            size(m, base_rate, alarms, samples, rng)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
