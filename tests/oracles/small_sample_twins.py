"""Small samples by brute force in exact fractions: every table, every probability; no NumPy."""

from fractions import Fraction
from math import comb, factorial

from oracles.group_twins import tables
from oracles.metric_twins import TWINS, UndefinedError


def multinomial(table, population):
    """With replacement: n! / prod(c!) prod(p^c)."""
    total, weight = sum(population), Fraction(factorial(sum(table)))
    for count, size in zip(table, population, strict=True):
        weight *= Fraction(size, total) ** count / factorial(count)
    return weight


def hypergeometric(table, population):
    """Without replacement: prod C(K, c) / C(T, n)."""
    weight = Fraction(1, comb(sum(population), sum(table)))
    for count, size in zip(table, population, strict=True):
        weight *= comb(size, count)
    return weight


def metric(name, cells):
    """Return the twin's value, or None where it is undefined."""
    try:
        return TWINS[name](*cells)
    except UndefinedError:
        return None


def risk(name, n, population, prior, law):
    """Return (P(defined), bias, mse) of the metric at counts plus pseudo-cases."""
    shares = [Fraction(c, sum(population)) for c in population]
    counts = name.startswith(("true_", "false_p")) and not name.endswith("_rate")
    truth = metric(name, [n * s for s in shares] if counts else shares)
    mass = first = second = 0
    for table in tables(n):
        weight = law(table, population)
        cells = [Fraction(c) + Fraction(q) for c, q in zip(table, prior, strict=True)]
        total = sum(cells)
        if total == 0:
            continue
        value = metric(name, [n * c / total for c in cells])
        if value is None or weight == 0:
            continue
        error = value - truth
        mass, first, second = mass + weight, first + weight * error, second + weight * error * error
    if mass == 0:
        return 0, None, None
    return mass, first / mass, second / mass


def holes(name, n):
    return sum(metric(name, t) is None for t in tables(n))
