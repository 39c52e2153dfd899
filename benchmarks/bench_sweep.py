"""Every cut point of real scores: this library beside scikit-learn, and beside the bare sort.

Both sides run in turn in one process on one machine, so the ratios can be compared and the times
cannot. Peak memory is what NumPy and Python allocate beyond the input, as tracemalloc sees it.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from sklearn.metrics import confusion_matrix_at_thresholds, roc_curve

from baserate import metrics
from baserate.curves import average_precision, convex_hull, roc_auc, sweep
from baserate.curves.cut_points import Sweep

TEN = (
    "accuracy", "balanced_accuracy", "cohen_kappa", "f1", "geometric_mean", "jaccard", "markedness",
    "matthews_correlation", "precision", "recall",
)  # fmt: skip


def once(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - start)


def in_turn(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Return the shortest time of each, in milliseconds; they take turns."""
    rounds = [[once(function) for function in functions] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


def peak(function: Callable[[], object]) -> float:
    """Return the peak of what is allocated, in MiB."""
    tracemalloc.start()
    function()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 2**20


def columns(rows: int) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    rng = np.random.default_rng(20_261_122)
    y = rng.random(rows) < 0.3
    scores, weights = rng.random(rows) + 0.3 * y, rng.random(rows)
    return {
        "float64, distinct": (y, scores, None),
        "float64, sorted already": (y, np.sort(scores), None),
        "float32": (y, scores.astype(np.float32), None),
        "float64, 1001 values": (y, np.round(scores, 3), None),
        "int64": (y, (scores * 1e15).astype(np.int64), None),
        "float64, weights": (y, scores, weights),
    }


def same(ours: Sweep, theirs: tuple[np.ndarray, ...]) -> bool:
    fpr, recall, thresholds = theirs
    return (
        np.array_equal(ours.thresholds, thresholds)
        and np.allclose(ours.false_positives / ours.n_negative, fpr, rtol=1e-9, atol=1e-12)
        and np.allclose(ours.true_positives / ours.n_positive, recall, rtol=1e-9, atol=1e-12)
    )


def compare(rows: int, repeats: int) -> None:
    print(f"\nEvery cut point of {rows:,} scores; best of {repeats}, milliseconds, MiB")
    titles = f"{'sweep':>9}{'roc_curve':>11}{'ratio':>8}{'at_thresholds':>15}{'ratio':>8}"
    print(f"{'scores':25}{titles}{'np.sort':>10}{'over that':>11}{'MiB':>8}{'roc_curve':>11}")
    for name, (y, scores, weights) in columns(rows).items():
        sides = (
            lambda y=y, s=scores, w=weights: sweep(y, s, sample_weight=w),
            lambda y=y, s=scores, w=weights: roc_curve(
                y, s, sample_weight=w, drop_intermediate=False
            ),
            lambda y=y, s=scores, w=weights: confusion_matrix_at_thresholds(y, s, sample_weight=w),
        )
        assert same(sides[0](), sides[1]()), name
        sort = np.argsort if weights is not None else np.sort
        ours, theirs, tables, floor = in_turn(repeats, *sides, lambda s=scores, f=sort: f(s))
        memory = [peak(side) for side in sides[:2]]
        print(
            f"{name:25}{ours:9.0f}{theirs:11.0f}{theirs / ours:7.1f}x{tables:15.0f}"
            f"{tables / ours:7.1f}x{floor:10.0f}{ours / floor:10.1f}x{memory[0]:8.0f}"
            f"{memory[1]:11.0f}",
            flush=True,
        )


def after(rows: int, repeats: int) -> None:
    y, scores, _ = columns(rows)["float64, distinct"]
    s = sweep(y, scores)
    tables = s.tables
    steps = {
        "ten metrics at every cut point": lambda: [metrics.get(m)(tables) for m in TEN],
        "roc_auc with interval and test": lambda: roc_auc(s),
        "average_precision with chance": lambda: average_precision(s),
        "convex_hull": lambda: convex_hull(s),
    }
    print(f"\nAfter the sweep, {len(s.thresholds):,} cut points; milliseconds")
    for name, found in zip(steps, in_turn(repeats, *steps.values()), strict=True):
        print(f"{name:33}{found:8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    compare(arguments.rows, arguments.repeats)
    after(arguments.rows // 10, arguments.repeats)


if __name__ == "__main__":
    main()
