"""Class totals: whole numbers of cases, or sums of weights."""

from math import isfinite, ulp
from typing import Any, Literal

import numpy as np

from baserate._arith import TIE, plain
from baserate._checks import number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.models.model import LIMIT

ROUNDING = 8  # units in the last place that a sum of four products may be off
NOISE = 1e-15  # what rounding leaves of a sum of terms of size one that cancel


def class_totals(n_positive: Any, n_negative: Any) -> tuple[int, int] | None:
    """Return both totals as integers; None if they are sums of weights, or 2^53 and more."""
    totals = {"n_positive": n_positive, "n_negative": n_negative}
    for name, total in totals.items():
        number_in(name, total, "[0, inf)", "pass a number of cases, or a sum of weights")
    sizes = [float(total) for total in totals.values()]
    if any(size % 1 for size in sizes) or sum(sizes) >= LIMIT:
        return None
    return whole_number("n_positive", n_positive), whole_number("n_negative", n_negative)


def totals_of(t: ConfusionMatrix) -> tuple[float, float]:
    """Return the class totals of a table; a sum that misses a whole number by rounding is it."""
    positive, negative = (whole_if_near(total) for total in (t.n_positive, t.n_negative))
    return positive, negative


def whole_if_near(total: float) -> float:
    """Return the whole number that a sum misses by rounding only, else the sum."""
    if not isfinite(total):
        return total
    return round(total) if abs(total - round(total)) <= ROUNDING * ulp(total) else total


def needs_fixed_weights(metric: Metric) -> None:
    """Refuse weighted totals unless the mean depends on them and on nothing else."""
    if not metric.linear_in_rates:
        raise UnsupportedError(
            f"{metric.name} has a random denominator under weights, so its chance level depends on "
            f"each weight and not only on the class totals: pass whole numbers of cases "
            f"(below 2^53 in all), or a metric that is linear in recall and specificity (accuracy, "
            f"balanced_accuracy, informedness, a utility, ...), which is exact."
        )


def at_share(metric: Metric, n_positive: float, n_negative: float, theta: float) -> float:
    """Return a metric that is linear in the rates, at the mean table of flagging this share."""
    up, down = theta, 1 - theta
    cells = (n_positive * up, n_positive * down, n_negative * up, n_negative * down)
    return float(metric.formula(*cells))


def same(a: float, b: float) -> bool:
    """Whether two expected values differ by rounding only."""
    return abs(a - b) <= TIE * max(abs(a), abs(b))


def settled(metric: Metric, value: Any) -> Any:
    """Return 0 for a sum of terms of both signs that differs from it by their rounding only.

    `value` may be an array.
    """
    low, high = metric.bounds
    if not (low < 0 < high and isfinite(high - low)):
        return value
    nothing = np.abs(value) <= NOISE * max(-low, high)
    return plain(np.where(nothing, 0.0, value))


def directed(metric: Metric) -> Literal["max", "min"]:
    """Return "max" or "min", whichever is good."""
    if metric.direction == "neither":
        rule = f"must be 'max' or 'min' for {metric.name}, of which neither more nor less is better"
        raise InvalidArgumentError.from_rule("goal", rule, "best", "choose one")
    return "max" if metric.direction == "higher" else "min"
