"""What scores that were counted in bins leave open, and what holds all the same.

A bin says which scores it lies between, how many positives and negatives have one of them, and how
many lie above: the tables at its two ends are exact. The order within is lost, and which scores are
equal. So a curve through the tables may take any way from one end of the bin to the other that
never turns back, and it stays within the box between the two: above the way that meets all the
negatives first (the worst order), below that which meets all the positives first (the best order).
A measure that grows where the curve rises lies between its values for these two.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan, nan, nextafter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.curves.cut_points import Sweep
from baserate.curves.estimates import Estimate
from baserate.errors import UnsupportedError

Array = NDArray[np.float64]
Bounds = tuple[float, float]

UNIT = 2.0**-52  # twice what one rounding errs by, relative to its result
SPARE = 64  # roundings per term, and some
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
    """Return the worst and the best order; None where no step has scores to be ordered."""
    if swept.highest is None:
        return None
    positive, negative = swept.by_score
    mixed = spread_out(swept) & (positive > 0) & (negative > 0)
    step = np.repeat(np.arange(len(mixed)), 1 + mixed)
    first = np.append(step[1:] == step[:-1], False)  # of the two that a mixed bin becomes
    lowest, highest = score_ends(swept)
    scores = np.where(first, highest[step], lowest[step])

    def above(cases: NDArray[Any], *, wait: bool) -> NDArray[Any]:
        return np.append(0, np.where(first & wait, cases[:-1][step], cases[1:][step]))

    def order(*, best: bool) -> Sweep:
        return replace(
            swept,
            thresholds=np.append(swept.thresholds[:1], scores),
            true_positives=above(swept.true_positives, wait=not best),
            false_positives=above(swept.false_positives, wait=best),
            highest=None,
        )

    return Orders(order(best=False), order(best=True))


def held(of: Callable[[Sweep], Estimate], swept: Sweep) -> Estimate:
    """Return a measure that grows where the curve rises, with what holds it.

    Its interval reaches from the lowest to the highest of the intervals for the scores of a bin
    taken as equal, in the worst order, and in the best.
    """
    found, both = of(swept), orders(swept)
    if both is None:
        return found
    ends = [of(each) for each in both]
    return replace(
        widened(found, *ends),
        bounds=outward(ends[0].value, ends[1].value, terms=len(both.best.thresholds)),
    )


def widened(found: Estimate, *others: Estimate) -> Estimate:
    """Let an interval hold those of other estimates; a p-value is left open."""
    every = [one for one in (found, *others) if not isnan(one.low)]
    known = not isnan(found.p_value)
    return replace(
        found,
        low=min((one.low for one in every), default=nan),
        high=max((one.high for one in every), default=nan),
        p_value=nan,
        p_value_route=None,
        p_value_reason=COUNTED if known else found.p_value_reason,
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

    Examples
    --------
    >>> low, high = rounded_outward(Fraction(1, 3), Fraction(1, 3))
    >>> Fraction(low) < Fraction(1, 3) < Fraction(high), rounded_outward(Fraction(1), Fraction(2))
    (True, (1.0, 2.0))
    """
    below, above = float(low), float(high)
    if Fraction(below) > low:
        below = nextafter(below, -inf)
    if Fraction(above) < high:
        above = nextafter(above, inf)
    return below, above


def need_scores(name: str, swept: Sweep) -> None:
    """Refuse counted scores where nothing would hold the exact answer.

    Raises
    ------
    UnsupportedError
        Some scores were counted together.
    """
    if swept.highest is not None:
        raise UnsupportedError(
            f"{name} is not known of counted scores, whose order within a bin is lost: pass the "
            "scores themselves, or a ScoreHistogram with more bins, which keeps them apart."
        )
