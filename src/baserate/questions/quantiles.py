"""Quantiles of a metric under a model, at one size or many, and its whole law."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum, log, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import number_in, shape_of, whole_number
from baserate._result import Result
from baserate._windows import DEEP, DEPTH, Integers
from baserate.errors import InvalidArgumentError
from baserate.metrics import ClassMetric, Metric, binary_metric
from baserate.models import ClassModel, Model, Multinomial, MultivariateHypergeometric
from baserate.models.model import four_numbers
from baserate.questions.law import BUDGET, Batch, InheritedLaw, n_pairs, pairs
from baserate.questions.listed_laws import filled, grouped, quantile_of
from baserate.questions.question import Answer, Question, Route, follow
from baserate.questions.several_classes import Asking, ClassLaw, ask, either, off_list
from baserate.questions.undefined import mass_defined, policy_of, probability_undefined, stopped

# Up to so many tables, listing them costs less than finding the laws of lumps.
_CHEAP = 20_000
# So many values are sorted at once; of more, those in the bins around the quantile.
_SORTED, _BINS = 10_000, 1 << 16
# Probabilities carry rounding: a quantile is reached if all but so little of q is.
_SLACK = 1e-12
# Windows of many sizes leave out a tenth of that, so that they may be shorter than where small
# tails are asked for.
_SHORT = 32.0
_INSTEAD = "ask cdf or sf at the values in question, or pass method='simulation' with rng="
_SMALLER = "ask for smaller sizes; cdf and sf at the values in question reach further"
_FEWER = "ask cdf, sf or quantile, which do not list every value"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atoms(Result):
    """The values a metric can take, ascending, and their probabilities.

    Attributes
    ----------
    values, probabilities : array
    route : str
    undefined : float
        Probability that the metric is undefined. The probabilities sum to one unless all of it is.
    """

    derived: ClassVar[tuple[str, ...]] = ("jaggedness",)
    values: Array
    probabilities: Array
    route: str
    undefined: float = 0.0

    @property
    def jaggedness(self) -> float:
        """The largest jump of the distribution function, max P(M = v): from 0 (smooth) to 1.

        No continuous law, a normal one say, comes closer to it than half of that. nan without a
        value.
        """
        return float(self.probabilities.max()) if self.values.size else nan


def quantile(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
    q: float,
    *,
    method: str | None = None,
    undefined: Any = "omit",
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return the smallest value v with P(metric <= v) >= q, given that the metric is defined.

    Probabilities are compared with a slack of 1e-12, since they carry rounding.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    q : float in [0, 1]
        0 gives the smallest and 1 the greatest value whose probability is not negligible.
    method : {None, "lumps", "enumeration", "simulation"}
        None takes the first exact route; a name forces that route.
    undefined, rng, n_samples
        As in `expect`.

    Returns
    -------
    Answer
        nan, not an error, if the metric is undefined at every possible table.

    Raises
    ------
    UnsupportedError
        There are more than 20 million values to sort, or the named route does not apply; the
        message says which do. `cdf` and `sf` reach much further: ask them at the values in
        question.
    InvalidArgumentError
        As in `expect`; or q lies outside [0, 1].

    Examples
    --------
    >>> from baserate import quantile
    >>> from baserate.models import Hypergeometric
    >>> m = Hypergeometric(n_positive=4, n_negative=4, n_predicted=4)
    >>> [quantile("tp", m, q).value for q in (0, 17 / 70, 0.25, 0.5, 1)]
    [0.0, 1.0, 2.0, 2.0, 4.0]
    """
    q = number_in("q", q, "[0, 1]", "pass a probability")
    estimate = partial(_sample_quantile, q)

    def of_two(two: Metric) -> Question:
        read = partial(_read, two, q)
        return Question(routes=_routes(), read=read, estimate=estimate, otherwise=_INSTEAD)

    how, exact = Asking(method, undefined, rng, n_samples), off_list(partial(quantile_of, q=q))
    return ask(metric, model, how, of_two, exact, estimate)


