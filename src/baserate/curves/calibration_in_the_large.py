"""Calibration in the large: as many positives as the probabilities add up to.

The interval of the O:E ratio is Clopper-Pearson's for the number of positives, with the sum of the
scores taken as it is. That holds whatever the true risks: no law of independent cases spreads wider
than the binomial one of the same mean (Hoeffding 1956). Turning the Poisson-binomial test around
instead (all odds times one factor) gives narrower intervals that fail where the scores are
over-confident (92% at a nominal 95%): the true risks then vary less than the scores, so that the
number of positives varies more. The Poisson law is wider without need; the logarithm of O:E with
its standard error is asymptotic and says nothing without positives.
"""

from math import inf, nan
from typing import Any

from baserate.cases.two_classes import effective_size
from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.curves.poisson_binomial import PoissonBinomial
from baserate.curves.probability_scores import probabilities

WEIGHTED = "weights have no exact law of their positives: pass the cases without weights"


def observed_expected(swept: Sweep, confidence_level: float) -> Estimate:
    """Return the O:E ratio with Clopper-Pearson's interval and the Poisson-binomial p-value."""
    risks = probabilities(swept)
    positive, negative = swept.by_score
    size = (positive + negative).astype(float)
    total, expected = float(size.sum()), float(size @ risks)
    squares = swept.squared_weights
    n = effective_size(total, squares and float(squares[0][-1] + squares[1][-1]))
    about: dict[str, Any] = {"confidence_level": confidence_level, "perfect": 1.0}
    if swept.is_weighted:
        about |= {"p_value_reason": WEIGHTED}
    else:
        tails = PoissonBinomial(risks, size).tails(int(swept.n_positive))
        about |= {"p_value": tails.p_value, "p_value_route": "exact"}
    share, scale = swept.base_rate, total / expected if expected else inf
    if scale == inf:
        reason = "every score is 0{}, so that no positive is expected: pass probabilities above 0"
        reason = reason.format(", or next to it" if expected else "")
        return Estimate(value=nan, reason=reason, **about)
    low, high = _clopper_pearson(n * share, n * (swept.n_negative / total), confidence_level)
    return Estimate(
        value=swept.n_positive / expected,
        low=low * scale,
        high=high * scale,
        route="asymptotic" if swept.is_weighted else "exact",
        **about,
    )


def _clopper_pearson(positives: float, negatives: float, level: float) -> tuple[float, float]:
    """Return the shares at which either binomial tail has (1 - level) / 2."""
    from scipy.special import betainccinv, betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(positives, negatives + 1, tail)) if positives else 0.0
    return low, float(betainccinv(positives + 1, negatives, tail)) if negatives else 1.0
