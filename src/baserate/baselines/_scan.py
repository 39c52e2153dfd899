"""Every number predicted positive at once: blocks of (k, tp) with the probabilities of tp given k.

This is what remains for a metric of which no shape is known: exact, and only up to a budget.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._windows import DEPTH
from baserate.baselines._curve import Ranges
from baserate.errors import UnsupportedError

Array = NDArray[np.float64]

# Tables that a scan may look at; a few seconds.
BUDGET = 20_000_000
_BLOCK = 200_000
_KEPT = 20_000


class Block(NamedTuple):
    """Numbers k, and tables with their probabilities given k.

    Rows are padded by repeating the table at the end of the support, with probability 0.
    """

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
    whole = min(p, q, high, p + q - low) + 1
    return int(min(whole, 2 * _reach(p, q, low, high, depth) + 1))


def _reach(p: int, q: int, low: int, high: int, depth: float) -> float:
    """Bound how far from its mode the law of tp has to be followed, for every k of a range."""
    if depth == inf:
        return inf
    n = max(p + q, 1)
    k = min(max(n // 2, low), high)  # where the law is widest
    spread = min(min(k, n - k) * (p / n) * (q / n), min(p, q) * (k / n) * ((n - k) / n))
    return ceil(depth / 3 + sqrt(depth * depth / 9 + 2 * depth * spread)) + 2


def _block(p: int, q: int, first: int, last: int, depth: float) -> Block:
    """Lay out tp along rows, by its distance to the mode; weights by the ratios of neighbours."""
    k = np.arange(first, last + 1)[:, None]
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    mode = np.clip((k + 1) * (p + 1) // (p + q + 2), low, high)
    reach = _reach(p, q, first, last, depth)
    below, above = (int(min(reach, side.max())) for side in (mode - low, high - mode))
    t = np.clip(mode + np.arange(-below, above + 1), low, high).astype(np.float64)
    fn, fp, tn = p - t, k - t, q - k + t
    pmf = np.ones_like(t)
    # A ratio is 0 at the end of the support, and with it all that lies beyond.
    up, down = slice(below, -1), slice(below, 0, -1)
    rising = fn[:, up] * fp[:, up] / ((t[:, up] + 1) * (tn[:, up] + 1))
    falling = t[:, down] * tn[:, down] / ((fn[:, down] + 1) * (fp[:, down] + 1))
    pmf[:, below + 1 :] = np.cumprod(rising, axis=1)
    pmf[:, :below] = np.cumprod(falling, axis=1)[:, ::-1]
    return Block(k[:, 0], (t, fn, fp, tn), pmf / pmf.sum(axis=1, keepdims=True))


_kept = lru_cache(maxsize=64)(_block)


def expectations(metric: Any, block: Block) -> tuple[Array, Array]:
    """Return E(k) and the mean size of its terms for every k; nan where a table is undefined.

    Also where its probability is too small for a float: 0 times nan is nan.
    """
    terms = block.pmf * np.asarray(metric.formula(*block.tables), dtype=np.float64)
    return terms.sum(axis=1), np.abs(terms).sum(axis=1)
