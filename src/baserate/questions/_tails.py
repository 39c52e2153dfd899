"""Tail probabilities of a metric under a model."""

from math import exp, fsum, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._windows import DEEP, DEPTH, Array
from baserate.errors import UnsupportedError
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._law import BUDGET, Law
from baserate.questions._routes import Route, follow
from baserate.questions._simulation import share_error, simulated
from baserate.questions._thresholds import Rows
from baserate.questions._ties import Cut
from baserate.questions._undefined import policy_of, settled

# So many tables are compared one by one before thresholds are looked for.
_CHEAP = 100_000
# The most values of tp (over all class totals) whose thresholds are looked for.
_ROWS = 2_000_000
# A tail below this is computed again from windows that reach down to 1e-300.
_FAINT = 1e-10
# Where that is too much to sum, a tail must be so many times the mass that the windows of up to
# three counts leave out.
_FAR = 1e6
_CUT = 6 * exp(-DEPTH)


class Sides(NamedTuple):
    """Probability of being defined and at most x, and of being defined and above x."""

    below: float
    above: float


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
        nan, not an error, if the metric is undefined at every possible table, or x is nan.

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
    """Return P(metric > x), given that it is defined; small tails keep their digits.

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
    sides, route = follow(tail_routes(cut, side), law, method)
    mass = law.probability_undefined() if law.regular else max(0.0, 1 - sum(sides))
    value = settled(law, undefined, mass)
    if value is None:
        value = conditional(sides, side)
        if instead is not None:
            on_side = (instead > cut.x) == bool(side)
            value = mass * on_side + (0.0 if isnan(value) else value * (1 - mass))
    return Answer(value=nan if _is_nan(cut.x) else value, method=route, undefined=mass)


def conditional(sides: Sides, side: int) -> float:
    """Return the share of one side; nan where there is nothing on either."""
    total = sum(sides)
    return min(1.0, sides[side] / total) if total > 0 else nan


def tail_routes(cut: Cut, side: int | None = None) -> tuple[Route, ...]:
    """Return the routes to the masses on both sides of x; `side` is the one to keep digits of."""

    def enumerated(law: Law) -> Sides | None:
        sides = _enumerated(law, cut, DEPTH)
        if not _is_faint(sides, side):
            return sides
        if law.n_atoms(depth=DEEP) <= BUDGET:
            return _enumerated(law, cut, DEEP)
        asked = sum(sides) if side is None else sides[side]
        if asked > _FAR * _CUT:
            return sides
        if has_thresholds(law):
            return None
        raise _too_faint(law)

    def by_threshold(law: Law) -> Sides:
        sides = _by_threshold(law, cut, DEPTH)
        return _by_threshold(law, cut, DEEP) if _is_faint(sides, side) else sides

    return (
        Route("enumeration", lambda law: law.n_atoms() <= _CHEAP, enumerated),
        Route("threshold", has_thresholds, by_threshold),
        Route("enumeration", lambda law: law.n_atoms() <= BUDGET, enumerated),
    )


def has_thresholds(law: Law) -> bool:
    """Return whether fp decides, once tp and the class totals are known, by a threshold."""
    free = law.model.fixed_n_predicted is None
    known = law.metric.trend_in_fp != "unknown" and law.regular
    return free and known and law.n_rows() <= _ROWS


def _is_faint(sides: Sides, side: int | None) -> bool:
    """Whether the windows cut off too much of what is asked for."""
    return sum(sides) == 0 or (side is not None and sides[side] < _FAINT)


def _too_faint(law: Law) -> UnsupportedError:
    return UnsupportedError(
        f"This tail of {law.metric.name} under {type(law.model).__name__} is too faint for windows "
        f"that leave out {_CUT:.0e}, and there are {law.n_atoms(depth=DEEP):,} tables to sum in "
        f"deeper ones, more than {BUDGET:,}: declare trend_in_fp and undefined_if_zero, which "
        f"opens the threshold route."
    )


def _enumerated(law: Law, cut: Cut, depth: float) -> Sides:
    below, above = [0.0], [0.0]
    for block in law.blocks(depth=depth):
        over = cut.above(block.values, block.cells)
        above.append(float(block.weights[over].sum()))
        below.append(float(block.weights[~over & ~np.isnan(block.values)].sum()))
    return Sides(fsum(below), fsum(above))


def _by_threshold(law: Law, cut: Cut, depth: float) -> Sides:
    below, above = [0.0], [0.0]
    for piece in law.slices(depth=depth):
        rows = Rows.of(law, piece)
        low, high = rows.masses(rows.split(cut))
        below.append(float(piece.rows.weights @ low))
        above.append(float(piece.rows.weights @ high))
    return Sides(fsum(below), fsum(above))


def _share(values: Array, cut: Cut, side: int) -> tuple[float, float]:
    limit = float(cut.x)
    over = float(np.mean(Cut.at(cut.metric, limit).above(values, ())))
    share = over if side else 1 - over
    return share, share_error(share, len(values))


def _is_nan(x: Any) -> bool:
    return isinstance(x, float) and isnan(x)
