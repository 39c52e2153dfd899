"""Answers of every front door and of what lies below, as bytes: the same wherever they are asked.

`python -m trust.answers PATH` prints their digests, asked by threads at once in a process that
has loaded nothing yet, or one after the other with `--serial`.
"""

import argparse
import hashlib
import io
import json
import os
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

THREADS = 10
FORMS = ("json", "html", "markdown", "table")
FEW = {"evaluate scores": ("json",), "thresholds": ("json", "html")}  # the others cost seconds
SIZE = 80  # cases
EAGER = 1e-6  # seconds between two switches of threads; Python's own choice is 5e-3
os.environ.setdefault("SOURCE_DATE_EPOCH", "0")


def digests(path: Path) -> dict[str, str]:
    """Return a digest of every answer, by its name."""
    found = {}
    for name, ask in questions(path).items():
        answer = ask()
        data = answer if isinstance(answer, bytes) else repr(answer).encode()
        found[name] = hashlib.sha256(data).hexdigest()
    return found


def raced(path: Path, size: int = THREADS) -> list[dict[str, str]]:
    """Ask in so many threads at once; the first to need a module loads it for all."""
    found: list[Any] = [None] * size
    start = threading.Barrier(size)

    def ask(i: int) -> None:
        start.wait()
        try:
            found[i] = digests(path)
        except BaseException as error:  # noqa: BLE001  counted where the digests are compared
            found[i] = {"raised": repr(error)}

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(size)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(EAGER)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(usual)
    return found


def fill(path: Path) -> None:
    """Write the cases that files are asked for."""
    columns = cases()
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))


def cases() -> dict[str, Any]:
    """Return columns of labels, scores, predictions, groups and clusters."""
    import numpy as np

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, SIZE)
    s = np.round(np.clip(y * 0.3 + rng.random(SIZE) * 0.7, 0, 1), 2)
    return {
        "y": y, "s": s, "p": (s > 0.5).astype(int), "q": rng.permutation(y),
        "g": rng.choice(["a", "b", "c"], SIZE), "c": rng.integers(0, SIZE // 4, SIZE),
        "k": rng.choice(["x", "y", "z"], SIZE), "l": rng.choice(["x", "y", "z"], SIZE),
    }  # fmt: skip


def questions(path: Path) -> dict[str, Callable[[], Any]]:
    """Return what is asked: all doors in several shapes, and a sample of what they are made of."""
    import baserate as br

    columns = cases()
    y, s = columns["y"], columns["s"]
    t = br.ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    own = br.metrics.define("own", lambda tp, fn, fp, tn: tp * tn / ((tp + fn) * (fp + tn)))
    doors = {
        "evaluate": lambda: br.evaluate(y, columns["p"], groups=columns["g"]),
        "evaluate scores": lambda: br.evaluate(y, score=s, threshold=0.5),
        "evaluate clusters": lambda: br.evaluate(y, columns["p"], cluster=columns["c"]),
        "evaluate utilities": lambda: br.evaluate(y, columns["p"], utility=[[1, -2], [-3, 2]]),
        "evaluate classes": lambda: br.evaluate(columns["k"], columns["l"]),
        "audit": lambda: br.audit(y, columns["p"], groups=columns["g"]),
        "compare": lambda: br.compare(y, {"p": columns["p"], "q": columns["q"]}, cost="fp=1,fn=3"),
        "thresholds": lambda: br.thresholds(y, s, n_resamples=20, rng=0),
    }  # fmt: skip
    if has("duckdb"):
        named = {"target": "y", "prediction": "p"}
        doors |= {
            "evaluate a file": lambda: br.evaluate(path, **named, groups="g"),
            "audit a file": lambda: br.audit(path, **named, groups="g"),
        }
    found: dict[str, Callable[[], Any]] = {
        door: partial(rendered, ask, FEW.get(door, FORMS)) for door, ask in doors.items()
    }
    found |= {
        "interval": lambda: [br.interval(m, t) for m in ("f1", "mcc", "recall", "lift")],
        "dutch draw": lambda: br.dutch_draw("f1", n_positive=13, n_negative=40),
        "match": lambda: br.match_test("f1", br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=5), t),
        "smooth": lambda: br.smooth(br.ConfusionMatrix(tp=3, fn=1, fp=2, tn=5), t),
        "bayes": lambda: br.bayes_threshold(own, br.populations.LDA(distance=2.0), base_rate=0.3),
        "chance": lambda: br.beats_chance(t, metrics=["f1", "mcc"]),
        "picture": lambda: br.roc_auc(br.sweep(y, s)),
        "svg": lambda: next(iter(doors["audit"]().displays().values())).to_svg().encode(),
    }  # fmt: skip
    if has("matplotlib"):
        found["png"] = lambda: png(doors["evaluate scores"]())
    return found


def rendered(ask: Callable[[], Any], forms: tuple[str, ...]) -> bytes:
    """Return what a door answers in several formats."""
    return "".join(map(ask().render, forms)).encode()


def png(result: Any) -> bytes:
    """Draw the first picture of a result without any state of matplotlib's."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    next(iter(result.displays().values())).plot(figure.subplots())
    held = io.BytesIO()
    figure.savefig(held, format="png", metadata={"Software": None})
    return held.getvalue()


def has(package: str) -> bool:
    """Whether a package is installed here."""
    from importlib.util import find_spec

    return find_spec(package) is not None


def state() -> dict[str, str]:
    """Return what all threads share and no answer may change."""
    import numpy as np

    found = {"warnings": repr(warnings.filters), "numpy": repr(np.geterr())}
    if "matplotlib" in sys.modules:
        found["matplotlib"] = repr(sys.modules["matplotlib"].rcParams)
    return found


def main() -> None:
    """Print the digests, and whether the state that threads share is as it was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="where the cases lie")
    parser.add_argument("--serial", action="store_true")
    parser.add_argument("--threads", type=int, default=THREADS)
    given = parser.parse_args()
    if given.serial:
        print(json.dumps({"answers": [digests(given.path)], "kept": True}))
        return
    first = raced(given.path, given.threads)
    before = state()
    again = raced(given.path, given.threads)
    print(json.dumps({"answers": [*first, *again], "kept": state() == before}))


if __name__ == "__main__":
    main()
