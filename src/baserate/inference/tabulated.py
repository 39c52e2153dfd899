"""A law tabulated once by polynomials, so that a difference of two laws is one cheap integral.

The distribution function is followed on the logistic scale, against the logit of the metric's place
between its bounds (its logarithm, where one bound is infinite). There a law that starts like a
power at a bound is a straight line, however many powers of ten lie between the bound and its bulk.
Panels are halved until the last coefficients of their polynomials are negligible: around a kink
they become short by themselves, and where one is known to be, places are spread out around it. If
two distribution functions are known to within e and f, that of the difference is known to within
e + f, since the other law has the mass one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import expit, logit

from baserate._arrays import Array

Function = Callable[[Array], Array]

DEGREE = 8
ACCURACY = 1e-6  # of the polynomials, as a probability
OUTSIDE = 1e-9  # probability beyond either end of the table
LEAST, MOST = -44.0, 34.0  # logits: half a count at 0 lies above; floats next to 1 end below
WIDER = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)  # ranges tried, beyond a first guess
NEAR = 1e-8  # of a kink: places closer to it are not told apart
SHORTEST = 1e-9  # of the whole range: a jump within so short a panel is an atom
PANEL = 4.0  # logits of place that one panel may follow
STEP = 3.0  # logits of probability, and
STRIDE = 1.4  # of place, over which eight Gauss nodes are right to 1e-8

NODES = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(NODES, DEGREE)).T
GAUSS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(8)


class Scale(NamedTuple):
    """Places on the whole line for the values between two bounds."""

    low: float
    high: float
    centre: float  # of values without bounds, and how far they spread
    unit: float
    kink: float | None = None  # a value around which places are spread out, as they are at bounds

    @property
    def even(self) -> "Scale":
        """The scale that spreads nothing out between its bounds."""
        return self._replace(kink=None)

    def spread(self, x: Array) -> Array:
        """Turn places of the even scale into places of this one."""
        if self.kink is None:
            return x
        return np.arcsinh((x - self.even.place(np.array(self.kink))) / NEAR)

    def gathered(self, x: Array) -> Array:
        """Turn places of this scale into places of the even one."""
        if self.kink is None:
            return x
        return self.even.place(np.array(self.kink)) + NEAR * np.sinh(x)

    def place(self, s: Array) -> Array:
        """Return the logit of the share, a logarithm, or an inverse hyperbolic sine."""
        if self.kink is not None:
            return self.spread(self.even.place(s))
        above, below = np.maximum(s - self.low, 0.0), np.maximum(self.high - s, 0.0)
        with np.errstate(divide="ignore"):
            if np.isfinite(self.low) and np.isfinite(self.high):
                return np.log(above) - np.log(below)
            if np.isfinite(self.low):
                return np.log(above)
            if np.isfinite(self.high):
                return -np.log(below)
        return np.arcsinh((s - self.centre) / self.unit)

    def value(self, x: Array) -> Array:
        """Return the value at a place."""
        if self.kink is not None:
            return self.even.value(self.gathered(x))
        if np.isfinite(self.low) and np.isfinite(self.high):
            width = self.high - self.low
            return np.where(x < 0, self.low + width * expit(x), self.high - width * expit(-x))
        if np.isfinite(self.low):
            return self.low + np.exp(x)
        if np.isfinite(self.high):
            return self.high - np.exp(-x)
        return self.centre + self.unit * np.sinh(x)


class TabulatedLaw:
    """A distribution function by polynomials on panels, and its largest `error`.

    `guide` has values that span most of the law, `noise` is the largest error of `cdf`. What lies
    beyond the ends of the table is put on the metric's bounds, so that a law may have an atom
    there.
    """

    def __init__(self, cdf: Function, scale: Scale, guide: Array, noise: float) -> None:
        self._cdf, self.scale = cdf, scale
        low, high = self._range(guide)
        self.edges, logits, doubt = self._panels(low, high, max(ACCURACY, noise))
        self.error = doubt + noise + OUTSIDE
        self._coefficients = logits @ TO_COEFFICIENTS
        width = np.diff(self.edges)[:, None]
        self._slopes = chebyshev.chebder(self._coefficients, axis=1) * 2 / width
        self.shares = expit(logits[0, 0]), expit(logits[-1, -1])
        ends = scale.value(self.edges[[0, -1]])
        self.bounds = (
            scale.low if np.isfinite(scale.low) else float(ends[0]),
            scale.high if np.isfinite(scale.high) else float(ends[1]),
        )
        strides = np.maximum(width[:, 0], np.diff(scale.gathered(self.edges))) / STRIDE
        most = np.maximum(strides, np.ptp(logits, axis=1) / STEP)
        parts = np.maximum(np.ceil(most), 1)
        fine = [
            np.linspace(start, end, int(n), endpoint=False)
            for start, end, n in zip(self.edges[:-1], self.edges[1:], parts, strict=True)
        ]
        self.grid = np.append(np.concatenate(fine), self.edges[-1])
        self.values = scale.value(self.grid)

    def _range(self, guide: Array) -> tuple[float, float]:
        """Return places beyond which next to nothing lies."""
        scale = self.scale.even
        one_sided = not (np.isfinite(scale.low) and np.isfinite(scale.high))
        least, most = (2 * LEAST, -2 * LEAST) if one_sided else (LEAST, MOST)
        x = np.clip(scale.place(guide), least, most)
        out = np.ptp(x) * np.array(WIDER)
        lower = np.clip(x.min() - out, least, most)
        upper = np.clip(x.max() + out, least, most)
        share = self._cdf(scale.value(np.concatenate((lower, upper))))
        enough = share[: out.size] <= OUTSIDE, share[out.size :] >= 1 - OUTSIDE
        first, last = (np.argmax(side) if side.any() else -1 for side in enough)
        low, high = self.scale.spread(np.array([lower[first], upper[last]]))
        return float(low), float(high)

    def _panels(self, low: float, high: float, accuracy: float) -> tuple[Array, Array, float]:
        """Return edges, the logits at each panel's nodes, and the largest error of a panel."""
        parts = int(np.clip(np.ceil((high - low) / PANEL), 4, 12))
        first = np.linspace(low, high, parts + 1)
        start, end = first[:-1], first[1:]
        at_ends = self._logits(np.array([start, end]).T)
        starts, panels, error = [], [], 0.0
        while start.size:
            x = ((start + end) + (end - start) * NODES[:, None]).T / 2
            y = np.hstack((at_ends[:, :1], self._logits(x[:, 1:-1]), at_ends[:, 1:]))
            last = np.abs(y @ TO_COEFFICIENTS)[:, -2:].sum(axis=1)
            share = expit(y)
            doubt = 2 * last * (share * (1 - share)).max(axis=1)
            short = end - start <= SHORTEST * (high - low)
            done = (doubt <= accuracy) | short
            error = max(error, doubt[done & ~short].max(initial=0.0))
            starts.append(start[done])
            panels.append(y[done])
            half = DEGREE // 2
            x, y = x[~done][:, [0, half, half, -1]], y[~done][:, [0, half, half, -1]]
            (start, end), at_ends = x.reshape(-1, 2).T, y.reshape(-1, 2)
        begins, logits = np.concatenate(starts), np.concatenate(panels)
        order = np.argsort(begins)
        return np.append(begins[order], high), logits[order], float(error)

    def _logits(self, x: Array) -> Array:
        share = self._cdf(self.scale.value(x.ravel())).reshape(x.shape)
        return logit(np.clip(share, 1e-13, 1 - 1e-13))

    def at(self, x: Array) -> tuple[Array, Array]:
        """P(X <= s) at places within the table, and its derivative there."""
        panel = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.edges) - 2)
        start, end = self.edges[panel], self.edges[panel + 1]
        basis = chebyshev.chebvander((2 * x - start - end) / (end - start), DEGREE)
        share = expit((basis * self._coefficients[panel]).sum(axis=-1))
        slope = (basis[..., :-1] * self._slopes[panel]).sum(axis=-1)
        return share, share * (1 - share) * slope

    def below(self, s: Array) -> Array:
        """P(X < s)."""
        x = np.clip(self.scale.place(s), self.edges[0], self.edges[-1])
        return np.where(s <= self.bounds[0], 0.0, np.where(s > self.bounds[1], 1.0, self.at(x)[0]))

    def quantile(self, share: float) -> float:
        """Return about where P(X <= s) is this share: on the grid, from its outer side."""
        shares = self.at(self.grid)[0]
        if share < 0.5:
            k = np.searchsorted(shares, share) - 1
            return self.bounds[0] if k < 0 else float(self.values[k])
        k = np.searchsorted(shares, share)
        return self.bounds[1] if k >= shares.size else float(self.values[k])


def exceeds(a: TabulatedLaw, b: TabulatedLaw, gap: float = 0.0) -> float:
    """P(A > B + gap) for independent A and B: Gauss rules between the panels of both."""
    cuts = np.clip(a.scale.place(b.values + gap), a.edges[0], a.edges[-1])
    cuts = np.unique(np.concatenate((a.grid, cuts)))
    middle, half = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    x = middle[:, None] + half[:, None] * GAUSS
    weights = a.at(x)[1] * (half[:, None] * GAUSS_WEIGHTS)
    at_bounds = a.shares[0], 1 - a.shares[1]
    total = (weights * b.below(a.scale.value(x) - gap)).sum()
    total += b.below(np.array(a.bounds) - gap) @ at_bounds
    return float(np.clip(total, 0.0, 1.0))
