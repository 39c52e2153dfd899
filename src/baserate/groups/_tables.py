"""The tables among which a group's own is one, listed, and every metric's p-value at each of them.

What is held fixed decides which tables there are: all those of n cases, those with the group's
class totals, or those with its predicted totals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baserate._windows import DEEP, Array, Window
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.groups._null import ALL, FLAGGED, NEGATIVES, POSITIVES, UNFLAGGED, Cells, Drawn
from baserate.groups.match import p_value
from baserate.metrics import Metric
from baserate.metrics.ties import steps_up

Held = Literal["none", "classes", "predictions"]
Integers = NDArray[np.int64]

# The most tables that are listed: all those of 200 cases, C(203, 3).
LARGEST = 1_373_701


class Count(Protocol):
    """The law of one count, as models give it."""

    def window(self, *, depth: float) -> Window:
        """Return the values that carry all of the mass, and their probabilities."""
        ...


class Half(NamedTuple):
    """Two cells whose sum is held fixed; `hit` is counted, the other is what is left."""

    hit: str
    other: str
    cells: Cells


HALVES = {
    "classes": (Half("tp", "fn", POSITIVES), Half("fp", "tn", NEGATIVES)),
    "predictions": (Half("tp", "fp", FLAGGED), Half("fn", "tn", UNFLAGGED)),
}


class Tails(NamedTuple):
    """P(M <= v) and P(M >= v), given that M is defined, at every table; nan where it is not."""

    lower: Array
    upper: Array

    def p_values(self, alternative: str) -> Array:
        """Return the p-value of every table."""
        return p_value(self.lower, self.upper, alternative)


@dataclass(frozen=True, eq=False)
class Tables:
    """All tables with the totals that are held fixed.

    Blocks of tables share their totals: one block if totals are fixed, one for every number of
    positives if only n is. Within a block the first half's hit runs slowest.
    """

    held: str
    blocks: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, group: ConfusionMatrix, held: str) -> "Tables":
        """List the tables that share with the group what is held fixed.

        Raises
        ------
        UnsupportedError
            There are more than 1,373,701.
        """
        n = int(group.n)
        totals = {
            "classes": ((group.n_positive, group.n_negative),),
            "predictions": ((group.n_predicted, group.n_predicted_negative),),
            "none": tuple((p, n - p) for p in range(n + 1)),
        }
        tables = cls(held, totals[held])
        if tables.size > LARGEST:
            raise UnsupportedError(
                f"There are {tables.size:,} tables to list with what is held fixed, and at most "
                f"{LARGEST:,} are: hold the class totals fixed, or test one metric at a time with "
                "match_test and adjust the p-values with adjust()."
            )
        return tables

    @property
    def size(self) -> int:
        """How many there are."""
        return sum((a + 1) * (b + 1) for a, b in self.blocks)

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
    def cells(self) -> dict[str, Integers]:
        """The counts of every table, by the name of the cell."""
        parts = [np.indices((a + 1, b + 1)).reshape(2, -1) for a, b in self.blocks]
        hits = np.concatenate(parts, axis=1)
        sizes = [(a + 1) * (b + 1) for a, b in self.blocks]
        totals = np.repeat(np.array(self.blocks), sizes, axis=0).T
        counts = {}
        for half, hit, total in zip(self.halves, hits, totals, strict=True):
            counts |= {half.hit: hit, half.other: total - hit}
        return counts

    def index(self, group: ConfusionMatrix) -> int:
        """Return where the group's own table is."""
        cells = {str(name): int(cell) for name, cell in group.to_dict().items()}
        first, second = self.halves
        pair = (cells[first.hit] + cells[first.other], cells[second.hit] + cells[second.other])
        block = self.blocks.index(pair)
        before = sum((a + 1) * (b + 1) for a, b in self.blocks[:block])
        return before + cells[first.hit] * (pair[1] + 1) + cells[second.hit]

    def weights(self, model: Drawn) -> Array:
        """Return the probability of every table under a model, given what is held fixed."""
        return np.concatenate(list(self._weights(model)))

    def values(self, metric: Metric) -> Array:
        """Return the metric at every table."""
        cells = (self.cells[name].astype(np.float64) for name in CELLS)
        return np.broadcast_to(np.asarray(metric.formula(*cells), dtype=float), self.size)

    def ranks(self, metric: Metric) -> Integers:
        """Return the rank of every table by the metric's value: ties share one; -1 if undefined."""
        if metric.proportion is not None:
            successes, failures = metric.proportion
            if frozenset((*successes, *failures)) in self.constant:
                return self._sum(successes) if self._sum(failures + successes)[0] else self._none()
        return ranked(metric, self.values(metric))

    def tails(self, metric: Metric, weights: Array) -> Tails:
        """Return both tails of the metric at every table."""
        return tails_of(self.ranks(metric), weights)

    def _sum(self, cells: tuple[str, ...]) -> Integers:
        return np.asarray(sum(self.cells[name] for name in cells))

    def _none(self) -> Integers:
        return np.full(self.size, -1)

    def _weights(self, model: Drawn) -> Iterator[Array]:
        cells: dict[str, float] = dict(zip(CELLS, model.weights, strict=True))
        outer = model.positives() if self.held == "none" else None
        shares = np.ones(1) if outer is None else pmf(outer, model.n)
        for (a, b), share in zip(self.blocks, shares, strict=True):
            if not share:
                yield np.zeros((a + 1) * (b + 1))
                continue
            first, second = (
                pmf(model.split(cells[h.hit], cells[h.other], m), m)
                for h, m in zip(self.halves, (a, b), strict=True)
            )
            yield share * np.outer(first, second).ravel()


def ranked(metric: Metric, values: Array) -> Integers:
    """Rank values by size: values that count as equal share a rank; -1 for nan."""
    ranks = np.full(len(values), -1)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    steps = steps_up(metric, values[order])
    ranks[order] = np.concatenate(([0], np.cumsum(steps)))[: len(order)]
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


def pmf(factor: Count, size: int) -> Array:
    """Return the probabilities of 0, 1, ... size under a factor."""
    return full(factor.window(depth=DEEP), size)
