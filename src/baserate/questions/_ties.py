"""Which values exceed x: with one tolerance if x is a float, exactly if x is a Fraction."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arith import slack
from baserate._windows import Array
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.questions._exact_number import ExactNumber

_NEAR = 1e-9
_EQUAL = 1e-40


@dataclass(frozen=True, slots=True)
class Cut:
    """The number that values are compared with."""

    metric: Metric
    x: Any

    @classmethod
    def at(cls, metric: Metric, x: Any) -> "Cut":
        """Check x: a number or a Fraction."""
        if isinstance(x, Fraction):
            return cls(metric, x)
        try:
            return cls(metric, float(x))
        except (TypeError, ValueError):
            remedy = "pass a float, or a Fraction for exact ties"
            raise InvalidArgumentError.from_rule("x", "must be a number", x, remedy) from None

    def above(self, values: Array, cells: tuple[Any, ...]) -> NDArray[np.bool_]:
        """Return where the values, at these cells, exceed x; nan does not."""
        if not isinstance(self.x, Fraction):
            return values > self.x + slack(self.x)
        x = float(self.x)
        above = np.asarray(values > x)
        near = np.abs(values - x) <= _NEAR * max(1.0, abs(x))
        if near.any():
            above = above.copy()
            cells = tuple(np.broadcast_to(c, values.shape)[near] for c in cells)
            above[near] = _exactly_above(self.metric, cells, self.x)
        return above


def _exactly_above(metric: Metric, cells: tuple[Any, ...], x: Fraction) -> NDArray[np.bool_]:
    exact = (np.array([ExactNumber.of(int(c)) for c in cell], dtype=object) for cell in cells)
    try:
        values = np.atleast_1d(metric.formula(*exact))
    except (TypeError, AttributeError) as error:
        raise _inexact(metric, str(error)) from error
    if values.dtype.kind == "f":
        raise _inexact(metric, "it rounds its results to floats")
    limit = ExactNumber.of(x) + _EQUAL * max(1.0, abs(float(x)))
    above = [bool(ExactNumber.of(v) > limit) for v in values]
    return np.broadcast_to(np.array(above), np.shape(cells[0]))


def _inexact(metric: Metric, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"Exact ties need a formula in + - * / and np.sqrt, which {metric.name} is not "
        f"({why}): pass x as a float."
    )
