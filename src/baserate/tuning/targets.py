"""What is maximised over cut points: metrics with a best one, constraints, and their maxima."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arith import slack
from baserate._checks import each_of
from baserate.counts import ConfusionMatrix
from baserate.curves.cut_points import Sweep
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric, binary_metric, predicted_positives
from baserate.metrics.ties import tie_width

Values = NDArray[np.float64]

# Tables with errors that leave one rate perfect; half of the cases of the other class are wrong.
_NO_ALARMS = ConfusionMatrix(tp=1, fn=1, fp=0, tn=2)
_NO_MISSES = ConfusionMatrix(tp=2, fn=0, fp=1, tn=1)
_IN_WORDS = re.compile(r"at (?P<end>most|least) (?P<value>\S+) (?P<name>.+)")
_ALARMS = {"without false alarms": _NO_ALARMS, "without misses": _NO_MISSES}


def check_target(metric: Metric, *, constrained: bool) -> None:
    """Refuse a metric that has no best cut point, or whose best one is the same for every score.

    So it is where neither more nor less is better, and, without a constraint, where it is perfect
    at any cut point without false alarms (or misses), such as precision, recall and Yule's Q.
    """
    if metric.direction == "neither":
        rule = "must be a metric for which more or less is better"
        remedy = "choose another, or a utility"
        raise InvalidArgumentError.from_rule("metric", rule, metric.name, remedy)
    if constrained:
        return
    for where, table in _ALARMS.items():
        if perfect_at(metric, table):
            rule = f"must not be perfect at every cut point {where}"
            remedy = 'add a constraint, such as "recall >= 0.8", or choose a metric that sees both'
            raise InvalidArgumentError.from_rule("metric", rule, metric.name, remedy)


def perfect_at(metric: Metric, table: ConfusionMatrix) -> bool:
    """Whether a table with errors scores as the table without."""
    value, perfect = metric(table), metric.perfect(table.n_positive, table.n_negative)
    if isnan(value) or isnan(perfect):
        return isnan(value) and isnan(perfect)
    return abs(value - perfect) <= tie_width(metric, perfect)


def oriented(metric: Metric | ClassMetric, values: Any) -> Values:
    """Turn values so that more is better and the undefined never wins."""
    upward = np.asarray(values, dtype=float) * (1 if metric.direction == "higher" else -1)
    return np.where(np.isnan(upward), -inf, upward)


def maximisers(upward: Values) -> NDArray[np.intp]:
    """Return the places of all maxima, equal up to rounding; none if nothing is defined.

    What is typical is taken from the values themselves, which weights may make as small as can be.
    """
    top = float(np.max(upward, initial=-inf))
    if top == -inf:
        return np.empty(0, dtype=np.intp)
    sizes = np.abs(upward[np.isfinite(upward) & (upward != 0)])
    typical = float(np.median(sizes)) if sizes.size else 1.0
    return np.flatnonzero(upward >= top - slack(top, typical))


def first_maxima(metric: Metric, upward: Values) -> NDArray[np.intp]:
    """Return the first maximum of each row, equal up to rounding; -1 where nothing is defined."""
    top = upward.max(axis=1)
    first = (upward >= (top - tie_width(metric, top))[:, np.newaxis]).argmax(axis=1)
    return np.where(top == -inf, -1, first)


def runs(places: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Group places that follow each other into (first, last)."""
    breaks = np.flatnonzero(np.diff(places) > 1)
    first = places[np.concatenate(([0], breaks + 1))] if len(places) else places
    last = places[np.concatenate((breaks, [len(places) - 1]))] if len(places) else places
    return [(int(a), int(b)) for a, b in zip(first, last, strict=True)]


def as_number(threshold: Any) -> float:
    """Return a threshold as a float, or as the whole number that no float can hold."""
    return threshold if isinstance(threshold, int) else float(threshold)


def interval_of(swept: Sweep, first: int, last: int) -> tuple[float, float]:
    """Return (low, high]: the thresholds that give the rules from first to last.

    (nan, nan) where only nan calls nothing positive, because infinity is a score; low is nan where
    -inf is a score and belongs to the interval, since nothing lies below it.
    """
    scores, below = swept.thresholds, swept.thresholds if swept.highest is None else swept.highest
    low = as_number(below[last + 1]) if last + 1 < len(scores) else lowest_end(scores)
    high = as_number(scores[first])
    if isnan(high):
        return (nan, nan) if last == first else (low, inf)
    return low, high


def lowest_end(descending: Any) -> float:
    """Return the open end below all thresholds; nan where the lowest of them is -inf already."""
    return nan if descending[-1] == -inf else -inf


def middle_of(low: float, high: float) -> float:
    """Return the threshold in the middle, where new scores are cut most evenly."""
    if not (isfinite(low) and isfinite(high)):
        return high
    if isinstance(low, int) and isinstance(high, int):
        return (low + high + 1) // 2
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


