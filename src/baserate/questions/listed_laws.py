"""The law of a metric as a list: its values, their probabilities, and what lacks one."""

from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import slack
from baserate._windows import Array
from baserate.errors import InvalidArgumentError


class Listed(NamedTuple):
    """Values at which a metric is defined, ascending, their probabilities, and what lacks one."""

    values: Array
    weights: Array
    undefined: float
    gaps: bool
    route: str

    def filled(self, instead: float | None) -> tuple[Array, Array]:
        """Return the law given that it is defined, or with a number for where it is not."""
        total = self.weights.sum()
        weights = self.weights / total if total > 0 else self.weights
        if instead is None or not self.undefined:
            return self.values, weights
        weights = np.append(weights * (1 - self.undefined), self.undefined)
        return np.append(self.values, instead), weights


def listed_law(values: Array, weights: Array, route: str) -> Listed:
    """Sort values, and put those together that differ by rounding only."""
    lost = np.isnan(values)
    mass, gaps = float(weights[lost].sum()), bool(lost.any())
    keep = ~lost & (weights > 0)
    values, weights = values[keep], weights[keep]
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    if len(values):
        rises = np.diff(values) > slack(values[1:], _typical(values), np.inf)
        first = np.flatnonzero(np.concatenate(([True], rises)))
        values, weights = values[first], np.add.reduceat(weights, first)
    return Listed(values, weights, min(1.0, mass), gaps, route)


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
