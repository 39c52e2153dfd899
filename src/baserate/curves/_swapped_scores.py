"""The law of a difference of two areas when each case could as well have its two scores swapped.

Scores are replaced by their ranks among all cases first, so that a swap makes sense. The difference
is then linear in the swaps: a case adds to it g or -g, with g half of how many more pairs its rank
by A would win than its rank by B, among the ranks by A and by B of the other class. So the law is
that of a sum of independent signs, and is counted without enumerating the 2^n swaps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate.curves._ranks import doubled_ranks, doubled_wins

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

BUDGET = 400_000_000  # additions at most, half a second


def two_sided(truth: NDArray[np.bool_], score_a: Any, score_b: Any) -> float | None:
    """Return P(|difference| >= the one found) over all swaps; None beyond the budget."""
    a, b = doubled_ranks(score_a), doubled_ranks(score_b)
    both = [np.concatenate((a[side], b[side])) for side in (truth, ~truth)]
    turns = np.concatenate(
        [
            sign * (doubled_wins(a[side], others) - doubled_wins(b[side], others))
            for side, others, sign in ((truth, both[1], 1), (~truth, both[0], -1))
        ]
    )  # four times g
    steps = np.abs(turns[turns != 0])
    if not len(steps):
        return 1.0
    unit = int(np.gcd.reduce(steps))
    if len(steps) * (int(steps.sum()) // unit) > BUDGET:
        return None
    return _tails(steps // unit, abs(int(turns.sum())) // unit)


def _tails(steps: Whole, found: int) -> float:
    """Return P(|Σ ± steps| >= found), the sum being twice that of the chosen steps, less all."""
    total = int(steps.sum())
    law = np.zeros(total + 1)
    law[0], reached = 1.0, 0
    for step in np.sort(steps).tolist():
        law[: reached + 1] *= 0.5
        law[step : reached + step + 1] += law[: reached + 1].copy()
        reached += step
    upper = float(law[(total + found + 1) // 2 :].sum())
    return min(1.0, 2 * upper) if found else 1.0
