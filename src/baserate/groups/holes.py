"""Holes: how many tables of a size leave a metric without a value."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb, prod
from typing import Any, ClassVar, overload

import numpy as np

from baserate._arrays import Array
from baserate._checks import each_of, shape_of, whole_number
from baserate._result import Drawable, Framed
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.pairs import PairMetric, find_pair, zero_at
from baserate.metrics import Metric, binary_metric

BUDGET = 20_000_000  # tables that are looked at one by one: a few seconds
Sizes = tuple[int, int]
Countable = str | Metric | PairMetric


@dataclass(frozen=True, slots=True, kw_only=True)
class UndefinedCounts(Framed, Drawable):
    """Holes of several metrics at several sizes, and their shares of all tables.

    Attributes
    ----------
    metrics : tuple of str
    sizes : tuple of int, or of (n1, n2)
    counts : tuple of tuple of int
        Tables without a value, a row for each metric; whole numbers of any size.
    tables : tuple of int
        All tables of each size.
    """

    derived: ClassVar[tuple[str, ...]] = ("shares",)
    display: ClassVar[str] = "SampleSizeDisplay"
    metrics: tuple[str, ...]
    sizes: tuple[Any, ...]
    counts: tuple[tuple[int, ...], ...]
    tables: tuple[int, ...]

    @property
    def shares(self) -> Array:
        """Share of all tables without a value, of shape (metrics, sizes)."""
        return np.array([[c / t for c, t in zip(r, self.tables, strict=True)] for r in self.counts])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each metric and size: n (or n1 and n2), undefined, tables, share."""
        return [
            {"metric": name, **_named_size(size), "undefined": c, "tables": t, "share": c / t}
            for name, row in zip(self.metrics, self.counts, strict=True)
            for size, c, t in zip(self.sizes, row, self.tables, strict=True)
        ]


@overload
def count_undefined(metric: Countable, n: int | Sizes) -> int: ...
@overload
def count_undefined(metric: Countable | Sequence[Countable], n: Any) -> int | UndefinedCounts: ...
def count_undefined(metric: Countable | Sequence[Countable], n: Any) -> int | UndefinedCounts:
    """Return the number of tables of n cases at which a metric is undefined, its holes.

    A metric of the catalogue has a closed form. Where declared sums of counts say it all, it is
    inclusion and exclusion over them, as in n + 1 for recall; the strict prevalence threshold has
    P(n) + 2n + 1, P(n) = Σ gcd(r, n) over r = 1..n (Pillai). A user's
    metric without declared sums is looked at table by table. With n the number stays at 0 or 1
    (accuracy, F1), or it grows as n (recall, Matthews correlation) or n² (harmonic F1); that of all
    tables grows as n³.

    Parameters
    ----------
    metric : Metric or PairMetric, a name of either, or a list of some
    n : int, or (n1, n2) for a metric of two tables; or a list or array of such sizes

    Returns
    -------
    int or UndefinedCounts
        Of C(n + 3, 3) tables; of C(n1 + 3, 3) C(n2 + 3, 3) pairs of tables. Of a list of metrics or
        of sizes, all counts with their shares of the tables: ``.shares``, ``.to_frame()``,
        ``.plot()``.

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
    >>> count_undefined("treatment_equality", (3, 3))
    300
    >>> found = count_undefined(["recall", "f1_harmonic"], [10, 100])
    >>> found.counts, found.shares.round(4).tolist()
    (((11, 101), (66, 5151)), [[0.0385, 0.0006], [0.2308, 0.0291]])
    """
    asked: list[Any] = each_of("metric", metric, (str, Metric, PairMetric))
    if not asked:
        rule, remedy = "must be a metric, or a list of some", 'pass for example ["recall", "mcc"]'
        raise InvalidArgumentError.from_rule("metric", rule, "none", remedy)
    found, depth = [_metric(one) for one in asked], len(shape_of("n", n))
    one_size = depth <= isinstance(found[0], PairMetric)
    two_tables = depth == 1 and isinstance(n, tuple) and len(n) == 2
    sizes = [_size(each) for each in ([n] if one_size or two_tables else n)]
    if not sizes:
        rule, remedy = "must hold a size at least", "pass for example n=range(1, 101)"
        raise InvalidArgumentError.from_rule("n", rule, "none", remedy)
    counts = tuple(tuple(_counted(one, size) for size in sizes) for one in found)
    if one_size and isinstance(metric, str | Metric | PairMetric):
        return counts[0][0]
    every = (prod(n_tables(part) for part in np.ravel(size).tolist()) for size in sizes)
    return UndefinedCounts(
        metrics=tuple(one.name for one in found),
        sizes=tuple(sizes),
        counts=counts,
        tables=tuple(every),
    )


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


def _metric(metric: Any) -> Metric | PairMetric:
    pair = None if isinstance(metric, Metric) else find_pair(metric)
    return binary_metric(metric) if pair is None else pair


def _size(n: Any) -> Any:
    """Return a size as a whole number, or two sizes as a pair of them."""
    if not shape_of("n", n):
        return whole_number("n", n)
    if len(n) != 2:
        rule = "must be one size, or the sizes (n1, n2) of two tables"
        raise InvalidArgumentError.from_rule("n", rule, n, "pass for example (20, 35)")
    return whole_number("n1", n[0]), whole_number("n2", n[1])


def _counted(metric: Metric | PairMetric, size: Any) -> int:
    """Return the holes of one size: of two tables, if the metric is of two."""
    if isinstance(metric, PairMetric) and isinstance(size, tuple):
        return _of_pairs(metric, *size)
    if isinstance(metric, Metric) and isinstance(size, int):
        return undefined_tables(metric, size)
    if isinstance(metric, PairMetric):
        rule = f"must be (n1, n2), the sizes of the two tables of {metric.name}"
        raise InvalidArgumentError.from_rule("n", rule, size, "pass for example n=(20, 35)")
    rule = "must be a metric of two tables if n has two sizes"
    remedy = (
        f'write "difference({metric.name})" or "ratio({metric.name})", or pass one size; several '
        f"are a list, n={[*size]}"
    )
    raise InvalidArgumentError.from_rule("metric", rule, metric.name, remedy)


def _named_size(size: Any) -> dict[str, int]:
    return dict(zip(("n1", "n2"), size, strict=True)) if isinstance(size, tuple) else {"n": size}
