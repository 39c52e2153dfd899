"""Mean and variance of a metric under a model."""

from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from baserate._windows import Array
from baserate.metrics import Metric
from baserate.models import Model
from baserate.questions._answer import Answer
from baserate.questions._law import BUDGET, Law, Moments, moments
from baserate.questions._lumps import Lumps
from baserate.questions._routes import Route, follow
from baserate.questions._simulation import simulated
from baserate.questions._undefined import policy_of, settled

# So many pairs of sums are added up before a shorter rule is tried.
_MANY = 200_000
# Windows of so few tables are summed as they are; longer ones of the tower give way to Gauss rules.
_CHEAP = 10_000
_LONG = 100_000
# Two rules that agree so well show that the metric is smooth enough for either.
_AGREE = 1e-12


def expect(
    metric: str | Metric,
    model: Model,
    *,
    method: str | None = None,
    undefined: Any = "omit",
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return the expected value of a metric, given that it is defined.

    Parameters
    ----------
    metric : Metric or str
    model : a model of tables
    method : {None, "closed form", "tower", "lumps", "quadrature", "enumeration", "simulation"}
        None takes the first exact route; a name forces that route.
    undefined : {"omit", "propagate", "raise"} or float
        "omit" conditions on the metric being defined; "propagate" gives nan if it may be undefined,
        "raise" an error; a number stands in for the undefined value.
    rng : seed or numpy.random.Generator
        Needed for simulation, which is never chosen by itself.
    n_samples : int
        Tables to simulate.

    Returns
    -------
    Answer
        nan, not an error, if the metric is undefined at every possible table.

    Raises
    ------
    UnsupportedError
        No exact route is short enough, or the named one does not apply; the message says which do.
    InvalidArgumentError
        With ``undefined="raise"``, or simulation without `rng`.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps; van de Bijl et al. (2025), The Dutch Draw,
    Journal of Applied Probability 62.

    Examples
    --------
    The best a blind draw can do for the geometric mean of recall and specificity, 30 positives of
    100, is to flag 50:

    >>> from baserate.models import BinomialPair, Hypergeometric
    >>> m = Hypergeometric(n_positive=30, n_negative=70, n_predicted=50)
    >>> round(float(expect("geometric_mean", m)), 12)
    0.499499755099

    Proportional guessing with 2 positives of 1000 has a balanced precision near 0, not 1/2:

    >>> m = BinomialPair(n_positive=2, n_negative=998, recall=0.002, false_positive_rate=0.002)
    >>> answer = expect("precision.at_base_rate(0.5)", m)
    >>> round(answer.value, 4), answer.route, round(answer.undefined, 3)
    (0.0046, 'enumeration', 0.135)
    """
    law, instead = Law.of(metric, model), policy_of(undefined)
    if method == "simulation":
        return simulated(law, _sample_mean, undefined, rng, n_samples)
    found, route, mass = _asked(law, _MEAN_ROUTES, method)
    value = settled(law, undefined, mass)
    if value is None:
        value = found.mean if instead is None else _mixed_mean(found, instead, mass)
    return Answer(value=value, route=route, undefined=mass)


def variance(
    metric: str | Metric,
    model: Model,
    *,
    method: str | None = None,
    undefined: Any = "omit",
    rng: Any = None,
    n_samples: int = 100_000,
) -> Answer:
    """Return the variance of a metric, given that it is defined.

    Parameters, result and errors are those of `expect`.

    Examples
    --------
    Under any blind draw the Matthews correlation has variance 1 / (n - 1):

    >>> from baserate.models import Hypergeometric
    >>> m = Hypergeometric(n_positive=30, n_negative=71, n_predicted=12)
    >>> round(float(variance("mcc", m)), 15)
    0.01
    """
    law, instead = Law.of(metric, model), policy_of(undefined)
    if method == "simulation":
        return simulated(law, _sample_variance, undefined, rng, n_samples)
    found, route, mass = _asked(law, _VARIANCE_ROUTES, method)
    value = settled(law, undefined, mass)
    if value is None:
        value = found.variance if instead is None else _mixed_variance(found, instead, mass)
    return Answer(value=value, route=route, undefined=mass)


def _asked(law: Law, routes: tuple[Route, ...], method: str | None) -> tuple[Moments, str, float]:
    found, route = follow(routes, law, method)
    mass = law.probability_undefined() if law.regular else found.undefined
    return found, route, mass


def _mixed_mean(found: Moments, instead: float, mass: float) -> float:
    return instead if isnan(found.mean) else found.mean * (1 - mass) + instead * mass


def _mixed_variance(found: Moments, instead: float, mass: float) -> float:
    if isnan(found.mean):
        return 0.0
    return (1 - mass) * found.variance + mass * (1 - mass) * (found.mean - instead) ** 2


# Each route returns `Moments`; a closed form leaves nan what it was not asked for.
_NOTHING = Moments(0.0, nan, nan)


def _closed_mean(law: Law) -> Moments | None:
    metric = law.metric
    if not law.regular:
        return None
    if law.probability_undefined() == 1:
        return _NOTHING
    safe = law.by_margins or law.always_defined()
    if law.guessing and metric.chance is not None and safe:
        return Moments(nan, float(metric.chance), nan)
    if _affine_at_fixed_margins(law) or _linear(law):
        return Moments(nan, law.at_mean(), nan)
    if law.guessing and metric.affine_in_tp and metric.chance_shape == "constant" and safe:
        return Moments(nan, _at_some_draw(law), nan)
    return None


def _closed_variance(law: Law) -> Moments | None:
    if not law.regular:
        return None
    if law.probability_undefined() == 1:
        return _NOTHING
    if _affine_at_fixed_margins(law):
        k = np.array([float(law.model.fixed_n_predicted or 0)])
        return Moments(nan, law.at_mean(), float(_variances(law, k)[0]))
    return Moments(nan, law.at_mean(), _linear_variance(law)) if _linear(law) else None


def _affine_at_fixed_margins(law: Law) -> bool:
    """Both margins are fixed, the metric is affine in tp, and every table is defined."""
    fixed = law.model.fixed_n_predicted is not None and law.fixed_classes
    return fixed and law.metric.affine_in_tp and law.always_defined()


def _linear(law: Law) -> bool:
    """Class totals are fixed, tp and fp independent, and the metric linear in the two rates."""
    fixed = law.model.fixed_n_predicted is None and law.fixed_classes
    return fixed and law.metric.linear_in_rates and law.always_defined()


def _linear_variance(law: Law) -> float:
    """Add squared slope times variance of tp and of fp."""
    p = law.model.positives().support[0]
    q = law.model.n - p
    corner, more_tp, more_fp = law.at(np.array([0, p, 0]), p, q, np.array([0, 0, q]))
    of_tp = ((more_tp - corner) / (p or 1)) ** 2 * law.model.true_positives(p).variance
    of_fp = ((more_fp - corner) / (q or 1)) ** 2 * law.model.false_positives(q).variance
    return float(of_tp + of_fp)


def _at_some_draw(law: Law) -> float:
    """Return the value that is the same at every defined number predicted positive."""
    n = law.model.n
    k = law.model.fixed_n_predicted
    candidates = np.array([n // 2, 1, n - 1, 0, n] if k is None else [k], dtype=float)
    values = _means(law, candidates[(candidates >= 0) & (candidates <= n)])
    return float(values[~np.isnan(values)][0])


def _mean_cells(law: Law, k: Array) -> tuple[Array, Array, Array, Array]:
    n, p = max(1, law.model.n), float(law.model.positives().support[0])
    h, q = law.model.n - k, law.model.n - p
    return k * p / n, h * p / n, k * q / n, h * q / n


def _means(law: Law, k: Array) -> Array:
    """Return the metric's mean given each number predicted positive, if affine in tp."""
    return law.value(*_mean_cells(law, k))


def _variances(law: Law, k: Array) -> Array:
    """Return its variance given each number predicted positive: slope^2 Var(tp)."""
    p = float(law.model.positives().support[0])
    n = max(1, law.model.n)
    q = law.model.n - p
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    at_low, at_high = (law.at(tp, p, q, k - tp) for tp in (low, high))
    slope = (at_high - at_low) / np.maximum(1, high - low)
    return slope * slope * (k * p / n) * ((law.model.n - k) * q / n) / max(1, n - 1)


def _has_tower(law: Law) -> bool:
    tower = law.model.tower()
    return tower is not None and law.metric.affine_in_tp and law.by_margins


def _tower_mean(law: Law) -> Moments | None:
    return _over_draws(law, lambda k: (_means(law, k), np.zeros_like(k)))


def _tower_variance(law: Law) -> Moments | None:
    return _over_draws(law, lambda k: (_means(law, k), _variances(law, k)))


def _over_draws(law: Law, given: Any) -> Moments | None:
    """Combine the means and variances given k over the binomial law of k."""
    tower = law.model.tower()
    assert tower is not None
    low, high = tower.span()
    if high - low < _LONG:
        window = tower.window()
        return _combined(window.values, window.pmf, given)
    first, second = (_combined(k, weights, given) for k, weights in tower.rules())
    return second if _agree(first, second) else None


def _combined(k: Array, weights: Array, given: Any) -> Moments:
    means, variances = given(k)
    defined = ~np.isnan(means)
    if not defined.any():
        return _NOTHING
    w, means, variances = weights[defined], means[defined], variances[defined]
    mass = float(w.sum())
    mean = float(w @ means) / mass
    return Moments(mass, mean, float(w @ (variances + (means - mean) ** 2)) / mass)


def _enumerated(law: Law) -> Moments:
    return moments(law.blocks())


def _integrated(law: Law) -> Moments | None:
    """Return the moments by rules for smooth functions, or None where two rules disagree."""
    first, second = (moments(law.node_blocks(which)) for which in range(2))
    return second if _agree(first, second) else None


def _agree(a: Moments, b: Moments) -> bool:
    if not (a.mass and b.mass):
        return False
    scale = abs(b.mean) + sqrt(max(0.0, b.variance))
    same_mean = abs(a.mean - b.mean) <= _AGREE * scale
    return same_mean and abs(a.variance - b.variance) <= 100 * _AGREE * (
        b.variance + scale**2 * 1e-6
    )


def _always(law: Law) -> bool:  # noqa: ARG001 (signature of a route)
    """Let the closed form find out by itself."""
    return True


def _is_cheap(law: Law) -> bool:
    return law.n_atoms() <= _CHEAP


def _is_affordable(law: Law) -> bool:
    return law.n_atoms() <= BUDGET


def _is_smooth(law: Law) -> bool:
    """Undefined tables lie on the edges only, and the rules are short."""
    return law.regular and law.n_nodes() < min(BUDGET, law.n_atoms())


def _in_lumps(law: Law, most: int) -> Moments | None:
    """Sum over what both lumps hold and what the first holds, if there are not more such pairs."""
    lumps = Lumps.of(law)
    if lumps is None or not lumps.fits() or lumps.n_tables() > most:
        return None
    return moments(lumps.blocks())


def _has_lumps(law: Law) -> bool:
    return law.metric.lumps is not None


_SUMS = (
    Route("lumps", _has_lumps, lambda law: _in_lumps(law, _MANY)),
    Route("enumeration", _is_cheap, _enumerated),
    Route("quadrature", _is_smooth, _integrated),
    Route("lumps", _has_lumps, lambda law: _in_lumps(law, BUDGET)),
    Route("enumeration", _is_affordable, _enumerated),
)
_MEAN_ROUTES = (
    Route("closed form", _always, _closed_mean),
    Route("tower", _has_tower, _tower_mean),
    *_SUMS,
)
_VARIANCE_ROUTES = (
    Route("closed form", _always, _closed_variance),
    Route("tower", _has_tower, _tower_variance),
    *_SUMS,
)


def _sample_mean(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / sqrt(len(values)))


def _sample_variance(values: Array) -> tuple[float, float]:
    centred = values - values.mean()
    square, fourth = float(np.mean(centred**2)), float(np.mean(centred**4))
    n = len(values)
    return square * n / (n - 1), sqrt(max(0.0, fourth - square * square) / n)
