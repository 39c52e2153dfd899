"""Which values lie below x and above: by their rounding for a float, exactly for a Fraction."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ExactNumber
from baserate._checks import as_number
from baserate._windows import Array
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.metrics.ties import size_of, steps_up, tie_width

Mask = NDArray[np.bool_]

_NEAR = 1e-9
_EQUAL = 1e-40


@dataclass(frozen=True, slots=True)
class Pivot:
    """The number that values are compared with."""

    metric: Metric
    x: Any
    width: float = 0.0

    @classmethod
    def at(cls, metric: Metric, x: Any) -> "Pivot":
        """Check x: a number or a Fraction."""
        if isinstance(x, Fraction):
            return cls(metric, x)
        number = as_number(x)
        if np.isnan(number) and not isinstance(x, float):
            remedy = "pass a float, or a Fraction for exact ties"
            raise InvalidArgumentError.from_rule("x", "must be a number", x, remedy)
        return cls(metric, number, tie_width(metric, number))

    def sides(self, values: Array, cells: tuple[Any, ...]) -> tuple[Mask, Mask]:
        """Return where the values, at these cells, are below x, and where above; nan is neither."""
        if not isinstance(self.x, Fraction):
            return values < self.x - self.width, values > self.x + self.width
        x = float(self.x)
        below, above = np.asarray(values < x), np.asarray(values > x)
        near = np.abs(values - x) <= _NEAR * max(size_of(self.metric).typical, abs(x))
        if near.any():
            below, above = below.copy(), above.copy()
            cells = tuple(np.broadcast_to(c, values.shape)[near] for c in cells)
            below[near], above[near] = _exact_sides(self.metric, cells, self.x)
        return below, above


def grouped(metric: Metric, values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the distinct values of a metric, ascending, and their weights."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    if not values.size:
        return values, weights
    first = np.flatnonzero(np.concatenate(((True,), steps_up(metric, values))))
    return values[first], np.add.reduceat(weights, first)


def _exact_sides(metric: Metric, cells: tuple[Any, ...], x: Fraction) -> tuple[Mask, Mask]:
    exact = (np.array([ExactNumber.of(int(c)) for c in cell], dtype=object) for cell in cells)
    try:
        values = np.atleast_1d(metric.formula(*exact))
    except (TypeError, AttributeError) as error:
        raise _inexact(metric, str(error)) from error
    if values.dtype.kind == "f":
        raise _inexact(metric, "it rounds its results to floats")
    shape, size = np.shape(cells[0]), max(size_of(metric).typical, abs(float(x)))
    width = ExactNumber.of(_EQUAL) * size
    gaps = [ExactNumber.of(v) - ExactNumber.of(x) for v in values]
    below, above = ([gap * way > width for gap in gaps] for way in (-1, 1))
    return np.broadcast_to(below, shape), np.broadcast_to(above, shape)


def _inexact(metric: Metric, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"Exact ties need a formula in + - * / and np.sqrt, which {metric.name} is not "
        f"({why}): pass x as a float."
    )
