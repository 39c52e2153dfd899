"""Coverage and size of the intervals and tests of `calibration`, where positives are few.

Logits of the scores are normal with standard deviation 1.5; P(positive | logit x) is
expit(a + b (x - m) + m), with m such that five positives are expected. Calibrated: a = 0, b = 1;
shifted: a = 0.7 (risks underestimated); over-confident: b = 0.5. Every run draws scores and
outcomes anew. O:E is judged twice: by the expected positives over the sum of the scores, given the
scores, and by the ratio in the population.

usage: bench_calibration.py [RUNS]
"""

import sys
import time
from collections import defaultdict

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

import baserate as br
from baserate.curves.poisson_binomial import PoissonBinomial

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
TRUTHS = {"calibrated": (0.0, 1.0), "shifted": (0.7, 1.0), "over-confident": (0.0, 0.5)}
SIZES = (20, 50, 200, 500)
SPREAD = 1.5
COLUMNS = (
    "O:E, given scores", "O:E, population", "intercept", "slope", "no slope",
    "exact p <= 5%", "intercept p <= 5%", "slope p <= 5%",
)  # fmt: skip


def risk(x, truth, middle):
    shift, slope = TRUTHS[truth]
    return expit(shift + slope * (x - middle) + middle)


def run(truth, n, rng):
    """Return the share of runs in which each interval covers, or each test rejects, in percent."""
    x = rng.normal(0, SPREAD, 200_000)
    middle = brentq(lambda m: risk(x + m, truth, m).mean() - 5 / n, -12, 12)
    population = risk(x + middle, truth, middle).mean() / expit(x + middle).mean()
    shift, slope = TRUTHS[truth]
    seen = defaultdict(list)
    for _ in range(RUNS):
        logits = rng.normal(middle, SPREAD, n)
        scores, risks = expit(logits), risk(logits, truth, middle)
        found = br.calibration((rng.random(n) < risks).astype(int), scores, pos_label=1)
        ratio = found.observed_expected
        seen["O:E, given scores"].append(ratio.low <= risks.sum() / scores.sum() <= ratio.high)
        seen["O:E, population"].append(ratio.low <= population <= ratio.high)
        seen["exact p <= 5%"].append(ratio.p_value <= 0.05)
        if slope == 1 and found.intercept.reason is None:
            seen["intercept"].append(found.intercept.low <= shift <= found.intercept.high)
            seen["intercept p <= 5%"].append(found.intercept.p_value <= 0.05)
        seen["no slope"].append(found.slope.reason is not None)
        if found.slope.reason is None:
            seen["slope"].append(found.slope.low <= slope <= found.slope.high)
            seen["slope p <= 5%"].append(found.slope.p_value <= 0.05)
    return {name: 100 * np.mean(values) for name, values in seen.items()}


def timed():
    """Print the CPU seconds that 10^6 scores take, sort included."""
    rng = np.random.default_rng(1)
    x = rng.normal(-1, 1.5, 10**6)
    y, scores = rng.random(10**6) < expit(0.6 * x - 0.3), expit(x)
    start = time.process_time()
    swept = br.sweep(y, scores)
    sorted_ = time.process_time()
    br.calibration(swept)
    done = time.process_time()
    law = PoissonBinomial(swept.thresholds[1:], np.ones(10**6))
    law.tails(round(law.mean + 5 * law.variance**0.5))
    exact = time.process_time() - done
    print(
        f"10^6 scores: sort {sorted_ - start:.2f} s, calibration {done - sorted_:.2f} s, of which"
    )
    print(f"the exact test {exact:.2f} s")


def main():
    rng = np.random.default_rng(2026)
    print("| truth | n |", " | ".join(COLUMNS), "|")
    print("|---|---:" + "|---:" * len(COLUMNS) + "|")
    for truth in TRUTHS:
        for n in SIZES:
            found = run(truth, n, rng)
            cells = (f"{found[name]:.1f}" if name in found else "" for name in COLUMNS)
            print(f"| {truth} | {n} |", " | ".join(cells), "|", flush=True)
    timed()


if __name__ == "__main__":
    main()