def pmf(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
    *,
    method: str | None = None,
    undefined: Any = "omit",
) -> Atoms:
    """Return the values that a metric can take and their probabilities, given that it is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    method : {None, "enumeration"}
    undefined : {"omit", "propagate", "raise"} or float
        "omit" conditions on the metric being defined; "propagate" gives no atoms but nan if it may
        be undefined, "raise" an error; a number stands in for the undefined value.

    Returns
    -------
    Atoms
        Values within a relative 1e-12 of one another are one atom. Tables beyond the windows (less
        than 1e-18 of the mass) are left out.

    Raises
    ------
    UnsupportedError
        There are too many tables.
    InvalidArgumentError
        With ``undefined="raise"``.

    Examples
    --------
    >>> from baserate import pmf
    >>> from baserate.models import Hypergeometric
    >>> atoms = pmf("tp", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4))
    >>> atoms.values, (atoms.probabilities * 70).round(9)
    (array([0., 1., 2., 3., 4.]), array([ 1., 16., 36., 16.,  1.]))
    """

    def of_several(law: ClassLaw) -> Any:
        found = law.listed(method)
        nowhere = stopped(law, undefined, found.undefined, gaps=found.gaps)
        return *found.filled(policy_of(undefined)), found.route, found.undefined, nowhere

    def of_two(law: InheritedLaw) -> Any:
        instead = policy_of(undefined)
        found, route = follow(_routes()[-1:], law, method, otherwise=_FEWER)
        mass = probability_undefined(law) if law.regular else found.undefined
        nowhere = stopped(law, undefined, mass)
        values, weights = filled(found.values, found.weights, instead, mass)
        return *grouped(law.metric, values, weights), route, mass, nowhere

    values, weights, route, mass, nowhere = either(metric, model, None, of_several, of_two)
    if nowhere:
        values, weights = np.array([nan]), np.ones(1)
    order = np.argsort(values, kind="stable")
    return Atoms(values=values[order], probabilities=weights[order], route=route, undefined=mass)


class _Values(NamedTuple):
    """The values of all tables, in any order, and their masses; and the mass without a value."""

    values: Array
    weights: Array
    undefined: float

    @classmethod
    def of(cls, batches: Iterable[Batch]) -> "_Values":
        parts: list[tuple[Array, Array]] = []
        undefined = [0.0]
        for batch in batches:
            defined = ~np.isnan(batch.values)
            keep = defined & (batch.weights > 0)
            parts.append((batch.values[keep], batch.weights[keep]))
            undefined.append(float(batch.weights[~defined].sum()))
        values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(values, weights, fsum(undefined))


def _routes(depth: float = DEPTH) -> tuple[Route, ...]:
    """Return the routes to all values, in windows of this depth."""

    def enumerated(law: InheritedLaw) -> _Values:
        return _Values.of(law.batches(depth))

    def by_lumps(law: InheritedLaw) -> _Values:
        return _Values.of(pairs(law, depth))

    return (
        Route("enumeration", lambda law: law.n_tables(depth) <= _CHEAP, enumerated),
        Route("lumps", lambda law: n_pairs(law, depth) <= BUDGET, by_lumps),
        Route("enumeration", lambda law: law.n_tables(depth) <= BUDGET, enumerated),
    )


def _read(
    metric: Metric, q: float, found: _Values, instead: float | None, mass: float
) -> tuple[float, float]:
    values, weights = filled(found.values, found.weights, instead, mass)
    return _levels(metric, values, weights, [q])[0], 0.0


def _levels(metric: Metric, values: Array, weights: Array, levels: Sequence[float]) -> list[float]:
    """Read quantiles off values that need not be sorted, all of them at once."""
    if not values.size:
        return [nan] * len(levels)
    bins = _bins(values)
    reached: Array = np.cumsum(np.bincount(bins, weights), dtype=np.float64)

    def at_level(level: float) -> float:
        """Sort the bin in which it is reached and, since sums round, both beside it."""
        goal = (level - _SLACK) * reached[-1]
        at = min(int(np.searchsorted(reached, goal)), len(reached) - 1)
        near = np.abs(bins - at) <= 1
        inside, masses = grouped(metric, values[near], weights[near])
        before = reached[at - 2] if at > 1 else 0.0
        first = int(np.searchsorted(before + np.cumsum(masses), goal))
        return float(inside[min(first, len(inside) - 1)])

    return [at_level(level) for level in levels]


