"""Every table of n cases, a slab at a time, so that counting them needs little memory."""

from collections.abc import Callable, Iterator
from math import comb
from typing import Any

import numpy as np

from baserate.counts import ConfusionMatrix
from baserate.errors import UnsupportedError

BUDGET = 20_000_000  # tables that are looked at one by one: a few seconds


def n_tables(n: int) -> int:
    """Return C(n + 3, 3), the number of tables of n cases.

    Examples
    --------
    >>> n_tables(8)
    165
    """
    return comb(n + 3, 3)


def slabs(n: int) -> Iterator[ConfusionMatrix]:
    """Yield the tables of n cases, those with the same true positives together."""
    for tp in range(n + 1):
        rest = n - tp
        fn, fp = np.triu_indices(rest + 1)
        fp = fp - fn
        yield ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=rest - fn - fp)


def count_tables(
    n: int, condition: Callable[[ConfusionMatrix], Any], *, subject: str, remedy: str
) -> int:
    """Return how many tables of n cases meet a condition, by looking at each.

    Raises
    ------
    UnsupportedError
        There are more than 20 million.
    """
    if n_tables(n) > BUDGET:
        raise UnsupportedError(
            f"{subject} has no closed form, and looking at all {n_tables(n):,} tables of {n} cases "
            f"is too long (at most {BUDGET:,}): {remedy}."
        )
    return sum(int(np.count_nonzero(condition(slab))) for slab in slabs(n))
