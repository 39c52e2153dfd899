"""Whether truth and prediction of several classes go together at all: an exact test.

All tables with the margins of the one seen are walked row by row. Rows that leave the same numbers
to the columns, in whatever order, go on alike, so they are kept together: a node, with what the
cells so far contribute to the probability of a table, and how probable each contribution is. A
node whose completions all are rarer than the table, or all more probable, is not walked further.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from baserate._arrays import Array
from baserate._result import Result
from baserate.baselines.class_significance import Deals, of_cases
from baserate.class_counts import ClassTable, single_class_table
from baserate.errors import UnsupportedError
from baserate.models.class_hits import counts_of_sum

Prints = NDArray[np.uint64]
Columns = tuple[int, ...]

BUDGET = 3_000_000  # ways to fill rows: about two seconds
_ODD = np.uint64(0x9E3779B97F4A7C15)  # spreads small numbers over 64 bits
_PART = 1000  # what a block of them costs, however small
_NEAR = 1e-9  # logarithms of products of factorials that are told apart without looking closer


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependenceTest(Result):
    """How probable tables are that are as improbable as this one; ``float()`` is the p-value.

    Attributes
    ----------
    p_value : float
        P(a table with these margins is at most as probable as the one seen), if predictions are
        dealt to the cases at random.
    route : {"exact", "permutation"}
        "permutation": from random deals with a fixed seed, with standard error `error`.
    error : float
    """

    p_value: float
    route: str
    error: float = 0.0

    def __float__(self) -> float:
        return self.p_value


MOST_CASES = 10**7  # whose factorials are told apart by their primes


def independence_test(table: ClassTable) -> IndependenceTest:
    """Test truth and prediction for independence, given both margins (Fisher, Freeman, Halton).

    P(T) = Π t_c! Π p_c! / (n! Π n_ij!) is the probability of a table if predictions are dealt to
    cases at random; the p-value adds up all P(T) at most that of the table seen. It has no
    direction: always calling class a what is b goes against independence as well. Whether guessing
    does as well is the question of `beats_chance`.

    Ties are told exactly, by the prime factors of the products of factorials. Sums are those of
    positive numbers, exact up to rounding. Where that takes more than about two seconds,
    predictions are dealt at random with a fixed seed, and `route` says so.

    Parameters
    ----------
    table : ClassTable
        A single table of cases counted one by one.

    Returns
    -------
    IndependenceTest

    Raises
    ------
    UnsupportedError
        The counts are weights, or too many cases to be dealt.

    References
    ----------
    Freeman, G. H. and Halton, J. H. (1951), Biometrika 38:141-149, doi:10.2307/2332323.
    Mehta, C. R. and Patel, N. R. (1983), Journal of the American Statistical Association
    78:427-434, doi:10.1080/01621459.1983.10477989, for walking nodes.

    Examples
    --------
    Three letters in three envelopes: every way is as probable, so nothing is improbable. To call
    every a a b, and every b an a, is far from independent, and far from right.

    >>> from baserate import independence_test
    >>> from baserate import ClassTable
    >>> float(independence_test(ClassTable([[0, 1, 0], [1, 0, 0], [0, 0, 1]])))
    1.0
    >>> t = ClassTable([[0, 9, 0], [9, 0, 0], [0, 0, 2]])
    >>> independence_test(t).p_value < 1e-6
    True
    """
    of_cases(single_class_table("table", table))
    margins = Deals.of(table)
    if table.n > MOST_CASES:
        raise UnsupportedError(
            f"independence_test takes up to {MOST_CASES:,} cases, got {table.n:,}: compare "
            "chi_squared with its law for many cases instead."
        )
    seen = _product(np.asarray(table.counts, dtype=np.int64).ravel())
    rows, columns = (
        tuple(sorted(filter(None, side))) for side in (margins.truth, margins.predicted)
    )
    found = _walked(rows, columns, seen)
    if found is not None:
        return IndependenceTest(p_value=found, route="exact")

    def rare(tables: Any) -> NDArray[np.bool_]:
        return _logs(tables.reshape(len(tables), -1)) >= float(seen.logs[0]) - _NEAR

    return IndependenceTest(**margins.p_value(rare, cells=True)._asdict())


class _Ways(NamedTuple):
    """Ways to fill some cells: Π n_ij! as logarithms and prints, and how probable each is.

    Prints are equal where the products are.
    """

    logs: Array
    prints: Prints
    weights: Array

    def at(self, places: Any) -> "_Ways":
        """Pick some ways."""
        return _Ways(self.logs[places], self.prints[places], self.weights[places])

    def with_each(self, others: "_Ways") -> "_Ways":
        """Fill further cells in each of these ways."""
        return _Ways(
            np.add.outer(self.logs, others.logs).ravel(),
            np.add.outer(self.prints, others.prints).ravel(),
            np.multiply.outer(self.weights, others.weights).ravel(),
        )


def _walked(rows: Columns, columns: Columns, seen: _Ways) -> float | None:
    """Return the p-value by walking all rows; None if that takes too long."""
    if len(rows) > len(columns):
        rows, columns = columns, rows
    nothing = _Ways(np.zeros(1), np.zeros(1, dtype=np.uint64), np.ones(1))
    nodes, budget, p = {columns: nothing}, BUDGET, 0.0
    for last in range(len(rows), 1, -1):
        step = _Step({}, [], [])
        for left, node in nodes.items():
            budget -= _most_ways(rows[last - 1], left)
            budget -= step.add(node, left, rows[last - 1]) if budget >= 0 else 0
            if budget < 0:
                return None
        nodes = dict[Columns, _Ways]()
        for left, ways in step.merged():
            sure, node = _pruned(ways, left, rows[: last - 1], seen)
            p += sure
            if len(node.weights):
                nodes[left] = node
    return min(1.0, p + sum(_rare(node, left, seen) for left, node in nodes.items()))


def _most_ways(row: int, left: Columns) -> int:
    """Return at most how many ways there are to take a row out of the columns."""
    free = len(left) - 1
    return min(comb(row + free, free), prod(c + 1 for c in left[:-1]))


class _Step(NamedTuple):
    """All ways to fill one more row, each with the number of the node that it leads to."""

    numbers: dict[Columns, int]
    places: list[NDArray[np.intp]]
    ways: list[_Ways]

    def add(self, node: _Ways, left: Columns, row: int) -> int:
        """Take a row out of the columns in every way; return how many ways were added."""
        work = 0
        for taken in counts_of_sum(row, left):
            own, rest = _product(taken), np.array(left) - taken
            chance = _log_chance(np.array(left), rest, row) - own.logs
            after, place = np.unique(np.sort(rest, axis=1), axis=0, return_inverse=True)
            numbers = self.numbers
            to = [numbers.setdefault(a, len(numbers)) for a in map(tuple, after.tolist())]
            own, place = _merged(own._replace(weights=np.exp(chance)), np.array(to)[place.ravel()])
            self.ways.append(node.with_each(own))
            self.places.append(np.tile(place, len(node.weights)))
            work += len(self.places[-1]) + _PART
        return work

    def merged(self) -> Iterator[tuple[Columns, _Ways]]:
        """Yield the nodes that all ways lead to."""
        every = _Ways(
            np.concatenate([ways.logs for ways in self.ways]),
            np.concatenate([ways.prints for ways in self.ways]),
            np.concatenate([ways.weights for ways in self.ways]),
        )
        ways, place = _merged(every, np.concatenate(self.places))
        order = np.argsort(place, kind="stable")
        starts = np.searchsorted(place[order], np.arange(len(self.numbers) + 1)).tolist()
        for left, number in self.numbers.items():
            at = order[starts[number] : starts[number + 1]]
            yield left, ways.at(at)


def _log_chance(left: Any, rest: Any, row: int) -> Any:
    """Return log Π C(c, x) / C(n, row), a multivariate hypergeometric law, but for its Π x!."""
    n = float(left.sum())
    every = gammaln(n + 1) - gammaln(row + 1.0) - gammaln(n - row + 1)
    return gammaln(left + 1.0).sum() - _logs(rest) - every


def _merged(ways: _Ways, place: NDArray[np.intp]) -> tuple[_Ways, NDArray[np.intp]]:
    """Put ways together that have the same product and lead to the same place."""
    keys = ways.prints + (place.astype(np.uint64) + np.uint64(1)) * _ODD
    _, first, back = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.bincount(back.ravel(), ways.weights).astype(np.float64)
    return _Ways(ways.logs[first], ways.prints[first], weights), place[first]


def _pruned(node: _Ways, left: Columns, rows: Columns, seen: _Ways) -> tuple[float, _Ways]:
    """Return the probability of ways whose completions all count, and the ways left open."""
    low, high = _ends(left, rows)
    sure = node.logs + low > seen.logs + _NEAR
    kept = ~sure & (node.logs + high >= seen.logs - _NEAR)
    return float(node.weights[sure].sum()), node.at(kept)


def _ends(left: Columns, rows: Columns) -> tuple[float, float]:
    """Bound the logarithm of Π n_ij! of all completions: cells alike, or as unlike as can be."""
    low = max(_even(left, len(rows)), _even(rows, len(left)))
    return low, min(_uneven(left, rows), _uneven(rows, left))


def _even(totals: Columns, parts: int) -> float:
    size, more = np.divmod(np.array(totals), parts)
    return float((more * gammaln(size + 2.0) + (parts - more) * gammaln(size + 1.0)).sum())


def _uneven(totals: Columns, others: Columns) -> float:
    """Fill each total from the largest of the others."""
    most = np.array(sorted(others, reverse=True))
    before = np.cumsum(most) - most
    cells = np.clip(np.array(totals)[:, None] - before, 0, most)
    return float(gammaln(cells + 1.0).sum())


def _rare(node: _Ways, left: Columns, seen: _Ways) -> float:
    """Return the probability of tables as improbable as the one seen; one row is left to fill."""
    own = _product(np.array(left))
    same = node.prints + own.prints == seen.prints
    return float(node.weights[same | (node.logs + own.logs > seen.logs)].sum())


def _product(cells: NDArray[np.int64]) -> _Ways:
    """Return Π n_ij! of the last axis."""
    prints = _factorial_prints(int(cells.max(initial=0)))
    logs = np.atleast_1d(_logs(cells))
    return _Ways(logs, np.atleast_1d(prints[cells].sum(-1, dtype=np.uint64)), np.ones(len(logs)))


def _logs(cells: Any) -> Any:
    return gammaln(np.arange(int(cells.max(initial=0)) + 1) + 1.0)[cells].sum(-1)


@lru_cache(maxsize=64)
def _factorial_prints(most: int) -> Prints:
    """Return a print of every factorial: a random number for each prime, times its exponent.

    Additive modulo 2^64; two different products look alike with a chance of 2^-64.
    """
    random = np.random.default_rng(0)
    prints = np.zeros(most + 1, dtype=np.uint64)
    composite = np.zeros(most + 1, dtype=bool)
    for prime in range(2, most + 1):
        number = random.integers(1, 2**64, dtype=np.uint64, endpoint=False)
        if composite[prime]:
            continue
        composite[2 * prime :: prime] = True
        power = prime
        while power <= most:
            prints[power::power] += number
            power *= prime
    return np.cumsum(prints, dtype=np.uint64)
