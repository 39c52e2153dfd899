"""A group of some size that may differ from its reference: outcomes, p-values, probabilities."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np

from baserate._checks import one_of, whole_number
from baserate._windows import DEEP, Array, Window, binomial
from baserate.counts import CELLS, ConfusionMatrix, cells_from_rates
from baserate.groups._null import (
    ALL,
    NEGATIVES,
    POSITIVES,
    Cells,
    Null,
    condition_of,
    count,
    name_of,
    sides,
    whole_of,
)
from baserate.groups._rejection import rejection, worth_it
from baserate.groups._tables import Tables, full, pmf, tails_of
from baserate.groups.match import Alternative, no_law
from baserate.metrics import Metric
from baserate.models import Multinomial

# Where a metric is undefined at the end of the way, it is followed almost to the end.
_ALMOST = 1 - 1e-6
# p-values summed in different orders differ in their last digits.
_SAME = 1 + 1e-9

Power = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Question:
    """What is tested, whatever the size of the group."""

    metric: Metric
    asked: str
    uncertain: bool
    alternative: str

    def __post_init__(self) -> None:
        one_of("alternative", self.alternative, Alternative)
        condition_of(self.metric, self.asked)

    @property
    def condition(self) -> str:
        """What is held fixed."""
        return condition_of(self.metric, self.asked)

    @property
    def whole(self) -> Cells | None:
        """The denominator, if the test is of one count of known size."""
        return whole_of(self.metric, self.condition)

    def unit(self, reference: Any) -> tuple[float, str]:
        """Return the share of the cases that the power depends on, and what they are called."""
        whole = self.whole or ALL
        table = self.null(1, reference).reference
        return _share(table, whole), name_of(whole)

    def missing(self, reference: Any) -> str | None:
        """Say why the metric has no value at the reference, or return None if it has one."""
        reason = self.metric.undefined_reason(self.null(1, reference).reference)
        return reason and f"in the reference: {reason}"

    def null(self, n: int, reference: Any) -> Null:
        """Return the null law for a group of n cases."""
        group = ConfusionMatrix(tp=n, fn=0, fp=0, tn=0)
        return Null.of(group, reference, uncertain=self.uncertain, law=None)


@dataclass(frozen=True)
class Rate:
    """Successes out of a known number: the rate itself is shifted.

    `reason` says why nothing can be seen, or is None; `gap` how far a shift moves the metric;
    `ends` are the largest shifts down and up.
    """

    condition: str
    reason: str | None
    size: int
    theta: float
    law: Array
    alternative: str

    @cached_property
    def p_values(self) -> Array:
        """The p-value of every number of successes."""
        return tails_of(np.arange(self.size + 1), self.law).p_values(self.alternative)

    @property
    def ends(self) -> tuple[float, float]:
        """Down to a rate of 0, up to 1."""
        return -self.theta, 1 - self.theta

    def gap(self, shift: float) -> float:
        """Return the shift: it is the gap."""
        return nan if isnan(self.theta) else shift

    def power(self, alpha: float) -> Power:
        """Return the probability of a rejection, as a function of the shift."""
        rejected = self.p_values <= alpha * _SAME

        def seen(shift: float) -> float:
            rate = min(1.0, max(0.0, self.theta + shift))
            law = full(binomial(self.size, rate, depth=DEEP), self.size)
            return min(1.0, float(law[rejected].sum()))

        return seen


@dataclass(frozen=True)
class Shifted:
    """Tables: both classes' rates move together, by one share of what is left to move.

    Errors are put right, or right answers spoilt; of a metric without a direction, more cases are
    flagged, or fewer.
    """

    question: Question
    null: Null

    @property
    def condition(self) -> str:
        """What is held fixed."""
        return self.question.condition

    @cached_property
    def reason(self) -> str | None:
        """Why nothing can be seen, or None."""
        why = "no cases" if not self.null.group.n else None
        why = why or no_law(self.null, self.question.metric, self.condition)
        if why is None and isnan(self._value(0.0)):
            return "the metric is undefined at the rates of the reference"
        return why

    @cached_property
    def tables(self) -> Tables:
        """All tables with what is held fixed."""
        return Tables.of(self.null.group, "classes" if self.condition == "classes" else "none")

    @cached_property
    def p_values(self) -> Array:
        """The p-value of every table."""
        if self.reason is not None or self.null.model is None:
            return np.full(1, nan)
        weights = self.tables.weights(self.null.model)
        tails = self.tables.tails(self.question.metric, weights)
        return tails.p_values(self.question.alternative)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """All the way down, all the way up."""
        down, up = (end if not isnan(self._value(end)) else end * _ALMOST for end in (-1.0, 1.0))
        return down, up

    def gap(self, shift: float) -> float:
        """Return the metric at the shifted expected table, less its value at the reference's."""
        return self._value(shift) - self._value(0.0)

    def power(self, alpha: float) -> Power:
        """Return the probability of a rejection, as a function of the shift."""
        metric, group, model = self.question.metric, self.null.group, self.null.model
        if self.reason is not None or model is None:
            return lambda _: nan
        if self.condition == "classes" and worth_it(metric, group, alpha):
            level, side = alpha * _SAME, self.question.alternative
            region = rejection(metric, model, group, level, side)
            return lambda shift: min(1.0, region.probability(*self._counts(shift)))
        rejected = self.p_values <= alpha * _SAME
        return lambda shift: min(1.0, float(self._probabilities(shift)[rejected].sum()))

    def _counts(self, shift: float) -> tuple[Window, Window]:
        """Return the laws of tp and fp at the shifted rates, given the class totals."""
        tp, fn, fp, tn = self._cells(shift)
        group, model = (
            self.null.group,
            Multinomial(n=int(self.null.group.n), cells=(tp, fn, fp, tn)),
        )
        hits, alarms = model.split(tp, fn, group.n_positive), model.split(fp, tn, group.n_negative)
        return hits.window(), alarms.window()

    def _probabilities(self, shift: float) -> Array:
        """Return the law of the tables at the shifted rates."""
        return self.tables.weights(Multinomial(n=int(self.null.group.n), cells=self._cells(shift)))

    def _value(self, shift: float) -> float:
        cells = dict(zip(CELLS, self._cells(shift), strict=True))
        if any(map(isnan, cells.values())):
            return nan
        return float(self.question.metric(ConfusionMatrix(**cells)))

    def _cells(self, shift: float) -> tuple[float, float, float, float]:
        """Return the expected table at the shifted rates."""
        recall, specificity = self._rates
        if self.question.metric.direction == "neither":
            alarms = _moved(1 - specificity, shift)
        else:
            alarms = 1 - _moved(specificity, shift)
        n = int(self.null.group.n)
        return cells_from_rates(_moved(recall, shift), alarms, self._base_rate, n)

    @cached_property
    def _rates(self) -> tuple[float, float]:
        """The reference's recall and specificity; of an empty class they do not matter."""
        t = self.null.reference
        held = ((t.tp, POSITIVES), (t.tn, NEGATIVES))
        absent = (self._base_rate == 0, self._base_rate == 1)
        pairs = ((float(right), _mass(t, cells)) for right, cells in held)
        recall, specificity = (
            0.0 if none else right / total if total else nan
            for none, (right, total) in zip(absent, pairs, strict=True)
        )
        return recall, specificity

    @cached_property
    def _base_rate(self) -> float:
        table = self.null.reference if self.condition == "none" else self.null.group
        return float(table.base_rate)


