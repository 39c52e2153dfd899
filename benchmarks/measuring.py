"""Taking times side by side, and what the machine could do at best."""

import os
import statistics
import time
from collections.abc import Callable, Mapping
from math import log

import numpy as np

ENOUGH = 0.5  # seconds of one contestant after which it is not asked again
ROUNDS = 5


def seconds(function: Callable[[], object]) -> float:
    """Return the wall-clock time of one call: peers use threads and other processes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turn(contestants: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median time of each contestant; they take turns, after one call that warms up."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    first = {name: seconds(function) for name, function in contestants.items()}
    for _ in range(ROUNDS):
        for name, function in contestants.items():
            if sum(times[name]) + first[name] < ENOUGH:
                times[name].append(seconds(function))
    return {name: statistics.median(found or [first[name]]) for name, found in times.items()}


def bandwidth(size: int = 1 << 28) -> float:
    """Return the bytes a second that one thread reads from memory, the best of five."""
    words = np.ones(size // 8, dtype=np.int64)
    return size / min(seconds(lambda: np.bitwise_or.reduce(words)) for _ in range(5))


def free_memory() -> int:
    """Return the bytes of memory that are free now."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def growth(times: Mapping[int, float]) -> float | None:
    """Return the exponent b of time = a n^b, least squares of logarithms; None from one size."""
    if len(times) < 2:
        return None
    x, y = ([log(value) for value in side] for side in (times.keys(), times.values()))
    return statistics.linear_regression(x, y).slope
