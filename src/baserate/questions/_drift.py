"""Sums on both sides of a threshold, followed from w draws to w + 1.

One more draw from an urn takes the count past a threshold c only from c - 1, and then only if it
is a success. So P(U >= c) grows by P(U = c - 1) times the chance of a success, and changes by
single probabilities where the threshold moves as well; these are followed too, by ratios. Windows
are laid out anew every few totals, before anything that is followed could lose digits.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from baserate._windows import DEPTH, Array
from baserate.models._factors import Factor
from baserate.questions._masses import Masses
from baserate.questions._urns import Urns, same_urn

# The least number of windows laid out, and by how much they are deeper than what is asked for.
_KEPT = 48
_DEEPER = 10
# Thresholds that move by more than this from total to total are not followed.
_FAR = 4


class Followed(NamedTuple):
    """P(U < c) and P(U >= c) for every total, and P(U = c - 1), or P(U = c) if c - 1 cannot be."""

    below: Array
    above: Array
    beside: Array


@dataclass(frozen=True, slots=True)
class Drift:
    """Draws from one urn at consecutive totals, as deep as the one that is worth most."""

    factor: Factor
    totals: Array
    depth: float

    def urns(self, size: Array) -> Urns:
        """Return the urn at these totals."""
        urn = Urns.of([self.factor])
        assert urn is not None
        return Urns(size, urn.a[0], urn.b[0], urn.s)

    def follow(self, c: Array) -> Followed | None:
        """Return the sums on both sides of a threshold for each total, which its support holds.

        None where the thresholds move too far from total to total.
        """
        if np.abs(np.diff(c)).max(initial=0) > _FAR:
            return None
        apart = max(1, int(len(c) / _KEPT * sqrt(DEPTH / max(DEPTH, self.depth))))
        size, edge = _folded(self.totals, apart), _folded(c, apart)
        here, there = self.urns(size[:, :-1]), self.urns(size[:, :-1] + 1)
        at = np.maximum(edge - 1, self.urns(size).support()[0])
        below, above, beside = self._laid_out(apart, edge[:, 0], at[:, 0])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # behind the last total
            ratios = _moved(here, there, at[:, :-1], at[:, 1:])
            beside = beside[:, None] * np.cumprod(_led(ratios, 1.0), axis=1)
            steps = _crossed(here, there, edge, at, beside)
            steps = np.cumsum(_led(steps, 0.0), axis=1)
        columns = below[:, None] - steps, above[:, None] + steps, beside
        return Followed(*(np.maximum(column.ravel()[: len(c)], 0) for column in columns))

    def equal(self, low: Array, past: Array, lower: Followed, upper: Followed) -> Array:
        """Return P(low <= U < past), given what was followed along both."""
        where = np.flatnonzero(low < past)
        equal = np.zeros_like(low)
        some, value, u = self.urns(self.totals[where]), upper.beside[where], past[where] - 1
        for _ in range(_FAR):
            equal[where] += np.where(u >= low[where], value, 0)
            value, u = value * some.down(np.maximum(u, 1)) * (u > 0), u - 1
        left = upper.below < upper.above
        wide = np.where(left, upper.below - lower.below, lower.above - upper.above)
        return np.where(past - low > _FAR, wide, equal)

    def _laid_out(self, apart: int, c: Array, at: Array) -> tuple[Array, Array, Array]:
        """Return the sums at every few totals from whole windows."""
        laid = same_urn(self.factor, self.totals[::apart], self.depth + _DEEPER)
        masses, row, width = Masses.of(laid), np.arange(len(laid.start)), laid.pmf.shape[1]
        start = laid.start.astype(np.float64)
        inside = np.clip(c, start, start + width)
        below, _, above = masses.parted(row, start, inside, inside, start + width)
        column = np.clip(at - start, 0, width - 1).astype(np.int64)
        return below, above, np.where(at - start == column, laid.pmf[row, column], 0)


def _folded(column: Array, apart: int) -> Array:
    """Break a column into rows of this length; the last is filled up with its end."""
    return np.pad(column, (0, -len(column) % apart), mode="edge").reshape(-1, apart)


def _led(rows: Array, first: float) -> Array:
    return np.concatenate((np.full((len(rows), 1), first), rows), axis=1)


def _moved(here: Urns, there: Urns, u: Array, to: Array) -> Array:
    """Return P(U = to) after one more draw, over P(U = u) before it."""
    after, hit = there.size, to > u
    ratio = np.where(hit, here.hit(u) * (after / (u + 1)), here.miss(u) * (after / (after - u)))
    u = u + hit
    while (u != to).any():
        ratio = ratio * np.where(u < to, there.up(u), np.where(u > to, there.down(u), 1))
        u = u + np.sign(to - u)
    return ratio


def _crossed(here: Urns, there: Urns, edge: Array, at: Array, beside: Array) -> Array:
    """Return by how much P(U >= c) grows from each total to the next."""
    old, new = edge[:, :-1], edge[:, 1:]
    least, most = there.support()
    flow = np.where(at[:, :-1] < old, here.hit(at[:, :-1]) * beside[:, :-1], 0)
    down_u, down = at[:, 1:], beside[:, 1:]
    up_u = new
    up = np.where(down_u < new, there.up(down_u), 1) * down
    for _ in range(int(np.abs(new - old).max(initial=0))):
        flow = flow - np.where((down_u >= old) & (down_u < new), down, 0)
        flow = flow + np.where((up_u < old) & (up_u <= most), up, 0)
        down, down_u = np.where(down_u > least, there.down(down_u), 0) * down, down_u - 1
        up, up_u = np.where(up_u < most, there.up(up_u), 0) * up, up_u + 1
    return flow
