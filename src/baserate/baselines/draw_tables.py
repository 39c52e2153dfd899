"""The Dutch Draw by one metric or by many, for class totals that are known, several, or unknown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isnan, nan, nextafter
from typing import Any, overload

import numpy as np

from baserate._checks import each_of
from baserate._result import Result, frame_of
from baserate.baselines.chance_curve import BUDGET
from baserate.baselines.draws import DutchDraw, Goal, Spans, best_draw
from baserate.baselines.search import searched
from baserate.baselines.totals import SIZES, alone, class_totals, possible_totals, same
from baserate.cases.arrays import confusion_matrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.metrics import CATALOGUE, Metric, binary_metric

ANY = (0.1, 0.5, 0.7)  # base rates at which it is seen whether an end of a curve depends on them
ENDS: tuple[Goal, Goal] = ("min", "max")
NEEDS_TOTALS = "depends on the number of cases: pass n_positive and n_negative"
NEEDS_BASE_RATE = "depends on the base rate: pass it, or n_positive and n_negative"
NO_BEST = "neither more nor less is better, so no guess is best"
MAYBE_UNDEFINED = "may be undefined however one guesses"
LONG = (
    "{} has no known shape under guessing, and a search at all these totals would look at {:,} "
    "tables, more than {:,}: pass fewer totals, or limit theta."
)


@dataclass(frozen=True, slots=True)
class BlindExtremes(Result):
    """The least and the largest expected value of all blind draws; ``float()`` gives the better.

    Attributes
    ----------
    metric, direction : str
    n_positive, n_negative : float or None
        None where they are not known, and the answer holds whatever they are.
    minimum, maximum, best : DutchDraw or None
        `best` is one of the two, by `direction`. Its value is nan where only the draw is known.
    reason : str or None
        Why something is missing.
    """

    metric: str
    direction: str
    n_positive: float | None
    n_negative: float | None
    minimum: DutchDraw | None
    maximum: DutchDraw | None
    best: DutchDraw | None
    reason: str | None

    def __float__(self) -> float:
        return nan if self.best is None else self.best.value


@dataclass(frozen=True, slots=True)
class WhateverTotals(Result):
    """The baseline of one metric over class totals any of which may be the true ones.

    Attributes
    ----------
    metric : str
    low, high : float
        The least and the largest baseline; one number if no total needs to be known.
    theta_star : tuple of (low, high)
        The shares that are best to flag whatever the totals; () if the best draw depends on them.
        Of any number of cases an end at which the metric is 0/0 is left out: the low end is then
        the least number above 0 (5e-324), the high end the greatest below 1.
    reason : str or None
        Why there is no baseline: also what would have to be known.
    """

    metric: str
    low: float
    high: float
    theta_star: Spans
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DutchDraws(Result):
    """The Dutch Draw by several metrics or for several class totals.

    Attributes
    ----------
    draws : tuple of BlindExtremes
        Of each metric in turn, at each pair of totals.
    """

    draws: tuple[BlindExtremes, ...]

    @property
    def over_totals(self) -> tuple[WhateverTotals, ...]:
        """What holds of each metric's baseline whichever of these totals are the true ones."""
        rows = dict[str, list[BlindExtremes]]()
        for one in self.draws:
            rows.setdefault(one.metric, []).append(one)
        return tuple(_whatever(name, found) for name, found in rows.items())

    def to_frame(self, backend: Any = None, *, over_totals: bool = False) -> Any:
        """Return a row per metric and totals, or (`over_totals`) per metric whatever the totals.

        What is flagged in number or share is text, such as "0-99" or "0, 100"; "above 0-1" leaves
        out 0. Libraries for `backend` are those of every result's ``to_frame``.
        """
        if not over_totals:
            return frame_of([*map(_row, self.draws)], backend)
        rows = ({**one.to_dict(), "theta_star": _text(one.theta_star)} for one in self.over_totals)
        return frame_of([*rows], backend)


