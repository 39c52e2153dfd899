"""Burger and Meertens' approximations of what guessing scores, as printed in their tables 2 and 4.

Second-order Taylor terms around the mean table, in their own letters: a = n₁/n, d = 2a - 1.
"""

from collections.abc import Callable
from math import nan, sqrt
from typing import NamedTuple

from baserate.errors import UnsupportedError
from baserate.metrics import Metric


class Setting(NamedTuple):
    """Base rate a, chance g of calling a case positive, and number of cases n."""

    a: float
    g: float
    n: int

    @property
    def d(self) -> float:
        """Imbalance: 2a - 1."""
        return 2 * self.a - 1

    @property
    def q(self) -> float:
        """Return n (1 + d)(1 - d)."""
        return self.n * (1 + self.d) * (1 - self.d)

    @property
    def swapped(self) -> "Setting":
        """The other class called positive."""
        return Setting(1 - self.a, 1 - self.g, self.n)


def _f1(s: Setting) -> float:
    a, g, n = s
    return 2 * a * g * (1 / (a + g) - a * (1 - g) / (n * (a + g) ** 3))


def _balanced_f1(s: Setting) -> float:
    c = 1 + 2 * s.g
    return 2 * s.g * (1 / c - 2 * (1 - s.d * c) * (1 - s.g) / (s.q * c**3))


def _balanced_precision(s: Setting) -> float:
    return 0.5 + s.d * (1 - s.g) / (2 * s.q * s.g)


def _skew(s: Setting) -> float:
    return s.d * (1 - 2 * s.g) / (2 * s.q)


Approximation = Callable[[Setting], float]

_SHARED: dict[str, Approximation] = {
    "recall": lambda s: s.g,
    "specificity": lambda s: 1 - s.g,
    "balanced_accuracy": lambda _: 0.5,
    "informedness": lambda _: 0.0,
}
PLAIN: dict[str, Approximation] = _SHARED | {
    "accuracy": lambda s: s.a * s.g + (1 - s.a) * (1 - s.g),
    "precision": lambda s: s.a,
    "negative_predictive_value": lambda s: 1 - s.a,
    "markedness": lambda _: 0.0,
    "matthews_correlation": lambda _: 0.0,
    "f1": _f1,
    "negative_f1": lambda s: _f1(s.swapped),
}
BALANCED: dict[str, Approximation] = _SHARED | {
    "accuracy": lambda _: 0.5,
    "precision": _balanced_precision,
    "negative_predictive_value": lambda s: _balanced_precision(s.swapped),
    "markedness": lambda s: _skew(s) / (s.g * (1 - s.g)),
    "matthews_correlation": lambda s: _skew(s) / sqrt(s.g * (1 - s.g)),
    "f1": _balanced_f1,
    "negative_f1": lambda s: _balanced_f1(s.swapped),
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
        return float(TABLES[metric.name](Setting(n_positive / n, g, n)))
    except ZeroDivisionError:
        return nan
