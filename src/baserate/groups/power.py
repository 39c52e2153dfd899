"""What a group of this size can show: the power of the match test, and the size that it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite, isnan, nan
from typing import Any

import numpy as np

from baserate._checks import number_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError
from baserate.groups._experiments import Experiment, Power, Question, experiment
from baserate.groups._null import Condition
from baserate.groups.match import Alternative
from baserate.metrics import Metric, get

_ROUNDING = 1e-12
_GRID = 16  # places where the power is looked at before the crossing is halved down to
_HALVINGS = 22  # of a stretch of the grid, by power
_FINE = 60  # of the whole way, by gap
_LARGEST_GROUP = 100_000
_MANY = 10_000  # cases whose mix is the reference's for all purposes


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestGap(Result):
    """The smallest differences that a group is likely to show; float() is the smaller of the two.

    Attributes
    ----------
    metric : str
    below, above : float
        How far below, or above, the reference's value the group's true value must lie, so that the
        test rejects with probability `power`. nan if no possible value is far enough; 0 if the test
        rejects so often without any gap, and with every gap.
    power, alpha : float
    condition : str
    reason : str or None
        Why neither exists, else None.
    """

    metric: str
    below: float
    above: float
    power: float
    alpha: float
    condition: str
    reason: str | None = None

    def __float__(self) -> float:
        return float(np.fmin(self.below, self.above))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSize(Result):
    """How large a group must be to show a gap.

    Attributes
    ----------
    metric : str
    n : int or None
        Cases, if the group has the reference's mix; None if no size is enough.
    counted : str
        What the power depends on: "positives" for recall, else "cases".
    size : int or None
        How many of those are needed.
    gap, power, alpha : float
    reason : str or None
        Why there is no size, else None.
    """

    metric: str
    n: int | None
    counted: str
    size: int | None
    gap: float
    power: float
    alpha: float
    reason: str | None = None


def match_power(
    metric: str | Metric,
    group: ConfusionMatrix | int,
    reference: Any,
    *,
    gap: float,
    alpha: float = 0.05,
    condition: Condition = "auto",
    uncertain_reference: bool = True,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the probability that `match_test` rejects, if the group differs by `gap`.

    Exact, for the reference at hand. With gap=0 it is how often the test errs.

    Parameters
    ----------
    metric : Metric or str
    group : ConfusionMatrix or int
        Only its totals matter: the denominator, the class totals, or the number of cases, whichever
        the test holds fixed. A number of cases stands for a group with the reference's mix.
    reference, condition, uncertain_reference, alternative
        As in `match_test`.
    gap : float
        The group's true value less the reference's. What changes is a convention. A rate given its
        denominator is simply shifted. Any other metric is moved by its recall and specificity
        together: a share t of the errors of either class is put right, r + t (1 - r), or a share t
        of the right answers is spoilt, r (1 - t), until the metric at the expected table has moved
        by `gap`. For a metric without a direction, such as the marginal benefit, a share of the
        cases of either class that are not flagged is flagged, or the other way round.
    alpha : float in (0, 1)
        Rejected is p_value <= alpha.

    Returns
    -------
    float
        nan where the metric is undefined for such a group or at the reference.

    Raises
    ------
    InvalidArgumentError
        No table of rates differs by so much; the message says how far one can.
    UnsupportedError
        There are more than 1,373,701 tables, and no shorter way: with nothing held fixed, or for
        very large groups and a metric that does not declare how it moves with the false positives.

    Examples
    --------
    50 positives show a recall of 0.6 against 0.8, in a large reference, 5 times in 6:

    >>> rest = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> group = ConfusionMatrix(tp=40, fn=10, fp=5, tn=45)
    >>> round(match_power("recall", group, rest, gap=-0.2), 2)
    0.84
    """
    question = Question(get(metric), condition, uncertain_reference, alternative)
    trial = experiment(question, group, reference)
    seen, wanted = trial.power(_level(alpha)), _finite(gap)
    if trial.reason is not None or isnan(trial.gap(0.0)):
        return nan
    return seen(_shift(trial, wanted))