@overload
def dutch_draw(
    metric: str | Metric, *, n_positive: float, n_negative: float, goal: Goal = "best",
    n_predicted: Any = None, theta: Any = None,
) -> DutchDraw: ...  # fmt: skip
@overload
def dutch_draw(
    metric: str | Metric | Iterable[str | Metric] | None = None, y_true: Any = None, *,
    n_positive: Any = None, n_negative: Any = None, n: Any = None, base_rate: Any = None,
    goal: Goal = "best", n_predicted: Any = None, theta: Any = None, pos_label: Any = None,
) -> Any: ...  # fmt: skip
def dutch_draw(
    metric: str | Metric | Iterable[str | Metric] | None = None,
    y_true: Any = None,
    *,
    n_positive: Any = None,
    n_negative: Any = None,
    n: Any = None,
    base_rate: Any = None,
    goal: Goal = "best",
    n_predicted: Any = None,
    theta: Any = None,
    pos_label: Any = None,
) -> DutchDraw | DutchDraws:
    """Return the best expected value among all ways to flag cases blindly, and who attains it.

    Of one metric and one pair of class totals; of several of either, or of totals that are not
    known, a table.

    A Dutch Draw calls k = floor(M θ + 1/2) of the M cases positive, chosen at random. The baseline
    is the best mean over k = 0, ..., M: no classifier that ignores its input does better. Numbers k
    at which the metric could be undefined do not compete.

    F measures are taken as (1 + β²) tp/((1 + β²) tp + β² fn + fp), which is 0 and not undefined
    where nothing is flagged. Their minimum is therefore 0, at k = 0; the paper, which puts them
    together from precision and recall, has k = 1 and (1 + β²) P/(M (β² P + 1)).

    Parameters
    ----------
    metric : Metric, str, or iterable of these, optional
        Default: every metric of the catalogue.
    y_true : array-like of shape (n,), optional
        True labels, of which the class totals are counted; `pos_label` as in `confusion_matrix`.
    n_positive, n_negative : int, float, or arrays of these, which are broadcast
        Class totals. Sums of weights are taken for metrics that are linear in recall and
        specificity; the draw then flags a share θ of the weight of each class. Sums that happen to
        be whole cannot be told from counts.
    n : int, optional
        Number of all cases, in the place of one class total; without either, every number of
        positives from 1 to n - 1 is looked at, one of which it is.
    base_rate : float, optional
        With `n`, of which it has to make a whole number positive. Without the number of cases: what
        holds for any number. Without any of these: what holds for any base rate, too. An extreme is
        then known where it lies at flagging no one or everyone, or is the same for all draws.
    goal : {"best", "max", "min"}
        Tables have all three.
        "best" is the largest for metrics of which more is better, else the smallest.
    n_predicted : int or (low, high), optional
        Limits the search, ends included.
    theta : float or (low, high), optional
        Limits it in shares: floor(M θ + 1/2) cases.

    Returns
    -------
    DutchDraw or DutchDraws
        The latter, with ``.to_frame()`` and ``.over_totals``, unless one metric is asked for at one
        pair of totals.

    Raises
    ------
    InvalidArgumentError
        A total or limit is out of range, both limits are given, or goal is "best" and the metric
        has no direction.
    UnsupportedError
        Nothing is known about the metric's shape and a full search is too long, or totals are
        weights and the metric's denominators are random. In a table this is the row's `reason`, and
        so is a search that only all totals together make too long.

    References
    ----------
    van de Bijl, Klein, Pries, Bhulai, Hoogendoorn, van der Mei (2025), The Dutch Draw: constructing
    a universal baseline for binary classification problems, Journal of Applied Probability 62.

    Examples
    --------
    30 positives of 100: flagging everything has F1 0.46, and no blind guess has more.

    >>> from baserate import dutch_draw
    >>> b = dutch_draw("f1", n_positive=30, n_negative=70)
    >>> round(b.value, 4), b.n_predicted, b.theta_intervals
    (0.4615, ((100, 100),), ((0.995, 1.0),))

    The least F1 of a blind guess, and that of one that flags some case:

    >>> sizes = {"n_positive": 30, "n_negative": 70, "goal": "min"}
    >>> float(dutch_draw("f1", **sizes)), round(60 / (100 * 31), 4)
    (0.0, 0.0194)
    >>> round(float(dutch_draw("f1", **sizes, n_predicted=(1, 100))), 4)
    0.0194

    The geometric mean has its best draw near one half, and no closed form:

    >>> b = dutch_draw("g_mean", n_positive=10**5, n_negative=9 * 10**5)
    >>> round(b.value, 12), b.n_predicted
    (0.499999555552, ((500001, 500001),))

    Of a test of 100 cases whose positives nobody has counted: calling everyone positive is best for
    F1, whatever their number; for accuracy it depends on which class is larger, and balanced
    accuracy is 0.5 in any case.

    >>> for one in dutch_draw(["f1", "acc", "balanced_accuracy"], n=100).over_totals:
    ...     print(one.metric, round(one.low, 4), round(one.high, 4), one.theta_star)
    f1 0.0198 0.995 ((1.0, 1.0),)
    accuracy 0.5 0.99 ()
    balanced_accuracy 0.5 0.5 ((0.0, 1.0),)

    Of any number of cases, one in ten of which is positive, and every metric of labels:

    >>> [round(float(one), 3) for one in dutch_draw(["f1", "acc"], base_rate=0.1).draws]
    [0.182, 0.9]
    >>> len(dutch_draw(None, [1, 0, 0, 1, 0]).draws)
    45
    """
    known = {"n_positive": n_positive, "n_negative": n_negative, "n": n, "base_rate": base_rate}
    if y_true is not None:
        alone("y_true", y_true, known)
        table = confusion_matrix(y_true, y_true, pos_label=pos_label)
        known |= {"n_positive": table.n_positive, "n_negative": table.n_negative}
    totals, limits = possible_totals(**known), {"n_predicted": n_predicted, "theta": theta}
    if isinstance(metric, str | Metric) and isinstance(totals, tuple):
        p, q = totals
        return best_draw(metric, n_positive=p, n_negative=q, goal=goal, **limits)
    if goal != "best":
        rule, remedy = "is one of all three that a table has", "leave it out"
        raise InvalidArgumentError.from_rule("goal", rule, goal, remedy)
    given = CATALOGUE if metric is None else each_of("metric", metric, str | Metric)
    metrics = [binary_metric(one) for one in given]
    if totals is None:
        _refuse_limits(**limits)
        return DutchDraws(tuple(_of_any_size(one, base_rate) for one in metrics))
    pairs = np.reshape(totals, (-1, 2)).tolist()
    return DutchDraws(tuple(row for one in metrics for row in extremes(one, pairs, **limits)))


