"""Is a group's score of several classes luck? Cases are dealt out anew between it and the others.

Where class totals are held, cases change sides within their true class only: the hypothesis is that
each class is called what it is called as often in the group as elsewhere, whatever the mix of the
classes. Every deal is as likely under it, so that the test keeps its level whatever the metric.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import ratio
from baserate._windows import DEEP, hypergeometric
from baserate.class_counts import ClassTable
from baserate.groups.match import p_value
from baserate.inference.several_classes import of_hit_share
from baserate.metrics import ClassMetric

Array = NDArray[np.float64]

SEED = 20_250_101  # the same cases always have the same p-value
FEWEST_DEALS, MOST_DEALS = 999, 99_999
BUDGET = 200_000_000  # cells of deals, for one group
AT_ONCE = 1 << 21  # cells that are held at a time
CONVOLVED = 400_000_000  # products of the exact law
TIED = 1e-12  # what rounding leaves of a difference


class ClassTest(NamedTuple):
    """How unusual a group's score is among all deals.

    Attributes
    ----------
    value, expected : float
        The group's score, and what the others would have with as many cases of each class.
    lower, upper, p_value : float
        P(T <= t), P(T >= t), and twice the smaller, at most 1; t is the difference of the two.
    route : {"convolution", "permutation", ""}
        Exact, or of random deals; "" without a test.
    error : float
        Standard error of `p_value`, for random deals.
    n_deals : int
    reason : str or None
        Why there is no p-value.
    """

    value: float
    expected: float
    lower: float = nan
    upper: float = nan
    p_value: float = nan
    route: str = ""
    error: float = 0.0
    n_deals: int = 0
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Sides:
    """A group and the cases that are not in it, whose scores it is compared with or a part of.

    `contained` compares it with all cases, of which it is a part; `held` says whether the totals of
    the true classes are kept by every deal.
    """

    group: ClassTable
    others: ClassTable
    contained: bool = False
    held: bool = True

    @property
    def reference(self) -> ClassTable:
        """What the group is compared with."""
        return self.group + self.others if self.contained else self.others

    def gaps(self, metric: ClassMetric, mine: Array) -> Array:
        """Return what each deal's group scores above the others."""
        return _values(metric, mine, self.group) - self.expected(metric, mine)

    def expected(self, metric: ClassMetric, mine: Array) -> Array:
        """Return what the others of each deal would score with the group's class totals."""
        pooled = self.group.counts + self.others.counts
        other = np.broadcast_to(pooled, mine.shape) if self.contained else pooled - mine
        if self.held:
            other = other * _shares(self.group.class_counts, other.sum(-1))[..., None]
        return _values(metric, other.astype(float), self.group)

    def deals(self, size: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the group's cells in random deals, in blocks of shape (deals, K, K)."""
        k = self.group.n_classes
        pooled = self.group.counts + self.others.counts
        step = max(1, AT_ONCE // (k * k))
        for start in range(0, size, step):
            yield self._block(pooled, min(step, size - start), rng)

    def _block(self, pooled: NDArray[Any], size: int, rng: np.random.Generator) -> Array:
        if not self.held:
            drawn = _dealt(pooled.ravel(), int(self.group.n), size, rng)
            return drawn.reshape(size, *pooled.shape)
        found = np.zeros((size, *pooled.shape))
        for i, total in enumerate(self.group.class_counts.tolist()):
            found[:, i] = _dealt(pooled[i], int(total), size, rng)
        return found


def _dealt(cells: NDArray[Any], n: int, size: int, rng: np.random.Generator) -> Array:
    """Return how many of `n` cases come from each cell, in `size` deals."""
    filled, found = np.flatnonzero(cells), np.zeros((size, cells.size))
    if n and filled.size:
        counts = cells[filled].astype(np.int64)
        found[:, filled] = rng.multivariate_hypergeometric(counts, n, size, method="marginals")
    return found


def _shares(wanted: NDArray[Any], there: Array) -> Array:
    """Return by what the rows are multiplied; a class that the group lacks is left out."""
    return np.where(wanted == 0, 0.0, ratio(np.asarray(wanted, dtype=float), there))


def _values(metric: ClassMetric, cells: Array, like: ClassTable) -> Array:
    return np.atleast_1d(np.asarray(metric(ClassTable(cells, like.labels)), dtype=float))


def permutation_tests(
    metrics: Sequence[ClassMetric], sides: Sides, n_deals: int = 9_999
) -> list[ClassTest]:
    """Test whether a group's scores could be luck, all metrics by the same deals.

    Parameters
    ----------
    metrics : sequence of ClassMetric
    sides : Sides
        Tables of counted cases with the same classes.
    n_deals : int
        Random deals; fewer where the tables are large. (1 + deals as extreme) / (1 + deals) keeps
        its level however few they are.

    Returns
    -------
    list of ClassTest
        Shares of cases that are right have their exact law, the convolution of one hypergeometric
        law per class.

    References
    ----------
    Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9:39,
    doi:10.2202/1544-6115.1585, for the 1 that is added.

    Examples
    --------
    >>> from baserate.metrics import class_metric
    >>> sides = Sides(ClassTable([[0, 2, 0], [0, 2, 0], [0, 0, 2]]),
    ...               ClassTable([[4, 0, 0], [0, 4, 0], [0, 0, 4]]))
    >>> [test] = permutation_tests([class_metric("accuracy")], sides)
    >>> round(test.value, 3), test.expected, round(test.p_value, 4), test.route
    (0.667, 1.0, 0.1333, 'convolution')
    """
    missing = _missing(sides)
    found = [_known(metric, sides, missing) for metric in metrics]
    waiting = [i for i, test in enumerate(found) if not test.route and test.reason is None]
    if not waiting:
        return found
    size = min(n_deals, MOST_DEALS, BUDGET // sides.group.n_classes**2)
    if size < FEWEST_DEALS:
        return [
            test._replace(reason="too many classes to deal out") if i in waiting else test
            for i, test in enumerate(found)
        ]
    tails = _counted([metrics[i] for i in waiting], sides, size)
    for i, test in zip(waiting, tails, strict=True):
        found[i] = found[i]._replace(**test)
    return found


def _missing(sides: Sides) -> str | None:
    """Name a class that the group has and the others lack, so that there is nothing to expect."""
    if not sides.held:
        return None
    here, there = sides.group.class_counts, sides.reference.class_counts
    lacking = np.flatnonzero((here > 0) & (there == 0))
    if not lacking.size:
        return None
    return f"the reference has no cases of {sides.group.labels[int(lacking[0])]!r}"


def _known(metric: ClassMetric, sides: Sides, missing: str | None) -> ClassTest:
    """Return what needs no deals: the scores, why there is no test, or the exact law."""
    mine = np.asarray(sides.group.counts, dtype=float)[None]
    value = float(metric(sides.group))
    expected = nan if missing else float(sides.expected(metric, mine)[0])
    reason = metric.undefined_reason(sides.group)
    if reason is None and missing is None and isnan(expected):
        reason = "the reference has no value with the group's class totals"
    reason = reason or missing or (None if sides.others.n else "no cases to compare with")
    test = ClassTest(value, expected, reason=reason)
    if reason is not None or metric.weights is None:
        return test
    if not of_hit_share(metric, sides.group.n_classes):
        return test
    tails = tails_of_hits(sides)
    if tails is None:
        return test
    on, off = metric.weights(sides.group.n_classes)[0, :2].tolist()
    lower, upper = tails if on >= off else tails[::-1]
    p = p_value(lower, upper, "two-sided")
    return test._replace(lower=lower, upper=upper, p_value=p, route="convolution")


def tails_of_hits(sides: Sides) -> tuple[float, float] | None:
    """Return P(S <= s) and P(S >= s) of the number of right cases; None if that is too long.

    Right cases of each class are hypergeometric, given all right cases of that class.
    """
    hits = sides.group.hits + sides.others.hits
    totals, mine = (t.class_counts for t in (sides.group + sides.others, sides.group))
    if not sides.held:
        hits, totals, mine = (np.array([x.sum()]) for x in (hits, totals, mine))
    law, first = np.ones(1), 0
    for right, n, size in zip(hits.tolist(), totals.tolist(), mine.tolist(), strict=True):
        if law.size * (min(right, size) + 1) > CONVOLVED:
            return None
        window = hypergeometric(int(right), int(n - right), int(size), depth=DEEP)
        law = np.convolve(law, window.pmf)
        first += window.start
    at = int(sides.group.hits.sum()) - first
    lower, upper = float(law[: max(0, at + 1)].sum()), float(law[max(0, at) :].sum())
    return min(1.0, lower), min(1.0, upper)


def _counted(metrics: Sequence[ClassMetric], sides: Sides, size: int) -> Iterator[dict[str, Any]]:
    """Yield the tails of every metric among random deals, those without a value left out."""
    mine = np.asarray(sides.group.counts, dtype=float)[None]
    seen = np.array([sides.gaps(metric, mine)[0] for metric in metrics])
    below, above, defined = (np.zeros(len(metrics)) for _ in range(3))
    for block in sides.deals(size, np.random.default_rng(SEED)):
        for j, metric in enumerate(metrics):
            gaps = sides.gaps(metric, block)
            below[j] += np.count_nonzero(gaps <= seen[j] + TIED)
            above[j] += np.count_nonzero(gaps >= seen[j] - TIED)
            defined[j] += np.count_nonzero(~np.isnan(gaps))
    for low, high, n in zip(below.tolist(), above.tolist(), defined.tolist(), strict=True):
        lower, upper = (1 + low) / (1 + n), (1 + high) / (1 + n)
        tail = min(lower, upper)
        yield {
            "lower": lower,
            "upper": upper,
            "p_value": p_value(lower, upper, "two-sided"),
            "route": "permutation",
            "error": 2 * float(np.sqrt(tail * (1 - tail) / n)) if n else inf,
            "n_deals": int(n),
        }
