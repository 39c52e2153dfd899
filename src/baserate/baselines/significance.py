"""How probable it is that guessing does as well: Fisher's test, and the largest p-value."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, singledispatch
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baserate._arrays import Array
from baserate._checks import each_of, whole_number
from baserate._result import Result
from baserate._saddlepoint import hypergeometric_log_pmf
from baserate._windows import BLOCK, DEEP, LONGEST, Urn, hypergeometric, hypergeometric_span
from baserate.baselines.chance_curve import BUDGET, Block, blocks, tables
from baserate.baselines.class_significance import (
    AsGood,
    ClassPValue,
    no_better_end,
    p_value_of_hits,
    p_value_of_metric,
)
from baserate.baselines.totals import class_totals
from baserate.class_counts import ClassTable, single_class_table
from baserate.counts import ConfusionMatrix, single_table
from baserate.errors import UnsupportedError
from baserate.metrics import ClassMetric, Metric, binary_metric, class_metric
from baserate.metrics.ties import tie_width

Counts = NDArray[np.int64]

# Relative error of a tail whose terms start from `hypergeometric_log_pmf`.
_SLACK = 1e-11
_STRIDE = 8  # terms of all tails between two looks at which of them can still be the largest
FEW_TABLES = 20_000  # tables that are faster summed than thought about
_THINNED = 0.75  # tails that cannot be the largest are dropped once they are a quarter
_FINALISTS = 100  # tails that are summed anew; more of them differ by rounding only

CLASS_NOTE = (
    "One-sided test at the table's own margins: as many cases are called each class, blindly. Of "
    "all cases, as many or more are right."
)
_NOTE = (
    "One-sided exact test at the table's own margins (Fisher): one number for every metric that "
    "rises with the true positives when both margins are fixed."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatsChance(Result):
    """How likely guessing is to do as well; ``float()`` is the p-value.

    Attributes
    ----------
    p_value : float
        P(true positives >= those of the table), if as many cases are flagged blindly.
    p_sup : mapping of str to float
        For each metric asked: the largest probability, over all numbers predicted positive from
        none to all, that a blind draw is at least as good. nan if the score is undefined.
    n_predicted : mapping of str to int
        A number predicted positive that attains it.
    p_at_margins : mapping of str to ClassPValue
        Of several classes, for each metric asked: the probability that a draw that calls as many
        cases each class is at least as good, with its `route` and `error`.
    note : str
    route : {"exact", "upper bound", "permutation"}
        How `p_value` was found. "upper bound": it is at most so large. "permutation": from random
        deals with a fixed seed, with standard error `error`.
    error : float
    """

    p_value: float
    p_sup: Mapping[str, float] = field(default_factory=dict[str, float])
    n_predicted: Mapping[str, int] = field(default_factory=dict[str, int])
    p_at_margins: Mapping[str, ClassPValue] = field(default_factory=dict[str, ClassPValue])
    note: str = _NOTE
    route: str = "exact"
    error: float = 0.0

    def __float__(self) -> float:
        return self.p_value

    def __bool__(self) -> bool:
        raise UnsupportedError(
            "A p-value is not a yes or a no: compare p_value with the chance of a false alarm that "
            "you accept, as in p_value < 0.05."
        )


def beats_chance(
    table: ConfusionMatrix | ClassTable,
    metrics: str | Metric | ClassMetric | Iterable[str | Metric | ClassMetric] | None = None,
) -> BeatsChance:
    """Return the exact probability that a blind guess does at least as well as this table.

    `p_value` fixes both margins: it flags as many cases as the table does, at random. Every metric
    that rises with the true positives then orders the tables alike, so accuracy, F1, MCC and the
    rest share this one number, Fisher's one-sided exact p-value. A guess that is free to choose how
    many cases it flags may do better on a given metric: `p_sup` is the largest probability over
    0 <= n_predicted <= n, one number per metric. It is 1 where flagging nobody or everybody does as
    well, as it always does for recall. A draw at which the metric is undefined does not count as
    doing as well.

    Parameters
    ----------
    table : ConfusionMatrix or ClassTable
        A single table of cases counted one by one. Sums of weights that happen to be whole numbers
        look the same and mean nothing here: pass the unweighted table. Of several classes the
        probability is that of as many right cases or more, which orders accuracy, kappa and the
        Matthews correlation alike: exact while that takes a second, else an upper bound where it is
        below 1e-6, else from random deals; `route` says which.
    metrics : Metric, ClassMetric, str or several of them, optional
        Metrics for which `p_sup` is computed; of several classes `p_at_margins`, since macro F1,
        say, orders tables with the same margins otherwise than the right cases do.

    Raises
    ------
    UnsupportedError
        The counts are weights, or 2^53 and more, or `p_sup` would look at more tables than the
        budget allows.
    InvalidArgumentError
        A metric of `metrics` has no direction.

    References
    ----------
    Fisher (1935), Journal of the Royal Statistical Society 98:39, doi:10.2307/2342435.

    Examples
    --------
    Fisher's tea taster, 3 of 4 cups right:

    >>> from baserate import beats_chance, ConfusionMatrix
    >>> beats_chance(ConfusionMatrix(tp=3, fn=1, fp=1, tn=3)).p_value * 70
    17.0

    An accuracy of 0.75 with 30 positives of 100; the best guess for it flags 9 cases:

    >>> b = beats_chance(ConfusionMatrix(tp=15, fn=15, fp=10, tn=60), ["accuracy"])
    >>> round(b.p_sup["accuracy"], 4), b.n_predicted["accuracy"]
    (0.0028, 9)

    Four letters in four envelopes, all right by luck:

    >>> from baserate import ClassTable
    >>> b = beats_chance(ClassTable([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    >>> round(1 / b.p_value), b.route
    (24, 'exact')
    """
    chosen = [] if metrics is None else each_of("metrics", metrics, str | Metric | ClassMetric)
    return _beaten(table, chosen)


@singledispatch
def _beaten(table: Any, chosen: Iterable[Any]) -> BeatsChance:
    single_table("table", table)
    totals = class_totals(table.n_positive, table.n_negative)
    if totals is None or table.is_weighted:
        raise UnsupportedError(
            "Fisher's test counts cases, and these counts are weights, or 2^53 and more: pass the "
            "unweighted table, or simulate with the weights of the cases."
        )
    found = {m.name: _sup(m, table, *totals) for m in map(binary_metric, chosen)}
    return BeatsChance(
        p_value=_fisher(whole_number("tp", table.tp), whole_number("fp", table.fp), *totals),
        p_sup={name: p for name, (p, _) in found.items()},
        n_predicted={name: k for name, (_, k) in found.items() if k is not None},
    )


@_beaten.register
def _beaten_of_several(table: ClassTable, chosen: Iterable[Any]) -> BeatsChance:
    single_class_table("table", table)
    each = {m.name: p_value_of_metric(m, table) for m in map(class_metric, chosen)}
    if table.n_classes == 2:
        binary = beats_chance(table.one_vs_rest(table.labels[1]))
        return replace(binary, note=CLASS_NOTE, p_at_margins=each)
    return BeatsChance(**p_value_of_hits(table)._asdict(), p_at_margins=each, note=CLASS_NOTE)


# P-values that each metric has of its own; all of them share Fisher's.
OF_EACH: Mapping[str, Callable[[Metric, ConfusionMatrix], float]] = {
    "sup": lambda metric, table: beats_chance(table, metric).p_sup[metric.name],
}


@lru_cache(maxsize=1024)
def _fisher(tp: int, fp: int, n_positive: int, n_negative: int) -> float:
    """Sum the upper tail from its small end, with its digits down to 1e-300."""
    low, high = hypergeometric_span(n_positive, n_negative, tp + fp, depth=DEEP)
    if BLOCK < high - low <= LONGEST:
        return Urn(tp + fp, n_positive, n_negative, -1).upper_tail(low, high, tp)
    window = hypergeometric(n_positive, n_negative, tp + fp, depth=DEEP)
    upper = window.pmf[max(0, tp - window.start) :]
    return min(1.0, float(np.sum(upper[::-1])))


def _sup(metric: Metric, table: ConfusionMatrix, p: int, q: int) -> tuple[float, int | None]:
    if metric.direction == "neither":
        raise no_better_end(metric)
    score = float(metric(table))
    if isnan(score):
        return nan, None
    as_good = _AsGood(metric, score, tie_width(metric, score), p, q)
    for none_or_all in (0, p + q):
        if as_good(*tables(p, q, none_or_all, none_or_all and p)):
            return 1.0, none_or_all
    if (p + q) * (min(p, q) + 1) <= FEW_TABLES:
        return _largest_of_all(as_good, _every_table(p, q))
    if metric.undefined_also is not None and metric.undefined_multiples is None:
        remedy = f"the largest p-value of {metric.name} needs them; p_value does not"
        return _largest_of_all(as_good, _blocks(p, q, remedy))
    return _largest_of_candidates(as_good)


@dataclass(frozen=True, slots=True)
class _AsGood(AsGood):
    """The same for these class totals."""

    p: int
    q: int

    def __call__(self, *cells: Any) -> NDArray[np.bool_]:
        return self.among(np.asarray(self.metric.formula(*cells), dtype=float))

    def values(self, k: Counts, tp: Counts) -> Array:
        """Return the metric at tables of tp true positives among k predicted ones."""
        cells = (c.astype(np.float64) for c in tables(self.p, self.q, k, tp))
        return np.asarray(self.metric.formula(*cells), dtype=float)

    def probability(self, k: int) -> float:
        """Sum the probabilities of all tables with k predicted positives that do as well."""
        window = hypergeometric(self.p, self.q, k, depth=DEEP)
        return float(window.pmf @ self(*tables(self.p, self.q, k, window.values)))


@lru_cache(maxsize=16)
def _every_table(p: int, q: int) -> tuple[Block, ...]:
    return tuple(_blocks(p, q, ""))


def _blocks(p: int, q: int, remedy: str) -> Iterator[Block]:
    return blocks(p, q, ((1, p + q - 1),), remedy=remedy, depth=DEEP)


def _largest_of_all(as_good: _AsGood, every: Iterable[Block]) -> tuple[float, int | None]:
    """Look at every table: a few, or what else tells where a user's metric is undefined."""
    best: tuple[float, Any] = (-1.0, None)
    for block in every:
        tail = (block.pmf * as_good(*block.tables)).sum(axis=1)
        top = int(tail.argmax())
        best = max(best, (float(tail[top]), int(block.k[top])), key=lambda pair: pair[0])
    return min(1.0, best[0]), best[1]


def _largest_of_candidates(as_good: _AsGood) -> tuple[float, int | None]:
    """Bound the tails of all k together, and sum anew those that may be the largest.

    Given both margins the metric never gets worse as the true positives rise (so its direction
    says), so that what does as well is an upper tail, less tables at which it is undefined.
    """
    metric, p, q = as_good.metric, as_good.p, as_good.q
    if p + q > BUDGET:
        raise UnsupportedError(
            f"A search over every number predicted positive would look at {p + q - 1:,} of them, "
            f"more than {BUDGET:,}: the largest p-value of {metric.name} needs them; p_value does "
            f"not."
        )
    k = np.arange(1, p + q)
    finalists = k[_finalists(as_good, k, _least_as_good(as_good, k))].tolist()
    found = [(as_good.probability(one), -one) for one in finalists]
    best, minus_k = max(found)
    return min(1.0, best), -minus_k


def _least_as_good(as_good: _AsGood, k: Counts) -> Counts:
    """Return the least tp that does as well for every k, or one more than the largest possible.

    Where the metric is undefined the next table answers, and at the end of the support "yes".
    """
    low, end = np.maximum(0, k - as_good.q), np.minimum(as_good.p, k)
    first, high = low.copy(), end + 1
    while (open_ := first < high).any():
        middle = (first + high) // 2
        values = as_good.values(k, np.minimum(middle, end))
        gap = np.isnan(values) & (middle > low)
        if gap.any():
            values[gap] = as_good.values(k[gap], np.minimum(middle + 1, end)[gap])
        good = as_good.among(values) | (np.isnan(values) & (middle > low))
        high = np.where(open_ & good, middle, high)
        first = np.where(open_ & ~good, middle + 1, first)
    return first


def _finalists(as_good: _AsGood, k: Counts, least: Counts) -> NDArray[np.intp]:
    """Return where P(tp >= least) less what is undefined may be the largest, likely ones first.

    Each tail, or what is left below it, is summed outward, away from the mode. There probabilities
    fall by ratios that fall, so that a sum broken off is followed by less than a geometric series.
    """
    rows, sums = np.arange(len(k)), _GuessSums.of(as_good, k, least)
    best = -1.0
    while True:
        sums.add(_STRIDE)
        low, high, error = sums.bounds()
        best = max(best, float((low - error).max()))
        kept = high + error >= best
        if kept.mean() < _THINNED:
            rows, sums, low = rows[kept], sums.of_rows(kept), low[kept]
            kept = kept[kept]
        if (sums.complete() | ~kept).all():
            likely = np.argsort(-low[kept], kind="stable")
            return rows[kept][likely[:_FINALISTS]]


@dataclass(slots=True)
class _GuessSums:
    """Sums of falling terms in units of the first one, and which tails they stand for."""

    outward: NDArray[np.bool_]  # the tail itself, or else what is left below it
    first: Array
    undefined: Array
    term: Array
    total: Array
    factors: Array  # two above and two below the line of the next ratio

    @classmethod
    def of(cls, as_good: _AsGood, k: Counts, least: Counts) -> "_GuessSums":
        p, q = as_good.p, as_good.q
        outward = least > (k + 1) * (p + 1) // (p + q + 2)
        t = np.where(outward, least, least - 1)
        up = (p - t, k - t, t + 1, q - k + t + 1)
        down = (t, q - k + t, p - t + 1, k - t + 1)
        first = _probability(p, q, k, t)
        return cls(
            outward=outward,
            first=first,
            undefined=_undefined(as_good, k, least),
            term=(first > 0).astype(np.float64),
            total=np.ones(len(k)),
            factors=np.where(outward, up, down).astype(np.float64),
        )

    def of_rows(self, kept: NDArray[np.bool_]) -> "_GuessSums":
        return _GuessSums(*(getattr(self, f.name)[..., kept] for f in fields(self)))

    def add(self, terms: int) -> None:
        for _ in range(terms):
            self.term *= self._ratio()
            self.total += self.term
            self.factors[:2] -= 1
            self.factors[2:] += 1

    def complete(self) -> NDArray[np.bool_]:
        return self._rest() <= _SLACK * self.total

    def bounds(self) -> tuple[Array, Array, Array]:
        """Return what the tails are at least and at most, and what rounding may add to that."""
        low, high = self.first * self.total, self.first * (self.total + self._rest())
        error = _SLACK * (high + self.undefined)
        least, most = (np.where(self.outward, a, 1 - b) for a, b in ((low, high), (high, low)))
        return least - self.undefined, most - self.undefined, error

    def _ratio(self) -> Array:
        a, b, c, d = self.factors
        return a * b / (c * d)

    def _rest(self) -> Array:
        ratio = np.where(self.term > 0, self._ratio(), 0.0)
        return self.term * ratio / (1 - ratio)


def _probability(p: int, q: int, k: Counts, t: Counts) -> Array:
    """Return P(tp = t) among k drawn, 0 outside the support."""
    low, end = np.maximum(0, k - q), np.minimum(p, k)
    out = ((low <= t) & (t <= end)).astype(np.float64)
    several = (out > 0) & (low < end)
    if several.any():
        out[several] = np.exp(hypergeometric_log_pmf(p, q, k[several], t[several]))
    return out


def _undefined(as_good: _AsGood, k: Counts, least: Counts) -> Array:
    """Return the probability of undefined tables with `least` true positives or more.

    Declared sums of cells can be zero only at the ends of the support of tp, of which the lower one
    does not count as doing as well.
    """
    metric, p, q = as_good.metric, as_good.p, as_good.q
    end = np.minimum(p, k)
    at_end = np.isnan(as_good.values(k, end)) & (least <= end)
    out = np.where(at_end, _probability(p, q, k, end), 0.0)
    if metric.undefined_multiples is not None:
        step, hits = metric.undefined_multiples(p, q)
        tp = k // step * hits
        there = (k % step == 0) & (tp >= least) & ~(at_end & (tp == end))
        out[there] += _probability(p, q, k[there], tp[there])
    return out
