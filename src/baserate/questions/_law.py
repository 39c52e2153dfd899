"""The law of a metric under a model: the only place where the two meet."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from math import fsum, log
from typing import Any, NamedTuple

import numpy as np

from baserate._windows import DEPTH, Array, Nodes
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get
from baserate.models import Model
from baserate.models._factors import Factor

# The most tables that are summed one by one, and the most at a time.
BUDGET = 20_000_000
_BLOCK = 1 << 18
_SLICES = 50_000

# Sums of cells that both margins determine; any three cells contain one of them.
_MARGINS = frozenset(map(frozenset, (("tp", "fn"), ("fp", "tn"), ("tp", "fp"), ("fn", "tn"))))


def model_of(model: Any) -> Model:
    """Return the model if it is one."""
    if isinstance(model, type) or not hasattr(model, "true_positives"):
        remedy = "pass for example Hypergeometric(n_positive=30, n_negative=70, n_predicted=30)"
        raise InvalidArgumentError.from_rule("model", "must be a model of tables", model, remedy)
    return model


class Block(NamedTuple):
    """Some tables: their cells, the metric's values (nan if undefined) and probabilities."""

    cells: tuple[Array, Array, Array, Array]
    values: Array
    weights: Array


class ClassTotals(NamedTuple):
    """A number of positives, its probability, and the depth that this makes windows worth."""

    n_positive: int
    mass: float
    depth: float


class Slice(NamedTuple):
    """The tables of given class totals: tp in rows, fp in columns unless it follows from tp."""

    n_positive: float
    rows: Nodes
    columns: Nodes | None


class Moments(NamedTuple):
    """Mass on which the metric is defined, its mean and variance there, and the undefined mass."""

    mass: float
    mean: float
    variance: float
    undefined: float = 0.0


