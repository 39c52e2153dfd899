"""Classifiers against the base rate: value, chance, skill and best cut, and where two cross."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, cast

import numpy as np

from baserate._checks import numbers_in, whole_number
from baserate._result import Result
from baserate.baselines.draws import best_guess
from baserate.baselines.guessing import (
    chosen_guess,
    guess_in_population,
    guessing_rate,
    random_guess,
)
from baserate.baselines.totals import settled
from baserate.counts import ConfusionMatrix, both_classes
from baserate.curves.cut_points import Sweep
from baserate.curves.populations import Array, Empirical, Population
from baserate.errors import InvalidArgumentError, NoOptimumError
from baserate.metrics import Metric, binary_metric
from baserate.tuning.bayes import BayesThreshold, bayes_threshold, best_on
from baserate.tuning.crossing_points import crossing_points, crossing_totals
from baserate.tuning.stationary_points import ratios_of

Of = Literal["value", "skill"]

_POINTS = 199
_SPLIT = 8  # so many times finer than what is returned is where tables' crossings are looked for


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseRateCurve(Result):
    """One metric of one classifier against the base rate; every field but the first two an array.

    Attributes
    ----------
    metric, classifier : str
    base_rates : array
    value, chance, skill : array
        nan where undefined; skill also where guessing is perfect.
    recall, specificity : array
        Of a table, what they are; else those of the best cut.
    ratio, odds, probability : array
        The best cut on three scales: the density ratio δ* = f₁/f₀, the odds π δ*/(1 - π) and the
        probability of being positive. nan for a table, whose cut is made.
    reason : tuple of str or None
        Why there is no best cut at a base rate.
    """

    metric: str
    classifier: str
    base_rates: Array
    value: Array
    chance: Array
    skill: Array
    recall: Array
    specificity: Array
    ratio: Array
    odds: Array
    probability: Array
    reason: tuple[str | None, ...]

    @property
    def name(self) -> str:
        """The metric and, where it has a name, the classifier."""
        return f"{self.metric}, {self.classifier}" if self.classifier else self.metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing(Result):
    """A base rate at which two curves meet and change places.

    Attributes
    ----------
    first, second : str
        Names of the curves.
    of : {"value", "skill"}
    base_rate, height : float
        Where they meet, and what both are there; on the lines between neighbouring shares of n.
    between : (low, high)
        Ends between which they change places: equal up to rounding, or neighbouring shares of n
        cases, or the stretch along which the two coincide.
    """

    first: str
    second: str
    of: Of
    base_rate: float
    height: float
    between: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseRateCurves(Result):
    """Metrics of classifiers against the base rate.

    Attributes
    ----------
    curves : tuple of BaseRateCurve
        For every classifier each metric.
    crossings : tuple of Crossing
        Of two classifiers under one metric, or of two metrics of one classifier.
    guess : str or float
        The guess that chance and skill refer to.
    n : int or None
        Cases in a sample whose chance is meant; None for a population.
    """

    curves: tuple[BaseRateCurve, ...]
    crossings: tuple[Crossing, ...]
    guess: str | float
    n: int | None

    def __iter__(self) -> Iterator[BaseRateCurve]:
        return iter(self.curves)


def base_rate_curves(
    metrics: str | Metric | Sequence[str | Metric],
    classifiers: Any,
    *,
    base_rates: Any = None,
    guess: str | float = "dutch_draw",
    n: int | None = None,
    crossings: bool = True,
) -> BaseRateCurves:
    """Return value, chance, skill and best cut of classifiers at many base rates.

    A table keeps its recall and specificity; a sweep or a population is cut where the metric is
    best at each base rate (`bayes_threshold`). Chance is what `guess` scores, and skill is
    (value - chance)/(perfect - chance).

    Crossings are changes of sign of a difference, looked for eight times finer than `base_rates`
    (for sweeps and populations at these), and in every dip of its size on that grid; each is then
    bracketed to 1e-15. Two that are closer together than the grid and leave no dip on it are
    missed, and a finer grid finds them. Curves that touch without changing places do not cross.

    Parameters
    ----------
    metrics : Metric, str, or several
        ``metric.at_base_rate(0.5)`` is the balanced metric: its value is the same everywhere, its
        chance in samples is not quite.
    classifiers : ConfusionMatrix, Sweep, Population, or mapping of names to these
    base_rates : array of shape (m,), optional
        Rising, in (0, 1). Default: 199 from 0.005 to 0.995.
    guess : {"dutch_draw", "uniform", "proportional", "mode"} or float
        Proportional guessing follows the base rate, for balanced metrics too.
    n : int, optional
        Chance is that of samples of n cases, exactly; base rates are rounded to whole numbers of
        positives, and a crossing of skills is stated between two of them. Default: of a population,
        where a guess finds the same share of either class.
    crossings : bool
        Whether crossings are looked for; of populations that takes a second or so.

    Returns
    -------
    BaseRateCurves

    Raises
    ------
    InvalidArgumentError
        A base rate lies outside (0, 1) or they do not rise; a table lacks a class; `guess` is none.
    UnsupportedError
        Chance has no exact value for samples of n cases.

    References
    ----------
    Burger and Meertens, The algorithm versus the chimps, section 5 and appendix B. Holzmann and
    Klar (2024), arXiv:2404.07661, figures 1 to 4.

    Examples
    --------
    Recall 0.6 and specificity 0.8: F1 of the positive class overtakes that of the negative one at
    an imbalance of 1/7, a base rate of 4/7; their skills cross at 3/4 (Burger and Meertens).

    >>> from baserate import ConfusionMatrix
    >>> from baserate.tuning import base_rate_curves
    >>> table = ConfusionMatrix(tp=60, fn=40, fp=20, tn=80)
    >>> found = base_rate_curves(["f1", "negative_f1"], table, guess="uniform")
    >>> [(c.of, round(c.base_rate, 12), round(c.height, 12)) for c in found.crossings]
    [('value', 0.571428571429, 0.685714285714), ('skill', 0.75, 0.3)]
    """
    asked = [binary_metric(one) for one in _several(metrics)]
    guess, size = chosen_guess(guess), None if n is None else whole_number("n", n, minimum=2)
    rates = _base_rates(base_rates, size)
    named = classifiers if isinstance(classifiers, Mapping) else {"": classifiers}
    series = [
        _series(metric, str(name), classifier, rates, guess, size)
        for name, classifier in named.items()
        for metric in asked
    ]
    pairs = [(a, b) for a, b in combinations(series, 2) if crossings and _comparable(a, b)]
    return BaseRateCurves(
        curves=tuple(one.curve for one in series),
        crossings=tuple(c for a, b in pairs for c in _crossings(a, b)),
        guess=guess,
        n=size,
    )


@dataclass(frozen=True)
class _Series:
    """One metric of one classifier, at any base rate."""

    metric: Metric
    name: str
    rates: Array
    guess: str | float
    n: int | None
    finer: ClassVar[int] = 1

    def values(self, base_rates: Array) -> Array:
        """Return the metric at these base rates."""
        raise NotImplementedError

    def best(self) -> BayesThreshold | None:
        """Return the best cuts, if there is something to cut."""
        return None

    def chances(self, base_rates: Array) -> Array:
        """Return what guessing scores."""
        rates = base_rates.tolist()
        if self.n is not None or self.guess == "dutch_draw" or self.metric.direction == "neither":
            return np.array([self._chance(pi) for pi in rates])
        g = np.array([guessing_rate(self.guess, pi, 1 - pi) for pi in rates])
        with np.errstate(all="ignore"):  # a user's formula may divide by zero
            scores = np.asarray(self.metric.on_rates(g, g, base_rates), dtype=float)
        scores = np.broadcast_to(scores, g.shape).tolist()
        return np.array([settled(self.metric, score) for score in scores])

    def skills(self, base_rates: Array) -> Array:
        """Return (value - chance)/(perfect - chance)."""
        return self._skills(base_rates, self.values(base_rates), self.chances(base_rates))

    def heights(self, of: Of, base_rates: Array) -> Array:
        """Return values or skills."""
        return self.values(base_rates) if of == "value" else self.skills(base_rates)

    def _skills(self, base_rates: Array, values: Array, chances: Array) -> Array:
        n = self.n or 1
        perfect = np.asarray(self.metric.perfect(n * base_rates, n * (1 - base_rates)), dtype=float)
        room = perfect - chances
        if self.metric.direction == "neither":
            return np.full(values.shape, np.nan)
        known = np.abs(room) > 1e-12 * np.maximum(np.abs(perfect), np.abs(chances))
        return np.where(known, (values - chances) / np.where(known, room, 1), np.nan)

    def _chance(self, pi: float) -> float:
        if self.metric.direction == "neither":
            return np.nan
        if self.n is None:
            return guess_in_population(self.metric, pi, self.guess, 1)
        positives, strategy = round(pi * self.n), cast("Any", self.guess)
        negatives = self.n - positives
        if strategy == "dutch_draw":
            return best_guess(self.metric, positives, negatives)
        return random_guess(
            self.metric, n_positive=positives, n_negative=negatives, strategy=strategy
        ).value

    @cached_property
    def curve(self) -> BaseRateCurve:
        """The series at the base rates asked for."""
        values, chances, best = self.values(self.rates), self.chances(self.rates), self.best()
        nothing = np.full(self.rates.shape, np.nan)
        recall, specificity = self._rates()
        ratio = nothing if best is None else best.ratio
        return BaseRateCurve(
            metric=self.metric.name,
            classifier=self.name,
            base_rates=self.rates,
            value=values,
            chance=chances,
            skill=self._skills(self.rates, values, chances),
            recall=recall,
            specificity=specificity,
            ratio=ratio,
            odds=self.rates / (1 - self.rates) * ratio,
            probability=nothing if best is None else best.probability,
            reason=(None,) * self.rates.size if best is None else best.reason,
        )

    def _rates(self) -> tuple[Array, Array]:
        raise NotImplementedError


@dataclass(frozen=True)
class _OfTable(_Series):
    """A classifier whose recall and specificity are what they are."""

    table: ConfusionMatrix
    finer: ClassVar[int] = _SPLIT

    def values(self, base_rates: Array) -> Array:
        n = 1 if self.n is None else self.n
        positive, negative = n * base_rates, n * (1 - base_rates)
        t = self.table
        cells = (
            *(positive * float(c) / float(t.n_positive) for c in (t.tp, t.fn)),
            *(negative * float(c) / float(t.n_negative) for c in (t.fp, t.tn)),
        )
        tp, fn, fp, tn = cells
        return np.asarray(self.metric(ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn)), dtype=float)

    def _rates(self) -> tuple[Array, Array]:
        t, ones = self.table, np.ones(self.rates.shape)
        return ones * float(t.tp / t.n_positive), ones * float(t.tn / t.n_negative)


@dataclass(frozen=True)
class _OfPopulation(_Series):
    """A classifier that is cut anew at every base rate."""

    population: Population

    @cached_property
    def _found(self) -> BayesThreshold:
        return bayes_threshold(self.metric, self.population, base_rate=self.rates)

    def best(self) -> BayesThreshold:
        return self._found

    @cached_property
    def _grid(self) -> Any:
        return ratios_of(self.population)

    def values(self, base_rates: Array) -> Array:
        if base_rates is self.rates:
            return self._found.value
        return np.array([self._value(float(pi)) for pi in base_rates])

    def _value(self, pi: float) -> float:
        try:
            if isinstance(self.population, Empirical):
                return bayes_threshold(self.metric, self.population, base_rate=pi).value
            return best_on(self._grid, self.metric, self.population, pi).value
        except NoOptimumError:
            return np.nan

    def _rates(self) -> tuple[Array, Array]:
        return self._found.recall, self._found.specificity


def _series(
    metric: Metric,
    name: str,
    classifier: Any,
    rates: Array,
    guess: str | float,
    n: int | None,
) -> _Series:
    shared = (metric, name, rates, guess, n)
    if isinstance(classifier, ConfusionMatrix):
        return _OfTable(*shared, both_classes("classifiers", classifier))
    if isinstance(classifier, Sweep):
        return _OfPopulation(*shared, Empirical(classifier))
    if isinstance(classifier, Population):
        return _OfPopulation(*shared, classifier)
    rule = "must be a ConfusionMatrix, a Sweep or a population, or a mapping of names to these"
    remedy = "pass for example baserate.confusion_matrix(y_true, y_pred)"
    raise InvalidArgumentError.from_rule("classifiers", rule, type(classifier).__name__, remedy)


def _several(metrics: Any) -> list[Any]:
    found = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    if not found:
        remedy = "pass for example 'f1'"
        raise InvalidArgumentError.from_rule("metrics", "must be one or more", metrics, remedy)
    return found


def _base_rates(given: Any, n: int | None) -> Array:
    """Return rising base rates; of n cases, those that whole numbers of positives make."""
    if given is None:
        rates = np.linspace(0.005, 0.995, _POINTS)
    else:
        rates = np.atleast_1d(numbers_in("base_rates", given, "(0, 1)", "pass shares of positives"))
    if rates.ndim != 1 or not rates.size or (np.diff(rates) <= 0).any():
        rule, remedy = "must be a list of rising numbers", "pass numpy.linspace(0.01, 0.99, 99)"
        raise InvalidArgumentError.from_rule("base_rates", rule, given, remedy)
    return rates if n is None else np.unique(np.clip(np.round(rates * n), 1, n - 1)) / n


def _comparable(a: _Series, b: _Series) -> bool:
    return a.name == b.name or a.metric == b.metric


def _crossings(a: _Series, b: _Series) -> Iterator[Crossing]:
    of: Of
    for of in ("value", "skill"):
        for ends in _places(a, b, of):
            base_rate, height = _meeting(a, b, of, np.array(ends))
            yield Crossing(
                first=a.curve.name,
                second=b.curve.name,
                of=of,
                base_rate=base_rate,
                height=height,
                between=ends,
            )


def _meeting(a: _Series, b: _Series, of: Of, ends: Array) -> tuple[float, float]:
    """Return where the curves meet and how high, on the lines between both ends."""
    mine, theirs = a.heights(of, ends), b.heights(of, ends)
    before, after = mine - theirs
    share = before / (before - after) if before * after < 0 else 0.5
    base_rate, height = (float(low + share * (high - low)) for low, high in (ends, mine))
    return base_rate, height


def _places(a: _Series, b: _Series, of: Of) -> list[tuple[float, float]]:
    def gap(base_rates: Array) -> Array:
        return a.heights(of, base_rates) - b.heights(of, base_rates)

    at = a.rates
    gaps = getattr(a.curve, of) - getattr(b.curve, of)
    if of == "skill" and a.n is not None:
        return crossing_totals(gap, gaps, np.round(at * a.n).astype(int), a.n)
    if min(a.finer, b.finer) > 1 and at.size > 1:
        steps = np.arange(at.size * _SPLIT - _SPLIT + 1) / _SPLIT
        at = np.interp(steps, np.arange(at.size), at)
        gaps = gap(at)
    return crossing_points(gap, at, gaps)
