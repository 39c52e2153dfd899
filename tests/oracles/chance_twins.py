"""Slow twins of guessing: every table, every number predicted positive, exact weights; no NumPy.

Values are fractions, or 60-digit decimals where a metric takes a square root (then two numbers are
the same if they agree to 45 digits). None means undefined.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

from oracles import metric_twins

DIGITS = 60
SAME = Decimal(10) ** -45


def root(x):
    x = Fraction(x)
    return (Decimal(x.numerator) / Decimal(x.denominator)).sqrt()


def decimal(x):
    return x if isinstance(x, Decimal) else Decimal(x.numerator) / Decimal(x.denominator)


def _mcc(tp, fn, fp, tn):
    margins = (tp + fn) * (tp + fp) * (tn + fp) * (tn + fn)
    return decimal(Fraction(tp * tn - fp * fn)) / _divisor(root(margins))


def _divisor(x):
    if x == 0:
        raise metric_twins.UndefinedError
    return x


def _prevalence_threshold(*t):
    hit, alarm = root(metric_twins.recall(*t)), root(metric_twins.fpr(*t))
    return alarm / _divisor(hit + alarm)


def _prevalence_threshold_strict(*t):
    r, f = metric_twins.recall(*t), metric_twins.fpr(*t)
    return (root(r * f) - decimal(f)) / decimal(Fraction(_divisor(r - f)))


def _yule_y(tp, fn, fp, tn):
    good, bad = root(tp * tn), root(fp * fn)
    return (good - bad) / _divisor(good + bad)


def _robust_mcc(d):
    def value(*t):
        n = sum(t)
        pi, g = metric_twins.over(t[0] + t[1], n), metric_twins.over(t[0] + t[2], n)
        j = metric_twins.recall(*t) + metric_twins.specificity(*t) - 1
        return decimal(Fraction(j)) * root(d + pi * (1 - pi)) / _divisor(root(d + g * (1 - g)))

    return value


ROOTS = {
    "matthews_correlation": _mcc,
    "fowlkes_mallows": lambda *t: root(metric_twins.precision(*t) * metric_twins.recall(*t)),
    "geometric_mean": lambda *t: root(metric_twins.recall(*t) * metric_twins.specificity(*t)),
    "prevalence_threshold": _prevalence_threshold,
    "prevalence_threshold_strict": _prevalence_threshold_strict,
    "yule_y": _yule_y,
    "robust_mcc(d=0.125)": _robust_mcc(Fraction(1, 8)),
    "robust_mcc(d=0)": _mcc,
}
NAMES = tuple(metric_twins.TWINS)

# Rates within one class are the same at every base rate, even where the other class is empty.
ONE_CLASS = ("recall", "false_negative_rate", "false_positive_rate", "specificity")


@cache
def value(name, pi, tp, fn, fp, tn):
    """Return the metric's value, restated at base rate `pi` unless that is None."""
    if pi is not None and name not in ONE_CLASS:
        n, positive, negative = tp + fn + fp + tn, tp + fn, fp + tn
        if not positive or not negative:
            return None
        up, down = Fraction(pi) * n / positive, (1 - Fraction(pi)) * n / negative
        tp, fn, fp, tn = tp * up, fn * up, fp * down, tn * down
    with localcontext() as context:
        context.prec = DIGITS
        try:
            if name in ROOTS:
                return ROOTS[name](tp, fn, fp, tn)
            return Fraction(metric_twins.TWINS[name](tp, fn, fp, tn))
        except metric_twins.UndefinedError:
            return None


def tables(n_positive, n_negative, k):
    """Yield (ways, table) of k cases predicted positive blindly."""
    for tp in range(max(0, k - n_negative), min(n_positive, k) + 1):
        table = (tp, n_positive - tp, k - tp, n_negative - k + tp)
        yield comb(n_positive, tp) * comb(n_negative, k - tp), table


def moments(atoms):
    """Return (mean, variance) of weighted values, or None if one is undefined."""
    atoms = list(atoms)
    if any(v is None for _, v in atoms):
        return None
    with localcontext() as context:
        context.prec = DIGITS
        if any(isinstance(v, Decimal) for _, v in atoms):
            atoms = [(decimal(Fraction(w)), decimal(v)) for w, v in atoms]
        total = sum(w for w, _ in atoms)
        mean = sum(w * v for w, v in atoms) / total
        return mean, sum(w * (v - mean) ** 2 for w, v in atoms) / total


@cache
def curve(name, n_positive, n_negative, pi=None):
    """Return (mean, variance) for every number predicted positive; None where undefined."""
    return [
        moments((w, value(name, pi, *t)) for w, t in tables(n_positive, n_negative, k))
        for k in range(n_positive + n_negative + 1)
    ]


def optimum(name, n_positive, n_negative, goal, pi=None, within=None):
    """Return the extreme mean over all k (or those `within`), and every k that attains it."""
    means = {
        k: m[0]
        for k, m in enumerate(curve(name, n_positive, n_negative, pi))
        if m is not None and (within is None or within[0] <= k <= within[1])
    }
    if not means:
        return None, []
    best = (max if goal == "max" else min)(means.values())
    with localcontext() as context:
        context.prec = DIGITS
        return best, [k for k, m in means.items() if m == best or abs(m - best) < SAME]


def guess(name, n_positive, n_negative, g, pi=None):
    """Return (mean given defined, P(defined)) when each case is called positive with chance g."""
    g = Fraction(g)
    atoms = [
        (_binomial(n_positive, tp, g) * _binomial(n_negative, fp, g), (tp, fp))
        for tp, fp in product(range(n_positive + 1), range(n_negative + 1))
    ]
    known = [
        (w, v)
        for w, (tp, fp) in atoms
        if w and (v := value(name, pi, tp, n_positive - tp, fp, n_negative - fp)) is not None
    ]
    return (moments(known)[0] if known else None), sum(w for w, _ in known)


def _binomial(n, k, g):
    return comb(n, k) * g**k * (1 - g) ** (n - k)


def at_least_as_good(name, n_positive, n_negative, k, score, higher):
    """Return the exact probability that a blind guess is defined and does no worse than `score`."""
    good = sum(
        w
        for w, t in tables(n_positive, n_negative, k)
        if (v := value(name, None, *t)) is not None and (v >= score if higher else v <= score)
    )
    return Fraction(good, comb(n_positive + n_negative, k))


def ranges(numbers):
    """Write sorted integers as inclusive ranges."""
    out = []
    for k in numbers:
        if out and out[-1][1] == k - 1:
            out[-1] = (out[-1][0], k)
        else:
            out.append((k, k))
    return tuple(out)
