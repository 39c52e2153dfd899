"""Weights of classes for any metric: one class at a time, over all of its cut points.

A case is called the class k with the largest w_k p_k, or log p_k + b_k with offsets b = log w. With
the other offsets fixed, raising b_k moves cases to class k one after another, each from the class
that is first without k, at the cut point max over j of (log p_j + b_j) - log p_k. So all tables
that b_k can make are known from one sort. The best is taken, class by class, until nothing
improves: a local optimum; of two classes the optimum, since only one offset matters.

Each case that moves changes two classes only. So averages over classes along a line of tables take
as long as the cases, not as cases times classes. They are sums of many changes, hence rounded: what
is near the best is then computed anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from baserate._arith import slack
from baserate.class_counts import ClassTable
from baserate.counts import ConfusionMatrix
from baserate.metrics import ClassMetric, Metric, class_metric, recall
from baserate.tuning.targets import Values, maximisers, oriented, runs

Codes = NDArray[np.intp]

APART = 1e-9  # logarithms of weights that differ by less are one cut point: rounding blurs them
EMPTY = 1e-12  # sums of weights below this share of all are what rounding leaves of nothing
AT_ONCE = 1 << 19  # numbers of a block of tables
# Sums of counts that are zero only where class totals are.
TOTALS = {"tp+fn+fp+tn", "tp+fn", "fp+tn", "tp+fn+fp", "fn+fp+tn"}
ROUNDS = 100
NEAR = 1e-9  # share of the range of the metric: far above what sums of rounded changes lose
MANY = 16  # classes from which on changes class by class are the faster way
BEYOND = float(np.log(2.0))  # how far beyond the last cut point an offset is put


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Cases with the logarithms of their probabilities."""

    logs: Values  # (n, K): -inf where the probability is zero: such a class is never chosen
    truth: Codes
    weight: NDArray[Any]  # whole numbers of cases, or sums of weights

    @classmethod
    def of(cls, probabilities: Values, truth: Codes, weight: NDArray[Any]) -> Self:
        """Take logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.asfortranarray(probabilities))  # a class at a time is read
        return cls(logs, truth, weight.astype(np.float64))

    @property
    def is_whole(self) -> bool:
        """Whether all weights are numbers of cases."""
        return bool(np.all(self.weight % 1 == 0))

    @property
    def n_classes(self) -> int:
        """K."""
        return self.logs.shape[1]

    @property
    def class_counts(self) -> Values:
        """Cases of each class."""
        return np.bincount(self.truth, self.weight, self.n_classes).astype(np.float64)

    def drawn(self, times: NDArray[Any]) -> Self:
        """Return the same cases, each so often; those drawn never are left out."""
        kept = np.flatnonzero(times)
        return type(self)(self.logs[kept], self.truth[kept], times[kept] * self.weight[kept])

    def decisions(self, offsets: Values) -> Codes:
        """Return the class of the largest log p + b, of equal ones the first."""
        return (self.logs + offsets).argmax(axis=1)

    def table(self, offsets: Values) -> ClassTable:
        """Return what these offsets make of the cases."""
        k = self.n_classes
        cells = self.truth * k + self.decisions(offsets)
        counts = np.bincount(cells, self.weight, k * k).reshape(k, k)
        return ClassTable(counts.astype(np.int64) if self.is_whole else counts)


class Climbed(NamedTuple):
    """Offsets at which no class alone can be moved for the better."""

    offsets: Values
    value: float


def climb(metric: ClassMetric, cases: Scored) -> Climbed:
    """Return the best local optimum of all starts, or plain argmax if none is better.

    The value is nan if the metric is undefined wherever the climb came.
    """
    plain = np.zeros(cases.n_classes)
    best, top = plain, _upward(metric, cases, plain)
    for start in _starts(cases):
        found = _ascend(metric, cases, start)
        value = _upward(metric, cases, found)
        if value > top + (slack(top) if top > -inf else 0.0):
            best, top = found, value
    return Climbed(best, float(metric(cases.table(best))))


def _starts(cases: Scored) -> list[Values]:
    """Return where to begin: no weights, and weights inverse to the class shares."""
    counts = np.maximum(cases.class_counts, cases.weight[cases.weight > 0].min(initial=1.0))
    inverse = -np.log(counts)
    return [np.zeros(cases.n_classes), inverse - inverse.mean()]


def _upward(metric: ClassMetric, cases: Scored, offsets: Values) -> float:
    return float(oriented(metric, metric(cases.table(offsets))))


def _ascend(metric: ClassMetric, cases: Scored, start: Values) -> Values:
    """Move one class at a time to the middle of its best cut points, until none gains."""
    offsets, top, idle, k = start.copy(), -inf, 0, cases.n_classes
    for step in range(ROUNDS * k):
        place = step % k
        offsets[place], value = _moved(metric, cases, offsets, place)
        gained = value > top + (slack(top) if top > -inf else 0.0)
        idle, top = (0 if gained else idle + 1), max(top, value)
        if idle >= k:
            break
    return offsets - offsets.mean()


def _moved(metric: ClassMetric, cases: Scored, offsets: Values, place: int) -> tuple[float, float]:
    """Return the best offset of one class, and the value there (-inf if undefined throughout)."""
    line, current = OffsetLine.of(cases, offsets, place), float(offsets[place])
    best, value = line.best(metric)
    return (line.middle(best, current) if best.size else current), value


@dataclass(frozen=True, slots=True, eq=False)
class OffsetLine:
    """All tables that the offset of one class can make, the other offsets fixed.

    `truth`, `rival` and `weight` are those of the cases in the order of their own cut points; the
    rival is the class that each is called otherwise. `ends` are how many of them are called the
    class before the first cut and after each: what zero probability keeps out is none of them. In
    `start`, truth in rows, only those are called the class that are so at any offset.
    """

    cuts: Values  # (tables - 1, 2): between which offsets a group of cases changes over, ascending
    ends: Codes
    truth: Codes
    rival: Codes
    weight: Values
    start: Values
    place: int
    is_whole: bool

    @classmethod
    def of(cls, cases: Scored, offsets: Values, place: int) -> Self:
        """Sort the cases by where they change over."""
        k, own = cases.n_classes, cases.logs[:, place]
        rival, top = _rivals(cases, offsets, place)
        at = np.where(own == -inf, inf, top) - np.where(own == -inf, 0.0, own)
        called = np.where(at == -inf, place, rival)
        counts = _grouped(cases.truth, called, cases.weight, k, k)
        moving = np.flatnonzero(np.isfinite(at))
        order = moving[np.argsort(at[moving], kind="stable")]
        ascending = at[order]
        last = np.flatnonzero(np.diff(ascending, append=inf) > APART)
        first = np.concatenate(([0], last[:-1] + 1)) if last.size else last
        cuts = np.stack((ascending[first], ascending[last]), axis=1)
        ends = np.concatenate(([0], last + 1))
        moved = cases.truth[order], rival[order], cases.weight[order]
        return cls(cuts, ends, *moved, counts, place, cases.is_whole)

    def best(self, metric: ClassMetric) -> tuple[Codes, float]:
        """Return which tables are best, and their value; none and -inf if it is undefined."""
        tables = self._rewarded() if pays_right_calls(metric) else np.arange(len(self.ends))
        if len(self.start) > MANY and is_of_classes(metric, self):
            near = near_best(metric, self, self.ends[tables])
            tables = tables[near] if near.size else tables[:1]
        upward = oriented(metric, self._values(metric, self.ends[tables]))
        best = maximisers(upward)
        return tables[best], float(upward[best[0]]) if best.size else -inf

    def middle(self, best: Codes, current: float) -> float:
        """Return an offset amid the best: where they hold the current one, or of the widest run."""
        if not self.cuts.size:
            return current
        low = np.concatenate(([self.cuts[0, 0] - 2 * BEYOND], self.cuts[:, 1]))
        high = np.concatenate((self.cuts[:, 0], [self.cuts[-1, 1] + 2 * BEYOND]))
        spans = [(low[first], high[last], first, last) for first, last in runs(best)]
        own = [span for span in spans if span[0] <= current <= span[1]]
        left, right, first, last = (own or [max(spans, key=lambda span: span[1] - span[0])])[0]
        centre = (left + right) / 2
        table = int(np.clip(np.searchsorted(low, centre, "right") - 1, first, last))
        return float((low[table] + high[table]) / 2)

    def _rewarded(self) -> Codes:
        """Return the tables that right calls cannot mend.

        Not those where only cases of the class itself are next to join it, nor those which only
        cases of their rivals have just joined.
        """
        right, wrong = self.truth == self.place, self.truth == self.rival
        gains, losses = (np.concatenate(([0], np.cumsum(x)))[self.ends] for x in (right, wrong))
        sizes = np.diff(self.ends)
        all_gain, all_lose = np.diff(gains) == sizes, np.diff(losses) == sizes
        return np.flatnonzero(~np.append(all_gain, False) & ~np.insert(all_lose, 0, False))

    def _values(self, metric: ClassMetric, ends: Codes) -> Values:
        by_margins = metric.of_margins is not None
        tables = self._margins(ends) if by_margins else self._cells(ends)
        return np.concatenate(
            [np.asarray(metric.at_margins(*sides)) for sides in tables]
            if by_margins
            else [np.asarray(metric(ClassTable(cells))) for cells in tables]
        )

    def _margins(self, ends: Codes) -> Iterator[tuple[Values, Values, Values]]:
        """Yield hits, class counts and predicted counts of blocks of tables."""
        k, totals = len(self.start), self.start.sum(1)
        hits, called = self.start.diagonal(), self.start.sum(0)
        for cases, group, size in self._blocks(ends, 2 * k):
            truth, rival, weight = self.truth[cases], self.rival[cases], self.weight[cases]
            right = np.where(truth == self.place, weight, 0.0)
            wrong = np.where(truth == rival, weight, 0.0)
            hits = self._summed(hits, -_grouped(group, rival, wrong, size, k), group, right)
            called = self._summed(called, -_grouped(group, rival, weight, size, k), group, weight)
            yield hits, np.broadcast_to(totals, hits.shape), called
            hits, called = hits[-1], called[-1]

    def _summed(self, before: Values, change: Values, group: Codes, joined: Values) -> Values:
        """Add up what tables have beyond those before them."""
        change[:, self.place] += np.bincount(group, joined, len(change))
        change[0] += before
        return self._cleared(np.cumsum(change, axis=0))

    def _cells(self, ends: Codes) -> Iterator[Values]:
        """Yield blocks of whole tables."""
        k, counts = len(self.start), self.start.ravel()
        for cases, group, size in self._blocks(ends, k * k):
            truth, rival, weight = self.truth[cases], self.rival[cases], self.weight[cases]
            change = _grouped(group, truth * k + self.place, weight, size, k * k)
            change -= _grouped(group, truth * k + rival, weight, size, k * k)
            change[0] += counts
            found = self._cleared(np.cumsum(change, axis=0))
            yield found.reshape(-1, k, k)
            counts = found[-1]

    def _blocks(self, ends: Codes, numbers: int) -> Iterator[tuple[slice, Codes, int]]:
        """Yield the cases that join in a block of tables, the table each joins in, and how many."""
        most, done = max(1, AT_ONCE // numbers), 0
        for low in range(0, len(ends), most):
            block = ends[low : low + most]
            group = np.repeat(np.arange(len(block)), np.diff(block, prepend=done))
            yield slice(done, int(block[-1])), group, len(block)
            done = int(block[-1])

    def _cleared(self, sums: Values) -> Values:
        """Set to zero what rounding leaves where all weights were taken away."""
        if self.is_whole:
            return sums
        return np.where(np.abs(sums) < EMPTY * self.start.sum(), 0.0, sums)


def _rivals(cases: Scored, offsets: Values, place: int) -> tuple[Codes, Values]:
    """Return the best of the other classes for each case, of equal ones the first."""
    first, *others = (k for k in range(cases.n_classes) if k != place)
    rival, top = np.full(len(cases.truth), first), cases.logs[:, first] + offsets[first]
    for k in others:
        value = cases.logs[:, k] + offsets[k]
        above = value > top
        rival[above] = k
        np.maximum(top, value, out=top)
    return rival, top


def _grouped(group: Codes, column: Codes, weight: Values, size: int, columns: int) -> Values:
    summed = np.bincount(group * columns + column, weight, size * columns)
    return summed.astype(np.float64).reshape(size, columns)  # of no cases they are whole numbers


def pays_right_calls(metric: ClassMetric) -> bool:
    """Whether a wrong call made right never lowers the metric, nor makes it undefined.

    So it is for accuracy, and for averages of what rises with recall and with specificity and is
    undefined only by class totals: the class gains a hit, its rival loses a false alarm.
    """
    if metric == class_metric("accuracy"):
        return True
    part = metric.part
    if part is None or metric.kind == "micro" or part.undefined_also is not None:
        return False
    return (part.increases_with_rates or part == recall) and {*part.undefined_if_zero} <= TOTALS


def is_of_classes(metric: ClassMetric, line: OffsetLine) -> bool:
    """Whether a metric is a mean over classes of bounded values, and the cases are whole."""
    bounds = None if metric.part is None else metric.part.bounds
    bounded = bounds is not None and all(map(isfinite, bounds))
    return bounded and metric.kind in {"macro", "weighted"} and line.is_whole


def near_best(metric: ClassMetric, line: OffsetLine, ends: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which of the tables at these ends may be the best; none if all are undefined."""
    upward = oriented(metric, values_at(metric, line, ends))
    top, (low, high) = upward.max(initial=-np.inf), metric.bounds or (0.0, 1.0)
    return np.flatnonzero((upward > -np.inf) & (upward >= top - NEAR * (high - low)))