Experiment = Rate | Shifted


def experiment(
    question: Question,
    group: ConfusionMatrix | int | None,
    reference: Any,
    *,
    size: int | None = None,
) -> Experiment:
    """Return the experiment of a group, given by its table, its cases, or its `size` in units."""
    if question.whole is not None:
        return _of_rate(question, question.whole, group, reference, size)
    null = _null(question, group if size is None else size, reference)
    return Shifted(question, null)


def _of_rate(
    question: Question, whole: Cells, group: Any, reference: Any, size: int | None
) -> Rate:
    null = _null(question, 1 if group is None else group, reference)
    if size is None:
        size = _size(group, null.reference, whole)
    a, b = null.one_count(sides(question.metric)[0], whole)
    reason = None if size else f"no {name_of(whole)}"
    reason = reason or question.missing(reference)
    law = np.full(size + 1, nan)
    if reason is None and null.model is not None:
        law = pmf(null.model.split(a, b, size), size)
    theta = float(question.metric(null.reference))
    return Rate(question.condition, reason, size, theta, law, question.alternative)


def _null(question: Question, group: Any, reference: Any) -> Null:
    """Return the null of a table, or of so many cases with the reference's class totals."""
    if isinstance(group, ConfusionMatrix):
        return Null.of(group, reference, uncertain=question.uncertain, law=None)
    n = whole_number("group", group)
    share = _share(question.null(n, reference).reference, POSITIVES)
    positive = 0 if isnan(share) else round(n * share)
    table = ConfusionMatrix(tp=positive, fn=0, fp=0, tn=n - positive)
    return Null.of(table, reference, uncertain=question.uncertain, law=None)


def _size(group: Any, reference: ConfusionMatrix, whole: Cells) -> int:
    if isinstance(group, ConfusionMatrix):
        return count(group, whole)
    share = _share(reference, whole)
    return 0 if isnan(share) else round(whole_number("group", group) * share)


def _share(table: ConfusionMatrix, cells: Cells) -> float:
    return _mass(table, cells) / float(table.n) if table.n else nan


def _mass(table: ConfusionMatrix, cells: Cells) -> float:
    return sum(float(cell) for name, cell in zip(CELLS, table, strict=True) if name in cells)


def _moved(rate: float, share: float) -> float:
    """Move a rate by a share of its way to 1, or to 0."""
    return rate + share * (1 - rate) if share > 0 else rate * (1 + share)
