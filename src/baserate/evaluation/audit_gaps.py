"""The largest gap between two groups of an audit, metric by metric, with its interval."""

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isnan, nan, sqrt
from operator import itemgetter
from typing import Any

from baserate._result import Deferred
from baserate.cases.counted import Counted, Key
from baserate.cases.several_classes import ClassCounted
from baserate.errors import UnsupportedError
from baserate.evaluation.audit_groups import named
from baserate.evaluation.audit_samples import is_sampled, sample_of
from baserate.facts.audit import (
    AuditedGroup,
    AveragedGroup,
    AverageFinding,
    GapFact,
    LeftOut,
    RatioFact,
    Verdict,
)
from baserate.groups import group_difference, group_ratio
from baserate.groups.gaps import Gap
from baserate.groups.null import NO_OTHER
from baserate.groups.pair_intervals import pair_ends
from baserate.groups.rao_scott import ALONE
from baserate.groups.sampled_gaps import sampled_ends
from baserate.metrics import ClassMetric, Metric

Ends = tuple[float, float]
SEEN = 1.43  # half widths of an interval of 95%, of a gap that four of five samples show
ZERO = "a value of 0 leaves this ratio without an interval"
ONE_ALONE = f"one of both groups {ALONE}"


def gaps_of(
    metrics: Sequence[Metric] | Sequence[ClassMetric],
    counted: Counted | ClassCounted,
    level: float,
    small: Mapping[str, Mapping[Any, float]],
    chosen: Key | None = None,
    *,
    each: bool = False,
) -> Iterator[GapFact]:
    """Yield the largest difference between two groups of every metric, or from the `chosen` one.

    With the ratio of `each` group to the largest of a ratio, or to the `chosen` one.

    A group that is too `small` to show a gap that matters, by the metric's name with the gap that
    would be seen in it, has a part where that is no larger than what it shows beside one that is
    not small. Else the largest of many gaps would be that of small groups, by luck.
    """
    every = [_gap(metric, counted, small.get(metric.name, {}), chosen) for metric in metrics]
    ends = _sampled_ends(every, counted, level) if is_sampled(counted) else _ends(every, level)
    for found, (low, high) in zip(every, ends, strict=True):
        ratios = Deferred(partial(_ratios, found, level, counted, chosen))
        yield GapFact(
            name=found.metric,
            difference=found.value,
            low=low,
            high=high,
            largest=named(counted, found.largest),
            smallest=named(counted, found.smallest),
            undefined=tuple(
                LeftOut(named(counted, k) or {}, why) for k, why in found.undefined.items()
            ),
            too_small=tuple(
                named(counted, k) or {} for k in counted.groups if k not in found.tables
            ),
            ratios=ratios,
            group_ratios=tuple(
                _group_ratios(found, ratios[0].largest, level, counted) if each else ()
            ),
        )


def _ratios(
    gap: Gap, level: float, counted: Counted | ClassCounted, chosen: Key | None
) -> Iterator[RatioFact]:
    """Yield the smallest ratio of the groups of a gap, with its interval where one is known."""
    known, value, tables = dict[str, Any](), nan, dict[Any, Any](gap.tables)
    try:
        found = group_ratio(gap.definition, tables, reference=chosen, confidence_level=level)
        value, known["reason"] = found.value, found.reason
        known |= {end: named(counted, getattr(found, end)) for end in ("largest", "smallest")}
        if found.reason is None:
            known |= _ratio_ends([found], counted, level)[0]
    except UnsupportedError as error:
        known["reason"] = str(error)
    yield RatioFact(name=gap.metric, value=value, **known)


def _group_ratios(
    gap: Gap, base: Mapping[str, Any] | None, level: float, counted: Counted | ClassCounted
) -> Iterator[RatioFact]:
    """Yield the ratio of every group to a base, those too small for the gap among them.

    Of rates, whose intervals take one pass.
    """
    metric, groups = gap.definition, dict[Any, Any](counted.groups)
    if base is None or getattr(metric, "proportion", None) is None:
        return
    chosen = next(key for key in groups if named(counted, key) == base)
    others = [key for key in groups if key != chosen]
    found = [
        group_ratio(metric, {key: groups[key] for key in (chosen, other)}, reference=chosen)
        for other in others
    ]
    for other, one, ends in zip(others, found, _ratio_ends(found, counted, level), strict=True):
        yield RatioFact(
            name=metric.name,
            value=one.value,
            largest=base,
            smallest=named(counted, other),
            **ends,
        )


def _ratio_ends(
    ratios: Sequence[Gap], counted: Counted | ClassCounted, level: float
) -> list[dict[str, Any]]:
    """Return the ends of each ratio of a group to a larger one, or why there are none, by name."""
    sampled, found = is_sampled(counted), list[dict[str, Any]]()
    every = _sampled_ends(ratios, counted, level) if sampled else _exact_ends(ratios, level)
    for gap, (low, high) in zip(ratios, every, strict=True):
        unknown = (ONE_ALONE if gap.value else ZERO) if sampled and isnan(low) else None
        found.append({"low": low, "high": high, "reason": gap.reason or unknown})
    return found


def too_small(keys: Sequence[Any], groups: Sequence[AuditedGroup]) -> dict[str, dict[Any, float]]:
    """Return, by metric, the groups that are too small to show a gap, and which they would show.

    Where fewer than two would be left: those that could show only more than twice the gap that the
    second surest group could.
    """
    unseen: dict[str, dict[Any, float]] = {}
    gaps = {found.name: found.gap for group in groups[:1] for found in group.findings}
    for key, group in zip(keys, groups, strict=True):
        for found in group.findings:
            if not isnan(found.value):
                size = found.unseen if found.verdict == "too_small" else 0.0
                unseen.setdefault(found.name, {})[key] = (
                    inf if _shows_none(found.verdict, found.reason) else size
                )
    small = dict[str, dict[Any, float]]()
    for name, by_group in unseen.items():
        most = max(gaps[name], 2 * sorted([*by_group.values(), inf])[:2][-1])
        small[name] = {key: size for key, size in by_group.items() if size > most}
    return small


