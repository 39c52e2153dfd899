"""Mean and variance of a metric under a model, by formulas where there are some."""

from collections.abc import Callable, Iterable
from functools import partial
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassModel, Model
from baserate.questions.law import BUDGET, Batch, InheritedLaw, n_pairs, pairs
from baserate.questions.question import Answer, Question, Route, error_of_mean
from baserate.questions.several_classes import Asking, ask, mean_answer
from baserate.questions.undefined import always_defined, probability_undefined


def affine(metric: str | Metric, model: Model) -> tuple[float, float] | None:
    """Return (a, b) with metric = a tp + b under fixed margins, or None if there are none such.

    Parameters
    ----------
    metric : Metric or str
    model : Hypergeometric

    Returns
    -------
    (float, float) or None
        None if the metric is not affine in tp, or undefined at these margins, or if the model does
        not fix both margins. Where only one table is possible, the slope is that of the formula.

    References
    ----------
    van de Bijl et al. (2025), The Dutch Draw, Journal of Applied Probability 62, section 2.

    Examples
    --------
    >>> from baserate import affine
    >>> from baserate.models import Hypergeometric
    >>> affine("accuracy", Hypergeometric(n_positive=24, n_negative=8, n_predicted=16))
    (0.0625, -0.25)
    """
    law = InheritedLaw.of(metric, model)
    if model.fixed_n_predicted is None or not (law.fixed_classes and law.metric.affine_in_tp):
        return None
    p = model.positives().support[0]
    low, high = model.true_positives(p).support
    tp = np.array([low, max(high, low + 1)], dtype=float)
    first, second = law.at(tp, p, model.n - p, model.fixed_n_predicted - tp).tolist()
    if isnan(first) or isnan(second):
        return None
    low, high = tp.tolist()
    at_zero = first if low == 0 else (first * high - second * low) / (high - low)
    return (second - first) / (high - low), at_zero


def closed_mean(law: InheritedLaw) -> tuple[float, float] | None:
    """Return the mean where a formula gives it, and nan; nan twice if never defined."""
    metric = law.metric
    if not law.regular:
        return None
    if probability_undefined(law) == 1:
        return nan, nan
    guessing = law.model.fixed_n_predicted is not None or law.model.tower() is not None
    blind = guessing and (law.metric.decided_by_margins or always_defined(law))
    if blind and metric.chance is not None:
        return float(metric.chance), nan
    if _affine_at_fixed_margins(law) or _linear(law):
        return law.at_mean(), nan
    if blind and metric.affine_in_tp and metric.chance_shape == "constant":
        return _at_some_draw(law), nan
    return None


def closed_variance(law: InheritedLaw) -> tuple[float, float] | None:
    """Return mean and variance where formulas give both; nan twice if never defined."""
    if not law.regular:
        return None
    if probability_undefined(law) == 1:
        return nan, nan
    if _affine_at_fixed_margins(law):
        k = np.array([float(law.model.fixed_n_predicted or 0)])
        return law.at_mean(), float(variances_given(law, k)[0])
    return (law.at_mean(), _linear_variance(law)) if _linear(law) else None


def means_given(law: InheritedLaw, k: Array) -> Array:
    """Return the metric's mean given each number predicted positive, if affine in tp.

    Class totals are fixed.
    """
    n, p = max(1, law.model.n), float(law.model.positives().support[0])
    h, q = law.model.n - k, law.model.n - p
    return law.value(k * p / n, h * p / n, k * q / n, h * q / n)


def variances_given(law: InheritedLaw, k: Array) -> Array:
    """Return its variance given each number predicted positive: slope^2 Var(tp)."""
    p = float(law.model.positives().support[0])
    n = max(1, law.model.n)
    q = law.model.n - p
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    at_low, at_high = (law.at(tp, p, q, k - tp) for tp in (low, high))
    slope = (at_high - at_low) / np.maximum(1, high - low)
    return slope * slope * (k * p / n) * ((law.model.n - k) * q / n) / max(1, n - 1)


def _affine_at_fixed_margins(law: InheritedLaw) -> bool:
    """Both margins are fixed, the metric is affine in tp, and every table is defined."""
    fixed = law.model.fixed_n_predicted is not None and law.fixed_classes
    return fixed and law.metric.affine_in_tp and always_defined(law)


