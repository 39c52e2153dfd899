"""Whether the population keeps a constraint that a cut meets on the cases that chose it.

The best cut among those that meet ``recall >= 0.9`` mostly lies at the last positive that is needed
for it. What positives of the population score at least as much as the k-th highest of n has the law
Beta(k, n + 1 - k), whatever the law of scores, so that half of such cuts and more find fewer than
nine in ten. The same holds for negatives that lie below a cut.

References
----------
Wilks (1941), Annals of Mathematical Statistics 12:91.
"""

from math import nan
from typing import NamedTuple

import numpy as np

from baserate._large_beta import betainc, betaincc, betaincinv
from baserate.counts import ConfusionMatrix
from baserate.inference import interval
from baserate.inference.metric_limits import flat, limits
from baserate.tuning.drawn_units import Units
from baserate.tuning.targets import Constraint

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
SAMPLES = 2000  # of units: a probability has a standard error of at most 0.011


class KeptConstraint(NamedTuple):
    """What the population has where a constraint was met.

    `route` is "order", by the law of a rate at an order statistic, which knows that the cut was
    chosen, or "posterior", by that of the metric, which does not, or "bootstrap", of whole clusters
    or of cases with weights, which does not either.
    """

    value: float  # of the metric on the cases that chose the cut
    low: float = nan  # the ends of its interval in the population
    high: float = nan
    probability: float = nan  # that the population keeps the constraint
    route: str | None = None
    reason: str | None = None  # why nothing is known


def kept(constraint: Constraint, table: ConfusionMatrix, level: float) -> KeptConstraint:
    """Return how likely the population keeps a constraint at a cut that was chosen by it."""
    value = float(constraint.metric(table))
    if constraint.limits_alarms:
        return KeptConstraint(value, reason=COUNTED)
    if constraint.metric.name in SHARES and not _certain(constraint):
        return _at_the_last_case(constraint, table, level, value)
    return _by_posterior(constraint, table, level, value)


def kept_by_units(constraint: Constraint, units: Units, cut: float, level: float) -> KeptConstraint:
    """Return the same for cases in clusters, or with weights, by samples of them."""
    table, drawn = units.tables_at(cut, SAMPLES)
    value = float(constraint.metric(table))
    if constraint.limits_alarms:
        return KeptConstraint(value, reason=COUNTED)
    values = np.asarray(constraint.metric(drawn), dtype=float)
    values = values[~np.isnan(values)]
    if not values.size:
        return KeptConstraint(value, reason=constraint.metric.undefined_reason(table))
    ends = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    low, high = min(ends[0], value), max(ends[1], value)
    holds = values >= constraint.limit if constraint.at_least else values <= constraint.limit
    return KeptConstraint(value, low, high, float(holds.mean()), "bootstrap")


def _certain(constraint: Constraint) -> bool:
    """Whether no value breaks a constraint, so that it puts the cut nowhere: recall <= 1."""
    least, most = constraint.metric.bounds
    return constraint.limit <= least if constraint.at_least else constraint.limit >= most


def _at_the_last_case(
    constraint: Constraint, table: ConfusionMatrix, level: float, value: float
) -> KeptConstraint:
    """Take the cut for the score of the last case that was needed."""
    counts_right, right, wrong = SHARES[constraint.metric.name]
    a, b = float(getattr(table, right)), float(getattr(table, wrong))
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


def _by_posterior(
    constraint: Constraint, table: ConfusionMatrix, level: float, value: float
) -> KeptConstraint:
    """Find the tail that the limit cuts off the posterior, by intervals that end there."""
    found = interval(constraint.metric, table, confidence_level=level)
    if found.reason is not None:
        return KeptConstraint(value, reason=str(found.reason))
    chance = 1.0
    if not _certain(constraint):
        below = _share_below(constraint, table)
        chance = 1 - below if constraint.at_least else below
    return KeptConstraint(value, float(found.low), float(found.high), chance, "posterior")


def _share_below(constraint: Constraint, table: ConfusionMatrix) -> float:
    """Return the posterior probability that the metric lies below the limit."""
    row, value = flat(table), np.atleast_1d(np.asarray(constraint.metric(table), dtype=float))

    def ends(tail: float) -> tuple[float, float]:
        found = limits(
            constraint.metric, row, None, 1 - 2 * tail, method="bayes", tolerance=1e-8, value=value
        )
        return float(found.low[0]), float(found.high[0])

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
