"""What an engine finds out about a difference of two classifiers by one metric."""

from dataclasses import dataclass, replace
from math import nan
from typing import Any

TIED = 1e-5  # probability: what integrals lack of one is less


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """The law of metric(A) - metric(B): interval, probabilities, and how they were found.

    Its route is "exact" (one integral), "gauss" (integrals of laws that are tabulated), each with
    its error, "quasi-monte-carlo", "simulation" (of several classes), "joined intervals" (of
    samples with weights or clusters), or "undefined" where the metric is undefined at one of the
    tables. The error is one of the probability, and of those beyond either end: the largest
    standard error of a simulation, or a bound on an integral's.
    """

    low: float  # of an equal-tailed interval
    high: float
    higher: float  # P(metric(A) > metric(B))
    lower: float
    route: str
    error: float = 0.0
    undefined: float = 0.0  # share of simulated points at which the metric was undefined
    metric: str = "yield"
    direction: str = "higher"
    value_a: float = nan
    value_b: float = nan
    confidence_level: float = 0.95

    @property
    def difference(self) -> float:
        """metric(A) - metric(B)."""
        return self.value_a - self.value_b

    @property
    def better(self) -> float:
        """P(A is better); nan where neither end is better."""
        return {"higher": self.higher, "lower": self.lower}.get(self.direction, nan)

    @property
    def p_value(self) -> float:
        """Twice the smaller of P(A <= B) and P(A >= B): so wide an interval ends at 0."""
        tied = 1 - self.higher - self.lower
        return min(2 * (min(self.higher, self.lower) + (tied if tied > TIED else 0.0)), 1.0)


def of_one_law(law: Any, level: float) -> MetricComparison:
    """Return what the exact law of a difference says; it may be nothing but 0."""
    low, high = law.interval(level)
    atom = float(law.knots[0] == law.knots[-1] == 0.0)
    return MetricComparison(low, high, float(law.sf(0.0)), float(law.cdf(0.0)) - atom, "exact")


UNDEFINED = MetricComparison(nan, nan, nan, nan, "undefined")


def comparison(
    metric: Any, values: tuple[float, float], level: float, found: MetricComparison
) -> MetricComparison:
    """Say what was compared: by a metric, or by utilities if that is None.

    Where all of A's cases are right and none of B's, most of the posterior lies short of the
    difference: the interval reaches it, as that of one table reaches its value.
    """
    told = {} if metric is None else {"metric": metric.name, "direction": metric.direction}
    known = replace(found, value_a=values[0], value_b=values[1], confidence_level=level, **told)
    ends = {name: float(getattr(found, name)) for name in ("low", "high", "higher", "lower")}
    ends["low"] = min(ends["low"], known.difference)
    ends["high"] = max(ends["high"], known.difference)
    return replace(known, **ends, error=float(found.error), undefined=float(found.undefined))
