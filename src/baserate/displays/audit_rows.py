"""Rows of a forest plot of an audit: groups, or of several classes also classes within groups."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from math import inf, isnan, nan
from typing import Any

from baserate._figures import as_text, count, joined, sentence_case, spoken
from baserate.displays.forest_plot import ForestRow
from baserate.displays.forest_rows import (
    WEIGHT_OF_CLASS,
    ForestRows,
    Share,
    briefly,
    said,
    share_of,
    told_of,
)
from baserate.errors import InvalidArgumentError
from baserate.facts.audit import (
    REFERENCES,
    AuditedFacts,
    AuditedGroup,
    AuditFacts,
    AveragedGroup,
    AverageFinding,
    ClassAuditFacts,
    Finding,
    GroupOfCases,
    shade_of,
)

FOUND = {"lower", "higher"}


@singledispatch
def rows_of_audit(facts: AuditFacts, metric: str, most: int) -> ForestRows:  # noqa: ARG001
    """Return the rows of one metric of an audit; `most` that fit, where more would cost."""
    names = list(dict.fromkeys(f.name for g in facts.groups for f in g.findings))
    found = [(g, f) for g in facts.groups for f in g.findings if f.name == metric]
    if not found:
        raise _unknown(metric, names)
    bounds = next((f.bounds for _, f in found if f.bounds is not None), (-inf, inf))
    called = REFERENCES.get(facts.reference, facts.reference)
    weighed = facts.effective_n is not None
    rows = tuple(
        replace(audited_row(group, finding, weighed=weighed), name=_name(facts, group))
        for group, finding in found
    )
    return ForestRows(rows, bounds, called, "weight, positive" if weighed else told_of(metric))


def audited_row(group: AuditedGroup, finding: Finding, *, weighed: bool = False) -> ForestRow:
    """Return the row of one group, by one metric."""
    table = group.table
    share = Share(float(table.n_positive), table.n) if weighed else share_of(finding.name, table)
    return ForestRow(
        name=joined(group.group.values()),
        value=finding.value,
        low=finding.low,
        high=finding.high,
        **share._asdict(),
        smoothed=finding.smoothed,
        reference=finding.reference,
        unseen_low=finding.reference - finding.unseen,
        unseen_high=finding.reference + finding.unseen,
        differs=finding.verdict in {"lower", "higher"},
        shade=finding.shade,
        verdict=said(finding.verdict, finding.adjusted_p, finding.unseen),
        reason=briefly(finding.reason),
    )


def _unknown(metric: str, names: Iterable[str]) -> InvalidArgumentError:
    rule = f"must be one of the audit's, {', '.join(names)}"
    return InvalidArgumentError.from_rule("metric", rule, metric, "name one of these")


@rows_of_audit.register
def _rows_of_several(facts: ClassAuditFacts, metric: str, most: int) -> ForestRows:
    """Return a row per group for a metric of the whole table, else one per class and group.

    Of more than fit, those that differ, then those with the smallest p-values, in their order. The
    intervals of the others are not asked for.
    """
    found: list[tuple[Any, Callable[[], ForestRow]]] = [
        (f, lambda group=group, f=f: _average(_name(facts, group), group, f))
        for group in facts.groups
        for f in group.findings
        if f.name == metric
    ]
    of_classes = not found
    found = found or [
        (f, lambda one=one, group=group, f=f: _of_class(facts, one.label, group, f))
        for one in facts.classes
        for group in one.groups
        for f in group.findings
        if f.name == metric
    ]
    if not found:
        raise _unknown(metric, _names(facts))
    findings = [finding for finding, _ in found]
    kept = nearest([_rank(f) for f in findings], most)
    rows = tuple(found[i][1]() for i in kept)
    shades = [row.shade for row in rows]
    if len(rows) < len(found):
        shades = [shade_of(_told(f), f.direction) for f in findings]
    called, name = REFERENCES.get(facts.reference, facts.reference), sentence_case(spoken(metric))
    if of_classes:
        title = finding_of(f"{name} of each class", called, shades, "groups within a class")
    else:
        title = finding_of(name, called, shades)
    if len(rows) < len(found):
        title = f"{title}; {count(len(found) - len(rows))} not shown"
    bounds = next((f.bounds for f in findings if f.bounds is not None), (-inf, inf))
    told = told_of(metric) if of_classes else "cases"
    if facts.effective_n is not None:
        told = WEIGHT_OF_CLASS if of_classes else "weight"
    return ForestRows(rows, bounds, called, told, title)


def finding_of(whole: str, called: str, shades: Sequence[str], what: str = "groups") -> str:
    """Return how many rows differ, and how many show neither that they do nor that they do not."""
    n, differ = len(shades), sum(shade in {"worse", "better", "apart"} for shade in shades)
    every = f"{count(n)} {what if n != 1 else what.replace('groups', 'group')}"
    small, untested = shades.count("too_small"), sum(s in {"untested", "undefined"} for s in shades)
    if n and untested == n:
        return f"{whole}: {every}, not tested against {called}"
    if small and small + untested == n:
        so = "are too small to show how they differ" if n > 1 else "is too small to show a gap"
        return f"{whole}: cannot tell, {every} {so} from {called}"
    found = f"{whole}: no difference from {called} seen in {every}"
    if differ:
        found = f"{whole}: {count(differ)} of {every} differ{'s' * (differ == 1)} from {called}"
    others = {"too small to tell": small, "not tested": untested}
    return ", ".join([found, *(f"{count(k)} {told}" for told, k in others.items() if k)])


def nearest(ranks: Sequence[Any], most: int) -> list[int]:
    """Return the places of the smallest ranks, in their order."""
    return sorted(sorted(range(len(ranks)), key=ranks.__getitem__)[:most])


def _names(facts: ClassAuditFacts) -> list[str]:
    every = [*facts.groups, *(group for one in facts.classes for group in one.groups)]
    return list(dict.fromkeys(f.name for group in every for f in group.findings))


def _told(finding: Any) -> str:
    """Return the verdict, of an average as far as it is known without its interval."""
    return (finding.tested or "") if isinstance(finding, AverageFinding) else finding.verdict


def _rank(finding: Any) -> tuple[int, float]:
    p = finding.p_value
    return (0 if _told(finding) in FOUND else 1, 2.0 if isnan(p) else p)


def _name(facts: AuditedFacts, group: GroupOfCases) -> str:
    """Name a group by its labels, and one of fewer columns by these too."""
    if len(group.group) == len(facts.group_names):
        return joined(group.group.values())
    return joined(f"{as_text(name)} {as_text(label)}" for name, label in group.group.items())


def _average(name: str, group: AveragedGroup, finding: AverageFinding) -> ForestRow:
    widest = max(-finding.difference_low, finding.difference_high)
    return ForestRow(
        name=name,
        value=finding.value,
        low=finding.low,
        high=finding.high,
        n=group.n,
        reference=finding.reference,
        differs=finding.differs,
        shade=shade_of(finding.verdict, finding.direction),
        verdict=said(finding.verdict, finding.adjusted_p, widest),
        reason=briefly(finding.reason),
    )


def _of_class(facts: ClassAuditFacts, label: Any, group: Any, finding: Any) -> ForestRow:
    row = audited_row(group, finding)
    if facts.effective_n is not None:
        row = replace(row, events=nan, n=group.table.n_positive)
    return replace(row, name=f"{as_text(label)}, {_name(facts, group)}")
