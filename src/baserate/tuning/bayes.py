"""The best threshold of a metric in a population whose density ratio is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._checks import number_in, numbers_in, shape_of
from baserate._result import Result, frame_of
from baserate.curves.cut_points import Sweep
from baserate.curves.populations import Empirical, Population, Rates, population_of, rates_at
from baserate.errors import InvalidArgumentError, NoOptimumError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.derivatives import (
    Differentiable,
    complex_slopes,
    precise_slopes,
    require_increasing,
    value_of,
)
from baserate.tuning.jumps import Jump, Jumping, Maxima, jump_column
from baserate.tuning.many_base_rates import surveys
from baserate.tuning.stationary_points import RatioRule, Ratios, Survey, ratios_of, survey

Pairs = tuple[tuple[float, float], ...]
_NUMBERS = (
    "ratio",
    "probability",
    "recall",
    "miss_rate",
    "false_positive_rate",
    "specificity",
    "value",
)
_NOTHING = "ever fewer cases are called positive (ratio toward infinity)"
_EVERYTHING = "ever more cases are called positive (ratio toward 0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesThreshold(Result):
    """The best rule "positive if f₁/f₀ > ratio", and what it achieves.

    Attributes
    ----------
    metric : str
    base_rate : float
    ratio : float
        The threshold δ* of the density ratio f₁/f₀. inf calls nothing positive.
    ratios : (low, high)
        Ratios in [low, high) make the same rule: an interval in a sample, a point in a continuous
        population.
    probability : float
        The same threshold for P(positive | x): π δ*/(π δ* + 1 - π).
    recall, miss_rate, false_positive_rate, specificity : float
    value : float
    others : tuple of (ratio, value)
        Further local maxima, the best first. They lose.
    reason : None
        Of many base rates, the reason for each at which there is no best threshold.

    jumps : tuple of Jump
        Of many base rates, those between the least and the largest at which another cut overtakes
        the best one. In a sample a best cut always goes from vertex to vertex; it jumps where it
        passes over one. Maxima closer together than the grid of ratios are not told apart.

    Of many base rates all numbers are arrays, nan where there is no best threshold; `ratios` holds
    two of them, and `others` and `reason` have one entry for each base rate.
    """

    metric: str
    base_rate: Any
    ratio: Any
    ratios: tuple[Any, Any]
    probability: Any
    recall: Any
    miss_rate: Any
    false_positive_rate: Any
    specificity: Any
    value: Any
    others: Any = ()
    reason: Any = None
    jumps: tuple[Jump, ...] = ()

    def to_frame(self, backend: Any = None) -> Any:
        """Return a row for each base rate; `jump` is where the cut jumped since the next lower one.

        Parameters
        ----------
        backend : str, optional
            "pandas", "polars" or "pyarrow". Default: the first of them that is installed.
        """
        columns = {"base_rate": self.base_rate} | {name: getattr(self, name) for name in _NUMBERS}
        columns |= {"jump": jump_column(self.jumps, self.base_rate), "reason": self.reason}
        lists = [np.atleast_1d(np.asarray(column)).tolist() for column in columns.values()]
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
        return frame_of(rows, backend)


def bayes_threshold(
    metric: str | Metric, population: Population | Sweep, *, base_rate: Any
) -> BayesThreshold:
    """Return the threshold at which a metric is largest in a population.

    The best rule for a metric M that grows with recall s and specificity t compares the density
    ratio with a number δ* that solves δ* = (∂M/∂t)/(∂M/∂s). That equation also holds at minima, so
    all of its solutions are found, those through which M rises and then falls are kept, and the
    best is compared with calling everything, or nothing, positive.

    The slopes come from complex steps through the metric's own formula, so any metric will do,
    one from `define` included. Errors are near 1e-12, at base rates of 1e-10 or 1 - 1e-10 too.

    Parameters
    ----------
    metric : Metric or str
        Strictly increasing in recall and in specificity.
    population : LDA, QDA, Empirical or any Population, or Sweep
        In an `Empirical` one, which a sweep stands for, the rules are the vertices of the ROC hull;
        `optimal_threshold` searches all cut points.
    base_rate : float or array of shape (n,)
        Share π of positives, in (0, 1); many at once take hardly longer than one.

    Returns
    -------
    BayesThreshold
        Of arrays if `base_rate` is one.

    Raises
    ------
    NoOptimumError
        The metric keeps growing toward a rule that it is not defined for. Yule's Q and Y do so
        wherever the density ratio is unbounded, and have a minimum where others have the optimum.
        Of many base rates that one is nan, with the message as its reason.
    InvalidArgumentError
        The base rate is out of range, or the metric does not grow with recall and specificity.
    UnsupportedError
        The formula cannot be differentiated, or the classes are perfectly separated.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, theorem 3; Yan et al. (2018), Binary classification
    with Karmic, threshold-quasi-concave metrics, ICML.

    Examples
    --------
    Normal classes two standard deviations apart, 30% positives:

    >>> from baserate import bayes_threshold
    >>> from baserate.curves.populations import LDA
    >>> best = bayes_threshold("mcc", LDA(distance=2.0), base_rate=0.3)
    >>> round(best.ratio, 6), round(best.probability, 6), round(best.value, 6)
    (1.80207, 0.435766, 0.66434)

    As positives become rare, Matthews correlation asks for ever stronger evidence, up to a limit
    where the classes are one standard deviation apart (Holzmann and Klar, table 14):

    >>> rare = bayes_threshold("mcc", LDA(distance=1.0), base_rate=[0.1, 0.01, 1e-6])
    >>> rare.ratio.round(2)
    array([1.86, 2.46, 2.57])

    Between unlike classes the best cut may jump, as it does in the paper's scenario 2 (figure 2):

    >>> from baserate.curves.populations import QDA
    >>> unlike = QDA(mean0=[0, 0], cov0=[[2, 0.3], [0.3, 1]],
    ...              mean1=[1.5, 1.5], cov1=[[1, -0.9], [-0.9, 2]])
    >>> [jump] = bayes_threshold("mcc", unlike, base_rate=[0.06, 0.08]).jumps
    >>> round(jump.base_rate, 4), round(jump.before.recall, 2), round(jump.after.recall, 2)
    (0.0722, 0.52, 0.69)
    """
    metric, population = binary_metric(metric), population_of(population)
    if shape_of("base_rate", base_rate):
        return best_at_many(metric, population, base_rate)
    pi = number_in("base_rate", base_rate, "(0, 1)", "pass the share of positives")
    require_increasing(metric, pi)
    if isinstance(population, Empirical):
        return _best_vertex(metric, population, pi)
    return best_on(ratios_of(population), metric, population, pi)


def best_on(grid: Ratios, metric: Metric, population: Population, pi: float) -> BayesThreshold:
    """Return the best rule, searched from a grid of ratios that any metric can share."""
    return _best_of(survey(Differentiable.of(metric, pi), population, grid), metric, pi)


def _best_of(found: Survey, metric: Metric, pi: float) -> BayesThreshold:
    rules = sorted(found.candidates, key=lambda rule: -rule.value)
    _require_attained(metric, found, rules)
    best, *others = rules
    others = tuple((rule.ratio, rule.value) for rule in others)
    return _threshold(metric, pi, best, (best.ratio, best.ratio), others)


def best_at_many(
    metric: Metric, population: Population, base_rates: Any, grid: Ratios | None = None
) -> BayesThreshold:
    """Answer for each base rate, on one grid of ratios."""
    rates = numbers_in("base_rate", base_rates, "(0, 1)", "pass shares of positives")
    if rates.ndim != 1 or not rates.size:
        remedy = "pass for example [0.1, 0.5]"
        raise InvalidArgumentError.from_rule(
            "base_rate", "must be a number or a list of them", base_rates, remedy
        )
    for pi in (rates.min(), rates.max()):
        require_increasing(metric, float(pi))
    if isinstance(population, Empirical):
        found = [_best_vertex(metric, population, float(pi)) for pi in rates]
        lows, _, rules = _vertices(population)
        ratios, cuts = lows[::-1], Rates(*(rate[::-1] for rate in rules))
        every = partial(_rules_of, metric, ratios, cuts)
        return _stacked(metric, found, rates, _jumping(metric, ratios, cuts, every))
    target = Differentiable.of(metric, float(np.median(rates)))
    grid = grid or ratios_of(population)
    found = surveys(target, population, grid, rates)
    answers = [_tried(one, metric, float(pi)) for one, pi in zip(found, rates, strict=True)]
    ratios = np.r_[0.0, np.exp(grid.x), np.inf]

    def maxima(pi: float) -> list[RatioRule]:
        return survey(replace(target, base_rate=pi), population, grid).candidates

    jumping = _jumping(metric, ratios, rates_at(population, ratios), maxima)
    return _stacked(metric, answers, rates, jumping)


def _jumping(metric: Metric, ratios: Array, cuts: Rates, maxima: Maxima) -> Jumping:
    def told(rule: RatioRule, pi: float) -> BayesThreshold:
        return _threshold(metric, pi, rule, (rule.ratio, rule.ratio), ())

    return Jumping(metric, ratios, cuts, maxima, told)


def _rules_of(metric: Metric, ratios: Array, cuts: Rates, pi: float) -> list[RatioRule]:
    """Return the vertices of a sample as rules, as far as the metric is defined there."""
    values = value_of(metric, cuts, pi)
    known = np.flatnonzero(~np.isnan(values)).tolist()
    return [
        RatioRule(float(ratios[k]), Rates(*(rate[[k]] for rate in cuts)), float(values[k]))
        for k in known
    ]


def _tried(found: Survey, metric: Metric, pi: float) -> BayesThreshold | NoOptimumError:
    try:
        return _best_of(found, metric, pi)
    except NoOptimumError as error:
        return error


def _stacked(
    metric: Metric,
    answers: Sequence[BayesThreshold | NoOptimumError],
    rates: Array,
    jumping: Jumping,
) -> BayesThreshold:
    """Return one record of arrays; nan, no others and the reason where there is no optimum."""

    def each(read: Callable[[BayesThreshold], Any], absent: Any = np.nan) -> list[Any]:
        return [absent if isinstance(one, NoOptimumError) else read(one) for one in answers]

    def column(name: str) -> Array:
        return np.array(each(attrgetter(name)))

    return BayesThreshold(
        metric=metric.name,
        base_rate=rates,
        ratios=tuple(np.array(each(lambda one: one.ratios, (np.nan, np.nan))).T),
        **{field: column(field) for field in _NUMBERS},
        others=tuple(each(attrgetter("others"), ())),
        reason=tuple(str(one) if isinstance(one, NoOptimumError) else None for one in answers),
        jumps=jumping.between(rates[~np.isnan(column("value"))]),
    )


def _require_attained(metric: Metric, found: Survey, rules: list[RatioRule]) -> None:
    best = rules[0].value if rules else -np.inf
    ends = ((found.everything, _EVERYTHING), (found.nothing, _NOTHING))
    open_ = [
        (end, where) for end, where in ends if end.rising and end.best is None and end.value > best
    ]
    if not open_:
        return
    near = max(end.value for end, _ in open_)
    where = " or ".join(words for end, words in open_ if np.isclose(end.value, near, rtol=1e-6))
    low = [f"{rule.ratio:.6g}" for rule in found.minima]
    also = f"The ratio {' or '.join(low)}, where its slope is zero, is a minimum. " if low else ""
    raise NoOptimumError.from_growth(metric.name, near, where, also)


def _threshold(
    metric: Metric, pi: float, rule: RatioRule, ratios: tuple[float, float], others: Pairs
) -> BayesThreshold:
    recall, miss_rate, false_positive_rate, specificity = (float(r[0]) for r in rule.rates)
    odds = pi / (1 - pi) * rule.ratio
    return BayesThreshold(
        metric=metric.name,
        base_rate=pi,
        ratio=rule.ratio,
        ratios=ratios,
        probability=odds / (1 + odds) if odds < 1 else 1 / (1 + 1 / odds),
        recall=recall,
        miss_rate=miss_rate,
        false_positive_rate=false_positive_rate,
        specificity=specificity,
        value=rule.value,
        others=others,
    )


def _asked_for(metric: Metric, at: Rates, pi: float) -> float:
    """Return the ratio that the metric's slopes ask for; nan if nothing differentiates it."""
    precise = precise_slopes(metric, at, pi)
    slopes = complex_slopes(metric, at, pi) if precise is None else precise
    return float(slopes.quotient[0])