def too_few(keys: Sequence[Any], groups: Sequence[AveragedGroup]) -> dict[str, dict[Any, float]]:
    """Return, by average, the groups with too few cases to show a gap, and which they would show.

    Intervals of differences are simulated, and narrow with the number of cases: which number is
    enough is found by bisection, and what a group shows goes by the root of that number. Where
    fewer than two groups would be left, those are too small that have less than a quarter of the
    cases of the second largest, so that their intervals are more than twice as wide.
    """
    small = dict[str, dict[Any, float]]()
    for row in zip(*(group.findings for group in groups), strict=True):
        known = [
            (group.n_clusters or group.effective_n or group.n, key, found)
            for group, key, found in zip(groups, keys, row, strict=True)
            if not isnan(found.value)
        ]
        none = {key for _, key, found in known if _shows_none(found.tested, found.reason)}
        open_ones = sorted((one for one in known if one[2].tested is None), key=itemgetter(0))
        enough = bisect_left(open_ones, True, key=lambda one: one[2].verdict != "too_small")
        few = none | {key for _, key, _ in open_ones[:enough]}
        if len(known) - len(few) < 2:
            most = sorted((n for n, key, _ in known if key not in none), reverse=True)[:2]
            few = none | {key for n, key, _ in known if most and 4 * n < most[-1]}
        small[row[0].name] = _shown(known, few, none)
    return small


def _shown(
    known: Sequence[tuple[float, Any, AverageFinding]], few: Container[Any], none: Container[Any]
) -> dict[Any, float]:
    """Return the gap that each of a few groups shows, by the interval of the largest of all."""
    shown = dict.fromkeys((key for _, key, _ in known if key in few), inf)
    sized = [one for one in known if one[1] not in none]
    if any(key in shown for _, key, _ in sized):
        most, _, found = max(sized, key=itemgetter(0))
        half = SEEN * (found.difference_high - found.difference_low) / 2
        shown |= {key: half * sqrt(most / n) for n, key, _ in sized if key in shown}
    return shown


def _shows_none(verdict: Verdict | None, reason: str | None) -> bool:
    """Whether a group can show no gap: a precision without negatives is 1, whatever was called.

    Nor does a group within one cluster show how much clusters differ.
    """
    return verdict == "untested" and any(why in (reason or "") for why in (NO_OTHER, ALONE))


def _gap(
    metric: Metric | ClassMetric,
    counted: Counted | ClassCounted,
    small: Mapping[Any, float],
    chosen: Key | None,
) -> Gap:
    """Return the gap of the groups that are large enough for it, or of all."""
    groups: Mapping[Any, Any] = counted.groups
    whole = group_difference(metric, groups, reference=chosen)
    values = dict(whole.values)
    if chosen is not None and chosen in values:
        values = _told_apart(values, small, chosen)
    while chosen is None and len(values) > 2 and (lost := _lost(values, small)) is not None:
        del values[lost]
    if len(values) == len(whole.values):
        return whole
    return group_difference(
        metric,
        {k: t for k, t in groups.items() if k in values or k in whole.undefined},
        reference=chosen,
    )


def _told_apart(
    values: Mapping[Any, float], small: Mapping[Any, float], chosen: Key
) -> dict[Any, float]:
    """Return the groups that differ from one by what they show at least, or are not small."""
    far = {key: abs(value - values[chosen]) for key, value in values.items() if key != chosen}
    kept = [key for key in far if small.get(key, 0.0) <= far[key]]
    kept = kept or [min(far, key=lambda key: small[key])] if far else []
    return {key: value for key, value in values.items() if key in (chosen, *kept)}


def _lost(values: Mapping[Any, float], small: Mapping[Any, float]) -> Any:
    """Return the one of the two groups furthest apart that is too small to be so by no luck."""
    ends = [end(values, key=values.__getitem__) for end in (max, min)]
    few = {key: small[key] for key in ends if key in small}
    lost = max(few, key=few.__getitem__, default=None)
    if len(few) == 1 and few[lost] <= values[ends[0]] - values[ends[1]]:
        return None
    return lost


def _sampled_ends(gaps: Sequence[Gap], counted: Counted | ClassCounted, level: float) -> list[Ends]:
    found: list[Ends] = []
    for gap in gaps:
        pair: Any = gap.pair
        if None in pair:
            found.append((nan, nan))
            continue
        sample = sample_of(counted, *pair)
        ends = sampled_ends(gap.definition, sample, level, operation=gap.operation)
        found.append((ends.low, ends.high))
    return found


def _ends(gaps: Sequence[Gap], level: float) -> list[Ends]:
    try:
        return _exact_ends(gaps, level)
    except UnsupportedError:
        if len(gaps) == 1:
            return [(nan, nan)]
        return [ends for gap in gaps for ends in _ends([gap], level)]


def _exact_ends(gaps: Sequence[Gap], level: float) -> list[Ends]:
    if any(isinstance(gap.definition, ClassMetric) for gap in gaps):
        every = (replace(gap, confidence_level=level).interval for gap in gaps)
        return [(one.low, one.high) for one in every]
    return [ends[:2] for ends in pair_ends([gap.asked for gap in gaps], level)]
