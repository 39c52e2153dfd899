"""The tables among which a group's own is one, listed, and every metric's p-value at each of them.

What is held fixed decides which tables there are: all those of n cases, those with the group's
class totals, or those with its predicted totals. Given totals, the tables of both counts' windows
carry all the mass that matters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._windows import DEEP, Array, Window
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.groups.match import p_value
from baserate.groups.null import Cells, Drawn
from baserate.metrics import Metric
from baserate.metrics.ties import steps_up
from baserate.models.model import ALL, FLAGGED, NEGATIVE, PASSED, POSITIVE

Held = Literal["none", "classes", "predictions"]
Integers = NDArray[np.int64]

# The most tables that are listed: all those of 200 cases, C(203, 3).
LARGEST = 1_373_701
# Ranks of lists up to this length are remembered: small groups often share their totals.
SHORT = 1_000


class Half(NamedTuple):
    """Two cells whose sum is held fixed; `hit` is counted, the other is what is left."""

    hit: str
    other: str
    cells: Cells


HALVES = {
    "classes": (Half("tp", "fn", POSITIVE), Half("fp", "tn", NEGATIVE)),
    "predictions": (Half("tp", "fp", FLAGGED), Half("fn", "tn", PASSED)),
}


class Span(NamedTuple):
    """The values of a count that are listed, from `low` to `high`, out of `total` cases."""

    total: int
    low: int
    high: int

    @property
    def size(self) -> int:
        """How many values."""
        return self.high - self.low + 1


class Tails(NamedTuple):
    """P(M <= v) and P(M >= v), given that M is defined, at every table; nan where it is not."""

    lower: Array
    upper: Array

    def p_values(self, alternative: str) -> Array:
        """Return the p-value of every table."""
        return p_value(self.lower, self.upper, alternative)


@dataclass(frozen=True)
class Tables:
    """Tables with the totals that are held fixed.

    Blocks of tables share their totals: one block if totals are fixed, one for every number of
    positives if only n is. Within a block the first half's hit runs slowest.
    """

    held: str
    blocks: tuple[tuple[Span, Span], ...]

    @classmethod
    def of(cls, group: ConfusionMatrix, held: str) -> "Tables":
        """List all tables that share with the group what is held fixed.

        Raises
        ------
        UnsupportedError
            There are more than 1,373,701.
        """
        totals = totals_of(group, held)
        size = sum((a + 1) * (b + 1) for a, b in totals)
        if size > LARGEST:
            raise UnsupportedError(
                f"There are {size:,} tables to list with what is held fixed, and at most "
                f"{LARGEST:,} are: hold the class totals fixed, or test one metric at a time with "
                "match_test and adjust the p-values with adjust()."
            )
        return cls(held, tuple((Span(a, 0, a), Span(b, 0, b)) for a, b in totals))

    @classmethod
    def likely(cls, group: ConfusionMatrix, held: str, model: Drawn) -> "Tables":
        """List the tables with the group's totals but for less than 1e-18 of their probability."""
        [(a, b)] = totals_of(group, held)
        first, second = (
            Span(total, *_law(model, half, total).span())
            for half, total in zip(HALVES[held], (a, b), strict=True)
        )
        return cls(held, ((first, second),))

    @cached_property
    def size(self) -> int:
        """How many there are."""
        return sum(first.size * second.size for first, second in self.blocks)

    @property
    def constant(self) -> tuple[Cells, ...]:
        """The sums of cells that are the same in all tables."""
        fixed = () if self.held == "none" else tuple(half.cells for half in HALVES[self.held])
        return (*fixed, ALL)

    @property
    def halves(self) -> tuple[Half, Half]:
        """The two halves of a table."""
        return HALVES["predictions" if self.held == "predictions" else "classes"]

    @cached_property
    def cells(self) -> dict[str, Array]:
        """The counts of every table, by the name of the cell."""
        counts: dict[str, list[Array]] = {name: [] for name in CELLS}
        for block in self.blocks:
            shape = (block[0].size, block[1].size)
            for axis, (half, span) in enumerate(zip(self.halves, block, strict=True)):
                hits = np.arange(span.low, span.high + 1.0)
                hits = hits[:, None] if axis == 0 else hits[None, :]
                for name, values in ((half.hit, hits), (half.other, span.total - hits)):
                    counts[name].append(np.broadcast_to(values, shape).ravel())
        return {name: np.concatenate(parts) for name, parts in counts.items()}

    def index(self, group: ConfusionMatrix) -> int | None:
        """Return where the group's own table is; None if it is too unlikely to be listed."""
        cells = {str(name): int(cell) for name, cell in group.to_dict().items()}
        totals = tuple(cells[half.hit] + cells[half.other] for half in self.halves)
        before = 0
        for first, second in self.blocks:
            if totals == (first.total, second.total):
                a, b = (cells[half.hit] for half in self.halves)
                if first.low <= a <= first.high and second.low <= b <= second.high:
                    return before + (a - first.low) * second.size + b - second.low
            before += first.size * second.size
        return None

    def weights(self, model: Drawn) -> Array:
        """Return the probability of every table under a model, given what is held fixed."""
        return np.concatenate(list(self._weights(model)))

    def values(self, metric: Metric) -> Array:
        """Return the metric at every table."""
        cells = (self.cells[name] for name in CELLS)
        return np.broadcast_to(np.asarray(metric.formula(*cells), dtype=float), self.size)

    def ranks(self, metric: Metric) -> Integers:
        """Return the rank of every table by the metric's value: ties share one; -1 if undefined."""
        return _remembered(self, metric) if self.size <= SHORT else self._ranks(metric)

    def tails(self, metric: Metric, weights: Array) -> Tails:
        """Return both tails of the metric at every table."""
        return tails_of(self.ranks(metric), weights)

    def _ranks(self, metric: Metric) -> Integers:
        if metric.proportion is not None:
            successes, failures = metric.proportion
            if frozenset((*successes, *failures)) in self.constant:
                defined = bool(self._sum((*failures, *successes))[0])
                return self._sum(successes) if defined else np.full(self.size, -1)
        return ranked(metric, self.values(metric))

    def _sum(self, cells: tuple[str, ...]) -> Integers:
        return np.asarray(sum(self.cells[name] for name in cells)).astype(np.int64)

    def _weights(self, model: Drawn) -> Iterator[Array]:
        outer = model.positives() if self.held == "none" else None
        shares = np.ones(1) if outer is None else pmf(outer, model.n)
        for block, share in zip(self.blocks, shares, strict=True):
            if not share:
                yield np.zeros(block[0].size * block[1].size)
                continue
            first, second = (
                pmf(_law(model, half, span.total), span.total)[span.low : span.high + 1]
                for half, span in zip(self.halves, block, strict=True)
            )
            yield share * np.outer(first, second).ravel()