@dataclass(frozen=True, slots=True)
class Law:
    """The law that `metric` inherits from `model`."""

    metric: Metric
    model: Model

    @classmethod
    def of(cls, metric: str | Metric, model: Model) -> "Law":
        """Return the law of a metric given by itself or by name."""
        return cls(get(metric), model_of(model))

    @property
    def regular(self) -> bool:
        """Whether declared sums of counts say all about where the metric is undefined."""
        return self.metric.undefined_also is None

    @property
    def by_margins(self) -> bool:
        """Whether both margins together decide if the metric is defined."""
        return self.regular and all(len(s) > 2 or s in _MARGINS for s in self._sums())

    @property
    def fixed_classes(self) -> bool:
        """Whether every table has the same class totals."""
        low, high = self.model.positives().support
        return low == high

    @property
    def guessing(self) -> bool:
        """Whether predictions are blind: hypergeometric given the number predicted positive."""
        return self.model.fixed_n_predicted is not None or self.model.tower() is not None

    def always_defined(self) -> bool:
        """Return whether no possible table is undefined, decided in integers."""
        return self.regular and not any(self.model.possible_zero(s) for s in self._sums())

    def may_be_undefined(self) -> bool:
        """Return whether some possible table is undefined, be it ever so improbable.

        Decided in integers, or by looking at every possible table.
        """
        if self.regular:
            return not self.always_defined()
        if self.model.n_tables > BUDGET:
            raise UnsupportedError(
                f"Whether {self.metric.name} is undefined at some table of "
                f"{type(self.model).__name__} takes a look at all {self.model.n_tables:,}, more "
                f"than {BUDGET:,}: declare undefined_if_zero, or pass undefined='omit'."
            )
        possible = chain.from_iterable(map(self._tables, self._whole_slices()))
        return any(bool(np.isnan(block.values).any()) for block in possible)

    def probability_undefined(self) -> float:
        """Return P(undefined), by inclusion and exclusion or else by summing all tables."""
        if not self.regular:
            return moments(self.blocks()).undefined
        sums = self._sums()
        if self.always_defined():
            return 0.0
        if any(self.model.probability_zero(s) == 1 for s in sums):
            return 1.0
        return min(1.0, max(0.0, fsum(self._overlaps(sums))))

    def probability_defined(self) -> float:
        """Return P(defined), and its digits where it is small."""
        defined = 1 - self.probability_undefined()
        if 0 < defined < 1e-6 and self.regular and self.n_atoms() <= BUDGET:
            return self.mass()
        return defined

    def mass(self) -> float:
        """Sum the probabilities of all tables at which the metric is defined."""
        return min(1.0, fsum(float(b.weights @ ~np.isnan(b.values)) for b in self.blocks()))

    def value(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Array:
        """Return the metric at cells that need not be whole numbers; they broadcast."""
        cells = np.broadcast_arrays(*(np.asarray(c, dtype=np.float64) for c in (tp, fn, fp, tn)))
        return np.broadcast_to(np.asarray(self.metric.formula(*cells), float), cells[0].shape)

    def at(self, tp: Any, n_positive: Any, n_negative: Any, fp: Any) -> Array:
        """Return the metric at tables given by tp, fp and class totals."""
        return self.value(tp, n_positive - tp, fp, n_negative - fp)

    def at_mean(self) -> float:
        """Return the metric at the mean table."""
        return float(self.value(*self.model.mean))

    def class_totals(self, depth: float = DEPTH) -> list[ClassTotals] | None:
        """Return the class totals that matter, or None if there are too many.

        The more improbable, the shorter their windows have to be: what all slices leave out is
        below 2 exp(-depth) of tp, and as much of fp.
        """
        positives = self.model.positives()
        low, high = positives.span(depth=depth)
        if high - low > _SLICES:
            return None
        window = positives.window(depth=depth)
        masses = enumerate(window.pmf.tolist(), window.start)
        worth = ((p, m, depth + log(m * len(window.pmf))) for p, m in masses if m > 0)
        return [ClassTotals(*one) for one in worth if one[2] > 0]

    def n_atoms(self, *, depth: float = DEPTH) -> int:
        """Return the number of tables in the windows."""
        some = self.class_totals(depth)
        if some is None:
            return self.model.n_tables
        return sum(self._slice_size(one.n_positive, one.depth) for one in some)

    def slices(self, *, depth: float = DEPTH) -> Iterator[Slice]:
        """Yield the windows, class totals by class totals; the rows carry the slice's mass."""
        for p, mass, deep in self.class_totals(depth) or ():
            tp = self.model.true_positives(p).window(depth=deep)
            rows = Nodes(tp.values, mass * tp.pmf)
            yield Slice(p, rows, None if self._coupled else self._columns(p, deep))

    def blocks(self, *, depth: float = DEPTH) -> Iterator[Block]:
        """Yield all tables of the windows, a block at a time."""
        for piece in self.slices(depth=depth):
            yield from self._tables(piece)

    def node_blocks(self, which: int) -> Iterator[Block]:
        """Yield the tables of the first or the second rule for smooth functions."""
        positives = self.model.positives().rules()[which]
        for p, weight in zip(positives.values.tolist(), positives.weights, strict=True):
            tp = self.model.true_positives(p).rules()[which]
            fp = None if self._coupled else self.model.false_positives(self.model.n - p)
            columns = None if fp is None else fp.rules()[which]
            yield from self._tables(Slice(p, Nodes(tp.values, weight * tp.weights), columns))

    def n_nodes(self) -> int:
        """Return the number of tables in the second rule; none is built to be counted."""
        positives = self.model.positives()
        if positives.n_nodes() > _SLICES:
            return self.model.n_tables
        return sum(map(self._nodes_at, positives.rules()[1].values.tolist()))

    def _whole_slices(self) -> Iterator[Slice]:
        """Yield all tables that are possible; their weights are not looked at."""
        low, high = self.model.positives().support
        for p in range(low, high + 1):
            tp = _support(self.model.true_positives(p))
            fp = None if self._coupled else _support(self.model.false_positives(self.model.n - p))
            yield Slice(p, tp, fp)

    @property
    def _coupled(self) -> bool:
        return self.model.fixed_n_predicted is not None

    def _sums(self) -> list[frozenset[str]]:
        return [frozenset(total.split("+")) for total in self.metric.undefined_if_zero]

    def _overlaps(self, sums: list[frozenset[str]]) -> Iterator[float]:
        sizes = range(1, len(sums) + 1)
        for chosen in chain.from_iterable(combinations(sums, size) for size in sizes):
            zero = frozenset[str]().union(*chosen)
            yield (-1) ** (len(chosen) + 1) * self.model.probability_zero(zero)

    def _columns(self, n_positive: int, depth: float) -> Nodes:
        window = self.model.false_positives(self.model.n - n_positive).window(depth=depth)
        return Nodes(window.values, window.pmf)

    def _slice_size(self, n_positive: int, depth: float) -> int:
        low, high = self.model.true_positives(n_positive).span(depth=depth)
        if self._coupled:
            return high - low + 1
        first, last = self.model.false_positives(self.model.n - n_positive).span(depth=depth)
        return (high - low + 1) * (last - first + 1)

    def _nodes_at(self, n_positive: float) -> int:
        p = int(n_positive)
        n_tp = self.model.true_positives(p).n_nodes()
        return n_tp * (
            1 if self._coupled else self.model.false_positives(self.model.n - p).n_nodes()
        )

    def _tables(self, piece: Slice) -> Iterator[Block]:
        """Yield the tables of a slice."""
        n_positive, rows, columns = piece
        n_negative, k = self.model.n - n_positive, self.model.fixed_n_predicted
        step = _BLOCK if columns is None else max(1, _BLOCK // len(columns.values))
        for start in range(0, len(rows.values), step):
            tp, weights = (part[start : start + step] for part in rows)
            if columns is None:
                assert k is not None
                fp = k - tp
            else:
                tp, fp = (a.ravel() for a in np.broadcast_arrays(tp[:, None], columns.values))
                weights = np.outer(weights, columns.weights).ravel()
            cells = (tp, n_positive - tp, fp, n_negative - fp)
            yield Block(cells, self.value(*cells), weights)


def _support(factor: Factor) -> Nodes:
    """Return the values that are possible, with weights of 1."""
    low, high = factor.support
    return Nodes(np.arange(low, high + 1, dtype=np.float64), np.ones(high + 1 - low))


def moments(blocks: Iterator[Block]) -> Moments:
    """Return mass, mean and variance over the defined tables; nan where there is none."""
    total = Moments(0.0, 0.0, 0.0)
    for block in blocks:
        total = _merged(total, _block_moments(block.values, block.weights))
    return total if total.mass > 0 else Moments(0.0, np.nan, np.nan, total.undefined)


def _block_moments(values: Array, weights: Array) -> Moments:
    defined, undefined = ~np.isnan(values), 0.0
    if not defined.all():
        undefined = float(weights[~defined].sum())
        values, weights = values[defined], weights[defined]
    mass = float(weights.sum())
    if mass <= 0:
        return Moments(0.0, 0.0, 0.0, undefined)
    mean = float(weights @ values) / mass
    return Moments(mass, mean, float(weights @ (values - mean) ** 2) / mass, undefined)


def _merged(a: Moments, b: Moments) -> Moments:
    mass, undefined = a.mass + b.mass, a.undefined + b.undefined
    if a.mass == 0 or b.mass == 0:
        return (a if b.mass == 0 else b)._replace(undefined=undefined)
    share, gap = b.mass / mass, b.mean - a.mean
    variance = a.variance * (1 - share) + b.variance * share + gap * gap * share * (1 - share)
    return Moments(mass, a.mean + gap * share, variance, undefined)
