"""Arithmetic shared by every layer: division that knows where it is undefined, ties, digits."""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce
from math import inf
from numbers import Integral
from typing import Any

import numpy as np

from baserate.errors import UnsupportedError

# Two values count as equal within this relative tolerance (or a hundredth of it, relative to what
# is typical). Metrics in double precision err by a few units of 1e-16; different values of tables
# of up to about 10^5 cases differ by more. A Fraction asks for exact ties instead.
TIE = 1e-12
# What some dozens of roundings may add up to, relative to the terms that are summed.
ROUNDING = 1e-14
# A difference that is so many times smaller than its terms needs their rounding back; of others it
# is at most 16 units in the last place.
CANCELS = 16
# Times that counts of a table may differ: a product of two keeps its digits.
FARTHEST = 1e150
EXTREME = 200  # binary exponent beyond which a product of four counts may leave the floats
# No traps: a zero denominator gives nan, as it does for floats.
_CONTEXT = Context(prec=50, traps=[])


def ratio(top: Any, bottom: Any) -> Any:
    """Divide elementwise; any zero denominator (x/0 as well as 0/0) gives nan, without a warning.

    Works for real and complex arrays, so that a complex step differentiates whatever uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate._arith import ratio
    >>> ratio(np.array([1.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    array([0.5, nan, nan])
    """
    if isinstance(bottom, float) and isinstance(top, float):  # one table, as asked most often
        return top / bottom if bottom else np.nan
    zero = np.equal(bottom, 0)
    if not zero.any():
        return np.asarray(top / bottom)
    return np.where(zero, np.nan, top / np.where(zero, 1, bottom))


def determinant(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    """Return tp tn - fp fn, zero only where it is zero.

    A plain difference of two rounded products loses its sign above counts of about 10^8. Both
    rounding errors are known exactly (Dekker 1971), so they are put back where products nearly
    cancel. Complex numbers and other kinds take the plain way.

    Examples
    --------
    >>> from baserate._arith import determinant
    >>> n = 1e9
    >>> determinant(n + 1, n, n, n - 1), (n + 1) * (n - 1) - n * n
    (-1.0, 0.0)
    """
    good, bad = tp * tn, fp * fn
    found = good - bad
    if not isinstance(good, float) and np.asarray(good).dtype != np.float64:
        return found
    near = np.abs(found) * CANCELS < np.abs(good)
    if np.ndim(found) == 0:
        return found + (_rounding(tp, tn, good) - _rounding(fp, fn, bad)) if near else found
    if near.any():
        every = (np.broadcast_to(x, found.shape)[near] for x in (tp, fn, fp, tn, good, bad))
        tp, fn, fp, tn, good, bad = every
        found[near] += _rounding(tp, tn, good) - _rounding(fp, fn, bad)
    return found


def _rounding(a: Any, b: Any, product: Any) -> Any:
    """Return a b - product without error: both factors split into halves of 26 bits."""
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)


def _halves(x: Any) -> tuple[Any, Any]:
    shifted = x * 134217729.0  # 2^27 + 1
    high = shifted - (shifted - x)
    return high, x - high


def in_range(cells: Sequence[Any]) -> list[Any]:
    """Scale tables of huge or tiny weights by a power of two, so that no product overflows.

    Other numbers than floats, such as complex steps, stay as they are.
    """
    if all(isinstance(cell, float) for cell in cells):  # one table, as asked most often
        if 2.0**-EXTREME <= max(cells) < 2.0**EXTREME:
            return [*cells]
    elif not all(np.asarray(cell).dtype.kind == "f" for cell in cells):
        return [*cells]
    largest = reduce(np.maximum, cells)
    if largest.size and largest.min() >= 2.0**-EXTREME and largest.max() < 2.0**EXTREME:
        return [*cells]  # as nearly always, and quickly seen
    _, power = np.frexp(largest)
    power = np.where(np.abs(power) > EXTREME, power, 0)
    return [np.ldexp(cell, -power) for cell in cells] if np.any(power) else [*cells]


def refuse_far_apart(name: str, cells: list[Any]) -> None:
    """Refuse tables where a product of counts is lost beside another."""
    counts = np.array(np.broadcast_arrays(*cells))
    least = np.where(counts > 0, counts, np.inf).min(axis=0)
    if np.any(counts.max(axis=0) / FARTHEST > least):
        raise UnsupportedError(
            f"{name} has no value that a float holds where weights of one table differ by more "
            f"than {FARTHEST:g} times: leave out cases that weigh nothing beside others."
        )


