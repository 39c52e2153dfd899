"""Answers to questions of several classes: by the binary twin, exactly, or of draws."""

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.questions.listed_laws import Listed
from baserate.questions.question import Answer, of_draws, share_error
from baserate.questions.several_classes import ClassLaw, stopped
from baserate.questions.undefined import policy_of

SIMULATION = "simulation"
Exact = Callable[[ClassLaw, str | None, Any], tuple[float, str, float]]


def class_answer(
    asked: Callable[..., Answer],
    law: ClassLaw,
    method: str | None,
    undefined: Any,
    rng: Any,
    n_samples: int,
    *arguments: Any,
    exact: Exact,
    estimate: Callable[[Array], tuple[float, float]],
) -> Answer:
    """Answer a question, given by its own function, of several classes.

    `exact` answers it where no binary twin does; `estimate` returns the value and its standard
    error, given a sample of the metric's values.
    """
    if isinstance(method, str) and method == SIMULATION:
        instead, values = policy_of(undefined), law.drawn(rng, n_samples)
        value, error, mass = of_draws(values, instead, estimate)
        value = nan if stopped(law, undefined, mass, gaps=mass > 0) else value
        return Answer(value=value, route=SIMULATION, undefined=mass, error=error)
    if (twin := law.twin()) is not None:
        return asked(*twin, *arguments, method=method, undefined=undefined)
    value, route, mass = exact(law, method, undefined)
    return Answer(value=value, route=route, undefined=mass)


def off_list(read: Callable[[Listed, float | None], float]) -> Exact:
    """Return how a question is answered that is read off the list of all values."""

    def exact(law: ClassLaw, method: str | None, undefined: Any) -> tuple[float, str, float]:
        found = law.listed(method)
        value = read(found, policy_of(undefined))
        stops = stopped(law, undefined, found.undefined, gaps=found.gaps)
        return (nan if stops else value), found.route, found.undefined

    return exact


def class_defined(
    asked: Callable[..., Answer], law: ClassLaw, method: str | None, rng: Any, n_samples: int
) -> Answer:
    """Answer `probability_defined`."""
    if isinstance(method, str) and method == SIMULATION:
        share = float(np.mean(~np.isnan(law.drawn(rng, n_samples))))
        error = share_error(share, n_samples)
        return Answer(value=share, route=method, undefined=1 - share, error=error)
    if (twin := law.twin()) is not None:
        return asked(*twin, method=method)
    found = law.moments(method, variance=False)
    return Answer(value=1 - found.undefined, route=found.route, undefined=found.undefined)


def class_share(x: Any, values: Array, *, above: bool) -> tuple[float, float]:
    """Return the share of values on that side of x, or at it, and its standard error."""
    beyond = values > float(x) + 1e-12 * max(1.0, abs(float(x)))
    share = float(np.mean(beyond if above else ~beyond))
    return share, share_error(share, len(values))
