"""Laws of one count at many rates, a row for each: the rate is known, or itself drawn.

And the reference's own luck: what it hides in a test that deals all cases out, and in its power,
where rates are shifted from those of the reference.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._beta import betainc
from baserate._windows import DEEP, Urn, Window, Windows, beta_binomial_span, binomial_span
from baserate.counts import ConfusionMatrix
from baserate.groups.tables import full
from baserate.models import DirichletMultinomial
from baserate.models.factors import BetaBinomialCount, BinomialCount

SHORT = 1_000  # 2^1000 fits a double
ALMOST = 1 - 1e-6  # of the way, so far a metric is followed that is undefined at the end
_CERTAIN = 1e-300  # odds that no draw goes against


class Chances(NamedTuple):
    """Chances of a success, one for each row: known (s = 0), or drawn from Beta(a, b) (s = 1)."""

    a: Array
    b: Array
    s: int

    @classmethod
    def known(cls, rates: Array) -> "Chances":
        """Return rates without doubt."""
        return cls(rates, 1 - rates, 0)

    @classmethod
    def drawn(cls, means: Array, variances: Array, total: Any) -> "Chances":
        """Return Beta laws with these means and variances, none wider than one of so many cases."""
        # Where nothing varies, any size serves: the chance is 0 or 1, or all but known.
        size = np.maximum(means * (1 - means) / np.maximum(variances, 1e-18) - 1, total)
        return cls(means * size, (1 - means) * size, 1)

    def window(self, n: int, at: int) -> Window:
        """Return the law of the successes of n draws, in one row."""
        return self._law(n, at).window()

    def variance(self, n: float) -> Array:
        """Return the variance of the successes of n draws."""
        total = self.a + self.b
        binomial = n * (self.a / total) * (self.b / total)
        return binomial * (total + n) / (total + 1) if self.s else binomial

    def rows(self, n: Any) -> Array:
        """Return the probabilities of 0, 1, ... n successes, a row for each chance.

        Short rows may have an n each; beyond its n, a row holds 0.
        """
        size = int(np.max(n))
        if size > SHORT:
            return np.array(
                [full(self._law(size, at).window(depth=DEEP), size) for at in range(len(self.a))]
            )
        rarer, other = (side(self.a, self.b)[:, None] for side in (np.minimum, np.maximum))
        t, total = np.arange(size), np.broadcast_to(n, self.a.shape)[:, None]
        left = np.maximum(total - t, 0)
        odds = (rarer + self.s * t) / (other + self.s * np.maximum(left - 1, 0))
        laws = np.ones((len(self.a), size + 1))
        np.cumprod(left / (t + 1) * odds, axis=1, out=laws[:, 1:])
        laws /= laws.sum(axis=1, keepdims=True)
        turned = total - np.arange(size + 1)
        turned = np.where(turned >= 0, np.take_along_axis(laws, np.maximum(turned, 0), 1), 0.0)
        return np.where((self.a > self.b)[:, None], turned, laws)

    def windows(self, n: int) -> Windows:
        """Return the values that carry the mass of every row."""
        sides = zip(self.a.tolist(), self.b.tolist(), strict=True)
        if self.s:
            spans = [beta_binomial_span(n, a, b) for a, b in sides]
        else:
            spans = [binomial_span(n, a) for a, _ in sides]
        low, high = np.array(spans, dtype=float).T[:, :, None]
        a, b = (np.maximum(side, _CERTAIN)[:, None] for side in (self.a, self.b))
        return Urn(np.full_like(a, n), a, b, self.s).windows(low, high)

    def outside(self, n: Any, few: Any, many: Any) -> Array:
        """Return the probability of fewer than `few` or more than `many` successes.

        Short rows may have numbers of their own.
        """
        short = np.max(n) <= SHORT
        start, pmf = (np.zeros(1, dtype=int), self.rows(n)) if short else self.windows(int(n))
        below = np.zeros((len(pmf), pmf.shape[1] + 1))
        np.cumsum(pmf, axis=1, out=below[:, 1:])
        ends = (np.clip(cut - start, 0, pmf.shape[1]) for cut in (few, many + 1))
        row = np.arange(len(pmf))
        low, high = (below[row, end] for end in ends)
        return np.minimum(1.0, low + np.maximum(0.0, 1 - high))

    def _law(self, n: int, at: int) -> BetaBinomialCount | BinomialCount:
        a, b = float(self.a[at]), float(self.b[at])
        return BetaBinomialCount(n, a, b) if self.s else BinomialCount(n, a, b)


class ReferenceLuck(NamedTuple):
    """What is left open about a rate of the reference: its variance, and of how many cases.

    Of many references, arrays.
    """

    variance: Any
    total: Any

    @classmethod
    def of(cls, hits: Any, misses: Any) -> "ReferenceLuck":
        """Return that of Beta(hits + 1/2, misses + 1/2)."""
        a, b = float(hits) + 0.5, float(misses) + 0.5
        return cls(a * b / (a + b) ** 2 / (a + b + 1), a + b)

    def at(self, rates: Array, left: Any) -> Chances:
        """Return the chances of a group that is elsewhere: so much of the luck goes along."""
        means = np.clip(np.atleast_1d(rates), 0.0, 1.0)
        return Chances.drawn(means, self.variance * np.asarray(left) ** 2, self.total)


class RatePower(NamedTuple):
    """How probable fewer than `few` or more than `many` of n successes are, at a shifted rate.

    Of many trials, arrays alike. `luck` is None where the reference's rate is all but known.
    """

    theta: Any
    n: Any
    few: Any
    many: Any
    luck: ReferenceLuck | None

    def __call__(self, shifts: Array) -> Array:
        """Return the probability of a rejection at each shift."""
        theta, n, few, many, luck = self
        if luck is not None:
            return luck.at(theta + shifts, 1.0).outside(n, few, many)
        rates = np.clip(theta + shifts, 0.0, 1.0)
        below = betainc(np.maximum(n + 1 - few, 1), np.maximum(few, 1), 1 - rates)
        above = betainc(np.minimum(many, n - 1) + 1, np.maximum(n - many, 1), rates)
        below = np.where(few > n, 1.0, np.where(few > 0, below, 0.0))
        return np.minimum(1.0, below + np.where(many < n, above, 0.0))


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


@lru_cache(maxsize=4)  # many metrics are asked of one group
def tail_model(
    group: ConfusionMatrix, reference: ConfusionMatrix, *, wrong: bool
) -> DirichletMultinomial:
    """Return the law that bounds one tail where all cases are dealt out, given the reference.

    As `dealt_laws`, for tp and for fp: with a `wrong` answer more of either class, or a right one.
    """
    tp, fn, fp, tn = (float(cell) for cell in reference)
    right = not wrong
    cells = (tp + right, fn + wrong, fp + wrong, tn + right)
    return DirichletMultinomial(n=group.n, concentration=cells)


def ends_of(values: Callable[[Array], Array]) -> tuple[float, float]:
    """Return the shifts all the way down and up, or almost so where there is no value there."""
    ends = np.array([-1.0, 1.0])
    down, up = np.where(np.isnan(values(ends)), ends * ALMOST, ends).tolist()
    return down, up


def rates_moved(recall: Any, specificity: Any, shifts: Any, neither: Any) -> tuple[Array, Array]:
    """Return recall and false positive rate, of a metric with neither direction or with one."""
    alarms = np.where(neither, _moved(1 - specificity, shifts), 1 - _moved(specificity, shifts))
    return _moved(recall, shifts), alarms


def chances_of(
    rates: tuple[Array, Array], shifts: Any, luck: Sequence[ReferenceLuck] | None
) -> tuple[Chances, Chances]:
    """Return the chances of both counts: a share of the way to the end leaves so much luck."""
    if luck is None:
        recall, alarms = map(Chances.known, rates)
    else:
        left = 1 - np.abs(shifts)
        recall, alarms = (one.at(rate, left) for rate, one in zip(rates, luck, strict=True))
    return recall, alarms


def _moved(rate: Any, shares: Any) -> Array:
    """Move a rate by shares of its way to 1, or to 0."""
    return np.where(np.greater(shares, 0), rate + shares * (1 - rate), rate * (1 + shares))
