"""Windows: the stretch of a count's law that carries all of its mass.

Weights come from the ratio of neighbours, taken outward from the mode and divided by their own sum.
Routes through the logarithm of the gamma function lose digits as counts grow (relative errors of
1e-8 at 10^8 cases); this one does not. Counts below 2^53 are exact.
"""

from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate.errors import UnsupportedError

Integers = NDArray[np.int64]

# The mass left outside a window is below 2 exp(-depth): 6e-20, or the whole range of a double.
DEPTH = 45.0
DEEP = 700.0
BLOCK = 1 << 20  # values of a law that are looked at together where only their sum is asked for
LONGEST = 40_000_000  # values of a law that fit in memory and a few seconds


class Window(NamedTuple):
    """Consecutive values from `start` on, with their probabilities; they sum to one."""

    start: int
    pmf: Array

    @property
    def values(self) -> Array:
        """The values themselves, as floats."""
        return np.arange(self.start, self.start + len(self.pmf), dtype=np.float64)


class Windows(NamedTuple):
    """Laws in rows: probabilities of consecutive values from `start` on, padded by zeros."""

    start: Integers
    pmf: Array


class Weighted(NamedTuple):
    """Values and weights that stand for a law; exact, or exact for smooth functions."""

    values: Array
    weights: Array


@dataclass(frozen=True, slots=True)
class Urn:
    """Draws of `size` cases of two kinds: binomial, hypergeometric and beta-binomial counts alike.

    After u of one kind and v of the other, the next is of the first kind with chance
    (a + s u) / (a + b + s (u + v)), where s is 0, -1 or 1. One ratio of neighbours therefore serves
    them all. Numbers make one law; columns of numbers make one for each row, with the same s.
    """

    size: Any
    a: Any
    b: Any
    s: int

    @property
    def support(self) -> tuple[Any, Any]:
        """The least and the greatest values of each row."""
        if self.s >= 0:
            return np.zeros_like(self.size), self.size
        return np.maximum(0, self.size - self.b), np.minimum(self.size, self.a)

    def odds(self, u: Any) -> tuple[Any, Any]:
        """Return pmf(u + 1) / pmf(u) as numerator and denominator, of whatever kind u is."""
        a, b, left = self.a, self.b, self.size - u
        if self.s == 0:
            return left * (a / b), u + 1
        own, other = (a + u, b + (left - 1)) if self.s > 0 else (a - u, u + (b - self.size + 1))
        return left * own, (u + 1) * other

    def modes(self) -> Array:
        """Return where each row starts to fall; an end, where it falls away from one or from both.

        They are near enough for the recurrence to start from, and exact up to rounding.
        """
        a, b = self.a - self.s, self.b - self.s
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.floor((self.size + 1) * (a / (a + b)))
        end = np.where(a <= b, 0, self.size)
        return np.clip(np.where(np.minimum(a, b) <= 0, end, inner), *self.support)

    def window(self, low: int, high: int) -> Window:
        """Return the probabilities from `low` to `high`, of one law, outward from its mode."""
        if high - low > LONGEST:
            raise UnsupportedError(
                f"An exact law here has {high - low:,} values that matter, and at most {LONGEST:,} "
                "are summed one by one: with so many cases chance hardly varies; compare with its "
                "mean."
            )
        if low == high:
            return Window(low, np.ones(1))
        mode = min(max(self._mode(), low), high)
        above, here = self.odds(np.arange(mode, high, dtype=np.float64))
        there, below = self.odds(np.arange(mode - 1, low - 1, -1, dtype=np.float64))
        up, down = np.cumprod(above / here), np.cumprod(below / there)
        weights = np.concatenate((down[::-1], (1.0,), up))
        return Window(low, weights / weights.sum())

    def upper_tail(self, low: int, high: int, least: int) -> float:
        """Return P(value >= least) of one law, block by block outward, in memory for one block."""
        mode = min(max(self._mode(), low), high)
        total, tail = 1.0, float(mode >= least)
        for end, step in ((high, 1), (low, -1)):
            first, weight = mode, 1.0
            while first != end and weight:
                last = min(first + BLOCK, end) if step > 0 else max(first - BLOCK, end)
                u = np.arange(first, last, step, dtype=np.float64)
                above, here = self.odds(u if step > 0 else u - 1)
                weights = weight * np.cumprod(above / here if step > 0 else here / above)
                total += float(weights.sum())
                tail += float(weights[u + step >= least].sum())
                first, weight = last, float(weights[-1])
        return tail / total

    def windows(self, low: Array, high: Array) -> Windows:
        """Return windows of all rows, as wide as the widest, that reach from `low` to `high`."""
        mode = self.modes()
        below, above = (max(0, int(reach.max())) for reach in (mode - low, high - mode))
        return Windows(mode[:, 0].astype(np.int64) - below, self.around(mode, below, above).weights)

    def around(self, mode: Array, below: int, above: int) -> Weighted:
        """Return so many values around the modes of all rows, none beyond its support."""
        u = np.clip(mode + np.arange(-below, above + 1), *self.support)
        pmf = np.ones_like(u)
        more, here = self.odds(u[:, below:-1])
        there, less = self.odds(u[:, below:0:-1] - 1)
        # A ratio is 0 at the end of the support, and with it all that lies beyond; 0/0 is, too.
        with np.errstate(invalid="ignore"):
            up, down = more / here, less / there
        if self.s > 0:
            up, down = np.nan_to_num(up, copy=False), np.nan_to_num(down, copy=False)
        np.cumprod(up, axis=1, out=pmf[:, below + 1 :])
        pmf[:, :below] = np.cumprod(down, axis=1)[:, ::-1]
        pmf /= pmf.sum(axis=1, keepdims=True)
        return Weighted(u, pmf)

    def _mode(self) -> int:
        a, b = self.a - self.s, self.b - self.s
        if min(a, b) <= 0:
            return 0 if a <= b else self.size
        return floor((self.size + 1) * (a / (a + b)))


