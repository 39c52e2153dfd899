"""Many digits, for the few comparisons that sixteen cannot decide.

Formulas are + - * / and square roots, so they also take arrays of numbers of this kind.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any, NamedTuple, Self

import numpy as np

from baserate._windows import hypergeometric_support
from baserate.metrics import Metric

DIGITS = 60
# Sums of thousands of terms still agree to this many digits if they are equal; results that went
# through a float on the way agree to fewer.
_SAME, _SAME_FLOAT = Decimal(10) ** -45, Decimal(10) ** -14


class Digits:
    """A decimal that mixes with floats, each taken for exactly what it is."""

    __slots__ = ("number",)

    def __init__(self, number: Any) -> None:
        self.number = _decimal(number)

    def __add__(self, other: Any) -> Self:
        return type(self)(self.number + _decimal(other))

    def __sub__(self, other: Any) -> Self:
        return type(self)(self.number - _decimal(other))

    def __rsub__(self, other: Any) -> Self:
        return type(self)(_decimal(other) - self.number)

    def __mul__(self, other: Any) -> Self:
        return type(self)(self.number * _decimal(other))

    def __truediv__(self, other: Any) -> Self:
        return type(self)(self.number / _decimal(other))

    def __rtruediv__(self, other: Any) -> Self:
        return type(self)(_decimal(other) / self.number)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return type(self)(-self.number)

    def __eq__(self, other: object) -> bool:
        return self.number == _decimal(other)

    def __lt__(self, other: Any) -> bool:
        return self.number < _decimal(other)

    def __gt__(self, other: Any) -> bool:
        return self.number > _decimal(other)

    def __hash__(self) -> int:
        return hash(self.number)

    def __float__(self) -> float:
        return float(self.number)

    def sqrt(self) -> Self:
        """Return the square root; this is what ``np.sqrt`` calls."""
        return type(self)(self.number.sqrt())


class PreciseMean(NamedTuple):
    """A mean with many digits, the mean size of its terms, and how far to trust equality."""

    mean: Decimal
    scale: Decimal
    same: Decimal

    def agrees(self, other: "PreciseMean") -> bool:
        """Whether two means are the same number."""
        slack = max(self.same, other.same) * max(self.scale, other.scale)
        return abs(self.mean - other.mean) <= slack


def precise_expectation(
    metric: Metric, n_positive: int, n_negative: int, n_predicted: int
) -> PreciseMean:
    """Return the mean of a metric that is defined on the whole support, to about 50 digits."""
    low, high = hypergeometric_support(n_positive, n_negative, n_predicted)
    tp = range(low, high + 1)
    spare = n_negative - n_predicted
    with localcontext() as context:
        context.prec = DIGITS
        weights = [Decimal(1)]
        for t in tp[:-1]:
            up, down = (n_positive - t) * (n_predicted - t), (t + 1) * (spare + t + 1)
            weights.append(weights[-1] * up / down)
        columns = ([f(t) for t in tp] for f in _cells(n_positive, n_negative, n_predicted))
        values, exact = _precise_values(metric, *columns)
        total = sum(weights)
        terms = [w * v for w, v in zip(weights, values, strict=True)]
        mean, scale = sum(terms) / total, sum(map(abs, terms)) / total
        return PreciseMean(Decimal(mean), Decimal(scale), _SAME if exact else _SAME_FLOAT)


def _cells(p: int, q: int, k: int) -> tuple[Callable[[int], int], ...]:
    return (lambda t: t), (lambda t: p - t), (lambda t: k - t), (lambda t: q - k + t)


def _precise_values(metric: Metric, *columns: list[int]) -> tuple[list[Decimal], bool]:
    """Return the metric's values; False with them if the formula turned them into floats."""
    cells = (np.array([Digits(c) for c in column], dtype=object) for column in columns)
    values = np.asarray(metric.formula(*cells))
    return [_decimal(v) for v in values], values.dtype == object


def _decimal(number: Any) -> Any:
    if isinstance(number, Digits):
        return number.number
    if isinstance(number, Decimal):
        return number
    return Decimal(int(number) if isinstance(number, int | np.integer) else float(number))
