"""What two tables leave open about the difference or the ratio of a metric between them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, isnan, nan
from typing import Any

import numpy as np

from baserate._checks import confidence
from baserate._result import Result
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import UnsupportedError
from baserate.groups.null import sides_of
from baserate.groups.pairs import PairMetric, get_pair
from baserate.inference.linearity import HALF
from baserate.inference.metric_limits import two_shares
from baserate.inference.posterior import evidence
from baserate.inference.separate_samples import ONE_INTEGRAL, separate
from baserate.metrics import Metric

ANY_RATIO = (-inf, inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairInterval(Result):
    """An interval for a metric of two tables, and how it was found; ``float()`` gives `value`.

    Attributes
    ----------
    metric : str
    value : float
        At the two tables; nan where it is undefined, and then `low` and `high` are nan too.
    low, high : float
    confidence_level : float
    route : str
        "exact" (one integral, with the error stated), "gauss" (integrals with the error stated),
        "quasi-monte-carlo", or "undefined".
    error : float
        Of the probability beyond either end, as the route states it.
    """

    metric: str
    value: float
    low: float
    high: float
    confidence_level: float
    route: str
    error: float = 0.0

    def __float__(self) -> float:
        return self.value


def pair_interval(
    pair: str | PairMetric,
    first: ConfusionMatrix,
    second: ConfusionMatrix,
    *,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> PairInterval:
    """Return an equal-tailed credible interval for a metric of two tables.

    The metric has in each table the posterior law that `interval` takes, cell shares
    Dirichlet(cells + 1/2), Beta(x + 1/2, m - x + 1/2) for a proportion x/m; the tables are
    independent. P(difference > d) = ∫ P(m₁ > d + y) dF₂(y) is integrated, and solved for d. A ratio
    m₁/m₂ > r means m₁ > r m₂ for a proportion, and is a difference of logarithms otherwise.
    An end that would leave out the value itself is moved to it.

    Parameters
    ----------
    pair : PairMetric or str
    first, second : ConfusionMatrix
        Single tables of independent cases: a group and a whole that contains it are not.
    confidence_level : float
        In (0, 1).
    rng : numpy.random.Generator or int
        Needed only where the law must be simulated: a metric that is not monotone in its rates.

    Raises
    ------
    UnsupportedError
        The ratio of a metric that can be negative; a metric that must be simulated, without `rng`.
    InvalidArgumentError
        A batch of tables.

    See Also
    --------
    baserate.inference.separate_samples.compare_separate : the difference, for two classifiers.

    Examples
    --------
    Black defendants in COMPAS have about twice the false positive rate of White ones:

    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import pair_interval
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> white = ConfusionMatrix(tp=77, fn=129, fp=380, tn=1679)
    >>> found = pair_interval("ratio(false_positive_rate)", black, white)
    >>> round(found.low, 2), round(found.value, 2), round(found.high, 2)
    (1.87, 2.07, 2.29)
    """
    asked = [(get_pair(pair), first, second)]
    level = confidence(confidence_level)
    for name, table in (("first", first), ("second", second)):
        evidence(single_table(name, table))  # refuses too many cases
    [ends] = pair_ends(asked, level, rng)
    low, high, route, error = ends
    return PairInterval(
        metric=asked[0][0].name,
        value=float(asked[0][0](first, second)),
        low=low,
        high=high,
        confidence_level=level,
        route=route,
        error=error,
    )


Ends = tuple[float, float, str, float]
Asked = tuple[PairMetric, ConfusionMatrix, ConfusionMatrix]


def pair_ends(asked: Sequence[Asked], level: float, rng: Any = None) -> list[Ends]:
    """Return both ends, the route and the error of each; those of proportions in one pass."""
    found: dict[int, Ends] = {}
    for operation in ("difference", "ratio"):
        shares = [
            i
            for i, (pair, first, second) in enumerate(asked)
            if pair.operation == operation
            and pair.metric.proportion is not None
            and not isnan(pair(first, second))
        ]
        if shares:
            sides = [[sides_of(asked[i][0].metric, t) for t in asked[i][1:]] for i in shares]
            laws = np.transpose(np.array(sides) + HALF, (1, 2, 0))  # of Beta, in both tables
            both = two_shares(operation, *laws, confidence_level=level)
            ends = zip(both.low.tolist(), both.high.tolist(), strict=True)
            found |= {
                i: (*pair, "exact", ONE_INTEGRAL) for i, pair in zip(shares, ends, strict=True)
            }
    every = [found.get(i) or _ends(*one, level, rng) for i, one in enumerate(asked)]
    return [
        _holding(float(pair(first, second)), ends)
        for (pair, first, second), ends in zip(asked, every, strict=True)
    ]


def _holding(value: float, ends: Ends) -> Ends:
    """Move an end that would leave out the value itself to it, as `interval` does.

    One of one beside none of five is a gap of 1, and equal tails end at 0.98.
    """
    low, high, route, error = ends
    return ends if isnan(value) else (min(low, value), max(high, value), route, error)


def _ends(
    pair: PairMetric, first: ConfusionMatrix, second: ConfusionMatrix, level: float, rng: Any
) -> Ends:
    if isnan(pair(first, second)):
        return nan, nan, "undefined", 0.0
    metric = pair.metric
    if pair.operation == "difference":
        found = separate(metric, first, second, level, rng)
        return found.low, found.high, found.route, found.error
    if metric.bounds[0] < 0:
        raise UnsupportedError(
            f"ratio({metric.name}) has no interval: {metric.name} can be negative, and a ratio "
            f"then jumps from one end of the line to the other: use difference({metric.name})."
        )
    found = separate(_logarithm(metric), first, second, level, rng)
    return exp(found.low), exp(found.high), found.route, found.error


def _logarithm(metric: Metric) -> Metric:
    """Return the logarithm of a metric; it keeps how the metric moves with its rates."""

    def formula(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(metric.formula(tp, fn, fp, tn))

    return replace(
        metric,
        name=f"log({metric.name})",
        formula=formula,
        bounds=ANY_RATIO,
        linear_in_rates=False,
        affine_in_tp=False,
        best=None,
    )
