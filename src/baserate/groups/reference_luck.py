"""The reference's own luck: what it hides in a test that deals all cases out, and in its power."""

from typing import Any, NamedTuple

import numpy as np

from baserate._windows import Array
from baserate.counts import ConfusionMatrix
from baserate.groups.count_laws import Chances
from baserate.models import DirichletMultinomial
from baserate.models.factors import BetaBinomialCount


class ReferenceLuck(NamedTuple):
    """What is left open about a rate of the reference: its variance, and of how many cases."""

    variance: float
    total: float

    @classmethod
    def of(cls, hits: Any, misses: Any) -> "ReferenceLuck":
        """Return that of Beta(hits + 1/2, misses + 1/2)."""
        a, b = float(hits) + 0.5, float(misses) + 0.5
        return cls(a * b / (a + b) ** 2 / (a + b + 1), a + b)

    def at(self, rates: Array, left: Any) -> Chances:
        """Return the chances of a group that is elsewhere: so much of the luck goes along."""
        means = np.clip(np.atleast_1d(rates), 0.0, 1.0)
        return Chances.drawn(means, self.variance * np.asarray(left) ** 2, self.total)


def dealt_laws(
    size: int, hits: float, misses: float
) -> tuple[BetaBinomialCount, BetaBinomialCount]:
    """Return the laws of the successes of `size` cases that give either tail of Fisher's test.

    With y of m in the reference, the chance that a deal of x + y successes among all cases gives
    the group at most x is P(X <= x) with X beta-binomial(size; y, m - y + 1), and at least x
    P(X >= x) with beta-binomial(size; y + 1, m - y): Jeffreys' half a case on either side is a
    whole one, on the side that hides the difference (Altham 1969, Journal of the Royal Statistical
    Society B 31:261).
    """
    below = BetaBinomialCount(size, hits, misses + 1)
    return below, BetaBinomialCount(size, hits + 1, misses)


def tail_model(
    group: ConfusionMatrix, reference: ConfusionMatrix, *, wrong: bool
) -> DirichletMultinomial:
    """Return the law that bounds one tail where all cases are dealt out, given the reference.

    As `dealt_laws`, for tp and for fp: with a `wrong` answer more of either class, or a right one.

    Examples
    --------
    Fisher's test of 1 of 3 against 2 of 2 has a lower tail of 3/10:

    >>> from baserate.groups.reference_luck import ConfusionMatrix, tail_model
    >>> group = ConfusionMatrix(tp=1, fn=2, fp=0, tn=0)
    >>> rest = ConfusionMatrix(tp=2, fn=0, fp=0, tn=1)
    >>> model = tail_model(group, rest, wrong=True)
    >>> round(float(model.true_positives(3).window().pmf[:2].sum()), 3)
    0.3
    """
    tp, fn, fp, tn = (float(cell) for cell in reference)
    right = not wrong
    cells = (tp + right, fn + wrong, fp + wrong, tn + right)
    return DirichletMultinomial(n=group.n, concentration=cells)
