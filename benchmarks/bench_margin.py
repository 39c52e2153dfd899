"""How often a classifier that is worse by just the margin is said not to be: about 2.5% are.

    python benchmarks/bench_margin.py [SAMPLES]

The new one is right in exactly `margin` fewer of the cases of a population, on the same cases as
the old one; answers of two and of three classes, few cases and more, single or in clusters.
Per cent of samples in which `compare(..., margin=)` says "yes", and in which it says "no".
"""

import sys

import numpy as np

import baserate as br

MARGIN, RIGHT, BOTH = 0.1, 0.8, 0.65  # share right of the old one, and of both at once


def sample(rng, n, k, *, clusters):
    """Draw the truth, the answers of both, and clusters of five in which all share one fate."""
    size = 5 if clusters else 1
    shares = BOTH, RIGHT - BOTH, RIGHT - MARGIN - BOTH, 1 - 2 * RIGHT + MARGIN + BOTH
    kind = rng.choice(4, size=n // size, p=shares).repeat(size)
    truth = rng.integers(k, size=len(kind))
    wrong = (truth + 1) % k
    old, new = np.where(kind <= 1, truth, wrong), np.where(kind % 2 == 0, truth, wrong)
    return truth, {"old": old, "new": new}, np.arange(len(kind)) // size


def main(samples=200):
    print(f"{'classes':>8}{'cases':>7}{'clusters':>10}{'yes':>7}{'no':>7}")
    for k in (2, 3):
        for n, clusters in ((60, False), (300, False), (300, True)):
            rng, answers = np.random.default_rng([7, k, n, clusters]), []
            for _ in range(samples):
                truth, calls, cluster = sample(rng, n, k, clusters=clusters)
                how = {"cluster": cluster} if clusters else {}
                found = br.compare(truth, calls, metrics="accuracy", margin=MARGIN, **how)
                answers.append(found.facts.margins[0].not_worse)
            yes, no = (100 * np.mean([one == x for one in answers]) for x in ("yes", "no"))
            print(f"{k:8}{n:7}{clusters!s:>10}{yes:7.1f}{no:7.1f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
