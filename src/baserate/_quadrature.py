"""Gauss quadrature for Beta weights: nodes as odds, so that neither end of [0, 1] loses digits."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from baserate._arrays import Array


class Nodes(NamedTuple):
    """Points x of [0, 1] as odds x/(1 - x), and the weight of each."""

    odds: Array
    weights: Array


@lru_cache(maxsize=256)
def beta_nodes(a: float, b: float, n: int) -> Nodes:
    """Return the Gauss rule of n nodes for Beta(a, b), for any a, b > 0; weights sum to one.

    The nodes are the eigenvalues of the tridiagonal Jacobi matrix (Golub and Welsch), whose entries
    come from the canonical moments of the Beta law: sums and products of positive terms, so
    nothing cancels and nothing overflows. The smaller side of [0, 1] is the one computed.

    References
    ----------
    Golub and Welsch (1969), Mathematics of Computation 23:221,
    doi:10.1090/S0025-5718-69-99647-1. Dette and Studden (1997), The Theory of Canonical Moments,
    Wiley, section 1.5.

    Examples
    --------
    >>> from baserate._quadrature import beta_nodes
    >>> odds, weights = beta_nodes(1.0, 1.0, 3)
    >>> x = odds / (1 + odds)
    >>> print(round(float(weights @ x**4), 12))
    0.2
    """
    if a > b:
        odds, weights = beta_nodes(b, a, n)
        return _frozen(1 / odds[::-1], weights[::-1])
    from scipy.linalg import eigh_tridiagonal  # slow to load

    x, vectors = eigh_tridiagonal(*_jacobi(a, b, n))
    weights = vectors[0] ** 2
    return _frozen(x / (1 - x), weights / weights.sum())


@lru_cache(maxsize=64)
def legendre_nodes(n: int) -> tuple[Array, Array]:
    """Return the Gauss-Legendre rule of n nodes on [0, 1]."""
    x, weights = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, weights / 2


def _jacobi(a: float, b: float, n: int) -> tuple[Array, Array]:
    k = np.arange(1, n + 1)
    odd = (a + k - 1) / (a + b + 2 * k - 2)  # canonical moments p_1, p_3, ...
    even = k / (a + b + 2 * k - 1)  # p_2, p_4, ...
    rest_odd, rest_even = (b + k - 1) / (a + b + 2 * k - 2), (a + b + k - 1) / (a + b + 2 * k - 1)
    up = odd * np.concatenate(([1.0], rest_even[:-1]))
    down = even * rest_odd
    diagonal = up + np.concatenate(([0.0], down[:-1]))
    return diagonal, np.sqrt(up * down)[: n - 1]


def _frozen(odds: Array, weights: Array) -> Nodes:
    odds, weights = np.ascontiguousarray(odds), np.ascontiguousarray(weights)
    odds.flags.writeable = weights.flags.writeable = False
    return Nodes(odds, weights)
