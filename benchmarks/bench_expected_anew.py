"""What to expect of a chosen cut: our estimate beside the out-of-bag mean, against the truth.

Cases are drawn from two classes whose laws are known, the cut that is best on them is chosen, and
what this cut has in the population is computed. Printed are the means of that, and the bias of

- out of bag: the mean, over bootstrap samples, of the metric at the sample's best cut on the cases
  that the sample left out (samples where it is undefined are dropped);
- at mean rates: the metric at the mean recall and specificity of the same left-out cases;
- ours: `threshold_spread(...).corrected`.

A star marks a bias beyond two standard errors of this simulation.

    python benchmarks/bench_expected_anew.py [replicates] [family] [n,positives ...]
"""

import sys
import time
from math import sqrt

import numpy as np
from scipy.special import ndtr

from baserate import ConfusionMatrix, metrics
from baserate.curves import sweep
from baserate.tuning import optimal_threshold
from baserate.tuning.bagging import threshold_spreads

METRICS = [
    *map(metrics.get, ("f1", "kappa", "mcc", "balanced_accuracy", "accuracy")),
    metrics.net_benefit(0.1),
]
WAYS = ("out of bag", "at mean rates", "ours")
SIZES = ((50, 4), (50, 5), (200, 10), (200, 30), (1000, 10), (1000, 30))
SEPARATIONS = (0, 1, 1.5, 2)
RESAMPLES = 100


def binormal(distance):
    """Normal scores with equal deviations, as in the model world of the estimate."""
    return (
        lambda rng, n, positive: rng.normal(distance * positive, 1, n),
        lambda t, positive: ndtr(distance * positive - t),
    )


def unequal(distance):
    """Positives vary twice as much."""
    return (
        lambda rng, n, positive: rng.normal(1.6 * distance * positive, 1 + positive, n),
        lambda t, positive: ndtr((1.6 * distance * positive - t) / (1 + positive)),
    )


def mixture(distance):
    """Some positives are far above everybody, the others like the negatives."""
    share = 0.8 * ndtr(distance - 1)
    return (
        lambda rng, n, positive: rng.normal(4 * positive * (rng.random(n) < share), 1),
        lambda t, positive: (1 - share * positive) * ndtr(-t) + share * positive * ndtr(4 - t),
    )


def exponential(distance):
    """Waiting times, longer for positives: the ROC curve is a power."""
    scale = np.exp(0.9 * distance)
    return (
        lambda rng, n, positive: rng.exponential(scale if positive else 1, n),
        lambda t, positive: np.exp(-np.maximum(t, 0) / (scale if positive else 1)),
    )


FAMILIES = {f.__name__: f for f in (binormal, unequal, mixture, exponential)}


def table(recall, alarms, positives, negatives):
    return ConfusionMatrix(
        tp=positives * recall,
        fn=positives * (1 - recall),
        fp=negatives * alarms,
        tn=negatives * (1 - alarms),
    )


def left_out(swept, rng):
    """Return, per metric, the mean of out-of-bag values and the metric at their mean rates."""
    (drawn_tp, out_tp), (drawn_fp, out_fp) = (
        _drawn(reached, rng) for reached in (swept.true_positives, swept.false_positives)
    )
    drawn, out = _batch(drawn_tp, drawn_fp), _batch(out_tp, out_fp)
    both = (out_tp[:, -1] > 0) & (out_fp[:, -1] > 0)
    samples, found = np.arange(RESAMPLES), []
    for metric in METRICS:
        best = np.nan_to_num(metric(drawn), nan=-np.inf).argmax(1)
        recall = out_tp[samples, best].sum() / out_tp[:, -1].sum()
        alarms = out_fp[samples, best].sum() / out_fp[:, -1].sum()
        mean = np.nanmean(metric(out)[samples, best][both])
        found.append((mean, metric(table(recall, alarms, swept.n_positive, swept.n_negative))))
    return found


def _drawn(reached, rng):
    """Count, sample by sample, the cases of one class drawn and left out down to each threshold."""
    total = int(reached[-1])
    times = rng.multinomial(total, np.full(total, 1 / total), RESAMPLES)
    return [
        np.concatenate((np.zeros((RESAMPLES, 1)), np.cumsum(part, 1)), 1)[:, reached]
        for part in (times, times == 0)
    ]


def _batch(tp, fp):
    return ConfusionMatrix(tp=tp, fn=tp[:, -1:] - tp, fp=fp, tn=fp[:, -1:] - fp)


def once(n, positives, family, rng):
    """Return truth and estimates of one data set: an array of metrics x (truth, ways)."""
    draw, above = family
    truth = np.arange(n) < positives
    score = np.concatenate((draw(rng, positives, 1), draw(rng, n - positives, 0)))
    swept = sweep(truth, score)
    ours = threshold_spreads(METRICS, swept, rng=rng, n_resamples=RESAMPLES)
    rows = []
    for metric, mine, usual in zip(METRICS, ours, left_out(swept, rng), strict=True):
        t = optimal_threshold(metric, swept).threshold
        true = metric(table(above(t, 1), above(t, 0), positives, n - positives))
        rows.append((true, *usual, mine.corrected))
    return np.array(rows)


def report(n, positives, separation, family, replicates):
    rng = np.random.default_rng([n, positives, int(10 * separation)])
    made = family(separation)
    found = np.array([once(n, positives, made, rng) for _ in range(replicates)])
    truth, estimates = found[:, :, :1], found[:, :, 1:]
    error = estimates - truth
    bias, deviation = np.nanmean(error, 0), np.nanstd(error, 0, ddof=1) / sqrt(replicates)
    for way, name in enumerate(WAYS):
        cells = [
            f"{b:+.4f}{'*' if abs(b) > 2 * s else ''}"
            for b, s in zip(bias[:, way], deviation[:, way], strict=True)
        ]
        print(f"| {n}, {positives}, {separation} | {name} | {' | '.join(cells)} |")
    whole = " | ".join(f"{v:.3f}" for v in truth.mean((0, 2)))
    print(f"| | (population) | {whole} |")
    print(
        f"| | (standard error, ours) | {' | '.join(f'{s:.4f}' for s in deviation[:, 2])} |",
        flush=True,
    )


def main():
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    family = FAMILIES[sys.argv[2] if len(sys.argv) > 2 else "binormal"]
    sizes = [tuple(map(int, pair.split(","))) for pair in sys.argv[3:]] or SIZES
    start = time.process_time()
    print(
        f"| n, positives, separation | {family.__name__} | {' | '.join(m.name for m in METRICS)} |"
    )
    for n, positives in sizes:
        for separation in SEPARATIONS:
            report(n, positives, separation, family, replicates if n < 1000 else replicates // 2)
    print(f"\n{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
