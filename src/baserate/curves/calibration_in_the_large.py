"""Calibration in the large: as many positives as the probabilities add up to.

The interval of the O:E ratio is Clopper-Pearson's for the number of positives, with the sum of the
scores taken as it is. That holds whatever the true risks: no law of independent cases spreads wider
than the binomial one of the same mean (Hoeffding 1956). Turning the Poisson-binomial test around
instead (all odds times one factor) gives narrower intervals that fail where the scores are
over-confident (92% at a nominal 95%): the true risks then vary less than the scores, so that the
number of positives varies more. The Poisson law is wider without need; the logarithm of O:E with
its standard error is asymptotic and says nothing without positives.

Where scores were counted in bins, every score lies between the ends of its bin, and so does the sum
between two sums. The number of positives grows with every risk, in law: P(K >= k) is at most that
of the highest risks, P(K <= k) at most that of the lowest.
"""

from math import inf, nan
from typing import Any

import numpy as np

from baserate._beta_limits import clopper_pearson
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.poisson_binomial import PoissonBinomial
from baserate.curves.probability_scores import probabilities
from baserate.curves.score_bins import known_ranges, middle, outward

WEIGHTED = "weights have no exact law of their positives: pass the cases without weights"


def _test(swept: Sweep, risks: Any, size: Any) -> dict[str, Any]:
    k = int(swept.n_positive)
    if swept.highest is None:
        return {"p_value": PoissonBinomial(risks, size).tails(k).p_value, "p_value_route": "exact"}
    lowest, highest, cases = known_ranges(swept)
    size = cases.astype(float)
    least, most = (PoissonBinomial(end, size).tails(k) for end in (lowest, highest))
    p_value = min(1.0, 2 * min(least.lower, most.upper))
    return {"p_value": p_value, "p_value_route": "conservative"}


def observed_expected(swept: Sweep, confidence_level: float) -> Estimate:
    """Return the O:E ratio with Clopper-Pearson's interval and the Poisson-binomial p-value."""
    order = middle(swept)
    risks, size = probabilities(order), np.add(*order.by_score).astype(float)
    total, expected = float(size.sum()), float(size @ risks)
    about: dict[str, Any] = {"confidence_level": confidence_level, "perfect": 1.0}
    if swept.is_weighted:
        about |= {"p_value_reason": WEIGHTED}
    else:
        about |= _test(swept, risks, size)
    lowest, highest, cases = known_ranges(swept)
    held = cases.astype(float)
    ends = [float(held @ end) for end in (lowest, highest)]
    share, scale = swept.base_rate, total / expected if expected else inf
    if scale == inf:
        reason = "every score is 0{}, so that no positive is expected: pass probabilities above 0"
        reason = reason.format(", or next to it" if expected else "")
        return Estimate(value=nan, reason=reason, **about)
    low, high = clopper_pearson(
        swept.effective_n * share, swept.effective_n * (swept.n_negative / total), confidence_level
    )
    scales = [total / end if end else inf for end in ends]
    if swept.highest is not None:
        about["bounds"] = outward(share * scales[1], share * scales[0], terms=len(cases))
    return Estimate(
        value=swept.n_positive / expected,
        low=float(low) * scales[1],
        high=float(high) * scales[0],
        route="asymptotic" if swept.is_weighted else "exact",
        **about,
    )
