"""Is a group's score of several classes luck? Cases are dealt out anew between it and the others.

Where class totals are held, cases change sides within their true class only: the hypothesis is that
each class is called what it is called as often in the group as elsewhere, whatever the mix of the
classes. Every deal is as likely under it, so that the test keeps its level whatever the metric.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._windows import DEEP, Window, hypergeometric
from baserate.errors import shown
from baserate.groups.class_deals import DealSides
from baserate.groups.class_match import masses_of_sum
from baserate.groups.null import p_value
from baserate.inference.class_draws import Margins
from baserate.inference.several_classes import of_hit_share
from baserate.metrics import ClassMetric

SEED = 20_250_101  # the same cases always have the same p-value
FEWEST_DEALS, MOST_DEALS = 999, 99_999
ENOUGH = 100  # deals as extreme, after which a p-value is known to a tenth of it
BUDGET = 100_000_000  # cells of deals, for one group
CONVOLVED = 400_000_000  # products of the exact law
TIED = 1e-12  # what rounding leaves of a difference


class ClassTest(NamedTuple):
    """How unusual a group's score is among all deals."""

    # the group's score, and what the others would have with as many cases of each class
    value: float
    expected: float
    # P(T <= t), P(T >= t), and twice the smaller, at most 1; t is the difference of the two
    lower: float = nan
    upper: float = nan
    p_value: float = nan
    route: str = ""  # exact, or of random deals; "" without a test
    error: float = 0.0  # standard error of `p_value`, for random deals
    n_deals: int = 0
    reason: str | None = None  # why there is no p-value


def _value(metric: ClassMetric, margins: Margins) -> Array:
    if metric.of_margins is not None:
        return np.atleast_1d(np.asarray(metric.at_margins(*margins[:3]), dtype=float))
    assert metric.of_cells is not None
    return np.atleast_1d(np.asarray(metric.of_cells(margins.cells()), dtype=float))


def _gaps(metrics: Sequence[ClassMetric], sides: DealSides, mine: Array) -> Array:
    """Return what the group of each deal scores above the others, of shape (metrics, deals)."""
    margins, size = sides.margins(mine), mine.shape[1]
    found = np.array([_value(metric, margins) for metric in metrics])
    return found[:, :size] - found[:, size:]


def _scores(metrics: Sequence[ClassMetric], sides: DealSides) -> list[tuple[float, float]]:
    """Return what the group scores by each metric, and what it is judged by."""
    both = sides.margins(sides.dealt)
    return [(float(own), float(other)) for own, other in (_value(m, both) for m in metrics)]