def smallest_gap(
    metric: str | Metric,
    group: ConfusionMatrix | int,
    reference: Any,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    condition: Condition = "auto",
    uncertain_reference: bool = True,
    alternative: Alternative = "two-sided",
) -> SmallestGap:
    """Return the smallest gap that a group of this size shows with the given power.

    Smaller gaps, in either direction, are more likely than 1 - power to go unseen: a test that does
    not reject says nothing about them. The power need not rise all the way: against a reference of
    a few cases a test may reject without a gap, and not with a small one. The answer is the gap
    from which on, as far as the metric is defined, the power stays (looked at in sixteen places).

    Parameters
    ----------
    metric, group, reference, alpha, condition, uncertain_reference, alternative
        As in `match_power`, which also says how a gap arises.
    power : float in (0, 1)

    Returns
    -------
    SmallestGap

    Raises
    ------
    UnsupportedError
        There are more than 1,373,701 tables, and no shorter way: with nothing held fixed, or for
        very large groups and a metric that does not declare how it moves with the false positives.

    Examples
    --------
    >>> rest = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> found = smallest_gap("recall", ConfusionMatrix(tp=40, fn=10, fp=5, tn=45), rest)
    >>> round(found.below, 3), round(found.above, 3)
    (0.188, 0.138)
    """
    metric = get(metric)
    target = number_in("power", power, "(0, 1)", "0.8 is usual")
    trial = experiment(
        Question(metric, condition, uncertain_reference, alternative), group, reference
    )
    seen = trial.power(_level(alpha))
    gaps = {} if trial.reason else {e: _first_seen(trial, seen, target, e) for e in trial.ends}
    below = [-g for end, g in gaps.items() if g <= 0 and trial.gap(end) < 0]
    above = [g for end, g in gaps.items() if g >= 0 and trial.gap(end) > 0]
    reason = trial.reason
    if reason is None and not below and not above:
        reason = "no gap, however large, is likely enough to be seen"
    return SmallestGap(
        metric=metric.name,
        below=below[0] if below else nan,
        above=above[0] if above else nan,
        power=target,
        alpha=alpha,
        condition=trial.condition,
        reason=reason,
    )


def group_size(
    metric: str | Metric,
    reference: Any,
    *,
    gap: float,
    power: float = 0.8,
    alpha: float = 0.05,
    condition: Condition = "auto",
    uncertain_reference: bool = True,
    alternative: Alternative = "two-sided",
) -> GroupSize:
    """Return how large a group with the reference's mix must be to show a gap.

    The power of an exact test goes up and down a little as cases are added one by one. The answer
    is the smallest size from which on it stays at `power`, looked at up to an eighth (at least ten)
    beyond.

    Parameters
    ----------
    metric, reference, gap, alpha, condition, uncertain_reference, alternative
        As in `match_power`.
    power : float in (0, 1)

    Returns
    -------
    GroupSize
        Without a size, and with the reason, if none of up to 100,000 cases is enough: an uncertain
        reference that is small never shows a small gap.

    Raises
    ------
    InvalidArgumentError
        The gap is 0, or no table of rates differs by so much.
    UnsupportedError
        There are more than 1,373,701 tables, and no shorter way: with nothing held fixed, or for
        very large groups and a metric that does not declare how it moves with the false positives.

    Examples
    --------
    >>> rest = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> found = group_size("recall", rest, gap=-0.2)
    >>> found.size, found.counted, found.n
    (46, 'positives', 92)
    """
    metric, level, wanted = get(metric), _level(alpha), _finite(gap)
    target = number_in("power", power, "(0, 1)", "0.8 is usual")
    if not wanted:
        remedy = "pass the group's true value less the reference's"
        raise InvalidArgumentError.from_rule("gap", "must not be 0", gap, remedy)
    question = Question(metric, condition, uncertain_reference, alternative)
    share, counted = question.unit(reference)
    found: int | None = None
    reason = question.missing(reference)
    if reason is None:
        _refuse_impossible(question, reference, wanted)
        found = _settled(lambda k: _enough(question, k, reference, wanted, level, target))
        reason = None if found else "no group of up to 100,000 cases shows so small a gap"
    return GroupSize(
        metric=metric.name,
        n=ceil(found / share - 1e-9) if found else None,
        counted=counted,
        size=found,
        gap=wanted,
        power=target,
        alpha=alpha,
        reason=reason,
    )


