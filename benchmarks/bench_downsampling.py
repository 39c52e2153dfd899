"""The downsampling experiment of Briscoe et al. (2025): exact sums against a million random tables.

Ten published groups, eleven distinct metrics, sizes 5 to 149, seven estimators: raw, 1e-10,
add-one, strengths 5, 10, 20, 40. The peer does what the authors' code does: draw tables, evaluate,
average the squared errors. It is timed on a few pairs of metric and size.

    PYTHONPATH=. python benchmarks/bench_downsampling.py [processes]
"""

import sys
import time

import numpy as np

from baserate import ConfusionMatrix, metrics
from baserate.groups.estimation import risks
from baserate.groups.pseudo_cases import Estimator
from baserate.models import Multinomial
from papers import small_data

DRAWS = 1_000_000
SIZES = (5, 20, 60, 149)
NAMES = ("accuracy", "recall", "f1", "matthews_correlation", "prevalence_threshold")
STRENGTHS = (5, 10, 20, 40)
GROUP = "COMPAS Black"


def estimators():
    rest = small_data.rest_of(GROUP)
    smoothing = [Estimator.toward(rest, strength=s) for s in STRENGTHS]
    return [Estimator.raw(), Estimator.epsilon(), Estimator.add_one(), *smoothing]


def simulated(name, n, rng):
    """Return the mean squared errors and their standard errors, by simulation."""
    group = small_data.GROUPS[GROUP]
    truth = metrics.get(name)(group)
    shares = np.array([float(c) for c in group]) / group.n
    tables = rng.multinomial(n, shares, size=DRAWS).T.astype(float)
    found = []
    for estimator in estimators():
        cells = tables + np.array(estimator.prior)[:, None]
        batch = ConfusionMatrix(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
        square = (metrics.get(name)(batch) - truth) ** 2
        square = square[~np.isnan(square)]
        found.append((square.mean(), square.std() / square.size**0.5))
    return np.array(found).T


def side_by_side():
    rng = np.random.default_rng(2025)
    group = small_data.GROUPS[GROUP]
    print(f"{GROUP}, seven estimators: seconds for exact errors, and for {DRAWS:,} draws")
    print(f"{'metric':<24}{'n':>5}{'exact':>10}{'draws':>10}{'ratio':>9}   largest gap in s.e.")
    for name in NAMES:
        for n in SIZES:
            start = time.perf_counter()
            exact = [r.mse for r in risks(name, Multinomial(n=n, cells=group), estimators())]
            middle = time.perf_counter()
            mean, error = simulated(name, n, rng)
            end = time.perf_counter()
            ours, theirs = middle - start, end - middle
            gap = np.max(np.abs(mean - exact) / error)
            speed = f"{ours:>10.4f}{theirs:>10.2f}{theirs / ours:>8.0f}x"
            print(f"{name:<24}{n:>5}{speed}{gap:>10.1f}")


def everything(processes):
    for replace in (True, False):
        start = time.perf_counter()
        errors = small_data.smoothing_errors(replace=replace, processes=processes)
        seconds = time.perf_counter() - start
        law = "with replacement" if replace else "without replacement"
        size = f"{processes} processes, {errors.mse.size:,} errors"
        print(f"\nAll of it, {law}, {size}: {seconds:.0f} s")
        for strength in STRENGTHS:
            found = small_data.failing_pairs(errors, strength)
            print(f"  strength {strength:>2}: worse than 1e-10 in {len(found):>2} of 150 pairs")


def main():
    side_by_side()
    everything(int(sys.argv[1]) if len(sys.argv) > 1 else 2)


if __name__ == "__main__":
    main()
