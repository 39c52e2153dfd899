"""Whether the population keeps a constraint that a cut meets on the cases that chose it.

The best cut among those that meet ``recall >= 0.9`` mostly lies at the last positive that is needed
for it. What positives of the population score at least as much as the k-th highest of n has the law
Beta(k, n + 1 - k), whatever the law of scores, so that half of such cuts and more find fewer than
nine in ten. The same holds for negatives that lie below a cut.

References
----------
Wilks (1941), Annals of Mathematical Statistics 12:91.
"""

from collections.abc import Callable
from math import nan
from typing import NamedTuple

from baserate._beta import betainc, betaincc, betaincinv
from baserate.cases.counted import Counted
from baserate.counts import ConfusionMatrix
from baserate.inference import interval
from baserate.inference.metric_limits import flat, limits
from baserate.metrics import Metric
from baserate.tuning.targets import Constraint

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
        below = _share_below(constraint, _ends_of(constraint, cases))
        chance = 1 - below if constraint.at_least else below
    route = "posterior" if isinstance(cases, ConfusionMatrix) else "design"
    return KeptConstraint(value, float(found.low), float(found.high), chance, route)


def _ends_of(constraint: Constraint, cases: ConfusionMatrix | Counted) -> Ends:
    """Return what has the ends of the interval that leaves a share in either tail."""
    if not isinstance(cases, ConfusionMatrix):

        def at(tail: float) -> tuple[float, float]:
            found = interval(constraint.metric, cases, confidence_level=1 - 2 * tail)
            return float(found.low), float(found.high)

        return at
    row = flat(cases)

    def ends(tail: float) -> tuple[float, float]:
        found = limits(constraint.metric, row, None, 1 - 2 * tail, tolerance=1e-8)
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