def permutation_tests(
    metrics: Sequence[ClassMetric], sides: DealSides, n_deals: int = 9_999
) -> list[ClassTest]:
    """Test whether a group's scores could be luck, all metrics by the same deals.

    Shares of cases that are right have their exact law, the convolution of one hypergeometric law
    per class. Else there are at most `n_deals` random deals; fewer where tables are large, or where
    100 are as extreme on either side: the share of deals up to the hundredth (Besag and Clifford
    1991, doi:10.1093/biomet/78.2.301), or (1 + deals as extreme)/(1 + deals) (Phipson and Smyth
    2010, doi:10.2202/1544-6115.1585), keeps its level however few they are.
    """
    missing = _missing(sides)
    seen = [(nan, nan)] * len(metrics) if missing else _scores(metrics, sides)
    found = [
        _known(metric, sides, missing, pair[1]) for metric, pair in zip(metrics, seen, strict=True)
    ]
    waiting = [i for i, test in enumerate(found) if not test.route and test.reason is None]
    if not waiting:
        return found
    size = min(n_deals, MOST_DEALS, BUDGET // max(1, sides.pooled.n.size))
    unable = "too many cells to deal out" if size < FEWEST_DEALS else None
    unable = "too many cases to deal out" if sides.is_too_large else unable
    if unable:
        return [t._replace(reason=unable) if i in waiting else t for i, t in enumerate(found)]
    gaps = [seen[i][0] - seen[i][1] for i in waiting]
    tails = _counted([metrics[i] for i in waiting], gaps, sides, size)
    for i, test in zip(waiting, tails, strict=True):
        found[i] = found[i]._replace(**test)
    return found


def _missing(sides: DealSides) -> str | None:
    """Name a class that the group has and the others lack, so that there is nothing to expect."""
    if not sides.held:
        return None
    here, there = sides.group.class_counts, sides.reference.class_counts
    lacking = np.flatnonzero((here > 0) & (there == 0))
    if not lacking.size:
        return None
    return f"the reference has no cases of {shown(sides.group.labels[int(lacking[0])])}"


def _known(
    metric: ClassMetric, sides: DealSides, missing: str | None, expected: float
) -> ClassTest:
    """Return what needs no deals: the scores, why there is no test, or the exact law."""
    value = float(metric(sides.group))
    reason = metric.undefined_reason(sides.group) if isnan(value) else None
    if reason is None and missing is None and isnan(expected):
        reason = "the reference has no value with the group's class totals"
    reason = reason or missing or (None if sides.others.n else "no cases to compare with")
    test = ClassTest(value, expected, reason=reason)
    if reason is not None or metric.weights is None:
        return test
    if not of_hit_share(metric, sides.group.n_classes):
        return test
    tails = tails_of_hits(sides)
    if tails is None:
        return test
    on, off = metric.weights(sides.group.n_classes)[0, :2].tolist()
    lower, upper = tails if on >= off else tails[::-1]
    p = p_value(lower, upper, "two-sided")
    return test._replace(lower=lower, upper=upper, p_value=p, route="convolution")


def tails_of_hits(sides: DealSides) -> tuple[float, float] | None:
    """Return P(S <= s) and P(S >= s) of the number of right cases; None if that is too long.

    Right cases of each class are hypergeometric, given all right cases of that class.
    """
    hits = sides.group.hits + sides.others.hits
    totals, mine = (t.class_counts for t in (sides.group + sides.others, sides.group))
    if not sides.held:
        hits, totals, mine = (np.array([x.sum()]) for x in (hits, totals, mine))
    parts, length = list[Window](), 1
    for right, n, size in zip(hits.tolist(), totals.tolist(), mine.tolist(), strict=True):
        if length * (min(right, size) + 1) > CONVOLVED:
            return None
        parts.append(hypergeometric(int(right), int(n - right), int(size), depth=DEEP))
        length += len(parts[-1].pmf) - 1
    found = masses_of_sum(int(sides.group.hits.sum()), parts)
    return min(1.0, found.below + found.equal), min(1.0, found.above + found.equal)


@dataclass
class _Tail:
    """How many deals are as extreme on one side, until they are enough to tell how many are."""

    sign: float
    count: int = 0
    n: int = 0
    p: float = nan

    def add(self, gaps: Array, seen: float) -> None:
        """Count more deals, unless enough were counted."""
        if not isnan(self.p):
            return
        running = self.count + np.cumsum(self.sign * (gaps - seen) >= -TIED)
        if running.size and running[-1] >= ENOUGH:
            self.n += int(np.argmax(running >= ENOUGH)) + 1
            self.count, self.p = ENOUGH, ENOUGH / self.n
            return
        self.count = int(running[-1]) if running.size else self.count
        self.n += gaps.size

    @property
    def found(self) -> float:
        """The share of deals, the cases as they were included."""
        return (1 + self.count) / (1 + self.n) if isnan(self.p) else self.p


def _counted(
    metrics: Sequence[ClassMetric], seen: Sequence[float], sides: DealSides, size: int
) -> Iterator[dict[str, Any]]:
    """Yield the tails of every metric among random deals, those without a value left out."""
    tails = [(_Tail(-1.0), _Tail(1.0)) for _ in metrics]
    blocks = sides.deals(size, np.random.default_rng(SEED))
    while open_ := [i for i, pair in enumerate(tails) if any(isnan(tail.p) for tail in pair)]:
        if (block := next(blocks, None)) is None:
            break
        gaps = _gaps([metrics[i] for i in open_], sides, block)
        for i, row in zip(open_, gaps, strict=True):
            for tail in tails[i]:
                tail.add(row[~np.isnan(row)], seen[i])
    for lower, upper in tails:
        least = min(lower, upper, key=lambda tail: tail.found)
        share, counted = least.found, max(1, least.count)
        error = share * sqrt(max(0.0, 1 - share) / counted)
        yield {
            "lower": lower.found,
            "upper": upper.found,
            "p_value": p_value(lower.found, upper.found, "two-sided"),
            "route": "permutation",
            "error": 2 * error,
            "n_deals": least.n,
        }
