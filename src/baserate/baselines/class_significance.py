"""How probable it is that guessing does as well on several classes: exactly, or by deals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan, log, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baserate._arith import slack
from baserate._arrays import Whole
from baserate._windows import DEEP, hypergeometric
from baserate.class_counts import ClassTable
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import ClassMetric, Metric
from baserate.models import ClassHypergeometric
from baserate.models.class_hits import BUDGET, bounded, hits_bound, hits_cost, ways_at_least
from baserate.questions.listed_laws import Listed
from baserate.questions.several_classes import ClassLaw

MOST_DEALS, LEAST_DEALS = 20_000, 399
LABELS = 20_000_000  # labels dealt in all, or cells counted: about two seconds
_AT_A_TIME = 1 << 22


class ClassPValue(NamedTuple):
    """A p-value, "exact", "upper bound" or "permutation", and a standard error if dealt."""

    p_value: float
    route: str
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Deals:
    """Random tables with the margins of a class table."""

    truth: tuple[int, ...]
    predicted: tuple[int, ...]

    @classmethod
    def of(cls, table: ClassTable) -> "Deals":
        """Read the margins of a table of cases counted one by one."""
        return cls(
            *(tuple(map(int, side)) for side in (table.class_counts, table.predicted_counts))
        )

    def p_value(self, as_good: Callable[[Any], NDArray[np.bool_]], *, cells: bool) -> ClassPValue:
        """Return the share of deals that do as well; the table itself counts as one of them.

        `as_good` is given the tables, of shape (m, K, K), or the right cases of each class, (m, K).
        """
        n, size = sum(self.truth), len(self.truth)
        width = size * size if cells else n
        deals = int(np.clip(LABELS // max(n, width), LEAST_DEALS, MOST_DEALS))
        if deals * max(n, width // 10) > 10 * LABELS:
            raise UnsupportedError(
                f"Whether {n:,} cases beat chance takes an exact law or {deals:,} deals of as many "
                "labels, which is too long: take a random part of the cases."
            )
        blocks = self._cells(deals) if cells else self._hits(deals)
        as_often = sum(int(np.count_nonzero(as_good(block))) for block in blocks)
        share = (as_often + 1) / (deals + 1)
        return ClassPValue(share, "permutation", float(np.sqrt(share * (1 - share) / deals)))

    def _labels(self, deals: int, width: int) -> Iterator[tuple[Whole, Whole]]:
        """Yield the true labels and rows of dealt ones, some at a time."""
        codes = np.arange(len(self.truth), dtype=np.int64)
        labels, guesses = np.repeat(codes, self.truth), np.repeat(codes, self.predicted)
        rng, step = np.random.default_rng(0), max(1, _AT_A_TIME // max(len(labels), width))
        for start in range(0, deals, step):
            rows = np.broadcast_to(guesses, (min(step, deals - start), len(labels)))
            yield labels, rng.permuted(rows, axis=1)

    def _hits(self, deals: int) -> Iterator[Whole]:
        size = len(self.truth)
        ends = np.cumsum(self.truth)
        for labels, rows in self._labels(deals, size):
            right = np.cumsum(rows == labels, axis=1)
            upto = np.where(ends > 0, right[:, np.maximum(ends - 1, 0)], 0)
            yield np.diff(upto, axis=1, prepend=0)

    def _cells(self, deals: int) -> Iterator[Whole]:
        size = len(self.truth)
        for labels, rows in self._labels(deals, size * size):
            place = labels * size + rows + np.arange(len(rows))[:, None] * size**2
            found = np.bincount(place.ravel(), minlength=len(rows) * size**2)
            yield found.reshape(len(rows), size, size)


# A p-value below this is out of any doubt; that it is no larger is all that a report needs.
_PLAIN = log(1e-6)
_NEVER = log(1e-300)
_TABLES = 500_000  # tables that are listed: some seconds


def p_value_of_hits(table: ClassTable, least: int | None = None) -> ClassPValue:
    """Return P(right cases >= those of the table, or `least`) if predictions are dealt at random.

    Exact in whole numbers while that takes about a second. Of larger tables an upper bound says
    enough where it is below 1e-6; else predictions are dealt, with a fixed seed.
    """
    margins = Deals.of(of_cases(table))
    truth, predicted = margins.truth, margins.predicted
    hits = int(table.hits.sum()) if least is None else least
    bound = hits_bound(truth, predicted, hits)
    if bound >= _NEVER and hits_cost(truth, predicted, hits) <= BUDGET:
        ways, every = ways_at_least(truth, predicted, hits)
        return ClassPValue(ways / every, "exact")
    if bound <= _PLAIN:
        return ClassPValue(bounded(bound), "upper bound")
    return margins.p_value(lambda right: right.sum(1) >= hits, cells=False)


def p_value_of_metric(metric: ClassMetric, table: ClassTable) -> ClassPValue:
    """Return P(metric at least as good as at the table) if predictions are dealt at random.

    A draw at which the metric is undefined does not count. What the number of right cases decides
    goes by its law; else every table with these margins is listed, while there are few; else
    predictions are dealt, with a fixed seed.
    """
    if metric.direction == "neither":
        raise no_better_end(metric)
    score, margins = float(metric(of_cases(table))), Deals.of(table)
    if isnan(score):
        return ClassPValue(nan, "exact")
    largest = max(map(abs, filter(np.isfinite, metric.bounds)), default=1)
    as_good = AsGood(metric, score, float(slack(score, largest)))
    law = ClassLaw(
        metric, ClassHypergeometric(class_counts=margins.truth, predicted_counts=margins.predicted)
    )
    if table.n_classes == 2:
        return ClassPValue(_of_two(as_good, margins), "exact")
    if metric.of_hits:
        least = _least_hits(as_good, law, int(table.hits.sum()))
        if least is not None:
            return p_value_of_hits(table, least)
    listed = law.by_hits() or law.by_tables(_TABLES)
    if listed is not None:
        return ClassPValue(_share(as_good, listed), "exact")
    return _dealt(as_good, margins)


def of_cases(table: ClassTable) -> ClassTable:
    """Return the table if it counts cases; weights have no exact test."""
    if table.is_weighted:
        raise UnsupportedError(
            "The test counts cases, and these counts are weights: pass the unweighted table, to "
            "answer for this sample alone."
        )
    return table


def no_better_end(metric: Metric | ClassMetric) -> InvalidArgumentError:
    """Say that no score of this metric is as good as another."""
    rule = "must have a direction: 'at least as good' needs a metric with a better end"
    return InvalidArgumentError.from_rule("metrics", rule, metric.name, "leave it out")


@dataclass(frozen=True, slots=True)
class AsGood:
    """Whether guesses are at least as good as a score, values within `tie` being equal."""

    metric: Any
    score: float
    tie: float

    def among(self, values: Any) -> NDArray[np.bool_]:
        """Return which values do as well; undefined ones do not."""
        values = np.atleast_1d(np.asarray(values, dtype=float))
        if self.metric.direction == "higher":
            return values >= self.score - self.tie
        return values <= self.score + self.tie


def _of_two(as_good: AsGood, margins: Deals) -> float:
    """Sum over the right cases of one of two classes, from the small end as Fisher's test does."""
    (q, p), (_, k) = margins.truth, margins.predicted
    window = hypergeometric(p, q, k, depth=DEEP)
    tp = np.asarray(window.values, dtype=np.int64)
    cells = np.array([[q - k + tp, k - tp], [p - tp, tp]]).transpose(2, 0, 1)
    good = as_good.among(as_good.metric(ClassTable(cells)))
    return min(1.0, float(np.sum(window.pmf[good][::-1])))


def _least_hits(as_good: AsGood, law: ClassLaw, hits: int) -> int | None:
    """Return from how many right cases on a draw does as well; None if that is no such number."""
    if as_good.metric.part is None:  # which says that more are better
        return hits
    good = as_good.among(law.at_hits())
    first = int(np.argmax(good)) if good.any() else len(good)
    return first if good[first:].all() else None


def _share(as_good: AsGood, listed: Listed) -> float:
    return min(1.0, float(listed.weights[as_good.among(listed.values)].sum()))


def _dealt(as_good: AsGood, margins: Deals) -> ClassPValue:
    metric = as_good.metric
    if metric.of_margins is None:
        return margins.p_value(lambda t: as_good.among(metric(ClassTable(t))), cells=True)
    sides = [np.array(side) for side in (margins.truth, margins.predicted)]

    def good(right: Any) -> NDArray[np.bool_]:
        return as_good.among(
            metric.at_margins(right, *(np.broadcast_to(s, right.shape) for s in sides))
        )

    return margins.p_value(good, cells=False)
