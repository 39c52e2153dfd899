"""How often the test of a rate errs when group and reference are alike, over samples of both."""

import numpy as np

from baserate._checks import number_in, whole_number
from baserate._windows import Array
from baserate.groups._tables import pmf, tails_of
from baserate.models import DirichletMultinomial, Multinomial

# p-values summed in different orders differ in their last digits.
_SAME = 1 + 1e-9


def match_error_rate(
    *,
    rate: float,
    n: int,
    n_reference: int,
    alpha: float = 0.05,
    uncertain_reference: bool = True,
    mid_p: bool = False,
) -> float:
    """Return how often the two-sided test of a rate rejects when group and reference are alike.

    Both counts are binomial with the same rate, and every pair of them is summed: the size of the
    test over samples of the group and of the reference.

    Parameters
    ----------
    rate : float in [0, 1]
    n, n_reference : int
        The denominators, such as the positives of recall.
    alpha : float in (0, 1)
    uncertain_reference : bool
        As in `match_test`.
    mid_p : bool
        Whether `mid_p` is compared with alpha, instead of `p_value`.

    Examples
    --------
    A reference as small as the group, taken as the truth, triples the error rate:

    >>> round(match_error_rate(rate=0.2, n=100, n_reference=100, uncertain_reference=False), 3)
    0.146
    >>> round(match_error_rate(rate=0.2, n=100, n_reference=100), 3)
    0.042
    """
    theta = number_in("rate", rate, "[0, 1]", "pass a share")
    n, size = whole_number("n", n, minimum=1), whole_number("n_reference", n_reference, minimum=1)
    level = number_in("alpha", alpha, "(0, 1)", "0.05 is usual")
    outcomes = np.arange(n + 1)
    group, reference = (_successes(k, theta, 1 - theta, known=True) for k in (n, size))
    total = 0.0
    for hits, chance in enumerate(reference):
        if not chance > 0:
            continue
        known = not uncertain_reference
        a, b = (hits, size - hits) if known else (hits + 0.5, size - hits + 0.5)
        law = _successes(n, a, b, known=known)
        tails = tails_of(outcomes, law)
        half = law / 2 if mid_p else 0.0
        p = 2 * np.minimum(tails.lower - half, tails.upper - half)
        total += chance * float(group[p <= level * _SAME].sum())
    return float(min(1.0, total))


def _successes(n: int, a: float, b: float, *, known: bool) -> Array:
    """Return the law of successes: binomial, or beta-binomial."""
    if known:
        return pmf(Multinomial(n=n, cells=(a, b, 0, 0)).split(a, b, n), n)
    return pmf(DirichletMultinomial(n=n, concentration=(a, b, 0, 0)).split(a, b, n), n)
