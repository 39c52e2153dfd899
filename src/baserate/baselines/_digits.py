"""Means with many digits, for the few comparisons that sixteen cannot decide."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from baserate._arith import ExactNumber
from baserate._windows import hypergeometric_support
from baserate.metrics import Metric

_DIGITS = 60
# Equal means agree to this, relative to the mean size of their terms; those of a formula that
# rounds to floats agree to fewer digits.
_SAME, _SAME_ROUNDED = Decimal(10) ** -40, Decimal(10) ** -14


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
    cells = (
        tp,
        [n_positive - t for t in tp],
        [n_predicted - t for t in tp],
        [spare + t for t in tp],
    )
    values, exact = _precise_values(metric, cells)
    with localcontext() as context:
        context.prec = _DIGITS
        weights = [Decimal(1)]
        for t in tp[:-1]:
            up, down = (n_positive - t) * (n_predicted - t), (t + 1) * (spare + t + 1)
            weights.append(weights[-1] * up / down)
        total = sum(weights)
        terms = [w * v for w, v in zip(weights, values, strict=True)]
        mean, scale = sum(terms) / total, sum(map(abs, terms)) / total
    return PreciseMean(Decimal(mean), Decimal(scale), _SAME if exact else _SAME_ROUNDED)


def _precise_values(metric: Metric, cells: Sequence[Sequence[int]]) -> tuple[list[Decimal], bool]:
    """Return the metric's values, and whether the formula kept all of their digits."""
    try:
        exact = (np.array([ExactNumber.of(c) for c in cell], dtype=object) for cell in cells)
        values = np.asarray(metric.formula(*exact))
    except (TypeError, AttributeError):  # a formula beyond + - * / and square roots
        values = np.asarray(metric.formula(*np.array(cells, dtype=np.float64)))
    kept = values.dtype == object
    return [ExactNumber.of(v).decimal for v in values], kept
