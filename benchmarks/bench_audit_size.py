"""How often the test of an audit errs, and how often it sees what it says it would see: exact sums.

The size of the two-sided test of a rate, over all pairs of counts, at the worst of 99 rates (0.01
to 0.99), at levels from 5% down to what a hundred comparisons leave of it: with the reference taken
as an uncertain sample (`match_test`), and with all cases dealt out anew (`audit`). Then how often a
difference that "would have been seen" is seen, when group and reference are both drawn.
Nothing of the library is used in the sums of sizes: SciPy's laws alone.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom, binom

from baserate import ConfusionMatrix, metrics
from baserate.groups.null import Null
from baserate.groups.power import smallest_of
from baserate.groups.trials import MetricTrial, trial_of

Array = NDArray[np.float64]
SIZES = (5, 10, 20, 30, 50, 100, 200, 500, 1000)
RATES = np.arange(1, 100) / 100
LEVELS = (0.05, 0.005, 0.0005)
SHOWN = ((100, 100, 0.7), (300, 60, 0.7), (60, 300, 0.7), (50, 50, 0.5), (500, 50, 0.5),
         (1000, 100, 0.3), (200, 1000, 0.9), (20, 4000, 0.7))  # fmt: skip


def p_values(n: int, m: int, law: str) -> Array:
    """Return the p-value of x of n beside y of m: a row for every y."""
    x, found = np.arange(n + 1), np.empty((m + 1, n + 1))
    for y in range(m + 1):
        if law == "uncertain":
            pmf = betabinom.pmf(x, n, y + 0.5, m - y + 0.5)
            below, above = np.cumsum(pmf), np.cumsum(pmf[::-1])[::-1]
        else:  # Fisher's tails as beta-binomial ones (Altham 1969)
            pmf = betabinom.pmf(x, n, y, m - y + 1) if y else np.eye(1, n + 1)[0]
            below = np.cumsum(pmf)
            pmf = betabinom.pmf(x, n, y + 1, m - y) if y < m else np.eye(1, n + 1, n)[0]
            above = np.cumsum(pmf[::-1])[::-1]
        found[y] = np.minimum(1, 2 * np.minimum(below, above))
    return found


def power(rejected: Array, rate: float, other: float) -> float:
    """Return how often a group with one rate is rejected beside a reference with another."""
    m, n = (size - 1 for size in rejected.shape)
    laws = (binom.pmf(np.arange(k + 1), k, at) for k, at in ((m, other), (n, rate)))
    reference, group = laws
    return float(reference @ rejected @ group)


def sizes(law: str, most: int) -> Iterator[tuple[int, int, list[tuple[float, float]]]]:
    """Yield the worst size at every level, and the rate where it is found, by both numbers."""
    for n in (k for k in SIZES if k <= most):
        for m in (k for k in SIZES if k <= most):
            p, worst = p_values(n, m, law), []
            for level in LEVELS:
                rejected = (p <= level * (1 + 1e-9)).astype(float)
                worst.append(max((power(rejected, r, r), float(r)) for r in RATES))
            yield n, m, worst


def seen() -> None:
    """Print how often what would be seen is seen, by the test of an audit."""
    recall = metrics.get("recall")
    for n, m, rate in SHOWN:
        rejected = (p_values(n, m, "dealt") <= 0.05 * (1 + 1e-9)).astype(float)
        found = round(rate * m)
        group = ConfusionMatrix(tp=n, fn=0, fp=0, tn=1)
        rest = ConfusionMatrix(tp=found, fn=m - found, fp=0, tn=1)
        null = Null.of(group, rest, uncertain=True, law="permutation")
        gap = smallest_of(
            trial_of(MetricTrial(recall, "auto", uncertain=True), null), recall, 0.05, 0.8
        )
        ways = [(gap.below, -1), (gap.above, 1)]
        told = [f"{g:.3f} seen {power(rejected, rate + s * g, rate):.3f}" for g, s in ways if g > 0]
        print(f"{n:>6} beside {m:<5} at {rate}: {', '.join(told)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1000, help="largest group and reference")
    most = parser.parse_args().most
    for law in ("uncertain", "dealt"):
        found = list(sizes(law, most))
        print(f"{law}: worst size at {', '.join(map(str, LEVELS))}")
        for at, level in enumerate(LEVELS):
            (size, rate), n, m = max((worst[at], n, m) for n, m, worst in found)
            print(f"  {level}: {size:.5f} ({n} beside {m}, rate {rate})")
        for n, m, worst in found:
            if law == "uncertain" and worst[0][0] > 0.05:
                print(f"    above 5%: {n} beside {m}: {worst[0][0]:.4f} at {worst[0][1]}")
    seen()


if __name__ == "__main__":
    main()
