"""Tables of several classes with given margins or sums: in blocks, or by their right cases.

Truth and prediction are dealt to each other at random. Ways to place j right cases, whatever else
happens, are rook numbers: those of class c alone are C(t, j) C(p, j) j!, with t its cases and p its
predictions, and generating functions multiply over classes. Inclusion and exclusion make the law of
the number of right cases of them, in whole numbers, since the terms cancel.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import comb, exp, factorial, inf, lgamma, log, log10, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from baserate._arrays import Whole

AT_A_TIME = 1 << 15


def size_in_words(n: int) -> str:
    """Write a number that may be too large for a float."""
    return f"{n:,}" if n < 10**15 else f"10^{int(log10(n))}"


def counts_of_sum(n: int, most: Sequence[int]) -> Iterator[Whole]:
    """Yield all counts, at most these, that sum to n: cell by cell, the first ones first."""
    after = np.append(np.cumsum(most[::-1])[::-1], 0)
    stack = [np.zeros((1, 0), dtype=np.int64)] if after[0] >= n else []
    while stack:
        cells = stack.pop()
        d = cells.shape[1]
        if d == len(most):
            yield cells
            continue
        left = n - cells.sum(1)
        stack += _extended(cells, np.maximum(0, left - after[d + 1]), np.minimum(left, most[d]))


def cells_within(rows: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[Whole]:
    """Yield all flat tables with these margins: cell by cell."""
    k, stack = len(rows), [np.zeros((1, 0), dtype=np.int64)]
    ends = np.array(columns)
    while stack:
        cells = stack.pop()
        d = cells.shape[1]
        if d == k * k:
            yield cells
            continue
        i, j = divmod(d, k)
        above = ends - cells[:, : i * k].reshape(len(cells), i, k).sum(1)
        left = rows[i] - cells[:, i * k :].sum(1)
        least = np.maximum(0, left - above[:, j + 1 :].sum(1))
        stack += _extended(cells, least, np.minimum(left, above[:, j]))


def _extended(cells: Whole, low: Whole, high: Whole) -> list[Whole]:
    """Append every count from low to high to each row, in parts of bounded length."""
    ways = high - low + 1
    parent = np.repeat(np.arange(len(cells)), ways)
    first = np.repeat(np.cumsum(ways) - ways, ways)
    new = np.repeat(low, ways) + np.arange(len(parent)) - first
    out = np.concatenate((cells[parent], new[:, None]), axis=1)
    return [out[i : i + AT_A_TIME] for i in range(0, len(out), AT_A_TIME)]


BUDGET = 3 * 10**9  # bit operations of the products of whole numbers: about a second
LARGE = 20_000  # cases of a class, from which on a bound is not summed term by term

Counts = Sequence[int]


def hits_cost(class_counts: Counts, predicted_counts: Counts, least: int = 0) -> float:
    """Return about how many bit operations `ways_at_least` takes."""
    both = _pairs(class_counts, predicted_counts)
    depth = sum(min(t, p) for t, p in both) - least + 1
    n, cost, so_far = max(2, sum(class_counts)), 0, 1
    for t, p in both:
        own = min(t, p) + 1
        cost += min(depth, so_far) * min(depth, own)
        so_far += own
    return cost * n * log(n) * 2


def hits_law_cost(class_counts: Counts, predicted_counts: Counts) -> float:
    """Return about how many bit operations `hits_law` takes."""
    if _certain(class_counts, predicted_counts) is not None:
        return 0.0
    n = max(2, sum(class_counts))
    most = sum(min(pair) for pair in _pairs(class_counts, predicted_counts))
    return hits_cost(class_counts, predicted_counts) + most**2 / 2 * n * log(n) * 2


def ways_at_least(class_counts: Counts, predicted_counts: Counts, least: int) -> tuple[int, int]:
    """Return (ways, all ways) to have at least so many right cases, which Python divides rounded.

    P(H >= h) = Σ_j≥h (-1)^(j - h) C(j - 1, h - 1) r_j (n - j)! / n!, with rook numbers r.
    """
    most = sum(min(pair) for pair in _pairs(class_counts, predicted_counts))
    if least <= 0 or least > most:
        return int(least <= 0), 1
    total, n, ways = 0, sum(class_counts), comb(most - 1, least - 1)
    left, sign = factorial(n - most), (-1) ** (most - least)
    for j, rooks in zip(
        range(most, least - 1, -1), _rooks(class_counts, predicted_counts, least), strict=True
    ):
        total += sign * ways * rooks * left
        if j > least:  # C(j - 2, h - 1) = C(j - 1, h - 1) (j - h) / (j - 1)
            ways, left, sign = ways * (j - least) // (j - 1), left * (n - j + 1), -sign
    return total, factorial(n)


def hits_law(class_counts: Counts, predicted_counts: Counts) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the numbers of right cases, from 0 on, and their probabilities."""
    if (certain := _certain(class_counts, predicted_counts)) is not None:
        return np.arange(certain + 1), np.eye(certain + 1)[certain]
    n = sum(class_counts)
    rooks = _rooks(class_counts, predicted_counts, 0)[::-1]
    moments = [r * factorial(n - j) for j, r in enumerate(rooks)]
    # Of a sum Σ m_j (z - 1)^j the coefficients of z^h: Horner's rule, one power at a time.
    law = [0] * len(moments)
    for moment in reversed(moments):
        for h in range(len(law) - 1, 0, -1):
            law[h] = law[h - 1] - law[h]
        law[0] = moment - law[0]
    whole = factorial(n)
    return np.arange(len(law)), np.array([ways / whole for ways in law])