def _level(alpha: float) -> float:
    return number_in("alpha", alpha, "(0, 1)", "0.05 is usual")


def _finite(gap: Any) -> float:
    try:
        wanted = float(gap)
    except (TypeError, ValueError):
        wanted = nan
    if not isfinite(wanted):
        remedy = "pass the group's true value less the reference's, such as -0.1"
        raise InvalidArgumentError.from_rule("gap", "must be a finite number", gap, remedy)
    return wanted


def _shift(trial: Experiment, gap: float) -> float:
    """Return the shift at which the metric has moved by `gap`."""
    if gap == 0:
        return 0.0
    reach = {trial.gap(end): end for end in trial.ends}
    end = next((end for far, end in reach.items() if far * gap > 0), None)
    if end is None or abs(gap) > abs(trial.gap(end)) * (1 + _ROUNDING):
        rule = f"must lie between {min(reach):.4g} and {max(reach):.4g}"
        remedy = "no table of rates lies further from the reference"
        raise InvalidArgumentError.from_rule("gap", rule, gap, remedy)
    return _crossing(
        lambda s: abs(trial.gap(s)) - abs(gap) >= -_ROUNDING * abs(gap), 0.0, end, _FINE
    )


def _first_seen(trial: Experiment, power: Power, target: float, end: float) -> float:
    """Return the gap, from 0 toward an end, from which on the power reaches the target; else nan.

    At the far end itself the metric may be undefined, and nothing be seen: the last stretch of the
    way on which it is seen counts.
    """
    steps = np.linspace(0.0, end, _GRID + 1).tolist()
    seen = [power(s) >= target for s in steps]
    if all(seen):
        return 0.0
    while seen and not seen[-1]:
        seen.pop()
    if False not in seen:
        return nan
    first = len(seen) - seen[::-1].index(False)
    low, high = steps[first - 1], steps[first]
    return trial.gap(_crossing(lambda s: power(s) >= target, low, high))


def _crossing(
    reached: Callable[[float], bool], low: float, high: float, halvings: int = _HALVINGS
) -> float:
    """Halve down to where `reached` turns true; it is true at `high`."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _enough(
    question: Question, size: int, reference: Any, gap: float, alpha: float, target: float
) -> bool:
    trial = experiment(question, None, reference, size=size)
    if trial.reason is not None or not _reachable(trial, gap):
        return False  # so few cases that a class is missing
    return trial.power(alpha)(_shift(trial, gap)) >= target


def _refuse_impossible(question: Question, reference: Any, gap: float) -> None:
    if question.metric.scale_invariant:
        _shift(experiment(question, None, reference, size=_MANY), gap)


def _reachable(trial: Experiment, gap: float) -> bool:
    return any(
        far * gap > 0 and abs(far) >= abs(gap) * (1 - _ROUNDING)
        for far in map(trial.gap, trial.ends)
    )


def _settled(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest size from which on it is enough, a stretch beyond included."""
    high = 1
    while not enough(high):
        high *= 2
        if high > _LARGEST_GROUP:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    size = reach = high
    while reach < size + max(10, size // 8):  # a dip further up starts the stretch again
        reach += 1
        if not enough(reach):
            size = reach + 1
    return size
