"""How a question is asked: along the first route that applies or the one named, or of draws.

Draws are never chosen silently; they take a source of randomness, and state a standard error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._checks import DRAWS, one_of, whole_number
from baserate._result import Result
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.questions.law import InheritedLaw, model_of
from baserate.questions.undefined import policy_of, probability_undefined, stopped

SIMULATION = "simulation"
_NAMES = ("closed form", "tower", "lumps", "threshold", "quadrature", "enumeration", SIMULATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Result):
    """A number and where it comes from; ``float(answer)`` is the number.

    Attributes
    ----------
    value : float
    route : str
        "closed form", "tower", "lumps", "threshold", "quadrature", "enumeration",
        "simulation".
    undefined : float
        Probability that the metric is undefined.
    error : float
        Standard error if simulated. Else what windows leave out of a tail at most (the value may
        be short by so much), and 0 for all other questions: exact up to rounding.
    """

    value: float
    route: str
    undefined: float = 0.0
    error: float = 0.0

    def __float__(self) -> float:
        return float(self.value)


class Route(NamedTuple):
    """A way to compute; `run` returns None where it finds out that it does not apply after all."""

    name: str
    applies: Callable[[InheritedLaw], bool]
    run: Callable[[InheritedLaw], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a law.

    Each route finds what the answer is read off: a record with the probability `undefined`. `read`
    returns the value and its error, given what was found, the number that stands in for nan (None
    if none does) and the probability that it has to; `estimate` the value and its standard error,
    given a sample of the metric's values. `otherwise` is what a refusal offers instead of
    simulation.
    """

    routes: Sequence[Route]
    read: Callable[[Any, float | None, float], tuple[float, float]]
    estimate: Callable[[Array], tuple[float, float]]
    otherwise: str = ""

    def ask(
        self, law: InheritedLaw, method: str | None, undefined: Any, rng: Any, n_samples: int
    ) -> Answer:
        """Return the answer, under the policy for where the metric is undefined."""
        instead = policy_of(undefined)
        if simulates(method):
            values, route = drawn(law, rng, n_samples), SIMULATION
            value, error, mass = of_draws(values, instead, self.estimate)
        else:
            found, route = follow(self.routes, law, method, otherwise=self.otherwise)
            mass = probability_undefined(law) if law.regular else found.undefined
            value, error = self.read(found, instead, mass)
        if stopped(law, undefined, mass):
            value = nan
        return Answer(value=value, route=route, undefined=mass, error=error)


def simulates(method: Any) -> bool:
    """Whether draws are asked for."""
    return isinstance(method, str) and method == SIMULATION


def follow(
    routes: Sequence[Route], law: InheritedLaw, method: str | None, *, otherwise: str = ""
) -> tuple[Any, str]:
    """Return the result of the first route that applies (of that name, if given), and its name.

    If none does, the error says `otherwise`, or offers simulation.
    """
    if method is not None:
        one_of("method", method, _NAMES)
    for route in routes:
        if method in {None, route.name} and route.applies(law):
            result = route.run(law)
            if result is not None:
                return result, route.name
    raise _refusal(routes, law, method, otherwise)


def sample(model: Any, size: int, *, rng: Any) -> Any:
    """Draw a batch of random tables.

    Parameters
    ----------
    model : a model of tables
    size : int
    rng : seed or numpy.random.Generator

    Returns
    -------
    ConfusionMatrix or ClassTable
        Of shape (size,).

    Examples
    --------
    >>> from baserate import sample
    >>> from baserate.models import Hypergeometric
    >>> tables = sample(Hypergeometric(n_positive=4, n_negative=6, n_predicted=5), 1000, rng=1)
    >>> tables.shape, set(tables.n_predicted.tolist())
    ((1000,), {5})
    """
    if rng is None:
        rule = "must be given for method='simulation'"
        raise InvalidArgumentError.from_rule("rng", rule, None, "pass a seed or a generator")
    return model_of(model, "sample").sample(size, rng)


def drawn(law: InheritedLaw, rng: Any, n_samples: int) -> Array:
    """Return the metric at so many random tables, at least two; nan where it is undefined."""
    size = whole_number("n_samples", n_samples, minimum=2, maximum=DRAWS)
    return law.value(*sample(law.model, size, rng=rng))


def of_draws(
    values: Array, instead: float | None, estimate: Callable[[Array], tuple[float, float]]
) -> tuple[float, float, float]:
    """Return an estimate, its standard error and the share of draws without a value.

    `instead` stands in for these; None leaves them out.
    """
    missing = np.isnan(values)
    values = values[~missing] if instead is None else np.where(missing, instead, values)
    return *(estimate(values) if len(values) > 1 else (nan, nan)), float(missing.mean())


def error_of_mean(values: Array) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / sqrt(len(values)))


def share_error(share: float, n: int) -> float:
    """Return a standard error of a share that is positive even where nothing was seen."""
    smoothed = (share * n + 1) / (n + 2)
    return sqrt(smoothed * (1 - smoothed) / n)


def _refusal(
    routes: Sequence[Route], law: InheritedLaw, method: str | None, otherwise: str
) -> UnsupportedError:
    others = [route.name for route in routes if route.name != method and _exists(route, law)]
    others += [] if otherwise else [SIMULATION]
    known = " or ".join(f"method={name!r}" for name in dict.fromkeys(others))
    subject = f"{law.metric.name} under {type(law.model).__name__}"
    remedy = f"use {known}" if known else otherwise
    remedy += "" if otherwise else " (simulation needs rng=)"
    if method is not None:
        return UnsupportedError(f"{subject} has no route {method!r} to this answer: {remedy}.")
    size = f"{law.n_tables():,} tables to sum, and no shorter exact route"
    declared = "" if law.regular else " Declaring undefined_if_zero opens faster routes."
    return UnsupportedError(f"{subject} has {size}: {remedy}.{declared}")


def _exists(route: Route, law: InheritedLaw) -> bool:
    closed = route.name == "closed form"
    return route.applies(law) and (not closed or route.run(law) is not None)
