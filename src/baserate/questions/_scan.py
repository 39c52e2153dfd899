"""Every number predicted positive at once: blocks of (k, tp) with the probabilities of tp given k.

This is what remains for a metric of which no shape is known: exact, and only up to a budget.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._windows import DEPTH
from baserate.errors import UnsupportedError
from baserate.questions._curve import Ranges

Array = NDArray[np.float64]

# Tables that a scan may look at; a few seconds.
BUDGET = 20_000_000
_BLOCK = 200_000
_KEPT = 20_000


class Block(NamedTuple):
    """Numbers k, and tables with their probabilities given k; padding has probability 0."""

    k: NDArray[np.int64]
    tables: tuple[Array, Array, Array, Array]
    pmf: Array


def blocks(
    n_positive: int, n_negative: int, ranges: Ranges, *, remedy: str, depth: float = DEPTH
) -> Iterator[Block]:
    """Yield blocks that cover all k of the ranges; `depth=inf` takes the whole support.

    Raises
    ------
    UnsupportedError
        There are more tables than the budget allows.
    """
    for low, high in ranges:
        if high - low >= BUDGET:
            raise _too_many(high - low + 1, remedy)
    plan = [(low, high, _width(n_positive, n_negative, low, high, depth)) for low, high in ranges]
    total = sum((high - low + 1) * width for low, high, width in plan)
    if total > BUDGET:
        raise _too_many(total, remedy)
    make = _kept if total <= _KEPT else _block
    for low, high, width in plan:
        size = max(1, _BLOCK // width)
        for start in range(low, high + 1, size):
            yield make(n_positive, n_negative, start, min(high, start + size - 1), depth)


def _too_many(tables: int, remedy: str) -> UnsupportedError:
    return UnsupportedError(
        f"A search over every number predicted positive would look at {tables:,} tables, more than "
        f"{BUDGET:,}: {remedy}."
    )


def _width(p: int, q: int, low: int, high: int, depth: float) -> int:
    """Bound the number of tables per k, from above."""
    n = max(p + q, 1)
    whole = min(p, q, high, p + q - low) + 1
    if depth == inf:
        return whole
    k = min(max(n // 2, low), high)  # where the law is widest
    spread = min(min(k, n - k) * (p / n) * (q / n), min(p, q) * (k / n) * ((n - k) / n))
    reach = depth / 3 + np.sqrt(depth * depth / 9 + 2 * depth * spread)
    return min(whole, 2 * ceil(reach) + 2)


def _block(p: int, q: int, first: int, last: int, depth: float) -> Block:
    """Lay out tp along rows; weights by their neighbours' ratios, in logarithms from the mode."""
    k = np.arange(first, last + 1)
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    width = _width(p, q, first, last, depth)
    mode = np.clip((k + 1) * (p + 1) // (p + q + 2), low, high)
    start = np.clip(mode - width // 2, low, np.maximum(low, high - width + 1))
    column = np.arange(int(min(width, (high - start).max() + 1)))
    raw = start[:, None] + column
    t = np.minimum(raw, high[:, None]).astype(np.float64)
    tables = (t, p - t, k[:, None] - t, q - k[:, None] + t)
    pmf = _weights(*tables)
    pmf[raw > high[:, None]] = 0.0
    return Block(k, tables, pmf / pmf.sum(axis=1, keepdims=True))


_kept = lru_cache(maxsize=64)(_block)


def _weights(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Return weights along each row, up to a factor: w(t + 1)/w(t) = fn fp / ((t + 1)(tn + 1))."""
    up = fn[:, :-1] * fp[:, :-1]
    down = (tp[:, :-1] + 1) * (tn[:, :-1] + 1)
    logs = np.zeros_like(tp)
    np.cumsum(np.log(np.where(up > 0, up, 1.0) / down), axis=1, out=logs[:, 1:])
    return np.exp(logs - logs.max(axis=1, keepdims=True))


def expectations(metric: Any, block: Block) -> tuple[Array, Array]:
    """Return E(k) and the mean size of its terms for every k; nan where a table is undefined."""
    value = np.asarray(metric.formula(*block.tables), dtype=np.float64)
    value = np.where(block.pmf > 0, value, 0.0)
    terms = block.pmf * value
    return terms.sum(axis=1), np.abs(terms).sum(axis=1)