def values_at(metric: ClassMetric, line: OffsetLine, ends: NDArray[np.intp]) -> Values:
    """Return the values of the tables at these ends, up to rounding."""
    assert metric.part is not None
    totals = line.start.sum(1)
    weight = np.ones(len(totals)) if metric.kind == "macro" else totals / totals.sum()
    hits, called = line.start.diagonal(), line.start.sum(0)
    place, part, n = line.place, metric.part, totals.sum()
    first = _Terms.of(part, hits, totals, called, n, weight)
    lost, before = _lost(line, first, part, weight)
    joined = np.concatenate(([0.0], np.cumsum(line.weight)))[ends]
    right = np.where(line.truth == place, line.weight, 0.0)
    gained = np.concatenate(([0.0], np.cumsum(right)))[ends]
    own = _Terms.of(part, hits[place] + gained, totals[place], called[place] + joined, n,
                    weight[place])  # fmt: skip
    others = [np.sum(np.delete(side, place)) for side in first]
    moves = [np.concatenate(([0.0], np.cumsum(a - b))) for a, b in zip(lost, before, strict=True)]
    sides = zip(others, moves, own, strict=True)
    value, used, undefined = (rest + move[ends] + mine for rest, move, mine in sides)
    lacking = used < 0.5 * weight[weight > 0].min()
    if metric.undefined_classes == "propagate":
        lacking = undefined > 0.5
    return np.where(lacking, np.nan, value / np.where(lacking, 1.0, used))