def hits_bound(class_counts: Counts, predicted_counts: Counts, least: int) -> float:
    """Return the logarithm of an upper bound of the probability of at least so many right cases.

    P(H >= h) <= E[C(H, j)] / C(h, j) for every j <= h, and r_j <= R(x) / x^j for every x > 0, with
    the generating function R of the rook numbers.
    """
    both = [pair for pair in _pairs(class_counts, predicted_counts) if min(pair)]
    n, most = sum(class_counts), sum(map(min, both))
    if least <= 0 or least > most:
        return 0.0 if least <= 0 else -inf
    kinds: dict[tuple[int, int], int] = {}
    for pair in both:
        kinds[pair] = kinds.get(pair, 0) + 1
    totals = [(_log_total(*pair), times) for pair, times in kinds.items()]
    j = np.unique(np.linspace(1, least, min(least, LARGE)).round())  # any j gives a bound
    rest = gammaln(n - j + 1) - lgamma(n + 1) - _log_choose(float(least), j)
    best = np.full(len(j), inf)
    for step in np.linspace(-log(n) - 4, log(n) + 4, 120).tolist():
        height = sum(times * total(step) for total, times in totals)
        best = np.minimum(best, height - step * j)
    return min(0.0, float(np.min(best + rest)) + 1e-9 * n)


def bounded(log_bound: float) -> float:
    """Return a bound as a number that is never below it."""
    return max(1e-300, exp(log_bound))


def _pairs(class_counts: Counts, predicted_counts: Counts) -> list[tuple[int, int]]:
    return [(int(t), int(p)) for t, p in zip(class_counts, predicted_counts, strict=True)]


def _certain(class_counts: Counts, predicted_counts: Counts) -> int | None:
    """Return how many cases are right in every deal, if truth or prediction knows one class."""
    if min(np.count_nonzero(class_counts), np.count_nonzero(predicted_counts)) > 1:
        return None
    return sum(min(pair) for pair in _pairs(class_counts, predicted_counts))


def _rooks(class_counts: Counts, predicted_counts: Counts, least: int) -> list[int]:
    """Return the rook numbers of most right cases, one less, ..., `least`: all boards' product."""
    both = _pairs(class_counts, predicted_counts)
    depth = sum(map(min, both)) - least + 1
    product = np.array([1], dtype=object)
    for t, p in sorted(both, key=min):
        own = np.array(_of_one_class(t, p)[:depth], dtype=object)
        short, long = sorted((own, product), key=len)
        out = np.full(min(depth, len(short) + len(long) - 1), 0, dtype=object)
        for i, factor in enumerate(short[: len(out)]):
            part = long[: len(out) - i] * factor
            out[i : i + len(part)] += part
        product = out
    return product.tolist()


def _of_one_class(t: int, p: int) -> list[int]:
    """Return C(t, j) C(p, j) j! from j = min(t, p) down to 0."""
    numbers = [1]
    for j in range(1, min(t, p) + 1):
        numbers.append(numbers[-1] * (t - j + 1) * (p - j + 1) // j)
    return numbers[::-1]


def _log_total(t: int, p: int) -> Callable[[float], float]:
    """Return the logarithm of Σ_j r_j x^j of one class by log x: exact, or a bound of many terms.

    The logarithm of a term is concave in j, with a second derivative of -(1/t + 1/p + 1/(m + 1)) or
    further below zero, m the smaller of t and p: so they add up to less than a normal curve does.
    """
    if min(t, p) <= LARGE:
        return partial(_log_sum, _log_rooks(t, p, np.arange(min(t, p) + 1, dtype=np.float64)))
    wide = 1 + sqrt(2 * pi / (1 / t + 1 / p + 1 / (min(t, p) + 1)))

    def bound(step: float) -> float:
        x = exp(step)
        b, c = x * (t + p) + 1, x * t * p - 1  # a term is as large as the next at the root
        peak = 2 * c / (b + sqrt(max(0.0, b * b - 4 * x * c)))
        j = np.clip(np.floor(peak) + np.arange(-1, 3), 0, min(t, p))
        # Between whole numbers the curve rises no more than half above its largest term.
        return float(np.max(_log_rooks(t, p, j) + step * j)) + log(wide) + 0.5

    return bound


def _log_rooks(t: int, p: int, j: NDArray[np.float64]) -> NDArray[np.float64]:
    return _log_choose(float(t), j) + _log_choose(float(p), j) + gammaln(j + 1)


def _log_choose(n: float, j: NDArray[np.float64]) -> NDArray[np.float64]:
    return gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)


def _log_sum(terms: NDArray[np.float64], step: float) -> float:
    tilted = terms + step * np.arange(len(terms))
    top = float(tilted.max())
    return top + log(float(np.exp(tilted - top).sum()))
