"""Two scores whose places are swapped, of each case or of all cases of a cluster at once."""

from typing import Any

import numpy as np

from baserate._arrays import Index, Mask, Whole
from baserate.cases.strata import Jackknife
from baserate.curves.area_spread import ScoredSample
from baserate.curves.permutation_laws import tails_of_steps
from baserate.errors import InvalidArgumentError


def p_of_swaps(
    first: ScoredSample, second: ScoredSample, units: Index | Jackknife | None, *, paired: bool
) -> float:
    """Return the share of all ways to swap, cases or clusters, that part the areas as far.

    Strata do not matter to what is swapped within each cluster.
    """
    clusters = units.units[0] if isinstance(units, Jackknife) else units
    remedy = "leave method out"
    if not paired or first.weights is not None:
        rule = "can be exact for unweighted scores of the same cases only"
        raise InvalidArgumentError.from_rule("method", rule, "exact", remedy)
    steps = swapped(first.truth, first.scores, second.scores)
    given = f"{len(steps):,} cases"
    if clusters is not None:
        ordered = np.concatenate((clusters[first.truth], clusters[~first.truth]))
        sums = np.zeros(int(clusters.max()) + 1, dtype=np.int64)
        np.add.at(sums, ordered, steps)
        steps, given = sums, f"{np.count_nonzero(sums):,} clusters of {given}"
    found = tails_of_steps(steps)
    if found is None:
        rule = "is exact for fewer cases only"
        raise InvalidArgumentError.from_rule("method", rule, given, remedy)
    return found


def swapped(truth: Mask, score_a: Any, score_b: Any) -> Whole:
    """Return what each case adds to the difference of areas, or takes away if its scores swap.

    The difference is linear in the swaps: each case adds to it, in units of a quarter of a pair,
    how many more pairs its score A would win than its score B, among the scores A and B of the
    other class; for negatives the other way round.
    """
    kinds = {score_a.dtype.kind, score_b.dtype.kind}
    if np.result_type(score_a, score_b).kind == "f" and kinds != {"f"}:
        score_a, score_b = score_a.astype(object), score_b.astype(object)  # floats merge integers
    sides = []
    for own, sign in ((truth, 1), (~truth, -1)):
        others = np.sort(np.concatenate((score_a[~own], score_b[~own])))
        won = [
            np.searchsorted(others, scores[own], "left")
            + np.searchsorted(others, scores[own], "right")
            for scores in (score_a, score_b)
        ]
        sides.append(sign * (won[0] - won[1]))
    return np.concatenate(sides)
