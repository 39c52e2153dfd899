"""Slow twins of every metric in exact fractions, from the definitions; no NumPy, no baserate.

Forms: the published definitions, composed literally (precision out of counts, F1 out of precision
and recall, kappa out of observed and expected agreement, ...). None means undefined: some
denominator of the definition is zero.
"""

from fractions import Fraction
from math import sqrt


class UndefinedError(ZeroDivisionError):
    pass


def over(top, bottom):
    if bottom == 0:
        raise UndefinedError
    return Fraction(top) / Fraction(bottom)


def recall(tp, fn, fp, tn):
    return over(tp, tp + fn)


def specificity(tp, fn, fp, tn):
    return over(tn, tn + fp)


def precision(tp, fn, fp, tn):
    return over(tp, tp + fp)


def npv(tp, fn, fp, tn):
    return over(tn, tn + fn)


def fpr(*t):
    return 1 - specificity(*t)


def f_beta(b):
    def value(tp, fn, fp, tn):
        b2 = Fraction(b) ** 2
        return over((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)

    return value


def kappa(tp, fn, fp, tn):
    n = tp + fn + fp + tn
    observed = over(tp + tn, n)
    expected = over((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn), n * n)
    return over(observed - expected, 1 - expected)


def gilbert(tp, fn, fp, tn):
    random_hits = over((tp + fn) * (tp + fp), tp + fn + fp + tn)
    return over(tp - random_hits, tp + fn + fp - random_hits)


def mcc(tp, fn, fp, tn):
    margins = (tp + fn) * (tp + fp) * (tn + fp) * (tn + fn)
    if margins == 0:
        raise UndefinedError
    return (tp * tn - fp * fn) / sqrt(margins)


def chi_squared(tp, fn, fp, tn):
    """Sum (observed - expected)^2 / expected over the four cells."""
    n, total = tp + fn + fp + tn, Fraction(0)
    for cell, row, column in (
        (tp, tp + fn, tp + fp),
        (fn, tp + fn, fn + tn),
        (fp, fp + tn, tp + fp),
        (tn, fp + tn, fn + tn),
    ):
        expected = over(row * column, n)
        total += over((cell - expected) ** 2, expected)
    return total


def yule_y(tp, fn, fp, tn):
    good, bad = sqrt(tp * tn), sqrt(fp * fn)
    if good + bad == 0:
        raise UndefinedError
    return (good - bad) / (good + bad)


def prevalence_threshold(*t):
    hit, alarm = sqrt(recall(*t)), sqrt(fpr(*t))
    if hit + alarm == 0:
        raise UndefinedError
    return alarm / (hit + alarm)


def prevalence_threshold_strict(*t):
    r, f = recall(*t), fpr(*t)
    if r == f:
        raise UndefinedError
    return (sqrt(r * f) - float(f)) / float(r - f)


def robust_f(d0, d1, c):
    def value(tp, fn, fp, tn):
        n = tp + fn + fp + tn
        pi, g = over(tp + fn, n), over(tp + fp, n)
        scale = (over(d0, pi) + d1 + 1) / (1 + Fraction(c)) if d0 else Fraction(d1 + 1) / (1 + c)
        return scale * over(c * pi + Fraction(tp, n), d0 + d1 * pi + g)

    return value


def robust_mcc(d):
    def value(*t):
        n = sum(t)
        pi, g = over(t[0] + t[1], n), over(t[0] + t[2], n)
        j = recall(*t) + specificity(*t) - 1
        if d + g * (1 - g) == 0:
            raise UndefinedError
        return float(j) * sqrt(d + pi * (1 - pi)) / sqrt(d + g * (1 - g))

    return value


def share(pick):
    return lambda tp, fn, fp, tn: over(pick(tp, fn, fp, tn), tp + fn + fp + tn)


TWINS = {
    "true_positives": lambda tp, fn, fp, tn: tp,
    "false_negatives": lambda tp, fn, fp, tn: fn,
    "false_positives": lambda tp, fn, fp, tn: fp,
    "true_negatives": lambda tp, fn, fp, tn: tn,
    "predicted_positives": lambda tp, fn, fp, tn: tp + fp,
    "predicted_negatives": lambda tp, fn, fp, tn: fn + tn,
    "accuracy": share(lambda tp, fn, fp, tn: tp + tn),
    "error_rate": share(lambda tp, fn, fp, tn: fp + fn),
    "base_rate": share(lambda tp, fn, fp, tn: tp + fn),
    "negative_base_rate": share(lambda tp, fn, fp, tn: fp + tn),
    "predicted_positive_rate": share(lambda tp, fn, fp, tn: tp + fp),
    "predicted_negative_rate": share(lambda tp, fn, fp, tn: fn + tn),
    "recall": recall,
    "false_negative_rate": lambda *t: 1 - recall(*t),
    "false_positive_rate": fpr,
    "specificity": specificity,
    "precision": precision,
    "negative_predictive_value": npv,
    "false_discovery_rate": lambda *t: 1 - precision(*t),
    "false_omission_rate": lambda *t: 1 - npv(*t),
    "f1": f_beta(1),
    "f05": f_beta(Fraction(1, 2)),
    "f2": f_beta(2),
    "negative_f1": lambda tp, fn, fp, tn: f_beta(1)(tn, fp, fn, tp),
    "f1_harmonic": lambda *t: 2 / (over(1, precision(*t)) + over(1, recall(*t))),
    "jaccard": lambda tp, fn, fp, tn: over(tp, tp + fn + fp),
    "fowlkes_mallows": lambda *t: sqrt(precision(*t) * recall(*t)),
    "geometric_mean": lambda *t: sqrt(recall(*t) * specificity(*t)),
    "balanced_accuracy": lambda *t: (recall(*t) + specificity(*t)) / 2,
    "informedness": lambda *t: recall(*t) + specificity(*t) - 1,
    "markedness": lambda *t: precision(*t) + npv(*t) - 1,
    "matthews_correlation": mcc,
    "chi_squared": chi_squared,
    "cohen_kappa": kappa,
    "prevalence_threshold": prevalence_threshold,
    "prevalence_threshold_strict": prevalence_threshold_strict,
    "yule_q": lambda tp, fn, fp, tn: over(tp * tn - fp * fn, tp * tn + fp * fn),
    "yule_y": yule_y,
    "gilbert_skill_score": gilbert,
    "positive_likelihood_ratio": lambda *t: over(recall(*t), fpr(*t)),
    "negative_likelihood_ratio": lambda *t: over(1 - recall(*t), specificity(*t)),
    "diagnostic_odds_ratio": lambda tp, fn, fp, tn: over(tp * tn, fp * fn),
    "lift": lambda *t: over(precision(*t), over(t[0] + t[1], sum(t))),
    "error_ratio": lambda tp, fn, fp, tn: over(fn, fp),
    "marginal_benefit": share(lambda tp, fn, fp, tn: fp - fn),
    "f_beta(beta=3)": f_beta(3),
    "weighted_accuracy(weight=0.75)": share(lambda tp, fn, fp, tn: (3 * tp + Fraction(tn)) / 4),
    "robust_f(d0=0.125, d1=1, c=0)": robust_f(Fraction(1, 8), 1, 0),
    "robust_f(d0=0.125, d1=4, c=1)": robust_f(Fraction(1, 8), 4, 1),
    "robust_f(d0=0, d1=4, c=0)": robust_f(0, 4, 0),
    "robust_mcc(d=0.125)": robust_mcc(Fraction(1, 8)),
    "robust_mcc(d=0)": mcc,
    "utility([[15, -335], [-35, 165]])": share(
        lambda tp, fn, fp, tn: 15 * tp - 335 * fp - 35 * fn + 165 * tn
    ),
    "cost_per_case(fn=10, fp=1)": share(lambda tp, fn, fp, tn: 10 * fn + fp),
    "net_benefit(threshold=0.2)": share(lambda tp, fn, fp, tn: tp - Fraction(fp, 4)),
}


def value(name, tp, fn, fp, tn):
    """Return the twin's value as a float, or None where it is undefined."""
    try:
        return float(TWINS[name](tp, fn, fp, tn))
    except UndefinedError:
        return None


def at_base_rate(name, pi, tp, fn, fp, tn):
    """Return the twin's value at the table reweighted to base rate `pi`; total n kept."""
    n, positive, negative = tp + fn + fp + tn, tp + fn, fp + tn
    if positive == 0 or negative == 0:
        return None
    up, down = Fraction(pi) * n / positive, (1 - Fraction(pi)) * n / negative
    return value(name, tp * up, fn * up, fp * down, tn * down)
