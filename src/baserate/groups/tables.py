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

from baserate._arrays import Array, Whole
from baserate._windows import DEEP, Window
from baserate.counts import CELLS, ConfusionMatrix
from baserate.errors import UnsupportedError
from baserate.groups.null import Cells, Drawn, p_value
from baserate.metrics import Metric
from baserate.metrics.ties import steps_up, tie_width
from baserate.models.model import ALL, FLAGGED, NEGATIVE, PASSED, POSITIVE

Held = Literal["none", "classes", "predictions"]

# The most tables that are listed: all those of 200 cases, C(203, 3).
LARGEST = 1_373_701
LEFT_OUT = 1e-18  # probability of the tables that are not likely, at most
BINS, PER_BIN = 4096, 16  # bins at most, and tables in one at least
SAME = 1 + 1e-9  # p-values summed in different orders differ in their last digits
TINY = 1e-300  # a range that is not divided into bins
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
        """List all tables that share with the group what is held fixed."""
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
    def likely(
        cls, group: ConfusionMatrix, held: str, model: Drawn, left_out: float = LEFT_OUT
    ) -> "Tables":
        """List the tables with the group's totals but for so little of their probability."""
        [(a, b)] = totals_of(group, held)
        first, second = (
            _span(_law(model, half, total), total, max(left_out, LEFT_OUT) / 4)
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
        parts = [self._grid(block) for block in self.blocks]
        return {
            name: np.concatenate(
                [np.broadcast_to(grid[name], shape).ravel() for grid, shape in parts]
            )
            for name in CELLS
        }

    @cached_property
    def _only(self) -> tuple[dict[str, Array], tuple[int, int]]:
        """The counts of the one block."""
        return self._grid(self.blocks[0])

    def _grid(self, block: tuple[Span, Span]) -> tuple[dict[str, Array], tuple[int, int]]:
        """Return the counts of a block: of one half along rows, of the other along columns."""
        cells: dict[str, Array] = {}
        for axis, (half, span) in enumerate(zip(self.halves, block, strict=True)):
            hits = np.arange(span.low, span.high + 1.0)
            hits = hits[:, None] if axis == 0 else hits[None, :]
            cells |= {half.hit: hits, half.other: span.total - hits}
        return cells, (block[0].size, block[1].size)

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
        cells, shape = self.cells, (self.size,)
        if self.held != "none":  # one block: rows and columns say it all
            cells, shape = self._only
        values = np.asarray(metric.formula(*(cells[name] for name in CELLS)), dtype=float)
        return np.broadcast_to(values, shape).ravel()

    def ranks(self, metric: Metric) -> Whole:
        """Return the rank of every table by the metric's value: ties share one; -1 if undefined."""
        return _remembered(self, metric) if self.size <= SHORT else self._ranks(metric)

    def p_values(self, metric: Metric, weights: Array, alternative: str) -> Array:
        """Return the p-value of a metric at every table; nan where it is not defined."""
        return p_value(*tails_of(self.ranks(metric), weights), alternative)

    def _ranks(self, metric: Metric) -> Whole:
        if metric.proportion is not None:
            successes, failures = metric.proportion
            if frozenset((*successes, *failures)) in self.constant:
                defined = bool(self._sum((*failures, *successes))[0])
                return self._sum(successes) if defined else np.full(self.size, -1)
        return ranked(metric, self.values(metric))

    def _sum(self, cells: tuple[str, ...]) -> Whole:
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
def _remembered(tables: Tables, metric: Metric) -> Whole:
    ranks = tables._ranks(metric)  # noqa: SLF001 - the list's own memory
    ranks.flags.writeable = False
    return ranks


def _law(model: Drawn, half: Half, total: int) -> Any:
    """Return the law of a half's hit, given its total."""
    cells: dict[str, float] = dict(zip(CELLS, model.weights, strict=True))
    return model.split(cells[half.hit], cells[half.other], total)


def _span(law: Any, total: int, left_out: float) -> Span:
    """Return the values of a count but for those beyond which so little lies, on either side."""
    start, pmf = law.window()
    below, above = (int(np.searchsorted(np.cumsum(side), left_out)) for side in (pmf, pmf[::-1]))
    return Span(total, start + below, start + len(pmf) - 1 - above)


def ranked(metric: Metric, values: Array) -> Whole:
    """Rank values by size: values that count as equal share a rank; -1 for nan."""
    order = np.argsort(values)  # nan last
    order = order[: len(values) - np.count_nonzero(np.isnan(values))]
    ranks = np.full(len(values), -1)
    ranks[order[1:]] = np.cumsum(steps_up(metric, values[order]))
    ranks[order[:1]] = 0
    return ranks


def tails_of(ranks: Whole, weights: Array) -> tuple[Array, Array]:
    """Return P(M <= v) and P(M >= v), given that M is defined, from ranks and probabilities.

    At every table; nan where M is not defined. Each tail is summed from its own small end, so that
    small probabilities keep their digits.
    """
    mass = np.bincount(ranks + 1, weights=weights)[1:]
    total = float(mass.sum())
    if not total > 0:
        nothing = np.full(len(ranks), np.nan)
        return nothing, nothing
    lower = np.append(np.minimum(np.cumsum(mass) / total, 1.0), np.nan)
    upper = np.append(np.minimum(np.cumsum(mass[::-1])[::-1] / total, 1.0), np.nan)
    return lower[ranks], upper[ranks]


class Graded:
    """Tables graded by the size of a metric: into bins, of which few are looked into.

    Of hundreds of thousands of tables, that is several times faster than sorting them.
    """

    def __init__(self, metric: Metric, values: Array, weights: Array) -> None:
        self.metric, self.values, self.weights = metric, values, weights
        low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        self.bins = int(np.clip(len(values) // PER_BIN, 1, BINS))
        self.low, self.per_bin = low, self.bins / (high - low) if high - low > TINY else 0.0
        with np.errstate(invalid="ignore"):
            place = (values - low) * self.per_bin
        known = ~np.isnan(place)
        self.at = np.where(known, place, self.bins + 1).astype(np.intp)
        self.mass = np.bincount(self.at, weights, self.bins + 2)[: self.bins + 1]

    @cached_property
    def defined(self) -> float:
        """Probability of the tables that have a value."""
        return float(self.mass.sum())

    def tails(self, value: float) -> tuple[float, float]:
        """Return P(M <= value) and P(M >= value), given that M is defined."""
        width = tie_width(self.metric, value)
        lower, upper = self._beyond(value + width, 1), self._beyond(value - width, -1)
        return min(1.0, lower / self.defined), min(1.0, upper / self.defined)

    def kept(self, levels: Array, alternative: str) -> tuple[Array, Array]:
        """Return the least and the greatest values that tests of these levels do not reject.

        Values that count as equal to them are not rejected either.
        """
        goals = levels * self.defined * (0.5 if alternative == "two-sided" else 1.0)
        low, high = np.full(levels.size, -np.inf), np.full(levels.size, np.inf)
        if alternative != "greater":
            low = np.array([self._end(goal, 1) for goal in goals.tolist()])
        if alternative != "less":
            high = np.array([self._end(goal, -1) for goal in goals.tolist()])
        return low, high

    def steps(self, low: Array, high: Array) -> NDArray[np.uint8]:
        """Return how many of these ranges, from the widest on, hold each table's value.

        Tables without a value count as held by all.
        """
        ends = np.concatenate((low, high))
        cuts = (ends[np.isfinite(ends)] - self.low) * self.per_bin
        near = np.clip(cuts[:, None].astype(np.intp) + np.arange(-1, 2), 0, self.bins)
        mixed = np.zeros(self.bins + 2, dtype=bool)
        mixed[near] = True
        middles = (
            self.low + (np.arange(self.bins + 1) + 0.5) / self.per_bin if self.per_bin else low[:1]
        )
        whole = np.full(self.bins + 2, low.size, dtype=np.uint8)
        whole[: self.bins + 1] = _held(middles, low, high)
        found = whole[self.at]
        some = np.flatnonzero(mixed[self.at])
        found[some] = _held(self.values[some], low, high)
        return found

    def _beyond(self, value: float, way: int) -> float:
        """Return the mass below a value that is itself counted, or above it."""
        at = int(np.clip((value - self.low) * self.per_bin, 0, self.bins))
        inside = np.flatnonzero(np.abs(self.at - at) <= 1)
        rest = self.mass[: max(at - 1, 0)] if way > 0 else self.mass[at + 2 :][::-1]
        there = self.weights[inside][way * self.values[inside] <= way * value]
        return float(rest.sum() + there.sum())

    def _end(self, goal: float, way: int) -> float:
        """Return the value, less a tie, at which the mass from one end on passes a goal."""
        cumulated = self.mass[::way].cumsum()
        step = min(int(cumulated.searchsorted(goal, side="right")), self.bins)
        inside = np.flatnonzero(self.at == (step if way > 0 else self.bins - step))
        inside = inside[np.argsort(way * self.values[inside])]
        reached = (cumulated[step - 1] if step else 0.0) + self.weights[inside].cumsum()
        first = min(int(reached.searchsorted(goal, side="right")), inside.size - 1)
        value = float(self.values[inside[first]])
        return value - way * tie_width(self.metric, value)


def _held(values: Array, low: Array, high: Array) -> NDArray[np.uint8]:
    """Return how many of nested ranges hold each value."""
    held = np.zeros(values.shape, dtype=np.uint8)
    for least, most in zip(low, high, strict=True):
        held += (values >= least) & (values <= most)
    return held


def full(window: Window, size: int) -> Array:
    """Return the probabilities of 0, 1, ... size."""
    chances = np.zeros(size + 1)
    chances[window.start : window.start + len(window.pmf)] = window.pmf
    return chances


def pmf(factor: Any, size: int) -> Array:
    """Return the probabilities of 0, 1, ... size under a factor."""
    return full(factor.window(depth=DEEP), size)
