"""Count 10^7 labels of ten classes: this library beside scikit-learn, and beside reading them once.

Times are those of the processor, the least of several runs in one process, so that the ratios can
be compared and the times cannot. Text and many classes are counted on fewer rows, which it says.
"""

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.metrics import confusion_matrix as peer

from baserate.cases import class_table

SEED = 20_261_122


def best(function: Callable[[], object], repeats: int) -> float:
    """Return the least of several processor times, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def labels(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a truth, and predictions of which four in five are right."""
    rng = np.random.default_rng(SEED)
    truth, guess = rng.integers(0, classes, rows), rng.integers(0, classes, rows)
    return truth, np.where(rng.random(rows) < 0.8, truth, guess)


def columns(rows: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield what is counted: a name, the truth and the predictions."""
    truth, prediction = labels(rows, 10)
    for kind in ("int64", "int32", "int8"):
        yield f"10 classes, {kind}", truth.astype(kind), prediction.astype(kind)
    yield "the same, sorted by truth", np.sort(truth), prediction[np.argsort(truth, kind="stable")]
    few = slice(rows // 10)
    names = np.array([f"class{k}" for k in range(10)])
    yield "10 classes, U6", names[truth[few]], names[prediction[few]]
    own = names.astype(object)
    yield "10 classes, shared strings", own[truth[few]], own[prediction[few]]
    yield "10 classes, float64", truth[few].astype(float), prediction[few].astype(float)
    yield "1,000 classes, int64", *labels(rows // 200, 1_000)


def read(truth: np.ndarray, prediction: np.ndarray) -> int:
    """Touch every byte once, as fast as NumPy can."""
    word = np.int32 if truth.dtype.kind == "U" else np.int64
    return sum(int(np.bitwise_or.reduce(x.view(word))) for x in (truth, prediction))


def row(name: str, truth: np.ndarray, prediction: np.ndarray, peer_repeats: int) -> str:
    """Time both, once they agree."""
    assert np.array_equal(peer(truth, prediction), class_table(truth, prediction).counts)
    ours = best(lambda: class_table(truth, prediction), 5)
    theirs = best(lambda: peer(truth, prediction), peer_repeats)
    line = f"{name:28}{len(truth):>12,}{ours:10.2f}{theirs:14.1f}{theirs / ours:9.1f}x"
    if truth.dtype == object:  # the bytes of objects lie all over memory: there is no floor to read
        return line
    floor = best(lambda: read(truth, prediction), 5)
    return f"{line}{floor:12.2f}{ours / floor:11.1f}x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--peer-repeats", type=int, default=2)
    arguments = parser.parse_args()
    print("two columns of labels; least processor time of several runs, milliseconds")
    titles = f"{'baserate':>10}{'scikit-learn':>14}{'ratio':>10}{'read bytes':>12}{'over that':>12}"
    print(f"{'labels':28}{'rows':>12}{titles}")
    for name, truth, prediction in columns(arguments.rows):
        print(row(name, truth, prediction, arguments.peer_repeats), flush=True)


if __name__ == "__main__":
    main()
