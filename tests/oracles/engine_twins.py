"""Tables of rows in plain Python: one row after the other, a missing value being None or nan."""

from collections import Counter
from fractions import Fraction


def missing(value):
    """Whether there is no value; nan alone differs from itself."""
    return value is None or value != value  # noqa: PLR0124


def gaps(rows, columns):
    """Count the missing values of each column that has some."""
    found = Counter(name for row in rows for name in columns if missing(row[name]))
    return {name: found[name] for name in columns if found[name]}


def complete(rows, columns):
    """Keep the rows that lack nothing."""
    return [row for row in rows if not any(missing(row[name]) for name in columns)]


def table(rows, is_positive, decided, weight=None):
    """Count tp, fn, fp, tn; weights are summed as fractions."""
    cells = {"tp": Fraction(0), "fn": Fraction(0), "fp": Fraction(0), "tn": Fraction(0)}
    names = {(True, True): "tp", (True, False): "fn", (False, True): "fp", (False, False): "tn"}
    for row in rows:
        amount = 1 if weight is None else Fraction(row[weight])
        cells[names[bool(is_positive(row)), bool(decided(row))]] += amount
    return cells


def by_group(rows, groups):
    """Return the rows of each combination of groups."""
    parts = {}
    for row in rows:
        parts.setdefault(tuple(row[name] for name in groups), []).append(row)
    return parts


def roc_area(rows, is_positive, score):
    """Return the share of pairs that are in order, ties counting half."""
    high = [row[score] for row in rows if is_positive(row)]
    low = [row[score] for row in rows if not is_positive(row)]
    won = sum(Fraction((p > n) * 2 + (p == n), 2) for p in high for n in low)
    return won / (len(high) * len(low))


def best_cuts(rows, is_positive, score, value):
    """Return the best value over all cut points, the cut points that reach it, and their tables."""
    cuts = {}
    for at in sorted({row[score] for row in rows}):
        cuts[at] = table(rows, is_positive, lambda row, at=at: row[score] >= at)
    values = {at: value(**cells) for at, cells in cuts.items()}
    best = max(values.values())
    return best, {at: cuts[at] for at in cuts if values[at] == best}


def discordant(rows, is_positive, a, b):
    """Count cases that one of two predictions has right: positives by a, by b, then negatives."""
    found = Counter()
    for row in rows:
        truth = bool(is_positive(row))
        right = [bool(decided(row)) == truth for decided in (a, b)]
        if right[0] != right[1]:
            found[truth, "a" if right[0] else "b"] += 1
    return [found[True, "a"], found[True, "b"], found[False, "a"], found[False, "b"]]
