"""Answers to questions of several classes: by the binary twin, exactly, or of draws."""

from functools import partial
from math import nan, sqrt
from typing import Any

import numpy as np

from baserate._checks import number_in
from baserate._windows import Array
from baserate.models import ClassModel
from baserate.questions.listed_laws import quantile_of, tail
from baserate.questions.question import Answer, share_error
from baserate.questions.several_classes import (
    ClassLaw,
    error_of_mean,
    mean_answer,
    simulated,
    stopped,
)
from baserate.questions.undefined import policy_of

SIMULATION = "simulation"


def class_expect(
    metric: Any, model: ClassModel, method: str | None, undefined: Any, rng: Any, n_samples: int
) -> Answer:
    """Answer `expect`."""
    law = ClassLaw.of(metric, model)
    if isinstance(method, str) and method == SIMULATION:
        return _of_draws(law, undefined, rng, n_samples, error_of_mean)
    if (twin := law.twin()) is not None:
        from baserate.questions.moments import expect

        return expect(*twin, method=method, undefined=undefined)
    value, route, mass = mean_answer(law, method, undefined, variance=False)
    return Answer(value=value, route=route, undefined=mass)


def class_variance(
    metric: Any, model: ClassModel, method: str | None, undefined: Any, rng: Any, n_samples: int
) -> Answer:
    """Answer `variance`."""
    law = ClassLaw.of(metric, model)
    if isinstance(method, str) and method == SIMULATION:
        return _of_draws(law, undefined, rng, n_samples, _sample_variance)
    if (twin := law.twin()) is not None:
        from baserate.questions.moments import variance

        return variance(*twin, method=method, undefined=undefined)
    value, route, mass = mean_answer(law, method, undefined, variance=True)
    return Answer(value=value, route=route, undefined=mass)


def class_tail(
    metric: Any,
    model: ClassModel,
    x: Any,
    method: str | None,
    undefined: Any,
    rng: Any,
    n_samples: int,
    *,
    above: bool,
) -> Answer:
    """Answer `cdf`, or `sf`."""
    law = ClassLaw.of(metric, model)
    if isinstance(method, str) and method == SIMULATION:
        share = partial(_share, float(x), above=above)
        return _of_draws(law, undefined, rng, n_samples, share)
    if (twin := law.twin()) is not None:
        from baserate.questions.probabilities import cdf, sf

        return (sf if above else cdf)(*twin, x, method=method, undefined=undefined)
    found = law.listed(method)
    value = tail(found, policy_of(undefined), x, above=above)
    if stopped(law, undefined, found.undefined, gaps=found.gaps):
        value = nan
    return Answer(value=value, route=found.route, undefined=found.undefined)


def class_quantile(
    metric: Any,
    model: ClassModel,
    q: float,
    method: str | None,
    undefined: Any,
    rng: Any,
    n_samples: int,
) -> Answer:
    """Answer `quantile`."""
    law, q = ClassLaw.of(metric, model), number_in("q", q, "[0, 1]", "pass a probability")
    if isinstance(method, str) and method == SIMULATION:
        return _of_draws(law, undefined, rng, n_samples, partial(_sample_quantile, q))
    if (twin := law.twin()) is not None:
        from baserate.questions.quantiles import quantile

        return quantile(*twin, q, method=method, undefined=undefined)
    found = law.listed(method)
    value = quantile_of(found, policy_of(undefined), q)
    if stopped(law, undefined, found.undefined, gaps=found.gaps):
        value = nan
    return Answer(value=value, route=found.route, undefined=found.undefined)


def class_defined(
    metric: Any, model: ClassModel, method: str | None, rng: Any, n_samples: int
) -> Answer:
    """Answer `probability_defined`."""
    law = ClassLaw.of(metric, model)
    if isinstance(method, str) and method == SIMULATION:
        share = float(np.mean(~np.isnan(law.drawn(rng, n_samples))))
        error = share_error(share, n_samples)
        return Answer(value=share, route=method, undefined=1 - share, error=error)
    if (twin := law.twin()) is not None:
        from baserate.questions.probabilities import probability_defined

        return probability_defined(*twin, method=method)
    found = law.moments(method, variance=False)
    return Answer(value=1 - found.undefined, route=found.route, undefined=found.undefined)


def _of_draws(law: ClassLaw, undefined: Any, rng: Any, n_samples: int, estimate: Any) -> Answer:
    value, error, mass = simulated(law, undefined, rng, n_samples, estimate)
    return Answer(value=value, route=SIMULATION, undefined=mass, error=error)


def _sample_variance(values: Array) -> tuple[float, float]:
    squares = (values - values.mean()) ** 2
    return float(values.var(ddof=1)), float(squares.std(ddof=1)) / sqrt(len(values))


def _share(x: float, values: Array, *, above: bool) -> tuple[float, float]:
    beyond = values > x + 1e-12 * max(1.0, abs(x))
    share = float(np.mean(beyond if above else ~beyond))
    return share, share_error(share, len(values))


def _sample_quantile(q: float, values: Array) -> tuple[float, float]:
    """Return the sample quantile; its error from the quantiles a standard error of q apart."""
    step = share_error(q, len(values))
    how: Any = {"method": "inverted_cdf"}
    low, middle, high = np.quantile(values, [max(0.0, q - step), q, min(1.0, q + step)], **how)
    return float(middle), float(high - low) / 2
