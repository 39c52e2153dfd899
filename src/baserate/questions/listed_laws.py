"""Values of a metric: which lie below x and above, and its law as a list of them."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import ExactNumber, slack
from baserate._arrays import Array, Mask
from baserate._checks import as_number
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.metrics.ties import size_of, steps_up, tie_width

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
    return _together(values, weights, partial(steps_up, metric))


def _together(values: Array, weights: Array, rises: Callable[[Array], Any]) -> tuple[Array, Array]:
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    if not values.size:
        return values, weights
    first = np.flatnonzero(np.concatenate(((True,), rises(values))))
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


class Listed(NamedTuple):
    """Values at which a metric is defined, ascending, their probabilities, and what lacks one."""

    values: Array
    weights: Array
    undefined: float
    gaps: bool
    route: str

    def filled(self, instead: float | None) -> tuple[Array, Array]:
        """Return the law given that it is defined, or with a number for where it is not."""
        return filled(self.values, self.weights, instead, self.undefined)


def filled(
    values: Array, weights: Array, instead: float | None, mass: float
) -> tuple[Array, Array]:
    """Return values and probabilities, with one more value for the undefined mass."""
    if (total := weights.sum()) > 0:
        weights = weights / total
    if instead is None or not mass:
        return values, weights
    return np.append(values, instead), np.append(weights * (1 - mass), mass)


def listed_law(values: Array, weights: Array, route: str) -> Listed:
    """Sort values, and put those together that differ by rounding only."""
    lost = np.isnan(values)
    mass, gaps = float(weights[lost].sum()), bool(lost.any())
    keep = ~lost & (weights > 0)
    values, weights = _together(values[keep], weights[keep], _rises)
    return Listed(values, weights, min(1.0, mass), gaps, route)


def _rises(values: Array) -> Any:
    return np.diff(values) > slack(values[1:], _typical(values), np.inf)


def tail(law: Listed, instead: float | None, x: Any, *, above: bool) -> float:
    """Return P(value <= x), or P(value > x), with values within rounding of x equal to it."""
    values, weights = law.filled(instead)
    try:
        x = float(x)
    except (TypeError, ValueError):
        rule, remedy = "must be a number", "pass a float"
        raise InvalidArgumentError.from_rule("x", rule, x, remedy) from None
    if not len(values) or isnan(x):
        return nan
    beyond = values > x + float(slack(x, _typical(values), np.inf))
    return min(1.0, float(weights[beyond if above else ~beyond].sum()))


def quantile_of(law: Listed, instead: float | None, q: float) -> float:
    """Return the smallest value that has q of the law at or below it."""
    values, weights = law.filled(instead)
    if not len(values):
        return nan
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    first = int(np.searchsorted(reached / reached[-1], q - 1e-12))
    return float(values[order][min(first, len(values) - 1)])


def _typical(values: Array) -> float:
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    return float(np.median(sizes)) if len(sizes) else 1.0