def _vertices(population: Empirical) -> tuple[Array, Array, Rates]:
    """Return the ends of the ratios that make each vertex, and its rates."""
    highs = np.r_[np.inf, population.slopes]
    lows = np.r_[population.slopes, 0.0]
    lows, highs = lows[highs > 0], highs[highs > 0]  # no ratio exceeds itself: the rest is beaten
    return lows, highs, rates_at(population, lows)


def _best_vertex(metric: Metric, population: Empirical, pi: float) -> BayesThreshold:
    """Compare the vertices of the hull, as far as the metric is defined there."""
    lows, highs, rates = _vertices(population)
    values = value_of(metric, rates, pi)
    if np.isnan(values).all():
        raise UnsupportedError(
            f"{metric.name} is undefined at every vertex of this sample's ROC hull: the scores "
            "carry no order, or separate the classes."
        )
    k = int(np.nanargmax(values))
    at = Rates(*(rate[[k]] for rate in rates))
    wish = _asked_for(metric, at, pi)
    below = np.nextafter(highs[k], 0) if np.isfinite(highs[k]) else highs[k]
    ratio = float(lows[k] if np.isnan(wish) else np.clip(wish, lows[k], below))
    ratios = (float(lows[k]), float(highs[k]))
    return _threshold(metric, pi, RatioRule(ratio, at, float(values[k])), ratios, ())
