"""What scores that were counted in bins leave open, and what holds all the same.

A row says how many cases of a class have scores within a range. The order of rows that overlap is
lost, and which scores are equal; where a bin of overlapping rows ends, the table is exact. Give all
positives the lowest score of their range and all negatives the highest (the worst order), or the
other way round (the best order). At every cut, also at one that calls those at it positive by
chance, the first has no more true positives and no fewer false ones than the scores themselves, the
second no fewer and no more: so the ROC curve lies between those of the two orders, and a measure
that grows where the curve rises between its values for them.

At a cut within a bin the table lies in a box: at least the cases above the bin are called positive,
and at most those of the bin besides. A metric that never turns back in either of the two counts,
the others given, has its extremes at the corners of the box. Where it is undefined at a corner,
they are at the next tables inside, since what makes a sum of counts zero are edges of all tables.
For any other metric all tables of the box are looked at, up to a budget; beyond, the bounds that
the metric declares are all that is known.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan, nan, nextafter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ROUNDING
from baserate._arrays import Array, Index, Mask, Whole
from baserate.counts import ConfusionMatrix, unchecked
from baserate.curves.cut_points import Sweep, sweep_of_rows
from baserate.curves.estimates import Estimate
from baserate.errors import UnsupportedError
from baserate.metrics import CATALOGUE, Metric

Bounds = tuple[float, float]

UNIT = 2.0**-52  # twice what one rounding errs by, relative to its result
SPARE = 64  # roundings per term, and some
REMEDY = (
    "pass the scores themselves, or a ScoreHistogram that keeps them apart: with more bins, and "
    "without small cells joined"
)
TABLES = 20_000_000  # looked at for one metric, some seconds
BLOCK = 1_000_000  # at once
FEW = 4  # rows, between whose ends there is little to be gained
PARTNERS = {metric.name: metric for metric in CATALOGUE}
COUNTED = "counted scores leave open which cases are tied, and its law depends on that"


class Orders(NamedTuple):
    """The sweeps of the two orders within bins between which all others lie."""

    worst: Sweep
    best: Sweep


def spread_out(swept: Sweep) -> Mask:
    """Return which steps of a sweep hold more than one score, the highest first."""
    if swept.highest is None:
        return np.zeros(len(swept.thresholds) - 1, dtype=bool)
    return np.asarray(swept.highest[1:] > swept.thresholds[1:])


def score_ends(swept: Sweep) -> tuple[Array, Array]:
    """Return the lowest and the highest score of each step; the same where nothing is lost."""
    lowest = swept.thresholds[1:]
    return lowest, lowest if swept.highest is None else swept.highest[1:]


def orders(swept: Sweep) -> Orders | None:
    """Return the worst and the best order; None where no step has scores to be ordered.

    In the worst, all positives have the lowest score of the range that was counted together and all
    negatives the highest. Whatever the scores are, at any cut it has no more true positives and no
    fewer false ones.
    """
    rows = swept.rows
    if rows is None:
        return None
    ends = (rows.lowest, rows.highest), (rows.highest, rows.lowest)
    return Orders(
        *(sweep_of_rows(rows, np.where(rows.positive, *end), swept.positive) for end in ends)
    )


def middle(swept: Sweep) -> Sweep:
    """Return the sweep with the middle of its range for each score; itself where none is lost."""
    rows = swept.rows
    if rows is None:
        return swept
    low, high = rows.lowest, rows.highest
    with np.errstate(invalid="ignore"):  # of all numbers, 0 is the middle
        halfway = np.nan_to_num(low / 2 + high / 2, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return sweep_of_rows(rows, np.where(low == high, low, halfway), swept.positive)


def known_ranges(swept: Sweep) -> tuple[Array, Array, NDArray[Any]]:
    """Return lowest and highest scores, and how many cases of either class lie between."""
    rows = swept.rows
    if rows is None:
        lowest = swept.thresholds[1:]
        return lowest, lowest, np.add(*swept.by_score)
    return rows.lowest, rows.highest, rows.cases


def held(of: Callable[[Sweep], Estimate], swept: Sweep) -> Estimate:
    """Return a measure that grows where the curve rises, with what holds it.

    It is the middle of its values in the worst order and in the best, and its interval reaches from
    the lowest to the highest of theirs.
    """
    both = orders(swept)
    if both is None:
        return of(swept)
    ends = [of(each) for each in both]
    values = ends[0].value, ends[1].value
    known = [one for one in ends if not isnan(one.low)]
    return replace(
        ends[0],
        value=values[0] / 2 + values[1] / 2,
        low=min((one.low for one in known), default=nan),
        high=max((one.high for one in known), default=nan),
        bounds=outward(*values, terms=len(both.best.thresholds)),
    )


def outward(low: float, high: float, terms: int = 0) -> Bounds:
    """Return bounds that hold whatever so many roundings may have done to them.

    A sum of n terms of one sign, each rounded a few times, errs by less than n units of 2^-52 of
    its size, in whatever order it is summed (Higham 2002, Accuracy and stability of numerical
    algorithms, section 4.2); so does one of terms of both signs, relative to the sum of their
    sizes, which must be at most 1 or the larger of the two bounds.
    """
    if isnan(low) or isnan(high):
        return nan, nan
    sizes = [abs(end) for end in (low, high) if abs(end) < inf]
    slack = (terms + SPARE) * UNIT * max([1.0, *sizes])
    return low - slack, high + slack


def rounded_outward(low: Fraction, high: Fraction) -> Bounds:
    """Return floats around two fractions, as near as floats go.

    The float nearest to anything between the fractions lies between them, too.
    """
    below, above = float(low), float(high)
    if Fraction(below) > low:
        below = nextafter(below, -inf)
    if Fraction(above) < high:
        above = nextafter(above, inf)
    return below, above


def need_scores(name: str, swept: Sweep) -> None:
    """Refuse counted scores where nothing would hold the exact answer."""
    if swept.highest is not None:
        raise UnsupportedError(
            f"{name} is not known of counted scores, whose order within a bin is lost: {REMEDY}."
        )


class Boxes(NamedTuple):
    """Tables that cuts may have; arrays of one shape."""

    tp: Whole  # positives above, who are called positive in any case
    fp: Whole
    positive: Whole  # positives of the bin, some of whom may be
    negative: Whole
    totals: tuple[int, int]  # positives and negatives

    def tables(self, tp: Any, fp: Any) -> ConfusionMatrix:
        """Return tables with so many true and false positives."""
        return unchecked(tp=tp, fn=self.totals[0] - tp, fp=fp, tn=self.totals[1] - fp)

    def these(self, which: Any) -> "Boxes":
        """Return some of the boxes."""
        tp, fp, positive, negative = (part[which] for part in self[:4])
        return Boxes(tp, fp, positive, negative, self.totals)


def boxes_of(swept: Sweep) -> Boxes:
    """Return the tables of all cuts within each step, those at its two ends included."""
    positive, negative = swept.by_score
    tp, fp = swept.true_positives[:-1], swept.false_positives[:-1]
    return Boxes(tp, fp, positive, negative, (int(swept.n_positive), int(swept.n_negative)))


def boxes_at(swept: Sweep, thresholds: Any) -> Boxes:
    """Return the tables that cuts at these thresholds may have; single tables where it is known.

    A row may be parted by a threshold above its lowest score, and not above its highest.
    """
    totals = int(swept.n_positive), int(swept.n_negative)
    both = orders(swept) or (swept, swept)
    at = [np.asarray(one.rules_at(thresholds)) for one in both]
    fewest, most = (one.true_positives[rule] for one, rule in zip(both, at, strict=True))
    more, fewer = (one.false_positives[rule] for one, rule in zip(both, at, strict=True))
    return Boxes(fewest, fewer, most - fewest, more - fewer, totals)


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
