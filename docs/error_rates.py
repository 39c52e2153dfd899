"""How often the two-sided test of a rate rejects when group and reference are alike: exact sums."""

import numpy as np

from baserate.groups.tables import SAME, pmf, tails_of
from baserate.models import DirichletMultinomial, Multinomial


def match_error_rate(
    *,
    rate: float,
    n: int,
    n_reference: int,
    alpha: float = 0.05,
    uncertain_reference: bool = True,
    mid_p: bool = False,
    dealt: bool = False,
) -> float:
    """Return the size of the test, over samples of the group and of the reference.

    Both counts, of denominators n and n_reference, are binomial with the same rate, and every pair
    of them is summed. Of the `mid_p`, or where all cases are `dealt` out, as in an audit.
    """
    outcomes = np.arange(n + 1)
    group, reference = (_successes(k, rate, 1 - rate, known=True) for k in (n, n_reference))
    total = 0.0
    for hits, chance in enumerate(reference):
        if not chance > 0:
            continue
        known = not uncertain_reference
        a, b = (hits, n_reference - hits) if known else (hits + 0.5, n_reference - hits + 0.5)
        laws = ((a, b),) * 2
        if dealt:  # see `dealt_laws`; P(X = x) is what either tail loses to the other's complement
            laws = (hits, n_reference - hits + 1), (hits + 1, n_reference - hits)
        (lower, _), (_, upper) = (
            tails_of(outcomes, _successes(n, *one, known=known)) for one in laws
        )
        half = (lower + upper - 1) / 2 if mid_p else 0.0
        p = 2 * np.minimum(lower - half, upper - half)
        total += chance * float(group[p <= alpha * SAME].sum())
    return float(min(1.0, total))


def _successes(n: int, a: float, b: float, *, known: bool) -> np.ndarray:
    """Return the law of successes: binomial, or beta-binomial."""
    if known:
        return pmf(Multinomial(n=n, cells=(a, b, 0, 0)).split(a, b, n), n)
    return pmf(DirichletMultinomial(n=n, concentration=(a, b, 0, 0)).split(a, b, n), n)
