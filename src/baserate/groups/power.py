"""What a group can show: the power of the match test, its smallest gap, and the size it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, isfinite, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from baserate._arrays import Array, Mask, Whole
from baserate._checks import as_number, number_in
from baserate._result import Result
from baserate.counts import ConfusionMatrix
from baserate.errors import InvalidArgumentError, UnsupportedError
from baserate.groups.null import Alternative, Condition
from baserate.groups.power_batches import Powers, all_ends, batches, gaps_of
from baserate.groups.trials import MetricTrial, Rate, Shifted, Trial, trial
from baserate.metrics import Metric, binary_metric
from baserate.metrics.ties import tie_width

ROUNDING = 1e-12
_GRID = 16  # places where the power is looked at before the crossing is looked for
_PLACES = 2.0**22  # in a stretch of the grid, of which the crossing is one
_FINE = 60  # halvings of the whole way, by gap
_LARGEST_GROUP = 100_000
_MANY = 10_000  # cases whose mix is the reference's for all purposes
_TURNS = 12  # interpolations before a stretch is halved


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
    route : {"exact", "approximate"}
        "approximate" where the group is too large to list its tables: then by normal laws of tp and
        fp; and for weighted or clustered cases.
    """

    metric: str
    below: float
    above: float
    power: float
    alpha: float
    condition: str
    reason: str | None = None
    route: str = "exact"

    def __float__(self) -> float:
        return float(np.fmin(self.below, self.above))


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

    Exact, for the reference at hand, whose rates are taken as the truth: where the reference is
    drawn too, its own luck takes some of the power (of 100 cases beside 100, .71 is left of .8; of
    300 beside 60, .64). An audit allows for that. With gap=0 it is how often the test errs beside
    this reference. Of the group only the totals matter that the test holds fixed; a number of cases
    stands for a group with the reference's mix. nan where the metric is undefined.

    What changes is a convention. A rate given its denominator is simply shifted. Any other metric
    is moved by its recall and specificity together: a share t of the errors of either class is put
    right, r + t (1 - r), or a share t of the right answers is spoilt, r (1 - t), until the metric
    at the expected table has moved by `gap`. For a metric without a direction, such as the marginal
    benefit, a share of the cases of either class that are not flagged is flagged, or the other way
    round.
    """
    question = MetricTrial(binary_metric(metric), condition, uncertain_reference, alternative)
    found = trial(question, group, reference)
    seen, wanted = found.power(level_of(alpha)), finite(gap)
    if found.reason is not None or isnan(found.gaps(0.0)):
        return nan
    return float(seen(np.array([shift_to(found, wanted)]))[0])


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

    Smaller gaps, in either direction, are more likely than 1 - power to go unseen. The rates of the
    reference are taken as the truth, as in `match_power`, which also says how a gap arises. The
    power need not rise all the way: against a reference of a few cases a test may reject without a
    gap, and not with a small one. The answer is the gap from which on, as far as the metric is
    defined, the power stays (looked at in sixteen places). Exact, or by normal laws where a metric
    of both classes has more than 1,373,701 tables that are likely, and every cell has 3,000 cases
    or more: `route` says which. Gaps by normal laws were off by 0.9% at most at a level of 0.05,
    and by 2.7% at 1e-6, wherever this was measured.
    """
    target = number_in("power", power, "(0, 1)", "0.8 is usual")
    question = MetricTrial(binary_metric(metric), condition, uncertain_reference, alternative)
    return smallest_of(trial(question, group, reference), question.metric, level_of(alpha), target)


def smallest_of(tried: Trial, metric: Metric, alpha: float, target: float) -> SmallestGap:
    """Return the smallest gap that is seen in a trial."""
    [found] = smallest_gaps([(tried, metric)], alpha, target)
    if isinstance(found, UnsupportedError):
        raise found
    return found


