"""Areas with their limits and comparisons, pair by pair and swap by swap, in exact fractions."""

from fractions import Fraction
from itertools import pairwise, product


def won(truth, scores):
    """Return the pairs: for each positive, what it scores against each negative (0, 1/2, 1)."""
    up = [s for y, s in zip(truth, scores, strict=True) if y]
    down = [s for y, s in zip(truth, scores, strict=True) if not y]
    return [[Fraction(1 + (a > b) - (a < b), 2) for b in down] for a in up]


def bootstrap_moments(pairs, *, lost):
    """Return mean and variance of the area when the cases have uniform Dirichlet weights.

    With `lost`, a further case of the rarer class loses every pair. By the second moments of the
    weights: E[w w'] = (1 + [w is w']) / (n (n + 1)).
    """
    if lost and len(pairs) <= len(pairs[0]):
        pairs = [*pairs, [Fraction(0)] * len(pairs[0])]
    elif lost:
        pairs = [[*row, Fraction(0)] for row in pairs]
    p, q = len(pairs), len(pairs[0])
    total = sum(map(sum, pairs))
    square = Fraction(0)
    for (i, j), (k, m) in product(product(range(p), range(q)), repeat=2):
        square += (1 + (i == k)) * (1 + (j == m)) * pairs[i][j] * pairs[k][m]
    mean = total / (p * q)
    return mean, square / (p * (p + 1) * q * (q + 1)) - mean**2


def obuchowski_variance(truth, scores, clusters, others=None):
    """Return the variance of an area, or of a difference, by Obuchowski's sums over clusters.

    S10/M + S01/N + 2 S11/(M N), pair by pair (Biometrics 53:567, equations 4 to 6); None where all
    of a class lie in one cluster.
    """
    values = [Fraction(0)] * len(truth)  # of each case: what its pairs are worth beyond the mean
    for sign, column in ((1, scores), (-1, others)):
        if column is None:
            continue
        pairs = won(truth, column)
        m, n = len(pairs), len(pairs[0])
        area = sum(map(sum, pairs)) / (m * n)
        up, down = iter(pairs), iter(zip(*pairs, strict=True))
        for i, y in enumerate(truth):
            mean = sum(next(up)) / n if y else sum(next(down)) / m
            values[i] += sign * (mean - area)
    sums = {c: [Fraction(0), Fraction(0)] for c in clusters}
    holding = set(), set()
    for value, y, c in zip(values, truth, clusters, strict=True):
        sums[c][not y] += value
        holding[not y].add(c)
    k, (k1, k0) = len(sums), map(len, holding)
    if min(k1, k0) < 2:
        return None
    s10 = Fraction(k1, (k1 - 1) * m) * sum(x * x for x, _ in sums.values())
    s01 = Fraction(k0, (k0 - 1) * n) * sum(y * y for _, y in sums.values())
    s11 = Fraction(k, k - 1) * sum(x * y for x, y in sums.values())
    return s10 / m + s01 / n + 2 * s11 / (m * n)


def swapped_p_value(truth, first, second, clusters=None):
    """Return the share of swaps within cases, or within clusters, that part two areas as far."""

    def apart(a, b):
        return abs(sum(map(sum, won(truth, a))) - sum(map(sum, won(truth, b))))

    clusters = range(len(truth)) if clusters is None else clusters
    named, found, reached = sorted(set(clusters)), apart(first, second), 0
    for swaps in product((False, True), repeat=len(named)):
        swap = dict(zip(named, swaps, strict=True))
        turned = [swap[c] for c in clusters]
        one = [y if s else x for x, y, s in zip(first, second, turned, strict=True)]
        other = [x if s else y for x, y, s in zip(first, second, turned, strict=True)]
        reached += apart(one, other) >= found
    return Fraction(reached, 2 ** len(named))


def partial_area(path, limit):
    """Add trapezoids under a path of (x, y) from (0, 0), up to x = limit."""
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(path):
        if x0 >= limit or x1 == x0:
            continue
        right = min(x1, limit)
        top = y0 + (y1 - y0) * (right - x0) / (x1 - x0)
        area += (right - x0) * (y0 + top) / 2
    return area


def probability_within(low, high):
    """Return P(low[i] <= U(i) <= high[i] for all i) for uniform order statistics, in fractions.

    Integrates one order statistic after the other as polynomials on the pieces between limits.
    """
    knots = sorted({Fraction(0), Fraction(1), *low, *high})
    pieces = [[Fraction(1)] for _ in knots[1:]]  # P(the first i are within and below x), over i!
    for below, above in zip(low, high, strict=True):
        carried, result = Fraction(0), []
        for (left, right), polynomial in zip(pairwise(knots), pieces, strict=True):
            if left < below or left >= above:
                result.append([carried])
                continue
            integral = [Fraction(0), *(c / (k + 1) for k, c in enumerate(polynomial))]
            integral[0] = carried - _value(integral, left)
            result.append(integral)
            carried = _value(integral, right)
        pieces = result
    factorial = 1
    for k in range(2, len(low) + 1):
        factorial *= k
    return factorial * _value(pieces[-1], Fraction(1))


def _value(polynomial, x):
    return sum(c * x**k for k, c in enumerate(polynomial))
