"""Laws of sums if nothing is known: each case could have its scores swapped, or any label.

The law of the Mann-Whitney statistic is given who shares a score: scipy's exact test knows no ties,
and takes longer to import than any sum within the budget here.
"""

from math import comb, exp, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Index, Whole
from baserate.curves.bounded_means import few

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


def _alike(sizes: Array, tie: float) -> tuple[Array, Index]:
    """Return the distinct sizes, and how many there are of each: rounding parts none."""
    ascending = np.sort(sizes)
    heads = np.flatnonzero(np.append(True, np.diff(ascending) > tie))
    copies = np.diff(heads, append=sizes.size)
    return np.add.reduceat(ascending, heads) / copies, copies


def _enumerated(sizes: Array, copies: Index, reached: float) -> float:
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


def _sums(sizes: Array, copies: Index) -> tuple[Array, Array]:
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


Counts = NDArray[Any]


def upper_tail(positive: Counts, negative: Counts) -> tuple[float, str]:
    """Return P(U >= u) under random labels, and how it was found: "exact" or "asymptotic".

    u counts pairs in which the positive has the higher score, ties one half. Cases of either class
    are given for each distinct score, the highest first.
    """
    sizes, twice_u = positive + negative, _twice_u(positive, negative)
    p, q = int(positive.sum()), int(negative.sum())
    if min(p, q) == 1:
        return _single(sizes, p, twice_u), "exact"
    if (p + q) * (min(p, q) + 1) * (2 * p * q + 1) <= BUDGET:
        return _exact(sizes, p, q, twice_u), "exact"
    return _normal(sizes, p, q, twice_u), "asymptotic"


def _twice_u(positive: Counts, negative: Counts) -> int:
    return int(np.dot(negative, 2 * np.cumsum(positive) - positive))


def _single(sizes: Counts, positive: int, twice_u: int) -> float:
    """Let one case be the only one of its class: it is any of the others with equal chance."""
    above = np.cumsum(sizes) - sizes
    below = sizes.sum() - above - sizes
    won = 2 * (below if positive == 1 else above) + sizes - 1
    return float(sizes[won >= twice_u].sum() / sizes.sum())


def _exact(by_score: Counts, few: int, many: int, twice_u: int) -> float:
    """Count labellings by their statistic, one shared score at a time.

    Of t cases that share a score and lie above m others, a of which carry the rarer label, j more
    can carry it in C(t, j) ways, and then win 2 j (m - a) + j (t - j) half pairs.
    """
    sizes = [int(size) for size in by_score]
    if few <= many:
        sizes.reverse()  # from the lowest score on; the rarer label wins from below otherwise
    few, many = sorted((few, many))
    unit = 1 if max(sizes) == 1 else 2
    ways = np.zeros((few + 1, unit * few * many + 1))
    ways[0, 0] = 1.0
    below = 0
    for size in sizes:
        _place(ways, size, below, unit)
        below += size
    least = twice_u // 2 if unit == 1 else twice_u
    return float(ways[few, least:].sum() / ways[few].sum())


def _place(ways: Array, size: int, below: int, unit: int) -> None:
    """Let every possible number of the cases of one score carry the rarer label."""
    top = ways.shape[1]
    for rare in range(min(len(ways) - 1, below + size), 0, -1):
        for j in range(max(1, rare - below), min(size, rare) + 1):
            others = below - (rare - j)
            won = unit * j * others + unit * j * (size - j) // 2
            length = min(top - won, unit * (rare - j) * others + 1)
            if length > 0:
                ways[rare, won : won + length] += float(comb(size, j)) * ways[rare - j, :length]


def _normal(sizes: Counts, positive: int, negative: int, twice_u: int) -> float:
    from scipy.special import ndtr

    n = positive + negative
    shared = sizes.astype(float)
    ties = float(np.sum(shared**3 - shared)) / (n * (n - 1))
    variance: Any = positive * (negative / 12) * (n + 1 - ties)
    if variance <= 0:  # one score shared by all
        return 1.0
    half = 0.5  # continuity: half the distance between neighbouring values of U
    return float(ndtr(-((twice_u - positive * negative) / 2 - half) / sqrt(variance)))
