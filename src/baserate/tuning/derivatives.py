"""The two partial derivatives of any metric: how it gains from recall and from specificity.

A complex step (Squire and Trapp 1998, doi:10.1137/S003614459631241X) differentiates the formula
without a difference of nearby values: tp moves with fn for recall, fp with tn for specificity. What
it cannot undo is rounding inside a formula that saturates: precision is 1 in double precision long
before it stops to grow. There, the formula runs on numbers of fifty digits.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ExactNumber
from baserate._arrays import Array
from baserate.curves.populations import Rates
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric

_STEP = 1e-20  # relative to the smaller cell; the error is its square
_SATURATED = 2e-10  # relative gain per relative step below which rounding may matter
_NUDGE, _LEAST = 1e-13, 1e-15
_CANCELLED = 1e-36  # of fifty digits
_GRID = (0.05, 0.275, 0.5, 0.725, 0.95)
_ZERO = ExactNumber.of(0)
_FILTERING = RLock()


class Slopes(NamedTuple):
    """A metric's value and its derivatives in recall and specificity; nan where unknown."""

    value: Array
    by_recall: Array
    by_specificity: Array

    @property
    def quotient(self) -> Array:
        """Derivative in specificity over derivative in recall: the density ratio it asks for."""
        with np.errstate(all="ignore"):
            return np.minimum(self.by_specificity / self.by_recall, np.finfo(float).max)


@dataclass(frozen=True, slots=True)
class Differentiable:
    """A metric at a base rate, and which of its derivatives can be trusted."""

    metric: Metric
    base_rate: float | Array  # or one for each of the rates that slopes are asked at
    analytic: bool  # complex steps agree with differences
    has_digits: bool  # the formula runs on numbers of fifty digits

    @classmethod
    def of(cls, metric: Metric, base_rate: float) -> "Differentiable":
        """Try out the formula on a grid of rates; refuse it if nothing differentiates it."""
        rates = rate_grid()
        by_step = complex_slopes(metric, rates, base_rate)
        analytic = _agree(by_step, rough_slopes(metric, rates, base_rate))
        has_digits = precise_slopes(metric, rates, base_rate) is not None
        if not (analytic or has_digits):
            raise UnsupportedError(
                f"The formula of {metric.name} cannot be differentiated: write it with + - * / and "
                "np.sqrt alone, without np.abs, np.where, np.maximum or conversions to float."
            )
        return cls(metric, base_rate, analytic, has_digits)

    def fast(self, rates: Rates) -> Slopes:
        """Return slopes by complex steps, and with many digits where the metric saturates."""
        if not self.analytic:
            return self.exact(rates)
        found = complex_slopes(self.metric, rates, self.base_rate)
        lost = np.flatnonzero(is_saturated(found, rates))
        if lost.size:
            better = self.exact(Rates(*(rate[lost] for rate in rates)))
            for mine, theirs in zip(found, better, strict=True):
                mine[lost] = theirs
        return found

    def exact(self, rates: Rates) -> Slopes:
        """Return slopes with as many digits as the formula allows; nan where it loses them."""
        if not self.has_digits:
            return _steady(self.metric, rates, self.base_rate)
        precise = precise_slopes(self.metric, rates, self.base_rate)
        assert precise is not None
        return precise


def is_saturated(found: Slopes, rates: Rates) -> NDArray[np.bool_]:
    """Return where rounding inside the formula may hide what complex steps look for."""
    return ~(_least_gain(found, rates) > _SATURATED * np.abs(found.value))


def complex_slopes(metric: Metric, rates: Rates, base_rate: float | Array) -> Slopes:
    """Return both derivatives from two complex steps."""
    tp, fn, fp, tn = rates.cells(base_rate)
    up, down = _tiny(tp, fn), _tiny(fp, tn)
    # The filters of warnings are those of all threads: two that change them must not overlap.
    with np.errstate(all="ignore"), _FILTERING, warnings.catch_warnings():
        # A formula that drops imaginary parts has no slopes here, and fails its trial.
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        found = _on(metric, tp + 1j * up, fn - 1j * up, fp + 0j, tn + 0j)
        spared = _on(metric, tp + 0j, fn + 0j, fp - 1j * down, tn + 1j * down)
        by_recall = base_rate * (found.imag / up)
        by_specificity = (1 - base_rate) * (spared.imag / down)
    return Slopes(np.array(found.real), by_recall, by_specificity)


def precise_slopes(metric: Metric, rates: Rates, base_rate: float | Array) -> Slopes | None:
    """Return both derivatives in fifty digits; nan where they lose them, None if it cannot run."""
    tp, fn, fp, tn = (_digits(cell) for cell in rates.cells(base_rate))
    try:
        found = _on(metric, _moving(tp, 1), _moving(fn, -1), _moving(fp, 0), _moving(tn, 0))
        spared = _on(metric, _moving(tp, 0), _moving(fn, 0), _moving(fp, -1), _moving(tn, 1))
    except (TypeError, AttributeError, ValueError):
        return None
    if found.dtype != object or spared.dtype != object:
        return None
    by_recall = base_rate * _slopes(found)
    by_specificity = (1 - base_rate) * _slopes(spared)
    return Slopes(_floats(found), by_recall, by_specificity)


