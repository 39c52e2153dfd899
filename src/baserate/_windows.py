"""Windows: the stretch of a count's law that carries all of its mass, and rules with few nodes.

Weights come from the ratio of neighbours, taken outward from the mode and divided by their own sum.
Routes through the logarithm of the gamma function lose digits as counts grow (relative errors of
1e-8 at 10^8 cases); this one does not. Counts below 2^53 are exact.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate.errors import UnsupportedError

Array = NDArray[np.float64]

# The mass left outside a window is below 2 exp(-depth): 6e-20, or the whole range of a double.
DEPTH = 45.0
DEEP = 700.0
LONGEST = 40_000_000  # values of a law that fit in memory and a few seconds

# Stirling's series to x^-5 errs by less than an ulp of one from here on.
_STIRLING = 50


class Window(NamedTuple):
    """Consecutive values from `start` on, with their probabilities; they sum to one."""

    start: int
    pmf: Array

    @property
    def values(self) -> Array:
        """The values themselves, as floats."""
        return np.arange(self.start, self.start + len(self.pmf), dtype=np.float64)


class Nodes(NamedTuple):
    """Points and weights that stand for a law; exact, or exact for smooth functions."""

    values: Array
    weights: Array


def hypergeometric(
    n_positive: int, n_negative: int, n_predicted: int, *, depth: float = DEPTH
) -> Window:
    """Return the law of the positives among `n_predicted` cases drawn without replacement.

    Examples
    --------
    >>> hypergeometric(3, 5, 4).pmf * 70
    array([ 5., 30., 30.,  5.])
    """
    low, high = hypergeometric_span(n_positive, n_negative, n_predicted, depth=depth)
    spare = n_negative - n_predicted
    mode = (n_predicted + 1) * (n_positive + 1) // (n_positive + n_negative + 2)
    return _outward(
        low,
        min(max(mode, low), high),
        high,
        lambda t: (n_positive - t) * (n_predicted - t) / ((t + 1) * (spare + t + 1)),
    )


def binomial(n: int, p: float, *, depth: float = DEPTH) -> Window:
    """Return the law of the number of successes in n independent trials.

    Examples
    --------
    >>> binomial(4, 0.5).pmf * 16
    array([1., 4., 6., 4., 1.])
    """
    low, high = binomial_span(n, p, depth=depth)
    if low == high:
        return Window(low, np.ones(1))
    odds = p / (1 - p)
    mode = min(max(floor((n + 1) * p), low), high)
    return _outward(low, mode, high, lambda t: odds * (n - t) / (t + 1))


def beta_binomial(n: int, a: float, b: float, *, depth: float = DEPTH) -> Window:
    """Return the law of the successes in n trials whose chance is drawn once from Beta(a, b).

    Where a or b is below one the law falls away from an end of its support, or from both; then the
    recurrence starts at that end.

    Examples
    --------
    >>> beta_binomial(4, 1, 2).pmf * 15
    array([5., 4., 3., 2., 1.])
    """
    low, high = beta_binomial_span(n, a, b, depth=depth)
    if low == high:
        return Window(low, np.ones(1))
    if a > 1 and b > 1:
        mode = floor((n + 1) * ((a - 1) / (a + b - 2)))
    else:
        mode = low if a <= b else high
    return _outward(
        low,
        min(max(mode, low), high),
        high,
        lambda t: (n - t) * (a + t) / ((t + 1) * (b + (n - 1 - t))),
    )


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
    rest = n - n_predicted
    truth, guess = n_positive * n_negative / n / n, n_predicted * rest / n / n
    spread = min(min(n_predicted, rest) * truth, min(n_positive, n_negative) * guess)
    mean = n_positive * n_predicted / n
    return _span(mean, spread, depth, hypergeometric_support(n_positive, n_negative, n_predicted))


def binomial_span(n: int, p: float, *, depth: float = DEPTH) -> tuple[int, int]:
    """Return the ends of the window, without computing it."""
    if p in {0, 1}:
        return (n, n) if p else (0, 0)
    return _span(n * p, n * p * (1 - p), depth, (0, n))


def beta_binomial_span(n: int, a: float, b: float, *, depth: float = DEPTH) -> tuple[int, int]:
    """Return the ends of the window, without computing it.

    Given the chance p, the logarithm of the moment generating function is concave in p, hence below
    its tangent at the mean; what is left is that of Beta(a, b), for which Skorski gives Bernstein's
    bound. Both together are sub-gamma: variance that of the count, scale 1 + n c.

    References
    ----------
    Skorski (2023), Bernstein-type bounds for Beta distribution, Modern Stochastics: Theory and
    Applications 10:211, doi:10.15559/23-VMSTA223.
    """
    if not (a and b and n):
        return (0, 0) if b or not n else (n, n)
    total = a + b
    mean, skew = n * (a / total), 2 * abs(b - a) / total / (total + 2)
    spread = n * (a / total) * (b / total) * ((total + n) / (total + 1))
    reach = depth * (1 + n * skew)
    reach += sqrt(reach * reach + 2 * depth * spread)
    return max(0, floor(mean - reach)), min(n, ceil(mean + reach))


def strided_hypergeometric(
    n_positive: int, n_negative: int, n_predicted: int
) -> tuple[Array, Array] | None:
    """Return about 60 equidistant values and their weights, however large the counts are.

    The step is a third of a standard deviation; sums of smooth functions then err by about
    exp(-177). The weights are the saddle-point form of the law, whose deviations from the four mean
    counts are computed without cancellation. None where a count of the window is below 50, or where
    the step would be one.

    References
    ----------
    Loader (2000), Fast and accurate computation of binomial probabilities, Bell Laboratories.

    Examples
    --------
    >>> tp, weights = strided_hypergeometric(10**9, 9 * 10**9, 5 * 10**9)
    >>> len(tp), round(float(weights @ tp) / 5e8, 12)
    (61, 1.0)
    """
    n, k = n_positive + n_negative, n_predicted
    low, high = hypergeometric_span(n_positive, n_negative, k)
    if min(low, n_positive - high, k - high, n_negative - k + low) <= _STIRLING:
        return None
    means = [a * b / n for a in (k, n - k) for b in (n_positive, n_negative)]
    step = int(sqrt(means[0] * (means[3] / (n - 1))) / 3)
    if step <= 1:
        return None
    # The distance to the mean is an integer over n: exact before its one rounding.
    first = (low * n - k * n_positive) / n
    steps = np.arange(0, high - low + 1, step, dtype=np.float64)
    deviation = first + steps
    signs = (1, -1, -1, 1)
    logs = sum(_saddle(mean, sign * deviation) for mean, sign in zip(means, signs, strict=True))
    weights = np.exp(logs - np.max(logs))
    return low + steps, weights / weights.sum()


def thinned_hypergeometric(
    n_positive: int, n_negative: int, n_predicted: int, *, longest: int = 1000
) -> tuple[Array, Array]:
    """Return values and weights: the whole window, or strided where it is longer than `longest`."""
    low, high = hypergeometric_span(n_positive, n_negative, n_predicted)
    if high - low >= longest:
        thin = strided_hypergeometric(n_positive, n_negative, n_predicted)
        if thin is not None:
            return thin
    window = hypergeometric(n_positive, n_negative, n_predicted)
    return window.values, window.pmf


@lru_cache(maxsize=256)
def krawtchouk(n: float, p: float, m: int) -> Nodes:
    """Return the Gauss rule of m nodes for the binomial law: exact to degree 2m - 1.

    Nodes are eigenvalues of the Jacobi matrix of the Krawtchouk polynomials, here in units of the
    standard deviation around the mean, so that nothing cancels at any n.

    References
    ----------
    Golub and Welsch (1969), Mathematics of Computation 23:221,
    doi:10.1090/S0025-5718-69-99647-1.

    Examples
    --------
    >>> nodes, weights = krawtchouk(1000, 0.3, 24)
    >>> round(float(weights @ nodes), 9), round(float(weights @ (nodes - 300) ** 2), 9)
    (300.0, 210.0)
    """
    from scipy.linalg import eigh_tridiagonal

    sd = sqrt(n * p * (1 - p))
    j = np.arange(m)
    diagonal = j * ((1 - 2 * p) / sd)
    beside = np.sqrt(j[1:] * (n - j[1:] + 1) / n)
    x, vectors = eigh_tridiagonal(diagonal, beside)
    weights = vectors[0] ** 2
    nodes = Nodes(n * p + sd * x, weights / weights.sum())
    for part in nodes:
        part.flags.writeable = False
    return nodes


def _span(mean: float, spread: float, depth: float, support: tuple[int, int]) -> tuple[int, int]:
    """Bound both tails by Bernstein's inequality; Hoeffding lends it to draws without return."""
    reach = depth / 3 + sqrt(depth * depth / 9 + 2 * depth * spread)
    low, high = support
    return max(low, floor(mean - reach)), min(high, ceil(mean + reach))


