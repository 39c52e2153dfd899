"""Ten thousand calls on data of their own leave no memory, threads or open files behind."""

import contextlib
import gc
import io
import os
import threading
import tracemalloc
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import baserate as br
from baserate.cli import main
from trust.writers import fill, writing

CALLS = 10_000  # of the library
COMMANDS = 300  # of the command line, in one process
# Growth is fitted to the second half: in the first, modules are loaded and caches fill up.
LOOKS = 40
# What was kept from before tracing and is replaced by and by is no growth: so many calls replace it.
ROUND = 60
# Caches of few arguments.
SMALL = (
    "baserate.metrics._laws.all_tables",
    "baserate.report.explorer._script",
)
ALLOWED = 200.0  # bytes a call that may be growth of the heap, not of what lives in it


def measure(folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Return the growth per call of the library and of the command line."""
    fill(folder)
    found: dict[str, Any] = {"failures": []}
    here = Path.cwd()
    os.chdir(folder)
    try:
        runs = {"calls": (partial(called, folder), CALLS), "commands": (commanded, COMMANDS)}
        for name, (call, times) in runs.items():
            say(f"{times:,} {name}")
            found[name] = grown(call, times)
            found["failures"] += [f"{name}: {fault}" for fault in faults(found[name])]
        unbounded = [name for name, one in caches().items() if one.cache_info().maxsize is None]
        found["failures"] += [f"{name} has no bound" for name in unbounded if name not in SMALL]
    finally:
        os.chdir(here)
    return found


def grown(call: Callable[[int], object], times: int) -> dict[str, Any]:
    """Call so often, and fit lines to what the process holds in the second half."""
    half, step = times // 2, max(1, times // (2 * LOOKS))
    for i in range(half):
        call(i)
    seen = [look()]
    tracemalloc.start()
    for i in range(half, half + ROUND):
        call(i)
    emptied()
    traced = tracemalloc.get_traced_memory()[0]
    for i in range(half + ROUND, times):
        call(i)
        if not i % step:
            seen.append(look())
    sizes = {name: list(one.cache_info()[:1:-1]) for name, one in caches().items()}
    emptied()
    alive = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    slope, error = line(step, [one["resident"] for one in seen[1:]])
    return {
        "calls": times,
        "resident_bytes": seen[-1]["resident"],
        "resident_bytes_per_call": round(slope, 1),
        "standard_error": round(error, 1),
        "traced_bytes_per_call": round(alive / (times - half - ROUND), 1),
        "files": [seen[0]["files"], seen[-1]["files"]],
        "threads": [seen[0]["threads"], seen[-1]["threads"]],
        "caches": sizes,
    }


def caches() -> dict[str, Any]:
    """Return our caches by name."""
    kept = [one for one in gc.get_objects() if isinstance(one, type(lru_cache(len)))]
    ours = [one for one in kept if one.__module__.startswith("baserate.")]
    return {f"{one.__module__}.{one.__qualname__}": one for one in ours}


def emptied() -> None:
    """Empty our caches, which are bounded, so that what is left is what leaks."""
    for one in caches().values():
        one.cache_clear()
    gc.collect()


def faults(found: dict[str, Any]) -> list[str]:
    """Say what grew: files, threads, or what Python holds, which has no noise."""
    wrong = [
        f"{found[kind][1] - found[kind][0]} more {kind}"
        for kind in ("files", "threads")
        if found[kind][1] > found[kind][0]
    ]
    if found["traced_bytes_per_call"] > ALLOWED:
        wrong.append(f"{found['traced_bytes_per_call']} bytes a call are kept")
    return wrong


def look() -> dict[str, int]:
    """Return what the process holds: memory, open files, threads."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "resident": pages * os.sysconf("SC_PAGE_SIZE"),
        "files": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "threads": max(threading.active_count(), len(os.listdir("/proc/self/task"))),  # noqa: PTH208
    }


def line(step: int, values: list[int]) -> tuple[float, float]:
    """Return the slope per call of a least-squares line, and its standard error."""
    x = step * np.arange(len(values), dtype=float)
    y = np.array(values, dtype=float)
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    return float(slope), float(np.sqrt(covariance[0, 0]))


def called(folder: Path, i: int) -> object:
    """Ask one of many questions about data that no other call has."""
    calls = library(folder, np.random.default_rng(i))
    return calls[i % len(calls)]()


def library(folder: Path, rng: np.random.Generator) -> list[Callable[[], object]]:
    """Return calls of all doors, and of what lies below: the quick ones more often."""
    y, p = rng.integers(0, 2, (2, 40))
    y[:2], p[:2] = (0, 1), (1, 0)
    s, g = np.round(rng.random(40), 2), rng.choice(["a", "b"], 40)
    k = rng.choice(["x", "y", "z"], (2, 40))
    k[:, :3] = ["x", "y", "z"]
    tables = rng.integers(1, 30, (2, 4)).tolist()
    t, u = (br.ConfusionMatrix(tp=a, fn=b, fp=c, tn=d) for a, b, c, d in tables)
    n = int(rng.integers(5, 50))

    def own() -> Any:
        return br.metrics.define(
            "own", lambda tp, fn, fp, tn: (n * tp + tn) / (n * tp + tn + fp + fn)
        )

    doors: list[Callable[[], Any]] = [
        lambda: br.evaluate(y, p, groups=g).render("json"),
        lambda: br.evaluate(y, score=s, threshold=0.5).facts,
        lambda: br.evaluate(*k).render("table"),
        lambda: br.audit(y, p, groups=g).render("html"),
        lambda: br.compare(y, {"a": p, "b": 1 - p}, cost="fp=1,fn=2").render("markdown"),
        lambda: br.thresholds(y, s, n_resamples=5, rng=0).facts,
        lambda: br.evaluate(folder / "d.csv", target="y", prediction="p", groups="g").facts,
        lambda: br.interval(own(), t),
    ]
    quick: list[Callable[[], Any]] = [
        lambda: br.confusion_matrix(y, p),
        lambda: br.interval("f1", t),
        lambda: br.interval("mcc", u),
        lambda: br.dutch_draw(own(), n_positive=n, n_negative=2 * n),
        lambda: br.random_guess("f1", n_positive=n, n_negative=2 * n),
        lambda: br.skill("mcc", t),
        lambda: br.beats_chance(t, metrics=["f1", "mcc"]),
        lambda: br.match_test("f1", t, u),
        lambda: br.smooth(t, u),
        lambda: br.roc_auc(br.sweep(y, s)),
        lambda: br.optimal_threshold("f1", br.sweep(y, s)),
        lambda: br.bayes_threshold(own(), br.populations.LDA(distance=n / 9), base_rate=0.3),
        lambda: br.metric_function("mcc")(y, p),
        lambda: br.expect("f1", br.models.Multinomial(n=n, cells=t)),
        lambda: br.class_table(*k),
        lambda: br.UtilityMatrix([[n, -1], [-2, 3]]).utility_yield(t),
    ]
    return doors + 24 * quick


def commanded(i: int) -> None:
    """Run one of all commands, by turns, and throw away what it says."""
    commands = list(writing().values())
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(commands[i % len(commands)])
