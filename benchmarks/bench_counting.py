"""Count 10^7 labels: this library beside scikit-learn, and beside reading the bytes once.

Every row comes from one run on one machine, so the ratios can be compared and the times cannot.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.metrics import confusion_matrix as peer

from baserate.cases import confusion_matrix


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest of several times, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def columns(rows: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(20_261_121)
    truth, prediction = rng.random(rows) < 0.3, rng.random(rows) < 0.4
    shared = np.array(["no", "yes"], dtype=object)
    kinds = {
        "bool": lambda x: x,
        "int64": lambda x: x.astype(np.int64),
        "U3": lambda x: np.where(x, "yes", "no"),
        "object (shared strings)": lambda x: shared[x.astype(np.intp)],
        "object (own strings)": lambda x: np.where(x, "yes", "no").astype(object),
    }
    return {name: (make(truth), make(prediction)) for name, make in kinds.items()}


def read(truth: np.ndarray, prediction: np.ndarray) -> int:
    """Touch every byte once, as fast as NumPy can."""
    if truth.dtype == bool:
        return int(np.count_nonzero(truth) + np.count_nonzero(prediction))
    word = np.int32 if truth.dtype.kind == "U" else truth.dtype
    return sum(int(np.bitwise_or.reduce(x.view(word))) for x in (truth, prediction))


def row(name: str, truth: np.ndarray, prediction: np.ndarray, peer_repeats: int) -> str:
    positive = True if truth.dtype == bool else 1 if truth.dtype.kind == "i" else "yes"
    table = confusion_matrix(truth, prediction, pos_label=positive)
    assert peer(truth, prediction).ravel().tolist() == [table.tn, table.fp, table.fn, table.tp]
    ours = best(lambda: confusion_matrix(truth, prediction, pos_label=positive), 7)
    theirs = best(lambda: peer(truth, prediction), peer_repeats)
    line = f"{name:24}{ours:10.2f}{theirs:14.1f}{theirs / ours:9.0f}x"
    if truth.dtype == object:  # the bytes of objects lie all over memory: there is no floor to read
        return line
    floor = best(lambda: read(truth, prediction), 7)
    return f"{line}{floor:12.2f}{ours / floor:11.1f}x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--peer-repeats", type=int, default=2)
    arguments = parser.parse_args()
    print(f"{arguments.rows:,} rows, two columns of labels; best of several runs, milliseconds")
    titles = f"{'baserate':>10}{'scikit-learn':>14}{'ratio':>10}{'read bytes':>12}{'over that':>12}"
    print(f"{'labels':24}{titles}")
    for name, (truth, prediction) in columns(arguments.rows).items():
        print(row(name, truth, prediction, arguments.peer_repeats), flush=True)


if __name__ == "__main__":
    main()
