"""Quantiles of a metric under a model."""

from collections.abc import Iterator
from math import nan
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._atoms import atoms, with_atom
from baserate.questions._law import BUDGET, Block, Law
from baserate.questions._lumps import Lumps
from baserate.questions._routes import Route, follow
from baserate.questions._simulation import simulated
from baserate.questions._undefined import policy_of, probability, settled

# So many tables are sorted before anything else is tried.
_CHEAP = 200_000
# Probabilities carry rounding: a quantile is reached if all but so little of q is.
_SLACK = 1e-12
_INSTEAD = "ask cdf or sf at the values in question, or pass method='simulation' with rng="


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
    method : {None, "lumps", "enumeration", "simulation"}
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
        There are more than 20 million values to sort, or the named route does not apply; the
        message says which do. `cdf` and `sf` reach much further: ask them at the values in
        question.
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
    (value, mass), name = follow(_routes(q, instead), law, method, otherwise=_INSTEAD)
    stopped = settled(law, undefined, mass)
    return Answer(value=value if stopped is None else stopped, route=name, undefined=mass)


def _routes(q: float, instead: float | None) -> tuple[Route, ...]:
    def lumped(law: Law) -> tuple[float, float] | None:
        lumps = Lumps.of(law)
        if lumps is None or not lumps.fits() or lumps.n_tables() > BUDGET:
            return None
        return _by_sorting(law, lumps.blocks(), q, instead)

    def sort(law: Law) -> tuple[float, float]:
        return _by_sorting(law, law.blocks(), q, instead)

    return (
        Route("enumeration", lambda law: law.n_atoms() <= _CHEAP, sort),
        Route("lumps", lambda law: law.metric.lumps is not None, lumped),
        Route("enumeration", lambda law: law.n_atoms() <= BUDGET, sort),
    )


def _by_sorting(
    law: Law, blocks: Iterator[Block], q: float, instead: float | None
) -> tuple[float, float]:
    values, weights, undefined = atoms(law.metric, blocks)
    total = float(weights.sum())
    mass = law.probability_undefined() if law.regular else undefined
    if instead is not None and mass > 0:
        weights = weights / total * (1 - mass) if total else weights
        values, weights = with_atom(law.metric, values, weights, (instead, mass))
    if not values.size:
        return nan, mass
    reached = np.cumsum(weights)
    first = int(np.searchsorted(reached / reached[-1], q - _SLACK))
    return float(values[min(first, len(values) - 1)]), mass


def _sample_quantile(values: Array, q: float) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    n = len(values)
    reach = np.sqrt((q * (1 - q) + 1 / n) / n)
    levels = np.clip([q - reach, q, q + reach], 0, 1)
    low, middle, high = np.quantile(values, levels, method="inverted_cdf")
    return float(middle), float(high - low) / 2