def smallest_gaps(
    tried: Sequence[tuple[Any, Metric]], alpha: float, target: float
) -> list[SmallestGap | UnsupportedError]:
    """Return the smallest gap that is seen in each of many trials, or why there is none."""
    found = [_gap(one, metric, alpha, target, one.reason) for one, metric in tried]
    places = [place for place, one in enumerate(found) if one.reason is None]
    trials = [tried[place][0] for place in places]
    for some, power in batches(trials, alpha):
        if isinstance(power, UnsupportedError):
            found[places[some[0]]] = power
            continue
        ends = _first_seen([trials[i] for i in some], power, target)
        for i, (below, above) in zip(some, ends, strict=True):
            none = isnan(below) and isnan(above)
            reason = "no gap, however large, is likely enough to be seen" if none else None
            found[places[i]] = _gap(*tried[places[i]], alpha, target, reason, below, above)
    return found


def _gap(
    tried: Any,
    metric: Metric,
    alpha: float,
    target: float,
    reason: str | None,
    below: float = nan,
    above: float = nan,
) -> Any:
    large = isinstance(tried, Shifted) and tried.is_large(alpha)
    return SmallestGap(
        metric=metric.name,
        below=below,
        above=above,
        power=target,
        alpha=alpha,
        condition=tried.condition,
        reason=reason,
        route="exact" if not large and isinstance(tried, Rate | Shifted) else "approximate",
    )


def farthest(metric: Metric, expected: float) -> float:
    """Return the largest gap of a group that is not worse than chance, where chance is known."""
    low, high = metric.bounds
    if metric.chance is not None and metric.direction != "neither":
        low, high = (metric.chance, high) if metric.direction == "higher" else (low, metric.chance)
    return max(expected - low, high - expected) + tie_width(metric, expected)


def level_of(alpha: float) -> float:
    """Return the level of a test, if it is one."""
    return number_in("alpha", alpha, "(0, 1)", "0.05 is usual")


def finite(gap: Any) -> float:
    """Return a gap, if it is a number."""
    wanted = as_number(gap)
    if not isfinite(wanted):
        remedy = "pass the group's true value less the reference's, such as -0.1"
        raise InvalidArgumentError.from_rule("gap", "must be a finite number", gap, remedy)
    return wanted


def shift_to(tried: Trial, gap: float) -> float:
    """Return the shift at which the metric has moved by `gap`."""
    if gap == 0:
        return 0.0
    reach = dict(zip(tried.gaps(np.array(tried.ends)).tolist(), tried.ends, strict=True))
    far, end = next(((far, end) for far, end in reach.items() if far * gap > 0), (nan, nan))
    if not abs(gap) <= abs(far) * (1 + ROUNDING):
        rule = f"must lie between {min(reach):.4g} and {max(reach):.4g}"
        remedy = "no table of rates lies further from the reference"
        raise InvalidArgumentError.from_rule("gap", rule, gap, remedy)
    low, high = 0.0, end
    for _ in range(_FINE):
        middle = (low + high) / 2
        reached = abs(float(tried.gaps(middle))) >= abs(gap) * (1 - ROUNDING)
        low, high = (low, middle) if reached else (middle, high)
    return high


def _first_seen(trials: Sequence[Any], power: Powers, target: float) -> list[tuple[float, float]]:
    """Return the gaps below and above from which on the power reaches the target; else nan.

    At the far end itself the metric may be undefined, and nothing be seen: the last stretch of the
    way on which it is seen counts.
    """
    ends = all_ends(trials)
    steps = np.linspace(0.0, ends, _GRID + 1)

    def excess_at(which: Whole, shifts: Array) -> Array:
        """Return by how much the power exceeds the target, as normal scores: nearly straight."""
        return ndtri(np.clip(power(which, shifts), 1e-300, 1 - 1e-16)) - ndtri(target)

    which = np.broadcast_to(np.arange(len(trials))[:, None], steps.shape)
    excess = excess_at(which.ravel(), steps.ravel()).reshape(steps.shape)
    last = _last_unseen(excess >= 0)
    shifts = np.where(np.isnan(last), nan, 0.0)
    crossed = last >= 0
    if crossed.any():
        way = np.nonzero(crossed)
        at = last[crossed].astype(np.int64)
        low, high = (at, *way), (at + 1, *way)
        shifts[crossed] = crossing(
            excess_at, way[0], steps[low], steps[high], excess[low], excess[high]
        )
    gaps, reach = np.split(gaps_of(trials, np.concatenate((shifts, ends), axis=1)), 2, axis=1)
    sides = list[list[float]]()
    for sign in (-1, 1):
        there = (gaps * sign >= 0) & (reach * sign > 0)
        first = np.take_along_axis(gaps, there.argmax(axis=1)[:, None], axis=1)[:, 0]
        sides.append(np.where(there.any(axis=1), first * sign + 0.0, nan).tolist())
    return list(zip(*sides, strict=True))


