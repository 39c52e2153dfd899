"""Holes: how many tables of a size leave a metric without a value."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb
from typing import Any, cast

import numpy as np

from baserate._checks import whole_number
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.pairs import PairMetric, find_pair, zero_at
from baserate.metrics import Metric, binary_metric

BUDGET = 20_000_000  # tables that are looked at one by one: a few seconds
Sizes = tuple[int, int]


def count_undefined(metric: str | Metric | PairMetric, n: Any) -> int:
    """Return the number of tables of n cases at which a metric is undefined, its holes.

    A metric of the catalogue has a closed form. Where declared sums of counts say it all, it is
    inclusion and exclusion over them, as in n + 1 for recall; the strict prevalence threshold has
    P(n) + 2n + 1, P(n) = Σ gcd(r, n) over r = 1..n (Pillai). A user's metric without declared sums
    is looked at table by table.

    Parameters
    ----------
    metric : Metric or PairMetric, or a name of either
    n : int, or (n1, n2) for a metric of two tables

    Returns
    -------
    int
        Of C(n + 3, 3) tables; of C(n1 + 3, 3) C(n2 + 3, 3) pairs of tables.

    Raises
    ------
    InvalidArgumentError
        A size is not a whole number, or there are not as many sizes as the metric has tables.
    UnsupportedError
        No closed form, and more than 20 million tables.

    See Also
    --------
    baserate.probability_defined : how probable it is that none of these tables comes up.

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS. Its bounds for the prevalence threshold (C.5) and treatment equality (C.6) are too
    small; these counts are exact.

    Examples
    --------
    >>> from baserate import count_undefined
    >>> count_undefined("matthews_correlation", 10), count_undefined("pt_strict", 12)
    (40, 65)
    >>> round(count_undefined("f1_harmonic", 10) / 286, 4)  # of all tables of ten cases
    0.2308
    >>> count_undefined("treatment_equality", (3, 3))
    300
    """
    if isinstance(n, tuple | list):
        return _of_pairs(_pair(metric), *_two_sizes(n))
    return undefined_tables(_single(metric, n), whole_number("n", n))


def n_tables(n: int) -> int:
    """Return C(n + 3, 3), the number of tables of n cases."""
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
    """Return how many tables of n cases meet a condition, by looking at each."""
    if n_tables(n) > BUDGET:
        raise UnsupportedError(
            f"{subject} has no closed form, and looking at all {n_tables(n):,} tables of {n} cases "
            f"is too long (at most {BUDGET:,}): {remedy}."
        )
    return sum(int(np.count_nonzero(condition(slab))) for slab in slabs(n))


def undefined_tables(metric: Metric, n: int) -> int:
    """Return how many tables of size n are undefined: the closed form, or else by looking."""
    closed = metric.count_undefined(n)
    if closed is not None:
        return closed
    return count_tables(
        n,
        metric.undefined,
        subject=f"The number of undefined tables of {metric.name}",
        remedy="declare undefined_if_zero in metrics.define, which gives it one, or ask for fewer "
        "cases",
    )


def zero_tables(metric: Metric, n: int) -> int:
    """Return how many tables of size n have the value 0."""
    if metric.proportion is not None:
        successes = "+".join(metric.proportion[0])
        wider = replace(metric, undefined_if_zero=(*metric.undefined_if_zero, successes))
        every, holes = wider.count_undefined(n), metric.count_undefined(n)
        assert every is not None
        assert holes is not None
        return every - holes
    return count_tables(
        n,
        zero_at(metric),
        subject=f"The number of tables at which {metric.name} is 0",
        remedy="ask for the difference instead of the ratio, or for fewer cases",
    )


def _of_pairs(pair: PairMetric, first: int, second: int) -> int:
    """Return H1 T2 + T1 H2 - H1 H2: a hole of either table meets every table of the other.

    H counts the tables that are undefined, in a ratio's second table also those that score 0, and T
    all.
    """
    holes, others = undefined_tables(pair.metric, first), undefined_tables(pair.metric, second)
    if pair.operation == "ratio":
        others += zero_tables(pair.metric, second)
    return holes * n_tables(second) + n_tables(first) * others - holes * others


def _two_sizes(n: Any) -> Sizes:
    if len(n) != 2:
        rule = "must be one size, or the sizes (n1, n2) of two tables"
        raise InvalidArgumentError.from_rule("n", rule, n, "pass for example (20, 35)")
    return whole_number("n1", n[0]), whole_number("n2", n[1])


def _pair(metric: str | Metric | PairMetric) -> PairMetric:
    pair = None if isinstance(metric, Metric) else find_pair(metric)
    if pair is not None:
        return pair
    name = binary_metric(cast("str | Metric", metric)).name
    rule = "must be a metric of two tables if n has two sizes"
    remedy = f'write "difference({name})" or "ratio({name})", or pass one size'
    raise InvalidArgumentError.from_rule("metric", rule, name, remedy)


def _single(metric: str | Metric | PairMetric, n: Any) -> Metric:
    pair = None if isinstance(metric, Metric) else find_pair(metric)
    if pair is None:
        return binary_metric(cast("str | Metric", metric))
    rule = f"must be (n1, n2), the sizes of the two tables of {pair.name}"
    raise InvalidArgumentError.from_rule("n", rule, n, "pass for example n=(20, 35)")
