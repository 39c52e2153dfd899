"""What is maximised over cut points: metrics, constraints, and whether these hold elsewhere.

The best cut among those that meet ``recall >= 0.9`` mostly lies at the last positive that is needed
for it. What positives of the population score at least as much as the k-th highest of n has the law
Beta(k, n + 1 - k), whatever the law of scores, so that half of such cuts and more find fewer than
nine in ten. The same holds for negatives that lie below a cut.

References
----------
Wilks (1941), Annals of Mathematical Statistics 12:91.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arith import slack
from baserate._beta import betainc, betaincc, betaincinv
from baserate._checks import each_of
from baserate.cases.counted import Counted
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.inference import interval
from baserate.inference.metric_limits import flat, limits
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


Ends = Callable[[float], tuple[float, float]]
# Metrics that are a share of one class: whether they count what is right there, and in which cells.
SHARES = {
    "recall": (True, "tp", "fn"),
    "false_negative_rate": (False, "tp", "fn"),
    "specificity": (True, "tn", "fp"),
    "false_positive_rate": (False, "tn", "fp"),
}
COUNTED = "a number of cases is met or not, and says nothing of the population"
FARTHEST = 1e-6  # probabilities beyond are not told from 0 and 1
TURNS = 40


class KeptConstraint(NamedTuple):
    """What the population has where a constraint was met.

    `route` is "order", by the law of a rate at an order statistic, which knows that the cut was
    chosen (of as many cases as weights and clusters are worth); or "posterior", by that of the
    metric, or "design", by the interval that clusters or weights give it: neither knows that.
    """

    value: float  # of the metric on the cases that chose the cut
    low: float = nan  # the ends of its interval in the population
    high: float = nan
    probability: float = nan  # that the population keeps the constraint
    route: str | None = None
    reason: str | None = None  # why nothing is known


def kept(constraint: Constraint, cases: ConfusionMatrix | Counted, level: float) -> KeptConstraint:
    """Return how likely the population keeps a constraint at a cut that was chosen by it.

    Of counted cases with their weights and clusters along, or of a table of independent ones.
    """
    table = cases if isinstance(cases, ConfusionMatrix) else cases.table
    value = float(constraint.metric(table))
    if constraint.limits_alarms:
        return KeptConstraint(value, reason=COUNTED)
    if constraint.metric.name in SHARES and not _certain(constraint):
        worth = _worth(constraint.metric, cases)
        if worth > 0:
            return _at_the_last_case(constraint, table, level, value, worth)
    return _by_interval(constraint, cases, level, value)


def _worth(metric: Metric, cases: ConfusionMatrix | Counted) -> float:
    """Return how many independent cases a case of the class, or its weight, says as much as."""
    if isinstance(cases, ConfusionMatrix):
        return 1.0
    _, *cells = SHARES[metric.name]
    weight = sum(float(getattr(cases.table, cell)) for cell in cells)
    if cases.design is not None:
        found = interval(metric, cases)
        known = nan if found.effective_n is None else float(found.effective_n)
        return nan if found.reason is not None or not weight else known / weight
    squared = cases.table if cases.squared is None else cases.squared
    square = sum(float(getattr(squared, cell)) for cell in cells)
    return weight / square if square else nan


def _certain(constraint: Constraint) -> bool:
    """Whether no value breaks a constraint, so that it puts the cut nowhere: recall <= 1."""
    least, most = constraint.metric.bounds
    return constraint.limit <= least if constraint.at_least else constraint.limit >= most


def _at_the_last_case(
    constraint: Constraint, table: ConfusionMatrix, level: float, value: float, worth: float
) -> KeptConstraint:
    """Take the cut for the score of the last case that was needed.

    Each case counts as `worth` independent ones, of which there need be no whole number.
    """
    counts_right, right, wrong = SHARES[constraint.metric.name]
    a, b = (worth * float(getattr(table, cell)) for cell in (right, wrong))
    from_below = constraint.at_least == counts_right  # the share of right ones is to be large
    law = (a, b + 1) if from_below else (a + 1, b)
    limit = constraint.limit if counts_right else 1 - constraint.limit
    tails = (1 - level) / 2, (1 + level) / 2
    if min(law) <= 0:  # no case of the class is right, or none wrong: the rate is 0, or 1
        ends, above = (float(law[1] <= 0),) * 2, float(law[1] <= 0 or limit <= 0)
    else:
        ends = tuple(float(betaincinv(*law, q)) for q in tails)
        above = float(betaincc(*law, min(1.0, max(0.0, limit))))
    below = 1 - above if min(law) <= 0 else float(betainc(*law, min(1.0, max(0.0, limit))))
    low, high = ends if counts_right else (1 - ends[1], 1 - ends[0])
    chance = above if from_below else below
    return KeptConstraint(value, min(low, value), max(high, value), chance, "order")


def _by_interval(
    constraint: Constraint, cases: ConfusionMatrix | Counted, level: float, value: float
) -> KeptConstraint:
    """Find the tail that the limit cuts off the law of the metric, by intervals that end there."""
    found = interval(constraint.metric, cases, confidence_level=level)
    if found.reason is not None:
        return KeptConstraint(value, reason=str(found.reason))
    chance = 1.0
    if not _certain(constraint):
        below = _share_below(constraint, _ends_of(constraint, cases, value))
        chance = 1 - below if constraint.at_least else below
    route = "posterior" if isinstance(cases, ConfusionMatrix) else "design"
    return KeptConstraint(value, float(found.low), float(found.high), chance, route)


def _ends_of(constraint: Constraint, cases: ConfusionMatrix | Counted, value: float) -> Ends:
    """Return what has the ends of the interval that leaves a share in either tail."""
    if not isinstance(cases, ConfusionMatrix):

        def at(tail: float) -> tuple[float, float]:
            found = interval(constraint.metric, cases, confidence_level=1 - 2 * tail)
            return float(found.low), float(found.high)

        return at
    row, values = flat(cases), np.atleast_1d(value)

    def ends(tail: float) -> tuple[float, float]:
        found = limits(
            constraint.metric, row, None, 1 - 2 * tail, method="bayes", tolerance=1e-8, value=values
        )
        return float(found.low[0]), float(found.high[0])

    return ends


def _share_below(constraint: Constraint, ends: Ends) -> float:
    """Return the probability that the metric lies below the limit."""
    limit = constraint.limit
    upper = ends(0.499)[0] < limit  # the limit is nearer to the upper end
    least, most = FARTHEST, 0.499
    for _ in range(TURNS):  # on the scale of odds, halving
        middle = (least * most) ** 0.5
        low, high = ends(middle)
        inside = limit < high if upper else limit > low
        least, most = (least, middle) if not inside else (middle, most)
        if most / least < 1 + 1e-4:
            break
    tail = (least * most) ** 0.5
    tail = 0.0 if tail < 2 * FARTHEST else tail
    return 1 - tail if upper else tail
