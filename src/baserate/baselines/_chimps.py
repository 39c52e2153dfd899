"""Burger and Meertens' approximations of what guessing scores, as printed in their tables 2 and 4.

Second-order Taylor terms around the mean table: a = n₁/n, d = 2a - 1, q = n (1 + d)(1 - d).
"""

from collections.abc import Callable
from math import nan, sqrt

from baserate.errors import UnsupportedError
from baserate.metrics import Metric

Approximation = Callable[[float, float, int], float]  # of the base rate a, the guess g, and n


def _q(a: float, n: int) -> float:
    return n * 4 * a * (1 - a)


def _f1(a: float, g: float, n: int) -> float:
    return 2 * a * g * (1 / (a + g) - a * (1 - g) / (n * (a + g) ** 3))


def _balanced_f1(a: float, g: float, n: int) -> float:
    d, c = 2 * a - 1, 1 + 2 * g
    return 2 * g * (1 / c - 2 * (1 - d * c) * (1 - g) / (_q(a, n) * c**3))


def _balanced_precision(a: float, g: float, n: int) -> float:
    return 0.5 + (2 * a - 1) * (1 - g) / (2 * _q(a, n) * g)


def _skew(a: float, g: float, n: int) -> float:
    return (2 * a - 1) * (1 - 2 * g) / (2 * _q(a, n))


PLAIN: dict[str, Approximation] = {
    "accuracy": lambda a, g, n: a * g + (1 - a) * (1 - g),
    "recall": lambda a, g, n: g,
    "specificity": lambda a, g, n: 1 - g,
    "precision": lambda a, g, n: a,
    "negative_predictive_value": lambda a, g, n: 1 - a,
    "balanced_accuracy": lambda a, g, n: 0.5,
    "informedness": lambda a, g, n: 0.0,
    "markedness": lambda a, g, n: 0.0,
    "matthews_correlation": lambda a, g, n: 0.0,
    "f1": _f1,
    "negative_f1": lambda a, g, n: _f1(1 - a, 1 - g, n),
}
BALANCED: dict[str, Approximation] = {
    "accuracy": lambda a, g, n: 0.5,
    "recall": PLAIN["recall"],
    "specificity": PLAIN["specificity"],
    "precision": _balanced_precision,
    "negative_predictive_value": lambda a, g, n: _balanced_precision(1 - a, 1 - g, n),
    "balanced_accuracy": lambda a, g, n: 0.5,
    "informedness": lambda a, g, n: 0.0,
    "markedness": lambda a, g, n: _skew(a, g, n) / (g * (1 - g)),
    "matthews_correlation": lambda a, g, n: _skew(a, g, n) / sqrt(g * (1 - g)),
    "f1": _balanced_f1,
    "negative_f1": lambda a, g, n: _balanced_f1(1 - a, 1 - g, n),
}
TABLES = PLAIN | {f"{name}.at_base_rate(0.5)": rule for name, rule in BALANCED.items()}


def approximation(metric: Metric, n_positive: int, n_negative: int, g: float) -> float:
    """Return the printed approximation; nan where the formula divides by zero."""
    if metric.name not in TABLES:
        raise UnsupportedError(
            f"The paper has no approximation for {metric.name}, only for {', '.join(PLAIN)} and "
            f"these at base rate 0.5: use method='exact'."
        )
    n = n_positive + n_negative
    try:
        return float(TABLES[metric.name](n_positive / n, g, n))
    except ZeroDivisionError:
        return nan
