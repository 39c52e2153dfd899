"""A cut on the scale of densities and on that of probabilities, and what a metric asks of it."""

from typing import Any

import numpy as np

from baserate._arith import plain
from baserate._checks import broadcast, number_in, numbers_in
from baserate.curves.populations import Rates
from baserate.metrics import Metric, binary_metric
from baserate.tuning.derivatives import Differentiable

_SHARE = "pass the share of positives"
_PROBABILITY = "pass a probability; scores that are none have no density ratio"


def density_ratio(probability: Any, *, base_rate: Any) -> Any:
    """Return the density ratio at which the positive class has this probability.

    δ = (1 - π) δ̃ / (π (1 - δ̃)): P(positive | x) > δ̃ if and only if f₁(x)/f₀(x) > δ. The same
    cut has another probability at another base rate, and the same density ratio.

    Parameters
    ----------
    probability : float or array
        δ̃ in [0, 1]; 1 gives inf.
    base_rate : float or array
        π in (0, 1).

    Returns
    -------
    float or array
        In [0, inf].

    Raises
    ------
    InvalidArgumentError
        An argument is out of range.

    See Also
    --------
    bayes_threshold : Its ``.probability`` has the way back, π δ/(π δ + 1 - π), of a best cut.

    References
    ----------
    Holzmann and Klar (2024), Robust performance metrics for imbalanced classification problems,
    arXiv:2404.07661, equation 3.1.

    Examples
    --------
    The best cut for F₁.₅ of example 1, at a base rate of 0.3:

    >>> from baserate.tuning import density_ratio
    >>> round(density_ratio(0.243977741435, base_rate=0.3), 6)
    0.752996
    """
    cut = np.asarray(numbers_in("probability", probability, "[0, 1]", _PROBABILITY), dtype=float)
    share = np.asarray(numbers_in("base_rate", base_rate, "(0, 1)", _SHARE), dtype=float)
    broadcast(probability=cut, base_rate=share)
    with np.errstate(divide="ignore"):
        return plain((1 - share) * cut / (share * (1 - cut)))


def quotient(metric: str | Metric, *, recall: float, specificity: float, base_rate: float) -> float:
    """Return the density ratio that a metric asks for: ∂M/∂specificity over ∂M/∂recall.

    At a metric's best threshold in a population it equals the threshold itself (equation 4.3),
    which is necessary and not sufficient: it does so at minima too.

    Parameters
    ----------
    metric : Metric or str
        Any whose formula has + - * / and square roots only, a user's own included.
    recall, specificity : float
        In (0, 1).
    base_rate : float
        In (0, 1).

    Returns
    -------
    float
        nan where the metric is undefined, and where neither rate moves it.

    Raises
    ------
    InvalidArgumentError, UnknownNameError
        A rate is out of range, or the metric is unknown.
    UnsupportedError
        The formula cannot be differentiated.

    See Also
    --------
    bayes_threshold : The threshold that solves the equation, out of all that do.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, equation 4.4 and example 6.

    Examples
    --------
    Of the Jaccard index it is recall (1 - π) / (1 - specificity (1 - π)):

    >>> from baserate.tuning import quotient
    >>> round(quotient("jaccard", recall=0.6, specificity=0.8, base_rate=0.3), 12), 0.42 / 0.44
    (0.954545454545, 0.9545454545454545)
    """
    metric = binary_metric(metric)
    inside = "(0, 1)"
    s = number_in("recall", recall, inside, "rates of 0 and 1 are ends of the ROC curve")
    t = number_in("specificity", specificity, inside, "rates of 0 and 1 are ends of the ROC curve")
    share = number_in("base_rate", base_rate, inside, _SHARE)
    rates = Rates(*(np.array([rate]) for rate in (s, 1 - s, 1 - t, t)))
    return float(Differentiable.of(metric, share).fast(rates).quotient[0])
