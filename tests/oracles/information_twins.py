"""Slow twins of what information is worth, in exact fractions; no NumPy, no baserate.

A table is a tuple of counts, an option a tuple of what it is worth in each cell.
"""

from fractions import Fraction
from math import comb, factorial, prod

from oracles.class_chance_twins import compositions as tables
from oracles.count_twins import rising


def dirichlet_multinomial(alpha, table):
    n = sum(table)
    ways = factorial(n) // prod(map(factorial, table))
    return ways * prod(map(rising, alpha, table)) / rising(sum(map(Fraction, alpha)), n)


def multinomial(chances, table):
    ways = factorial(sum(table)) // prod(map(factorial, table))
    return ways * prod(Fraction(p) ** x for p, x in zip(chances, table, strict=True))


def worth(option, counts):
    return sum(Fraction(w) * Fraction(x) for w, x in zip(option, counts, strict=True))


def best_mean(options, counts):
    """Return what the best option is worth per case, where counts say what shares are."""
    return max(worth(option, counts) for option in options) / sum(map(Fraction, counts))


def sample_information(options, alpha, m):
    """Expected value of m further cases: every future table, and the best option after it."""
    after = sum(
        dirichlet_multinomial(alpha, table)
        * best_mean(options, [a + x for a, x in zip(map(Fraction, alpha), table, strict=True)])
        for table in tables(m, len(alpha))
    )
    return after - best_mean(options, alpha)


def net_benefit_options(tau):
    """Treat none, the flagged, all; cells tp, fn, fp, tn."""
    w = Fraction(tau) / (1 - Fraction(tau))
    return (0, 0, 0, 0), (1, 0, -w, 0), (1, 1, -w, -w)


def sample_information_at(alpha, tau, m, pi):
    """The same for cells tp, fn, fp, tn at a known share pi of positives."""
    tp, fn, fp, tn = map(Fraction, alpha)
    pi, w = Fraction(pi), Fraction(tau) / (1 - Fraction(tau))
    all_ = pi - (1 - pi) * w

    def best(a, b, c, d):
        return max(0, all_, pi * a / (a + b) - (1 - pi) * w * c / (c + d))

    total = Fraction(0)
    for p in range(m + 1):
        chance = comb(m, p) * pi**p * (1 - pi) ** (m - p)
        for x in range(p + 1):
            hit = chance * dirichlet_multinomial((tp, fn), (x, p - x))
            for y in range(m - p + 1):
                alarm = dirichlet_multinomial((fp, tn), (y, m - p - y))
                total += hit * alarm * best(tp + x, fn + p - x, fp + y, tn + m - p - y)
    return total - best(tp, fn, fp, tn)
