"""A paired test of any metric: two classifiers are swapped, case by case."""

from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._large_beta import betainc
from baserate._windows import DEEP
from baserate.errors import UnsupportedError
from baserate.inference.survey_design import slopes
from baserate.metrics import Metric, binary_metric
from baserate.models.factors import BinomialCount

Array = NDArray[np.float64]

MOST_SUMMED = 1e10  # some 10 s
SAME = 1e-7  # of a step: sums that are equal but for rounding


def swapped_cases(metric: str | Metric, joint: Any) -> float:
    """Return the two-sided mid-p of equal classifiers on the same cases, as a metric sees them.

    With u and v the derivatives of the metric in true and in false positives at the mean of the two
    tables, S = u (tp_A - tp_B) + v (fp_A - fp_B). Swapping what A and B decided on a case leaves
    the mean as it is and turns the sign of its part of S, so that S is u (2X - p) + v (2Y - n),
    where of p positives and n negatives that one alone gets right X and Y are binomial with 1/2.
    The mid-p is P(``|S|`` above the one found) + P(``|S|`` equal)/2, enumerated. Of accuracy it is
    McNemar's, and so it is of recall, among the positives, and of specificity. nan where the metric
    has no slopes at the mean table. Fagerland, Lydersen and Laake (2013),
    doi:10.1186/1471-2288-13-91, for mid-p; Pesarin and Salmaso (2010), Permutation Tests for
    Complex Data, doi:10.1002/9780470689516, for swaps.
    """
    cells = np.asarray(joint, dtype=float)
    a, b = (cells.sum(axis=other).T.ravel() for other in (1, 0))  # tp, fn, fp, tn
    slope = slopes(binary_metric(metric), (a + b) / 2)
    u, v = float(slope[0] - slope[1]), float(slope[2] - slope[3])
    if isnan(u) or isnan(v):
        return nan
    sides = [(u, cells[0, 1, 0], cells[1, 0, 0]), (v, cells[0, 1, 1], cells[1, 0, 1])]
    (steep, *one), (flat, *other) = sorted(sides, key=lambda side: abs(side[0]), reverse=True)
    if steep == 0:
        return 1.0
    # In steps of the steeper side, which says how far it has to go for every way of the other.
    ratio = next((x for x in (-1.0, 0.0, 1.0) if abs(flat / steep - x) <= SAME), flat / steep)
    found = abs(one[0] - one[1] + ratio * (other[0] - other[1]))
    m, n = sum(one), sum(other) if ratio else 0.0
    if found <= SAME * (1 + n):
        return 1.0
    if n > MOST_SUMMED:
        raise UnsupportedError(
            f"{metric} takes a sum over the negatives that one alone gets right, at most "
            f"{MOST_SUMMED:.0e}, got {n:.3g}: compare the classifiers' intervals."
        )
    start, mass = BinomialCount(int(n), 0.5, 0.5).window(depth=DEEP)
    y = start + np.arange(mass.size, dtype=float)
    at = (m + found - ratio * (2 * y - n)) / 2  # X above this goes further
    even = np.abs(at - np.rint(at)) <= SAME
    last = np.where(even, np.rint(at), np.floor(at))
    above = _below(m - last - 1, m)  # P(X > last), from its small end
    equal = np.where(even, _below(m - last, m) - above, 0.0)
    return min(1.0, float(2 * mass @ (above + equal / 2)))


def _below(k: Array, m: float) -> Array:
    """P(X <= k) for X ~ Binomial(m, 1/2)."""
    within = np.clip(k, 0, max(m - 1, 0))
    inside = betainc(m - within, within + 1, 0.5)
    return np.where(k < 0, 0.0, np.where(k >= m, 1.0, inside))
