"""Numbers of fifty digits that NumPy computes with: any metric's formula runs on them."""

from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

# No traps: a zero denominator gives nan, as it does for floats.
_CONTEXT = Context(prec=50, traps=[])


class ExactNumber:
    """A decimal of fifty digits that mixes with ints, floats (by their exact value) and fractions.

    Square roots work through ``np.sqrt``, which calls the method on arrays of objects.

    Examples
    --------
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
        if isinstance(value, int | np.integer):
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
