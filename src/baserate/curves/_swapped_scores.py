"""The law of a difference of two areas when each case could as well have its two scores swapped.

The difference is linear in the swaps: a case adds to it g or -g, with g half of how many more pairs
its score A would win than its score B, among the scores A and B of the other class. So the law is
that of a sum of independent signs, and is counted without enumerating the 2^n swaps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

BUDGET = 1_000_000_000  # additions at most, a second


def two_sided(truth: NDArray[np.bool_], score_a: Any, score_b: Any) -> float | None:
    """Return P(|difference| >= the one found) over all swaps; None beyond the budget.

    Examples
    --------
    A wins the one pair and B loses it; with both cases swapped it is the other way round, and with
    one swapped both scores tie.

    >>> two_sided(np.array([True, False]), np.array([2, 1]), np.array([1, 2]))
    0.5
    """
    kinds = {score_a.dtype.kind, score_b.dtype.kind}
    if np.result_type(score_a, score_b).kind == "f" and kinds != {"f"}:
        score_a, score_b = score_a.astype(object), score_b.astype(object)  # floats merge integers
    turns = np.concatenate(
        [
            _turns(score_a[truth], score_b[truth], score_a[~truth], score_b[~truth]),
            -_turns(score_a[~truth], score_b[~truth], score_a[truth], score_b[truth]),
        ]
    )
    steps = np.abs(turns[turns != 0])
    if not len(steps):
        return 1.0
    unit = int(np.gcd.reduce(steps))
    if len(steps) * (int(steps.sum()) // unit) > BUDGET:
        return None
    return _tails(steps // unit, abs(int(turns.sum())) // unit)


def _turns(a: Any, b: Any, others_a: Any, others_b: Any) -> Whole:
    """Return four times g: pairs that score A wins and B does not, a tie counting one half."""
    others = np.sort(np.concatenate((others_a, others_b)))
    return _doubled_wins(a, others) - _doubled_wins(b, others)


def _doubled_wins(scores: Any, ordered: Any) -> Whole:
    return np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")


def _tails(steps: Whole, found: int) -> float:
    """Return P(|Σ ± steps| >= found), the sum being twice that of the chosen steps, less all."""
    law = np.zeros(int(steps.sum()) + 1)
    law[0], reached = 1.0, 0
    for step in np.sort(steps).tolist():
        law[: reached + 1] *= 0.5
        law[step : reached + step + 1] += law[: reached + 1].copy()
        reached += step
    upper = float(law[(reached + found + 1) // 2 :].sum())
    return min(1.0, 2 * upper) if found else 1.0
