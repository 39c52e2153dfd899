"""Holes: how many tables leave a metric without a value."""

from typing import Any, cast

from baserate._checks import whole_number
from baserate.errors import InvalidArgumentError
from baserate.groups._enumeration import n_tables
from baserate.groups.pairs import PairMetric, find_pair, undefined_tables
from baserate.metrics import Metric, get

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
    >>> count_undefined("matthews_correlation", 10), count_undefined("pt_strict", 12)
    (40, 65)
    >>> count_undefined("treatment_equality", (3, 3))
    300
    """
    if isinstance(n, tuple | list):
        return _pair(metric).count_undefined(_two_sizes(n))
    return undefined_tables(_single(metric, n), whole_number("n", n))


def share_undefined(metric: str | Metric | PairMetric, n: Any) -> float:
    """Return the share of the tables of n cases at which a metric is undefined.

    Parameters and errors are those of `count_undefined`.

    Examples
    --------
    >>> round(share_undefined("f1_harmonic", 10), 4)
    0.2308
    """
    holes = count_undefined(metric, n)
    if isinstance(n, tuple | list):
        first, second = _two_sizes(n)
        return holes / (n_tables(first) * n_tables(second))
    return holes / n_tables(whole_number("n", n))


def _two_sizes(n: Any) -> Sizes:
    if len(n) != 2:
        rule = "must be one size, or the sizes (n1, n2) of two tables"
        raise InvalidArgumentError.from_rule("n", rule, n, "pass for example (20, 35)")
    return whole_number("n1", n[0]), whole_number("n2", n[1])


def _pair(metric: str | Metric | PairMetric) -> PairMetric:
    pair = None if isinstance(metric, Metric) else find_pair(metric)
    if pair is not None:
        return pair
    name = get(cast("str | Metric", metric)).name
    rule = "must be a metric of two tables if n has two sizes"
    remedy = f'write "difference({name})" or "ratio({name})", or pass one size'
    raise InvalidArgumentError.from_rule("metric", rule, name, remedy)


def _single(metric: str | Metric | PairMetric, n: Any) -> Metric:
    pair = None if isinstance(metric, Metric) else find_pair(metric)
    if pair is None:
        return get(cast("str | Metric", metric))
    rule = f"must be (n1, n2), the sizes of the two tables of {pair.name}"
    raise InvalidArgumentError.from_rule("n", rule, n, "pass for example n=(20, 35)")
