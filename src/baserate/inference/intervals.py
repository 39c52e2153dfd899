"""Intervals: one public function, four methods, every metric."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from baserate._checks import number_in, one_of, whole_number
from baserate._result import Result
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference import proportions
from baserate.inference._evidence import cases_per_weight, refuse_beyond
from baserate.inference._linearity import at_share, deciding_share
from baserate.inference.bayes import Limits, credible
from baserate.inference.resampling import bootstrap
from baserate.metrics import Metric, get

Method = Literal["bayes", "wilson", "exact", "bootstrap"]
ROUNDING = 1e-6  # sums of many weights, in another order or precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Result):
    """An interval for a metric, and how it was found; ``float()`` gives the metric's value.

    Attributes
    ----------
    metric : str
        Canonical name.
    value : float
        The metric at the table; nan where it is undefined, and then `low` and `high` are nan too.
    low, high : float
        The ends. They never leave out `value`: with 0 of 10 successes the equal-tailed interval
        [0.00005, 0.217] becomes [0, 0.217].
    extended : {"low", "high"} or None
        The end that was moved to `value`, which the equal-tailed interval leaves out at the edge of
        what is possible. The other end stays the quantile that it was, so that a posterior
        probability of 95% becomes one of at most 97.5%.
    confidence_level : float
    method : {"bayes", "wilson", "exact", "bootstrap"}
    route : str
        How the ends were computed: "jeffreys", "gauss", "quasi-monte-carlo", "constant",
        "wilson", "clopper-pearson", "percentile", or "undefined".
    error : float
        Of either end. Quasi-Monte-Carlo: half a 99.9% Student interval over independent
        scramblings. "gauss": how much a finer rule moves it, with a margin. Otherwise 0: the other
        routes are exact up to rounding, or (the bootstrap) depend on `rng` in a known way.
    undefined : float
        Share of resamples, or of quasi-Monte-Carlo points, in which the metric was undefined.
    """

    metric: str
    value: float
    low: float
    high: float
    confidence_level: float
    method: Method
    route: str
    error: float = 0.0
    undefined: float = 0.0
    extended: Literal["low", "high"] | None = None

    def __float__(self) -> float:
        return self.value


def interval(
    metric: str | Metric,
    table: ConfusionMatrix,
    *,
    confidence_level: float = 0.95,
    method: Method = "bayes",
    rng: Any = None,
    n_resamples: int = 9999,
    squared_weights: ConfusionMatrix | None = None,
) -> Interval:
    """Return an equal-tailed interval for a metric, given one table of counts.

    Whatever one share of cases x/(x + y) alone decides has the interval of that share, transformed:
    accuracy and error rate, precision and false discovery rate, and F1 = 2 J/(1 + J) has that of
    the Jaccard index J. Every other metric has the law that the four cells together give it.

    An end that would leave out the metric's own value is moved to it: an MCC of 1 reaches up to 1.
    This is what Brown, Cai and DasGupta do for 0 and for m successes. The other end stays the
    quantile that it was, so that nothing covers less, and the interval is one-sided there.

    Parameters
    ----------
    metric : Metric or str
    table : ConfusionMatrix
        A single table, of counts or of sums of weights. Weights work with "bayes" only.
    confidence_level : float
        In (0, 1).
    method : {"bayes", "wilson", "exact", "bootstrap"}
        "bayes" takes every metric: quantiles of its law when the four cell probabilities have the
        Jeffreys-type posterior Dirichlet(cells + 1/2); a share x/m that alone decides the metric
        has Beta(x + 1/2, m - x + 1/2), Jeffreys' law. "wilson" and "exact" (Clopper-Pearson) take
        such metrics only. "bootstrap" takes percentiles over multinomial resamples of the table.
    rng : numpy.random.Generator or int
        Needed by the bootstrap, and used by nothing else.
    n_resamples : int
        Of the bootstrap.
    squared_weights : ConfusionMatrix, optional
        The sum of the squared weights in each cell of `table`; None says that `table` holds counts.
        With it a rate is worth Kish's effective number of cases (Σw)² / Σw², taken over the cells
        it is conditioned on: a deciding share over its own cells, and for every other metric the
        base rate over all cases, recall over the positives and the false positive rate over the
        negatives. Counts, such as the true positives, stay sums of weights.

    Returns
    -------
    Interval

    Raises
    ------
    UnsupportedError
        The method does not exist for this metric, or not for weighted counts, or not for more than
        5e10 cases.
    InvalidArgumentError
        A batch of tables, a confidence level outside (0, 1), a bootstrap without `rng`, or squared
        weights that no non-negative weights with the sums in `table` have.

    References
    ----------
    Brown, Cai and DasGupta (2001), Statistical Science 16:101, doi:10.1214/ss/1009213286, for the
    three intervals for proportions. Goutte and Gaussier (2005), ECIR,
    doi:10.1007/978-3-540-31865-1_25, for the posterior of F1. Caelen (2017), Annals of Mathematics
    and Artificial Intelligence 81:429, doi:10.1007/s10472-017-9564-8, for the Dirichlet posterior.
    Kish (1965), Survey Sampling, Wiley, for the effective number of cases.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> t = ConfusionMatrix(tp=35, fn=5, fp=10, tn=50)
    >>> found = interval("matthews_correlation", t)
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.532, 0.698, 0.81)

    Ten positives of weight 100 have the interval of ten positives:

    >>> heavy = ConfusionMatrix(tp=800, fn=200, fp=100, tn=900)
    >>> squares = ConfusionMatrix(tp=80_000, fn=20_000, fp=100, tn=900)
    >>> found = interval("recall", heavy, squared_weights=squares)
    >>> round(found.low, 3), round(found.high, 3)
    (0.497, 0.956)
    """
    metric = get(metric)
    chosen = one_of("method", method, Method)
    level = number_in("confidence_level", confidence_level, "(0, 1)", "0.95 is usual")
    _check_table(metric, table, chosen)
    _check_squares(table, squared_weights, chosen)
    facts = {"metric": metric.name, "confidence_level": level, "method": chosen}
    value = float(metric(table))
    if isnan(value):
        found = Limits(nan, nan, "undefined")
    elif chosen == "bootstrap":
        found = _bootstrap(metric, table, level, rng, n_resamples)
    else:
        found = _limits(metric, table, squared_weights, level, chosen)
    low, high = min(found.low, value), max(found.high, value)  # nan stays nan
    moved = {"low": found.low - low, "high": high - found.high}
    extended = next((end for end, way in moved.items() if way > ROUNDING * (high - low)), None)
    ends = {**found._asdict(), "low": low, "high": high, "extended": extended}
    return Interval(value=value, **facts, **ends)


def _limits(
    metric: Metric,
    table: ConfusionMatrix,
    squared: ConfusionMatrix | None,
    level: float,
    method: str,
) -> Limits:
    share = deciding_share(metric)
    if share is None and method != "bayes":
        message = (
            f"method {method!r} is for proportions, and {metric.name} is not one: "
            'use method="bayes" (exact), or "bootstrap" with rng.'
        )
        raise UnsupportedError(message)
    if share is None or not table.n:
        return credible(metric, table, level, squared)
    cells: dict[str, Any] = dict(zip(CELLS, table, strict=True))
    scale = cases_per_weight(table, squared, share[0] + share[1])
    x, y = (scale * sum(cells[cell] for cell in side) for side in share)
    if method != "wilson":
        refuse_beyond(x + y)
    route, solve = _PROPORTIONS[method]
    ends, rests = solve(x, y, level), solve(y, x, level)[::-1]  # the rests with their own digits
    if metric.proportion is None:
        ends = [at_share(metric, table, p, q) for p, q in zip(ends, rests, strict=True)]
    low, high = ends
    return Limits(low, high, route)


_PROPORTIONS = {
    "bayes": ("jeffreys", proportions.jeffreys),
    "wilson": ("wilson", proportions.wilson),
    "exact": ("clopper-pearson", proportions.clopper_pearson),
}


def _bootstrap(
    metric: Metric, table: ConfusionMatrix, level: float, rng: Any, n_resamples: int
) -> Limits:
    size = whole_number("n_resamples", n_resamples, minimum=1)
    if rng is None:
        rule = "must be given for the bootstrap"
        remedy = "pass a numpy.random.Generator or an integer seed"
        raise InvalidArgumentError.from_rule("rng", rule, rng, remedy)
    tail = (1 - level) / 2
    levels = np.array([tail, 1 - tail])
    ends, share = bootstrap(metric, table, levels, rng=rng, n_resamples=size)
    return Limits(float(ends[0]), float(ends[1]), "percentile", undefined=share)


def _check_table(metric: Metric, table: ConfusionMatrix, method: str) -> None:
    if table.shape != ():
        remedy = f"ask for one at a time: [interval({metric.name!r}, t[i]) for i in ...]"
        raise InvalidArgumentError.from_rule(
            "table", "must be a single table", f"a batch of shape {table.shape}", remedy
        )
    if table.is_weighted and method != "bayes":
        message = (
            f"method {method!r} counts cases, but these counts are weighted (not whole numbers): "
            'use method="bayes", which takes them as they are, or pass unweighted counts.'
        )
        raise UnsupportedError(message)


def _check_squares(table: ConfusionMatrix, squared: Any, method: str) -> None:
    if squared is None:
        return
    if method != "bayes":
        message = (
            f"method {method!r} counts cases, and squared_weights says that these are weights: "
            'use method="bayes", or pass the unweighted counts alone.'
        )
        raise UnsupportedError(message)
    single = isinstance(squared, ConfusionMatrix) and squared.shape == ()
    if not single or not all(map(_possible, table, squared)):
        rule = "must be a single table of sums of squared weights: in each cell more than 0 and at "
        rule += f"most the square of its sum of weights, or 0 if that is 0, which are {table}"
        remedy = "sum the squares of the weights cell by cell"
        raise InvalidArgumentError.from_rule("squared_weights", rule, squared, remedy)


def _possible(weight: float, square: float) -> bool:
    """Whether non-negative weights have this sum and this sum of squares."""
    return bool(weight) == bool(square) and square <= weight * weight * (1 + ROUNDING)
