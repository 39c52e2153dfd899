"""A number of fifty digits and its derivative: formulas run on it and differentiate themselves."""

from typing import Any

from baserate._arith import ExactNumber

_ZERO = ExactNumber.of(0)


class Dual:
    """v + e ε with ε² = 0; it mixes with plain numbers, whose derivative is zero.

    Beside the slope e runs its size, the sum of the absolute terms that it was made of: where the
    slope is smaller by nearly fifty digits, cancellation has left nothing of it. Comparisons see
    the value, so NumPy's maximum and absolute value work. Square roots come from ``np.sqrt`` on
    arrays of objects.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([Dual.moving(4, 1)])
    >>> float((np.sqrt(x) / (1 + x))[0].slope)  # (1 - x)/(2 sqrt(x) (1 + x)²)
    -0.03
    """

    __slots__ = ("size", "slope", "value")

    def __init__(self, value: ExactNumber, slope: ExactNumber, size: ExactNumber) -> None:
        self.value = value
        self.slope = slope
        self.size = size

    @classmethod
    def moving(cls, value: Any, slope: int) -> "Dual":
        """Return a variable that moves with this slope."""
        return cls(ExactNumber.of(value), ExactNumber.of(slope), ExactNumber.of(abs(slope)))

    @classmethod
    def of(cls, number: Any) -> "Dual":
        """Return a constant, or the dual number itself."""
        return number if isinstance(number, Dual) else cls(ExactNumber.of(number), _ZERO, _ZERO)

    def sqrt(self) -> "Dual":
        """Return the square root; its derivative is nan at zero."""
        root = self.value.sqrt()
        return Dual(root, self.slope / (2 * root), self.size / (2 * root))

    def conjugate(self) -> "Dual":
        """Return the number itself."""
        return self

    def __add__(self, other: Any) -> "Dual":
        b = Dual.of(other)
        return Dual(self.value + b.value, self.slope + b.slope, self.size + b.size)

    def __neg__(self) -> "Dual":
        return Dual(-self.value, -self.slope, self.size)

    def __mul__(self, other: Any) -> "Dual":
        b = Dual.of(other)
        slope = self.slope * b.value + self.value * b.slope
        return Dual(
            self.value * b.value, slope, self.size * abs(b.value) + abs(self.value) * b.size
        )

    def __truediv__(self, other: Any) -> "Dual":
        b = Dual.of(other)
        quotient = self.value / b.value
        slope = (self.slope - quotient * b.slope) / b.value
        return Dual(quotient, slope, (self.size + abs(quotient) * b.size) / abs(b.value))

    def __pow__(self, power: Any) -> "Dual":
        if isinstance(power, Dual):
            return NotImplemented
        outer = self.value ** (power - 1) * power
        return Dual(self.value**power, outer * self.slope, abs(outer) * self.size)

    def __sub__(self, other: Any) -> "Dual":
        return self + -Dual.of(other)

    def __rsub__(self, other: Any) -> "Dual":
        return Dual.of(other) - self

    def __rtruediv__(self, other: Any) -> "Dual":
        return Dual.of(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> "Dual":
        return -self if self.value < 0 else self

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash((self.value, self.slope))

    def __eq__(self, other: object) -> bool:
        return self.value == Dual.of(other).value

    def __lt__(self, other: Any) -> bool:
        return self.value < Dual.of(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > Dual.of(other).value

    def __le__(self, other: Any) -> bool:
        return self.value <= Dual.of(other).value

    def __ge__(self, other: Any) -> bool:
        return self.value >= Dual.of(other).value
