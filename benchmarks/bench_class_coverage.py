"""How often intervals of metrics of several classes contain the truth, in sampled tables.

One class of 1%, the others alike; every class has the same recall, and its errors go to all other
classes or to one. The truth of a macro average is the population's average over the classes in
which the sampled table defines the metric: of a class that was neither met nor called, the table
says nothing. Where that class is met by no case but called, its F1 is 0 and it counts.

    python benchmarks/bench_class_coverage.py [tables]
"""

import sys
import time

import numpy as np

from baserate import ClassTable, metrics
from baserate.inference import class_intervals

NAMES = ("macro_f1.defined", "cohen_kappa", "matthews_correlation", "balanced_accuracy.defined")
RARE = 0.01
DRAWS = 1024


def metric_of(name):
    if name == "balanced_accuracy.defined":
        return metrics.average("recall", "macro", undefined="omit")
    return metrics.class_metric(name)


def population(n_classes, recall, spread):
    """Return cell probabilities: errors spread over all classes, or on the next one."""
    truth = np.full(n_classes, (1 - RARE) / (n_classes - 1))
    truth[-1] = RARE
    calls = np.full((n_classes, n_classes), (1 - recall) / (n_classes - 1))
    if spread == "concentrated":
        calls = (1 - recall) * np.roll(np.eye(n_classes), 1, axis=1)
    np.fill_diagonal(calls, recall)
    return truth[:, None] * calls


def truths(metric, cells, tables):
    """Return the population's value over the classes that each sampled table defines."""
    if metric.undefined_classes != "omit":
        return np.full(len(tables.counts), metric(ClassTable(cells)))
    part = metric.part(ClassTable(cells).one_vs_rest())
    kept = ~metric.part.undefined(tables.one_vs_rest())
    return np.where(kept, part, 0).sum(-1) / kept.sum(-1)


def coverage(n, n_classes, recall, spread, size, seed):
    """Return percent covered, and percent of truths above the interval, metric by metric."""
    cells = population(n_classes, recall, spread)
    drawn = np.random.default_rng(seed).multinomial(n, cells.ravel(), size=size)
    tables = ClassTable(drawn.reshape(size, n_classes, n_classes))
    found = class_intervals([metric_of(name) for name in NAMES], tables, n_draws=DRAWS)
    rows = []
    for name, one in found.items():
        truth = truths(
            metric_of(name if name != "macro_recall.defined" else NAMES[3]), cells, tables
        )
        inside, above = (truth >= one.low) & (truth <= one.high), truth > one.high
        known = ~np.isnan(one.value)
        rows.append((100 * inside[known].mean(), 100 * above[known].mean()))
    undefined = np.isnan(metrics.class_metric("macro_f1")(tables)).mean()
    return rows, 100 * undefined


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    start = time.perf_counter()
    print(f"Coverage of 95% intervals, {size} tables each, in percent (truths above the interval)")
    print(f"{'n':>5} {'K':>3} {'recall':>6} {'errors':<13}" + "".join(f"{x:>27}" for x in NAMES)
          + "   macro-F1 undefined")  # fmt: skip
    for recall in (0.8, 0.5, 0.95):
        for n in (30, 300):
            for n_classes in (3, 10):
                for spread in ("even", "concentrated"):
                    rows, undefined = coverage(
                        n, n_classes, recall, spread, size, seed=n + n_classes
                    )
                    shown = "".join(f"{a:19.1f} ({b:5.1f})" for a, b in rows)
                    print(
                        f"{n:>5} {n_classes:>3} {recall:>6} {spread:<13}{shown} {undefined:10.0f}",
                        flush=True,
                    )
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
