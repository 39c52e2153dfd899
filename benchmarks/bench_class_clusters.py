"""How often intervals of several classes of cases in clusters contain the truth.

Clusters have 1 to 50 cases of three classes; the shares of the classes in each cluster, and what
the cases of each class are called there, follow Dirichlet laws of intraclass correlation .3. Beside
ours, the interval that takes cases as independent (posterior, 1,000 draws; of a tenth of the
samples). Per cent of 95% intervals that contain the population's value, samples in which there is
no interval left out (their share is printed where there are any); and per cent of one-sided tests
below 5% where predictions know nothing but their cluster.

    python benchmarks/bench_class_clusters.py [SAMPLES]
"""

import sys
import time

import numpy as np

from baserate import ClassTable, metrics
from baserate.cases.clusters import ClassDesign
from baserate.inference.class_design import design_intervals
from baserate.inference.intervals import class_intervals
from baserate.inference.survey_design import guessing_test

METRICS = ("accuracy", "macro_f1", "cohen_kappa", "matthews_correlation")
ICC, LARGEST, LABELS = 0.3, 50, ("a", "b", "c")
SHARES = {"even": (0.34, 0.33, 0.33), "rare": (0.6, 0.3, 0.1)}
CALLS = np.array([[0.8, 0.15, 0.05], [0.15, 0.7, 0.15], [0.1, 0.25, 0.65]])
EVERY = 10  # of so many samples one is also taken as independent cases


def dirichlet(rng, mean, m):
    """Return m draws of shares whose intraclass correlation is ICC."""
    return rng.dirichlet(np.asarray(mean) * (1 / ICC - 1), m)


def sample(rng, m, shares, calls=CALLS):
    """Return a class table for each of m clusters; without `calls` predictions know nothing."""
    size, truth = rng.integers(1, LARGEST + 1, m), dirichlet(rng, shares, m)
    of_class = rng.multinomial(size, truth)
    if calls is None:
        blind = dirichlet(rng, shares, m)
        rows = [rng.multinomial(of_class[:, k], blind) for k in range(3)]
    else:
        rows = [rng.multinomial(of_class[:, k], dirichlet(rng, calls[k], m)) for k in range(3)]
    return np.stack(rows, axis=1).astype(float)


def design_of(tables):
    """Return the design of one table for each cluster."""
    flat = tables.reshape(len(tables), -1)
    unit, cell = np.nonzero(flat)
    return ClassDesign(
        total=tables.sum(axis=0), unit=unit, cell=cell, amount=flat[unit, cell],
        units=np.arange(len(tables)), n_units=len(tables), n_cases=int(tables.sum()),
    )  # fmt: skip


def coverage(m, shares, samples, rng):
    """Return the share of intervals that contain the truth, by metric, of either kind."""
    chosen = [metrics.class_metric(name) for name in METRICS]
    population = ClassTable(np.asarray(shares)[:, None] * CALLS, LABELS)
    truth = {metric.name: float(metric(population)) for metric in chosen}
    found = {name: {"ours": [], "independent": [], "width": [], "effect": []} for name in truth}
    for k in range(samples):
        design = design_of(sample(rng, m, shares))
        table = ClassTable(design.total.astype(int), LABELS)
        ours = design_intervals(chosen, table, design)
        plain = class_intervals(chosen, table, n_draws=1000) if k % EVERY == 0 else {}
        for name, value in truth.items():
            one, rows = ours[name], found[name]
            known = not np.isnan(one.low)
            rows["ours"].append(one.low <= value <= one.high if known else np.nan)
            rows["effect"].append(one.design_effect)
            if name in plain:
                other = plain[name]
                rows["independent"].append(other.low <= value <= other.high)
                rows["width"].append((one.high - one.low) / (other.high - other.low))
    return found


def show(m, name, shares, samples, rng):
    """Print one line for each metric."""
    for metric, rows in coverage(m, shares, samples, rng).items():
        ours = np.array(rows["ours"], dtype=float)
        lost = np.isnan(ours).mean()
        parts = (100 * np.mean(rows["independent"]), 100 * np.nanmean(ours))
        line = "".join(f"{part:14.1f}" for part in parts)
        line += f"{np.nanmedian(rows['width']):13.2f}{np.nanmedian(rows['effect']):15.1f}"
        print(f"{m:8}  {name:9}{metric:22}{line}" + (f"  none: {100 * lost:.2f}%" if lost else ""))


def rejected(m, shares, samples, rng):
    """Return how often, in per cent, the test calls what knows nothing better than guessing."""
    designs = (design_of(sample(rng, m, shares, None)) for _ in range(samples))
    return 100 * np.mean([guessing_test(design).p_value <= 0.05 for design in designs])


def main(samples=4000, seed=1):
    start = time.perf_counter()
    heads = f"{'independent':>14}{'ours':>14}{'width ratio':>13}{'median effect':>15}"
    print(f"clusters  classes  {'metric':22}{heads}")
    for m in (20, 200):
        for name, shares in SHARES.items():
            rng = np.random.default_rng([seed, m])
            show(m, name, shares, samples, rng)
            share = rejected(m, shares, samples, rng)
            print(f"{m:8}  {name:9}test against guessing rejects {share:.1f}%")
    print(f"{samples:,} samples, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
