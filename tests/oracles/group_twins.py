"""Slow twins of the laws of a group's table: integer weights, and every metric's order; no NumPy.

The weight of a table is an integer; divided by the sum of all it is the exact probability. Values
of a metric are fractions, or decimals of sixty digits where it takes a square root. Of those, two
that agree to 45 digits are one value; that no two differ by 1e-45 to 1e-30 is checked.
"""

from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb, factorial, lcm, prod

from oracles import chance_twins
from oracles.count_twins import rising

CELLS = ("tp", "fn", "fp", "tn")
DIGITS = 50
_ONE, _SAME, _APART = 10**DIGITS, 10 ** (DIGITS - 45), 10 ** (DIGITS - 30)


@cache
def tables(n):
    """Return every table of n cases."""
    return [
        (tp, fn, fp, n - tp - fn - fp)
        for tp in range(n + 1)
        for fn in range(n + 1 - tp)
        for fp in range(n + 1 - tp - fn)
    ]


def multinomial(n, cells):
    """Return n!/(tp! fn! fp! tn!) c^table for whole numbers c."""
    return _law(n, [[Fraction(c**t, factorial(t)) for t in range(n + 1)] for c in cells])


def dirichlet_multinomial(n, concentration):
    """Return the product of rising factorials a (a + 1) ... (a + t - 1) over t!."""
    return _law(n, [[rising(a, t) / factorial(t) for t in range(n + 1)] for a in concentration])


def multivariate_hypergeometric(n, population):
    """Return C(K_tp, tp) C(K_fn, fn) C(K_fp, fp) C(K_tn, tn)."""
    return _law(n, [[Fraction(comb(k, t)) for t in range(n + 1)] for k in population])


def given_classes(law, n_positive):
    """Return the part of a law with so many positives."""
    return {t: w for t, w in law.items() if t[0] + t[1] == n_positive}


def _law(n, factors):
    """Multiply one factor per cell, made whole; tables of weight 0 are left out."""
    whole = [_whole(column) for column in factors]
    weights = ((t, prod(column[x] for column, x in zip(whole, t, strict=True))) for t in tables(n))
    return {t: w for t, w in weights if w}


def _whole(fractions):
    common = lcm(*(f.denominator for f in fractions))
    return [int(f * common) for f in fractions]


def total(law, cells):
    """Return the exact probabilities of the sum of these cells."""
    sums = {}
    for table, w in law.items():
        s = sum(x for name, x in zip(CELLS, table, strict=True) if name in cells)
        sums[s] = sums.get(s, 0) + w
    mass = sum(sums.values())
    return {s: Fraction(w, mass) for s, w in sorted(sums.items())}


def part(law, cells, whole, size):
    """Return the exact probabilities of the sum of these cells, given that of `whole`."""
    sums = {
        t: w
        for t, w in law.items()
        if sum(x for name, x in zip(CELLS, t, strict=True) if name in whole) == size
    }
    return total(sums, cells)


class Order:
    """The values of one metric at every table of n cases, ranked."""

    def __init__(self, name, n):
        values = {t: chance_twins.value.__wrapped__(name, None, *t) for t in tables(n)}
        scaled = {t: _scaled(v) for t, v in values.items() if v is not None}
        self.scaled, self.exact, self.rank = [], [], {}
        for t, s in sorted(scaled.items(), key=lambda pair: pair[1]):
            if not self.scaled or s - self.scaled[-1] > _SAME:
                assert not self.scaled or s - self.scaled[-1] > _APART
                self.scaled.append(s)
                self.exact.append(values[t])
            self.rank[t] = len(self.scaled) - 1


class Twin:
    """The exact law of a metric under a law of tables."""

    def __init__(self, order, law):
        masses = {}
        for t, w in law.items():
            if t in order.rank:
                masses[order.rank[t]] = masses.get(order.rank[t], 0) + w
        self.ranks = sorted(masses)
        self.order, self.masses = order, [masses[r] for r in self.ranks]
        self.below = list(accumulate(self.masses))
        self.mass = self.below[-1] if self.below else 0
        self.defined = Fraction(self.mass, sum(law.values()))

    def mean(self):
        """Return the mean, to fifty digits."""
        top = sum(w * self.order.scaled[r] for r, w in self._atoms())
        return Fraction(top, self.mass * _ONE)

    def variance(self):
        """Return the variance, to about fifty digits."""
        squares = sum(w * self.order.scaled[r] ** 2 for r, w in self._atoms())
        return Fraction(squares, self.mass * _ONE**2) - self.mean() ** 2

    def cdf(self, i):
        """Return P(M <= the i-th possible value)."""
        return Fraction(self.below[i], self.mass)

    def value(self, i):
        """Return the i-th possible value: a fraction, or a decimal."""
        return self.order.exact[self.ranks[i]]

    def at(self, share):
        """Return the index of the value at which the cumulated probability reaches a share."""
        return min(bisect_right(self.below, share * self.mass), len(self.ranks) - 1)

    def gap(self, i):
        """Return the distance from the i-th possible value to the next; None if it is the last."""
        if i + 1 >= len(self.ranks):
            return None
        scaled = self.order.scaled
        return (scaled[self.ranks[i + 1]] - scaled[self.ranks[i]]) / _ONE

    def _atoms(self):
        return zip(self.ranks, self.masses, strict=True)


def _scaled(value):
    if isinstance(value, Fraction):
        return value.numerator * _ONE // value.denominator
    return int(value.scaleb(DIGITS))
