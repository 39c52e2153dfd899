"""The top of a ranked list: metrics of the k highest scores, exact if a tie straddles the cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import floor, isnan, nan
from typing import Any

import numpy as np

from baserate._arrays import Array
from baserate._beta import clopper_pearson
from baserate._checks import confidence, each_of, number_in, whole_number
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.curves.cut_points import as_sweep
from baserate.curves.estimates import Estimate
from baserate.curves.score_bins import outward
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.metrics import Metric, binary_metric
from baserate.models.factors import HypergeometricCount

NO_INTERVAL = (
    "no interval: only a share of cases has one here (Clopper and Pearson's); where no tie "
    "straddles the cut, pass the table to baserate.interval"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopOfList(Result):
    """The k highest scores, and what metrics they have.

    Attributes
    ----------
    n_predicted, n : int
        k, the cases at the top of the list, and all cases.
    threshold : float
        The lowest score at the top; of counted scores the lowest of the bin at which the list ends.
    n_tied, n_tied_predicted : int
        Cases that have this score (a score of this bin), and how many of them are at the top. If
        not all are, chance decides which (the order within the bin, which is lost).
    tables : ConfusionMatrix
        One for every number of positives that may get in, a batch.
    probabilities : array
        Of each table: hypergeometric. A metric's law is its values at the tables. Of counted scores
        the law if they were tied, which they need not be: each estimate has its `bounds`.
    estimates : mapping of str to Estimate
        By metric. `value` is the expectation over the ways to break the tie that leave it defined,
        `chance` that of k cases drawn blindly from all, `perfect` that of the best list.
    threshold_bounds : pair of float or None
        Of counted scores, the ends of the bin at which the list ends.
    """

    n_predicted: int
    n: int
    threshold: float
    n_tied: int
    n_tied_predicted: int
    tables: ConfusionMatrix
    probabilities: Array
    estimates: Mapping[str, Estimate]
    threshold_bounds: tuple[float, float] | None = None
    derived = ("straddles",)

    @property
    def straddles(self) -> bool:
        """Whether cases with one score lie on both sides of the cut."""
        return self.n_tied_predicted < self.n_tied

    def __getitem__(self, metric: str | Metric) -> Estimate:
        """Return one estimate, by any name of its metric."""
        name = binary_metric(metric).name
        if name not in self.estimates:
            remedy = "Ask for it: top_of_list(..., metrics=[...])"
            raise UnknownNameError.from_name("metric of this list", name, self.estimates, remedy)
        return self.estimates[name]


def top_of_list(
    y_true: Any,
    y_score: Any = None,
    *,
    k: int | None = None,
    share: float | None = None,
    metrics: Iterable[str | Metric] | str | Metric = ("precision", "recall"),
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> TopOfList:
    """Return metrics of the k highest scores, or of the top share.

    The k highest scores are predicted positive. Where n_tied cases with n_tied_positive positives
    among them share the score at which the list ends, and only m of them get in, the positives that
    do are Hypergeometric(n_tied_positive, n_tied - n_tied_positive, m): the value of a metric is
    its expectation over that law. Other names: precision at k, recall at k, hit rate at k; response
    and lift at a depth of the file (lift), capture rate (recall).

    The interval is for the rule "above this place in the list" on other cases of the population.
    Given the score next below, the k cases above it are independent draws from all above it, so
    that their positives are binomial and the limits those of Clopper and Pearson, exact; with ties
    at the expected number of positives, whose spread is less than binomial. Any metric that is a
    share of cases (`Metric.proportion`) has these limits for its own cells.

    Of a histogram, a list that ends within a bin holds the cases above it, and some m of those in
    it, of whom any number that can be is positive: `bounds` are the extremes over all these tables,
    and the interval holds those of the first and the last.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n,)
        Labels and real scores of whole cases; or a `Sweep` of them alone.
    k : int
        Cases at the top, from 1 to n.
    share : float
        Instead of k: the share of all cases in (0, 1]; k = floor(n share + 1/2), but at least 1.
    metrics : str, Metric, or several
        Any of the catalogue or of your own.
    confidence_level : float
    pos_label : label, optional
        As in `sweep`.

    Raises
    ------
    InvalidArgumentError
        Not exactly one of k and share is given, k exceeds the cases, or cases have weights.

    References
    ----------
    McSherry and Najork (2008), Computing information retrieval performance measures efficiently in
    the presence of tied scores, doi:10.1007/978-3-540-78646-7_38. Clopper and Pearson (1934),
    doi:10.1093/biomet/26.4.404.

    Examples
    --------
    Two of the three cases that share the score .8 get in, and one of the three is positive:

    >>> from baserate.curves import top_of_list
    >>> top = top_of_list([1, 1, 0, 0, 0, 1], [0.9, 0.8, 0.8, 0.8, 0.4, 0.1], k=3)
    >>> round(top["precision"].value, 4), round(top["recall"].value, 4)
    (0.5556, 0.5556)
    >>> top.straddles, top.tables.tp, top.probabilities.round(4)
    (True, array([1, 2]), array([0.3333, 0.6667]))

    Among the ten highest scores are seven positives, of whom Clopper and Pearson say 35% to 93%:

    >>> top = top_of_list([1] * 7 + [0] * 13, list(range(20, 0, -1)), k=10)
    >>> found = top["precision"]
    >>> found.value, round(found.chance, 4), round(found.low, 4), round(found.high, 4)
    (0.7, 0.35, 0.3475, 0.9333)
    """
    level = confidence(confidence_level)
    swept = as_sweep(y_true, y_score, pos_label)
    if swept.is_weighted:  # how many cases of what weight are at the top is not said
        rule = "must be left out, because the k highest scores are whole cases"
        remedy = (
            'pass the cases without weights, or give optimal_threshold("recall", ...) the '
            'constraint "predicted_positive_rate <= 0.1", which counts weights'
        )
        raise InvalidArgumentError.from_rule("sample_weight", rule, "weights", remedy)
    reached = swept.true_positives + swept.false_positives
    n = int(reached[-1])
    size = _size(n, k, share)
    last = int(np.searchsorted(reached, size))
    above, upto = int(reached[last - 1]), int(reached[last])
    tp, up = int(swept.true_positives[last - 1]), int(swept.true_positives[last])
    totals = int(swept.n_positive), int(swept.n_negative)
    tables, law = _tables(tp, up - tp, upto - above, size - above, (size, totals))
    blind = _tables(0, totals[0], n, size, (size, totals))
    several = each_of("metrics", metrics, str | Metric)
    estimates = {
        metric.name: _estimate(metric, (tables, law), blind, level)
        for metric in map(binary_metric, several)
    }
    ends = None
    if swept.highest is not None:
        ends = float(swept.thresholds[last]), float(swept.highest[last])
        possible = None  # where the order within bins has no part in it
        if ends[0] != ends[1] and size != upto:
            down, more = upto - above - (up - tp), size - above
            hits = tp + np.arange(max(0, more - down), min(more, up - tp) + 1)
            possible = tables_with(hits, size, totals)
        estimates = {
            name: _bounded(binary_metric(name), one, possible, level)
            for name, one in estimates.items()
        }
    score = swept.thresholds[last]
    return TopOfList(
        n_predicted=size,
        n=n,
        threshold=score if isinstance(score, int) else float(score),
        n_tied=upto - above,
        n_tied_predicted=size - above,
        tables=tables,
        probabilities=law,
        estimates=estimates,
        threshold_bounds=ends,
    )


def _size(n: int, k: int | None, share: float | None) -> int:
    """Return how many cases are at the top."""
    if (k is None) == (share is None):
        rule, remedy = "must be given alone: exactly one of the two", "drop one"
        raise InvalidArgumentError.from_rule("k, share", rule, (k, share), remedy)
    if k is None:
        remedy = "pass a share of the cases"
        top = number_in("share", share, "[0, 1]", remedy)
        number_in("share", top, "(0, inf)", remedy)
        return max(1, floor(n * top + 0.5))
    size = whole_number("k", k, minimum=1)
    if size > n:
        rule = f"must be at most the number of cases, {n:,}"
        raise InvalidArgumentError.from_rule("k", rule, size, "ask for fewer")
    return size


def _tables(
    tp: int, positive: int, tied: int, drawn: int, about: tuple[int, tuple[int, int]]
) -> tuple[ConfusionMatrix, Array]:
    """Return every table with so many of the tied cases drawn at random, and its probability."""
    window = HypergeometricCount(positive, tied - positive, drawn).window()
    return tables_with(tp + window.values.astype(np.int64), *about), window.pmf


def tables_with(hits: Any, size: int, totals: tuple[int, int]) -> ConfusionMatrix:
    """Return tables of lists of one size by their numbers of positives."""
    alarms = size - hits
    return ConfusionMatrix(tp=hits, fn=totals[0] - hits, fp=alarms, tn=totals[1] - alarms)


def _bounded(
    metric: Metric, found: Estimate, possible: ConfusionMatrix | None, level: float
) -> Estimate:
    """Return an estimate with the extremes over all tables that a list may have, if several."""
    if possible is None:
        value = found.value
        return found if isnan(value) else replace(found, bounds=outward(value, value))
    values = np.asarray(metric(possible), dtype=float)
    if np.isnan(values).all():
        return found
    bounds = outward(float(np.nanmin(values)), float(np.nanmax(values)))
    if isnan(found.low):
        return replace(found, bounds=bounds)
    first, last = (_limits(metric, possible[[place]], np.ones(1), level) for place in (0, -1))
    low, high = min(first[0], last[0], found.low), max(first[1], last[1], found.high)
    return replace(found, low=low, high=high, bounds=bounds)


def _estimate(
    metric: Metric,
    found: tuple[ConfusionMatrix, Array],
    blind: tuple[ConfusionMatrix, Array],
    level: float,
) -> Estimate:
    value = _expectation(metric, *found)
    tables = found[0]
    perfect = min(tables.n_positive[0], tables.tp[0] + tables.fp[0])
    totals = int(tables.n_positive[0]), int(tables.n_negative[0])
    best = tables_with(perfect, int(tables.tp[0] + tables.fp[0]), totals)
    estimate = Estimate(
        value=value,
        confidence_level=level,
        chance=_expectation(metric, *blind),
        perfect=float(metric(best)),
    )
    if np.isnan(value):
        return replace(estimate, reason=metric.undefined_reason(tables[0]))
    if metric.proportion is None:
        return replace(estimate, reason=NO_INTERVAL)
    low, high = _limits(metric, *found, level)
    return replace(estimate, low=low, high=high, route="exact")


def _expectation(metric: Metric, tables: ConfusionMatrix, law: Array) -> float:
    """Return the mean over the tables at which the metric is defined; nan if there are none."""
    values = np.asarray(metric(tables), dtype=float)
    defined = ~np.isnan(values)
    weight = float(law[defined].sum())
    return float(values[defined] @ law[defined]) / weight if weight else nan


def _limits(
    metric: Metric, tables: ConfusionMatrix, law: Array, level: float
) -> tuple[float, float]:
    """Return the limits of Clopper and Pearson at the expected cells of a share of cases."""
    assert metric.proportion is not None
    hits, rest = (
        float(sum(np.asarray(getattr(tables, cell), float) for cell in cells) @ law)
        for cells in metric.proportion
    )
    low, high = clopper_pearson(hits, rest, level)
    return float(low), float(high)
