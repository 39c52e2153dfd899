"""The whole law of a metric under a model: its atoms, and its quantiles."""

from math import fsum, nan
from typing import Any

import numpy as np

from baserate._arith import slack
from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer, Atoms
from baserate.questions._law import BUDGET, Law
from baserate.questions._routes import Route, follow
from baserate.questions._simulation import simulated
from baserate.questions._rows import has_rows as has_thresholds
from baserate.questions._thresholds import Rows
from baserate.questions._ties import Cut
from baserate.questions._undefined import policy_of, probability, settled

# So many tables are sorted before thresholds are looked for.
_CHEAP = 500_000
# Probabilities carry rounding: a quantile is reached if all but so little of q is.
_SLACK = 1e-12
_FEWER = "ask cdf, sf or quantile, which do not list every value"


def pmf(
    metric: str | Metric,
    model: Model,
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
    >>> from baserate.models import Hypergeometric
    >>> atoms = pmf("tp", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4))
    >>> atoms.values, (atoms.probabilities * 70).round(9)
    (array([0., 1., 2., 3., 4.]), array([ 1., 16., 36., 16.,  1.]))
    """
    law, instead = Law.of(metric, model), policy_of(undefined)
    route = Route("enumeration", lambda law: law.n_atoms() <= BUDGET, _atoms)
    (values, weights), name = follow((route,), law, method, otherwise=_FEWER)
    mass = law.probability_undefined() if law.regular else max(0.0, 1 - float(weights.sum()))
    if settled(law, undefined, mass) is not None:
        values, weights = np.array([nan]), np.ones(1)
    elif weights.size:
        weights = weights / weights.sum()
    if instead is not None and mass > 0:
        values, weights = _with_atom(values, weights * (1 - mass), instead, mass)
    return Atoms(values=values, probabilities=weights, method=name, undefined=mass)


def quantile(
    metric: str | Metric,
    model: Model,
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
    method : {None, "threshold", "enumeration", "simulation"}
        None takes the first exact route; a name forces that route.
    undefined : {"omit", "propagate", "raise"} or float
        "omit" conditions on the metric being defined; "propagate" gives nan if it may be undefined,
        "raise" an error; a number stands in for the undefined value.
    rng : seed or numpy.random.Generator
        Needed for simulation, which is never chosen by itself.
    n_samples : int
        Tables to simulate.

    Returns
    -------
    Answer
        nan, not an error, if the metric is undefined at every possible table.

    Raises
    ------
    UnsupportedError
        No exact route is short enough, or the named one does not apply; the message says which do.
    InvalidArgumentError
        q lies outside [0, 1]; with ``undefined="raise"``; simulation without `rng`.

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> m = Hypergeometric(n_positive=4, n_negative=4, n_predicted=4)
    >>> [quantile("tp", m, q).value for q in (0, 17 / 70, 0.25, 0.5, 1)]
    [0.0, 1.0, 2.0, 2.0, 4.0]
    """
    law, q, instead = Law.of(metric, model), probability("q", q), policy_of(undefined)
    if method == "simulation":
        return simulated(law, lambda v: _sample_quantile(v, q), undefined, rng, n_samples)
    (value, mass), name = follow(_quantile_routes(q, instead), law, method)
    stopped = settled(law, undefined, mass)
    return Answer(value=value if stopped is None else stopped, method=name, undefined=mass)


def _quantile_routes(q: float, instead: float | None) -> tuple[Route, ...]:
    def sort(law: Law) -> tuple[float, float]:
        return _by_sorting(law, q, instead)

    def bisect(law: Law) -> tuple[float, float]:
        return _by_bisection(law, q, instead)

    return (
        Route("enumeration", lambda law: law.n_atoms() <= _CHEAP, sort),
        Route("threshold", has_thresholds, bisect),
        Route("enumeration", lambda law: law.n_atoms() <= BUDGET, sort),
    )


def _by_sorting(law: Law, q: float, instead: float | None) -> tuple[float, float]:
    values, weights = _atoms(law)
    total = float(weights.sum())
    mass = law.probability_undefined() if law.regular else max(0.0, 1 - total)
    if instead is not None and mass > 0:
        weights = weights / total * (1 - mass) if total else weights
        values, weights = _with_atom(values, weights, instead, mass)
    if not values.size:
        return nan, mass
    reached = np.cumsum(weights)
    first = int(np.searchsorted(reached / reached[-1], q - _SLACK))
    return float(values[min(first, len(values) - 1)]), mass


def _by_bisection(law: Law, q: float, instead: float | None) -> tuple[float, float]:
    """Halve the range of values until it holds one atom; the tables are never listed."""
    mass = law.probability_undefined()
    pieces = [(piece.rows.weights, Rows.of(law, piece)) for piece in law.slices()]
    ends = [rows.extremes() for _, rows in pieces]
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
    if instead is not None and mass > 0:
        low, high = min(low, instead), max(high, instead)
    if low > high:
        return nan, mass
    substitute = instead if mass > 0 else None
    total = _reached(law, pieces, high, substitute, mass)
    if _reached(law, pieces, low, substitute, mass) >= (q - _SLACK) * total:
        return low, mass
    while high - low > slack(max(abs(low), abs(high))):
        middle = low + (high - low) / 2
        if _reached(law, pieces, middle, substitute, mass) >= (q - _SLACK) * total:
            high = middle
        else:
            low = middle
    return _next_atom(law, pieces, low, substitute), mass


Pieces = list[tuple[Array, Rows]]


def _reached(law: Law, pieces: Pieces, x: float, instead: float | None, mass: float) -> float:
    """Return P(metric <= x), with `instead` for the undefined."""
    cut = Cut.at(law.metric, x)
    below = fsum(float(weights @ rows.masses(rows.split(cut))[0]) for weights, rows in pieces)
    return below + (mass if instead is not None and instead <= x + slack(x) else 0.0)


def _next_atom(law: Law, pieces: Pieces, x: float, instead: float | None) -> float:
    cut = Cut.at(law.metric, x)
    above = [rows.least_above(rows.split(cut)) for _, rows in pieces]
    if instead is not None and instead > x + slack(x):
        above.append(instead)
    return min(above)


def _atoms(law: Law) -> tuple[Array, Array]:
    """Return the distinct defined values, ascending, and their masses."""
    parts: list[tuple[Array, Array]] = []
    for block in law.blocks():
        keep = ~np.isnan(block.values) & (block.weights > 0)
        parts.append((block.values[keep], block.weights[keep]))
    values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _grouped(values, weights)


def _grouped(values: Array, weights: Array) -> tuple[Array, Array]:
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    if not values.size:
        return values, weights
    apart = np.diff(values) > slack(1.0) * np.maximum(np.abs(values[1:]), 0.01)
    first = np.flatnonzero(np.concatenate(((True,), apart)))
    return values[first], np.add.reduceat(weights, first)


def _with_atom(values: Array, weights: Array, value: float, mass: float) -> tuple[Array, Array]:
    return _grouped(np.append(values, value), np.append(weights, mass))


def _sample_quantile(values: Array, q: float) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    n = len(values)
    reach = np.sqrt((q * (1 - q) + 1 / n) / n)
    levels = np.clip([q - reach, q, q + reach], 0, 1)
    low, middle, high = np.quantile(values, levels, method="inverted_cdf")
    return float(middle), float(high - low) / 2
