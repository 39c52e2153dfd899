"""A Beta variable that knows x and 1 - x apart, so that neither end of [0, 1] loses digits.

Where a pair of numbers would be too much it is stated in odds x/(1 - x), which keep them too.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log, log1p, pi
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import gammaln, ndtr, ndtri

from baserate._arrays import Array, Mask
from baserate._beta import betainc, betaincc, betaincinv
from baserate._quadrature import Nodes, legendre_nodes

Law = tuple[Array, Array]  # both parameters of Beta laws, row by row
Share = tuple[Array, Array]  # x and 1 - x

TAIL = 1e-16  # probability beyond either end of what is looked at
TAIL_IN_ODDS = 1e-15  # the same, where odds are looked at
FAINT = 1e-3  # a difference from one of which too few digits are left
STIRLING = 16.0  # from here on four terms of Stirling's series have all digits
DEGREE = 16  # of normal scores as a polynomial of the logarithm of odds, which is nearly straight
STRAIGHT = 1e-11  # last coefficients of a polynomial that has at least as many digits
BY_POLYNOMIAL = 1e-12  # accuracy that it has
FARTHEST = 8.0  # normal score of either end: 6e-16 lie beyond
PLACES = -np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
TO_CHEBYSHEV = np.linalg.inv(chebyshev.chebvander(PLACES, DEGREE))
TO_POWERS = np.zeros((DEGREE + 1, DEGREE + 1))
for k in range(DEGREE + 1):
    TO_POWERS[: k + 1, k] = chebyshev.cheb2poly(np.eye(DEGREE + 1)[k])[: k + 1]


@dataclass(frozen=True)
class Beta:
    """X ~ Beta(a, b)."""

    a: float
    b: float

    @property
    def mirrored(self) -> "Beta":
        """The law of 1 - X."""
        return Beta(self.b, self.a)

    @property
    def mean(self) -> float:
        """Return a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        n = self.a + self.b
        return (self.a * self.b / (n + 1)) ** 0.5 / n

    @property
    def least_parameter(self) -> float:
        """The smaller of a and b."""
        return min(self.a, self.b)

    @cached_property
    def least(self) -> float:
        """X below which lies next to no probability."""
        return float(betaincinv(self.a, self.b, TAIL))

    @property
    def onset(self) -> float:
        """X below which the density is a power of x, roughly."""
        return min(1.0, (self.a + 1) / (self.a + self.b))

    def cdf(self, x: Array, rest: Array) -> Array:
        """P(X <= x), where rest = 1 - x."""
        return self.sides(x, rest)[0]

    def sides(self, x: Array, rest: Array) -> tuple[Array, Array]:
        """P(X <= x) and P(X > x), where rest = 1 - x; the smaller one keeps its digits."""
        lower, nearer = x < rest, np.minimum(x, rest)
        first, second = np.where(lower, self.a, self.b), np.where(lower, self.b, self.a)
        share = betainc(first, second, nearer)
        beyond = np.asarray(1 - share)
        faint = beyond < FAINT
        beyond[faint] = betaincc(first[faint], second[faint], nearer[faint])
        return np.where(lower, share, beyond), np.where(lower, beyond, share)

    def log_density(self, x: Array, rest: Array) -> Array:
        """Logarithm of x (1 - x) times the density, relative to the mean: large counts cancel."""
        x0, y0 = self.mean, self.b / (self.a + self.b)
        apart = np.where(x < rest, x - x0, y0 - rest)
        return (
            self._peak + self.a * _log_ratio(x, apart, x0) + self.b * _log_ratio(rest, -apart, y0)
        )

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Odds beyond which lies next to no probability."""
        low, high = (betaincinv(*law, TAIL_IN_ODDS) for law in ((self.a, self.b), (self.b, self.a)))
        return float(low / (1 - low)), float((1 - high) / high)

    @property
    def centre(self) -> float:
        """Odds of the mean."""
        return self.a / self.b

    @property
    def skew(self) -> float:
        """Factor by which the law's long tail makes it wider than its standard deviation says."""
        return 2.0 if self.least_parameter < 4 else 1.0

    @property
    def spread(self) -> float:
        """Standard deviation of the logarithm of the odds, roughly, and at most one."""
        return min(1.0, (1 / self.a + 1 / self.b) ** 0.5)

    def below(self, odds: Array | float) -> Array:
        """P(X <= odds/(1 + odds)), from the side of [0, 1] that is nearer: it keeps its digits."""
        odds = np.asarray(odds, dtype=float)
        lower = odds <= 1
        with np.errstate(divide="ignore"):
            nearer = 1 / (1 + np.where(lower, 1 / odds, odds))
        first, second = np.where(lower, self.a, self.b), np.where(lower, self.b, self.a)
        share = betainc(first, second, nearer)
        return np.where(lower, share, 1 - share)

    def between(self, low: Array, high: Array, n: int) -> Nodes:
        """Return a rule for each pair of odds, in a further last axis; its weights sum to the mass.

        x = low + (high - low) sin²(πu/2) with Gauss-Legendre in u, so that square roots at both
        ends (of the density at half a count, and of a tail that begins there) become smooth. With
        an empty cell what matters may lie many powers of ten closer to the end: sine twice, and
        half as many nodes again.
        """
        empty_cell = self.least_parameter < 2
        u, step = legendre_nodes(n + n // 2 if empty_cell else n)
        if empty_cell:
            u, step = np.sin(np.pi / 2 * u) ** 2, step * np.sin(np.pi * u)
        sine, cosine = np.sin(np.pi / 2 * u), np.cos(np.pi / 2 * u)
        low, high = np.asarray(low)[..., None], np.asarray(high)[..., None]
        width = (high - low) / ((1 + low) * (1 + high))
        x = low / (1 + low) + width * sine**2
        y = 1 / (1 + high) + width * cosine**2
        weights = np.exp(self.log_density(x, y)) / (x * y) * sine * cosine * step
        total = weights.sum(axis=-1, keepdims=True)
        mass = self.below(high) - self.below(low)
        with np.errstate(invalid="ignore"):
            weights = np.where(total > 0, weights * (mass / total), 0.0)
        return Nodes(x / y, weights)

    @cached_property
    def _peak(self) -> float:
        a, b = self.a, self.b
        smaller, larger = min(a, b), max(a, b)
        spread = 0.5 * (log(smaller / (2 * pi)) - log1p(smaller / larger))
        return spread - _correction(a) - _correction(b) + _correction(a + b)


def _correction(z: float) -> float:
    """Return log Γ(z) minus Stirling's formula."""
    if z < STIRLING:
        return float(gammaln(z)) - ((z - 0.5) * log(z) - z + 0.5 * log(2 * pi))
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / z**2) / z**2) / z**2) / z


