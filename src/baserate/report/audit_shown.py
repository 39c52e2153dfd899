"""The groups of an audit: what they are compared with, and which of very many a page shows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from baserate import _figures as figures
from baserate.facts.audit import REFERENCES, AuditedFacts, AuditedGroup, AuditFacts, Finding
from baserate.report.words import called

LISTED = 12  # groups of a reference that are named
SHOWN_GROUPS = 24  # of an audit, in pictures and in tables whose intervals cost
MOST_METRICS = 12
MOST = 4  # pictures that stand open; the others are folded, each above its table
FOUND = {"lower", "higher"}
MOST_CELLS = 150  # of a matrix whose every metric has a picture
GROUPS = (
    "{most} of {n:,} groups are shown: those that differ, then those with the smallest p-values, "
    "then the largest; the JSON report has all"
)
METRICS = (
    "{most} of {n:,} metrics are shown, those first by which a group differs; the JSON report has "
    "all"
)


def shown_of(facts: AuditFacts) -> AuditFacts:
    """Return the facts that a page has room for: all of them, if they are few.

    Of many groups those that differ come first, then those nearest to it and the largest ones: of
    plain gaps the largest are those of the smallest groups, by luck. Of many metrics those by which
    some group differs come first, then the others as they were asked for.
    """
    facts = in_brief(facts)
    metrics = _metrics(facts)
    groups = tuple(replace(g, findings=_chosen(g.findings, metrics)) for g in _groups(facts))
    gaps = tuple(gap for name in metrics for gap in facts.gaps if gap.name == name)
    names = {tuple(group.group.values()) for group in groups}
    calibration = tuple(c for c in facts.calibration if tuple(c.group.values()) in names)
    return replace(facts, groups=groups, gaps=gaps, calibration=calibration)


def in_brief(facts: AuditFacts) -> AuditFacts:
    """Return the facts with labels short enough to be read."""
    calibration = (replace(one, group=_short(one.group)) for one in facts.calibration)
    groups = (replace(group, group=_short(group.group)) for group in facts.groups)
    return replace(facts, groups=tuple(groups), calibration=tuple(calibration))


def _short(group: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a group under labels short enough to be read; those that are so stay as they are."""
    long = {c: v for c, v in group.items() if isinstance(v, str) and len(v) > figures.BRIEF}
    return {**group, **{c: figures.label(value, figures.BRIEF) for c, value in long.items()}}


def left_out(facts: AuditFacts) -> str:
    """Say how many groups and metrics a page has no room for."""
    parts = [
        text.format(most=most, n=n)
        for text, n, most in (
            (GROUPS, len(facts.groups), SHOWN_GROUPS),
            (METRICS, len(_named(facts)), MOST_METRICS),
        )
        if n > most
    ]
    return ". ".join(parts)


def is_cut(facts: AuditFacts) -> bool:
    """Whether a page has no room for all."""
    return bool(left_out(facts))


def has_room(facts: AuditFacts) -> bool:
    """Whether a page has room for a picture of every metric."""
    return len(facts.groups) * len(_named(facts)) <= MOST_CELLS


def strongest(facts: AuditFacts) -> tuple[str, ...]:
    """Return the metrics, those with the smallest adjusted p-values first."""
    surest: dict[str, tuple[bool, float, float]] = {}
    for finding in _all(facts):
        found = _sure(finding)
        surest[finding.name] = min(surest.get(finding.name, found), found)
    return tuple(sorted(surest, key=lambda name: surest[name]))


def open_forests(facts: AuditFacts) -> tuple[str, ...]:
    """Return the metrics whose forests are not folded."""
    order = strongest(facts)
    differ = {one.finding.name for one in facts.differing}
    return tuple(name for name in order if name in differ)[:MOST] or order[:1]


def _groups(facts: AuditFacts) -> Sequence[AuditedGroup]:
    if len(facts.groups) <= SHOWN_GROUPS:
        return facts.groups
    surest = sorted(facts.groups, key=lambda group: min(map(_sure, group.findings)))
    n_found = sum(any(f.verdict in FOUND for f in group.findings) for group in facts.groups)
    near = min(SHOWN_GROUPS, max(n_found, SHOWN_GROUPS * 2 // 3))
    largest = sorted(surest[near:], key=lambda group: -group.table.n)
    return (*surest[:near], *largest[: SHOWN_GROUPS - near])


def _metrics(facts: AuditFacts) -> tuple[str, ...]:
    names = _named(facts)
    if len(names) <= MOST_METRICS:
        return names
    found = {f.name for f in _all(facts) if f.verdict in FOUND}
    first = [name for name in strongest(facts) if name in found]
    return (*first, *(name for name in names if name not in found))[:MOST_METRICS]


def _named(facts: AuditFacts) -> tuple[str, ...]:
    return tuple(f.name for f in facts.groups[0].findings) if facts.groups else ()


def _all(facts: AuditFacts) -> Iterable[Finding]:
    return (finding for group in facts.groups for finding in group.findings)


def _chosen(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    by_name = {finding.name: finding for finding in findings}
    return tuple(by_name[name] for name in names)


def _sure(finding: Finding) -> tuple[bool, float, float]:
    """Order findings: those that differ, then by p-value; what was not tested comes last."""
    adjusted, alone = (
        math.inf if math.isnan(p) else p for p in (finding.adjusted_p, finding.p_value)
    )
    return finding.verdict not in FOUND, adjusted, alone


def reference_of(facts: AuditedFacts) -> str:
    """Name what groups are compared with."""
    alone = {} if len(facts.group_names) != 1 else {facts.group_names[0]: facts.reference}
    return REFERENCES.get(facts.reference) or (called(alone) if alone else facts.reference)


def groups_of(facts: AuditedFacts) -> str:
    """Say how many groups there are, and what they are compared with."""
    said = f"{len(facts.groups):,}, compared with {reference_of(facts)}"
    if not facts.pooled:
        return said
    more = len(facts.pooled) - LISTED
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{said}, together {', '.join(facts.pooled[:LISTED])}{rest}"
