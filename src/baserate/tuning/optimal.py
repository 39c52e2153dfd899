"""The best cut point of real scores for any metric: the whole plateau, not one lucky number."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log, nan
from typing import Any

import numpy as np

from baserate._arith import ROUNDING
from baserate._checks import float_array, one_of
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.curves import convex_hull
from baserate.curves.cut_points import Sweep, as_sweep
from baserate.curves.logistic_recalibration import level_shift
from baserate.curves.losses import probabilities
from baserate.curves.score_bins import (
    REMEDY,
    best_within,
    boxes_of,
    metric_ranges,
    need_scores,
    orders,
    score_ends,
    spread_out,
)
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, binary_metric
from baserate.metrics.ties import tie_width
from baserate.tuning.bagging import bagged_threshold
from baserate.tuning.targets import (
    Constraint,
    Values,
    all_hold,
    as_number,
    check_target,
    constraints_of,
    interval_of,
    maximisers,
    middle_of,
    no_cut,
    oriented,
    runs,
)

# Calibration is rejected where outcomes so far off, in the direction found, have at most these
# probabilities if the scores are calibrated. Together, over both directions and all bins, that
# refuses fewer than 1 % of calibrated scores, however few cases there are.
VISIBLE = 0.002
BINS = 10
VISIBLE_IN_A_BIN = VISIBLE / BINS
METHODS = ("search", "bagged", "plug_in")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalThreshold(Result):
    """A cut point, predicted positive if score >= threshold, and how good it is.

    Attributes
    ----------
    metric : str
    threshold : float
        The observed score to cut at; inf is "call nothing positive", or nan where infinity is
        itself a score (no score is >= nan). Of several equally good cut points the one with the
        fewest alarms; the mean over resamples if bagged. A Python integer where scores are integers
        beyond 2^53.
    value : float
        The metric at this threshold, on the same cases: too good by its own choice, see
        `threshold_spread`.
    plateau : tuple of (float, float)
        Every threshold in one of these intervals (low, high] is as good. low is nan where -inf is
        itself a score and calls everything positive: then -inf is as good too.
    midpoint : float
        Half way from the threshold to the next lower score, where new scores are cut most evenly;
        the threshold itself if bagged.
    table : ConfusionMatrix
    more_alarms : int or float
        Cases that the next lower threshold would add to those called positive: all who share the
        next score, or their weight. 0 if none are left, nan where the next scores were counted
        together. A capacity such as "at most 50 alarms" is never exceeded, so where ties are many
        this says why it is not used up.
    on_hull : bool or None
        Whether the point lies on the convex hull of the ROC curve. Linear-fractional metrics
        (accuracy, F, kappa, utilities) and Matthews correlation have their optimum there. None
        where the scores that decide it were counted together.
    method : {"search", "bagged", "plug_in"}
    bounds : pair of float or None
        What holds the best value over all cut points of the scores themselves, where these were
        counted in bins; `value` is the best of the cuts between bins, where tables are exact. None
        if no score is lost.
    ranges : tuple of (float, float) or None
        Scores among which the best cuts are, each from the lowest to the highest of a bin: the
        `focus` with which a second `ScoreHistogram` finds them exactly. None if no score is lost.
    """

    metric: str
    threshold: float
    value: float
    plateau: tuple[tuple[float, float], ...]
    midpoint: float
    table: ConfusionMatrix
    more_alarms: int | float
    on_hull: bool | None
    method: str
    bounds: tuple[float, float] | None = None
    ranges: tuple[tuple[float, float], ...] | None = None

    def __float__(self) -> float:
        return float(self.threshold)


def optimal_threshold(
    metric: str | Metric,
    y_true: Any,
    y_score: Any = None,
    *,
    constraint: Any = None,
    base_rate: float | None = None,
    thresholds: Any = None,
    method: str = "search",
    n_resamples: int = 30,
    rng: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> OptimalThreshold:
    """Find the threshold at which a metric is best, among all cut points.

    Parameters
    ----------
    metric : Metric or str
    y_true, y_score : array-like
        Labels and scores; or a `Sweep` alone.
    constraint : str or sequence of str, optional
        Such as "recall >= 0.9", or a capacity: "alarms <= 50" for these cases,
        "predicted_positive_rate <= 0.1" for any number. Only cut points that meet all of them
        compete, so ties at a capacity stay out together (see `more_alarms`).
    base_rate : float, optional
        That of the population the cut is for, if these cases have another: metric and constraints
        are those of these recalls and specificities at it (``metric.at_base_rate(base_rate)``).
    thresholds : array, optional
        Only these compete, such as ``numpy.linspace(0, 1, 101)``; default: every score.
    method : {"search", "bagged", "plug_in"}
        The best of all cut points; the mean best threshold over bootstrap samples, which varies
        less (their median where some is infinite; the nearest cut point that meets the constraints
        where the mean does not); or the best by expected counts, for calibrated probabilities only:
        this has the least regret if they are, and is refused if they visibly are not.
    n_resamples : int
        Bootstrap samples of "bagged".
    rng : seed or numpy.random.Generator
        Needed by "bagged".
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    OptimalThreshold
        Of a histogram, the best cut between two bins, where tables are exact. One within a bin may
        be better, by no more than `bounds` say: the table there holds the cases above the bin, and
        any of those in it. Where the data can be read again, a histogram that keeps the scores in
        `ranges` apart has the best cut of all.

    Raises
    ------
    InvalidArgumentError
        The metric has no best cut point (see there).
    UnsupportedError
        No cut point meets the constraints, or the metric is undefined at all of them; or counted
        scores are given to another method than "search".

    Examples
    --------
    >>> from baserate import optimal_threshold
    >>> best = optimal_threshold("mcc", [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    >>> best.threshold, round(best.value, 4), best.plateau
    (0.7, 0.7071, ((0.4, 0.7), (0.2, 0.3)))

    With room for four alarms, a tie of three keeps the cut at two:

    >>> scores = [0.9, 0.8, 0.7, 0.7, 0.7, 0.1]
    >>> best = optimal_threshold("recall", [1, 1, 0, 1, 0, 0], scores, constraint="alarms <= 4")
    >>> best.threshold, best.table.n_predicted, best.more_alarms
    (0.8, 2, 3)

    Where one in five is positive instead of one in two:

    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9]
    >>> [optimal_threshold("f1", y_true, y_score, base_rate=x).threshold for x in (0.5, 0.2)]
    [0.3, 0.7]

    Of a grid, as in Example 2 of Holzmann and Klar:

    >>> optimal_threshold("mcc", y_true, y_score, thresholds=[0.25, 0.5, 0.75]).threshold
    0.5

    A second look at the scores that matter finds what the first could not tell apart:

    >>> from baserate.curves import ScoreHistogram
    >>> import numpy as np
    >>> y, score = np.arange(100_000) % 7 == 0, (np.arange(100_000) * 0.6180339887) % 1
    >>> score[y] **= 0.5
    >>> rough = optimal_threshold("mcc", ScoreHistogram(bins=4096).add(y, score))
    >>> fine = ScoreHistogram(bins=8192, focus=rough.ranges).add(y, score)
    >>> found = optimal_threshold("mcc", fine)
    >>> found.threshold == optimal_threshold("mcc", y, score).threshold, found.ranges
    (True, ())

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 6.
    """
    metric, method = binary_metric(metric), one_of("method", method, METHODS)
    if base_rate is not None:
        metric = metric.at_base_rate(base_rate)
    swept = as_sweep(y_true, y_score, pos_label, sample_weight)
    limits = constraints_of(constraint, base_rate)
    check_target(metric, constrained=bool(limits))
    if method != "search":
        need_scores(f'The "{method}" threshold', swept)
    values = expected_values(metric, swept) if method == "plug_in" else metric(swept.tables)
    usable = all_hold(limits, swept.tables)
    grid = None if thresholds is None else float_array("thresholds", thresholds).ravel()
    if grid is not None:
        need_scores("A cut among given thresholds", swept)
        if not grid.size or np.isnan(grid).any():
            rule, remedy = "must hold one at least, and no nan", "pass numpy.linspace(0, 1, 101)"
            raise InvalidArgumentError.from_rule("thresholds", rule, thresholds, remedy)
        usable &= np.isin(np.arange(len(values)), swept.rules_at(grid))
    upward = np.where(usable, oriented(metric, values), -inf)
    best = maximisers(upward)
    if not best.size:
        raise _no_cut(metric, limits, swept)
    if method == "bagged":
        found = _bagged(metric, swept, limits, upward > -inf, (n_resamples, rng))
        return found if grid is None else _on_grid(found, grid, swept)
    apart = spread_out(swept)
    together = [last for last in best[1:] - 1 if not apart[last]]
    plateau = tuple(
        interval_of(swept, first, last) for first, last in _unbroken(runs(best), set(together))
    )
    found = _at(metric, swept, int(best[0]), method, plateau)
    if grid is not None:
        return _on_grid(found, grid, swept)
    if swept.highest is None:
        return found
    return _with_bounds(found, metric, swept, limits, (best, upward))


def _on_grid(found: OptimalThreshold, grid: Any, swept: Sweep) -> OptimalThreshold:
    """Cut at the highest threshold of a grid that calls the same cases positive."""
    alike = grid[swept.rules_at(grid) == swept.rules_at(found.threshold)]
    return replace(found, threshold=float(alike.max()), midpoint=float(alike.max()))


def _no_cut(metric: Metric, limits: tuple[Constraint, ...], swept: Sweep) -> UnsupportedError:
    error = no_cut(metric, limits, swept.tables)
    if not spread_out(swept).any():
        return error
    return UnsupportedError(f"{error} Cuts within bins of counted scores are not known: {REMEDY}.")


def _unbroken(parts: list[tuple[int, int]], known: set[int]) -> Iterator[tuple[int, int]]:
    """Split runs of rules where other cuts may lie between two: where scores share a bin."""
    for first, last in parts:
        ends = [rule for rule in range(first, last) if rule not in known]
        yield from zip([first, *(end + 1 for end in ends)], [*ends, last], strict=True)


def _with_bounds(
    found: OptimalThreshold,
    metric: Metric,
    swept: Sweep,
    limits: tuple[Constraint, ...],
    values: tuple[Any, Values],
) -> OptimalThreshold:
    """Add what cuts within bins may reach, and where those are that may be the best."""
    best, upward = values
    top = float(upward[best].max())
    within = best_within(metric, swept)
    within[~_may_hold(limits, swept)] = -inf
    room = ROUNDING * max(1.0, abs(top))  # equally good cuts may differ in last digits
    floor, ceiling = top - room, max(top + room, float(within.max(initial=-inf)))
    bounds = (floor, ceiling) if metric.direction == "higher" else (-ceiling, -floor)
    better = np.flatnonzero(within >= floor)
    lowest, highest = score_ends(swept)
    inside = zip(lowest[better].tolist(), highest[better].tolist(), strict=True)
    return replace(found, bounds=bounds, ranges=tuple(inside))


def _may_hold(limits: tuple[Constraint, ...], swept: Sweep) -> Any:
    """Return in which steps some cut within may meet all constraints."""
    may = spread_out(swept).copy()
    for limit in limits:
        inside = np.flatnonzero(may)
        low, high = metric_ranges(limit.metric, boxes_of(swept).these(inside))
        room = tie_width(limit.metric, limit.limit)
        may[inside] = high >= limit.limit - room if limit.at_least else low <= limit.limit + room
    return may


def _bagged(
    metric: Metric, swept: Sweep, limits: tuple[Constraint, ...], usable: Any, how: Any
) -> OptimalThreshold:
    """Cut at the mean best threshold, or where the constraints hold nearest to it."""
    threshold = bagged_threshold(metric, swept, limits, *how)
    rule = int(swept.rules_at(threshold))
    if not usable[rule]:
        places = np.flatnonzero(usable)
        rule = int(places[np.argmin(np.abs(places - rule))])
        threshold = as_number(swept.thresholds[rule])
    found = _at(metric, swept, rule, "bagged", ())
    return replace(found, threshold=threshold, midpoint=threshold)


def _at(
    metric: Metric, swept: Sweep, rule: int, method: str, plateau: tuple[tuple[float, float], ...]
) -> OptimalThreshold:
    table = swept.tables[rule]
    low, high = interval_of(swept, rule, rule)
    return OptimalThreshold(
        metric=metric.name,
        threshold=as_number(swept.thresholds[rule]),
        value=float(metric(table)),
        plateau=plateau or ((low, high),),
        midpoint=middle_of(low, high),
        table=table,
        more_alarms=_more_alarms(swept, rule),
        on_hull=_on_hull(swept, rule),
        method=method,
    )


def _more_alarms(swept: Sweep, rule: int) -> int | float:
    """Return the cases, or their weight, at the next score below this rule."""
    if spread_out(swept)[rule : rule + 1].any():
        return nan
    reached = swept.true_positives[rule : rule + 2], swept.false_positives[rule : rule + 2]
    return sum(np.diff(of_class).sum().item() for of_class in reached)


def _on_hull(swept: Sweep, rule: int) -> bool | None:
    """Whether a rule is a vertex of the hull; None where that depends on the order within bins.

    Its table is exact. No curve lies below that of tied scores, nor above that of the best order.
    """
    both = orders(swept)
    if both is None:
        return bool(np.isin(rule, convex_hull(swept)))
    table = np.array([swept.true_positives[rule], swept.false_positives[rule]])

    def holds(one: Sweep) -> bool:
        kept = convex_hull(one)
        corners = np.stack((one.true_positives[kept], one.false_positives[kept]))
        return bool((table == corners.T).all(axis=1).any())

    if holds(both.best):
        return True
    return None if holds(replace(swept, highest=None)) else False


def expected_values(metric: Metric, swept: Sweep) -> Values:
    """Return the metric at the expected table of every cut point, unless outcomes contradict it.

    With η the probability of each case: tp(t) = Σ η over cases with η >= t, fp(t) = Σ (1 - η).
    """
    eta, (positive, negative) = probabilities(swept), swept.by_score
    cases = (positive + negative).astype(float)
    _check_calibration(swept, eta, positive.astype(float), cases)
    steps = cases * eta, cases * (1 - eta)
    tp, fp = (np.concatenate(((0.0,), np.cumsum(of_class))) for of_class in steps)
    return np.asarray(metric(ConfusionMatrix(tp=tp, fn=tp[-1] - tp, fp=fp, tn=fp[-1] - fp)))


def _check_calibration(swept: Sweep, eta: Values, positive: Values, cases: Values) -> None:
    """Compare outcomes with probabilities, over all cases and in ten bins of equal size."""
    rank, effective = np.cumsum(cases) - cases, swept.effective_n / cases.sum()
    bins = np.minimum((rank * BINS // cases.sum()).astype(int), BINS - 1)
    parts = [bins == place for place in range(BINS)]
    overall = _surprise(eta, positive, cases) * effective
    worst = max(_surprise(eta[p], positive[p], cases[p]) for p in parts) * effective
    if overall > -log(VISIBLE) or worst > -log(VISIBLE_IN_A_BIN):
        raise UnsupportedError(
            f"The scores are visibly not calibrated (outcomes differ from probabilities as much as "
            f"by {(2 * max(overall, worst)) ** 0.5:.1f} standard errors), and the plug-in "
            f'threshold would inherit that: calibrate them first, or use method="search".'
        )


def _surprise(eta: Values, positive: Values, cases: Values) -> float:
    """Bound how improbable so many positives, or more if many (fewer if few), are: -log of it.

    Chernoff's bound of a sum of unequal coins (1952, doi:10.1214/aoms/1177729330): max over a of a
    k - Σ log(1 - η + η e^a). It never understates the probability, and half the square of a
    standard normal deviate is its limit.
    """
    from scipy.special import logit

    if np.any((eta == 0) & (positive > 0)) or np.any((eta == 1) & (positive < cases)):
        return inf
    open_ = (eta > 0) & (eta < 1)
    found, size, eta = float(positive[open_].sum()), cases[open_], eta[open_]
    if found <= 0:
        return -float(size @ np.log1p(-eta))
    if found >= size.sum():
        return -float(size @ np.log(eta))
    x = logit(eta)
    a = level_shift(x, size, found)
    return max(0.0, a * found - float(size @ (np.logaddexp(0, x + a) - np.logaddexp(0, x))))