def _log_ratio(x: Array, difference: Array, x0: float) -> Array:
    relative = difference / x0
    near = np.abs(relative) < 0.5
    with np.errstate(divide="ignore"):
        return np.where(near, np.log1p(np.where(near, relative, 0.0)), np.log(x / x0))


def shares_at(law: Law, score: Array) -> Share:
    """Return x and 1 - x where Beta laws have these normal scores, in a further last axis."""
    laws, which = np.unique(law[0] + 1j * law[1], return_inverse=True)
    x, rest = _quantiles(laws.tobytes(), score.tobytes())
    return x[which.ravel()], rest[which.ravel()]


@lru_cache(maxsize=64)  # every metric of a table asks for the same
def _quantiles(laws: bytes, scores: bytes) -> Share:
    law: Any = np.frombuffer(laws, dtype=complex)[:, None]
    score = np.frombuffer(scores)
    a, b, score = np.broadcast_arrays(law.real, law.imag, score)
    x = betaincinv(a, b, ndtr(score))
    rest, high = 1 - x, x > 0.5
    rest[high] = betaincinv(b[high], a[high], ndtr(-score[high]))
    x[high] = 1 - rest[high]
    return x, rest


def below_odds(law: Law, odds: Array, accuracy: float) -> Array:
    """P(X <= odds/(1 + odds)) under the law of each row; many odds of few laws.

    Where both counts are some fifty or more, and an accuracy of 1e-12 will do, a polynomial costs
    many times less than continued fractions.
    """
    laws, which = np.unique(law[0] + 1j * law[1], return_inverse=True)
    middle, half, coefficients, straight = _polynomials(laws.tobytes())
    by_polynomial, found = straight[which] & (accuracy >= BY_POLYNOMIAL), np.empty(odds.shape)
    at, others = which[by_polynomial], which[~by_polynomial]
    if at.size:
        with np.errstate(divide="ignore"):
            x = (np.log(odds[by_polynomial]) - middle[at, None]) / half[at, None]
        x, score = np.clip(x, -1.0, 1.0), np.zeros_like(x)
        for coefficient in coefficients[::-1]:
            score *= x
            score += coefficient[at, None]
        found[by_polynomial] = ndtr(score)
    if others.size:
        a, b = laws.real[others, None], laws.imag[others, None]
        with np.errstate(divide="ignore"):
            found[~by_polynomial] = betainc(a, b, 1 / (1 + 1 / odds[~by_polynomial]))
    return found


@lru_cache(maxsize=64)  # every metric of a table asks for the same
def _polynomials(laws: bytes) -> tuple[Array, Array, Array, Mask]:
    """Return normal scores as polynomials of the logarithm of odds, and which are good enough.

    Each has the middle and half the length of its range, and coefficients in a column.
    """
    law: Any = np.frombuffer(laws, dtype=complex)[:, None]
    a, b = law.real, law.imag
    low, high = (betaincinv(*side, ndtr(-FARTHEST)) for side in ((a, b), (b, a)))
    first, last = np.log(low / (1 - low)), -np.log(high / (1 - high))
    middle, half = (first + last) / 2, (last - first) / 2
    x, rest = (1 / (1 + np.exp(sign * (middle + half * PLACES))) for sign in (-1, 1))
    lower = betainc(a, b, x)
    score = np.where(lower < 0.5, ndtri(lower), -ndtri(betainc(b, a, rest)))
    fitted = TO_CHEBYSHEV @ score.T
    straight = np.abs(fitted[-3:]).sum(axis=0) <= STRAIGHT
    return middle[:, 0], half[:, 0], TO_POWERS @ fitted, straight
