"""How much of a null law lies below, at and above a group's score, and where there is none."""

from math import isnan, nan
from typing import NamedTuple

import numpy as np

from baserate._windows import DEEP
from baserate.counts import ConfusionMatrix
from baserate.groups.null import NO_OTHER, Drawn, Null, count, name_of, sides, whole_of
from baserate.metrics import Metric
from baserate.models import GivenClasses
from baserate.models.model import NEGATIVE, POSITIVE
from baserate.questions import probability_defined, tails

# Without a closed form, P(defined) is summed over so many tables at most: all those of 200 cases.
TABLES = 1_373_701


class Masses(NamedTuple):
    """P(M < v), P(M = v) and P(M > v), given that M is defined, and the route to them.

    Each tail may be short by `error`.
    """

    below: float
    equal: float
    above: float
    route: str
    error: float = 0.0


def no_law(null: Null, metric: Metric, condition: str) -> str | None:
    """Say why the reference gives no law for this group, or return None if it does."""
    if null.model is None:
        return "the reference has no cases"
    held = {"classes": (POSITIVE, NEGATIVE), "none": ()}
    for whole in held[condition] if condition in held else (sides(metric)[1],):
        if count(null.group, whole) and not null.seen(whole):
            return f"the {null.other} has no {name_of(whole)}"
    return None


def masses(null: Null, metric: Metric, condition: str, value: float) -> tuple[Masses, str | None]:
    """Return the masses around a score, or why there are none."""
    reason = metric.undefined_reason(null.group) or no_law(null, metric, condition)
    if reason is None and condition == "classes":
        reason = _only_value(metric, null.group)
    if reason is not None or null.model is None:
        return Masses(nan, nan, nan, ""), reason
    if whole_of(metric, condition) is not None:
        return _one_count(null, null.model, metric), None
    model = null.model
    if condition == "classes":
        model = GivenClasses(model, n_positive=int(null.group.n_positive))
    found = tails(metric, model, value)
    if isnan(found.below):
        return Masses(nan, nan, nan, ""), "under the reference no table has a value"
    return Masses(found.below, found.equal, found.above, found.route, found.error), None


def _only_value(metric: Metric, group: ConfusionMatrix) -> str | None:
    """Say so if a group of one class cannot score anything else, whatever is predicted."""
    p, q = int(group.n_positive), int(group.n_negative)
    if p and q:
        return None
    hits, alarms = np.arange(p + 1.0), np.arange(q + 1.0)
    values = np.asarray(metric.formula(hits, p - hits, alarms, q - alarms), dtype=float)
    values = values[~np.isnan(values)]
    absent = name_of(POSITIVE if q else NEGATIVE)
    return f"without {absent} {NO_OTHER}" if np.ptp(values) == 0 else None


def _one_count(null: Null, model: Drawn, metric: Metric) -> Masses:
    """Sum the law of the successes, given the denominator; ties are decided in integers."""
    successes, whole = sides(metric)
    a, b = null.one_count(successes, whole)
    window = model.split(a, b, count(null.group, whole)).window(depth=DEEP)
    at = count(null.group, successes) - window.start
    pmf = window.pmf
    below, above = pmf[: max(at, 0)], pmf[max(at + 1, 0) :]
    equal = float(pmf[at]) if 0 <= at < len(pmf) else 0.0
    return Masses(float(below.sum()), equal, float(above[::-1].sum()), "closed form")


def how_often_defined(null: Null, metric: Metric) -> float:
    """Return the probability that the metric is defined; nan where its sum is too long."""
    if null.model is None:
        return nan
    if not null.group.n:
        return float(not metric.undefined(null.group))
    if metric.undefined_also is not None and null.model.n_tables > TABLES:
        return nan
    return float(probability_defined(metric, null.model))
