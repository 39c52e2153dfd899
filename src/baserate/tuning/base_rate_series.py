"""One metric of one classifier at any base rate: its value, chance, skill and best cut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, ClassVar, Literal, cast

import numpy as np

from baserate._arrays import Array
from baserate._result import Result
from baserate.baselines.draws import best_guess
from baserate.baselines.guessing import guess_in_population, guessing_rate, random_guess
from baserate.baselines.totals import settled
from baserate.counts import ConfusionMatrix, both_classes
from baserate.curves.cut_points import Sweep
from baserate.curves.populations import Empirical, Population, population_of
from baserate.errors import InvalidArgumentError, NoOptimumError
from baserate.metrics import Metric
from baserate.tuning.bayes import BayesThreshold, bayes_threshold, best_at_many, best_on
from baserate.tuning.jumps import Jump
from baserate.tuning.stationary_points import Ratios, ratios_of

Of = Literal["value", "skill"]

SPLIT = 8  # so many times finer than what is returned is where tables' crossings are looked for


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
    jumps : tuple of Jump
        Base rates at which the best cut jumps; see `bayes_threshold`.
    no_skill : tuple of float
        Base rates at which guessing catches up: where the skill changes sign, if it was asked for
        crossings. Of n cases the first share beyond.
    most_skill : (float, float)
        The base rate with the largest skill, and that skill: the first is nan where it is the same
        at all of them, both where none is known. At an end of those asked it may grow beyond.
        Of sweeps and populations it is among the base rates asked for.
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
    jumps: tuple[Jump, ...] = ()
    no_skill: tuple[float, ...] = ()
    most_skill: tuple[float, float] = (np.nan, np.nan)

    @property
    def name(self) -> str:
        """The metric and, where it has a name, the classifier."""
        return f"{self.metric}, {self.classifier}" if self.classifier else self.metric


@dataclass(frozen=True)
class RateSeries:
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
        return self.heights("skill", base_rates)

    def rough(self, base_rates: Array) -> Array:
        """Return about the same where a value costs a search, at next to no cost."""
        return self.values(base_rates)

    def heights(self, of: Of, base_rates: Array, *, rough: bool = False) -> Array:
        """Return values or skills."""
        values = self.rough(base_rates) if rough else self.values(base_rates)
        if of == "value":
            return values
        return self._skills(base_rates, values, self.chances(base_rates))

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
            jumps=() if best is None else best.jumps,
        )

    def _rates(self) -> tuple[Array, Array]:
        raise NotImplementedError


@dataclass(frozen=True)
class _OfTable(RateSeries):
    """A classifier whose recall and specificity are what they are."""

    table: ConfusionMatrix
    finer: ClassVar[int] = SPLIT

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
class _OfPopulation(RateSeries):
    """A classifier that is cut anew at every base rate."""

    population: Population
    grid: Callable[[], Ratios]  # every metric of a population shares one

    @cached_property
    def _found(self) -> BayesThreshold:
        grid = None if isinstance(self.population, Empirical) else self.grid()
        return best_at_many(self.metric, self.population, self.rates, grid)

    def best(self) -> BayesThreshold:
        return self._found

    def rough(self, base_rates: Array) -> Array:
        if isinstance(self.population, Empirical):
            return self.values(base_rates)
        cuts, pi = self.grid().rates, base_rates[:, None]
        with np.errstate(all="ignore"):
            values = self.metric.on_rates(cuts.recall, cuts.false_positive_rate, pi)
        return np.fmax.reduce(np.broadcast_to(values, (pi.size, cuts.recall.size)), axis=1)

    def values(self, base_rates: Array) -> Array:
        if base_rates is self.rates:
            return self._found.value
        return np.array([self._value(float(pi)) for pi in base_rates])

    def _value(self, pi: float) -> float:
        try:
            if isinstance(self.population, Empirical):
                return bayes_threshold(self.metric, self.population, base_rate=pi).value
            return best_on(self.grid(), self.metric, self.population, pi).value
        except NoOptimumError:
            return np.nan

    def _rates(self) -> tuple[Array, Array]:
        return self._found.recall, self._found.specificity


def series_of(
    metrics: Sequence[Metric],
    name: str,
    classifier: Any,
    rates: Array,
    guess: str | float,
    n: int | None,
) -> Sequence[RateSeries]:
    """Return the series of a table, a sweep or a population, one of each metric."""
    how = rates, guess, n
    if isinstance(classifier, ConfusionMatrix):
        table = both_classes("classifiers", classifier)
        return [_OfTable(metric, name, *how, table) for metric in metrics]
    if isinstance(classifier, Sweep | Population):
        population = population_of(classifier)
        grid = cache(partial(ratios_of, population))
        return [_OfPopulation(metric, name, *how, population, grid) for metric in metrics]
    rule = "must be a ConfusionMatrix, a Sweep or a population, or a mapping of names to these"
    remedy = "pass for example baserate.confusion_matrix(y_true, y_pred)"
    raise InvalidArgumentError.from_rule("classifiers", rule, type(classifier).__name__, remedy)