def _bins(values: Array) -> Integers:
    """Return in which of many equal bins each value lies; of few values, all in one."""
    low, spread = values.min(), np.ptp(values)
    if values.size <= _SORTED or spread == 0:
        return np.zeros(values.shape, dtype=np.int64)
    return ((values - low) * ((_BINS - 1) / spread)).astype(np.int64)


def _sample_quantile(q: float, values: Array) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    n = len(values)
    reach = np.sqrt((q * (1 - q) + 1 / n) / n)
    levels = np.clip([q - reach, q, q + reach], 0, 1)
    low, middle, high = np.quantile(values, levels, method="inverted_cdf")
    return float(middle), float(high - low) / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricQuantiles(Result):
    """Quantiles of a metric in samples of several sizes, given that it is defined.

    Attributes
    ----------
    metric : str
    value : float
        The metric of the reference itself, to which the quantiles tend as samples grow.
    sizes : array of shape (n_sizes,)
    levels : array of shape (n_levels,)
    quantiles : array of shape (n_levels, n_sizes)
        nan where the metric is undefined at every table of that size.
    probability_defined : array of shape (n_sizes,)
        Probability that a sample of that size has a value at all.
    routes : tuple of str
        "lumps" or "enumeration" for each size; both are exact up to rounding.
    """

    metric: str
    value: float
    sizes: Integers
    levels: Array
    quantiles: Array
    probability_defined: Array
    routes: tuple[str, ...]


def metric_quantiles(
    metric: str | Metric,
    reference: Any,
    sizes: Any,
    levels: Sequence[float],
    *,
    replace: bool = True,
) -> MetricQuantiles:
    """Return the quantiles of a metric in random samples of a reference, for each sample size.

    The q-quantile at size n is the smallest v with P(metric <= v | defined) >= q under
    Multinomial(n, reference), or without replacement under MultivariateHypergeometric, compared
    with a slack of 1e-12: that of `quantile`, for many levels and sizes at once. Drawn against n it
    is the fan in which scores of groups that are like the reference lie (Briscoe, Kepler, DeFord,
    Gebremedhin 2025, Algorithmic Accountability in Small Data, AISTATS).
    """
    metric = binary_metric(metric)
    cells = four_numbers("reference", reference)
    totals = [whole_number("sizes", size, minimum=1) for size in _listed(sizes)]
    if replace:
        laws = [InheritedLaw(metric, Multinomial(n=n, cells=cells)) for n in totals]
    else:
        draws = [MultivariateHypergeometric(n=n, population=reference) for n in totals]
        laws = [InheritedLaw(metric, draw) for draw in draws]
    found = [_quantiles(law, levels) for law in laws]
    return MetricQuantiles(
        metric=metric.name,
        value=float(laws[0].value(*map(float, cells))),
        sizes=np.array(totals, dtype=np.int64),
        levels=np.array(levels),
        quantiles=np.array([values for values, _ in found]).T,
        probability_defined=np.array([mass_defined(law) for law in laws]),
        routes=tuple(route for _, route in found),
    )


def _listed(sizes: Any) -> list[Any]:
    """Return the elements of a sequence that is not empty."""
    several = len(shape_of("sizes", sizes)) > 1
    elements = [] if several else np.atleast_1d(np.asarray(sizes)).tolist()
    if not elements:
        rule, remedy = "must be a list of numbers", "pass for example sizes=[10, 100]"
        raise InvalidArgumentError.from_rule("sizes", rule, sizes, remedy)
    return elements


def _quantiles(law: InheritedLaw, levels: Sequence[float]) -> tuple[list[float], str]:
    """Return the quantiles of one law, and the route to them.

    Windows go deeper where it is rarely defined: what is left out is relative to that mass.
    """
    defined = mass_defined(law)
    depth = min(DEEP, _SHORT - log(defined)) if defined > 0 else _SHORT
    found, route = follow(_routes(depth), law, None, otherwise=_SMALLER)
    return _levels(law.metric, found.values, found.weights, levels), route