def _last_unseen(seen: Mask) -> Array:
    """Return the step before the last stretch that is seen, -1 if all is; nan without one."""
    step = np.arange(len(seen)).reshape(-1, *(1,) * (seen.ndim - 1))
    known = np.where(seen, step, -1).max(axis=0)
    unseen = np.where(seen | (step > known), -1, step).max(axis=0)
    without = (known < 0) | ((unseen < 0) & (known < len(seen) - 1))
    return np.where(without, nan, unseen)


def crossing(
    excess: Powers, which: Whole, low: Array, high: Array, before: Array, after: Array
) -> Array:
    """Return the first of 2^22 places from `low` to `high` at which `excess` is not negative.

    `before` and `after` are its values at the two ends, the first of them negative. The next place
    to look at is interpolated (Illinois rule), later halfway.
    """
    first, last = np.zeros(len(low)), np.full(len(low), _PLACES)
    left, side, turn = np.arange(len(low)), np.zeros(len(low)), 0
    while left.size:
        a, b = first[left], last[left]
        share = before / (before - after) if turn < _TURNS else 0.5
        place = np.clip(np.floor(a + share * (b - a)), a + 1, np.maximum(b - 1, a + 1))
        value = excess(which[left], low[left] + (high - low)[left] * (place / _PLACES))
        reached = value >= 0
        # The end that stays a second time is given half its weight, so that both come closer.
        before = np.where(reached, np.where(side > 0, before / 2, before), value)
        after = np.where(reached, value, np.where(side < 0, after / 2, after))
        first[left], last[left] = np.where(reached, a, place), np.where(reached, place, b)
        open_ = last[left] - first[left] > 1
        side = np.where(reached, 1, -1)[open_]
        left, before, after, turn = left[open_], before[open_], after[open_], turn + 1
    return low + (high - low) * (last / _PLACES)


class GroupSize(NamedTuple):
    """How large a group must be to show a gap.

    `size` is how many are needed of what is `counted`, the positives for recall, and `n` how many
    cases hold as many, if the group has the reference's mix; None if no size is enough, for the
    `reason`.
    """

    n: int | None
    counted: str
    size: int | None
    reason: str | None = None


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
    beyond; none if none of up to 100,000 cases is enough: an uncertain reference that is small
    never shows a small gap.
    """
    metric, level, wanted = binary_metric(metric), level_of(alpha), finite(gap)
    target = number_in("power", power, "(0, 1)", "0.8 is usual")
    if not wanted:
        remedy = "pass the group's true value less the reference's"
        raise InvalidArgumentError.from_rule("gap", "must not be 0", gap, remedy)
    question = MetricTrial(metric, condition, uncertain_reference, alternative)
    share, counted = question.unit(reference)
    found: int | None = None
    reason = question.missing(question.null(1, reference).reference)
    if reason is None:
        if metric.scale_invariant:  # or no group could differ so much
            shift_to(trial(question, None, reference, size=_MANY), wanted)
        found = _settled(lambda k: _enough(question, k, reference, wanted, level, target))
        reason = None if found else "no group of up to 100,000 cases shows so small a gap"
    return GroupSize(ceil(found / share - 1e-9) if found else None, counted, found, reason)


def _enough(
    question: MetricTrial, size: int, reference: Any, gap: float, alpha: float, target: float
) -> bool:
    tried = trial(question, None, reference, size=size)
    if tried.reason is not None or not _reachable(tried, gap):
        return False  # so few cases that a class is missing
    return bool(tried.power(alpha)(np.array([shift_to(tried, gap)]))[0] >= target)


def _reachable(tried: Trial, gap: float) -> bool:
    far = tried.gaps(np.array(tried.ends))
    return bool(np.any((far * gap > 0) & (np.abs(far) >= abs(gap) * (1 - ROUNDING))))


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
