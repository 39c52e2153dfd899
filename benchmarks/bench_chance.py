"""What guessing scores and how often it does as well, beside sums over every table; CPU time.

The search knows a shape for every metric of the catalogue; the same metric without one is searched
in full. The largest p-value comes from bounds on all tails at once, or from every table.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from baserate import ConfusionMatrix, metrics
from baserate.baselines import beats_chance, dutch_draw, significance, skill
from baserate.errors import UnsupportedError

SEARCHED = (
    "yule_q",
    "yule_y",
    "gilbert_skill_score",
    "prevalence_threshold_strict",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "error_ratio",
)
SIZES = (1000, 6366, 10**4, 10**5, 10**6)
DIRECTED = [m for m in metrics.CATALOGUE if m.direction != "neither"]
WIDTH = 30


def cpu(function: Callable[[], object], repeats: int = 1) -> float | None:
    """Return the shortest of several CPU times in milliseconds; None where the call is refused."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        try:
            function()
        except UnsupportedError:
            return None
        times.append(time.process_time() - start)
    return 1000 * min(times)


def shown(milliseconds: float | None) -> str:
    return "refused" if milliseconds is None else f"{milliseconds:.2f}"


def totals(n: int) -> dict[str, int]:
    """Return class totals with the base rate of the affairs example, 2,053 of 6,366."""
    positive = n * 2053 // 6366
    return {"n_positive": positive, "n_negative": n - positive}


def compare_draws() -> None:
    print("Largest mean of a blind draw, ms: known shape / every table")
    print(f"{'metric':{WIDTH}}" + "".join(f"{n:>20,}" for n in SIZES))
    for name in SEARCHED:
        known, row = metrics.get(name), ""
        unknown = replace(known, chance_shape="unknown", undefined_multiples=None)
        for n in SIZES:
            quick, full = (
                cpu(lambda m=m, n=n: dutch_draw(m, **totals(n), goal="max"), repeats)
                for m, repeats in ((known, 5), (unknown, 1))
            )
            row += f"{shown(quick) + ' / ' + shown(full):>20}"
        print(f"{name:{WIDTH}}{row}", flush=True)


def table_of(n: int) -> ConfusionMatrix:
    sizes = totals(n)
    tp, fp = sizes["n_positive"] * 2 // 5, sizes["n_negative"] // 5
    return ConfusionMatrix(tp=tp, fn=sizes["n_positive"] - tp, fp=fp, tn=sizes["n_negative"] - fp)


def largest_p(n: int, *, few: int) -> float | None:
    """Time the largest p-values of all metrics that have a direction, one after the other."""
    kept, significance.FEW_TABLES = significance.FEW_TABLES, few
    try:
        return cpu(lambda: [beats_chance(table_of(n), metric) for metric in DIRECTED])
    finally:
        significance.FEW_TABLES = kept


def compare_p_values(most: int) -> None:
    print(f"\nLargest p-values of {len(DIRECTED)} metrics, ms: bounds / every table")
    for n in (n for n in SIZES if n <= most):
        full = largest_p(n, few=10**9) if n <= 10**4 else None
        print(f"{n:>12,}{shown(largest_p(n, few=0)):>14} / {shown(full)}", flush=True)


def small_tables(n: int) -> None:
    tables = [ConfusionMatrix(tp=3 + i % 7, fn=1 + i % 5, fp=2 + i % 4, tn=9) for i in range(n)]
    calls = len(tables) * len(metrics.CATALOGUE)
    skills = cpu(lambda: [skill(m, t) for t in tables for m in metrics.CATALOGUE])
    p_values = cpu(lambda: [beats_chance(t, m) for t in tables for m in DIRECTED])
    print(f"\n{n} small tables, ms a metric and table: skill {skills / calls:.3f}, ", end="")
    print(f"largest p-value {p_values / len(tables) / len(DIRECTED):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--p-values-up-to", type=int, default=10**5)
    arguments = parser.parse_args()
    compare_draws()
    compare_p_values(arguments.p_values_up_to)
    small_tables(200)


if __name__ == "__main__":
    main()
