"""Intervals of metrics of several classes: several metrics share one set of draws.

A metric that the share of right calls alone decides has the interval of that share; a mean over
cases has an exact Dirichlet law; for all others there is no integral in few dimensions, and their
law is simulated, always with the same seed and with the error of the ends stated.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import plain, ratio
from baserate._arrays import Array
from baserate._checks import DRAWS, each_of, float_array, one_of, whole_number
from baserate.class_counts import ClassTable, some_class_table
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference.binary_intervals import (
    Interval,
    Method,
    around,
    generator_of,
    table_interval,
)
from baserate.inference.bounded_law import DirichletLinear
from baserate.inference.class_draws import (
    ClassPosterior,
    Stretched,
    at_draws,
    by_mass,
    drawn_values,
    resampled,
)
from baserate.inference.metric_limits import PROPORTIONS, Limits
from baserate.inference.posterior import cases_per_weight
from baserate.metrics import ClassMetric, Metric, class_metric

SEED = 20_250_101  # a table always has the same interval
N_DRAWS = 4096  # of each table, alone or in a batch, so that no table's answer depends on others
SIGMAS = 3.29  # within which 99.9% of a normal law lie
LOOKS = 65  # places at which a function of the share of hits is seen to be monotone


UNDEFINED = Limits(np.nan, np.nan, "undefined")


def table_intervals(
    metrics: Sequence[ClassMetric],
    table: ClassTable,
    level: float,
    method: Method | None = None,
    rng: Any = None,
    n_resamples: int = 9999,
    squared_weights: float | None = None,
    n_draws: int | None = None,
) -> dict[str, Interval]:
    """Return the intervals of tables of independent cases; see `class_intervals`."""
    chosen: Any = one_of("method", "bayes" if method is None else method, Method)
    _check(table, chosen, squared_weights)
    effective = effective_table(table, squared_weights)
    every = list(dict.fromkeys(metrics))
    forms = {metric: metric.form_of(table.n_classes) for metric in every}
    own = [metric for metric, form in forms.items() if form is None]
    source = _Source(level, chosen, rng, n_resamples, size_of_draws(n_draws))
    solved = _solved(own, table, effective, source) if own else {}
    if squared_weights is not None:
        size = plain(np.asarray(effective.n, dtype=float))
        solved = {name: replace(one, effective_n=size) for name, one in solved.items()}
    return {
        metric.name: solved[metric.name]
        if metric.name in solved
        else table_interval(
            forms[metric],  # pyright: ignore[reportArgumentType] - it has one
            effective.one_vs_rest(table.labels[1]),  # the second class is positive
            *(level, chosen, rng, n_resamples),
        )
        for metric in every
    }


def squares_of(table: ClassTable, squared: ClassTable | None) -> float | None:
    """Return the sum of squared weights, if there are; or more, where they go with being right."""
    if squared is None:
        return None
    right, rights = (
        ConfusionMatrix(tp=(hits := t.hits.sum()), fn=t.n - hits, fp=0, tn=0)
        for t in (table, squared)
    )
    return table.n / cases_per_weight(right, rights, (("tp",), ("fn",)))


class _Source(NamedTuple):
    """What was asked for."""

    level: float
    method: Any
    rng: Any
    n_resamples: int
    n_draws: int

    @property
    def tails(self) -> Array:
        return np.array([(1 - self.level) / 2, (1 + self.level) / 2])


def asked_metrics(metrics: Any) -> list[ClassMetric]:
    """Return one metric or several, given by name or as they are, as a list."""
    return [*map(class_metric, each_of("metrics", metrics, str | Metric | ClassMetric))]


def size_of_draws(n_draws: int | None) -> int:
    """Return how many draws were asked for, or as many as every table has."""
    if n_draws is None:
        return N_DRAWS
    return whole_number("n_draws", n_draws, minimum=100, maximum=DRAWS)


def effective_table(table: ClassTable, squared_weights: Any) -> ClassTable:
    """Return a table that holds effective cases: all cells divided by Σw² / Σw."""
    if squared_weights is None:
        return table
    weight = np.asarray(table.n, dtype=float)
    squares = float_array("squared_weights", squared_weights)
    if squares.shape not in {(), weight.shape} or not (squares >= 0).all():
        rule = f"must be sums of squares, one or of shape {weight.shape}"
        remedy = "pass the sum of the squared weights of each table"
        raise InvalidArgumentError.from_rule("squared_weights", rule, squared_weights, remedy)
    with np.errstate(over="ignore"):
        factors = ratio(weight, squares)
    if np.isinf(factors).any():
        rule, remedy = "must not be tiny beside the weights", "pass sums of squared weights"
        raise InvalidArgumentError.from_rule("squared_weights", rule, squared_weights, remedy)
    cells = table.counts * factors[..., None, None]
    return ClassTable(np.where(np.isnan(cells), 0.0, cells), table.labels)


def _solved(
    metrics: list[ClassMetric], table: ClassTable, effective: ClassTable, source: _Source
) -> dict[str, Interval]:
    """Return the intervals of a table, or of each of a batch, in arrays."""
    k = table.n_classes
    flat = ClassTable(table.counts.reshape(-1, k, k), table.labels)
    cells = effective.counts.reshape(-1, k, k).astype(float)
    values = np.array([np.atleast_1d(np.asarray(metric(flat), dtype=float)) for metric in metrics])
    found = [_ends(metrics, flat[i], cells[i], values[:, i], source) for i in range(len(cells))]
    solved: dict[str, Interval] = {}
    for metric, value, ends in zip(metrics, values, zip(*found, strict=True), strict=True):
        columns = [np.array(column) for column in zip(*ends, strict=True)]
        parts = dict(zip(Limits._fields, columns, strict=True))
        parts["route"] = parts["route"].astype(object)
        asked = source.level, source.method, table.shape
        solved[metric.name] = around(metric, flat, value, parts, asked)
    return solved


def _ends(
    metrics: list[ClassMetric],
    table: ClassTable,
    cells: Array,
    values: Array,
    source: _Source,
) -> list[Limits]:
    """Return the ends of every metric at one table: those that need draws share them."""
    found = [
        UNDEFINED if np.isnan(value) else _without_draws(metric, cells, source)
        for metric, value in zip(metrics, values, strict=True)
    ]
    waiting = [metric for metric, end in zip(metrics, found, strict=True) if end is None]
    if not waiting:
        return [end for end in found if end is not None]
    drawn = iter(_simulated(waiting, table, cells, source))
    return [next(drawn) if end is None else end for end in found]


def _without_draws(metric: ClassMetric, cells: Array, source: _Source) -> Limits | None:
    """Return the ends where the share of hits decides, or where the law is exact; else None."""
    if source.method == "bootstrap":
        return None
    hits, errors = float(np.trace(cells)), float(cells.sum() - np.trace(cells))
    if of_hit_share(metric, len(cells)):
        route, solve = PROPORTIONS[source.method]
        x, y = np.array(hits), np.array(errors)
        right, wrong = solve(x, y, source.level), solve(y, x, source.level)[::-1]
        if metric.weights is not None:
            on, off = metric.weights(len(cells))[0, :2].tolist()
            low, high = sorted(float(on * p + off * q) for p, q in zip(right, wrong, strict=True))
            return Limits(low, high, route)
        path = value_at_hit_share(
            metric, np.linspace(right[0], right[1], LOOKS), len(cells), hits + errors
        )
        steps = np.diff(path)
        if np.all(steps >= 0) or np.all(steps <= 0):
            return Limits(float(path.min()), float(path.max()), route)
    if source.method != "bayes":
        raise UnsupportedError(
            f"method {source.method!r} is for shares of cases, and {metric.name} is not one: use "
            'method="bayes", or "bootstrap" with rng.'
        )
    if metric.weights is None:
        return None
    law = mean_law(metric, cells)
    return Limits(*law.interval(source.level), "exact" if law.sd else "constant")


def mean_law(metric: ClassMetric, cells: Array) -> DirichletLinear:
    """Return the law of a metric that is a mean over cases, at the counts of these cells."""
    assert metric.weights is not None
    weights = metric.weights(len(cells)).ravel()
    alpha = concentration(metric, cells).ravel()
    return DirichletLinear(weights[alpha > 0], alpha[alpha > 0])


def concentration(metric: ClassMetric, cells: Array) -> Array:
    """Return counts and what the prior of a mean over cases adds to them."""
    return with_even_prior(cells) if metric.prior is None else cells + metric.prior(len(cells))


def of_hit_share(metric: ClassMetric, n_classes: int) -> bool:
    """Whether the share of cases that are called what they are decides the metric."""
    if metric.prior is not None:  # some cells are no calls of a class
        return False
    if metric.weights is not None:
        weights, on = metric.weights(n_classes), np.eye(n_classes, dtype=bool)
        return bool(np.ptp(weights[on]) == 0 == np.ptp(weights[~on]))
    recall = metric.kind == "weighted" and metric.part is not None and metric.part.name == "recall"
    return metric.kind == "micro" or recall


def value_at_hit_share(metric: ClassMetric, share: Array, n_classes: int, n: float) -> Array:
    """Return the metric at shares of hits; how they spread over the classes changes nothing."""
    hits = np.repeat(n / n_classes * share[:, None], n_classes, axis=1)
    side = np.full_like(hits, n / n_classes)
    return np.asarray(metric.at_margins(hits, side, side))


def with_even_prior(cells: Array) -> Array:
    """Return counts plus half a case for all hits and half a case for all errors, evenly spread."""
    k = len(cells)
    return cells + np.where(np.eye(k, dtype=bool), 0.5 / k, 0.5 / (k * (k - 1)))


def _simulated(
    metrics: list[ClassMetric], table: ClassTable, cells: Array, source: _Source
) -> list[Limits]:
    if source.method == "bootstrap":
        size = whole_number("n_resamples", source.n_resamples, minimum=1, maximum=DRAWS)
        blocks = resampled(cells, size, generator_of(source.rng))
        drawn = np.concatenate([at_draws(metrics, block, table) for block in blocks], axis=1)
        return [percentiles(column, source.tails, "percentile") for column in drawn]
    found = posterior_values(metrics, table, cells, source.n_draws)
    return [percentiles(one.values, source.tails, "simulation", one.noise) for one in found]


def posterior_values(
    metrics: Sequence[ClassMetric], table: ClassTable, cells: Array, n_draws: int = N_DRAWS
) -> list[Stretched]:
    """Return metrics at draws of what a table of these (effective) cells leaves open."""
    posterior = ClassPosterior(cells, float(table.n))

    def drawn(some: list[ClassMetric], mass: float) -> list[Stretched]:
        rng = np.random.default_rng(SEED)
        parts = posterior.parts(n_draws, rng, mass)
        return drawn_values(some, table, parts, float(cells.sum()), rng)

    return by_mass(metrics, len(cells), drawn)


def percentiles(values: Array, tails: Array, route: str, noise: float = 0.0) -> Limits:
    """Return both percentiles of the defined values, and how far other seeds may put them."""
    defined = np.sort(values[~np.isnan(values)])
    undefined = 1 - defined.size / values.size
    if not defined.size:
        return UNDEFINED._replace(undefined=undefined)
    off = SIGMAS * np.sqrt(tails * (1 - tails) / defined.size)
    method = "linear" if route == "percentile" else "hazen"
    levels = np.clip(np.concatenate((tails, tails - off, tails + off)), 0, 1)
    low, high, *around = np.quantile(defined, levels, method=method).tolist()
    error = max(around[2] - around[0], around[3] - around[1]) / 2
    center = float(np.median(defined))
    error = hypot(error, SIGMAS * noise * max(high - center, center - low))
    return Limits(low, high, route, error if route == "simulation" else 0.0, undefined)


def _check(table: Any, method: str, squared_weights: Any) -> None:
    some_class_table("table", table)
    if method == "jackknife":
        raise UnsupportedError(
            'method "jackknife" leaves out clusters, and a table has none: of independent cases '
            'use method="bayes".'
        )
    if method != "bayes" and (table.is_weighted or squared_weights is not None):
        raise UnsupportedError(
            f"method {method!r} counts cases, but these counts are weighted: use "
            'method="bayes" with squared_weights, or pass unweighted counts.'
        )
