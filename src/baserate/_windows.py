"""Windows: the stretch of a count's law that carries all of its mass, and rules with few nodes.

Weights come from the ratio of neighbours, taken outward from the mode and divided by their own sum.
Routes through the logarithm of the gamma function lose digits as counts grow (relative errors of
1e-8 at 10^8 cases); this one does not. Counts below 2^53 are exact.
"""

from collections.abc import Callable
from math import ceil, floor, inf, lgamma, log, pi, sqrt
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
# What Stirling's formula for log n! misses, up to there.
_FACTORIALS = np.array(
    [0.0]
    + [lgamma(n + 1) - (n + 0.5) * log(n) + n - log(2 * pi) / 2 for n in range(1, _STIRLING + 1)]
)


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
    mode = (n_predicted + 1) * (n_positive + 1) // (n_positive + n_negative + 2)

    def ratio(t: Array) -> Array:
        up, down = hypergeometric_ratio(n_positive, n_negative, n_predicted, t)
        return up / down

    return _outward(low, min(max(mode, low), high), high, ratio)


def hypergeometric_ratio(
    n_positive: Any, n_negative: Any, n_predicted: Any, t: Any
) -> tuple[Any, Any]:
    """Return P(t + 1) / P(t) as numerator and denominator, of whatever kind the numbers are."""
    above = (n_positive - t) * (n_predicted - t)
    return above, (t + 1) * (n_negative - n_predicted + t + 1)


