"""Incomplete beta functions for any parameters, and the limits that are quantiles of beta laws.

SciPy's functions, and an expansion where both parameters are large. From 1e8 on SciPy's quantiles
are off by up to 3e-7 of a standard deviation, from 1e11 on by up to 1e-2 of one and its
probabilities by up to a tenth of their size, after a second of search. There Temme's expansion has
all the digits that x has. With
r = a + b, p = a/r, q = b/r and w = (x - p) sqrt(r/(p q)), the place in standard deviations,

    z² = 2 a log(p/x) + 2 b log(q/(1 - x)), of the sign of w,
    I  = Φ(z) - K φ(z) ((z/w - 1)/z + 2 d₃ + 3 d₄ z + ...),

where K is Γ*(r)/(Γ*(a) Γ*(b)), Γ* the factor by which Stirling's formula is wrong, and dⱼ are the
coefficients of z/w as a power series in z. What is left out is of the order of min(a, b)^(-5/2).

N. M. Temme, The uniform asymptotic expansion of a class of integrals related to cumulative
distribution functions, SIAM Journal on Mathematical Analysis 13 (1982), 239-253.
"""

from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array

LARGE = 1e6  # from here on, of the smaller parameter
FARTHEST = 60.0  # standard deviations beyond which lies nothing that a float could hold
MOST_STEPS = 20  # of Newton's method, which takes four
SETTLED = 1e-14
# (2 (e - log(1 + e))/e² - 1)/e as a power series: its e are below 60/sqrt(LARGE)
BEND = tuple((-1) ** j * 2 / (j + 2) for j in range(1, 16))


def betainc(a: Any, b: Any, x: Any) -> Any:
    """P(X <= x) under Beta(a, b).

    Examples
    --------
    The median of a trillion successes and as many failures, by symmetry.

    >>> from baserate._beta import betainc
    >>> float(betainc(1e12, 1e12, 0.5))
    0.5
    """
    return _routed(lambda *given: _at(*given).lower, "betainc", a, b, x)


def betaincc(a: Any, b: Any, x: Any) -> Any:
    """P(X > x) under Beta(a, b)."""
    return _routed(lambda *given: _at(*given).upper, "betaincc", a, b, x)


def betaincinv(a: Any, b: Any, y: Any) -> Any:
    """Return x with P(X <= x) = y."""
    return _routed(lambda a, b, y: _quantile(a, b, y, 1 - y), "betaincinv", a, b, y)


def betainccinv(a: Any, b: Any, y: Any) -> Any:
    """Return x with P(X > x) = y."""
    return _routed(lambda a, b, y: _quantile(a, b, 1 - y, y), "betainccinv", a, b, y)


def _routed(ours: Any, name: str, a: Any, b: Any, at: Any) -> Any:
    from scipy import special  # here and below: who imports this file needs no SciPy yet

    scipys = getattr(special, name)
    large = np.minimum(a, b) >= LARGE
    if not large.any():
        return scipys(a, b, at)
    a, b, at, large = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (a, b, at)), large)
    found = np.empty(at.shape)
    for route, rows in ((ours, large), (scipys, ~large)):
        found[rows] = route(a[rows], b[rows], at[rows])
    return found[()]


class _Tails(NamedTuple):
    """Probabilities below and above a place, and the density there."""

    lower: Array
    upper: Array
    density: Array


def _at(a: Array, b: Array, x: Array) -> _Tails:
    r = a + b
    # The smaller of both shares is known to more digits.
    apart = np.where(a <= b, x - a / r, b / r - (1 - x))
    with np.errstate(over="ignore"):
        tails = _tails(a, b, apart * np.sqrt(r / a * r / b * r))
    below, above = x <= 0, x >= 1
    lower = np.where(below, 0.0, np.where(above, 1.0, tails.lower))
    return tails._replace(
        lower=lower, upper=np.where(below, 1.0, np.where(above, 0.0, tails.upper))
    )


