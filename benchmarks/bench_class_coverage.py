"""How often intervals of metrics of several classes contain the truth, in sampled tables.

One class of 1%, the others alike; every class has the same recall, and its errors go to all other
classes ("even") or to one ("one"). Each cell has a seed of its own, always the same.

The truth of kappa and of the Matthews correlation is the population's value. That of a macro
average is the population's average over the classes in which the sampled table defines the metric
(".defined"): of a class that was neither met nor called, the table says nothing. Where that class
is met by no case but called, its F1 is 0 and it counts. "macro_f1" is the population's average over
all classes, in the tables that define it in all of them; "undefined" is the share of the others.

With "ordered", of ordered classes of equal size, whose errors are one class off ("next"), nine in
ten so ("mixed"), or anywhere ("even"), by metrics to which this matters: weighted kappa, the mean
squared distance, and a mean cost of 5 a class too low and 1 a class too high.

    python benchmarks/bench_class_coverage.py [tables at n = 30] [tables at other n]
    python benchmarks/bench_class_coverage.py ordered [tables]
"""

import sys
import time
from itertools import product

import numpy as np

from baserate import ClassTable, metrics
from baserate.inference.intervals import class_intervals

BALANCED = metrics.average("recall", "macro", undefined="omit")
METRICS = {
    "macro F1.defined": metrics.class_metric("macro_f1.defined"),
    "macro F1": metrics.class_metric("macro_f1"),
    "kappa": metrics.class_metric("cohen_kappa"),
    "Matthews": metrics.class_metric("matthews_correlation"),
    "balanced acc.": BALANCED,
}
RARE = 0.01
DRAWS = 1024
WANTED = 93.5, 99.0


def population(n_classes, recall, spread):
    """Return cell probabilities: errors spread over all classes, or on the next one."""
    truth = np.full(n_classes, (1 - RARE) / (n_classes - 1))
    truth[-1] = RARE
    calls = np.full((n_classes, n_classes), (1 - recall) / (n_classes - 1))
    if spread == "one":
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


def coverage(n, n_classes, recall, spread, size):
    """Return percent covered and percent of truths above the interval by metric; and undefined."""
    cells = population(n_classes, recall, spread)
    seed = n, n_classes, round(100 * recall), len(spread)
    drawn = np.random.default_rng(seed).multinomial(n, cells.ravel(), size=size)
    tables = ClassTable(drawn.reshape(size, n_classes, n_classes))
    found = class_intervals(list(METRICS.values()), tables, n_draws=DRAWS)
    rows = []
    for metric in METRICS.values():
        one, truth = found[metric.name], truths(metric, cells, tables)
        inside, above = (truth >= one.low) & (truth <= one.high), truth > one.high
        known = ~np.isnan(one.value)
        rows.append((100 * inside[known].mean(), 100 * above[known].mean()))
    undefined = np.isnan(found["macro_f1"].value).mean()
    return rows, 100 * undefined


def ordered_population(n_classes, right, gross):
    """Return cells of ordered classes: errors one class off, but for a gross share anywhere."""
    place = np.arange(n_classes)
    apart = np.abs(np.subtract.outer(place, place))
    near, far = (apart == 1) * 1.0, (apart > 0) * 1.0
    calls = (1 - gross) * near / near.sum(1)[:, None] + gross * far / far.sum(1)[:, None]
    return (np.eye(n_classes) * right + (1 - right) * calls) / n_classes


def ordered_metrics(n_classes):
    """Return what is asked of ordered classes."""
    up = np.subtract.outer(np.arange(n_classes), np.arange(n_classes))  # decision less class
    return {
        "quadratic kappa": metrics.class_metric("quadratic_kappa"),
        "linear kappa": metrics.class_metric("linear_kappa"),
        "kappa": metrics.class_metric("cohen_kappa"),
        "mean square": metrics.class_utility(-(up**2)),
        "mean cost": metrics.class_utility(-np.where(up < 0, -5 * up, up)),
    }


def ordered(size):
    """Print coverage of metrics of ordered classes."""
    names = ordered_metrics(3)
    print(f"{'n':>5} {'K':>3} {'right':>6} {'errors':<6}" + "".join(f"{x:>19}" for x in names))
    spreads = {"next": 0.0, "mixed": 0.1, "even": 1.0}
    for n_classes, n, right, (spread, gross) in product(
        (3, 5, 12), (50, 150, 600), (0.5, 0.8, 0.95), spreads.items()
    ):
        cells, asked = ordered_population(n_classes, right, gross), ordered_metrics(n_classes)
        drawn = np.random.default_rng((n, n_classes, round(100 * right), len(spread)))
        tables = drawn.multinomial(n, cells.ravel(), size=size).reshape(size, *cells.shape)
        found = class_intervals(list(asked.values()), ClassTable(tables), n_draws=DRAWS)
        shown = ""
        for metric in asked.values():
            one, truth = found[metric.name], metric(ClassTable(cells))
            inside, above = (truth >= one.low) & (truth <= one.high), truth > one.high
            known = ~np.isnan(one.value)
            shown += f"{100 * inside[known].mean():11.1f} ({100 * above[known].mean():4.1f}) "
        print(f"{n:>5} {n_classes:>3} {right:>6} {spread:<6}{shown}", flush=True)


def main():
    if sys.argv[1:2] == ["ordered"]:
        return ordered(int((sys.argv[2:] or [600])[0]))
    sizes = [int(x) for x in sys.argv[1:]] + [2000, 1000][len(sys.argv) - 1 :]
    start, low, high = time.process_time(), {}, {}
    print(f"Coverage of 95% intervals, {sizes[0]} tables each at n = 30, {sizes[1]} at others, in")
    print("percent (truths above the interval); outside of [93.5, 99] by more than two standard")
    print("errors: *\n")
    head = "".join(f"{name:>19}" for name in METRICS)
    print(f"{'n':>5} {'K':>3} {'recall':>6} {'errors':<6}{head} {'undefined':>10}")
    for n, n_classes, recall, spread in product(
        (30, 100, 300, 1000), (3, 10), (0.5, 0.8, 0.95), ("even", "one")
    ):
        size = sizes[n > 30]
        rows, undefined = coverage(n, n_classes, recall, spread, size)
        error = 2 * np.sqrt(1e4 * 0.06 * 0.94 / size), 2 * np.sqrt(1e4 * 0.01 * 0.99 / size)
        shown = ""
        for name, (inside, above) in zip(METRICS, rows, strict=True):
            out = inside < WANTED[0] - error[0] or inside > WANTED[1] + error[1]
            shown += f"{inside:11.1f} ({above:4.1f}){'*' if out else ' '}"
            low[n, name] = min(low.get((n, name), 100), inside)
            high[n, name] = max(high.get((n, name), 0), inside)
        print(f"{n:>5} {n_classes:>3} {recall:>6} {spread:<6}{shown} {undefined:10.0f}", flush=True)
    for n in (30, 100, 300, 1000):
        ends = "".join(f"{low[n, name]:12.1f} - {high[n, name]:4.1f}" for name in METRICS)
        print(f"{n:>5} {'least - most':<17}{ends}")
    print(f"\n{time.process_time() - start:.0f} s")
    return None


if __name__ == "__main__":
    main()
