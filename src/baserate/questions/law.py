"""The law of a metric under a model: the only place where the two meet, table by table.

Some metrics are decided by two sums of cells, lumps: given that both hold w cases, by the number u
in the first. So all pairs (w, u) are listed, with each lump in one of its cells: the square of the
cases instead of their cube.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, log, prod
from typing import Any, NamedTuple

import numpy as np

from baserate._arrays import Array
from baserate._windows import DEPTH, Weighted, Window
from baserate.counts import CELLS
from baserate.errors import InvalidArgumentError
from baserate.metrics import Metric, binary_metric
from baserate.models import Model
from baserate.models.factors import Factor, windows

# The most tables that are summed one by one, and the most at a time.
BUDGET = 20_000_000
_AT_A_TIME = 1 << 17
_STRATA = 50_000
_SHORT = 10_000


def model_of(model: Any, able: str = "true_positives") -> Any:
    """Return the model if it is one that is able to do this."""
    if isinstance(model, type) or not hasattr(model, able):
        remedy = "pass for example Hypergeometric(n_positive=30, n_negative=70, n_predicted=30)"
        raise InvalidArgumentError.from_rule("model", "must be a model of tables", model, remedy)
    return model


class Batch(NamedTuple):
    """Some tables: their cells, the metric's values (nan if undefined) and probabilities."""

    cells: tuple[Array, Array, Array, Array]
    values: Array
    weights: Array


