"""Intervals of metrics of two classes: five methods, one table or many."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from baserate._arith import plain
from baserate._arrays import Array
from baserate._checks import DRAWS, generator, one_of, whole_number
from baserate._result import Result
from baserate.cases.clusters import Design
from baserate.counts import ConfusionMatrix, as_float, some_table
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.linearity import deciding_share
from baserate.inference.metric_limits import TOLERANCE, Limits, flat, limits
from baserate.inference.simulation import bootstrap
from baserate.inference.survey_design import by_design
from baserate.metrics import ClassMetric, Metric

Method = Literal["bayes", "wilson", "exact", "bootstrap", "jackknife"]
DESIGN_METHODS = ("jackknife", "bootstrap")  # which do not take cases as independent
ROUNDING = 1e-6  # sums of many weights, in another order or precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Result):
    """An interval for a metric, and how it was found; ``float()`` gives the metric's value.

    For a batch of tables every attribute but `metric`, `confidence_level` and `method` is an array
    of the shape of the batch, and ``found[i]`` picks one.

    Attributes
    ----------
    metric : str
    value : float
        nan where it is undefined, and then `low` and `high` are nan too.
    low, high : float
        They never leave out `value`: with 0 of 10 successes [0.00005, 0.217] becomes [0, 0.217].
    extended : {"low", "high"} or None
        The end that was moved to `value`. The other end stays the quantile that it was, so that a
        posterior probability of 95% becomes one of at most 97.5%.
    confidence_level : float
    method : {"bayes", "wilson", "exact", "bootstrap", "jackknife"}
    route : str
        "jeffreys", "gauss", "quasi-monte-carlo", "constant", "wilson", "clopper-pearson",
        "percentile", "student", or "undefined". Of several classes also "exact" (a Dirichlet law)
        and "simulation".
    error : float
        Of either end. Quasi-Monte-Carlo: half a 99.9% Student interval over independent
        scramblings. "gauss": how much a finer rule moves it. A bootstrap of clusters and a
        simulation: half the distance of the percentiles between which 99.9% of the seeds put it.
        Otherwise 0: exact up to rounding, or (the bootstrap) as `rng` has it.
    undefined : float
        Share of resamples, or of quasi-Monte-Carlo points, in which the metric was undefined.
    reason : str or None
        Why there is no value, such as "no positives (tp + fn = 0)", or no interval.
    design_effect, effective_n, degrees_of_freedom : float or None
        Of cases in clusters: by how much they enlarge the variance; the number of independent
        cases, of those that a share is taken of, that would say as much; and those of Student's
        quantile ("student").
    """

    metric: str
    value: Any
    low: Any
    high: Any
    confidence_level: float
    method: Method
    route: Any
    error: Any = 0.0
    undefined: Any = 0.0
    extended: Any = None
    reason: Any = None
    design_effect: float | None = None
    effective_n: float | None = None
    degrees_of_freedom: float | None = None

    def __getitem__(self, index: Any) -> "Interval":
        """Pick intervals from those of a batch."""
        names = ("value", "low", "high", "route", "error", "undefined", "extended", "reason")
        parts = {name: plain(getattr(self, name)[index]) for name in names}
        return Interval(
            metric=self.metric,
            confidence_level=self.confidence_level,
            method=self.method,
            **parts,
        )

    def __float__(self) -> float:
        return float(self.value)


def table_interval(
    metric: Metric,
    table: ConfusionMatrix,
    level: float,
    method: Method | None = None,
    rng: Any = None,
    n_resamples: int = 9999,
    squared_weights: Any = None,
    tolerance: float = TOLERANCE,
) -> Interval:
    """Return the intervals of tables of independent cases; see `interval`."""
    chosen: Any = one_of("method", "bayes" if method is None else method, Method)
    _check_table(table, chosen)
    _check_squares(table, squared_weights, chosen)
    row, squares = flat(table), None if squared_weights is None else flat(squared_weights)
    value = np.atleast_1d(np.asarray(metric(row), dtype=float))
    route = np.full(value.size, "undefined", dtype=object)
    low, high, error, undefined = (np.full(value.size, x) for x in (np.nan, np.nan, 0.0, 0.0))
    found = Limits(low, high, route, error, undefined)
    if chosen not in {"bayes", "bootstrap"} and deciding_share(metric) is None:
        raise UnsupportedError(
            f"method {chosen!r} is for proportions, and {metric.name} is not one: "
            'use method="bayes" (of the posterior), or "bootstrap" with rng.'
        )
    at = np.flatnonzero(~np.isnan(value))
    if at.size:
        some = row if at.size == value.size else row[at]
        squared = None if squares is None else squares[at]
        if chosen == "bootstrap":
            solved = _bootstrap(metric, some, level, rng, n_resamples)
        else:
            solved = limits(metric, some, squared, level, method=chosen, tolerance=tolerance)
        for whole, part in zip(found, solved, strict=True):
            whole[at] = part
    return around(metric, row, value, found._asdict(), (level, chosen, table.shape))


def around(
    metric: Metric | ClassMetric,
    tables: Any,
    value: Array,
    found: dict[str, Any],
    asked: tuple[float, Any, tuple[int, ...]],
) -> Interval:
    """Return the intervals of a row of tables, whose ends are moved to hold the value.

    `asked` are the confidence level, the method and the shape of the batch.
    """
    level, method, shape = asked
    low, high = np.fmin(found["low"], value), np.fmax(found["high"], value)
    far = ROUNDING * (high - low)
    extended, reason = np.full((2, value.size), None, dtype=object)
    extended[high - found["high"] > far] = "high"
    extended[found["low"] - low > far] = "low"
    for i in np.flatnonzero(np.isnan(value)):
        reason[i] = metric.undefined_reason(tables[i])
    parts = {**found, "value": value, "low": low, "high": high, "extended": extended}
    parts["reason"] = reason
    return Interval(
        metric=metric.name,
        confidence_level=level,
        method=method,
        **{name: plain(part.reshape(shape)) for name, part in parts.items()},
    )


def design_interval(
    metric: Metric,
    design: Design,
    level: float,
    method: str = DESIGN_METHODS[0],
    rng: Any = None,
    n_resamples: int = 9999,
) -> Interval:
    """Return the interval of one table whose cases lie in clusters; see `interval`.

    Rao and Scott (1992), Biometrics 48:577, doi:10.2307/2532311, for ratios of cases in clusters.
    """
    chosen = for_clusters(method, design)
    size = whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS)
    generator = None if chosen == "jackknife" else generator_of(rng)
    return held(metric, level, chosen, by_design(metric, design, level, generator, size))


def held(
    metric: Metric | ClassMetric, level: float, method: Method, parts: dict[str, Any]
) -> Interval:
    """Return an interval of these parts, whose ends are moved to hold the value."""
    low, high = np.minimum(parts["low"], parts["value"]), np.maximum(parts["high"], parts["value"])
    ends = {"low": float(low), "high": float(high)}
    return Interval(metric=metric.name, confidence_level=level, method=method, **(parts | ends))


def _bootstrap(
    metric: Metric, table: ConfusionMatrix, level: float, rng: Any, n_resamples: int
) -> Limits:
    size = whole_number("n_resamples", n_resamples, minimum=1, maximum=DRAWS)
    tail, generator = (1 - level) / 2, generator_of(rng)
    levels = np.array([tail, 1 - tail])
    found = [
        bootstrap(metric, table[i], levels, rng=generator, n_resamples=size)
        for i in range(table.shape[0])
    ]
    ends = np.array([limits for limits, _ in found])
    share = np.array([undefined for _, undefined in found])
    route = np.full(share.size, "percentile", dtype=object)
    return Limits(ends[:, 0], ends[:, 1], route, 0 * share, share)


def for_clusters(method: str, design: Any) -> Any:
    """Return the method, unless it takes cases in clusters as independent, or draws none."""
    if method not in DESIGN_METHODS:
        raise UnsupportedError(
            f"method {method!r} takes cases as independent, and these lie in clusters: use "
            'method="jackknife", or "bootstrap" with rng.'
        )
    drawn = design.of_clusters or design.sizes.get("n_strata") is not None
    if method != DESIGN_METHODS[0] and not drawn:
        raise UnsupportedError(
            "a bootstrap draws clusters, and there are replicate weights or runs in their place: "
            'use method="jackknife", which takes what they say.'
        )
    return method


def generator_of(rng: Any) -> np.random.Generator:
    """Return the generator that a bootstrap was given."""
    if rng is None:
        rule = "must be given for the bootstrap"
        remedy = "pass a numpy.random.Generator or an integer seed"
        raise InvalidArgumentError.from_rule("rng", rule, rng, remedy)
    return generator(rng)


def _check_table(table: ConfusionMatrix, method: str) -> None:
    some_table("table", table)
    if method == "jackknife":
        raise UnsupportedError(
            'method "jackknife" leaves out clusters, and a table has none: pass what '
            'count_labels(..., cluster=) returns; of independent cases use method="bayes".'
        )
    if table.is_weighted and method != "bayes":
        raise UnsupportedError(
            f"method {method!r} counts cases, but these counts are weighted (not whole numbers): "
            'use method="bayes" with squared_weights, or pass unweighted counts.'
        )


def _check_squares(table: ConfusionMatrix, squared: Any, method: str) -> None:
    if squared is None:
        return
    if method != "bayes":
        raise UnsupportedError(
            f"method {method!r} counts cases, and squared_weights says that these are weights: "
            'use method="bayes", or pass the unweighted counts, to answer for this sample alone.'
        )
    alike = isinstance(squared, ConfusionMatrix) and squared.shape == table.shape
    if not alike or not all(map(_possible, table, squared)):
        kind = "a single table" if table.shape == () else f"a batch of shape {table.shape}"
        rule = f"must be {kind} of sums of squared weights: in each cell more than 0 and at "
        rule += f"most the square of its sum of weights, or 0 if that is 0, which are {table!r}"
        remedy = "sum the squares of the weights cell by cell"
        raise InvalidArgumentError.from_rule("squared_weights", rule, squared, remedy)


def _possible(weight: Any, square: Any) -> bool:
    """Whether non-negative weights have this sum and this sum of squares."""
    weight, square = as_float(weight), as_float(square)
    empty = (weight > 0) == (square > 0)
    return bool((empty & (square <= weight * weight * (1 + ROUNDING))).all())