def extremes(metric: Metric, pairs: Sequence[Any], **limits: Any) -> Iterator[BlindExtremes]:
    """Yield both extremes at each pair of totals, unless the searches are too long together."""
    whole = [sizes for pair in pairs if (sizes := class_totals(*pair)) is not None]
    listed = sum(searched(metric, *sizes) for sizes in whole) if len(pairs) > 1 else 0
    too_long = LONG.format(metric.name, listed, BUDGET) if listed > BUDGET else ""
    for pair in pairs:
        sizes, ends, reason = dict(zip(SIZES, pair, strict=True)), (None, None), too_long
        if not reason:
            try:
                ends = [best_draw(metric, **sizes, goal=goal, **limits) for goal in ENDS]
            except UnsupportedError as error:
                reason = str(error)
        yield _of(metric, pair, ends, reason)


def _of(metric: Metric, pair: Any, ends: Sequence[Any], reason: str) -> BlindExtremes:
    (p, q), (low, high) = pair, ends
    best = {"higher": high, "lower": low}.get(metric.direction)
    if not reason and (best is None or isnan(best.value)):
        reason = NO_BEST if metric.direction == "neither" else MAYBE_UNDEFINED
    return BlindExtremes(metric.name, metric.direction, p, q, low, high, best, reason or None)


