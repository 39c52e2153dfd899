"""Whether the errors stated for differences of two separate tables hold: a thousand random ends.

    python benchmarks/bench_differences.py [pairs]

Tiny tables first. Each end, and P(A higher), is compared with a fine sum of our own making, whose
standard error is added. Eight scramblings tell that error poorly, so what seems worse than stated
is summed again with eight times the points. Prints what remains, the worst of it, and the time.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from baserate import ConfusionMatrix, metrics
from baserate.counts import CELLS
from baserate.inference.separate_samples import compare_separate
from oracles.difference_twins import by_sobol

SIZES = (3, 3, 3, 10, 40, 1000)  # largest cell of a pair
POINTS = 2**13  # of each scrambling of the check
UNSEEN = 1e-9  # a probability that such a sum does not see


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


def checked(metric, cells, gaps, points):
    # Counts of cases: the metric is asked at as many cases as the table has.
    sizes = [1.0, 1.0] if metric.scale_invariant else [float(row.sum()) for row in cells]

    def formula(size):
        return lambda *shares: metric.formula(*(size * share for share in shares))

    return by_sobol([formula(size) for size in sizes], *cells.tolist(), gaps, points=points)


def beyond(metric, cells, found, points):
    """Return how far each probability is beyond what is stated, and what it is off by."""
    at, errors = checked(metric, cells, (found.low, found.high, 0.0), points)
    tail = (1 - found.confidence_level) / 2
    off = at - (tail, 1 - tail, 1 - found.higher)
    return np.abs(off) - 6 * errors - found.error - UNSEEN, off


def main(number):
    worst, over, again, spent = 0.0, 0, 0, -time.process_time()
    for metric, cells, found in pairs(number):
        spent += time.process_time()
        excess, off = beyond(metric, cells, found, POINTS)
        if (excess > 0).any():
            again += 1
            excess, off = beyond(metric, cells, found, 8 * POINTS)
        worst, over = max(worst, excess.max()), over + (excess > 0).sum()
        if (excess > 0).any():
            print(metric.name, cells.tolist(), found.route, off, f"stated {found.error:.1e}")
        spent -= time.process_time()
    print(f"{over} of {3 * number} beyond what is stated, the worst by {worst:.1e}")
    print(f"{again} pairs summed again; {(spent + time.process_time()) / number:.3f} CPU s a pair")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 340)
