"""Quantiles of a metric under a model, and its whole law: the values it can take."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import fsum, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import number_in
from baserate._result import Result
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassModel, Model
from baserate.questions.law import BUDGET, Batch, InheritedLaw, n_pairs, pairs
from baserate.questions.listed_laws import grouped, quantile_of
from baserate.questions.question import Answer, Question, Route, follow
from baserate.questions.several_classes import Asking, ClassLaw, ask, off_list
from baserate.questions.several_classes import stopped as stopped_classes
from baserate.questions.undefined import policy_of, probability_undefined, stopped

# So many tables are sorted before anything else is tried.
_CHEAP = 200_000
# Probabilities carry rounding: a quantile is reached if all but so little of q is.
_SLACK = 1e-12
_INSTEAD = "ask cdf or sf at the values in question, or pass method='simulation' with rng="
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
        return Question(routes=_ROUTES, read=read, estimate=estimate, otherwise=_INSTEAD)

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
    if isinstance(model, ClassModel):
        return _class_pmf(metric, model, method, undefined)
    law, instead = InheritedLaw.of(metric, model), policy_of(undefined)
    found, route = follow(_ROUTES[-1:], law, method, otherwise=_FEWER)
    mass = probability_undefined(law) if law.regular else found.undefined
    values, weights = _filled(law.metric, found, instead, mass)
    if stopped(law, undefined, mass):
        values, weights = np.array([nan]), np.ones(1)
    return Atoms(values=values, probabilities=weights, route=route, undefined=mass)


def _class_pmf(metric: Any, model: ClassModel, method: str | None, undefined: Any) -> Atoms:
    law = ClassLaw.of(metric, model)
    twin = law.twin()
    if twin is not None:
        return pmf(*twin, method=method, undefined=undefined)
    found = law.listed(method)
    values, weights = found.filled(policy_of(undefined))
    if stopped_classes(law, undefined, found.undefined, gaps=found.gaps):
        values, weights = np.array([nan]), np.ones(1)
    order = np.argsort(values, kind="stable")
    return Atoms(
        values=values[order],
        probabilities=weights[order],
        route=found.route,
        undefined=found.undefined,
    )


class _Values(NamedTuple):
    """The distinct values, ascending, and their masses; and the mass without a value."""

    values: Array
    weights: Array
    undefined: float

    @classmethod
    def of(cls, metric: Metric, batches: Iterable[Batch]) -> "_Values":
        parts: list[tuple[Array, Array]] = []
        undefined = [0.0]
        for batch in batches:
            defined = ~np.isnan(batch.values)
            keep = defined & (batch.weights > 0)
            parts.append((batch.values[keep], batch.weights[keep]))
            undefined.append(float(batch.weights[~defined].sum()))
        values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(*grouped(metric, values, weights), fsum(undefined))


def _filled(
    metric: Metric, found: _Values, instead: float | None, mass: float
) -> tuple[Array, Array]:
    """Return values and probabilities, with one more atom, or a heavier one, for the undefined."""
    values, weights = found.values, found.weights
    if weights.size:
        weights = weights / weights.sum()
    if instead is None or not mass:
        return values, weights
    return grouped(metric, np.append(values, instead), np.append(weights * (1 - mass), mass))


def _sorted(law: InheritedLaw) -> _Values:
    return _Values.of(law.metric, law.batches())


def _sorted_pairs(law: InheritedLaw) -> _Values:
    return _Values.of(law.metric, pairs(law))


_ROUTES = (
    Route("enumeration", lambda law: law.n_tables() <= _CHEAP, _sorted),
    Route("lumps", lambda law: n_pairs(law) <= BUDGET, _sorted_pairs),
    Route("enumeration", lambda law: law.n_tables() <= BUDGET, _sorted),
)


def _read(
    metric: Metric, q: float, found: _Values, instead: float | None, mass: float
) -> tuple[float, float]:
    values, weights = _filled(metric, found, instead, mass)
    if not values.size:
        return nan, 0.0
    reached = np.cumsum(weights)
    first = int(np.searchsorted(reached / reached[-1], q - _SLACK))
    return float(values[min(first, len(values) - 1)]), 0.0


def _sample_quantile(q: float, values: Array) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    n = len(values)
    reach = np.sqrt((q * (1 - q) + 1 / n) / n)
    levels = np.clip([q - reach, q, q + reach], 0, 1)
    low, middle, high = np.quantile(values, levels, method="inverted_cdf")
    return float(middle), float(high - low) / 2