@dataclass(frozen=True, slots=True)
class Constraint:
    """A metric and the least or the greatest value that it may have."""

    metric: Metric
    at_least: bool
    limit: float

    @classmethod
    def of(cls, text: "str | Constraint") -> Self:
        """Read for example "recall >= 0.9", or a capacity: "alarms <= 50", "at most 50 alarms"."""
        if isinstance(text, cls):
            return text
        if not isinstance(text, str):
            rule, remedy = "must be text", 'write for example "recall >= 0.9" or "alarms <= 50"'
            raise InvalidArgumentError.from_rule("constraint", rule, text, remedy)
        words = _IN_WORDS.fullmatch(text.strip().lower())
        if words:
            name, value, at_least = words["name"], words["value"], words["end"] == "least"
        else:
            sign = "<=" if isinstance(text, str) and "<=" in text else ">="
            name, _, value = str(text).partition(sign)
            at_least = sign == ">="
        rule, limit = "must have the form METRIC >= VALUE or METRIC <= VALUE", nan
        with suppress(ValueError):
            limit, rule = float(value), "must have a finite VALUE"
        if not isfinite(limit):
            remedy = 'write for example "recall >= 0.9" or "alarms <= 50"'
            raise InvalidArgumentError.from_rule("constraint", rule, text, remedy)
        metric = binary_metric(name.strip())
        if metric.bounds == (0, 1) and 1 < limit <= 100:
            rule = f"must be of a share, as {metric.name} is"
            sign = ">=" if at_least else "<="
            remedy = f"write {metric.name} {sign} {limit / 100:g}"
            raise InvalidArgumentError.from_rule("constraint", rule, text, remedy)
        return cls(metric, at_least, limit)

    def holds(self, tables: ConfusionMatrix) -> NDArray[np.bool_]:
        """Return where a batch of tables meets it; an undefined value does not."""
        value = np.asarray(self.metric(tables))
        room = tie_width(self.metric, self.limit)
        return value >= self.limit - room if self.at_least else value <= self.limit + room

    def at_base_rate(self, base_rate: float) -> Self:
        """Return the same constraint of a population with another base rate."""
        if self.limits_alarms:
            rule = "counts the alarms among these cases, and the base rate is another"
            remedy = 'limit their share of all cases, "predicted_positive_rate <= 0.1"'
            raise InvalidArgumentError.from_rule("constraint", rule, str(self), remedy)
        stays = not self.metric.depends_on_base_rate  # as recall does, with its own law
        return self if stays else replace(self, metric=self.metric.at_base_rate(base_rate))

    @property
    def limits_alarms(self) -> bool:
        """Whether it bounds how many cases are called positive."""
        return self.metric == predicted_positives

    def __str__(self) -> str:
        if self.limits_alarms:
            return f"at {'least' if self.at_least else 'most'} {self.limit:.15g} alarms"
        name = self.metric.name.partition(".at_base_rate")[0]  # said of a report once
        return f"{name} {'>=' if self.at_least else '<='} {self.limit:.15g}"


def constraints_of(given: Any, base_rate: float | None = None) -> tuple[Constraint, ...]:
    """Accept none, one or several constraints, each restated if a base rate is given."""
    if given is None:
        return ()
    several = isinstance(given, Iterable) and not isinstance(given, str)
    found = map(Constraint.of, each_of("constraint", given, ()) if several else (given,))
    return tuple(one if base_rate is None else one.at_base_rate(base_rate) for one in found)


def all_hold(constraints: tuple[Constraint, ...], tables: ConfusionMatrix) -> Any:
    """Return where all constraints hold."""
    held = np.ones(tables.shape, dtype=bool)
    for constraint in constraints:
        held &= constraint.holds(tables)
    return held


def no_cut(
    metric: Metric, limits: tuple[Constraint, ...], tables: ConfusionMatrix
) -> UnsupportedError:
    """Say why no cut point may win: none meets the limits, or those that do have no value."""
    if not limits:
        return UnsupportedError(f"{metric.name} is undefined at every cut point of these scores.")
    wanted = " and ".join(map(str, limits))
    hint = _top_tie(limits, tables)
    if np.any(all_hold(limits, tables)):
        return UnsupportedError(
            f"{metric.name} is undefined at every cut point with {wanted}: loosen the constraint"
            f"{hint}."
        )
    return UnsupportedError(f"No cut point has {wanted}: loosen the constraint{hint}.")


def _top_tie(limits: tuple[Constraint, ...], tables: ConfusionMatrix) -> str:
    """Return how many cases share the highest score, if that alone exceeds a capacity."""
    alarms = (tables.tp + tables.fp)[1].item()
    if any(c.limits_alarms and not c.at_least and c.limit < alarms for c in limits):
        return f", because the highest score alone is an alarm for {alarms:,.15g}"
    return ""
