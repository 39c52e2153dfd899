"""The power of many trials at once, each at shifts of its own: an audit asks thousands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from baserate._arrays import Array, Whole
from baserate.counts import cells_from_rates
from baserate.errors import UnsupportedError
from baserate.groups.count_laws import (
    ALMOST,
    SHORT,
    Chances,
    RatePower,
    ReferenceLuck,
    chances_of,
    rates_moved,
)
from baserate.groups.rejection_regions import RejectedRows, has_rows, rejections
from baserate.groups.sampled_gaps import SampledTrial
from baserate.groups.sampled_gaps import powers as powers_of_samples
from baserate.groups.trials import Power, Shifted

# The power of some trials, given by place, at a shift of each.
Powers = Callable[[Whole, Array], Array]

AT_ONCE = 128  # trials, whose rows fill some 10 MB
LISTED = 1_000  # tables of a group that are sorted beside those of others sooner than alone
CELLS = 1 << 18  # tables that are listed at a time


def batches(
    trials: Sequence[Any], alpha: float
) -> Iterator[tuple[list[int], Powers | UnsupportedError]]:
    """Yield the places of trials that are looked at together, and their power; or why not."""
    together = dict[Any, list[tuple[int, Any]]]()
    regions = _regions(trials, alpha)
    for place, tried in enumerate(trials):
        try:
            power = _alone(tried, alpha, regions.get(place))
        except UnsupportedError as refused:
            yield [place], refused
            continue
        if isinstance(power, SampledTrial):
            key = power.metric, power.condition, power.samples.contained
            together.setdefault(key, []).append((place, power))
        elif isinstance(power, _Rows) or (isinstance(power, RatePower) and power.n <= SHORT):
            key = type(power), power.luck is None
            together.setdefault(key, []).append((place, power))
        else:
            yield [place], _apart(power)
    for some in together.values():
        for start in range(0, len(some), AT_ONCE):
            places, powers = zip(*some[start : start + AT_ONCE], strict=True)
            yield list(places), _stacked(powers, alpha)


def _apart(power: Power) -> Powers:
    return lambda _, shifts: power(shifts)


def _regions(trials: Sequence[Any], alpha: float) -> dict[int, RejectedRows]:
    """Return what the trials reject whose tables are few enough to be listed together, by place.

    Trials of one metric, level and kind of law are, whose class totals are about the same.
    """
    alike = dict[Any, list[tuple[int, Any, tuple[int, int]]]]()
    for place, tried in enumerate(trials):
        if not isinstance(tried, Shifted) or tried.condition != "classes":
            continue
        group, metric = tried.null.group, tried.question.metric
        totals = p, q = int(group.n_positive), int(group.n_negative)
        if (p + 1) * (q + 1) <= LISTED and has_rows(metric, p):
            models, level = tried.tails(alpha)
            key = p.bit_length(), q.bit_length(), metric, level, *map(type, models)
            alike.setdefault(key, []).append((place, models, totals))
    found = dict[int, RejectedRows]()
    for (p_bits, q_bits, metric, level, *_), some in alike.items():
        size = max(1, CELLS >> (p_bits + q_bits))
        for start in range(0, len(some), size):
            places, models, totals = zip(*some[start : start + size], strict=True)
            with suppress(UnsupportedError):  # as each of them will say
                found |= zip(places, rejections(metric, models, totals, level), strict=True)
    return found


def _alone(
    tried: Any, alpha: float, region: RejectedRows | None
) -> "RatePower | _Rows | SampledTrial | Power":
    """Return the power of one trial, as what can be stacked or as a function of shifts."""
    if isinstance(tried, SampledTrial):
        return tried
    if region is not None:
        return _Rows(tried, region, tried.luck)
    large = isinstance(tried, Shifted) and tried.is_large(alpha)
    if large:
        return tried.approximate_power(alpha)
    if isinstance(tried, Shifted) and tried.condition == "classes":
        rejected = tried.rejected(alpha)
        if isinstance(rejected, RejectedRows) and max(rejected.totals) <= SHORT:
            return _Rows(tried, rejected, tried.luck)
        return lambda shifts: rejected.probabilities(*tried.chances(shifts))
    return tried.power(alpha)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A trial of both classes whose rejected rows are short."""

    tried: Shifted
    region: RejectedRows
    luck: tuple[ReferenceLuck, ReferenceLuck] | None


def _stacked(powers: Sequence[Any], alpha: float) -> Powers:
    """Return the power of all of them."""
    if isinstance(powers[0], SampledTrial):
        return powers_of_samples(powers, alpha)
    if isinstance(powers[0], RatePower):
        return _of_rates(powers)
    return _of_rows(powers)


