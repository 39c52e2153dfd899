"""The law of a sum of numbers of random signs: each case could as well have its scores swapped."""

from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.curves.bounded_means import few

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_BITS = 36  # of the number of different sums; both halves are enumerated
TIE = 1e-12  # of the sum of all sizes: sums that differ by less are equal
STEPS = 60
EXACT = 1 << 53  # whole numbers that floats hold
BUDGET = 1_000_000_000  # additions at most, a second


def two_sided(differences: Array) -> tuple[float, str]:
    """Return P(|Σ ± d| >= |Σ d|) over all signs, and how it was computed.

    "exact" while no more than 2^36 sums differ (36 differences that are not 0, or far more among
    which many are equal in size). Else "asymptotic": the saddle point of the law, Σ log cosh(t d),
    by the formula of Lugannani and Rice.
    """
    sizes = np.abs(differences[differences != 0])
    if not sizes.size:
        return 1.0, "exact"
    observed, total = abs(float(differences.sum())), float(sizes.sum())
    distinct, copies = _alike(sizes, TIE * total)
    if float(np.log2(copies + 1.0).sum()) <= MOST_BITS:
        return _enumerated(distinct, copies, observed - TIE * total), "exact"
    return _saddle_point(*few(distinct, copies), observed), "asymptotic"


def tails_of_steps(steps: Whole) -> float | None:
    """Return the same for whole numbers, always exact; None beyond the budget."""
    sizes = np.abs(steps[steps != 0])
    if not len(sizes):
        return 1.0
    unit = int(np.gcd.reduce(sizes))
    if len(sizes) * (int(sizes.sum()) // unit) > BUDGET:
        distinct, copies = np.unique(sizes, return_counts=True)
        if float(np.log2(copies + 1.0).sum()) > MOST_BITS or int(sizes.sum()) > EXACT:
            return None
        return _enumerated(distinct.astype(float), copies, abs(int(steps.sum())) - 0.5)
    return _counted(sizes // unit, abs(int(steps.sum())) // unit)


def _counted(sizes: Whole, found: int) -> float:
    """Return P(|Σ ± sizes| >= found), the sum being twice that of the chosen ones, less all."""
    law = np.zeros(int(sizes.sum()) + 1)
    law[0], reached = 1.0, 0
    for size in np.sort(sizes).tolist():
        law[: reached + 1] *= 0.5
        law[size : reached + size + 1] += law[: reached + 1].copy()
        reached += size
    upper = float(law[(reached + found + 1) // 2 :].sum())
    return min(1.0, 2 * upper) if found else 1.0


def _alike(sizes: Array, tie: float) -> tuple[Array, NDArray[np.intp]]:
    """Return the distinct sizes, and how many there are of each: rounding parts none."""
    ascending = np.sort(sizes)
    heads = np.flatnonzero(np.append(True, np.diff(ascending) > tie))
    copies = np.diff(heads, append=sizes.size)
    return np.add.reduceat(ascending, heads) / copies, copies


def _enumerated(sizes: Array, copies: NDArray[np.intp], reached: float) -> float:
    """Return P(|sum| >= reached): every sum of half of the sizes, against those of the others."""
    halves: list[list[int]] = [[], []]
    bits = [0.0, 0.0]
    for i in np.argsort(-copies, kind="stable"):
        lighter = int(bits[1] < bits[0])
        halves[lighter].append(int(i))
        bits[lighter] += float(np.log2(copies[i] + 1.0))
    (a, weight), (b, other) = (_sums(sizes[half], copies[half]) for half in halves)
    order = np.argsort(b)
    above = np.append(np.cumsum(other[order][::-1])[::-1], 0.0)  # P(B >= its i-th value)
    if reached <= 0:
        return 1.0
    return min(1.0, 2 * float(weight @ above[np.searchsorted(b[order], reached - a)]))


def _sums(sizes: Array, copies: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return every sum of random signs times the sizes, and its probability."""
    from scipy.special import gammaln

    sums, weights = np.zeros(1), np.ones(1)
    for size, n in zip(sizes.tolist(), copies.tolist(), strict=True):
        k = np.arange(n + 1)
        chances = np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * log(2))
        sums = np.add.outer(sums, size * (2 * k - n)).ravel()
        weights = np.multiply.outer(weights, chances).ravel()
    return sums, weights


def _saddle_point(sizes: Array, copies: Array, observed: float) -> float:
    from scipy.special import ndtr

    d = sizes / sizes.max()
    reached, variance = observed / float(sizes.max()), float(copies @ d**2)
    z = reached / sqrt(variance)
    if z < 0.01:  # where the formula is a difference of equals, and the law is normal
        return 2 * float(ndtr(-z))
    if reached >= float(copies @ d) * (1 - 1e-9):  # only if all signs agree
        return exp(-(float(copies.sum()) - 1) * log(2))
    t = _solved(d, copies, reached)
    x = t * d
    cumulant = float(copies @ (np.logaddexp(x, -x) - log(2)))
    w = sqrt(2 * (t * reached - cumulant))
    u = t * sqrt(float(copies @ (d / np.cosh(np.minimum(x, 300.0))) ** 2))
    density = exp(-w * w / 2) / sqrt(2 * pi)
    return min(1.0, 2 * (float(ndtr(-w)) + density * (1 / u - 1 / w)))


def _solved(d: Array, copies: Array, reached: float) -> float:
    """Return t with Σ d tanh(t d) = reached, a concave function of t: Newton's steps never pass."""
    t: Any = reached / float(copies @ d**2)
    for _ in range(STEPS):
        step = (reached - float(copies @ (d * np.tanh(t * d)))) / float(
            copies @ (d / np.cosh(np.minimum(t * d, 300.0))) ** 2
        )
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return float(t)