def totals_of(group: ConfusionMatrix, held: str) -> tuple[tuple[int, int], ...]:
    """Return the totals of both halves of the tables that share with a group what is held fixed."""
    if held == "none":
        n = int(group.n)
        return tuple((p, n - p) for p in range(n + 1))
    if held == "classes":
        return ((int(group.n_positive), int(group.n_negative)),)
    return ((int(group.n_predicted), int(group.n_predicted_negative)),)


@lru_cache(maxsize=4096)
def _remembered(tables: Tables, metric: Metric) -> Integers:
    ranks = tables._ranks(metric)  # noqa: SLF001 - the list's own memory
    ranks.flags.writeable = False
    return ranks


def _law(model: Drawn, half: Half, total: int) -> Any:
    """Return the law of a half's hit, given its total."""
    cells: dict[str, float] = dict(zip(CELLS, model.weights, strict=True))
    return model.split(cells[half.hit], cells[half.other], total)


def ranked(metric: Metric, values: Array) -> Integers:
    """Rank values by size: values that count as equal share a rank; -1 for nan."""
    order = np.argsort(values)  # nan last
    order = order[: len(values) - np.count_nonzero(np.isnan(values))]
    ranks = np.full(len(values), -1)
    ranks[order[1:]] = np.cumsum(steps_up(metric, values[order]))
    ranks[order[:1]] = 0
    return ranks


def tails_of(ranks: Integers, weights: Array) -> Tails:
    """Return both tails at every table from the tables' ranks and probabilities.

    Each tail is summed from its own small end, so that small probabilities keep their digits.
    """
    mass = np.bincount(ranks + 1, weights=weights)[1:]
    total = float(mass.sum())
    if not total > 0:
        nothing = np.full(len(ranks), np.nan)
        return Tails(nothing, nothing)
    lower = np.append(np.minimum(np.cumsum(mass) / total, 1.0), np.nan)
    upper = np.append(np.minimum(np.cumsum(mass[::-1])[::-1] / total, 1.0), np.nan)
    return Tails(lower[ranks], upper[ranks])


def full(window: Window, size: int) -> Array:
    """Return the probabilities of 0, 1, ... size."""
    chances = np.zeros(size + 1)
    chances[window.start : window.start + len(window.pmf)] = window.pmf
    return chances


def pmf(factor: Any, size: int) -> Array:
    """Return the probabilities of 0, 1, ... size under a factor."""
    return full(factor.window(depth=DEEP), size)