def hypergeometric(
    n_positive: int, n_negative: int, n_predicted: int, *, depth: float = DEPTH
) -> Window:
    """Return the law of the positives among `n_predicted` cases drawn without replacement.

    Examples
    --------
    >>> from baserate._windows import hypergeometric
    >>> hypergeometric(3, 5, 4).pmf * 70
    array([ 5., 30., 30.,  5.])
    """
    span = hypergeometric_span(n_positive, n_negative, n_predicted, depth=depth)
    return Urn(n_predicted, n_positive, n_negative, -1).window(*span)


def hypergeometric_rows(
    n_positive: int, n_negative: int, n_predicted: Integers, *, depth: float = DEPTH
) -> Weighted:
    """Return the windows of many numbers of draws, one a row; `depth` inf takes whole supports.

    Values count from the modes. A row is padded by repeating an end of its support, at weight 0.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate._windows import hypergeometric_rows
    >>> hypergeometric_rows(3, 5, np.array([0, 4])).weights * 70
    array([[ 0.,  0., 70.,  0.],
           [ 5., 30., 30.,  5.]])
    """
    urn = Urn(n_predicted[:, None].astype(np.float64), n_positive, n_negative, -1)
    reach = widest_reach(n_positive, n_negative, int(n_predicted[0]), int(n_predicted[-1]), depth)
    mode, (low, high) = urn.modes(), urn.support
    below, above = (int(min(reach, side.max())) for side in (mode - low, high - mode))
    return urn.around(mode, below, above)


def widest_reach(
    n_positive: int, n_negative: int, first: int, last: int, depth: float = DEPTH
) -> float:
    """Bound how far from their modes the laws of first to last draws have to be followed."""
    if depth == inf:
        return inf
    widest = min(max((n_positive + n_negative) // 2, first), last)
    return ceil(_bernstein(_spread(n_positive, n_negative, widest), depth)) + 2


def binomial(n: int, p: float, q: float | None = None) -> Window:
    """Return the law of the number of successes in n independent trials; q is 1 - p.

    Examples
    --------
    >>> from baserate._windows import binomial
    >>> binomial(4, 0.5).pmf * 16
    array([1., 4., 6., 4., 1.])
    """
    q = 1 - p if q is None else q
    return Urn(n, p, q, 0).window(*binomial_span(n, p, q))


def hypergeometric_support(n_positive: int, n_negative: int, n_predicted: int) -> tuple[int, int]:
    """Return the least and the greatest value that are possible."""
    return max(0, n_predicted - n_negative), min(n_positive, n_predicted)


def hypergeometric_span(
    n_positive: int, n_negative: int, n_predicted: int, *, depth: float = DEPTH
) -> tuple[int, int]:
    """Return the ends of the window, without computing it."""
    n = n_positive + n_negative
    if n == 0:
        return 0, 0
    mean, spread = n_positive * n_predicted / n, _spread(n_positive, n_negative, n_predicted)
    return _span(mean, spread, depth, hypergeometric_support(n_positive, n_negative, n_predicted))


def binomial_span(
    n: int, p: float, q: float | None = None, *, depth: float = DEPTH
) -> tuple[int, int]:
    """Return the ends of the window, without computing it."""
    q = 1 - p if q is None else q
    if not (p and q):
        return (n, n) if p else (0, 0)
    return _span(n * p, n * p * q, depth, (0, n))


def beta_binomial_span(n: int, a: float, b: float, *, depth: float = DEPTH) -> tuple[int, int]:
    """Return the ends of the window, without computing it.

    The count is sub-gamma, of its own variance and of scale 1 + n c with c the number below. Given
    the chance p, the logarithm of its moment generating function is concave in p, so that the
    tangent at the mean bounds it; and Beta(a, b) is sub-gamma of scale c: the Riccati equation of
    its cumulants, less a negative square, has a solution whose coefficients fall at least like the
    powers of c.

    References
    ----------
    Boucheron, Lugosi, Massart (2013), Concentration Inequalities, section 2.4,
    doi:10.1093/acprof:oso/9780199535255.001.0001.
    """
    if not (a and b and n):
        return (0, 0) if b or not n else (n, n)
    total = a + b
    mean, c = n * (a / total), abs(b - a) / total / (total + 2)
    variance = n * (a / total) * (b / total) * ((total + n) / (total + 1))
    reach = depth * (1 + n * c) + sqrt(2 * depth * variance)
    return max(0, floor(mean - reach)), min(n, ceil(mean + reach))


def _span(mean: float, spread: float, depth: float, support: tuple[int, int]) -> tuple[int, int]:
    """Bound both tails by Bernstein's inequality; Hoeffding lends it to draws without return."""
    reach = _bernstein(spread, depth)
    low, high = support
    return max(low, floor(mean - reach)), min(high, ceil(mean + reach))


def _spread(p: int, q: int, k: int) -> float:
    n = max(p + q, 1)
    return min(min(k, n - k) * (p * q / n / n), min(p, q) * (k * (n - k) / n / n))


def _bernstein(spread: float, depth: float) -> float:
    return depth / 3 + sqrt(depth * depth / 9 + 2 * depth * spread)
