"""Slow twins of the models: every table with its probability as a fraction; no NumPy, no baserate.

A metric's law is read off by evaluating its twin at every table. Square roots make floats of some
values, so sums over values are exact sums (fsum) of products of floats.
"""

from fractions import Fraction
from math import comb, fsum

from oracles import group_twins, metric_twins


def hypergeometric(n_positive, n_negative, n_predicted):
    total = comb(n_positive + n_negative, n_predicted)
    law = {}
    for tp in range(n_positive + 1):
        fp = n_predicted - tp
        if 0 <= fp <= n_negative:
            weight = comb(n_positive, tp) * comb(n_negative, fp)
            law[tp, n_positive - tp, fp, n_negative - fp] = Fraction(weight, total)
    return law


def binomial(n, p):
    p = Fraction(p)
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def binomial_pair(n_positive, n_negative, recall, false_positive_rate):
    law = {}
    for tp, a in binomial(n_positive, recall).items():
        for fp, b in binomial(n_negative, false_positive_rate).items():
            if a * b:
                law[tp, n_positive - tp, fp, n_negative - fp] = a * b
    return law


def uniform(n):
    tables = group_twins.tables(n)
    return dict.fromkeys(tables, Fraction(1, len(tables)))


class Twin:
    """The exact law of one metric (restated at `base_rate` if given) under a law of tables."""

    def __init__(self, name, law, base_rate=None, cache=None):
        cache = {} if cache is None else cache
        self.undefined, pairs = Fraction(0), []
        for table, weight in law.items():
            key = (name, base_rate, table)
            if key not in cache:
                cache[key] = _value(name, table, base_rate)
            if cache[key] is None:
                self.undefined += weight
            else:
                pairs.append((cache[key], weight))
        defined = 1 - self.undefined
        self.atoms = sorted((value, weight / defined) for value, weight in pairs)

    def mean(self):
        return fsum(v * float(w) for v, w in self.atoms) if self.atoms else None

    def variance(self):
        mean = self.mean()
        if mean is None:
            return None
        return fsum((v - mean) ** 2 * float(w) for v, w in self.atoms)

    def cdf(self, x):
        """Values within 1e-11 of x are ties: all of them are equal, at these sizes."""
        return float(sum(w for v, w in self.atoms if v <= x + 1e-11 * max(abs(x), 1)))

    def sf(self, x):
        return float(sum(w for v, w in self.atoms if v > x + 1e-11 * max(abs(x), 1)))

    def quantile(self, q):
        reached = Fraction(0)
        for value, weight in self.atoms:
            reached += weight
            if reached >= Fraction(q) - Fraction(1, 10**12):
                return value
        return None

    def grouped(self):
        """Return distinct values and their probabilities."""
        groups = []
        for value, weight in self.atoms:
            if groups and value - groups[-1][0] <= 1e-11 * max(abs(value), 1):
                groups[-1][1] += weight
            else:
                groups.append([value, weight])
        return groups


def _value(name, table, base_rate):
    if base_rate is None:
        return metric_twins.value(name, *table)
    return metric_twins.at_base_rate(name, base_rate, *table)
