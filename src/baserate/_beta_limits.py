"""Limits that are quantiles of beta laws: those of a share of cases, and those told by moments."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._large_beta import betainccinv, betaincinv

Array = NDArray[np.float64]


def clopper_pearson(hits: Any, rest: Any, confidence_level: float) -> tuple[Any, Any]:
    """Return the shares at which either binomial tail has (1 - confidence_level) / 2.

    Arrays broadcast; parts of cases, such as weights that sum to an effective number, are welcome.

    Examples
    --------
    Nobody among ten: the "rule of three", to the digit, is 1 - 0.025^(1/10).

    >>> from baserate._beta_limits import clopper_pearson
    >>> low, high = clopper_pearson(0, 10, 0.95)
    >>> float(low), round(float(high), 4), round(1 - 0.025**0.1, 4)
    (0.0, 0.3085, 0.3085)
    """
    tail = (1 - confidence_level) / 2
    high = betainccinv(hits + 1, np.where(rest > 0, rest, 1), tail)
    return lower_limit(hits, rest, tail), np.where(rest > 0, high, 1.0)


def lower_limit(hits: Any, rest: Any, error: Any) -> Array:
    """Return the lower limit of the share of hits that is too high with this error at most.

    The p at which Binomial(hits + rest, p) reaches the hits or more with probability `error`.
    """
    found = betaincinv(np.where(hits > 0, hits, 1), rest + 1, error)
    return np.where(hits > 0, found, 0.0)


def matching_beta(mean: Any, rest: Any, variance: Any, least: float = 0.0) -> tuple[Any, Any]:
    """Return the parameters of the beta law with this mean, 1 - mean (`rest`) and variance.

    They sum to `least` at least, where no beta law varies so much.

    Examples
    --------
    >>> from baserate._beta_limits import matching_beta
    >>> a, b = matching_beta(0.25, 0.75, 0.0375)
    >>> round(float(a), 9), round(float(b), 9)
    (1.0, 3.0)
    """
    size = np.maximum(mean * rest / variance - 1, least)
    return mean * size, rest * size
