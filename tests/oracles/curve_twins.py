"""Curves by their definitions: pairs, labellings and segments, in exact fractions."""

from fractions import Fraction
from itertools import combinations, pairwise


def area_under_roc(truth, scores):
    """Return the share of ordered pairs, ties one half."""
    up = [s for y, s in zip(truth, scores, strict=True) if y]
    down = [s for y, s in zip(truth, scores, strict=True) if not y]
    return Fraction(sum(1 + (a > b) - (a < b) for a in up for b in down), 2 * len(up) * len(down))


def labellings(scores, n_positive):
    """Yield every way to call so many cases positive."""
    for chosen in combinations(range(len(scores)), n_positive):
        yield [i in chosen for i in range(len(scores))]


def points(truth, scores):
    """Return (tp, fp) from the strictest rule to the laxest."""
    found = [(0, 0)]
    for cut in sorted(set(scores), reverse=True):
        said = [y for y, s in zip(truth, scores, strict=True) if s >= cut]
        found.append((sum(said), len(said) - sum(said)))
    return found


def average_precision(truth, scores):
    """Sum precision over the steps of recall."""
    path, total = points(truth, scores), Fraction(0)
    for (before, _), (tp, fp) in pairwise(path):
        total += Fraction(tp - before, sum(truth)) * Fraction(tp, tp + fp)
    return total


def mean_over_labellings(measure, scores, n_positive):
    """Return the expectation of a measure when labels are placed at random."""
    values = [measure(truth, scores) for truth in labellings(scores, n_positive)]
    return sum(values, Fraction(0)) / len(values)


def delong_variance(truth, scores, others=None):
    """Return the variance of the area, or of how far it exceeds that of other scores of the cases.

    From the placement of every single case among those of the other class.
    """

    def places(values, label):
        pairs = list(zip(truth, values, strict=True))
        rivals = [s for y, s in pairs if y != label]
        return [
            Fraction(sum(1 + (s > r) - (s < r) for r in rivals), 2 * len(rivals))
            * (1 if label else -1)
            for y, s in pairs
            if y == label
        ]

    total = Fraction(0)
    for label in (True, False):
        values = places(scores, label)
        if others is not None:
            values = [a - b for a, b in zip(values, places(others, label), strict=True)]
        mean = Fraction(sum(values), len(values))
        total += sum((v - mean) ** 2 for v in values) / (len(values) * (len(values) - 1))
    return total
