"""What any metric may be at a cut within a bin of scores, whose order is lost.

At such a cut the table lies in a box: at least the cases above the bin are called positive, and at
most those of the bin besides. A metric that never turns back in either of the two counts, the
others given, has its extremes at the corners of the box. Where it is undefined at a corner, they
are at the next tables inside, since what makes a sum of counts zero are edges of all tables. For
any other metric all tables of the box are looked at, up to a budget; beyond, the bounds that the
metric declares are all that is known.
"""

from math import inf

import numpy as np

from baserate._arith import ROUNDING
from baserate._arrays import Array, Index, Whole
from baserate.curves.cut_points import Sweep
from baserate.curves.score_bins import Boxes, boxes_at, boxes_of, orders, spread_out
from baserate.metrics import CATALOGUE, Metric

TABLES = 20_000_000  # looked at for one metric, some seconds
BLOCK = 1_000_000  # at once
FEW = 4  # rows, between whose ends there is little to be gained
PARTNERS = {metric.name: metric for metric in CATALOGUE}


def metric_ranges(metric: Metric, boxes: Boxes) -> tuple[Array, Array]:
    """Return the least and the greatest value that a metric has in each box, as far as is proved.

    They hold every value that is defined; both are nan where none is.
    """
    shape = np.shape(boxes.tp)
    tp, fp, positive, negative = (np.ravel(part) for part in boxes[:4])
    flat = Boxes(tp, fp, positive, negative, boxes.totals)
    low = np.asarray(metric(flat.tables(flat.tp, flat.fp)), dtype=float)
    high = low.copy()
    open_ = np.flatnonzero((flat.positive > 0) | (flat.negative > 0))
    if len(open_):
        least, most = _extremes(metric, flat.these(open_))
        slack = ROUNDING * np.maximum(1, np.maximum(_finite(least), _finite(most)))
        low[open_] = np.maximum(least - slack, metric.bounds[0])
        high[open_] = np.minimum(most + slack, metric.bounds[1])
    return low.reshape(shape), high.reshape(shape)


def _extremes(metric: Metric, boxes: Boxes) -> tuple[Array, Array]:
    along_tp, along_fp = turns_back(metric)
    candidates = [_candidates(boxes.positive, along_tp), _candidates(boxes.negative, along_fp)]
    size = candidates[0].astype(np.float64) * candidates[1].astype(np.float64)
    order = np.argsort(size, kind="stable")
    kept = order[np.cumsum(size[order]) <= TABLES]
    low, high = (np.full(len(size), float(end)) for end in metric.bounds)
    for part in _blocks(kept, size):
        found = _looked_at(metric, boxes.these(part), [side[part] for side in candidates])
        low[part], high[part] = found
    return low, high


def turns_back(metric: Metric) -> tuple[bool, bool]:
    """Return whether a metric may rise and fall along true, and along false positives.

    With the class totals and the other count held fixed. An undefined set of its own may lie
    anywhere, so that nothing is known of a metric that has one.
    """
    if metric.undefined_also is not None:
        return True, True
    if metric.linear_in_rates or metric.increases_with_rates:
        return False, False
    partner = PARTNERS.get(metric.class_swap or "")
    swapped = "unknown" if partner is None or partner.undefined_also else partner.trend_in_fp
    return (
        not (_moves(metric, "tp", "fn") or swapped != "unknown"),
        not (_moves(metric, "fp", "tn") or metric.trend_in_fp != "unknown"),
    )


def _moves(metric: Metric, one: str, other: str) -> bool:
    """Whether the metric's lumps say what a case does that moves between these two cells."""
    first, second = metric.lumps or ((), ())
    return {one, other} <= {*first, *second}


def _candidates(more: Whole, turns: bool) -> Whole:  # noqa: FBT001
    """Return how many counts are looked at: all, or both ends and their neighbours."""
    return more + 1 if turns else np.minimum(more + 1, 4)


def _blocks(kept: Index, size: Array) -> list[Index]:
    """Split boxes, the smallest first, into parts of about as many tables."""
    block = (np.cumsum(size[kept]) // BLOCK).astype(np.int64)
    return [part for part in np.split(kept, np.flatnonzero(np.diff(block)) + 1) if len(part)]


def _looked_at(metric: Metric, boxes: Boxes, counts: list[Whole]) -> tuple[Array, Array]:
    """Return the extremes over all candidates of every box."""
    sizes = counts[0] * counts[1]
    starts = np.cumsum(sizes) - sizes
    box = np.repeat(np.arange(len(sizes)), sizes)
    at = np.arange(len(box)) - starts[box]
    moved = (at // counts[1][box], at % counts[1][box])
    more = []
    for step, number, most in zip(moved, counts, (boxes.positive, boxes.negative), strict=True):
        # The last two of four candidates are the last two counts.
        from_end = (number[box] <= most[box]) & (step >= 2)
        more.append(np.where(from_end, most[box] - 3 + step, step))
    tables = boxes.tables(boxes.tp[box] + more[0], boxes.fp[box] + more[1])
    values = np.asarray(metric(tables), dtype=float)
    return np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)


def _finite(ends: Array) -> Array:
    return np.where(np.isfinite(ends), np.abs(ends), 0.0)


def best_within(metric: Metric, swept: Sweep) -> Array:
    """Return the best value that a cut within each step may have; the worst of all where none.

    Turned so that more is better, for a metric where less is. Where all is known it is minus
    infinity: the tables at the ends of a step are cuts of their own.
    """
    found = np.full(len(swept.thresholds) - 1, -inf)
    inside = np.flatnonzero(spread_out(swept))
    if len(inside):
        low, high = metric_ranges(metric, boxes_of(swept).these(inside))
        found[inside] = _upward(metric, low, high)
        _bound_by_cuts(found, metric, swept)
    return found


def _upward(metric: Metric, low: Array, high: Array) -> Array:
    best = high if metric.direction == "higher" else -low
    return np.where(np.isnan(best), -inf, best)


def _bound_by_cuts(found: Array, metric: Metric, swept: Sweep) -> None:
    """Lower what cuts within steps of many rows may reach: narrow rows tell most of the order.

    Between neighbouring ends of rows the table of a cut may be the same as at the upper one.
    """
    rows, both = swept.rows, orders(swept)
    if rows is None or both is None:
        return
    of_row = np.asarray(swept.rules_at(rows.lowest)) - np.isin(rows.lowest, swept.thresholds[1:])
    many = np.bincount(of_row, minlength=len(found)) > FEW
    ends = np.union1d(both.worst.thresholds[1:], both.best.thresholds[1:])
    ends = ends[~np.isin(ends, swept.thresholds[1:])]  # where the table is exact
    step = np.asarray(swept.rules_at(ends))
    ends, step = ends[many[step]], step[many[step]]
    reached = np.full(len(found), -inf)
    if len(ends):
        np.maximum.at(reached, step, _upward(metric, *metric_ranges(metric, boxes_at(swept, ends))))
    found[many] = np.minimum(found[many], reached[many])
