"""How often the intervals of average precision contain the truth.

Scores of seven laws, areas under the ROC curve from .5 to .99, few and many cases; the truth is
the value of the population at the base rate of the sample, by quadrature. Beside ours: the logit
interval of Boyd, Eng and Page (2013), with the binomial standard error of average precision.
Then heavily tied scores against the population at its own base rate, by the interval at the base
rate of the sample and by that of an unknown one. Then precision and recall of the k highest scores,
with and without ties, against the population above the same place in the list.

    python benchmarks/bench_average_precision.py [SAMPLES]
"""

import sys
import time
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from baserate.curves import average_precision, sweep, top_of_list

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 500
AREAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
SIZES = ((5, 15), (5, 45), (5, 95), (5, 495), (2, 98), (20, 480), (100, 5), (100, 400), (30, 30))
GRID = np.concatenate(
    (1 - np.linspace(1e-3, 1, 100_001)[:0:-1], 1 - np.geomspace(1e-3, 1e-9, 30_001), [1.0])
)
MIDDLE, WIDTH = (GRID[1:] + GRID[:-1]) / 2, np.diff(GRID)


class Law(NamedTuple):
    """Scores of positives and of negatives as functions of their rank in (0, 1)."""

    positive: object
    negative: object


def laws(area):
    """Return the laws whose area under the ROC curve is about this."""
    d, share, power = np.sqrt(2) * ndtri(area), 2 * area - 1, (1 - area) / area
    return {
        "normal": Law(lambda q: d + ndtri(q), ndtri),
        "positives twice as wide": Law(lambda q: np.sqrt(5 / 2) * d + 2 * ndtri(q), ndtri),
        "positives half as wide": Law(lambda q: np.sqrt(1.25 / 2) * d + ndtri(q) / 2, ndtri),
        "some positives far above": Law(
            lambda q: np.where(
                q > 1 - share, 20 + q, ndtri(np.minimum(q / (1 - share), 1 - 1e-12))
            ),
            ndtri,
        ),
        "some negatives far above": Law(lambda q: 5 + q, lambda q: np.where(q > area, 20 + q, q)),
        "six scores": Law(
            lambda q: np.clip(np.round(d + ndtri(q)), -2, 3),
            lambda q: np.clip(np.round(ndtri(q)), -2, 3),
        ),
        "Lehmann": Law(lambda q: q**power, lambda q: q),
    }


def rates(law):
    """Return recall and false positive rate at the score of each positive, and their shares."""
    up, down = law.positive(MIDDLE), np.sort(law.negative(MIDDLE))
    reached = np.concatenate(([0.0], np.cumsum(WIDTH)))
    recall = 1 - reached[np.searchsorted(np.sort(up), up)]
    return recall, 1 - reached[np.searchsorted(down, up)], WIDTH


def true_average_precision(law, pi):
    recall, fpr, width = rates(law)
    return float(width @ (pi * recall / (pi * recall + (1 - pi) * fpr)))


def boyd(found, n_positive):
    """Return the logit interval of Boyd, Eng and Page; one point where it has no width."""
    if not 0 < found.value < 1:
        return found.value, found.value
    reach = 1.959964 / np.sqrt(n_positive * found.value * (1 - found.value))
    return expit(logit(found.value) - reach), expit(logit(found.value) + reach)


def coverage(measure, law, truth, sizes, rng):
    """Return shares of intervals above and below the truth and mean widths, ours and Boyd's."""
    p, q = sizes
    y, ends = np.arange(p + q) < p, []
    for _ in range(SAMPLES):
        scores = np.append(law.positive(rng.random(p)), law.negative(rng.random(q)))
        how = {"base_rate": p / (p + q)} if measure is average_precision else {}
        found = measure(sweep(y, scores), **how)
        ends.append((found.low, found.high, *boyd(found, p)))
    low, high, low_b, high_b = np.array(ends).T
    near = 1e-9
    return [
        (float(np.mean(truth < a - near)), float(np.mean(truth > b + near)), float(np.mean(b - a)))
        for a, b in ((low, high), (low_b, high_b))
    ]


def table(title, measure, true_value, all_sizes):
    """Print, for each size, the coverage averaged over areas and the worst over laws and areas."""
    print(f"\n{title} ({SAMPLES} samples a cell)")
    for sizes in all_sizes:
        ours, theirs = [], []
        for area in AREAS:
            for name, law in laws(area).items():
                rng = np.random.default_rng([*sizes, int(1000 * area)])
                truth = true_value(law, sizes[0] / sum(sizes))
                for into, (up, down, width) in zip(
                    (ours, theirs), coverage(measure, law, truth, sizes, rng), strict=True
                ):
                    into.append((1 - up - down, f"{name}, {area}", up, down, width))
        shown = (ours, theirs) if measure is average_precision else (ours,)
        print(
            f"{sizes[0]} positives, {sizes[1]} negatives", *map(words, shown), sep=" | ", flush=True
        )


