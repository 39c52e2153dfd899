"""Means with Dirichlet weights, in exact fractions."""

from fractions import Fraction
from math import prod


def exceeds(values, c):
    """P(Σ D x > c), D uniform on the simplex, distinct x: a divided difference of (x - c)^n."""
    x, c = [Fraction(v) for v in values], Fraction(c)
    n = len(x) - 1
    terms = ((a - c) ** n / prod(a - b for b in x if b != a) for a in x if a > c)
    return sum(terms, Fraction(0))