class Stratum(NamedTuple):
    """The tables with so many positives, their probability, and how deep windows are worth to go.

    fp is None where it follows from tp.
    """

    n_positive: int
    mass: float
    depth: float
    tp: Factor
    fp: Factor | None

    @property
    def size(self) -> int:
        """How many tables the windows hold."""
        return prod(high - low + 1 for low, high in self.spans)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The ends of the windows of tp and, where it is free, fp."""
        laws = (self.tp, self.fp)
        return [law.span(depth=self.depth) for law in laws if law is not None]


@dataclass(frozen=True)
class InheritedLaw:
    """The law that `metric` inherits from `model`."""

    metric: Metric
    model: Model

    @classmethod
    def of(cls, metric: Any, model: Model) -> "InheritedLaw":
        """Return the law of a metric given by itself or by name."""
        return cls(binary_metric(metric), model_of(model))

    @property
    def regular(self) -> bool:
        """Whether declared sums of counts say all about where the metric is undefined."""
        return self.metric.undefined_also is None

    @property
    def fixed_classes(self) -> bool:
        """Whether every table has the same class totals."""
        low, high = self.model.positives().support
        return low == high

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

    def strata(self, depth: float = DEPTH) -> list[Stratum] | None:
        """Return the strata that matter, or None if there are too many.

        The more improbable, the shorter their windows have to be: what all of them leave out is
        below 2 exp(-depth) of tp, and as much of fp.
        """
        return _strata_of(self.model, depth)

    def n_tables(self, depth: float = DEPTH) -> int:
        """Return the number of tables in the windows."""
        return _size_of(self.model, depth)

    def batches(self, depth: float = DEPTH) -> Iterator[Batch]:
        """Yield all tables of the windows."""
        few = self.n_tables(depth) <= _AT_A_TIME
        for cells, weights in (_listed if few else _tables_of)(self.model, depth):
            values = np.asarray(self.metric.formula(*cells), dtype=float)
            values = values if values.shape == weights.shape else self.value(*cells)
            yield Batch(cells, values, weights)

    def possible(self) -> Iterator[Batch]:
        """Yield all tables that are possible, be they ever so improbable, with weights of 1."""
        low, high = self.model.positives().support
        for p in range(low, high + 1):
            tp, fp = _given(self.model, p)
            yield from self._tables(p, _support(tp), None if fp is None else _support(fp))

    def nodes(self, which: int) -> Iterator[Batch]:
        """Yield the tables of the first or the second rule for smooth functions."""
        positives = self.model.positives().rules()[which]
        for p, weight in zip(positives.values.tolist(), positives.weights, strict=True):
            tp, fp = _given(self.model, p)
            hits, alarms = tp.rules()[which], None if fp is None else fp.rules()[which]
            yield from self._tables(p, Weighted(hits.values, weight * hits.weights), alarms)

    def n_nodes(self) -> int:
        """Return the number of tables in the second rule; none is built to be counted."""
        positives = self.model.positives()
        if positives.n_nodes() > _STRATA:
            return self.model.n_tables
        laws = (_given(self.model, int(p)) for p in positives.rules()[1].values.tolist())
        return sum(tp.n_nodes() * (1 if fp is None else fp.n_nodes()) for tp, fp in laws)

    def _tables(self, n_positive: Any, tp: Weighted, fp: Weighted | None) -> Iterator[Batch]:
        for cells, weights in _pairs(self.model, n_positive, tp, fp):
            yield Batch(cells, self.value(*cells), weights)


Listed = tuple[tuple[Array, Array, Array, Array], Array]


def _given(model: Model, n_positive: Any) -> tuple[Factor, Factor | None]:
    """Return the laws of tp and fp given the positives; None if fp follows from tp."""
    coupled = model.fixed_n_predicted is not None
    fp = None if coupled else model.false_positives(model.n - n_positive)
    return model.true_positives(n_positive), fp


@lru_cache(maxsize=8)  # many metrics are asked of one model
def _strata_of(model: Model, depth: float) -> list[Stratum] | None:
    low, high = model.positives().span(depth=depth)
    return None if high - low > _STRATA else list(_found(model, depth))


@lru_cache(maxsize=8)
def _size_of(model: Model, depth: float) -> int:
    strata = _strata_of(model, depth)
    return model.n_tables if strata is None else sum(s.size for s in strata)


def _found(model: Model, depth: float) -> Iterator[Stratum]:
    window = model.positives().window(depth=depth)
    for p, mass in enumerate(window.pmf.tolist(), window.start):
        deep = depth + log(mass * len(window.pmf)) if mass > 0 else 0.0
        if deep > 0:
            yield Stratum(p, mass, deep, *_given(model, p))


def _tables_of(model: Model, depth: float) -> Iterator[Listed]:
    """Yield the cells and the probabilities of all tables of the windows."""
    for p, mass, deep, tp, fp in _strata_of(model, depth) or ():
        hits = _window(tp, deep)
        alarms = None if fp is None else _whole(_window(fp, deep))
        yield from _pairs(model, p, Weighted(hits.values, mass * hits.pmf), alarms)


@lru_cache(maxsize=2)  # of a model that many metrics are asked of
def _listed(model: Model, depth: float) -> list[Listed]:
    return list(_tables_of(model, depth))


def _pairs(model: Model, n_positive: Any, tp: Weighted, fp: Weighted | None) -> Iterator[Listed]:
    """Yield the tables of so many positives, with tp in rows and fp in columns."""
    n_negative = model.n - n_positive
    step = _AT_A_TIME if fp is None else max(1, _AT_A_TIME // len(fp.values))
    for start in range(0, len(tp.values), step):
        hits, weights = (part[start : start + step] for part in tp)
        if fp is None:
            alarms = (model.fixed_n_predicted or 0) - hits
        else:
            hits, alarms = map(np.ravel, np.broadcast_arrays(hits[:, None], fp.values))
            weights = np.outer(weights, fp.weights).ravel()
        yield (hits, n_positive - hits, alarms, n_negative - alarms), weights


def _window(factor: Factor, depth: float) -> Window:
    """Return a window; short ones are remembered, for many metrics are asked of one model."""
    low, high = factor.support
    return (_short if high - low < _SHORT else _made)(factor, depth)


def _made(factor: Factor, depth: float) -> Window:
    return factor.window(depth=depth)


_short = lru_cache(maxsize=8)(_made)


def _whole(window: Window) -> Weighted:
    return Weighted(window.values, window.pmf)


def _support(factor: Factor) -> Weighted:
    """Return the values that are possible, with weights of 1."""
    low, high = factor.support
    return Weighted(np.arange(low, high + 1, dtype=np.float64), np.ones(high + 1 - low))


# The most totals that are summed over, and the most pairs that are laid out at a time.
_TOTALS, _AT_A_TIME = 200_000, 1 << 17


def n_pairs(law: InheritedLaw, depth: float = DEPTH) -> float:
    """Return about how many pairs the windows hold; infinity where there are no lumps."""
    lumps = _Lumps.of(law)
    return inf if lumps is None else lumps.n_pairs(depth)


def pairs(law: InheritedLaw, depth: float = DEPTH) -> Iterator[Batch]:
    """Yield all pairs in the windows, as tables."""
    lumps = _Lumps.of(law)
    assert lumps is not None
    return lumps.batches(depth)


@dataclass(frozen=True, slots=True)
class _Lumps:
    """The two lumps of a metric, under a model that knows the law of what both hold."""

    law: InheritedLaw
    first: frozenset[str]
    both: frozenset[str]
    total: Factor

    @classmethod
    def of(cls, law: InheritedLaw) -> "_Lumps | None":
        """Return the lumps; None if the metric has none, or the model does not know their law."""
        if law.metric.lumps is None:
            return None
        first, second = map(frozenset, law.metric.lumps)
        total = law.model.total(first | second)
        if total is None:
            return None
        part = law.model.part(first, first | second, total.support[0])
        return None if part is None else cls(law, first, first | second, total)

    def n_pairs(self, depth: float) -> float:
        """Return about how many pairs the windows hold."""
        low, high = self.total.span(depth=depth)
        n_totals = high - low + 1
        if n_totals > _TOTALS:
            return inf
        first, last = self._given((low + high) // 2).span(depth=depth)
        return n_totals * (last - first + 1)

    def batches(self, depth: float) -> Iterator[Batch]:
        """Yield all pairs in the windows, as tables."""
        window = self.total.window(depth=depth)
        held = np.flatnonzero(window.pmf)
        totals, weights = window.values[held], window.pmf[held]
        # The more improbable a total, the shorter its window has to be.
        depths = np.maximum(1.0, depth + np.log(weights * len(weights)))
        step = self._step(totals, float(depths.max()))
        for begin in range(0, len(totals), step):
            w, weight, deep = (a[begin : begin + step] for a in (totals, weights, depths))
            laid = windows([self._given(int(total)) for total in w], deep.tolist())
            u = laid.start[:, None] + np.arange(laid.pmf.shape[1], dtype=np.float64)
            w = w[:, None]
            u = np.minimum(np.maximum(u, 0), w)  # whatever is moved has probability 0
            cells = self._cells(u, w)
            weight = (weight[:, None] * laid.pmf).ravel()
            yield Batch(cells, self.law.value(*cells).ravel(), weight)

    def _given(self, total: int) -> Factor:
        """Return the law of what the first lump holds, given what both hold."""
        factor = self.law.model.part(self.first, self.both, total)
        assert factor is not None
        return factor

    def _step(self, totals: Array, depth: float) -> int:
        ends = [self._given(int(total)) for total in totals[[0, len(totals) // 2, -1]]]
        spans = [factor.span(depth=depth) for factor in ends]
        return max(1, _AT_A_TIME // max(high - low + 1 for low, high in spans))

    def _cells(self, first: Array, both: Array) -> tuple[Array, Array, Array, Array]:
        """Return tables with each lump, and what neither holds, in one cell."""
        cells: dict[str, Array] = dict.fromkeys(CELLS, np.zeros_like(first))
        rest = [name for name in CELLS if name not in self.both]
        cells[min(self.first)], cells[min(self.both - self.first)] = first, both - first
        if rest:
            cells[rest[0]] = self.law.model.n - both + cells[rest[0]]
        tp, fn, fp, tn = (np.ravel(cell) for cell in cells.values())
        return tp, fn, fp, tn
