"""Probabilities of being defined, and of lying below, at or above a number."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import exp, fsum, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._result import Result
from baserate._windows import DEEP, DEPTH
from baserate.errors import UnsupportedError
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassModel, Model
from baserate.questions.law import BUDGET, Batch, InheritedLaw, n_pairs, pairs
from baserate.questions.listed_laws import Pivot, tail
from baserate.questions.moments import expect
from baserate.questions.question import Answer, Question, Route, follow, share_error, simulates
from baserate.questions.several_classes import Asking, ask, class_share, either, off_list
from baserate.questions.thresholds import by_thresholds, has_thresholds
from baserate.questions.undefined import mass_defined, mass_listed

# So many tables are compared one by one before thresholds are looked for.
_CHEAP = 20_000
# The most pairs of lumps, which are compared one by one in about ten seconds.
_PAIRS = 1_000_000_000
# Laws of so few tables are summed whole, down to 1e-300.
_WHOLE = 50_000
# What the windows of up to three counts leave out, of either tail.
_LEFT_OUT = 6 * exp(-DEPTH)
# With less than this defined, what windows leave out would count.
_RARE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails(Result):
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
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
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
    undefined, rng, n_samples
        As in `expect`.

    Returns
    -------
    Answer
        nan, not an error, if the metric is undefined at every possible table, or x is nan. The
        value may be short by ``error``, below 1e-18: what windows leave out. Of a tail that is
        smaller than this, only that it is smaller is known.

    Raises
    ------
    UnsupportedError, InvalidArgumentError
        As in `expect`; or x is not a number.

    Examples
    --------
    >>> from baserate import cdf
    >>> from baserate.models import Hypergeometric
    >>> round(float(cdf("tp", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4), 2)) * 70)
    53
    """
    return _tail(metric, model, x, Asking(method, undefined, rng, n_samples), above=False)


