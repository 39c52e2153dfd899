"""Whether a metric keeps finding the positives when they become rare.

Holzmann and Klar (2024) call a metric robust in a population if the density ratio δ* of its best
rule stays bounded as the base rate falls to 0 (their 5.1): then recall stays away from 0. A bound
on the quotient q of the metric's two slopes (5.2) is enough for that, in every population. They
also name the other definition, a lower bound of recall itself: that is asked with a `recall`.

Which parameter keeps a recall is found by bisection. log M = log((c + r)/(d₀ + d₁ π + g)) + const
of robust F has the derivative 1/(d₀/π + d₁ + 1)/π - 1/(d₀ + d₁ π + g) in d₀, which grows with the
predicted share g: the best cuts rise with d₀ (Topkis 1978), in every population, and so with d₁.
Of robust MCC it is const - 1/(2 (d + g(1 - g))), so that with d the best g(1 - g) rises: recall as
well, as long as no best cut calls more than half of the cases positive.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import numpy as np

from baserate._arrays import Array
from baserate._checks import number_in, refuse_given
from baserate._result import Result
from baserate.curves.cut_points import Sweep
from baserate.curves.populations import Empirical, Population, Rates, population_of, rates_at
from baserate.errors import InvalidArgumentError, NoOptimumError
from baserate.metrics import FAMILIES, Metric, binary_metric
from baserate.tuning.bayes import BayesThreshold, bayes_threshold, best_on
from baserate.tuning.derivatives import Differentiable, require_increasing
from baserate.tuning.stationary_points import ratios_of

_FAR = (20, 30, 40, 60, 80, 100)
_BOXES = (12.0, 18.0, 24.0, 36.0, 48.0, 64.0, 96.0)  # reach of the logits: rates of 6e-6 to 2e-42
_AT_LEAST = 3  # boxes
_CORNER = 100.0  # a logit this large stands for a rate of 0 or 1
_OUTER, _NEAR = 0.7, 16.8  # of the box, and the logit, from which a place is called the limit
_GROWS = 1.01
_TIE = 1e-9  # of quotients; then the place nearest the middle is reported
_BASE_RATES = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, *(10.0**-k for k in (*range(2, 13), *_FAR)))
_SETTLED = 1e-9
_LIMIT = 1e-100  # a base rate so small that another power of ten changes nothing
_KEPT = 1e-9  # of a recall, relative
_DECADES = (-30, 12)  # of a parameter, beyond which it is taken for 0 or infinity
_ROUNDS = 5
_DIGITS = 9  # after the first, of a parameter that is found

Family = Callable[[float], Metric]
Find = Callable[[Metric, float], BayesThreshold]


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness(Result):
    """Whether the best density ratio stays bounded; ``bool()`` gives it.

    Attributes
    ----------
    metric : str
    robust : bool
        Also whether recall is kept, if one was asked for.
    bound : float
        The least upper bound, to about ten digits; inf if there is none.
    where : str
        Where the bound is approached, or where the ratio blows up.
    base_rate : float
        In a population, where that is; 0 in the limit.
    recall : float
        In a population, that of the best cut there: at other base rates it finds no less.
    parameter : float
        The least one that keeps the recall asked for, of a family of metrics.
    """

    metric: str
    robust: bool
    bound: float
    where: str
    base_rate: float = math.nan
    recall: float = math.nan
    parameter: float = math.nan

    def __bool__(self) -> bool:
        return self.robust


def is_robust(
    metric: str | Metric | Family,
    population: Population | Sweep | None = None,
    *,
    recall: float | None = None,
    base_rate: float | None = None,
) -> Robustness:
    """Tell whether a metric's best threshold stays bounded as positives become rare.

    Without a population, bounds q = (∂M/∂t)/(∂M/∂s) over all recalls s and specificities t in
    (0, 1) and base rates π in (0, 1/2]. A bound holds for δ* in every population. Slopes are taken
    on growing boxes of logit s, logit t and log π: a supremum that settles is the bound, one that
    still grows at rates of 2e-42 is taken for infinite.

    With a population, follows δ* itself down to a base rate of 1e-100. A metric may well fail the
    first question and pass the second: Matthews correlation does, for normal classes. In an
    `Empirical` population whose top scores are all positives, many ratios make the same rule; δ* is
    the one that the metric asks for there.

    With a recall x, tells whether the best cut finds a share x of the positives, however rare they
    are. Of a family of metrics it returns the one with the smallest parameter that does, rounded up
    to ten digits: `robust_f` with its d₀, `robust_mcc` with its d. Recall rises with d₀ in every
    population. It rises with d where the best cut calls at most half of the cases positive; where
    it calls more, a smaller d than the one returned may do as well.

    Parameters
    ----------
    metric : Metric or str
        Strictly increasing in recall and in specificity. With `recall` also a family, by its name
        ("robust_f") or as what makes a metric of a positive number
        (``functools.partial(robust_f, d1=4)``).
    population : Population or Sweep, optional
    recall : float, optional
        In (0, 1): the least share of positives to be found.
    base_rate : float, optional
        Asks of this base rate alone; default: of all in (0, 1/2].

    Raises
    ------
    InvalidArgumentError
        The metric does not grow with recall and specificity; no parameter keeps the recall; it is
        asked for without a population.
    NoOptimumError
        The metric has no best threshold in the population.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5. Topkis (1978), Minimizing a submodular
    function on a lattice, Operations Research 26:305, doi:10.1287/opre.26.2.305.

    Examples
    --------
    >>> from baserate import is_robust
    >>> from baserate.curves.populations import LDA
    >>> bool(is_robust("mcc")), bool(is_robust("mcc", LDA(distance=1.0)))
    (False, True)
    >>> round(is_robust("mcc", LDA(distance=1.0)).bound, 4)
    2.5747
    >>> found = is_robust("robust_f(d0=0.1)")
    >>> round(found.bound, 9), found.where
    (10.0, 'recall to 1, specificity to 1, base rate to 0')

    The smallest d₀ with which 8 of 10 positives are found, however rare they are:

    >>> found = is_robust("robust_f", LDA(distance=2.0), recall=0.8)
    >>> round(found.parameter, 4), round(found.recall, 4), round(found.bound, 4), found.where
    (0.4595, 0.8, 1.3727, 'base rate to 0')
    """
    if population is None:
        rule = "needs a population, without which a cut has no recall"
        refuse_given(rule, "pass LDA(), QDA() or a sweep", recall=recall, base_rate=base_rate)
        return _everywhere(binary_metric(metric))  # pyright: ignore[reportArgumentType]
    demand = _Demand.of(population, recall, base_rate)
    family = None if recall is None else _family(metric)
    if family is not None:
        return demand.least(family)
    return demand.judged(binary_metric(metric))  # pyright: ignore[reportArgumentType]


def _everywhere(metric: Metric) -> Robustness:
    """Bound the quotient of the slopes in every population."""
    require_increasing(metric, 0.5)
    target = Differentiable.of(metric, 0.5)
    peaks: list[_Peak] = []
    for reach in _BOXES:
        if not (box := _box(target, reach)):
            break
        peaks.append(_highest(box))
        if len(peaks) >= _AT_LEAST and peaks[-1].height <= _GROWS * peaks[-2].height:
            best = _climbed(target, _highest(peaks[::-1]))
            return Robustness(
                metric=metric.name, robust=True, bound=best.height, where=best.words()
            )
    return _unbounded(metric, peaks[-1].words())


@dataclass(frozen=True, slots=True)
class _Peak:
    """The largest quotient found, at logits of recall and specificity and at -log(2 π)."""

    height: float
    recall: float
    specificity: float
    rarity: float
    edge: float

    def words(self) -> str:
        """Say in words which coordinates are at the edge of the box, and where the others are."""
        parts = [
            _place(name, logit, self.edge)
            for name, logit in (("recall", self.recall), ("specificity", self.specificity))
        ]
        rare = self.rarity >= min(_OUTER * self.edge, _NEAR)
        base_rate = "base rate to 0" if rare else f"base rate {np.exp(-self.rarity) / 2:.4g}"
        return ", ".join((*parts, base_rate))


def _place(name: str, logit: float, edge: float) -> str:
    if abs(logit) >= min(_OUTER * edge, _NEAR):
        return f"{name} to {int(logit > 0)}"
    return f"{name} {1 / (1 + np.exp(-logit)):.4g}"


def _box(target: Differentiable, reach: float) -> list[_Peak]:
    """Return the largest quotient at each of a few base rates, on a grid of logits.

    Of a box beyond the first few nothing is returned if slopes have lost their digits anywhere.
    """
    axis = np.linspace(-reach, reach, 17)
    recall, specificity = (side.ravel() for side in np.meshgrid(axis, axis))
    peaks: list[_Peak] = []
    for rarity in np.linspace(0, reach, 9):
        heights = _quotients(target, recall, specificity, rarity)
        if reach > _BOXES[_AT_LEAST - 1] and np.isnan(heights).any():
            return []
        heights = np.nan_to_num(heights)
        highest = heights >= heights.max() * (1 - _TIE)
        k = int(np.argmin(np.where(highest, np.abs(recall) + np.abs(specificity), np.inf)))
        place = float(recall[k]), float(specificity[k]), float(rarity)
        peaks.append(_Peak(float(heights[k]), *place, reach))
    return peaks


def _highest(peaks: list[_Peak]) -> _Peak:
    top = max(peak.height for peak in peaks) * (1 - _TIE)
    return next(peak for peak in peaks if peak.height >= top)


def _quotients(target: Differentiable, recall: Array, specificity: Array, rarity: float) -> Array:
    """Return q, or nan where the slopes are not known."""
    from scipy.special import expit

    base_rate = float(np.exp(-rarity) / 2)
    rates = Rates(expit(recall), expit(-recall), expit(-specificity), expit(specificity))
    return replace(target, base_rate=base_rate).fast(rates).quotient


def _climbed(target: Differentiable, peak: _Peak) -> _Peak:
    """Push coordinates at the edge of the box into their corner, and climb in the others."""
    from scipy.optimize import minimize

    start = np.array([peak.recall, peak.specificity, peak.rarity])
    free = np.abs(start) < peak.edge
    pushed = np.where(free, start, np.sign(start) * _CORNER)

    def height(inner: Array) -> float:
        place = pushed.copy()
        place[free] = inner
        recall, specificity, rarity = place
        if rarity < 0:
            return 0.0
        found = _quotients(target, np.array([recall]), np.array([specificity]), rarity)
        return float(np.nan_to_num(found[0]))

    inner = pushed[free]
    if free.any():
        options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 2000}
        inner = minimize(lambda v: -height(v), inner, method="Nelder-Mead", options=options).x
    found = height(inner)
    if found <= peak.height * (1 + 1e-12):
        return peak
    place = pushed.copy()
    place[free] = inner
    recall, specificity, rarity = map(float, place)
    return _Peak(found, recall, specificity, rarity, peak.edge)


def _family(metric: Any) -> Family | None:
    """Return what makes metrics of a number; None of one metric."""
    made: Any = FAMILIES.get(metric) if isinstance(metric, str) else metric
    one = isinstance(made, Metric) or not callable(made)
    return None if one else cast("Family", made)


@dataclass(frozen=True, slots=True)
class _Demand:
    """What is asked of the best cuts in a population: at which base rates, and what recall."""

    population: Population
    find: Find
    base_rate: float | None
    recall: float

    @classmethod
    def of(cls, population: Any, recall: Any, base_rate: Any) -> "_Demand":
        people = population_of(population)
        least = "pass the least share of positives to be found"
        kept = 0.0 if recall is None else number_in("recall", recall, "(0, 1)", least)
        share = "pass the share of positives"
        pi = None if base_rate is None else number_in("base_rate", base_rate, "(0, 1)", share)
        return cls(people, _finder(people), pi, kept)

    def judged(self, metric: Metric, parameter: float = math.nan) -> Robustness:
        """Say what a metric does."""
        require_increasing(metric, 0.5)
        if self.base_rate is None:
            found = _in_population(metric, self.find)
        else:
            ratio, where = self.find(metric, self.base_rate).ratio, f"base rate {self.base_rate:g}"
            found = _bounded_by(metric, ratio, where, self.base_rate)
        recall = float(rates_at(self.population, found.bound).recall[0])
        robust = found.robust and recall >= self.recall * (1 - _KEPT)
        return replace(found, robust=robust, recall=recall, parameter=parameter)

    def least(self, family: Family) -> Robustness:
        """Return the first of a family that keeps the recall, at the worst of all base rates."""
        at = _LIMIT if self.base_rate is None else self.base_rate
        for _ in range(_ROUNDS):
            parameter = self._least_at(family, at)
            found = self.judged(family(parameter), parameter)
            if found or not found.base_rate > 0:
                break
            at = found.base_rate
        return found  # pyright: ignore[reportPossiblyUnboundVariable]

    def _recall(self, metric: Metric, base_rate: float) -> float:
        try:
            return self.find(metric, base_rate).recall
        except NoOptimumError:
            return 0.0

    def _least_at(self, family: Family, base_rate: float) -> float:
        from scipy.optimize import brentq

        def over(log_parameter: float) -> float:
            return self._recall(family(10.0**log_parameter), base_rate) - self.recall

        with suppress(InvalidArgumentError):  # of a family whose numbers start above 0
            if self._recall(family(0.0), base_rate) >= self.recall:
                return 0.0
        first, last = _DECADES
        high = next((k for k in range(last + 1) if over(k) >= 0), None)
        if high is None:
            self._refuse(over(last) + self.recall, base_rate)
        low = high - 1
        while low > first and over(low) >= 0:
            low -= 1
        root: Any = brentq(over, low, low + 1, xtol=1e-13)
        step = 10.0 ** (math.floor(root) - _DIGITS)
        whole = math.floor(10.0**root / step)
        while over(math.log10(whole * step)) < 0:
            whole += 1
        return float(f"{whole * step:.{_DIGITS}e}")

    def _refuse(self, reached: float, base_rate: float) -> NoReturn:
        where = "as positives become rare" if base_rate == _LIMIT else f"at base rate {base_rate:g}"
        rule = f"must be at most {reached:.6g}, what the largest parameter keeps {where}"
        remedy = "lower it, or take robust_f, of which some d0 keeps any"
        raise InvalidArgumentError.from_rule("recall", rule, self.recall, remedy)


def _in_population(metric: Metric, find: Find) -> Robustness:
    """Follow the best ratio down to tiny base rates, until it settles."""
    ratios: list[float] = []
    for base_rate in _BASE_RATES:
        try:
            ratios.append(find(metric, base_rate).ratio)
        except NoOptimumError as error:
            if not ratios:
                raise
            return _unbounded(metric, f"at base rate {base_rate:.4g}: {error}")
        if np.isinf(ratios[-1]):
            return _unbounded(metric, f"at base rate {base_rate:.4g} nothing is called positive")
        if base_rate < 1e-3 and abs(ratios[-1] - ratios[-2]) <= _SETTLED * ratios[-1]:
            return _bounded(metric, lambda pi: find(metric, pi).ratio, ratios)
    text = f"base rate to 0: the ratio is {ratios[-1]:.4g} at {_BASE_RATES[-1]:.4g}"
    return _unbounded(metric, text)


def _finder(population: Population) -> Find:
    """Return what finds the best cut of a metric at a base rate; all share one grid of ratios."""
    if not isinstance(population, Empirical):
        grid = ratios_of(population)
        return lambda metric, pi: best_on(grid, metric, population, pi)

    def find(metric: Metric, pi: float) -> BayesThreshold:
        Differentiable.of(metric, 0.5)  # refuses a metric whose ratio cannot be told
        return bayes_threshold(metric, population, base_rate=pi)

    return find


def _bounded(metric: Metric, ratio_at: Callable[[float], float], ratios: list[float]) -> Robustness:
    """Sharpen the largest ratio between its neighbours, unless it is the limit or at one half."""
    k = int(np.argmax(ratios))
    if ratios[-1] >= ratios[k] * (1 - 2 * _SETTLED):
        return _bounded_by(metric, ratios[k], "base rate to 0", 0.0)
    bound, base_rate = ratios[k], _BASE_RATES[k]
    if k > 0:
        bound, base_rate = _sharpened(ratio_at, _BASE_RATES[k + 1], _BASE_RATES[k - 1])
    return _bounded_by(metric, bound, f"base rate {base_rate:.4g}", base_rate)


def _sharpened(ratio_at: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    from scipy.optimize import minimize_scalar

    def negative(log_rate: float) -> float:
        return -ratio_at(float(np.exp(log_rate)))

    span = (np.log(low), np.log(high))
    found: Any = minimize_scalar(negative, bounds=span, method="bounded", options={"xatol": 1e-7})
    return -float(found.fun), float(np.exp(found.x))


def _bounded_by(metric: Metric, bound: float, where: str, base_rate: float) -> Robustness:
    return Robustness(
        metric=metric.name, robust=True, bound=bound, where=where, base_rate=base_rate
    )


def _unbounded(metric: Metric, where: str) -> Robustness:
    return Robustness(metric=metric.name, robust=False, bound=np.inf, where=where)