def hypergeometric_rows(
    n_positive: int, n_negative: int, n_predicted: NDArray[np.int64], *, depth: float = DEPTH
) -> Nodes:
    """Return the windows of many numbers of draws, one a row; `depth` inf takes whole supports.

    Values count from the modes. A row is padded by repeating an end of its support, at weight 0.

    Examples
    --------
    >>> hypergeometric_rows(3, 5, np.array([0, 4])).weights * 70
    array([[ 0.,  0., 70.,  0.],
           [ 5., 30., 30.,  5.]])
    """
    p, q, k = n_positive, n_negative, n_predicted[:, None]
    low, high = np.maximum(0, k - q), np.minimum(p, k)
    mode = np.clip((k + 1) * (p + 1) // (p + q + 2), low, high)
    reach = widest_reach(p, q, int(k[0, 0]), int(k[-1, 0]), depth)
    below, above = (int(min(reach, side.max())) for side in (mode - low, high - mode))
    t = np.clip(mode + np.arange(-below, above + 1), low, high).astype(np.float64)
    weights = np.ones_like(t)
    # A ratio is 0 at the end of the support, and with it all that lies beyond.
    up, down = hypergeometric_ratio(p, q, k, t[:, below:-1])
    weights[:, below + 1 :] = np.cumprod(up / down, axis=1)
    down, up = hypergeometric_ratio(p, q, k, t[:, below:0:-1] - 1)
    weights[:, :below] = np.cumprod(up / down, axis=1)[:, ::-1]
    return Nodes(t, weights / weights.sum(axis=1, keepdims=True))


def widest_reach(
    n_positive: int, n_negative: int, first: int, last: int, depth: float = DEPTH
) -> float:
    """Bound how far from their modes the laws of first to last draws have to be followed."""
    if depth == inf:
        return inf
    widest = min(max((n_positive + n_negative) // 2, first), last)
    return ceil(_bernstein(_spread(n_positive, n_negative, widest), depth)) + 2


def hypergeometric_log_pmf(n_positive: int, n_negative: int, n_predicted: Any, t: Any) -> Array:
    """Return log P(t) for arrays of whole t and draws; both classes and both margins hold cases.

    All cells are compared with their means, so that nothing cancels: 12 digits of P(t) remain.

    Examples
    --------
    >>> np.exp(hypergeometric_log_pmf(3, 5, 4, np.array([1, 2]))) * 70
    array([30., 30.])
    """
    p, q, k = n_positive, n_negative, np.asarray(n_predicted)
    n = p + q
    off = (t * n - k * p) / n  # an integer over n: exact before its one rounding
    counts = (t, p - t, k - t, q - k + t)
    means = (k * (p / n), (n - k) * (p / n), k * (q / n), (n - k) * (q / n))
    cells = sum(map(_log_poisson, counts, means, (off, -off, -off, off)))
    return cells + _log_poisson(n, n) - sum(_log_poisson(m, m) for m in (p, q, k, n - k))


def binomial(n: int, p: float, q: float | None = None, *, depth: float = DEPTH) -> Window:
    """Return the law of the number of successes in n independent trials; q is 1 - p.

    Examples
    --------
    >>> binomial(4, 0.5).pmf * 16
    array([1., 4., 6., 4., 1.])
    """
    q = 1 - p if q is None else q
    low, high = binomial_span(n, p, q, depth=depth)
    if low == high:
        return Window(low, np.ones(1))
    odds = p / q
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
    mode = low if a <= b else high
    if min(a, b) > 1:
        mode = floor((n + 1) * ((a - 1) / (a + b - 2)))
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
    logs = (_saddle(m, s * (first + steps)) for m, s in zip(means, (1, -1, -1, 1), strict=True))
    return low + steps, _normalised(sum(logs))


def strided_binomial(
    n: int, p: float, q: float | None = None, *, step: int
) -> tuple[Array, Array] | None:
    """Return every step-th value of the window and its weight; None where a count is below 50.

    Examples
    --------
    >>> values, weights = strided_binomial(10**15, 0.25, step=10**7)
    >>> round(float(weights @ values) / 2.5e14, 12)
    1.0
    """
    q = 1 - p if q is None else q
    low, high = binomial_span(n, p, q)
    if min(low, n - high) <= _STIRLING:
        return None
    values = np.arange(low, high + 1, step, dtype=np.float64)
    deviation = values - n * p
    return values, _normalised(_saddle(n * p, deviation) + _saddle(n * q, -deviation))


def strided_beta_binomial(n: int, a: float, b: float, *, step: int) -> tuple[Array, Array] | None:
    """Return every step-th value of the window and its weight; None where a count is below 50.

    Examples
    --------
    >>> values, weights = strided_beta_binomial(10**15, 300, 900, step=10**12)
    >>> round(float(weights @ values) / 2.5e14, 12)
    1.0
    """
    low, high = beta_binomial_span(n, a, b)
    if min(low, n - high, a, b) <= _STIRLING:
        return None
    top, rest = (n * ((c - 1) / (a + b - 2)) for c in (a, b))  # where the slopes cancel
    values = np.arange(low, high + 1, step, dtype=np.float64)
    deviation = values - top
    logs = _saddle_pair(top, a - 1, deviation) + _saddle_pair(rest, b - 1, -deviation)
    return values, _normalised(logs)


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


def _normalised(logs: Any) -> Array:
    weights = np.exp(logs - np.max(logs))
    return weights / weights.sum()


def _saddle(mean: float, deviation: Array) -> Array:
    """Return -log of count! up to constants, at count = mean + deviation, relative to the mean."""
    count = mean + deviation
    return -_deviance(mean, deviation) - np.log(count / mean) / 2 - _stirling(count)


def _log_poisson(count: Any, mean: Any, deviation: Any = 0.0) -> Any:
    """Return the logarithm of the Poisson probability of a count, its deviation given exactly."""
    some = np.maximum(count, 1.0)
    small = np.minimum(some, _STIRLING).astype(np.int64)
    stirling = np.where(some > _STIRLING, _stirling(some), _FACTORIALS[small])
    there = -_deviance(mean, np.where(count > 0, deviation, 0.0)) - np.log(2 * pi * some) / 2
    return np.where(count > 0, there - stirling, -mean)


def _saddle_pair(mean: float, more: float, deviation: Array) -> Array:
    """Return log of (count + more)! / count! up to constants, relative to the mean.

    Where `more` is small beside the mean, both deviances are large and nearly equal; their
    difference is taken inside the logarithm.
    """
    above = mean + more
    if more >= mean:
        return _saddle(mean, deviation) - _saddle(above, deviation)
    lift = np.log1p(deviation * more / (mean * (above + deviation)))
    deviances = (mean + deviation) * lift - more * np.log1p(deviation / above)
    stirling = _stirling(mean + deviation) - _stirling(above + deviation)
    return -deviances - lift / 2 - stirling


def _stirling(count: Array) -> Array:
    square = count * count
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / count


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
