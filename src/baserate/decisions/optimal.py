"""The best cut point of real scores for any metric: the whole plateau, not one lucky number."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from baserate._checks import one_of
from baserate.counts import ConfusionMatrix
from baserate.curves import Sweep, sweep
from baserate.curves.hull import convex_hull
from baserate.decisions.bagging import bagged_threshold
from baserate.decisions.constraints import all_hold, constraints_of
from baserate.decisions.plug_in import plug_in_values
from baserate.decisions.targets import check_target, maximisers, oriented, runs
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import Metric, get

METHODS = ("search", "bagged", "plug_in")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalThreshold:
    """A cut point, predicted positive if score >= threshold, and how good it is.

    Attributes
    ----------
    metric : str
    threshold : float
        The observed score to cut at; inf is "call nothing positive". Of several equally good cut
        points the one with the fewest alarms; the mean over resamples if bagged.
    value : float
        The metric at this threshold, on the same cases: too good by its own choice, see
        `threshold_spread`.
    plateau : tuple of (float, float)
        Every threshold in one of these intervals (low, high] is as good.
    midpoint : float
        Half way from the threshold to the next lower score, where new scores are cut most evenly.
    table : ConfusionMatrix
    on_hull : bool
        Whether the point lies on the convex hull of the ROC curve. Linear-fractional metrics
        (accuracy, F, kappa, utilities) and Matthews correlation have their optimum there.
    method : {"search", "bagged", "plug_in"}
    """

    metric: str
    threshold: float
    value: float
    plateau: tuple[tuple[float, float], ...]
    midpoint: float
    table: ConfusionMatrix
    on_hull: bool
    method: str

    def __float__(self) -> float:
        return self.threshold


def optimal_threshold(
    metric: str | Metric,
    y_true: Any,
    y_score: Any = None,
    *,
    constraint: Any = None,
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
        Such as "recall >= 0.9": only cut points that meet all of them compete.
    method : {"search", "bagged", "plug_in"}
        The best of all cut points; the mean best threshold over bootstrap samples, which varies
        less; or the best by expected counts, for calibrated probabilities only: this has the least
        regret if they are, and is refused if they visibly are not.
    n_resamples : int
        Bootstrap samples of "bagged".
    rng : seed or numpy.random.Generator
        Needed by "bagged".
    pos_label, sample_weight : optional
        As in `sweep`.

    Returns
    -------
    OptimalThreshold

    Raises
    ------
    InvalidArgumentError
        The metric has no best cut point (see there), or no cut point meets the constraints.

    Examples
    --------
    >>> best = optimal_threshold("mcc", [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    >>> best.threshold, round(best.value, 4), best.plateau
    (0.7, 0.7071, ((0.4, 0.7), (0.2, 0.3)))

    References
    ----------
    Holzmann and Klar (2024), arXiv:2404.07661, section 6.
    """
    metric, method = get(metric), one_of("method", method, METHODS)
    swept = _swept(y_true, y_score, pos_label, sample_weight)
    limits = constraints_of(constraint)
    check_target(metric, constrained=bool(limits))
    allowed = all_hold(limits, swept.tables)
    upward = oriented(metric, metric(swept.tables))
    if method == "bagged":
        threshold = bagged_threshold(metric, swept, limits, n_resamples, rng)
        return _at(metric, swept, int(rules_at(swept, threshold)), method, (), threshold)
    judged = oriented(metric, plug_in_values(metric, swept)) if method == "plug_in" else upward
    best = maximisers(np.where(allowed, judged, -inf))
    if not best.size:
        raise _no_cut(metric, limits)
    plateau = tuple(_interval(swept, first, last) for first, last in runs(best))
    return _at(metric, swept, int(best[0]), method, plateau)


def rules_at(swept: Sweep, thresholds: Any) -> Any:
    """Return which rules of a sweep these thresholds stand for: how many scores reach each."""
    scores = np.asarray(swept.thresholds[1:], dtype=float)
    return np.searchsorted(-scores, -np.asarray(thresholds, dtype=float), side="right")


def _swept(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Sweep:
    if not isinstance(y_true, Sweep):
        return sweep(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    if y_score is not None or pos_label is not None or sample_weight is not None:
        rule = "has no meaning beside a sweep, which holds the scores already"
        raise InvalidArgumentError.from_rule("y_score", rule, "more data", "pass the sweep alone")
    return y_true


def _at(
    metric: Metric,
    swept: Sweep,
    rule: int,
    method: str,
    plateau: tuple[tuple[float, float], ...],
    threshold: float | None = None,
) -> OptimalThreshold:
    table = swept.tables[rule]
    low, high = _interval(swept, rule, rule)
    return OptimalThreshold(
        metric=metric.name,
        threshold=high if threshold is None else threshold,
        value=float(metric(table)),
        plateau=plateau or ((low, high),),
        midpoint=(low + high) / 2 if isfinite(low) and isfinite(high) else high,
        table=table,
        on_hull=bool(np.isin(rule, convex_hull(swept))),
        method=method,
    )


def _interval(swept: Sweep, first: int, last: int) -> tuple[float, float]:
    """Return (low, high]: the thresholds that give the rules from first to last."""
    after = swept.thresholds[last + 1 : last + 2]
    low = float(after[0]) if len(after) else -inf
    return low, float(swept.thresholds[first])


def _no_cut(metric: Metric, limits: tuple[Any, ...]) -> UnsupportedError:
    if limits:
        wanted = " and ".join(map(str, limits))
        return UnsupportedError(f"No cut point has {wanted}: loosen the constraint.")
    return UnsupportedError(f"{metric.name} is undefined at every cut point of these scores.")