def _tails(a: Array, b: Array, w: Array) -> _Tails:
    from numpy.polynomial.polynomial import polyval
    from scipy.special import ndtr

    w = np.clip(w, -FARTHEST, FARTHEST)
    r = a + b
    p, q = a / r, b / r
    # x = p (1 + s w) and 1 - x = q (1 - t w)
    s, t = np.sqrt(q / a), np.sqrt(p / b)
    slope = q * s * polyval(s * w, BEND, tensor=False)
    slope = slope - p * t * polyval(-t * w, BEND, tensor=False)  # ((z/w)² - 1)/w
    ratio = np.sqrt(1 + w * slope)
    z = w * ratio
    c1, c2, c3, c4 = ((2 / (i + 2)) * (p * t**i + (-1) ** i * q * s**i) for i in range(1, 5))
    third = c3 - 2 * c1 * c2 + c1**3
    fourth = 1.5 * c4 - 1.875 * (c2**2 + 2 * c1 * c3) + 6.5625 * c1**2 * c2 - 2.4609375 * c1**4
    height = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    height = height * np.exp((1 / r - 1 / a - 1 / b) / 12)
    moved = height * (slope / (ratio * (ratio + 1)) + third + fourth * z)
    density = height / ((1 + s * w) * (1 - t * w))
    return _Tails(ndtr(z) - moved, ndtr(-z) + moved, density)


def _quantile(a: Array, b: Array, below: Array, above: Array) -> Array:
    """Return x where these probabilities lie on either side, the smaller of which rules."""
    from scipy.special import ndtri

    low = below < above
    aim = np.clip(np.where(low, below, above), np.finfo(float).tiny, None)
    sign = np.where(low, 1.0, -1.0)
    score = sign * ndtri(aim)
    skew = 2 * (b - a) / (a + b) * np.sqrt(1 / a + 1 / b)
    w = score + skew * (score**2 - 1) / 6
    for _ in range(MOST_STEPS):  # in the logarithm of the tail, which bends little
        tails = _tails(a, b, w)
        tail = np.where(low, tails.lower, tails.upper)
        step = sign * np.log(aim / tail) * tail / tails.density
        w = w + step
        if not (np.abs(step) > SETTLED * (1 + np.abs(w))).any():
            break
    x = a / (a + b) * (1 + np.sqrt(b / a / (a + b)) * w)
    return np.where(below <= 0, 0.0, np.where(above <= 0, 1.0, x))


def clopper_pearson(hits: Any, rest: Any, confidence_level: float) -> tuple[Any, Any]:
    """Return the shares at which either binomial tail has (1 - confidence_level) / 2.

    Arrays broadcast; parts of cases, such as weights that sum to an effective number, are welcome.

    Examples
    --------
    Nobody among ten: the "rule of three", to the digit, is 1 - 0.025^(1/10).

    >>> from baserate._beta import clopper_pearson
    >>> low, high = clopper_pearson(0, 10, 0.95)
    >>> float(low), round(float(high), 4), round(1 - 0.025**0.1, 4)
    (0.0, 0.3085, 0.3085)
    """
    tail = (1 - confidence_level) / 2
    high = betainccinv(hits + 1, np.where(rest > 0, rest, 1), tail)
    return lower_limit(hits, rest, tail), np.where(rest > 0, high, 1.0)


def lower_limit(hits: Any, rest: Any, error: Any) -> Array:
    """Return the lower limit of the share of hits that is too high with this error at most.

    The p at which Binomial(hits + rest, p) reaches the hits or more with probability `error`.
    """
    found = betaincinv(np.where(hits > 0, hits, 1), rest + 1, error)
    return np.where(hits > 0, found, 0.0)


def matching_beta(mean: Any, rest: Any, variance: Any, least: float = 0.0) -> tuple[Any, Any]:
    """Return the parameters of the beta law with this mean, 1 - mean (`rest`) and variance.

    They sum to `least` at least, where no beta law varies so much.

    Examples
    --------
    >>> from baserate._beta import matching_beta
    >>> a, b = matching_beta(0.25, 0.75, 0.0375)
    >>> round(float(a), 9), round(float(b), 9)
    (1.0, 3.0)
    """
    size = np.maximum(mean * rest / variance - 1, least)
    return mean * size, rest * size
