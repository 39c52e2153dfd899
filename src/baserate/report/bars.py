"""A metric as a bar: value, interval and chance as positions between the metric's bounds."""

import math
from dataclasses import dataclass

from baserate.facts import MetricFact
from baserate.report import figures
from baserate.report.declared import declared


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Positions in percent of the width, None where unknown, and the same in words."""

    value: float
    low: float | None
    high: float | None
    chance: float | None
    zero: float | None
    words: str


def bar(fact: MetricFact) -> Bar | None:
    """Return the bar of a metric; None if it is undefined or its bounds are not finite."""
    bounds = declared(fact).bounds
    if bounds is None:
        return None
    words = _words(fact, *bounds)
    return place(fact.value, fact.low, fact.high, fact.chance, bounds=bounds, words=words)


def place(
    value: float,
    low: float,
    high: float,
    mark: float,
    *,
    bounds: tuple[float, float],
    words: str,
) -> Bar | None:
    """Return the bar of a value, its interval and one marked number; None without a value."""
    if math.isnan(value):
        return None
    return Bar(
        value=_place(value, *bounds) or 0.0,
        low=_place(low, *bounds),
        high=_place(high, *bounds),
        chance=_place(mark, *bounds),
        zero=_place(0.0, *bounds) if bounds[0] < 0 < bounds[1] else None,
        words=words,
    )


def _place(x: float, low: float, high: float) -> float | None:
    if math.isnan(x):
        return None
    return round(100 * min(1.0, max(0.0, (x - low) / (high - low))), 2)


def _words(fact: MetricFact, low: float, high: float) -> str:
    interval = figures.interval(fact.low, fact.high)
    parts = (
        figures.number(fact.value),
        "" if interval == figures.NOTHING else f"interval {interval}",
        "" if math.isnan(fact.chance) else f"chance {figures.number(fact.chance)}",
        f"on a scale from {low:.3g} to {high:.3g}",
    )
    return ", ".join(filter(None, parts))
