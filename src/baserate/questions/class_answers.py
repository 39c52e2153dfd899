"""Answers to questions of several classes: by the binary twin, exactly, or of draws."""

from collections.abc import Callable
from functools import partial
from math import nan, sqrt
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.questions.listed_laws import quantile_of, tail
from baserate.questions.question import Answer, error_of_mean, share_error
from baserate.questions.several_classes import (
    ClassLaw,
    mean_answer,
    simulated,
    stopped,
)
from baserate.questions.undefined import policy_of

SIMULATION = "simulation"


def class_answer(
    asked: Callable[..., Answer],
    law: ClassLaw,
    method: str | None,
    undefined: Any,
    rng: Any,
    n_samples: int,
    *arguments: Any,
) -> Answer:
    """Answer a question, given by its own function, of several classes."""
    if isinstance(method, str) and method == SIMULATION:
        estimate = partial(_ESTIMATES[asked.__name__], *arguments)
        value, error, mass = simulated(law, undefined, rng, n_samples, estimate)
        return Answer(value=value, route=SIMULATION, undefined=mass, error=error)
    if (twin := law.twin()) is not None:
        return asked(*twin, *arguments, method=method, undefined=undefined)
    if asked.__name__ in {"expect", "variance"}:
        spread = asked.__name__ == "variance"
        value, route, mass = mean_answer(law, method, undefined, variance=spread)
        return Answer(value=value, route=route, undefined=mass)
    found = law.listed(method)
    value = _READINGS[asked.__name__](found, policy_of(undefined), *arguments)
    if stopped(law, undefined, found.undefined, gaps=found.gaps):
        value = nan
    return Answer(value=value, route=found.route, undefined=found.undefined)


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


def _sample_variance(values: Array) -> tuple[float, float]:
    squares = (values - values.mean()) ** 2
    return float(values.var(ddof=1)), float(squares.std(ddof=1)) / sqrt(len(values))


def _share(x: Any, values: Array, *, above: bool) -> tuple[float, float]:
    beyond = values > float(x) + 1e-12 * max(1.0, abs(float(x)))
    share = float(np.mean(beyond if above else ~beyond))
    return share, share_error(share, len(values))


def _sample_quantile(q: float, values: Array) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    step = share_error(q, len(values))
    how: Any = {"method": "inverted_cdf"}
    low, middle, high = np.quantile(values, [max(0.0, q - step), q, min(1.0, q + step)], **how)
    return float(middle), float(high - low) / 2


# By the name of the question: what is read off a sample of values, and off a list of them all.
_ESTIMATES: dict[str, Callable[..., tuple[float, float]]] = {
    "expect": error_of_mean,
    "variance": _sample_variance,
    "cdf": partial(_share, above=False),
    "sf": partial(_share, above=True),
    "quantile": _sample_quantile,
}
_READINGS: dict[str, Callable[..., float]] = {
    "cdf": partial(tail, above=False),
    "sf": partial(tail, above=True),
    "quantile": quantile_of,
}
