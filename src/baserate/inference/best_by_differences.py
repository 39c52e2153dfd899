"""Which of several is best, where only the law of each difference is known: Student's, jointly."""

from collections.abc import Mapping
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._checks import generator
from baserate.inference.best_of_several import Best
from baserate.inference.paired_clusters import DifferenceLaw

Array = NDArray[np.float64]

DRAWS = 100_000
TIE = 1e-12  # of the largest difference: what is equal but for rounding


def best_by_differences(
    k: int, laws: Mapping[tuple[int, int], DifferenceLaw], *, rng: Any, n_draws: int = DRAWS
) -> Best:
    """Return the confidence that each of k is best, from the laws of all differences.

    The differences from the first have the covariances (V_0i + V_0j - V_ij)/2 that the variances of
    all differences imply, and together a multivariate Student law, with the fewest degrees of
    freedom that any of them has: an approximation, for each difference has its own. It is
    simulated. For two, it is Student's law of their difference.

    Parameters
    ----------
    k : int
    laws : mapping of (i, j), i < j, to DifferenceLaw
    rng : seed or numpy.random.Generator
    n_draws : int

    Returns
    -------
    Best
        Chances are nan if a difference has no variance that is known: one cluster alone, or a yield
        that is undefined without one. Of equals, each has the same chance.

    References
    ----------
    Genz and Bretz (2009), Computation of Multivariate Normal and t Probabilities, Springer,
    doi:10.1007/978-3-642-01689-9, for the law.

    Examples
    --------
    Three with independent errors, equal but for luck:

    >>> from baserate.inference.best_by_differences import best_by_differences, DifferenceLaw
    >>> law = DifferenceLaw(difference=0.0, error=2**0.5, freedom=30.0, reach=9.0, reason=None)
    >>> found = best_by_differences(3, {(0, 1): law, (0, 2): law, (1, 2): law}, rng=0)
    >>> [round(p, 2) for p in found.probabilities], found.route
    ([0.33, 0.33, 0.33], 'simulation')
    """
    errors = np.array([law.error for law in laws.values()])
    if np.isnan(errors).any() or any(_untold(law) for law in laws.values()):
        return Best(probabilities=(nan,) * k, standard_errors=(0.0,) * k, route="undefined")
    rng = generator(rng)
    behind = np.array([-laws[0, j].difference for j in range(1, k)])
    root = _root(k, laws)
    freedom = min((law.freedom for law in laws.values() if law.error > 0), default=1.0)
    wide = np.sqrt(freedom / rng.chisquare(freedom, size=(n_draws, 1)))
    drawn = behind + wide * (rng.standard_normal((n_draws, k - 1)) @ root.T)
    yields = np.hstack([np.zeros((n_draws, 1)), drawn])
    tie = TIE * (np.abs(behind).max() + errors.max())
    first = yields >= yields.max(axis=1, keepdims=True) - tie
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return Best(
        probabilities=tuple(shares.tolist()),
        standard_errors=tuple(np.sqrt(shares * (1 - shares) / n_draws).tolist()),
        route="simulation",
    )


def _untold(law: DifferenceLaw) -> bool:
    """Whether nothing shows how sure a difference is; two that are equal in every way have none."""
    equal = law.error == law.difference == 0
    return isnan(law.difference) or (law.reason is not None and not equal)


def _root(k: int, laws: Mapping[tuple[int, int], DifferenceLaw]) -> Array:
    """Return a square root of the covariance of the differences from the first."""
    variance = np.zeros((k, k))
    for (i, j), law in laws.items():
        variance[i, j] = variance[j, i] = law.error**2
    first = variance[0, 1:]
    covariance = (first[:, None] + first[None, :] - variance[1:, 1:]) / 2
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
