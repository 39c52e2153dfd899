"""Decision curves: every threshold of a million cases, beside dcurves on the usual hundred.

    python benchmarks/bench_decisions.py

dcurves loops over thresholds in pandas, so it is asked for 99 of them; baserate answers at every
distinct probability.
"""

import time
import warnings

import numpy as np
import pandas as pd

from baserate.curves import brier_score, sweep
from baserate.utilities.net_benefit import GRID, net_benefit_curve

N = 1_000_000
REPEATS = 5


def best_of(function):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = function()
        times.append(time.perf_counter() - start)
    return min(times), found


def from_columns(y, p, thresholds=None):
    curve = net_benefit_curve(sweep(y, p), thresholds=thresholds)
    return curve.thresholds, curve.net_benefit, curve.treat_all


def by_dcurves(y, p):
    from dcurves import dca

    frame = pd.DataFrame({"y": y.astype(int), "p": p})
    return dca(data=frame, outcome="y", modelnames=["p"], thresholds=GRID)


def main():
    rng = np.random.default_rng(2025)
    p = rng.beta(2, 5, N)
    y = rng.random(N) < p
    full, (tau, *_) = best_of(lambda: from_columns(y, p))
    print(f"{N:,} cases, sort included, best of {REPEATS}")
    print(f"baserate, all {len(tau):,} thresholds: {full:.3f} s")
    grid, (_, mine, _) = best_of(lambda: from_columns(y, p, GRID))
    print(f"baserate, {len(GRID)} thresholds:        {grid:.3f} s")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        frame = by_dcurves(y, p)
        theirs = time.perf_counter() - start
    print(f"dcurves,  {len(GRID)} thresholds:        {theirs:.3f} s, ratio {theirs / grid:.0f}")
    gap = np.abs(frame.loc[frame.model == "p", "net_benefit"].to_numpy() - mine).max()
    print(f"largest difference of net benefits: {gap:.1e}")
    swept = sweep(y, p)
    curve = net_benefit_curve(swept)
    bands, _ = best_of(curve.band)
    print(f"exact intervals at {len(GRID)} thresholds: {bands:.3f} s")
    area, _ = best_of(lambda: brier_score(swept))
    print(f"its integral, the Brier score:   {area:.3f} s")


if __name__ == "__main__":
    main()
