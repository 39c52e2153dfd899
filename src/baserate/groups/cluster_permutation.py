"""Is a group's score luck, where cases come in clusters? Whole clusters are dealt out anew.

The law of the sum of so many numbers, dealt out at random from all, is counted exactly. With any
fixed scores of the clusters the test is exact: of proportions these are whole numbers; others, and
those that are too many to count, are taken in steps of the largest.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from baserate._arrays import Array, Whole
from baserate.groups.match import MatchTest
from baserate.groups.null import Masses, sides
from baserate.groups.samples import blocks_of, places
from baserate.inference.survey_design import slopes
from baserate.metrics import Metric
from baserate.models.model import summed

LAW = "cluster-permutation"
QUICK = 30_000_000  # additions for one of many tests, some 30 ms
ROOM = 20_000_000  # sums that are kept at a time
TINY = 1e-12  # of the largest score: what rounding leaves
FINE = 10_000  # steps of the largest number, where numbers are not whole
COARSE = 100  # and at least, where the sums of finer ones are too many
FEW = 26  # numbers that are enumerated, in two halves
EXACT = 1 << 53  # whole numbers that floats hold


def dealt(tests: Sequence[MatchTest], group: Array, other: Array) -> tuple[MatchTest, ...] | None:
    """Return the tests of one group with whole clusters dealt out; None if that takes too long.

    What a test holds fixed is taken out of its score: each cluster counts by how far its cells lie
    from what its own totals would have at the shares of all clusters, so that a group of another
    base rate does not differ by recall, or by F1 given the class totals. Under the hypothesis that
    clusters of both sides are alike, the law is exact (Fisher 1935, The Design of Experiments,
    section 21; of whole groups Gail, Mark, Carroll, Green and Pee 1996,
    doi:10.1002/(SICI)1097-0258(19960615)15:11<1069::AID-SIM220>3.0.CO;2-Q). Single cases dealt out
    would reject far too often: at a level of 5% in 31% of samples, for accuracy, with 20 clusters
    of unequal size and intraclass correlation .3.

    `group` and `other` are the cells of each cluster on either side, of shape (k, 4).
    """
    both, found = np.concatenate((group, other)), list[MatchTest]()
    for test in tests:
        if test.reason is not None:
            found.append(replace(test, law=LAW))
            continue
        scores = _residuals(test.measured, both, blocks_of(test.measured, test.condition))
        if (masses := tails_of_deals(scores, len(group))) is None:
            return None
        null = "whole clusters of the group are like those of the reference"
        found.append(replace(test, null=null, law=LAW, **masses.tails(test.alternative)))
    return tuple(found)


def _residuals(metric: Metric, tables: Array, blocks: Any) -> Array:
    """Return how far the cells of each cluster move the metric, its own totals taken for granted.

    Of a proportion in whole numbers where its cases are.
    """
    if metric.proportion is not None and len(blocks) == 1 and (tables == np.rint(tables)).all():
        successes, whole = sides(metric)
        if places(whole).tolist() == places(blocks[0]).tolist():
            won, lost = (summed(cells, tables.T) for cells in (successes, whole - successes))
            return won * float(lost.sum()) - lost * float(won.sum())
    total = tables.sum(axis=0)
    slope, scores = slopes(metric, total), np.zeros(len(tables))
    for at in map(places, blocks):
        share = total[at] / total[at].sum() if total[at].any() else total[at]
        scores += (tables[:, at] - tables[:, at].sum(axis=1, keepdims=True) * share) @ slope[at]
    return np.where(np.abs(scores) > TINY * np.abs(scores).max(), scores, 0.0)


def tails_of_deals(values: Array, size: int) -> Masses | None:
    """Return where the sum of the first `size` values lies among the sums of any so many.

    None if these are too many to count.
    """
    steps = _whole(values)
    if steps is not None and _fits(steps, size):
        return _counted(steps, size)
    if len(values) <= FEW:
        return _enumerated(values, size)
    for fine in (FINE, COARSE):
        steps = _rounded(values, fine)
        if _fits(steps, size):
            return _counted(steps, size)
    return None


def _whole(values: Array) -> Whole | None:
    """Return whole numbers from 0 up without a common divisor; None if values are not whole."""
    if not ((values == np.rint(values)).all() and np.abs(values).sum() < EXACT):
        return None
    steps = values.astype(np.int64)
    steps -= steps.min()
    return steps // max(int(np.gcd.reduce(steps)), 1)


def _rounded(values: Array, fine: int) -> Whole:
    apart = values - values.min()
    return np.rint(apart * (fine / (float(apart.max()) or 1.0))).astype(np.int64)


def _fits(steps: Whole, size: int) -> bool:
    few = min(size, len(steps) - size)
    reach = few * _reach(steps, few)
    return reach <= ROOM and len(steps) * reach <= QUICK


def _reach(steps: Whole, few: int) -> int:
    """Return the largest sum of so many."""
    return int(np.sort(steps)[len(steps) - few :].sum()) + 1


def _counted(steps: Whole, size: int) -> Masses:
    """Add one number after another, chosen or not, and keep the sums of so many."""
    mirrored = 2 * size > len(steps)
    few = len(steps) - size if mirrored else size
    at = int(steps[size:].sum() if mirrored else steps[:size].sum())
    law = np.zeros((few + 1, _reach(steps, few)))
    law[0, 0], chosen = 1.0, few / len(steps)
    for step in np.sort(steps).tolist():
        moved = chosen * law[:-1, : law.shape[1] - step]
        law *= 1 - chosen
        law[1:, step:] += moved
    sums = law[few] / law[few].sum()
    below, above = float(sums[:at].sum()), float(sums[:at:-1].sum())
    if mirrored:
        below, above = above, below
    return Masses(below, float(sums[at]), above, "convolution")


def _enumerated(values: Array, size: int) -> Masses:
    """Set every sum of one half of the numbers against those of the other."""
    half, at = len(values) // 2, float(values[:size].sum())
    tie = 1e-12 * float(np.abs(values).sum())
    (one, chosen), (other, rest) = _subsets(values[:half]), _subsets(values[half:])
    below = equal = 0
    for few in range(max(0, size - (len(values) - half)), min(half, size) + 1):
        sums = np.sort(other[rest == size - few])
        wanted = at - one[chosen == few]
        first = np.searchsorted(sums, wanted - tie, "left")
        below += int(first.sum())
        equal += int((np.searchsorted(sums, wanted + tie, "right") - first).sum())
    deals = comb(len(values), size)
    above = deals - below - equal
    return Masses(below / deals, equal / deals, above / deals, "enumeration")


def _subsets(values: Array) -> tuple[Array, Whole]:
    """Return the sum of every subset, and how many numbers it has."""
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for value in values.tolist():
        sums, sizes = np.concatenate((sums, sums + value)), np.concatenate((sizes, sizes + 1))
    return sums, sizes
