"""The difference and the ratio of two independent shares: two metrics at a table made of both.

If recall and the false positive rate have the laws of the two shares, informedness is their
difference and the positive likelihood ratio their ratio.
"""

from typing import Any, Literal

import numpy as np

from baserate.inference._evidence import Evidence, refuse_beyond
from baserate.inference.bayes import TOLERANCE, Limits, credible_batch
from baserate.metrics import get

METRICS = {"difference": "informedness", "ratio": "positive_likelihood_ratio"}


def two_shares(
    operation: Literal["difference", "ratio"],
    first: tuple[Any, Any],
    second: tuple[Any, Any],
    *,
    confidence_level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> Limits:
    """Return limits of X - Y or X/Y for independent X ~ Beta(*first) and Y ~ Beta(*second).

    Parameters
    ----------
    operation : {"difference", "ratio"}
    first, second : (float or array, float or array)
        Both parameters of each law; arrays of one length are solved in one pass.
    confidence_level : float
        In (0, 1).
    tolerance : float
        How far an end may be off, as a share of the width.

    Returns
    -------
    Limits
        ``low`` and ``high``, and the ``error`` of either, arrays of one axis.

    Examples
    --------
    >>> found = two_shares("difference", (27.5, 15.5), (43.5, 18.5))
    >>> found.low.round(3), found.high.round(3)
    (array([-0.243]), array([0.117]))
    """
    laws = [
        tuple(np.atleast_1d(np.asarray(x, dtype=float)) for x in law) for law in (first, second)
    ]
    size = np.broadcast(*laws[0], *laws[1]).size
    one = np.ones(size)
    refuse_beyond([np.max(sum(law), initial=0.0) for law in laws])
    known = Evidence(one, one, ((one, one), *laws))
    metric = get(METRICS[operation])
    return credible_batch(metric, known, confidence_level, tolerance, np.True_)
