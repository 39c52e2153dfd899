"""How probably a metric is defined under a model."""

from typing import Any

import numpy as np

from baserate._checks import whole_number
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._law import BUDGET, Law
from baserate.questions._routes import Route, follow
from baserate.questions._simulation import needs_rng, share_error


def probability_defined(
    metric: str | Metric,
    model: Model,
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

    >>> from baserate.models import BinomialPair
    >>> m = BinomialPair(n_positive=1, n_negative=9, recall=0.1, false_positive_rate=0.1)
    >>> round(1 - float(probability_defined("precision", m)), 3)
    0.349
    """
    law = Law.of(metric, model)
    if method == "simulation":
        return _simulated(law, rng, n_samples)
    value, name = follow(_ROUTES, law, method)
    return Answer(value=value, route=name, undefined=1 - value)


_ROUTES = (
    Route("closed form", lambda law: law.regular, Law.probability_defined),
    Route("enumeration", lambda law: law.n_atoms() <= BUDGET, Law.mass),
)


def _simulated(law: Law, rng: Any, n_samples: int) -> Answer:
    needs_rng(rng)
    n_samples = whole_number("n_samples", n_samples, minimum=2)
    tables = law.model.sample(n_samples, rng)
    share = float(np.mean(~np.isnan(law.value(*tables))))
    error = share_error(share, n_samples)
    return Answer(value=share, route="simulation", undefined=1 - share, error=error)
