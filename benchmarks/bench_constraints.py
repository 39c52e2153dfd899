"""How often the population keeps a constraint that the best cut keeps on the cases that chose it.

Scores are normal, positives `distance` higher; the cut with the best metric among those that keep
the constraint is taken. Printed are the per cent of samples whose cut keeps it in the population,
the mean probability that `thresholds` states, that of Jeffreys' posterior (which does not know that
the cut was chosen), and the per cent of 95% intervals that hold the truth.

    python benchmarks/bench_constraints.py [replicates]
"""

import sys

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta

import baserate as br
from baserate.errors import UnsupportedError
from baserate.tuning import optimal_threshold
from baserate.tuning.kept_constraints import kept
from baserate.tuning.targets import Constraint

ASKED = (
    ("recall >= 0.9", "precision"),
    ("recall >= 0.8", "f1"),
    ("specificity >= 0.9", "recall"),
    ("precision >= 0.5", "recall"),
)
SIZES = ((10, 100), (30, 100), (100, 400), (500, 2000))  # positives, negatives
DISTANCE = 1.5


def in_population(name, cut, share):
    recall, alarms = ndtr(DISTANCE - cut), ndtr(-cut)
    hits = share * recall
    return {
        "recall": recall,
        "specificity": 1 - alarms,
        "precision": hits / (hits + (1 - share) * alarms),
    }[name]


def plain(name, t):
    """Return the posterior of the share, by counts and halves."""
    sides = {"recall": (t.tp, t.fn), "specificity": (t.tn, t.fp), "precision": (t.tp, t.fp)}
    right, wrong = sides[name]
    return beta(right + 0.5, wrong + 0.5)


def main():
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rng = np.random.default_rng(1)
    print("| constraint | best | positives, negatives | kept | stated | posterior | held |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for (text, metric), (p, n) in ((a, s) for a in ASKED for s in SIZES):
        constraint, y = Constraint.of(text), np.repeat([1, 0], [p, n])
        rows = []
        for _ in range(replicates):
            swept = br.sweep(y, rng.normal(size=p + n) + DISTANCE * y)
            try:
                best = optimal_threshold(metric, swept, constraint=constraint)
            except UnsupportedError:  # no cut keeps it
                continue
            found = kept(constraint, best.table, 0.95)
            name = constraint.metric.name
            truth = in_population(name, best.threshold, p / (p + n))
            told = plain(name, best.table).sf(constraint.limit)
            rows.append((truth >= constraint.limit, found.probability, told,
                         found.low <= truth <= found.high))  # fmt: skip
        shares = " | ".join(f"{100 * x:.0f}" for x in np.mean(rows, axis=0))
        print(f"| {text} | {metric} | {p}, {n} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
