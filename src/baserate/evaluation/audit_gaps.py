"""The largest gap between two groups of an audit, metric by metric, with its interval."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isnan, nan
from typing import Any

from baserate.cases.counted import Counted
from baserate.cases.several_classes import ClassCounted
from baserate.errors import UnsupportedError
from baserate.evaluation.audit_samples import is_sampled, sample_of
from baserate.facts.findings import AuditedGroup, GapFact, LeftOut
from baserate.groups import group_difference
from baserate.groups.gaps import Gap
from baserate.groups.null import NO_OTHER
from baserate.groups.pair_intervals import pair_ends
from baserate.groups.sampled_gaps import sampled_ends
from baserate.metrics import ClassMetric, Metric

Ends = tuple[float, float]


def gaps_of(
    metrics: Sequence[Metric] | Sequence[ClassMetric],
    counted: Counted | ClassCounted,
    level: float,
    small: Mapping[str, Container[Any]] | None = None,
) -> Iterator[GapFact]:
    """Yield the largest difference between two groups of every metric.

    Groups that are too `small` to show a gap by a metric have no part in it, if two others have a
    value: the largest of many gaps would be theirs, by luck.
    """
    every = [_gap(metric, counted, (small or {}).get(metric.name, ())) for metric in metrics]
    ends = _sampled_ends(every, counted, level) if is_sampled(counted) else _ends(every, level)
    for found, (low, high) in zip(every, ends, strict=True):
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
        )


def too_small(
    keys: Sequence[Any], groups: Sequence[AuditedGroup], gap: float
) -> dict[str, set[Any]]:
    """Return, by metric, the groups that are too small to show a gap.

    Where fewer than two would be left: those that could show only more than twice the gap that the
    second surest group could.
    """
    unseen: dict[str, dict[Any, float]] = {}
    for key, group in zip(keys, groups, strict=True):
        for found in group.findings:
            if not isnan(found.value):
                # A precision without negatives is 1, whatever the classifier.
                certain = found.verdict == "untested" and NO_OTHER in (found.reason or "")
                size = found.unseen if found.verdict == "too_small" else inf if certain else 0.0
                unseen.setdefault(found.name, {})[key] = size
    small = dict[str, set[Any]]()
    for name, by_group in unseen.items():
        most = max(gap, 2 * sorted([*by_group.values(), inf])[:2][-1])
        small[name] = {key for key, size in by_group.items() if size > most}
    return small


def _gap(
    metric: Metric | ClassMetric, counted: Counted | ClassCounted, small: Container[Any]
) -> Gap:
    """Return the gap of the groups that are large enough, or of all."""
    groups: Mapping[Any, Any] = counted.groups
    whole = group_difference(metric, groups)
    large = {k: table for k, table in groups.items() if k not in small}
    if len(large) == len(groups) or sum(k in whole.values for k in large) < 2:
        return whole
    return group_difference(metric, large)


def _sampled_ends(gaps: Sequence[Gap], counted: Counted | ClassCounted, level: float) -> list[Ends]:
    """Return the approximate intervals of gaps; nan where there is no gap."""
    found: list[Ends] = []
    for gap in gaps:
        pair: Any = (gap.largest, gap.smallest)
        if None in pair:
            found.append((nan, nan))
            continue
        ends = sampled_ends(gap.definition, sample_of(counted, *pair), level)
        found.append((ends.low, ends.high))
    return found


def _ends(gaps: Sequence[Gap], level: float) -> list[Ends]:
    if any(isinstance(gap.definition, ClassMetric) for gap in gaps):
        every = (replace(gap, confidence_level=level).interval for gap in gaps)
        return [(one.low, one.high) for one in every]
    try:
        return [ends[:2] for ends in pair_ends([gap.asked for gap in gaps], level)]
    except UnsupportedError:
        if len(gaps) == 1:
            return [(nan, nan)]
        return [ends for gap in gaps for ends in _ends([gap], level)]


def named(counted: Counted | ClassCounted, key: Any) -> dict[str, Any] | None:
    """Return the labels of a group by column."""
    return None if key is None else dict(zip(counted.group_names, key, strict=True))
