"""How often the band of the calibration curve holds the whole curve, and how wide it is.

Beside it: all n (n + 1) / 2 intervals (Dimitriadis et al. 2023), and the band most often drawn,
percentiles of the isotonic curve in bootstrap samples, score by score. Scores are uniform;
calibrated, over-confident (true logit half the stated one), or calibrated and rounded to tenths.
The error of a coverage near 95% is 0.5 points in 2000 samples, near 50% of the bootstrap's 200
samples 3.5 points. Last, the time for 10^6 distinct scores.

    python benchmarks/bench_calibration_band.py
"""

import time

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from baserate.curves import sweep
from baserate.curves.binning import calibration_bins
from baserate.curves.confidence_band import Family, calibration_band, cumulated, limits
from baserate.curves.isotonic import decomposition, isotonic_curve
from baserate.curves.miscalibration import calibration_distances, miscalibrated_regions

SAMPLES = {50: 2000, 500: 2000, 5000: 500}
PEERS = {50: 200, 500: 40, 5000: 20}
BOOTSTRAPS = 200
LEVELS = (0.8, 0.95)


def calibrated(p):
    return p


def over_confident(p):
    return expit(0.5 * logit(p))


CASES = {
    "calibrated": (calibrated, None),
    "over-confident": (over_confident, None),
    "tied": (calibrated, 1),
    "tied, over-confident": (over_confident, 1),
}


def draw(n, case, rng):
    truth, digits = CASES[case]
    p = np.clip(rng.random(n), 1e-6, 1 - 1e-6)
    p = p if digits is None else np.clip(p.round(digits), 0.01, 0.99)
    return sweep(rng.random(n) < truth(p), p, pos_label=True), truth


def holds(low, high, c):
    return bool(((low <= c) & (c <= high)).all())


def every_interval(size):
    """Return all intervals of scores, the longest first, length by length."""
    start, end = np.triu_indices(size)
    order = np.argsort(start - end, kind="stable")
    lengths = np.append(0, np.cumsum(np.arange(1, size + 1)))
    return Family(start[order], end[order] + 1, np.full(len(order), 1 / len(order)), lengths)


def bootstrap(swept, rng, level):
    """Return percentiles of the isotonic curve at each score, over resampled cases."""
    positive, negative = (side[::-1] for side in swept.by_score)
    cells, size = np.concatenate((positive, negative)), len(positive)
    curves = np.empty((BOOTSTRAPS, size))
    for row in curves:
        found = rng.multinomial(cells.sum(), cells / cells.sum())
        n = found[:size] + found[size:]
        kept = np.flatnonzero(n)
        curve = isotonic_regression(found[:size][kept] / n[kept], weights=n[kept]).x
        row[:] = np.interp(np.arange(size), kept, curve)
    return np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)


def row(n, case, level, rng):
    inside, widths, distances = [], [], []
    for _ in range(SAMPLES[n]):
        swept, truth = draw(n, case, rng)
        stated = swept.thresholds[:0:-1]
        weights, c = np.add(*swept.by_score)[::-1], truth(stated)
        band = calibration_band(swept, confidence_level=level)
        low, high = band.at(stated)
        inside.append(holds(low, high, c))
        widths.append(np.average(high - low, weights=weights))
        if not band.crosses:
            ici, true = calibration_distances(swept, band)["ici"], abs(c - stated)
            distances.append(ici.low - 1e-12 <= np.average(true, weights=weights) <= ici.high)
    return np.mean(inside), np.mean(widths), np.mean(distances)


def peers(n, case, level, rng):
    """Return coverage and width of the bootstrap, and the width of all intervals."""
    found = []
    for _ in range(PEERS[n]):
        swept, truth = draw(n, case, rng)
        stated = swept.thresholds[:0:-1]
        weights, c = np.add(*swept.by_score)[::-1], truth(stated)
        low, high = bootstrap(swept, rng, level)
        width = np.average(high - low, weights=weights)
        everything = np.nan
        if len(stated) <= 500:
            sides = (every_interval(len(stated)),) * 2
            low_all, high_all = limits(*cumulated(swept), sides, (1 - level) / 2)
            everything = np.average(high_all - low_all, weights=weights)
        found.append((holds(low, high, c), width, everything))
    return np.mean(found, axis=0)


def coverage():
    print("Share of samples (%) in which the band holds the whole curve, its mean width")
    print(f"{'n':>5} {'scores':<21} {'level':>5} {'held':>6} {'width':>6} {'ICI held':>8}"
          f" | {'bootstrap':>9} {'width':>6} | {'all intervals':>13}")  # fmt: skip
    for n in SAMPLES:
        for case in CASES:
            for level in LEVELS:
                rng = np.random.default_rng([n, int(100 * level)])
                held, width, ici = row(n, case, level, rng)
                percentile, narrow, every = peers(n, case, level, rng)
                print(
                    f"{n:>5} {case:<21} {level:>5} {100 * held:6.1f} {width:6.3f} {100 * ici:8.1f}"
                    f" | {100 * percentile:9.0f} {narrow:6.3f} | {every:13.3f}",
                    flush=True,
                )


def timing(n=10**6):
    rng = np.random.default_rng(1)
    p = rng.random(n)
    swept = sweep(rng.random(n) < over_confident(p), p)
    band = calibration_band(swept)
    tasks = {
        "isotonic curve": lambda: isotonic_curve(swept),
        "band": lambda: calibration_band(swept),
        "decomposition, Brier": lambda: decomposition(swept),
        "decomposition, log": lambda: decomposition(swept, loss="log"),
        "ICI, E50, E90, ECI": lambda: calibration_distances(swept, band),
        "regions": lambda: miscalibrated_regions(swept, band),
        "bins": lambda: calibration_bins(swept),
    }
    print(f"\nCPU seconds, {n:,} distinct scores")
    for name, task in tasks.items():
        start = time.process_time()
        task()
        print(f"{name:<22} {time.process_time() - start:.3f}")


if __name__ == "__main__":
    coverage()
    timing()