def _of_rates(powers: Sequence[RatePower]) -> Powers:
    columns = [np.array(column) for column in zip(*(one[:4] for one in powers), strict=True)]
    lucks = _lucks(one.luck for one in powers)

    def seen(which: Whole, shifts: Array) -> Array:
        luck = None if lucks is None else lucks(which)
        theta, n, few, many = (column[which] for column in columns)
        return RatePower(theta, n, few, many, luck)(shifts)

    return seen


def _of_rows(powers: Sequence[_Rows]) -> Powers:
    totals = np.array([one.region.totals for one in powers])
    rates = np.array([one.tried.rates for one in powers])
    neither = np.array([one.tried.question.metric.direction == "neither" for one in powers])
    both = [_lucks(one.luck and one.luck[side] for one in powers) for side in (0, 1)]
    lucks = [of for of in both if of is not None]
    # Of rows beyond a trial's own, whose tables have probability 0, nothing is rejected.
    ends = np.zeros((2, 2, len(powers), totals[:, 0].max() + 1), dtype=np.int64)
    for place, one in enumerate(powers):
        ends[:, :, place, : one.region.totals[0] + 1] = one.region.spans

    def seen(which: Whole, shifts: Array) -> Array:
        recall, specificity = rates[which].T
        moved = rates_moved(recall, specificity, shifts, neither[which])
        tp, fp = chances_of(moved, shifts, [of(which) for of in lucks] or None)
        hits, at_hits = _laws(tp, totals[which, 0])
        alarms, at_alarms = _laws(fp, totals[which, 1])
        below = np.zeros((len(alarms), alarms.shape[1] + 1))
        np.cumsum(alarms, axis=1, out=below[:, 1:])
        first, below = (at_alarms * below.shape[1])[:, None], below.ravel()
        found, hits = np.zeros(len(which)), hits[at_hits]
        for start, stop in ends[:, :, which, : hits.shape[1]]:
            found += np.einsum("ij,ij->i", hits, below[first + stop] - below[first + start])
        return np.minimum(1.0, found)

    return seen


def _laws(chances: Chances, n: Whole) -> tuple[Array, Whole]:
    """Return the laws that are needed, a row each, and which of them every chance has."""
    # The metrics of one group are looked at along the same way.
    order = np.lexsort((chances.b, chances.a, n))
    columns = [side[order] for side in (n, chances.a, chances.b)]
    new = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    at = np.empty(len(n), dtype=np.int64)
    at[order] = np.cumsum(np.append(0, new))
    some = order[np.append(True, new)]
    return Chances(chances.a[some], chances.b[some], chances.s).rows(n[some]), at


def _lucks(lucks: Iterable[ReferenceLuck | None]) -> Callable[[Whole], ReferenceLuck] | None:
    """Return how to look up what references leave open; None where nothing is."""
    every = list(lucks)
    if every[0] is None:
        return None
    variance, total = map(np.array, zip(*(one or every[0] for one in every), strict=True))
    return lambda which: ReferenceLuck(variance[which], total[which])


def gaps_of(trials: Sequence[Any], shifts: Array) -> Array:
    """Return how far shifts move the metric of each of many trials, a row of shifts for each."""
    found, alike = np.empty(shifts.shape), dict[Any, list[int]]()
    for place, one in enumerate(trials):
        key = one.question.metric if isinstance(one, Shifted) else place
        alike.setdefault(key, []).append(place)
    for places in alike.values():
        some, at = [trials[place] for place in places], shifts[places]
        if len(some) == 1:
            found[places] = some[0].gaps(at[0])
        else:
            found[places] = _values_of(some, at) - _values_of(some, np.zeros((len(some), 1)))
    return found


def _values_of(trials: Sequence[Shifted], shifts: Array) -> Array:
    """Return the metric of trials at the shifted expected tables."""
    facts = [(*one.rates, one.base_rate, float(one.null.group.n)) for one in trials]
    recall, specificity, base_rate, n = np.array(facts).T[:, :, None]
    metric = trials[0].question.metric
    moved = rates_moved(recall, specificity, shifts, metric.direction == "neither")
    return np.asarray(metric.formula(*cells_from_rates(*moved, base_rate, n)), dtype=float)


def all_ends(trials: Sequence[Any]) -> Array:
    """Return the ends of each of many trials, a row for each."""
    if not all(isinstance(one, Shifted) for one in trials):
        return np.array([one.ends for one in trials])
    ends = np.tile((-1.0, 1.0), (len(trials), 1))
    return np.where(np.isnan(gaps_of(trials, ends)), ends * ALMOST, ends)
