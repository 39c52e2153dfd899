"""The number of positives among independent cases, one case after the other, in fractions."""

from fractions import Fraction


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