def _of_any_size(metric: Metric, base_rate: float | None) -> BlindExtremes:
    """Return the extremes that hold for any number of cases, at one base rate or at every one."""
    rates, ends, reasons = ANY if base_rate is None else (base_rate,), list[Any](), list[str]()
    for goal in ENDS:
        found = [one for rate in rates if (one := _at_an_end(metric, goal, rate)) is not None]
        known = len(found) == len(rates)
        theta = reduce(common, (spans for _, spans in found)) if known else ()
        one_value = known and all(same(value, found[0][0]) for value, _ in found)
        value = found[0][0] if one_value else nan
        ends.append(
            DutchDraw(
                metric=metric.name, goal=goal, value=value, n_predicted=(), theta_star=theta,
                theta_intervals=theta, route="any number of cases",
            ) if theta else None
        )  # fmt: skip
        reasons += [] if one_value else [NEEDS_BASE_RATE if known else NEEDS_TOTALS]
    return _of(metric, (None, None), ends, "; ".join(dict.fromkeys(reasons)))


def _at_an_end(metric: Metric, goal: str, base_rate: float) -> tuple[float, Spans] | None:
    """Return the extreme of any number of cases, if it is where no one or everyone is flagged."""
    if not metric.scale_invariant:
        return None
    ends = metric.at_rates(recall=[0, 1], specificity=[1, 0], base_rate=base_rate).tolist()
    shape = "constant" if metric.chance is not None else metric.chance_shape
    if shape == "constant":
        known = [float(x) for x in (metric.chance, *ends) if x is not None and not isnan(x)]
        low, high = (nextafter(end, 0.5) if isnan(ends[end]) else float(end) for end in (0, 1))
        return (known[0], ((low, high),)) if known else None
    if shape in {"increasing", "decreasing"}:
        end = int((goal == "max") == (shape == "increasing"))
        return None if isnan(ends[end]) else (ends[end], ((float(end), float(end)),))
    at_ends = shape in {"affine", "monotone"} or (goal == "min" and shape != "unknown")
    if isnan(sum(ends)) or not at_ends:
        return None
    best = max(ends) if goal == "max" else min(ends)
    where = [float(end) for end in (0, 1) if same(ends[end], best)]
    if len(where) > 1 and shape in {"affine", "monotone"}:
        return best, ((0.0, 1.0),)
    return best, tuple((share, share) for share in where)


def _whatever(name: str, rows: Sequence[BlindExtremes]) -> WhateverTotals:
    draws, values = [row.best for row in rows], [*map(float, rows)]
    spans = [draw.theta_star for draw in draws if draw is not None]
    low, high = (nan, nan) if any(map(isnan, values)) else (min(values), max(values))
    high = low if same(low, high) else high
    theta = reduce(common, spans) if len(spans) == len(rows) else ()
    reason = next(filter(None, (row.reason for row in rows)), None) if isnan(low) else None
    return WhateverTotals(name, low, high, theta, reason)


def common(one: Spans, other: Spans) -> Spans:
    """Return what two lists of ranges share."""
    both = ((max(a, c), min(b, d)) for a, b in one for c, d in other)
    return tuple((low, high) for low, high in both if low <= high)


def _row(one: BlindExtremes) -> dict[str, Any]:
    found = {"metric": one.metric, "better": one.direction}
    found |= {"n_positive": one.n_positive, "n_negative": one.n_negative, "best": float(one)}
    for name, draw in (("min", one.minimum), ("max", one.maximum)):
        found[name] = nan if draw is None else draw.value
        found[f"{name}_n_predicted"] = "" if draw is None else _text(draw.n_predicted)
        found[f"{name}_theta_star"] = "" if draw is None else _text(draw.theta_star)
    return found | {"reason": one.reason}


def _text(spans: Iterable[tuple[float, float]]) -> str:
    ends = {nextafter(0, 1): "above 0", nextafter(1, 0): "below 1"}
    told = ([ends.get(x) or f"{x:.12g}" for x in span] for span in spans)
    return ", ".join(low if low == high else f"{low}-{high}" for low, high in told)


def _refuse_limits(**limits: Any) -> None:
    for name, value in limits.items():
        if value is not None:
            rule, remedy = "needs a number of cases", "pass n_positive and n_negative too"
            raise InvalidArgumentError.from_rule(name, rule, value, remedy)
