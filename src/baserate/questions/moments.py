"""Mean and variance of a metric under a model."""

from collections.abc import Callable, Iterable
from functools import partial
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._windows import Array
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassModel, Model
from baserate.questions.class_answers import class_answer
from baserate.questions.closed_forms import (
    closed_mean,
    closed_variance,
    means_given,
    variances_given,
)
from baserate.questions.law import BUDGET, Batch, InheritedLaw
from baserate.questions.lumps import n_pairs, pairs
from baserate.questions.question import Answer, Question, Route, error_of_mean
from baserate.questions.several_classes import ClassLaw, mean_answer
from baserate.questions.undefined import decided_by_margins

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
    if isinstance(model, ClassModel):
        law = ClassLaw.of(metric, model)
        how = {"exact": partial(mean_answer, variance=False), "estimate": _MEAN.estimate}
        return class_answer(expect, law, method, undefined, rng, n_samples, **how)
    return _MEAN.ask(InheritedLaw.of(metric, model), method, undefined, rng, n_samples)


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
    if isinstance(model, ClassModel):
        law = ClassLaw.of(metric, model)
        how = {"exact": partial(mean_answer, variance=True), "estimate": _VARIANCE.estimate}
        return class_answer(variance, law, method, undefined, rng, n_samples, **how)
    return _VARIANCE.ask(InheritedLaw.of(metric, model), method, undefined, rng, n_samples)


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
    return tower is not None and law.metric.affine_in_tp and decided_by_margins(law)


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