def slack(x: Any, typical: float = 1.0, spread: float = inf) -> Any:
    """Return the distance from x, a number or an array, that still counts as equal.

    Values near 0 are differences of `typical` ones, and round as these do; values that lie within
    a `spread` smaller than themselves differ by less than they are.

    Examples
    --------
    >>> from baserate._arith import slack
    >>> slack(0.0), slack(-2.0), slack(0.0, typical=1e-14), slack(1.0, spread=1e-6)
    (1e-14, 2e-12, 1e-28, 1e-14)
    """
    if type(x) is float:  # many tests ask about one value each
        size = abs(x)
        least = min(max(size, 0.01 * typical), spread)
        return max(TIE * least, ROUNDING * size) if size < inf else 0.0
    size = np.where(np.isfinite(x), np.abs(x), 0.0)
    width = np.maximum(TIE * np.clip(size, 0.01 * typical, spread), ROUNDING * size)
    return plain(np.where(np.isfinite(x), width, 0.0))


def plain(value: Any) -> Any:
    """Turn a 0-d array into the Python number it holds; leave other arrays alone."""
    return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value


class ExactNumber:
    """A decimal of fifty digits that mixes with ints, floats (by their exact value) and fractions.

    Square roots work through ``np.sqrt``, which calls the method on arrays of objects.

    Examples
    --------
    >>> from baserate._arith import ExactNumber
    >>> import numpy as np
    >>> two = np.array([ExactNumber.of(2)])
    >>> (np.sqrt(two) * np.sqrt(two) - 2 < 1e-40).item()
    True
    """

    __slots__ = ("decimal",)

    def __init__(self, decimal: Decimal) -> None:
        self.decimal = decimal

    @classmethod
    def of(cls, value: Any) -> "ExactNumber":
        """Return the number with exactly this value, or a fraction to fifty digits."""
        if isinstance(value, ExactNumber):
            return value
        if isinstance(value, Fraction):
            top, bottom = Decimal(value.numerator), Decimal(value.denominator)
            return cls(_CONTEXT.divide(top, bottom))
        if isinstance(value, Integral):
            return cls(Decimal(int(value)))
        return cls(Decimal(float(value)))

    def sqrt(self) -> "ExactNumber":
        """Return the square root; nan below zero."""
        return ExactNumber(_CONTEXT.sqrt(self.decimal))

    def conjugate(self) -> "ExactNumber":
        """Return the number itself."""
        return self

    def __add__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.add, self, other)

    def __sub__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.subtract, self, other)

    def __mul__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.multiply, self, other)

    def __truediv__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.divide, self, other)

    def __pow__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.power, self, other)

    def __rsub__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.subtract, other, self)

    def __rtruediv__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.divide, other, self)

    def __rpow__(self, other: Any) -> "ExactNumber":
        return _apply(_CONTEXT.power, other, self)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> "ExactNumber":
        return ExactNumber(_CONTEXT.minus(self.decimal))

    def __abs__(self) -> "ExactNumber":
        return ExactNumber(_CONTEXT.abs(self.decimal))

    def __float__(self) -> float:
        return float(self.decimal)

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        return hash(self.decimal)

    def __eq__(self, other: object) -> bool:
        return _sign(self, other) == 0

    def __lt__(self, other: Any) -> bool:
        return _sign(self, other) == -1

    def __gt__(self, other: Any) -> bool:
        return _sign(self, other) == 1

    def __le__(self, other: Any) -> bool:
        return _sign(self, other) in {-1, 0}

    def __ge__(self, other: Any) -> bool:
        return _sign(self, other) in {0, 1}


def _apply(operation: Callable[[Decimal, Decimal], Decimal], a: Any, b: Any) -> ExactNumber:
    return ExactNumber(operation(ExactNumber.of(a).decimal, ExactNumber.of(b).decimal))


def _sign(a: Any, b: Any) -> float:
    """Return -1, 0 or 1; nan where either number is nan, which no comparison matches."""
    return float(_CONTEXT.compare(ExactNumber.of(a).decimal, ExactNumber.of(b).decimal))
