"""Slow twins of utilities in exact fractions, from the definitions; no NumPy, no baserate.

Matrices have decisions in rows and classes in columns. Two-class ones have the positive first.
"""

from fractions import Fraction
from itertools import product


def expected(matrix, probabilities):
    return [
        sum(Fraction(u) * Fraction(p) for u, p in zip(row, probabilities, strict=True))
        for row in matrix
    ]


def decide(matrix, probabilities):
    values = expected(matrix, probabilities)
    return values.index(max(values))


def mean_yield(matrix, counts):
    pairs = [
        (u, m)
        for row, line in zip(matrix, counts, strict=True)
        for u, m in zip(row, line, strict=True)
    ]
    return Fraction(sum(Fraction(u) * m for u, m in pairs)) / sum(Fraction(m) for _, m in pairs)


def value_of_information(matrix, counts):
    """By brute force over every rule that answers outputs with decisions."""
    n = sum(map(sum, counts))

    def worth(rule):
        return sum(
            Fraction(u) * Fraction(m, n)
            for d, line in zip(rule, counts, strict=True)
            for u, m in zip(matrix[d], line, strict=True)
        )

    decisions = range(len(matrix))
    best = max(worth(rule) for rule in product(decisions, repeat=len(counts)))
    return best - max(worth([d] * len(counts)) for d in decisions)


def at_base_rate(tp, fn, fp, tn, pi):
    """Cells, as shares, after the classes were reweighted."""
    r, f = Fraction(tp, tp + fn), Fraction(fp, fp + tn)
    return pi * r, pi * (1 - r), (1 - pi) * f, (1 - pi) * (1 - f)


def table_yield(matrix, tp, fn, fp, tn):
    return mean_yield(matrix, [[tp, fp], [fn, tn]])


def shift(probabilities, source, target):
    raised = [Fraction(p) * t / s for p, s, t in zip(probabilities, source, target, strict=True)]
    return [x / sum(raised) for x in raised]
