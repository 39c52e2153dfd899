"""Windows of many laws at once: neighbours among them differ by one case.

Binomial, hypergeometric and beta-binomial counts are draws from an urn: after u of one kind and v
of the other, the next is of the first kind with chance (a + s u) / (a + b + s (u + v)), where s is
0, -1 or 1. One ratio of neighbours therefore serves them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._windows import Array
from baserate.models._beta_binomial import BetaBinomialCount
from baserate.models._factors import (
    BinomialCount,
    Factor,
    HypergeometricCount,
    UniformCount,
)

Ints = NDArray[np.int64]


class Windows(NamedTuple):
    """Laws in rows: probabilities of consecutive values from `start` on, padded by zeros."""

    start: Ints
    pmf: Array


@dataclass(frozen=True, slots=True)
class Urns:
    """Draws from urns: `size` cases each, columns of numbers; s is the same for all."""

    size: Array
    a: Array
    b: Array
    s: int

    @classmethod
    def of(cls, factors: Sequence[Factor]) -> "Urns | None":
        """Return the urns that these laws are, or None if some are not, or of another kind."""
        kinds = {type(factor) for factor in factors}
        if len(kinds) != 1 or not (kind := _KINDS.get(next(iter(kinds)))):
            return None
        size, a, b = np.array([kind.read(factor) for factor in factors], dtype=np.float64).T
        return cls(size[:, None], a[:, None], b[:, None], kind.s) if min(a.min(), b.min()) else None

    def up(self, u: Array) -> Array:
        """Return pmf(u + 1) / pmf(u)."""
        return self._top(u) / self._bottom(u)

    def down(self, u: Array) -> Array:
        """Return pmf(u - 1) / pmf(u)."""
        return self._bottom(u - 1) / self._top(u - 1)

    def support(self) -> tuple[Array, Array]:
        """Return the least and the greatest values."""
        if self.s >= 0:
            return np.zeros_like(self.size), self.size
        return np.maximum(0, self.size - self.b), np.minimum(self.size, self.a)

    def windows(self, below: int, above: int) -> Windows:
        """Return so many values below and above the modes, and their probabilities."""
        mode, (least, most) = self.mode(), self.support()
        u = mode + np.arange(-below, above + 1)
        pmf = np.ones_like(u)
        with np.errstate(divide="ignore", invalid="ignore"):  # beyond the support, put right here
            up = np.where(u[:, below:-1] < most, self.up(u[:, below:-1]), 0)
            down = np.where(u[:, below:0:-1] > least, self.down(u[:, below:0:-1]), 0)
        np.cumprod(up, axis=1, out=pmf[:, below + 1 :])
        pmf[:, :below] = np.cumprod(down, axis=1)[:, ::-1]
        pmf /= pmf.sum(axis=1, keepdims=True)
        return Windows(mode[:, 0].astype(np.int64) - below, pmf)

    def mode(self) -> Array:
        """Return where the probabilities start to fall; an end, where they only rise or fall."""
        a, b = self.a - self.s, self.b - self.s
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.floor((self.size + 1) * (a / (a + b)))
        return np.clip(np.where(a <= 0, 0, np.where(b <= 0, self.size, inner)), *self.support())

    def _top(self, u: Array) -> Array:
        return (self.size - u) * (self.a + self.s * u)

    def _bottom(self, u: Array) -> Array:
        return (u + 1) * (self.b + self.s * (self.size - u - 1))


class _Kind(NamedTuple):
    s: int
    read: Any  # returns size, a, b of a factor


_KINDS: dict[type, _Kind] = {
    BinomialCount: _Kind(0, lambda f: (f.n, f.p, f.q)),
    HypergeometricCount: _Kind(-1, lambda f: (f.n_predicted, f.n_positive, f.n_negative)),
    BetaBinomialCount: _Kind(1, lambda f: (f.n, f.a, f.b)),
    UniformCount: _Kind(1, lambda f: (f.n, 1, 1)),
}


def windows(factors: Sequence[Factor], depths: Sequence[float]) -> Windows:
    """Return the windows of these laws, each as deep as asked for or deeper."""
    urns = Urns.of(factors)
    if urns is None:
        return _stacked(factors, depths)
    return urns.windows(*_reach(urns, factors, depths))


def _reach(urns: Urns, factors: Sequence[Factor], depths: Sequence[float]) -> tuple[int, int]:
    """Return how far windows go below their modes, and above."""
    spans = [factor.span(depth=depth) for factor, depth in zip(factors, depths, strict=True)]
    low, high = np.array(spans, dtype=np.float64).T
    mode = urns.mode()[:, 0]
    return max(0, int((mode - low).max())), max(0, int((high - mode).max()))


def _stacked(factors: Sequence[Factor], depths: Sequence[float]) -> Windows:
    each = [factor.window(depth=depth) for factor, depth in zip(factors, depths, strict=True)]
    pmf = np.zeros((len(each), max(len(window.pmf) for window in each)))
    for row, window in zip(pmf, each, strict=True):
        row[: len(window.pmf)] = window.pmf
    return Windows(np.array([window.start for window in each]), pmf)
