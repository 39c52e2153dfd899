"""The exact bias, variance and mean squared error of a metric estimated from few cases."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from baserate._arith import ratio
from baserate._arrays import Array
from baserate._checks import instance_of
from baserate._result import Result
from baserate._windows import Weighted
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.null import sides, sides_of
from baserate.groups.pseudo_cases import Estimator, shares_of
from baserate.inference.linearity import cell_weights
from baserate.metrics import Metric, binary_metric
from baserate.models import Multinomial, MultivariateHypergeometric
from baserate.models.factors import windows_given
from baserate.models.model import summed

Sampling = Multinomial | MultivariateHypergeometric

BUDGET = 20_000_000  # tables that are summed one by one
LIKELY = 1e-20  # numbers of positives less likely than this are left out
TOGETHER = 256  # numbers of cases in two lumps that are summed at a time
RARE = 1e-22  # and tables
REMEMBERED = 150  # cases whose likely tables are listed once for all metrics of a group
BOX = 400_000  # tables at a time
SAME = 1e-11  # relative difference of sums over every few values that agree


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Result):
    """How far an estimate of a metric is from the truth, on average over samples.

    Attributes
    ----------
    metric, estimator : str
    truth : float
        The metric of the population; nan if it is undefined there, and then all else is too.
    bias, variance, mse : float
        Of the estimate, given that it is defined; mse = bias² + variance.
    probability_defined : float
    route : {"closed form", "one sum", "two sums", "enumeration"}
        All are exact up to rounding.
    """

    metric: str
    estimator: str
    truth: float
    bias: float
    variance: float
    mse: float
    probability_defined: float
    route: str


class ErrorSums(NamedTuple):
    """Mass on which estimates are defined, and the sums of their errors and squared errors."""

    mass: Array
    first: Array
    second: Array


def risks(metric: str | Metric, model: Sampling, estimators: Sequence[Estimator]) -> list[Risk]:
    """Return the exact risk of several estimators of a metric, in one pass over the tables.

    With λ pseudo-cases in the proportions q, and shares p in the population:

    - a metric linear in the shares, Σ a p: MSE = (n v + λ² d²)/(n + λ)², v = Σ a² p - (Σ a p)²,
      d = Σ a q - Σ a p. It is smallest at λ* = v/d², whatever n is, and raw has v/n.
    - a proportion c_i/(c_i + c_j): the same given k = c_i + c_j, with v = θ(1 - θ),
      λ_k = λ(q_i + q_j) and d = θ_q - θ, summed over the law of k.
    - other metrics: two sums where two groups of cells decide the value, as for F1, else a sum over
      all tables.

    Without replacement v shrinks by (T - n)/(T - 1), T being the size of the population.

    Parameters
    ----------
    metric : Metric or str
    model : Multinomial or MultivariateHypergeometric
        How n cases are drawn from the population.
    estimators : sequence of Estimator

    Raises
    ------
    UnsupportedError
        More than 20 million tables to sum.

    References
    ----------
    Briscoe et al. (2025), Algorithmic Accountability in Small Data, AISTATS, theorem 6.1 for the
    bias and the variance of each smoothed share.

    Examples
    --------
    Twenty Black defendants of COMPAS, smoothed towards all others:

    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import Estimator, risks
    >>> from baserate.models import Multinomial
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> model = Multinomial(n=20, cells=black)
    >>> estimators = [Estimator.toward(rest, strength=10), Estimator.raw()]
    >>> found, raw = risks("fpr", model, estimators)
    >>> round(found.mse, 5), round(raw.mse, 5), abs(raw.bias) < 1e-15
    (0.01049, 0.01383, True)
    """
    for estimator in estimators:
        instance_of("estimator", estimator, Estimator, "pass for example Estimator.raw()")
    metric = binary_metric(metric)
    _check(model)
    truth = true_value(metric, model)
    priors = np.array([estimator.prior for estimator in estimators], dtype=float)
    errors, route = _errors(metric, model, priors, truth)
    bias, mse = ratio(errors.first, errors.mass), ratio(errors.second, errors.mass)
    return [
        Risk(
            metric=metric.name,
            estimator=estimator.name,
            truth=truth,
            bias=float(bias[i]),
            variance=float(max(mse[i] - bias[i] ** 2, 0.0)) if not isnan(mse[i]) else nan,
            mse=float(mse[i]),
            probability_defined=float(min(errors.mass[i], 1.0)),
            route=route,
        )
        for i, estimator in enumerate(estimators)
    ]


def best_strength(metric: str | Metric, group: Any, reference: Any) -> float:
    """Return λ* = v/d², the strength with the smallest mean squared error, for a linear metric.

    v = Σ a² p - (Σ a p)² and d = Σ a (q - p) for the metric Σ a p of the group's shares p and the
    reference's q. It does not depend on n. Strengths up to 2 λ* beat the raw estimate at every n.
    A proportion within some cells, such as recall, has its own, θ(1 - θ)/(θ_q - θ)², given the
    number of cases in these cells: pseudo-cases in these cells only.

    Returns
    -------
    float
        inf where the reference has the group's own value; nan where one of them is undefined.

    Raises
    ------
    UnsupportedError
        The metric is neither linear nor a proportion.

    Examples
    --------
    >>> from baserate import ConfusionMatrix
    >>> from baserate.groups import best_strength
    >>> black = ConfusionMatrix(tp=273, fn=170, fp=1043, tn=1692)
    >>> rest = ConfusionMatrix(tp=116, fn=177, fp=554, tn=2429)
    >>> round(best_strength("ppr", black, rest), 2), round(best_strength("acc", black, rest), 2)
    (5.52, 9.39)
    """
    metric = binary_metric(metric)
    p, q = shares_of("group", group), shares_of("reference", reference)
    form = _linear(metric)
    if metric.proportion is not None:
        inside, target = _share(metric, p), _share(metric, q)
        v, d = inside * (1 - inside), target - inside
    elif form is not None:
        v, d = _spread(form, p), float(form @ q - form @ p)
    else:
        raise UnsupportedError(
            f"{metric.name} has no best strength in closed form: compare the risks of several, or "
            "ask for a metric that is linear in the counts, or a proportion."
        )
    return v / d**2 if d else (np.inf if d == 0 else nan)


def true_value(metric: Metric, model: Sampling) -> float:
    """Return the metric of the population: at its shares, or at the mean table for a count."""
    return float(metric(_population(model) if metric.scale_invariant else model.mean))


@lru_cache(maxsize=1)  # the metrics of a group are asked one after the other
def _population(model: Sampling) -> ConfusionMatrix:
    return ConfusionMatrix(**dict(zip(CELLS, model.weights, strict=True)))


def _errors(metric: Metric, model: Sampling, priors: Array, truth: float) -> tuple[ErrorSums, str]:
    form = _linear(metric)
    if form is not None:
        return _closed(metric, model, priors, form), "closed form"
    if metric.proportion is not None:
        return _one_sum(metric, model, priors), "one sum"
    if metric.lumps is not None:
        return _two_sums(metric, model, priors, truth), "two sums"
    if model.n_tables > BUDGET:
        raise UnsupportedError(
            f"The risk of {metric.name} is a sum over {model.n_tables:,} tables, and at most "
            f"{BUDGET:,} are summed: with so many cases ask for a linear metric or a proportion, "
            "or take fewer cases."
        )
    parts = _few(model) if model.n <= REMEMBERED else _by_positives(model)
    return _summed(metric, priors, truth, model.n, parts), "enumeration"


def _closed(metric: Metric, model: Sampling, priors: Array, form: Array) -> ErrorSums:
    """Sum nothing: a linear metric has its mean and variance in closed form."""
    p = np.array(shares_of("model", _population(model)))
    n, strength = float(model.n), priors.sum(axis=1)
    scale = 1.0 if metric.scale_invariant else n
    weight = ratio(np.ones_like(strength), n + strength)
    bias = (priors @ form - strength * (form @ p)) * weight * scale
    noise = n * _spread(form, p) * _correction(model, n, None) * (weight * scale) ** 2
    defined = n + strength > 0
    sums = (np.where(defined, part, 0.0) for part in (bias, noise + bias**2))
    return ErrorSums(defined.astype(float), *sums)


def _one_sum(metric: Metric, model: Sampling, priors: Array) -> ErrorSums:
    """Sum over k, the number of cases in the cells of a proportion."""
    successes, whole = sides(metric)
    theta = _share(metric, model.weights)
    if isnan(theta):
        return ErrorSums(*np.full((3, len(priors)), nan))
    hits, strength = (summed(cells, priors.T)[:, None] for cells in (successes, whole))
    window = model.total(whole).window()
    k, population = window.values, summed(whole, model.weights)
    shift = hits - strength * theta
    square = k * theta * (1 - theta) * _correction(model, k, population) + shift**2
    defined = (k + strength) > 0
    first = np.where(defined, ratio(shift, k + strength), 0.0)
    second = np.where(defined, ratio(square, (k + strength) ** 2), 0.0)
    return ErrorSums(defined @ window.pmf, first @ window.pmf, second @ window.pmf)


class WeightedTables(NamedTuple):
    """Tables, and their probabilities."""

    cells: tuple[Array, Array, Array, Array]
    weights: Array


def _summed(
    metric: Metric, priors: Array, truth: float, n: int, parts: Iterable[WeightedTables]
) -> ErrorSums:
    """Sum errors over tables, for all estimators at a time."""
    total = np.zeros((3, len(priors)))
    scale = np.ones(1) if metric.scale_invariant else n / (n + priors.sum(axis=1))
    for cells, weights in parts:
        pairs = zip(cells, priors.T[:, :, None], strict=True)
        smoothed = ((cell + more) * scale[:, None] for cell, more in pairs)
        error = np.asarray(metric.formula(*smoothed)) - truth
        error = np.broadcast_to(error, (len(priors), weights.size))
        defined = ~np.isnan(error)
        error = np.where(defined, error, 0.0)
        total += [part @ weights for part in (defined, error, error * error)]
    return ErrorSums(*total)


# The metrics of a group are asked one after the other.
_few = lru_cache(maxsize=1)(lambda model: tuple(_by_positives(model)))


def _by_positives(model: Sampling) -> Iterator[WeightedTables]:
    """Yield all tables that are likely, those of some numbers of positives at a time."""
    start, pmf = model.positives().window()
    every = start + np.flatnonzero(pmf > LIKELY)
    size = max(1, BOX // (model.n + 1) ** 2)
    for some in (every[i : i + size] for i in range(0, every.size, size)):
        hits = windows_given(model.true_positives, some)
        alarms = windows_given(model.false_positives, model.n - some)
        weights = (pmf[some - start, None] * hits.pmf)[:, :, None] * alarms.pmf[:, None, :]
        row, i, j = np.nonzero(weights > RARE)
        tp, fp, positives = np.array([hits.start[row] + i, alarms.start[row] + j, some[row]], float)
        yield WeightedTables((tp, positives - tp, fp, model.n - positives - fp), weights[row, i, j])


def _two_sums(metric: Metric, model: Sampling, priors: Array, truth: float) -> ErrorSums:
    """Sum over two lumps: over every few of their counts where two such rules agree."""
    assert metric.lumps is not None
    totals = model.total(frozenset(metric.lumps[0] + metric.lumps[1]))

    def summed_over(rule: Weighted, half: int | None) -> ErrorSums:
        return _summed(metric, priors, truth, model.n, _lumped(metric, model, rule, half))

    rules = totals.rules()
    if rules[0] is not rules[1]:
        one, other = (summed_over(rule, half) for half, rule in enumerate(rules))
        scales = np.array([np.ones_like(one.second), np.sqrt(one.second), one.second])
        if (np.abs(np.subtract(one, other)) <= SAME * scales).all():
            return other
    window = totals.window()
    return summed_over(Weighted(window.values, window.pmf), None)


def _lumped(
    metric: Metric, model: Sampling, rule: Weighted, half: int | None
) -> Iterator[WeightedTables]:
    """Yield a table for every split of these totals of two lumps, each lump in one of its cells."""
    assert metric.lumps is not None
    first, second = (frozenset(lump) for lump in metric.lumps)
    others = [cell for cell in CELLS if cell not in first | second]
    likely = rule.weights > LIKELY
    every = rule.values[likely], rule.weights[likely]
    for some in range(0, every[0].size, TOGETHER):
        totals, chances = (part[some : some + TOGETHER] for part in every)
        parts, given = _splits(model, first, second, totals)
        step = 0 if half is None else _step(model.part(first, first | second, int(totals[0])))
        if half is not None and step:
            parts, given = parts[half * step :: 2 * step], given[:, half * step :: 2 * step]
            given = given / given.sum(axis=1, keepdims=True)
        cells = dict.fromkeys(CELLS, np.zeros((1, 1)))
        cells |= {min(first): parts, min(second): np.maximum(totals[:, None] - parts, 0.0)}
        if others:
            cells[others[0]] = (model.n - totals)[:, None]
        tp, fn, fp, tn = (np.broadcast_to(cells[c], given.shape).ravel() for c in CELLS)
        yield WeightedTables((tp, fn, fp, tn), (chances[:, None] * given).ravel())


def _step(law: Any) -> int:
    """Return a third of the standard deviation of a law that fades at both ends; else 0.

    A sum over every other such value errs by less than a rounding.
    """
    (low, high), (least, most) = law.span(), law.support
    return int(law.variance**0.5 / 3) if least < low and high < most else 0


def _splits(
    model: Sampling, first: frozenset[str], second: frozenset[str], totals: Array
) -> tuple[Array, Array]:
    """Return the parts of the first lump, and their law for each total of both, a row each.

    Every law is built from the ratios of its neighbours, as windows are, but for all totals at
    once; logarithms keep rows whose modes are far apart within range.
    """
    ends = [model.part(first, first | second, int(total)).span() for total in totals[[0, -1]]]
    parts = np.arange(min(low for low, _ in ends), max(high for _, high in ends) + 1.0)
    a, b = (float(summed(lump, model.weights)) for lump in (first, second))
    t, j = totals[:, None], parts[None, :-1]
    if isinstance(model, Multinomial):
        least, most, ratios = 0 * t if b else t, t if a else 0 * t, (t - j) / (j + 1) * a
    else:
        least, most = np.maximum(t - b, 0), np.minimum(t, a)
        ratios, b = (t - j) / (j + 1) * (a - j), b - t + j + 1
    inside = (j >= least) & (j < most)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(inside, np.log(ratios / b), 0.0)
    logs = np.concatenate((np.zeros(t.shape), np.cumsum(steps, axis=1)), axis=1)
    logs[(parts < least) | (parts > most)] = -np.inf
    laws = np.exp(logs - logs.max(axis=1, keepdims=True))
    return parts, laws / laws.sum(axis=1, keepdims=True)


def _correction(model: Sampling, drawn: Any, population: Any) -> Any:
    """Return (T - k)/(T - 1), the share of the variance left when k of T are drawn for good."""
    if isinstance(model, Multinomial):
        return 1.0
    size = sum(model.weights) if population is None else population
    return (size - drawn) / max(size - 1, 1)


@lru_cache(maxsize=256)
def _linear(metric: Metric) -> Array | None:
    """Return a with metric = Σ a p, or metric = n Σ a p for a count; None if there is none."""
    if metric.scale_invariant:
        return cell_weights(metric)

    def per_case(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        return ratio(metric.formula(tp, fn, fp, tn), tp + fn + fp + tn)

    return cell_weights(replace(metric, formula=per_case, scale_invariant=True))


def _spread(form: Array, p: Any) -> float:
    mean = float(form @ np.asarray(p))
    return float(((form - mean) ** 2) @ np.asarray(p))


def _share(metric: Metric, p: Any) -> float:
    hits, misses = sides_of(metric, p)
    return float(ratio(hits, hits + misses))


def _check(model: Any) -> None:
    if not isinstance(model, Sampling):
        rule = "must say how cases are drawn from a population"
        remedy = "pass Multinomial(n=, cells=) or MultivariateHypergeometric(n=, population=)"
        raise InvalidArgumentError.from_rule("model", rule, model, remedy)
