"""Counts in fractions: of positives among independent cases, case by case, and of urns."""

from fractions import Fraction
from math import comb, prod


def poisson_binomial(risks, size=None):
    """Return P(K = k) for k = 0, 1, ... by adding one case at a time."""
    law = [Fraction(1)]
    for risk, times in zip(risks, size or [1] * len(risks), strict=True):
        p = Fraction(risk)
        for _ in range(times):
            law = [
                (law[k] * (1 - p) if k < len(law) else 0) + (law[k - 1] * p if k else 0)
                for k in range(len(law) + 1)
            ]
    return law


def tails(law, k):
    """Return P(K <= k) and P(K >= k)."""
    return sum(law[: k + 1], Fraction(0)), sum(law[k:], Fraction(0))


def rising(a, n):
    """Return a (a + 1) ... (a + n - 1)."""
    return prod((Fraction(a) + i for i in range(n)), start=Fraction(1))


def beta_binomial(n, a, b):
    """Return P(K = k) for k = 0, ..., n."""
    whole = rising(Fraction(a) + Fraction(b), n)
    return [comb(n, k) * rising(a, k) * rising(b, n - k) / whole for k in range(n + 1)]
