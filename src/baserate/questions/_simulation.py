"""Answers by simulation: asked for by name, with a source of randomness and a standard error."""

from collections.abc import Callable
from math import nan, sqrt
from typing import Any

import numpy as np

from baserate._checks import whole_number
from baserate._windows import Array
from baserate.counts import ConfusionMatrix
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._law import Law, model_of
from baserate.questions._routes import needs_rng
from baserate.questions._undefined import policy_of, settled

# An estimate from a sample of values, and its standard error.
Estimate = Callable[[Array], tuple[float, float]]


def sample(model: Model, size: int, *, rng: Any) -> ConfusionMatrix:
    """Draw a batch of random tables.

    Parameters
    ----------
    model : a model of tables
    size : int
    rng : seed or numpy.random.Generator

    Returns
    -------
    ConfusionMatrix
        Of shape (size,).

    Examples
    --------
    >>> from baserate.models import Hypergeometric
    >>> tables = sample(Hypergeometric(n_positive=4, n_negative=6, n_predicted=5), 1000, rng=1)
    >>> tables.shape, set(tables.n_predicted.tolist())
    ((1000,), {5})
    """
    needs_rng(rng)
    return model_of(model).sample(size, rng)


def drawn(law: Law, undefined: Any, rng: Any, n_samples: int) -> tuple[Array, float]:
    """Return the simulated values under the policy, and the share that was undefined."""
    needs_rng(rng)
    tables = law.model.sample(whole_number("n_samples", n_samples, minimum=2), rng)
    values = np.asarray(law.value(*tables))
    missing, instead = np.isnan(values), policy_of(undefined)
    mass = float(missing.mean())
    return (values[~missing] if instead is None else np.where(missing, instead, values)), mass


def simulated(law: Law, estimate: Estimate, undefined: Any, rng: Any, n_samples: int) -> Answer:
    """Return an estimate with its standard error; nan for both if fewer than two are defined."""
    values, mass = drawn(law, undefined, rng, n_samples)
    stopped = settled(law, undefined, mass)
    value, error = estimate(values) if len(values) > 1 else (nan, nan)
    if stopped is not None:
        value = stopped
    return Answer(value=value, route="simulation", undefined=mass, error=error)


def share_error(share: float, n: int) -> float:
    """Return a standard error of a share that is positive even where nothing was seen."""
    smoothed = (share * n + 1) / (n + 2)
    return sqrt(smoothed * (1 - smoothed) / n)
