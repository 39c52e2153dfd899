"""Calibration by its definitions: pools as maxima of minima, limits by bisection, all intervals."""

from fractions import Fraction
from itertools import accumulate
from math import comb


def isotonic(positives, n):
    """Return max over starts of min over ends of the share between, at each score."""
    every = range(len(n))

    def share(first, last):
        inside = slice(first, last + 1)
        return Fraction(sum(positives[inside]), sum(n[inside]))

    return [
        max(min(share(i, j) for j in every if j >= at) for i in every if i <= at) for at in every
    ]


def brier(positives, n, levels):
    """Return the mean squared distance between outcomes and levels."""
    total = sum(
        k * (1 - level) ** 2 + (m - k) * level**2
        for k, m, level in zip(positives, n, levels, strict=True)
    )
    return Fraction(total) / sum(n)


def tail(k, m, p):
    """Return the probability that a binomial reaches k."""
    return sum(comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(k, m + 1))


def lower_limit(k, m, error, bits=44):
    """Return a dyadic p at which the tail is the error, to within 2^-bits below."""
    if k == 0:
        return Fraction(0)
    low, high = Fraction(0), Fraction(1)
    for _ in range(bits):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(k, m, middle) < error else (low, middle)
    return low


def band(positives, n, intervals, error, limit=lower_limit):
    """Return both limits at each score; intervals are (start, end, share of the error)."""
    positives_to, cases_to = ([0, *accumulate(side)] for side in (positives, n))
    low, high = [Fraction(0)] * len(n), [Fraction(1)] * len(n)
    for start, end, share in intervals:
        k, m = positives_to[end] - positives_to[start], cases_to[end] - cases_to[start]
        least, most = limit(k, m, error * share), 1 - limit(m - k, m, error * share)
        for at in range(end - 1, len(n)):
            low[at] = max(low[at], least)
        for at in range(start + 1):
            high[at] = min(high[at], most)
    return low, high


def every_interval(size):
    """Return all intervals of scores, with equal shares."""
    found = [(i, j) for i in range(size) for j in range(i + 1, size + 1)]
    return [(i, j, Fraction(1, len(found))) for i, j in found]