def _linear(law: InheritedLaw) -> bool:
    """Class totals are fixed, tp and fp independent, and the metric linear in the two rates."""
    fixed = law.model.fixed_n_predicted is None and law.fixed_classes
    return fixed and law.metric.linear_in_rates and always_defined(law)


def _linear_variance(law: InheritedLaw) -> float:
    """Add squared slope times variance of tp and of fp."""
    p = law.model.positives().support[0]
    q = law.model.n - p
    corner, more_tp, more_fp = law.at(np.array([0, p, 0]), p, q, np.array([0, 0, q]))
    of_tp = ((more_tp - corner) / (p or 1)) ** 2 * law.model.true_positives(p).variance
    of_fp = ((more_fp - corner) / (q or 1)) ** 2 * law.model.false_positives(q).variance
    return float(of_tp + of_fp)


def _at_some_draw(law: InheritedLaw) -> float:
    """Return the value that is the same at every defined number predicted positive."""
    n = law.model.n
    k = law.model.fixed_n_predicted
    candidates = np.array([n // 2, 1, n - 1, 0, n] if k is None else [k], dtype=float)
    values = means_given(law, candidates[(candidates >= 0) & (candidates <= n)])
    return float(values[~np.isnan(values)][0])


# So many pairs of lumps are added up before a shorter rule is tried.
_MANY = 200_000
# Windows of so few tables are summed as they are; longer ones of the tower give way to Gauss rules.
_CHEAP = 10_000
_LONG = 100_000
# Two rules that agree so well show that the metric is smooth enough for either.
_AGREE = 1e-12

# Something of the metric's law given each number predicted positive.
Given = Callable[[InheritedLaw, Array], Array]


def expect(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
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

    >>> from baserate import expect
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
    how = Asking(method, undefined, rng, n_samples)
    exact = partial(mean_answer, _MEAN, variance=False)
    return ask(metric, model, how, lambda _: _MEAN, exact, _MEAN.estimate)


def variance(
    metric: str | Metric | ClassMetric,
    model: Model | ClassModel,
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

    >>> from baserate import variance
    >>> from baserate.models import Hypergeometric
    >>> m = Hypergeometric(n_positive=30, n_negative=71, n_predicted=12)
    >>> round(float(variance("mcc", m)), 15)
    0.01
    """
    how = Asking(method, undefined, rng, n_samples)
    exact = partial(mean_answer, _MEAN, variance=True)
    return ask(metric, model, how, lambda _: _VARIANCE, exact, _VARIANCE.estimate)


class _Moments(NamedTuple):
    """Mass on which the metric is defined, its mean and variance there, and the undefined mass."""

    mass: float
    mean: float
    variance: float
    undefined: float = 0.0


def _moments(batches: Iterable[Batch]) -> _Moments:
    """Return mass, mean and variance over the defined tables; nan where there is none."""
    total = _Moments(0.0, 0.0, 0.0)
    for batch in batches:
        total = _merged(total, _batch_moments(batch.values, batch.weights))
    return total if total.mass > 0 else _Moments(0.0, np.nan, np.nan, total.undefined)


def _batch_moments(values: Array, weights: Array) -> _Moments:
    defined, undefined = ~np.isnan(values), 0.0
    if not defined.all():
        undefined = float(weights[~defined].sum())
        values, weights = values[defined], weights[defined]
    mass = float(weights.sum())
    if mass <= 0:
        return _Moments(0.0, 0.0, 0.0, undefined)
    mean = float(weights @ values) / mass
    return _Moments(mass, mean, float(weights @ (values - mean) ** 2) / mass, undefined)


def _merged(a: _Moments, b: _Moments) -> _Moments:
    mass, undefined = a.mass + b.mass, a.undefined + b.undefined
    if a.mass == 0 or b.mass == 0:
        return (a if b.mass == 0 else b)._replace(undefined=undefined)
    share, gap = b.mass / mass, b.mean - a.mean
    variance = a.variance * (1 - share) + b.variance * share + gap * gap * share * (1 - share)
    return _Moments(mass, a.mean + gap * share, variance, undefined)


def _has_tower(law: InheritedLaw) -> bool:
    tower = law.model.tower()
    return tower is not None and law.metric.affine_in_tp and law.metric.decided_by_margins


def _by_tower(variances: Given, law: InheritedLaw) -> _Moments | None:
    """Combine the means and variances given n_predicted over the binomial law of that number."""

    def over(k: Array, weights: Array) -> _Moments:
        return _over_draws(means_given(law, k), variances(law, k), weights)

    tower = law.model.tower()
    assert tower is not None
    low, high = tower.span()
    if high - low < _LONG:
        window = tower.window()
        return over(window.values, window.pmf)
    first, second = (over(*rule) for rule in tower.rules())
    return second if _agree(first, second) else None


def _over_draws(means: Array, variances: Array, weights: Array) -> _Moments:
    defined = ~np.isnan(means)
    if not defined.any():
        return _Moments(0.0, nan, nan)
    w, means, variances = weights[defined], means[defined], variances[defined]
    mass = float(w.sum())
    mean = float(w @ means) / mass
    return _Moments(mass, mean, float(w @ (variances + (means - mean) ** 2)) / mass)


def _integrated(law: InheritedLaw) -> _Moments | None:
    """Return the moments by rules for smooth functions, or None where two rules disagree."""
    first, second = (_moments(law.nodes(which)) for which in range(2))
    return second if _agree(first, second) else None


def _agree(a: _Moments, b: _Moments) -> bool:
    if not (a.mass and b.mass):
        return False
    scale = abs(b.mean) + sqrt(max(0.0, b.variance))
    same_mean = abs(a.mean - b.mean) <= _AGREE * scale
    return same_mean and abs(a.variance - b.variance) <= 100 * _AGREE * (
        b.variance + scale**2 * 1e-6
    )


def _is_smooth(law: InheritedLaw) -> bool:
    """Undefined tables lie on the edges only, and the rules are short."""
    return law.regular and law.n_nodes() < min(BUDGET, law.n_tables())


def _routes(
    closed: Callable[[InheritedLaw], tuple[float, float] | None], variances: Given
) -> tuple[Route, ...]:
    """Return the routes to mean and variance; the first two leave out what they are not given."""

    def by_form(law: InheritedLaw) -> _Moments | None:
        found = closed(law)
        return None if found is None else _Moments(nan, *found)

    def by_lumps(law: InheritedLaw) -> _Moments:
        return _moments(pairs(law))

    def enumerated(law: InheritedLaw) -> _Moments:
        return _moments(law.batches())

    return (
        Route("closed form", lambda _: True, by_form),
        Route("tower", _has_tower, partial(_by_tower, variances)),
        Route("lumps", lambda law: n_pairs(law) <= _MANY, by_lumps),
        Route("enumeration", lambda law: law.n_tables() <= _CHEAP, enumerated),
        Route("quadrature", _is_smooth, _integrated),
        Route("lumps", lambda law: n_pairs(law) <= BUDGET, by_lumps),
        Route("enumeration", lambda law: law.n_tables() <= BUDGET, enumerated),
    )


def _read_mean(found: _Moments, instead: float | None, mass: float) -> tuple[float, float]:
    if instead is None:
        return found.mean, 0.0
    return instead if isnan(found.mean) else found.mean * (1 - mass) + instead * mass, 0.0


def _read_variance(found: _Moments, instead: float | None, mass: float) -> tuple[float, float]:
    if instead is None:
        return found.variance, 0.0
    if isnan(found.mean):
        return 0.0, 0.0
    between = mass * (1 - mass) * (found.mean - instead) ** 2
    return (1 - mass) * found.variance + between, 0.0


def _sample_variance(values: Array) -> tuple[float, float]:
    centred = values - values.mean()
    square, fourth = float(np.mean(centred**2)), float(np.mean(centred**4))
    n = len(values)
    return square * n / (n - 1), sqrt(max(0.0, fourth - square * square) / n)


_MEAN = Question(
    routes=_routes(closed_mean, lambda _, k: np.zeros_like(k)),
    read=_read_mean,
    estimate=error_of_mean,
)
_VARIANCE = Question(
    routes=_routes(closed_variance, variances_given),
    read=_read_variance,
    estimate=_sample_variance,
)
