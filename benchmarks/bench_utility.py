"""Utilities: one interval for a yield and one P(A better), beside random draws.

The usual way to either number is to draw from the posterior. Both run in one process, so that the
ratios can be compared; draws are given as many as bring three digits to the probability.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from baserate import ConfusionMatrix
from baserate.inference.paired import compare_paired
from baserate.inference.sample_size import sample_size_separate
from baserate.inference.separate_samples import compare_separate
from baserate.inference.utility_posterior import (
    probability_a_better_paired,
    probability_a_better_separate,
    yield_posterior,
)

A, B = np.array([[27, 15], [23, 35]]), np.array([[43, 18], [7, 32]])
U = np.array([[15.0, -335.0], [-35.0, 165.0]])
RIGHT_ALONE = np.array([2, 18, 7, 4])
JOINT = np.array([[[25, 13], [2, 2]], [[18, 5], [5, 30]]])
DRAWS = 250_000


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several times, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def drawn_interval(rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
    yields = rng.dirichlet(counts.ravel() + 1.0, DRAWS) @ U.ravel()
    return np.quantile(yields, [0.025, 0.975])


def drawn_better(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> float:
    worth = []
    for (tp, fp), (fn, tn) in (a, b):
        recall = rng.beta(tp + 1, fn + 1, DRAWS)
        specificity = rng.beta(tn + 1, fp + 1, DRAWS)
        worth.append(50 * recall + 500 * specificity)
    return float(np.mean(worth[0] > worth[1]))


def drawn_paired(rng: np.random.Generator) -> float:
    g = rng.standard_gamma(RIGHT_ALONE + 1.0, (DRAWS, 4))
    return float(np.mean(g @ [50.0, -50.0, 500.0, -500.0] > 0))


def report(title: str, ours: Callable[[], object], theirs: Callable[[], object] | None, n: int):
    mine = best(ours, n)
    line = f"{title:52}{mine:10.2f}"
    if theirs is not None:
        other = best(theirs, max(3, n // 20))
        line += f"{other:14.1f}{other / mine:9.0f}x"
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=60)
    n = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    few = np.array([[3, 0], [1, 2]]), np.array([[0, 1], [2, 4]])
    table_a, table_b = (
        ConfusionMatrix(tp=x[0, 0], fp=x[0, 1], fn=x[1, 0], tn=x[1, 1]) for x in (A, B)
    )
    print(f"{'milliseconds':52}{'ours':>10}{'250000 draws':>14}{'ratio':>10}")
    for factor in (1, 100, 10_000):
        a, b = A * factor, B * factor
        report(
            f"95% interval of a yield, {100 * factor} cases",
            lambda a=a: yield_posterior(a, U).interval(),
            lambda a=a: drawn_interval(rng, a),
            n,
        )
        report(
            f"P(A better), separate sets, {100 * factor} cases",
            lambda a=a, b=b: probability_a_better_separate(a, b, U),
            lambda a=a, b=b: drawn_better(rng, a, b),
            n,
        )
    report(
        "P(A better), separate sets, 6 and 7 cases, prior 1/2",
        lambda: probability_a_better_separate(*few, U, prior=0.5),
        lambda: drawn_better(rng, *few),
        n,
    )
    report(
        "P(A better), separate sets, free class shares",
        lambda: probability_a_better_separate(A, B, U, class_shares="free"),
        None,
        n,
    )
    report(
        "P(A better), one test set",
        lambda: probability_a_better_paired(RIGHT_ALONE, U),
        lambda: drawn_paired(rng),
        n,
    )
    report(
        "95% interval of a yield, class shares known",
        lambda: yield_posterior(A, U, class_shares=[0.1, 0.9]).interval(),
        None,
        n,
    )
    report(
        "cases for 97.5% certainty", lambda: sample_size_separate(A, B, U), None, max(3, n // 10)
    )
    report("accuracy, one test set", lambda: compare_paired("accuracy", JOINT), None, n)
    report("F1, one test set, simulated", lambda: compare_paired("f1", JOINT, rng=1), None, 3)
    report("F1, separate sets", lambda: compare_separate("f1", table_a, table_b), None, 3)


if __name__ == "__main__":
    main()
