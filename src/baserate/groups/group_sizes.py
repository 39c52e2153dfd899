"""How large a group must be to show a gap."""

from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from baserate._checks import number_in
from baserate.errors import InvalidArgumentError
from baserate.groups.match import Alternative
from baserate.groups.null import Condition
from baserate.groups.power import ROUNDING, finite, level_of, shift_to
from baserate.groups.trials import MetricTrial, Trial, trial
from baserate.metrics import Metric, binary_metric

_LARGEST_GROUP = 100_000
_MANY = 10_000  # cases whose mix is the reference's for all purposes


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

    References
    ----------
    Briscoe, Kepler, DeFord and Gebremedhin (2025), Algorithmic Accountability in Small Data,
    AISTATS. Fisher (1935), Journal of the Royal Statistical Society 98:39, doi:10.2307/2342435, for
    holding totals fixed.

    Examples
    --------
    >>> from baserate.groups.group_sizes import group_size
    >>> from baserate import ConfusionMatrix
    >>> rest = ConfusionMatrix(tp=4000, fn=1000, fp=500, tn=4500)
    >>> found = group_size("recall", rest, gap=-0.2)
    >>> found.size, found.counted, found.n
    (46, 'positives', 92)
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
        _refuse_impossible(question, reference, wanted)
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


def _refuse_impossible(question: MetricTrial, reference: Any, gap: float) -> None:
    if question.metric.scale_invariant:
        shift_to(trial(question, None, reference, size=_MANY), gap)


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
