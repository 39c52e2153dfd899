"""Slow twin of the match test, of the smallest p-value and of power; exact fractions, no NumPy."""

from fractions import Fraction
from functools import cache
from math import comb

from oracles import group_twins, metric_twins
from oracles.count_twins import beta_binomial

HALF = Fraction(1, 2)
_TIE = 1e-11


def law_of(n, group, reference, law, *, uncertain=True):
    """Return integer weights of the tables of n cases."""
    if law == "permutation":
        population = [a + b for a, b in zip(group, reference, strict=True)]
        return group_twins.multivariate_hypergeometric(n, population)
    if uncertain:
        return group_twins.dirichlet_multinomial(n, [c + HALF for c in reference])
    return group_twins.multinomial(n, reference)


def held(law, group, cells):
    """Keep the tables in which these sums of cells are the group's."""
    return {t: w for t, w in law.items() if all(_sum(t, c) == _sum(group, c) for c in cells)}


@cache
def value(name, table):
    return metric_twins.value(name, *table)


def tails(name, law, group):
    """Return P(M < v), P(M = v), P(M > v) given that M is defined, and P(defined)."""
    x, sides = value(name, group), [0, 0, 0]
    for table, weight in law.items():
        v = value(name, table)
        if v is not None:
            same = abs(v - x) <= _TIE * max(1, abs(x))
            sides[1 if same else 0 if v < x else 2] += weight
    total = sum(sides)
    return [Fraction(side, total) for side in sides], Fraction(total, sum(law.values()))


def p_value(sides, alternative="two-sided"):
    below, equal, above = sides
    lower, upper = below + equal, equal + above
    if alternative != "two-sided":
        return lower if alternative == "less" else upper
    return min(Fraction(1), 2 * min(lower, upper))


def mid_p(sides):
    below, equal, above = sides
    return 2 * min(below + equal / 2, above + equal / 2)


def all_p_values(name, law):
    """Return the p-value of every table at which the metric is defined."""
    return {t: p_value(tails(name, law, t)[0]) for t in law if value(name, t) is not None}


def smallest(names, law):
    """Return the smallest p-value of every table; 1 where no metric is defined."""
    found = [all_p_values(name, law) for name in names]
    return {t: min([p[t] for p in found if t in p], default=Fraction(1)) for t in law}


def adjusted(names, law, group):
    lowest, total = smallest(names, law), sum(law.values())
    observed = [all_p_values(name, law)[group] for name in names]
    return [Fraction(sum(w for t, w in law.items() if lowest[t] <= p), total) for p in observed]


def binomial(n, p):
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def rejected(law, alpha, *, mid=False):
    """Return the counts at which the two-sided test of a one-count law rejects."""
    found = []
    for k, equal in enumerate(law):
        sides = (sum(law[:k]), equal, sum(law[k + 1 :]))
        if (mid_p(sides) if mid else p_value(sides)) <= alpha:
            found.append(k)
    return found


def rate_power(law, rate, alpha):
    """Return how often a binomial count at this rate is rejected by the test with this law."""
    truth = binomial(len(law) - 1, rate)
    return sum(truth[k] for k in rejected(law, alpha))


def error_rate(rate, n, n_reference, alpha, *, uncertain, mid):
    """Sum over every pair of a reference and a group with the same rate."""
    total, truth = Fraction(0), binomial(n, rate)
    for hits, chance in enumerate(binomial(n_reference, rate)):
        if uncertain:
            law = beta_binomial(n, hits + HALF, n_reference - hits + HALF)
        else:
            law = binomial(n, Fraction(hits, n_reference))
        total += chance * sum(truth[k] for k in rejected(law, alpha, mid=mid))
    return total


def _sum(table, cells):
    return sum(x for name, x in zip(group_twins.CELLS, table, strict=True) if name in cells)
