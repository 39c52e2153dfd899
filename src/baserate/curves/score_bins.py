"""What scores that were counted in bins leave open, and what holds all the same.

A row says how many cases of a class have scores within a range. The order of rows that overlap is
lost, and which scores are equal; where a bin of overlapping rows ends, the table is exact. Give all
positives the lowest score of their range and all negatives the highest (the worst order), or the
other way round (the best order). At every cut, also at one that calls those at it positive by
chance, the first has no more true positives and no fewer false ones than the scores themselves, the
second no fewer and no more: so the ROC curve lies between those of the two orders, and a measure
that grows where the curve rises between its values for them.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan, nan, nextafter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array, Whole
from baserate.counts import ConfusionMatrix, unchecked
from baserate.curves.cut_points import Sweep, sweep_of_rows
from baserate.curves.estimates import Estimate
from baserate.errors import UnsupportedError

Bounds = tuple[float, float]

UNIT = 2.0**-52  # twice what one rounding errs by, relative to its result
SPARE = 64  # roundings per term, and some
REMEDY = (
    "pass the scores themselves, or a ScoreHistogram that keeps them apart: with more bins, and "
    "without small cells joined"
)
COUNTED = "counted scores leave open which cases are tied, and its law depends on that"


class Orders(NamedTuple):
    """The sweeps of the two orders within bins between which all others lie."""

    worst: Sweep
    best: Sweep


def spread_out(swept: Sweep) -> NDArray[np.bool_]:
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
    return replace(
        widened(*ends),
        value=values[0] / 2 + values[1] / 2,
        bounds=outward(*values, terms=len(both.best.thresholds)),
    )


def widened(found: Estimate, *others: Estimate) -> Estimate:
    """Let an interval hold those of other estimates."""
    every = [one for one in (found, *others) if not isnan(one.low)]
    return replace(
        found,
        low=min((one.low for one in every), default=nan),
        high=max((one.high for one in every), default=nan),
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
