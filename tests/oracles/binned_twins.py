"""What scores themselves are worth, by definitions in exact fractions, for bounds to hold."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import groupby

from tests.oracles.calibration_twins import isotonic

DIGITS = 50


def by_score(truth, scores):
    """Return (score, positives, cases) for each distinct score, ascending."""
    pairs = sorted(zip(scores, truth, strict=True))
    groups = ((s, [y for _, y in same]) for s, same in groupby(pairs, key=lambda pair: pair[0]))
    return [(s, sum(ys), len(ys)) for s, ys in groups]


def table(truth, scores, threshold):
    """Return (tp, fn, fp, tn) of a cut."""
    cells = [0, 0, 0, 0]
    for y, s in zip(truth, scores, strict=True):
        cells[(0 if s >= threshold else 1) if y else (2 if s >= threshold else 3)] += 1
    return cells


def precision_at_base_rate(truth, scores, pi):
    """Return the mean of the precision at every positive, restated."""
    total, up = Fraction(0), sum(truth)
    for y, s in zip(truth, scores, strict=True):
        if y:
            tp, _, fp, _ = table(truth, scores, s)
            recall, fpr = Fraction(tp, up), Fraction(fp, len(truth) - up)
            total += pi * recall / (pi * recall + (1 - pi) * fpr)
    return total / up


def brier(truth, scores):
    return sum((Fraction(s) - y) ** 2 for y, s in zip(truth, scores, strict=True)) / len(truth)


def log_loss(truth, scores):
    """Return the mean of -log(probability of what happened), in many digits."""
    with localcontext() as context:
        context.prec = DIGITS
        total = Decimal(0)
        for y, s in zip(truth, scores, strict=True):
            p = Decimal(s) if y else 1 - Decimal(s)
            total -= p.ln()
        return total / len(truth)


def discrimination(truth, scores):
    sides = [[Fraction(s) for y, s in zip(truth, scores, strict=True) if y == k] for k in (1, 0)]
    up, down = (sum(side) / len(side) for side in sides)
    return up - down


def distances(truth, scores):
    """Return ICI, E50, E90 and ECI of the isotonic curve, and its Brier score."""
    steps = by_score(truth, scores)
    curve = isotonic([k for _, k, _ in steps], [n for _, _, n in steps])
    apart = []
    for level, (s, _, n) in zip(curve, steps, strict=True):
        apart += [abs(level - Fraction(s))] * n
    apart.sort()
    total = len(apart)
    half, most = apart[-(-total // 2) - 1], apart[-(-9 * total // 10) - 1]
    mean, square = sum(apart) / total, 100 * sum(x * x for x in apart) / total
    return mean, half, most, square, curve


def calibration_error(truth, scores, number, kind):
    """Return the expected calibration error in bins of equal mass or width."""
    bins, before, total = {}, 0, len(truth)
    for s, k, n in by_score(truth, scores):
        if kind == "mass":
            place = min(number * (2 * before + n) // (2 * total), number - 1)
        else:
            place = sum(s > edge / number for edge in range(1, number))
        before += n
        gap = bins.get(place, Fraction(0))
        bins[place] = gap + k - n * Fraction(s)
    return sum(map(abs, bins.values())) / total


def best_line(truth, scores):
    """Return level and slope of the best logistic curve by Newton's rule in many digits.

    None where it does not converge, as where the classes do not overlap.
    """
    with localcontext() as context:
        context.prec = DIGITS
        x = [Decimal(s).ln() - (1 - Decimal(s)).ln() for s in scores]
        a, b = Decimal(0), Decimal(0)
        for _ in range(2000):
            p = [1 / (1 + (-(a + b * t)).exp()) for t in x]
            rest = [y - q for y, q in zip(truth, p, strict=True)]
            w = [q * (1 - q) for q in p]
            f = sum(rest), sum(r * t for r, t in zip(rest, x, strict=True))
            s0, s1 = sum(w), sum(v * t for v, t in zip(w, x, strict=True))
            s2 = sum(v * t * t for v, t in zip(w, x, strict=True))
            size = s0 * s2 - s1 * s1
            if size < Decimal("1e-20"):
                return None
            move = (s2 * f[0] - s1 * f[1]) / size, (s0 * f[1] - s1 * f[0]) / size
            longest = max(map(abs, move))
            scale = min(Decimal(1), 1 / longest) if longest else Decimal(1)
            a, b = a + scale * move[0], b + scale * move[1]
            if longest < Decimal("1e-30"):
                return a, b
        return None


def level(truth, scores):
    """Return the level at slope 1, by bisection in many digits."""
    with localcontext() as context:
        context.prec = DIGITS
        x = [Decimal(s).ln() - (1 - Decimal(s)).ln() for s in scores]
        low, high = Decimal(-900), Decimal(900)
        for _ in range(150):
            middle = (low + high) / 2
            excess = sum(1 / (1 + (-(middle + t)).exp()) for t in x) - sum(truth)
            low, high = (middle, high) if excess < 0 else (low, middle)
        return (low + high) / 2
