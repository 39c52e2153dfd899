"""Blind draws of a given number of cases: the best one (the Dutch Draw)."""

from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Any, Literal

from baserate._checks import numbers, numbers_in, one_of, whole_number
from baserate._result import Result
from baserate.baselines.chance_curve import Ranges
from baserate.baselines.search import optimum
from baserate.baselines.totals import at_share, class_totals, directed, needs_fixed_weights, settled
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric
from baserate.models import Hypergeometric

Goal = Literal["best", "max", "min"]
Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DutchDraw(Result):
    """The best, largest or smallest expected value of a blind draw; ``float()`` gives it.

    Attributes
    ----------
    metric : str
    goal : {"max", "min"}
    value : float
        nan if the metric is defined with probability one for no number predicted positive.
    n_predicted : tuple of (low, high)
        Every optimal number predicted positive, as inclusive ranges; () with weighted totals.
    theta_star : tuple of (low, high)
        The same as shares of all cases.
    theta_intervals : tuple of (low, high)
        All θ that round to an optimal share, in the paper's form: k cases stand for θ in
        [(k - 1/2)/M, (k + 1/2)/M), cut to [0, 1]. Closed below; open above, unless that is 1.
    route : str
        "closed form", the known shape that was used, or "scan": a full search. It ends in
        "optimisers to rounding" where `n_predicted` holds numbers that doubles cannot tell apart,
        as happens for square roots of more than about 10^13 cases.
    """

    metric: str
    goal: str
    value: float
    n_predicted: Ranges
    theta_star: Spans
    theta_intervals: Spans
    route: str

    def __float__(self) -> float:
        return self.value


def best_draw(
    metric: str | Metric,
    *,
    n_positive: Any,
    n_negative: Any,
    goal: Goal = "best",
    n_predicted: Any = None,
    theta: Any = None,
) -> DutchDraw:
    """Return the best draw for one pair of class totals; see `dutch_draw`."""
    metric = binary_metric(metric)
    one_of("goal", goal, Goal)
    wanted: Literal["max", "min"] = directed(metric) if goal == "best" else goal
    totals = class_totals(n_positive, n_negative)
    if totals is None:
        return _weighted(metric, float(n_positive), float(n_negative), wanted, n_predicted, theta)
    limits = _limits(*totals, n_predicted, theta)
    found = optimum(metric, *totals, goal=wanted, within=limits)
    return DutchDraw(
        metric=metric.name,
        goal=wanted,
        value=settled(metric, found.value),
        n_predicted=found.n_predicted,
        theta_star=_shares(found.n_predicted, sum(totals)),
        theta_intervals=_intervals(found.n_predicted, sum(totals)),
        route=found.route,
    )


@lru_cache(maxsize=4096)
def best_guess(metric: Metric, n_positive: int, n_negative: int) -> float:
    """Return what the best blind draw of whole cases scores, and not who attains it."""
    whole = (0, n_positive + n_negative)
    goal = directed(metric)
    found = optimum(metric, n_positive, n_negative, goal=goal, within=whole, every=False)
    return settled(metric, found.value)


def _limits(n_positive: int, n_negative: int, n_predicted: Any, theta: Any) -> tuple[int, int]:
    if n_predicted is not None and theta is not None:
        rule = "cannot be given together"
        given = (n_predicted, theta)
        raise InvalidArgumentError.from_rule("n_predicted, theta", rule, given, "drop one")
    n = n_positive + n_negative
    if theta is not None:
        low, high = _pair("theta", theta)
        return (
            _rounded(n_positive, n_negative, low),
            _rounded(n_positive, n_negative, high),
        )
    low, high = (0, n) if n_predicted is None else _pair("n_predicted", n_predicted)
    low, high = whole_number("n_predicted", low), whole_number("n_predicted", high)
    if high > n:
        rule = f"must be at most the number of cases, {n}"
        raise InvalidArgumentError.from_rule("n_predicted", rule, high, "flag fewer")
    return low, high


def _pair(argument: str, limits: Any) -> tuple[Any, Any]:
    """Return (low, high) of one number or of two."""
    array = numbers(limits)
    if array is None or array.shape not in {(), (2,)} or not array.flat[0] <= array.flat[-1]:
        rule = "must be one number, or (low, high)"
        raise InvalidArgumentError.from_rule(argument, rule, limits, "pass low <= high")
    return (limits, limits) if array.ndim == 0 else tuple(limits)


def _rounded(n_positive: int, n_negative: int, theta: Any) -> int:
    model = Hypergeometric(n_positive=n_positive, n_negative=n_negative, theta=theta)
    return model.fixed_n_predicted


def _shares(ranges: Ranges, n: int) -> Spans:
    return tuple((low / n, high / n) for low, high in ranges) if n else ()


def _intervals(ranges: Ranges, n: int) -> Spans:
    if not n:
        return ()
    return tuple(
        (max(0.0, (2 * low - 1) / (2 * n)), min(1.0, (2 * high + 1) / (2 * n)))
        for low, high in ranges
    )


def _weighted(
    metric: Metric, n_positive: float, n_negative: float, goal: str, n_predicted: Any, theta: Any
) -> DutchDraw:
    """Compare the ends of the range of θ: under weights such a metric is linear in θ."""
    needs_fixed_weights(metric)
    if n_predicted is not None:
        rule = "cannot be used with weighted class totals"
        raise InvalidArgumentError.from_rule("n_predicted", rule, n_predicted, "pass theta")
    low, high = numbers_in(
        "theta", _pair("theta", (0, 1) if theta is None else theta), "[0, 1]", "pass shares"
    ).tolist()
    ends = {share: at_share(metric, n_positive, n_negative, share) for share in (low, high)}
    best = max(ends.values()) if goal == "max" else min(ends.values())
    winners = [share for share, value in ends.items() if value == best]
    star = () if not winners else ((winners[0], winners[-1]),)
    return DutchDraw(
        metric=metric.name,
        goal=goal,
        value=best if winners else nan,
        n_predicted=(),
        theta_star=star,
        theta_intervals=star,
        route="closed form",
    )
