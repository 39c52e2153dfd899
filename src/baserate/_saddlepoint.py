"""The saddle-point form of laws of counts: logarithms, and rules with few nodes for long windows.

A rule takes every so many values of a window. Weights are relative to the mean counts, whose
deviations are computed without cancellation. Sums of smooth functions over steps of a third of a
standard deviation err by about exp(-177).

References
----------
Loader (2000), Fast and accurate computation of binomial probabilities, Bell Laboratories.
"""

from math import lgamma, log, pi, sqrt
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._windows import beta_binomial_span, binomial_span, hypergeometric, hypergeometric_span

# Stirling's series to x^-5 errs by less than an ulp of one from here on.
_STIRLING = 50
# What Stirling's formula for log n! misses, up to there.
_FACTORIALS = np.array(
    [0.0]
    + [lgamma(n + 1) - (n + 0.5) * log(n) + n - log(2 * pi) / 2 for n in range(1, _STIRLING + 1)]
)


def hypergeometric_log_pmf(n_positive: int, n_negative: int, n_predicted: Any, t: Any) -> Array:
    """Return log P(t) for arrays of whole t and draws; both classes and both margins hold cases.

    All cells are compared with their means, so that nothing cancels: 12 digits of P(t) remain.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate._saddlepoint import hypergeometric_log_pmf
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


def strided_hypergeometric(
    n_positive: int, n_negative: int, n_predicted: int
) -> tuple[Array, Array] | None:
    """Return about 60 equidistant values and their weights, however large the counts are.

    The step is a third of a standard deviation. None where a count of the window is below 50, or
    where the step would be one.

    Examples
    --------
    >>> from baserate._saddlepoint import strided_hypergeometric
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
    >>> from baserate._saddlepoint import strided_binomial
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
    >>> from baserate._saddlepoint import strided_beta_binomial
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
