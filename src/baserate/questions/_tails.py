"""Tail probabilities of a metric under a model."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._law import Law
from baserate.questions._routes import follow
from baserate.questions._simulation import share_error, simulated
from baserate.questions._tail_routes import tail_routes
from baserate.questions._ties import Cut
from baserate.questions._undefined import policy_of, settled

_SIMULATE = "cdf and sf can simulate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """Where a number lies in the law of a metric, given that the metric is defined.

    Attributes
    ----------
    below, equal, above : float
        P(M < x), P(M = x) and P(M > x); nan if the metric is never defined.
    error : float
        Each of the three may be short by so much, but for rounding: what windows leave out, below
        1e-18 unless the metric is rarely defined; 0 for models of up to 50,000 tables. Of a tail
        that is smaller than this, only that it is smaller is known.
    probability_defined : float
    route : str
        "lumps", "threshold" or "enumeration"; all are exact up to rounding.
    """

    below: float
    equal: float
    above: float
    error: float
    probability_defined: float
    route: str


def cdf(
    metric: str | Metric,
    model: Model,
    x: Any,
    *,
    method: str | None = None,
    undefined: Any = "omit",
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return P(metric <= x), given that it is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    x : float or Fraction
        Values within a relative 1e-12 of a float count as equal to it; a Fraction is compared
        exactly (close values are recomputed with fifty digits).
    method : {None, "lumps", "threshold", "enumeration", "simulation"}
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
        nan, not an error, if the metric is undefined at every possible table, or x is nan. The
        value may be short by ``error``, below 1e-18: what windows leave out. Of a tail that is
        smaller than this, only that it is smaller is known.

    Raises
    ------
    UnsupportedError
        No exact route is short enough, or the named one does not apply; the message says which do.
    InvalidArgumentError
        x is not a number; with ``undefined="raise"``; simulation without `rng`.

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> round(float(cdf("tp", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4), 2)) * 70)
    53
    """
    law = Law.of(metric, model)
    return _tail(law, Cut.at(law.metric, x), 0, undefined, method, rng, n_samples)


def sf(
    metric: str | Metric,
    model: Model,
    x: Any,
    *,
    method: str | None = None,
    undefined: Any = "omit",
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return P(metric > x), given that it is defined; summed from its own end, never as 1 - cdf.

    Parameters, result and errors are those of `cdf`.

    Examples
    --------
    Fisher's tea taster was right about 3 of the 4 cups with milk first (The Design of Experiments,
    1935); chance does as well with probability 17/70:

    >>> from baserate.models import Hypergeometric
    >>> cups = Hypergeometric(n_positive=4, n_negative=4, n_predicted=4)
    >>> round(float(sf("mcc", cups, 0.49)) * 70)
    17
    """
    law = Law.of(metric, model)
    return _tail(law, Cut.at(law.metric, x), 1, undefined, method, rng, n_samples)


def tails(metric: str | Metric, model: Model, x: Any, *, method: str | None = None) -> Tails:
    """Return the probabilities of being below x, equal to it and above it, in one pass.

    Each is summed from its own end, so that small ones keep their digits down to ``error``. All are
    given that the metric is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    x : float or Fraction
        Values within a relative 1e-12 of a float count as equal to it; a Fraction is compared
        exactly (close values are recomputed with fifty digits).
    method : {None, "lumps", "threshold", "enumeration"}
        None takes the first exact route; a name forces that route.

    Returns
    -------
    Tails
        nan, not an error, if the metric is undefined at every possible table, or x is nan.

    Raises
    ------
    UnsupportedError
        No exact route is short enough, or the named one does not apply; the message says which do.
    InvalidArgumentError
        x is not a number.

    Examples
    --------
    Fisher's tea taster, right about 3 of the 4 cups with milk first, has 17 in 70 chances to do as
    well by guessing: 16 for this score, and one for a perfect one.

    >>> from baserate.models import Hypergeometric
    >>> t = tails("mcc", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4), 0.5)
    >>> round(t.below * 70), round(t.equal * 70), round(t.above * 70)
    (53, 16, 1)
    """
    law = Law.of(metric, model)
    cut = Cut.at(law.metric, x)
    (sides, error), route = follow(tail_routes(cut), law, method, otherwise=_SIMULATE)
    defined = sides.defined
    known = defined > 0 and not _is_nan(cut.x)
    below, equal, above = (min(1.0, mass / defined) if known else nan for mass in sides[:3])
    return Tails(
        below=below,
        equal=equal,
        above=above,
        error=error / defined if known else nan,
        probability_defined=law.probability_defined() if law.regular else min(1.0, defined),
        route=route,
    )


def _tail(
    law: Law,
    cut: Cut,
    side: int,
    undefined: Any,
    method: str | None,
    rng: Any,
    n_samples: int,
) -> Answer:
    """Answer P(defined and on that side of x) / P(defined), under the policy."""
    instead = policy_of(undefined)
    if method == "simulation":
        return simulated(law, lambda v: _share(v, cut, side), undefined, rng, n_samples)
    (sides, error), route = follow(tail_routes(cut), law, method)
    mass = law.probability_undefined() if law.regular else sides.undefined
    value = settled(law, undefined, mass)
    if value is None:
        asked = sides.above if side else sides.below + sides.equal
        value = min(1.0, asked / sides.defined) if sides.defined > 0 else nan
        if instead is not None:
            on_side = (instead > cut.x) == bool(side)
            value = mass * on_side + (0.0 if isnan(value) else value * (1 - mass))
    value = nan if _is_nan(cut.x) else value
    error = 0.0 if isnan(value) else error / (sides.defined or 1.0)
    return Answer(value=value, route=route, undefined=mass, error=error)


def _share(values: Array, cut: Cut, side: int) -> tuple[float, float]:
    limit = float(cut.x)
    over = float(np.mean(Cut.at(cut.metric, limit).above(values, ())))
    share = over if side else 1 - over
    return share, share_error(share, len(values))


def _is_nan(x: Any) -> bool:
    return isinstance(x, float) and isnan(x)
