"""Intervals for a proportion, x successes among m = x + y trials."""

from scipy.special import betainccinv, betaincinv, ndtri


def jeffreys(x: float, y: float, confidence_level: float) -> tuple[float, float]:
    """Return the central quantiles of Beta(x + 1/2, y + 1/2), also at x = 0 and y = 0."""
    tail = (1 - confidence_level) / 2
    a, b = x + 0.5, y + 0.5
    return float(betaincinv(a, b, tail)), float(betainccinv(a, b, tail))


def clopper_pearson(x: int, y: int, confidence_level: float) -> tuple[float, float]:
    """Return the ends at which either binomial tail has (1 - confidence_level) / 2."""
    tail = (1 - confidence_level) / 2
    low = float(betaincinv(x, y + 1, tail)) if x else 0.0
    high = float(betainccinv(x + 1, y, tail)) if y else 1.0
    return low, high


def wilson(x: int, y: int, confidence_level: float) -> tuple[float, float]:
    """Return the two p with |x/m - p| = z sqrt(p (1 - p) / m)."""
    m, z = x + y, float(-ndtri((1 - confidence_level) / 2))
    centre, other = x + z * z / 2, y + z * z / 2
    half = z * (x / m * y + z * z / 4) ** 0.5
    low = (centre - half) / (m + z * z) if x else 0.0
    high = 1 - (other - half) / (m + z * z) if y else 1.0
    return low, high