def _outward(low: int, mode: int, high: int, ratio: Callable[[Array], Any]) -> Window:
    """Multiply ratios of neighbours away from the mode; `ratio(t)` is w(t + 1) / w(t)."""
    if high - low > LONGEST:
        raise UnsupportedError(
            f"An exact law here has {high - low:,} values that matter, and at most {LONGEST:,} are "
            "summed one by one: with so many cases chance hardly varies; compare with its mean."
        )
    up = np.cumprod(ratio(np.arange(mode, high, dtype=np.float64)))
    down = np.cumprod(1 / ratio(np.arange(mode - 1, low - 1, -1, dtype=np.float64)))
    weights = np.concatenate((down[::-1], (1.0,), up))
    return Window(low, weights / weights.sum())


def _saddle(mean: float, deviation: Array) -> Array:
    """Return -log of count! up to constants, at count = mean + deviation, relative to the mean."""
    count = mean + deviation
    square = count * count
    stirling = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / count
    return -_deviance(mean, deviation) - np.log(count / mean) / 2 - stirling


def _deviance(mean: float, deviation: Array) -> Array:
    """Return x log(x / mean) + mean - x at x = mean + deviation, small deviations by a series."""
    count = mean + deviation
    v = deviation / (count + mean)
    series = np.zeros_like(v)
    for j in range(8, 0, -1):
        series = v * v * (series + 1 / (2 * j + 1))
    near = deviation * v + 2 * count * v * series
    far = count * np.log(count / mean) - deviation
    return np.where(np.abs(v) < 0.1, near, far)
