"""Whether the errors stated for differences of two separate tables hold: a thousand random ends.

    python benchmarks/bench_differences.py [pairs]

Tiny tables first. Each end, and P(A higher), is compared with a fine sum of our own making, whose
standard error is added. Prints what is worse than stated, the worst of all, and the time.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from baserate import ConfusionMatrix, metrics
from baserate.counts import CELLS
from baserate.inference import compare_separate
from oracles.difference_twins import by_sobol

SIZES = (3, 3, 3, 10, 40, 1000)  # largest cell of a pair
POINTS = 2**13  # of each scrambling of the check


def pairs(number, seed=0):
    rng = np.random.default_rng(seed)
    names = [metric for metric in metrics.CATALOGUE if metric.proportion is None]
    while number:
        metric, size = names[rng.integers(len(names))], SIZES[number % len(SIZES)]
        cells = rng.integers(0, size + 1, (2, 4)) * (rng.random((2, 4)) < 0.8)
        if rng.random() < 0.1:
            cells[1] = cells[0]
        tables = [ConfusionMatrix(**dict(zip(CELLS, row.tolist(), strict=True))) for row in cells]
        found = compare_separate(metric, *tables, rng=1)
        if found.route != "undefined":
            number -= 1
            yield metric, cells, found


def checked(metric, cells, gaps):
    # Counts of cases: the metric is asked at as many cases as the table has.
    sizes = [1.0, 1.0] if metric.scale_invariant else [float(row.sum()) for row in cells]

    def formula(size):
        return lambda *shares: metric.formula(*(size * share for share in shares))

    return by_sobol([formula(size) for size in sizes], *cells.tolist(), gaps, points=POINTS)


def main(number):
    worst, over, spent = 0.0, 0, -time.process_time()
    for metric, cells, found in pairs(number):
        spent += time.process_time()
        at, errors = checked(metric, cells, (found.low, found.high, 0.0))
        tail = (1 - found.confidence_level) / 2
        off = at - (tail, 1 - tail, 1 - found.probability_a_higher)
        excess = np.abs(off) - 6 * errors - found.error
        worst, over = max(worst, excess.max()), over + (excess > 0).sum()
        if (excess > 0).any():
            facts = f"stated {found.error:.1e}, check {errors.max():.1e}"
            print(metric.name, cells.tolist(), found.route, off, facts, flush=True)
        spent -= time.process_time()
    print(f"{over} of {3 * number} beyond what is stated, the worst by {worst:.1e}")
    print(f"{(spent + time.process_time()) / number:.3f} CPU seconds a pair")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 340)
