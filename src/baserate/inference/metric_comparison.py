"""What a comparison of two classifiers by one metric says."""

from dataclasses import dataclass
from math import nan

from baserate.metrics import ClassMetric, Metric

TIED = 1e-5  # probability: what integrals lack of one is less


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """The posterior of metric(A) - metric(B).

    Attributes
    ----------
    metric : str
        Canonical name.
    value_a, value_b, difference : float
        The metric at both tables, and metric(A) - metric(B).
    low, high : float
        Equal-tailed interval for the difference.
    confidence_level : float
    probability_a_higher : float
        P(metric(A) > metric(B)).
    probability_a_better : float
        The same, or P(metric(A) < metric(B)) for a metric that is better when lower; nan where
        neither is better.
    route : str
        "exact" (one integral), "gauss" (integrals of laws that are tabulated), each with its error,
        "quasi-monte-carlo", "simulation" (of several classes), or "undefined" where the metric is
        undefined at one of the tables.
    p_value : float
        Twice the smaller of P(A <= B) and P(A >= B): the interval of one less this level ends at 0.
    error : float
        Of the probability, and of those beyond either end of the interval: the largest standard
        error of a simulation, or a bound on the error of an integral.
    undefined : float
        Share of simulated points at which the metric was undefined.
    """

    metric: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    confidence_level: float
    probability_a_higher: float
    probability_a_better: float
    route: str
    p_value: float = nan
    error: float = 0.0
    undefined: float = 0.0


@dataclass(frozen=True, slots=True)
class FoundDifference:
    """Interval and probability of the difference, and how they were found."""

    low: float
    high: float
    higher: float
    lower: float
    route: str
    error: float = 0.0
    undefined: float = 0.0

    @property
    def p_value(self) -> float:
        """Twice the smaller of P(A <= B) and P(A >= B)."""
        tied = 1 - self.higher - self.lower
        return min(2 * (min(self.higher, self.lower) + (tied if tied > TIED else 0.0)), 1.0)


UNDEFINED = FoundDifference(nan, nan, nan, nan, "undefined")


def comparison(
    metric: Metric | ClassMetric, values: tuple[float, float], level: float, found: FoundDifference
) -> MetricComparison:
    """Put everything into one record."""
    better = {"higher": found.higher, "lower": found.lower}.get(metric.direction, nan)
    return MetricComparison(
        metric=metric.name,
        value_a=values[0],
        value_b=values[1],
        difference=values[0] - values[1],
        low=float(found.low),
        high=float(found.high),
        confidence_level=level,
        probability_a_higher=float(found.higher),
        probability_a_better=float(better),
        route=found.route,
        p_value=found.p_value,
        error=float(found.error),
        undefined=float(found.undefined),
    )
