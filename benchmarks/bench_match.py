"""Both tails of one observed value under the law of a group: milliseconds, by metric and size.

Twice: with the reference known (multinomial), and with an uncertain reference as large as the group
(Dirichlet-multinomial). The value is that of a table a third of a standard error better than the
mean. Times include everything that one call of `tails` does; set OMP_NUM_THREADS=1 for one thread.
With --quantiles, the 0.975 quantile as well, as a multiple of the time of both tails. With --audit,
the CPU seconds of whole audits instead: of 10 to 1,000 small groups, and of 4 groups of any size.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from baserate import ConfusionMatrix, audit, metrics
from baserate.errors import UnsupportedError
from baserate.models import DirichletMultinomial, Multinomial
from baserate.questions import quantile, tails

CELLS = (0.5, 0.15, 0.1, 0.25)
SIZES = (100, 1000, 10_000, 100_000)
METRICS = (
    "accuracy", "recall", "precision", "f1", "jaccard", "marginal_benefit",
    "matthews_correlation", "cohen_kappa", "balanced_accuracy", "geometric_mean", "f2",
    "prevalence_threshold", "markedness",
)  # fmt: skip


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several times, in milliseconds; one is enough above half a second."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - start))
        if times[-1] > 500:
            break
    return min(times)


def observed(metric: metrics.Metric, n: int) -> float:
    """Return the value of a table near the mean."""
    tp, fn, fp, tn = (round(n * cell) for cell in CELLS)
    step = max(1, round(n**0.5 / 12))
    return float(metric.formula(*map(float, (tp + step, fn - step, fp - step, tn + step))))


def measured(name: str, model: object, x: float, *, repeats: int, quantiles: bool) -> str:
    try:
        both = best(lambda: tails(name, model, x), repeats)
    except UnsupportedError:
        return "refused"
    if not quantiles:
        return f"{both:.1f}"
    return f"{both:.1f} ({best(lambda: quantile(name, model, 0.975), 1) / both:.0f}x)"


def groups(count: int, least: int, most: int) -> dict[str, ConfusionMatrix]:
    """Return tables of groups of random sizes and rates."""
    rng = np.random.default_rng(7)
    found = {}
    for i in range(count):
        shares = rng.dirichlet([6, 4, 5, 20])
        cells = rng.multinomial(rng.integers(least, most + 1), shares).tolist()
        found[f"group {i}"] = ConfusionMatrix(
            **dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))
        )
    return found


def audits() -> None:
    audit(groups(2, 5, 50))
    for count, least, most in ((10, 5, 50), (100, 5, 50), (1000, 5, 50), (4, 1000, 1000),
                               (4, 10_000, 10_000), (4, 100_000, 100_000)):  # fmt: skip
        tables = groups(count, least, most)
        start = time.process_time()
        audit(tables)
        used = time.process_time() - start
        print(f"{count:>6,} groups of {least:,} to {most:,} cases, 8 metrics: {used:.2f} s CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quantiles", action="store_true")
    parser.add_argument("--audit", action="store_true")
    options = vars(parser.parse_args())
    if options.pop("audit"):
        audits()
        return
    for title, uncertain in (("reference known", False), ("reference uncertain", True)):
        print(f"{title:22}" + "".join(f"{n:>15,}" for n in SIZES))
        for name in METRICS:
            row = []
            for n in SIZES:
                model = (
                    DirichletMultinomial(n=n, concentration=[n * c + 0.5 for c in CELLS])
                    if uncertain
                    else Multinomial(n=n, cells=CELLS)
                )
                row.append(measured(name, model, observed(metrics.get(name), n), **options))
            print(f"{name:22}" + "".join(f"{cell:>15}" for cell in row), flush=True)


if __name__ == "__main__":
    main()