def rough_slopes(metric: Metric, rates: Rates, base_rate: float | Array) -> Slopes:
    """Return rough derivatives from differences in double precision."""
    step = 1e-6

    def at(recall: float, specificity: float) -> Array:
        s, t = rates.recall + recall, rates.specificity + specificity
        with np.errstate(all="ignore"):
            return np.real(_on(metric, *Rates(s, 1 - s, 1 - t, t).cells(base_rate)))

    by_recall = (at(step, 0) - at(-step, 0)) / (2 * step)
    by_specificity = (at(0, step) - at(0, -step)) / (2 * step)
    return Slopes(at(0, 0), by_recall, by_specificity)


def _steady(metric: Metric, rates: Rates, base_rate: float | Array) -> Slopes:
    """Return complex steps where they are no noise: moving each rate a little changes little."""
    found = complex_slopes(metric, rates, base_rate)
    nudged = Rates(*(rate * (1 + k * _NUDGE) for k, rate in enumerate(rates, start=1)))
    again = complex_slopes(metric, nudged, base_rate)
    slopes = (
        np.where(np.abs(a - b) <= 1e3 * _NUDGE * np.abs(a), a, np.nan)
        for a, b in zip(found[1:], again[1:], strict=True)
    )
    kept = Slopes(found.value, *slopes)
    lost = ~(_least_gain(kept, rates) > _LEAST * np.abs(kept.value))
    return Slopes(found.value, *(np.where(lost, np.nan, slope) for slope in kept[1:]))


def value_of(metric: Metric, rates: Rates, base_rate: float | Array) -> Array:
    """Return the metric at these rates, with many digits if its formula takes them."""
    cells = rates.cells(base_rate)
    try:
        return _floats(_on(metric, *map(_digits, cells)))
    except (TypeError, AttributeError, ValueError):
        with np.errstate(all="ignore"):
            return _floats(_on(metric, *cells))


def rate_grid() -> Rates:
    """Return 25 pairs of recall and specificity, well inside."""
    recall, specificity = np.array(list(product(_GRID, _GRID))).T
    return Rates(recall, 1 - recall, 1 - specificity, specificity)


def _tiny(a: Array, b: Array) -> Array:
    """Return a step that is small even for the smaller cell; at an empty one, for the larger."""
    smaller = np.minimum(a, b)
    return _STEP * np.where(smaller > 0, smaller, np.maximum(a, b))


def _on(metric: Metric, *cells: Any) -> Any:
    return np.broadcast_to(np.asarray(metric.formula(*cells)), np.shape(cells[0]))


def _digits(cell: Array) -> Any:
    return np.array([ExactNumber.of(c) for c in cell], dtype=object)


def _floats(values: Iterable[Any]) -> Array:
    return np.array([float(v) for v in values])


def _moving(cell: Any, slope: int) -> Any:
    return np.array([Dual.moving(v, slope) for v in cell], dtype=object)


def _slopes(results: Any) -> Array:
    """Return slopes; nan where cancellation has left nothing of them."""
    duals = [Dual.of(v) for v in results]
    known = np.array([bool(abs(d.slope) > d.size * _CANCELLED) for d in duals])
    return np.where(known, _floats(d.slope for d in duals), np.nan)


def _least_gain(found: Slopes, rates: Rates) -> Array:
    """Return what a relative step of the smaller cell of a class changes, if that is less."""
    by_recall = found.by_recall * np.minimum(rates.recall, rates.miss_rate)
    smaller = np.minimum(rates.false_positive_rate, rates.specificity)
    return np.fmin(by_recall, found.by_specificity * smaller)


def _agree(a: Slopes, b: Slopes) -> bool:
    scale = np.abs(b.value) * 1e-6
    return all(
        bool((np.abs(x - y) <= 1e-4 * np.abs(y) + scale).all())
        for x, y in zip(a[1:], b[1:], strict=True)
    )


def require_increasing(metric: Metric, base_rate: float) -> None:
    """Refuse a metric that does not strictly gain from recall and from specificity."""
    if metric.increases_with_rates or _gains(metric, base_rate):
        return
    rule = "must strictly increase with recall and with specificity to have a best threshold"
    remedies = {
        "lower": "negate it with baserate.metrics.define, or take its counterpart of which more is "
        "better",
        "higher": "combine it with what it ignores: balanced_accuracy, f1, matthews_correlation",
        "neither": "choose a metric of quality, or a utility matrix that rewards right decisions",
    }
    raise InvalidArgumentError.from_rule("metric", rule, metric.name, remedies[metric.direction])


def _gains(metric: Metric, base_rate: float) -> bool:
    """Measure on a grid of rates what a user's metric does not declare."""
    if metric.direction == "lower":
        return False
    slopes = rough_slopes(metric, rate_grid(), base_rate)
    return bool((slopes.by_recall > 0).all() and (slopes.by_specificity > 0).all())


class Dual:
    """v + e ε with ε² = 0; it mixes with plain numbers, whose derivative is zero.

    Beside the slope e runs its size, the sum of the absolute terms that it was made of: where the
    slope is smaller by nearly fifty digits, cancellation has left nothing of it. Comparisons see
    the value, so NumPy's maximum and absolute value work. Square roots come from ``np.sqrt`` on
    arrays of objects.
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