class _Terms(NamedTuple):
    """What classes add: weighted values, weights where there is one, and whether there is none."""

    value: Any
    used: Any
    undefined: Any

    @classmethod
    def of(
        cls, part: Metric, hits: Any, totals: Any, called: Any, n: float, weight: Any
    ) -> "_Terms":
        sides = np.broadcast_arrays(hits, totals, called)
        hits, totals, called = (np.asarray(side, dtype=float) for side in sides)
        table = ConfusionMatrix(
            tp=hits, fn=totals - hits, fp=called - hits, tn=n - totals - called + hits
        )
        values, weight = np.asarray(part(table)), np.broadcast_to(weight, hits.shape)
        lacking = np.isnan(values)
        return cls(
            np.where(lacking, 0.0, values) * weight,
            np.where(lacking, 0.0, weight),
            (lacking & (weight > 0)).astype(float),
        )


def _lost(line: OffsetLine, first: _Terms, part: Metric, share: Values) -> tuple[_Terms, _Terms]:
    """Return the terms of each case's rival after the case has left it, and before."""
    order = np.argsort(line.rival, kind="stable")
    rival, weight = line.rival[order], line.weight[order]
    right = np.where(line.truth[order] == rival, weight, 0.0)
    starts = np.searchsorted(rival, rival)  # of each case, where its rival's cases begin
    away, missed = (_within(side, starts) for side in (weight, right))
    totals, hits, called = line.start.sum(1), line.start.diagonal(), line.start.sum(0)
    after = _Terms.of(
        part, hits[rival] - missed, totals[rival], called[rival] - away, totals.sum(), share[rival]
    )
    begins = starts == np.arange(len(starts))
    before = [np.where(begins, f[rival], np.roll(a, 1)) for f, a in zip(first, after, strict=True)]
    back = np.argsort(order, kind="stable")
    return _Terms(*(side[back] for side in after)), _Terms(*(side[back] for side in before))


def _within(amount: Values, starts: NDArray[np.intp]) -> Values:
    """Add up within each run of cases."""
    sums = np.concatenate(([0.0], np.cumsum(amount)))
    return sums[1:] - sums[starts]
