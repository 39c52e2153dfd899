"""How often a report says that rows without a truth were left out by the alarm, and corrects that.

Rows of which 20% are positive, recall .7, false positive rate .1: all alarms of which a share was
looked up, and of the others another share. Where both shares are one, the warning errs (5% at most
are promised, Fisher's conditional test). Then the recall of the rows kept, and what the warning
says that it is of all (Begg and Greenes 1983, doi:10.2307/2530820).

    python benchmarks/bench_verification.py [SAMPLES]
"""

import sys
from math import nan

import numpy as np

import baserate as br

RECALL, FALSE_POSITIVE_RATE, BASE_RATE = 0.7, 0.1, 0.2
DESIGNS = [  # rows, share of alarms and of others with a truth
    (200, 0.5, 0.5), (1000, 0.3, 0.3), (5000, 0.1, 0.1),
    (200, 0.6, 0.5), (1000, 0.4, 0.3), (1000, 1.0, 0.3), (1000, 0.8, 0.1), (5000, 1.0, 0.02),
]  # fmt: skip


def sample(rng, n, of_alarms, of_others):
    truth = rng.random(n) < BASE_RATE
    alarm = rng.random(n) < np.where(truth, RECALL, FALSE_POSITIVE_RATE)
    known = rng.random(n) < np.where(alarm, of_alarms, of_others)
    return np.where(known, truth.astype(float), nan), alarm


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print("| rows | alarms, others with a truth | warned, % | recall of these | said of all |")
    print("|---:|---|---:|---:|---:|")
    for n, of_alarms, of_others in DESIGNS:
        rng, found = np.random.default_rng([n, int(100 * of_others)]), []
        for _ in range(samples):
            truth, alarm = sample(rng, n, of_alarms, of_others)
            fact = br.evaluate(truth, alarm, missing="drop", metrics="recall").facts.unverified
            found.append((fact.p_value <= 0.05, fact.recall, fact.corrected))
        warned, kept, corrected = np.nanmean(found, axis=0)
        shares = f"{100 * of_alarms:.0f}%, {100 * of_others:.0f}%"
        print(
            f"| {n:,} | {shares} | {100 * warned:.1f} | {kept:.3f} | {corrected:.3f} |", flush=True
        )


if __name__ == "__main__":
    main()
