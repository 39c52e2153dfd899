"""The largest gap between two groups of an audit, metric by metric, with its interval."""

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any

from baserate.cases import Counted
from baserate.errors import UnsupportedError
from baserate.evaluation.audit_samples import is_sampled, sample_of
from baserate.facts import GapFact, LeftOut
from baserate.groups import Gap, group_difference
from baserate.groups.pair_intervals import pair_ends
from baserate.groups.sampled_gaps import sampled_ends
from baserate.metrics import Metric

Ends = tuple[float, float]


def gaps_of(metrics: Sequence[Metric], counted: Counted, level: float) -> Iterator[GapFact]:
    """Yield the largest difference between two groups of every metric."""
    every = [group_difference(metric, counted.groups) for metric in metrics]
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
        )


def _sampled_ends(gaps: Sequence[Gap], counted: Counted, level: float) -> list[Ends]:
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
    """Return the intervals of gaps; nan where a metric has none."""
    try:
        return [ends[:2] for ends in pair_ends([gap.asked for gap in gaps], level)]
    except UnsupportedError:
        if len(gaps) == 1:
            return [(nan, nan)]
        return [ends for gap in gaps for ends in _ends([gap], level)]


def named(counted: Counted, key: Any) -> dict[str, Any] | None:
    """Return the labels of a group by column."""
    return None if key is None else dict(zip(counted.group_names, key, strict=True))
