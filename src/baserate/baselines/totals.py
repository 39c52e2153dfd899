"""Class totals: whole numbers of cases, or sums of weights."""

from math import isfinite, ulp
from typing import Any, Literal

import numpy as np

from baserate._arith import TIE, plain
from baserate._checks import broadcast, float_array, number_in, whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric
from baserate.models.model import LIMIT

SIZES = ("n_positive", "n_negative")
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


def possible_totals(n_positive: Any, n_negative: Any, n: Any, base_rate: Any) -> Any:
    """Return a pair of class totals, many as rows, or None if nothing says how many cases."""
    given = dict[str, Any](zip(SIZES, (n_positive, n_negative), strict=True))
    if base_rate is not None:
        number_in("base_rate", base_rate, "(0, 1)", "pass a share")
        alone("base_rate", base_rate, given)
    if n is not None:
        given = _of_size(whole_number("n", n, minimum=2), given, base_rate)
    elif n_positive is None and n_negative is None:
        return None
    for name, total in given.items():
        if total is None:
            remedy = "pass it, or n, the number of all cases"
            raise InvalidArgumentError.from_rule(name, "must be given too", None, remedy)
    if not any(hasattr(total, "__len__") for total in given.values()):
        return tuple(given.values())
    arrays = {name: float_array(name, total) for name, total in given.items()}
    broadcast(**arrays)
    found = np.stack(np.broadcast_arrays(*arrays.values()), axis=-1)
    return tuple(found.tolist()) if found.ndim == 1 else found


def _of_size(n: int, given: dict[str, Any], base_rate: float | None) -> dict[str, Any]:
    """Return both class totals of n cases, of which one, their share, or nothing is known."""
    known = {name: total for name, total in given.items() if total is not None}
    if len(known) == len(given):
        alone("n", n, given)
    if base_rate is not None:
        known = {"n_positive": whole_if_near(n * base_rate)}
        if known["n_positive"] % 1:
            rule = f"must make a whole number of {n} cases positive"
            raise InvalidArgumentError.from_rule("base_rate", rule, base_rate, "pass n_positive")
    [(name, total)] = known.items() or [("n_positive", np.arange(1, n))]
    rest = n - float_array(name, total)
    if np.any(rest < 0):
        raise InvalidArgumentError.from_rule("n", f"must be at least {name}", n, "count all cases")
    rest = rest if np.ndim(rest) else whole_if_near(plain(rest))
    return {one: total if one == name else rest for one in given}


def alone(name: str, value: Any, others: dict[str, Any]) -> None:
    """Refuse what is given with any of these others."""
    told = ", ".join(key for key, other in others.items() if other is not None)
    if told:
        rule = f"cannot be given with {told}"
        raise InvalidArgumentError.from_rule(name, rule, value, "drop one of them")


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
