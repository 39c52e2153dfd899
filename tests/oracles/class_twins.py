"""Slow twins of metrics of several classes in exact fractions; no NumPy, no baserate.

A table is a tuple of rows, truth in rows. None means undefined. Forms: Gorodkin's correlation by
sums over all triples of classes, kappa by observed and expected agreement, averages class by class.
"""

from fractions import Fraction
from functools import cache
from math import sqrt

from oracles.metric_twins import TWINS, UndefinedError, over


def margins(table):
    k = range(len(table))
    return [sum(row) for row in table], [sum(table[i][j] for i in k) for j in k]


def total(table):
    return sum(map(sum, table))


def accuracy(table):
    return over(sum(row[i] for i, row in enumerate(table)), total(table))


def error_rate(table):
    return 1 - accuracy(table)


def balanced_accuracy(table):
    return sum(over(row[i], sum(row)) for i, row in enumerate(table)) / Fraction(len(table))


def correlation(table):
    """Σ (n[k,k] n[l,m] - n[k,l] n[m,k]) over the roots of both sums of products of totals."""
    k, (truth, predicted) = range(len(table)), margins(table)
    both = sum(
        table[a][a] * table[b][c] - table[a][b] * table[c][a] for a in k for b in k for c in k
    )
    spread = [sum(side[a] * (sum(side) - side[a]) for a in k) for side in (truth, predicted)]
    if 0 in spread:
        raise UndefinedError
    return both / sqrt(Fraction(spread[0] * spread[1]))


def kappa(bad):
    """1 - observed / expected disagreement, with how bad each disagreement is."""

    def value(table):
        k, (truth, predicted), n = range(len(table)), margins(table), total(table)
        seen = sum(bad(i, j) * over(table[i][j], n) for i in k for j in k)
        expected = sum(bad(i, j) * over(truth[i] * predicted[j], n * n) for i in k for j in k)
        return 1 - over(seen, expected)

    return value


def utility(matrix):
    def value(table):
        k = range(len(table))
        return over(sum(matrix[j][i] * table[i][j] for i in k for j in k), total(table))

    return value


def one_vs_rest(table, c):
    truth, predicted = margins(table)
    tp, n = table[c][c], total(table)
    return tp, truth[c] - tp, predicted[c] - tp, n - truth[c] - predicted[c] + tp


@cache
def binary(name, *cells):
    """Return the exact value of a metric of four counts, or None."""
    try:
        return TWINS[name](*cells)
    except UndefinedError:
        return None


def average(name, kind, *, omit=False):
    def value(table):
        each = [one_vs_rest(table, c) for c in range(len(table))]
        if kind == "micro":
            found = binary(name, *map(sum, zip(*each, strict=True)))
            return undefined_if_none(found)
        weights = [1 if kind == "macro" else tp + fn for tp, fn, _, _ in each]
        pairs = [(w, binary(name, *cells)) for w, cells in zip(weights, each, strict=True) if w]
        if omit:
            pairs = [(w, v) for w, v in pairs if v is not None]
        return over(sum(w * undefined_if_none(v) for w, v in pairs), sum(w for w, _ in pairs))

    return value


def undefined_if_none(value):
    if value is None:
        raise UndefinedError
    return value if isinstance(value, float) else Fraction(value)


OWN = ((0, 1, 3), (2, 0, 6), (3, 6, 0))
WORTH = ((1, 0, -2), (0, 3, 0), (-5, Fraction(1, 2), 1))

CLASS_TWINS = {
    "accuracy": accuracy,
    "error_rate": error_rate,
    "balanced_accuracy": balanced_accuracy,
    "matthews_correlation": correlation,
    "cohen_kappa": kappa(lambda i, j: int(i != j)),
    "weighted_kappa(linear)": kappa(lambda i, j: abs(i - j)),
    "weighted_kappa(quadratic)": kappa(lambda i, j: (i - j) ** 2),
    "weighted_kappa([[0, 1, 3], [2, 0, 6], [3, 6, 0]])": kappa(lambda i, j: OWN[i][j]),
    "utility([[1, 0, -2], [0, 3, 0], [-5, 0.5, 1]])": utility(WORTH),
}


def value(twin, table):
    """Return the twin's value as a float, or None where it is undefined."""
    try:
        return float(twin(table))
    except UndefinedError:
        return None