def words(cells):
    worst = min(cells)
    mean, width = np.mean([c[0] for c in cells]), np.mean([c[-1] for c in cells])
    where = f"{100 * worst[0]:.1f} ({worst[1]}: -{100 * worst[2]:.1f} +{100 * worst[3]:.1f})"
    return f"mean {100 * mean:.1f}, worst {where}, width {width:.2f}"


TIES = {
    "one score": ((1.0,), (1.0,)),
    "two, telling little": ((0.2, 0.8), (0.15, 0.85)),
    "two, telling much": ((0.9, 0.1), (0.1, 0.9)),
    "three": ((0.5, 0.3, 0.2), (0.05, 0.25, 0.7)),
    "six": ((0.3, 0.2, 0.2, 0.15, 0.1, 0.05), (0.02, 0.08, 0.1, 0.2, 0.3, 0.3)),
}


def tied(n, pi, positive, negative):
    """Return how often intervals hold at the sample's base rate and at an unknown one, and widths.

    Then how often the first holds the value at the base rate of the sample.
    """
    rng, found = np.random.default_rng([n, int(100 * pi)]), []
    place = -np.arange(len(positive))

    def value(share):
        tp, fp = np.cumsum(positive) * share, np.cumsum(negative) * (1 - share)
        return float(positive @ (tp / (tp + fp)))

    while len(found) < SAMPLES:
        p = rng.binomial(n, pi)
        if not 0 < p < n:
            continue
        parts = rng.multinomial(p, positive), rng.multinomial(n - p, negative)
        cases = sweep(np.arange(n) < p, np.concatenate([np.repeat(place, k) for k in parts]))
        known, sampled = average_precision(cases, base_rate=p / n), average_precision(cases)
        ends = [(one.low, one.high) for one in (known, sampled)]
        held = [low <= value(pi) <= high for low, high in ends]
        widths = [high - low for low, high in ends]
        found.append([*held, ends[0][0] <= value(p / n) <= ends[0][1], *widths])
    return np.mean(found, axis=0)


def top(n, pi, distance, k, decimals):
    """Return how often the limits of precision and recall hold the rule above the same place."""
    rng, held = np.random.default_rng([n, k, int(10 * distance)]), []
    for _ in range(SAMPLES):
        y = rng.random(n) < pi
        scores = rng.normal(y * distance, 1)
        if decimals is not None:
            scores = np.round(scores, decimals)
        if not y.any():
            continue
        found = top_of_list(sweep(y, scores, pos_label=True), k=k)
        cut, share = found.threshold, found.n_tied_predicted / found.n_tied
        step = 0.0 if decimals is None else 0.5 * 10.0**-decimals
        if decimals is None:  # the rule above the score next below
            below = np.sort(scores)[::-1][k] if k < n else -np.inf
            recall, fpr = ndtr(distance - below), ndtr(-below)
        else:
            (r1, f1), (r0, f0) = (
                (ndtr(distance - edge), ndtr(-edge)) for edge in (cut - step, cut + step)
            )
            recall, fpr = r0 + share * (r1 - r0), f0 + share * (f1 - f0)
        truths = pi * recall / (pi * recall + (1 - pi) * fpr), recall
        held.append(
            [
                found[m].low <= t <= found[m].high
                for m, t in zip(("precision", "recall"), truths, strict=True)
            ]
        )
    return 100 * np.mean(held, axis=0)


if __name__ == "__main__":
    started = time.process_time()
    table("Average precision", average_precision, true_average_precision, SIZES)
    print("\n| n, base rate | scores | known share held | now | at the sample's | widths |")
    print("|---|---|---:|---:|---:|---|")
    for n, pi in ((200, 0.1), (200, 0.5), (1000, 0.3), (5000, 0.05), (5000, 0.5)):
        for name, law in TIES.items():
            *held, known, sampled = tied(n, pi, *map(np.array, law))
            shares = " | ".join(f"{100 * share:.1f}" for share in held)
            print(f"| {n}, {pi} | {name} | {shares} | {known:.3f}, {sampled:.3f} |", flush=True)
    print("\nThe k highest scores: precision, recall")
    for n, pi, distance in ((50, 0.3, 1.0), (200, 0.1, 0.0), (200, 0.1, 2.5), (500, 0.02, 1.0)):
        for k in (5, 20, n // 4):
            for decimals in (None, 0):
                both = top(n, pi, distance, k, decimals)
                ties = "distinct" if decimals is None else "whole numbers"
                print(f"n {n}, base rate {pi}, d {distance}, k {k}, {ties}: {both.round(1)}")
    y = np.random.default_rng(0).random(10**6) < 0.1
    s = sweep(y, np.random.default_rng(1).normal(y * 1.5, 1))
    before = time.process_time()
    average_precision(s)
    print(f"10^6 scores: {time.process_time() - before:.3f} s of CPU")
    print(f"{time.process_time() - started:.0f} s of CPU in all")
