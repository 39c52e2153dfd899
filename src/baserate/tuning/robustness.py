"""Whether a metric keeps finding the positives when they become rare.

Holzmann and Klar (2024) call a metric robust in a population if the density ratio δ* of its best
rule stays bounded as the base rate falls to 0 (their 5.1): then recall stays away from 0. A bound
on the quotient q of the metric's two slopes (5.2) is enough for that, in every population.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate._result import Result
from baserate.curves.populations import Array, Empirical, Population, Rates
from baserate.errors import NoOptimumError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.bayes import bayes_threshold, best_on, require_increasing
from baserate.tuning.derivatives import Differentiable
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness(Result):
    """Whether the best density ratio stays bounded; ``bool()`` gives it.

    Attributes
    ----------
    metric : str
    robust : bool
    bound : float
        The least upper bound, to about ten digits; inf if there is none.
    where : str
        Where the bound is approached, or where the ratio blows up.
    """

    metric: str
    robust: bool
    bound: float
    where: str

    def __bool__(self) -> bool:
        return self.robust


def is_robust(metric: str | Metric, population: Population | None = None) -> Robustness:
    """Tell whether a metric's best threshold stays bounded as positives become rare.

    Without a population, bounds q = (∂M/∂t)/(∂M/∂s) over all recalls s and specificities t in
    (0, 1) and base rates π in (0, 1/2]. A bound holds for δ* in every population. Slopes are taken
    on growing boxes of logit s, logit t and log π: a supremum that settles is the bound, one that
    still grows at rates of 2e-42 is taken for infinite.

    With a population, follows δ* itself down to a base rate of 1e-100. A metric may well fail the
    first question and pass the second: Matthews correlation does, for normal classes. In an
    `Empirical` population whose top scores are all positives, many ratios make the same rule; δ* is
    the one that the metric asks for there.

    Parameters
    ----------
    metric : Metric or str
        Strictly increasing in recall and in specificity.
    population : Population, optional

    Raises
    ------
    InvalidArgumentError
        The metric does not grow with recall and specificity.
    NoOptimumError
        The metric has no best threshold in the population.

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 5.

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
    """
    metric = binary_metric(metric)
    require_increasing(metric, 0.5)
    if population is not None:
        return _in_population(metric, population)
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


def _in_population(metric: Metric, population: Population) -> Robustness:
    """Follow the best ratio down to tiny base rates, until it settles."""
    ratio_at = _best_ratio(metric, population)
    ratios: list[float] = []
    for base_rate in _BASE_RATES:
        try:
            ratios.append(ratio_at(base_rate))
        except NoOptimumError as error:
            if not ratios:
                raise
            return _unbounded(metric, f"at base rate {base_rate:.4g}: {error}")
        if np.isinf(ratios[-1]):
            return _unbounded(metric, f"at base rate {base_rate:.4g} nothing is called positive")
        if base_rate < 1e-3 and abs(ratios[-1] - ratios[-2]) <= _SETTLED * ratios[-1]:
            return _bounded(metric, ratio_at, ratios)
    text = f"base rate to 0: the ratio is {ratios[-1]:.4g} at {_BASE_RATES[-1]:.4g}"
    return _unbounded(metric, text)


def _best_ratio(metric: Metric, population: Population) -> Callable[[float], float]:
    """Return δ* as a function of the base rate."""
    if isinstance(population, Empirical):
        Differentiable.of(metric, 0.5)  # refuses a metric whose ratio cannot be told
        return lambda pi: bayes_threshold(metric, population, base_rate=pi).ratio
    grid = ratios_of(population)
    return lambda pi: best_on(grid, metric, population, pi).ratio


def _bounded(metric: Metric, ratio_at: Callable[[float], float], ratios: list[float]) -> Robustness:
    """Sharpen the largest ratio between its neighbours, unless it is the limit or at one half."""
    k = int(np.argmax(ratios))
    bound, where = ratios[k], f"base rate {_BASE_RATES[k]:.4g}"
    if ratios[-1] >= bound * (1 - 2 * _SETTLED):
        where = "base rate to 0"
    elif k > 0:
        bound, base_rate = _sharpened(ratio_at, _BASE_RATES[k + 1], _BASE_RATES[k - 1])
        where = f"base rate {base_rate:.4g}"
    return Robustness(metric=metric.name, robust=True, bound=bound, where=where)


def _sharpened(ratio_at: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    from scipy.optimize import minimize_scalar

    def negative(log_rate: float) -> float:
        return -ratio_at(float(np.exp(log_rate)))

    span = (np.log(low), np.log(high))
    found: Any = minimize_scalar(negative, bounds=span, method="bounded", options={"xatol": 1e-7})
    return -float(found.fun), float(np.exp(found.x))


def _unbounded(metric: Metric, where: str) -> Robustness:
    return Robustness(metric=metric.name, robust=False, bound=np.inf, where=where)