def sf(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
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

    >>> from baserate import sf
    >>> from baserate.models import Hypergeometric
    >>> cups = Hypergeometric(n_positive=4, n_negative=4, n_predicted=4)
    >>> round(float(sf("mcc", cups, 0.49)) * 70)
    17
    """
    return _tail(metric, model, x, Asking(method, undefined, rng, n_samples), above=True)


def tails(metric: str | Metric, model: Model, x: Any, *, method: str | None = None) -> Tails:
    """Return the probabilities of being below x, equal to it and above it, in one pass.

    Each is summed from its own end, so that small ones keep their digits down to ``error``. All are
    given that the metric is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    x : float or Fraction
        As in `cdf`, and so are the errors.
    method : {None, "lumps", "threshold", "enumeration"}

    Returns
    -------
    Tails
        nan, not an error, if the metric is undefined at every possible table, or x is nan.

    Examples
    --------
    Fisher's tea taster, right about 3 of the 4 cups with milk first, has 17 in 70 chances to do as
    well by guessing: 16 for this score, and one for a perfect one.

    >>> from baserate.questions import tails
    >>> from baserate.models import Hypergeometric
    >>> t = tails("mcc", Hypergeometric(n_positive=4, n_negative=4, n_predicted=4), 0.5)
    >>> round(t.below * 70), round(t.equal * 70), round(t.above * 70)
    (53, 16, 1)
    """
    law = InheritedLaw.of(metric, model)
    apart, found = parted(law, x, method)
    defined = mass_defined(law) if law.regular else min(1.0, found.defined)
    return Tails(**apart, probability_defined=defined)


def parted(law: InheritedLaw, x: Any, method: str | None = None) -> tuple[dict[str, Any], Any]:
    """Return the three probabilities by their names in `Tails`, and the sums they come from."""
    pivot = Pivot.at(law.metric, x)
    found, route = follow(_routes(pivot), law, method, otherwise="cdf and sf can simulate")
    defined = found.defined if not _is_nan(pivot.x) else 0.0
    masses = (min(1.0, mass / defined) if defined else nan for mass in found[:3])
    apart: dict[str, Any] = dict(zip(("below", "equal", "above"), masses, strict=True))
    return {**apart, "error": found.error / defined if defined else nan, "route": route}, found


def probability_defined(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
    *,
    method: str | None = None,
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return the probability that a metric is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    method : {None, "closed form", "enumeration", "simulation"}
        The closed form is inclusion and exclusion over the sums of counts whose being zero makes
        the metric undefined; it needs ``metric.undefined_if_zero`` and no further undefined set.
    rng, n_samples
        For simulation.

    Raises
    ------
    UnsupportedError
        No exact route is short enough, or the named one does not apply; the message says which do.

    Examples
    --------
    Proportional guessing with one positive in ten flags nothing, and has no precision, with
    probability 0.9^10 = 0.349:

    >>> from baserate import probability_defined
    >>> from baserate.models import BinomialPair
    >>> m = BinomialPair(n_positive=1, n_negative=9, recall=0.1, false_positive_rate=0.1)
    >>> round(1 - float(probability_defined("precision", m)), 3)
    0.349
    """

    def by_mean(_: Any) -> Answer:
        found = expect(metric, model, method=method, rng=rng, n_samples=n_samples)
        value, route, missing = 1 - found.undefined, found.route, found.undefined
        error = share_error(value, n_samples) if simulates(method) else 0.0
        return Answer(value=value, route=route, undefined=missing, error=error)

    def of_two(law: InheritedLaw) -> Answer:
        if simulates(method):
            return by_mean(law)
        value, route = follow(_DEFINED, law, method)
        return Answer(value=value, route=route, undefined=1 - value)

    return either(metric, model, method, by_mean, of_two)


_DEFINED = (
    Route("closed form", lambda law: law.regular, mass_defined),
    Route("enumeration", lambda law: law.n_tables() <= BUDGET, mass_listed),
)


class _Split(NamedTuple):
    """Probability of being defined and below x, at x, above x, and by how much each may be short.

    That of being undefined is not looked at where sums of counts say all about it.
    """

    below: float
    equal: float
    above: float
    undefined: float = 0.0
    error: float = 0.0

    @property
    def defined(self) -> float:
        return self.below + self.equal + self.above


def _tail(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
    x: Any,
    how: Asking,
    *,
    above: bool,
) -> Answer:
    """Answer P(defined and on that side of x) / P(defined)."""

    def of_two(two: Metric) -> Question:
        pivot = Pivot.at(two, x)
        read, share = (partial(way, pivot, above=above) for way in (_read, _share))
        return Question(routes=_routes(pivot), read=read, estimate=share)

    exact, share = off_list(partial(tail, x=x, above=above)), partial(class_share, x, above=above)
    return ask(metric, model, how, of_two, exact, share)


def _read(
    pivot: Pivot, found: _Split, instead: float | None, mass: float, *, above: bool
) -> tuple[float, float]:
    if _is_nan(pivot.x):
        return nan, 0.0
    asked = found.above if above else found.below + found.equal
    value = min(1.0, asked / found.defined) if found.defined > 0 else nan
    if instead is not None:
        on_side = (instead > pivot.x) == above
        value = mass * on_side + (0.0 if isnan(value) else value * (1 - mass))
    return value, 0.0 if isnan(value) else found.error / (found.defined or 1.0)


def _share(pivot: Pivot, values: Array, *, above: bool) -> tuple[float, float]:
    rounded = Pivot.at(pivot.metric, float(pivot.x))
    over = float(np.mean(rounded.sides(values, ())[1]))
    share = over if above else 1 - over
    return share, share_error(share, len(values))


def _routes(pivot: Pivot) -> tuple[Route, ...]:
    """Return the routes to the masses on both sides of x."""

    def by_lumps(law: InheritedLaw) -> _Split | None:
        return _deep_enough(
            law,
            lambda depth: n_pairs(law, depth) <= _PAIRS,
            lambda depth: _summed(pairs(law, depth), pivot),
        )

    def by_fp(law: InheritedLaw) -> _Split | None:
        return _deep_enough(
            law,
            lambda depth: has_thresholds(law, depth),
            lambda depth: _Split(*by_thresholds(law, pivot, depth)),
        )

    def enumerated(law: InheritedLaw) -> _Split | None:
        found = _deep_enough(
            law,
            lambda depth: law.n_tables(depth) <= BUDGET,
            lambda depth: _summed(law.batches(depth), pivot),
        )
        if found is None and not has_thresholds(law, DEEP):
            raise _too_rare(law)
        return found

    return (
        Route("lumps", lambda law: n_pairs(law) <= _PAIRS, by_lumps),
        Route("enumeration", lambda law: law.n_tables() <= _CHEAP, enumerated),
        Route("threshold", has_thresholds, by_fp),
        Route("enumeration", lambda law: law.n_tables() <= BUDGET, enumerated),
    )


def _deep_enough(
    law: InheritedLaw, fits: Callable[[float], bool], split_at: Callable[[float], _Split]
) -> _Split | None:
    """Sum windows: the deepest of a short law, or of one with hardly any table defined."""
    if law.model.n_tables > _WHOLE:
        if not fits(DEPTH):
            return None
        found = split_at(DEPTH)
        if found.defined > _RARE:
            return found._replace(error=_LEFT_OUT)
    return split_at(DEEP) if fits(DEEP) else None


def _summed(batches: Iterable[Batch], pivot: Pivot) -> _Split:
    sums = [(0.0, 0.0, 0.0, 0.0)]
    for cells, values, weights in batches:
        below, above = pivot.sides(values, cells)
        neither = ~(below | above)
        nowhere = neither & np.isnan(values)
        parts = below, neither & ~nowhere, above, nowhere
        before, equal, past, undefined = (float(weights[part].sum()) for part in parts)
        sums.append((before, equal, past, undefined))
    return _Split(*map(fsum, zip(*sums, strict=True)))


def _too_rare(law: InheritedLaw) -> UnsupportedError:
    return UnsupportedError(
        f"{law.metric.name} is so rarely defined under {type(law.model).__name__} that windows "
        f"which leave out {_LEFT_OUT:.0e} say too little, and there are {law.n_tables(DEEP):,} "
        f"tables to sum in deeper ones, more than {BUDGET:,}: declare trend_in_fp and "
        "undefined_if_zero, which opens the threshold route."
    )


def _is_nan(x: Any) -> bool:
    return isinstance(x, float) and isnan(x)
