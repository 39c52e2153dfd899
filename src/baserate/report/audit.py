"""An audit as a sheet: groups by metrics, the gaps that would show, every test."""

import math
from collections.abc import Callable
from dataclasses import replace

from baserate import _figures as figures
from baserate.facts import AuditedGroup, AuditFacts, Finding, GapFact
from baserate.report.audit_words import (
    answer,
    label_of,
    method,
    on_smoothing,
    reference_of,
    verdict,
)
from baserate.report.catalogue import plain_name, short_name
from baserate.report.sheet import Bar, Grid, Remarks, Sheet, render_sheet
from baserate.report.words import sentence_case, spoken

COLUMNS = ("n", "value", "smoothed", "reference", "own", "percentile", "p", "adjusted p", "verdict")
# What a value in the matrix is marked with, and what that means.
MARKS = {"higher": "↑", "lower": "↓", "too_small": "?", "unresolved": "?", "untested": "·"}
MEANT = {
    "↑": "higher than {other} by more than luck",
    "↓": "lower than {other} by more than luck",
    "?": "too small to tell",
    "·": "not tested",
    figures.NOTHING: "undefined",
}
READING = (
    "Reference: where class totals are held fixed, what the reference would score with the group's "
    "own positives and negatives; its own score stands beside it. Percentile: how often a group of "
    "that size would score at most this by luck. Adjusted p: allowing for every comparison made "
    "here."
)
SHOWN = (
    "A smaller gap to {others} would go unseen more often than one time in five, all comparisons "
    "allowed for. any: every gap would, down to the score of guessing."
)
JUDGED = (
    "A score that depends on the base rate is judged by what {other} would have with the group's "
    "own positives and negatives"
)
MORE = (
    "Every p-value, interval and smoothed value: --details (details=True), or the JSON, Markdown "
    "and HTML reports."
)
LARGEST = (
    "The largest of many gaps is large by luck too, and its interval does not allow for that: "
    "trust the marks above."
)
HELD = {
    "none": "nothing held fixed",
    "denominator": "given how many cases of its class the group has",
    "classes": "given the group's own positives and negatives",
}


def render_audit(
    facts: AuditFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    details: bool = False,
) -> str:
    """Return an audit as text, JSON, Markdown or one HTML page; as text, details if asked for."""
    return render_sheet(_sheet(facts), format, color=color, details=details)


def _sheet(facts: AuditFacts) -> Sheet:
    return Sheet(
        title=f"Audit of {figures.label(facts.source) if facts.source else 'data in memory'}",
        answer=answer(facts),
        about=_about(facts),
        parts=(
            _matrix(facts),
            _unseen(facts),
            _gaps(facts.gaps),
            Remarks(title="Left out of gaps, since undefined", pairs=_left_out(facts.gaps)),
            _findings(facts),
            Remarks(title="What was tested", pairs=_nulls(facts)),
            Remarks(title="Smoothing", pairs=_smoothing(facts), detail=True),
        ),
        more=MORE,
        method=method(facts),
        document=facts.to_dict(),
    )


def _matrix(facts: AuditFacts) -> Grid:
    """Return values, groups by metrics, marked where more can be said than that they agree."""
    seen = [mark for g in facts.groups for f in g.findings if (mark := _mark(f))]
    meant = {mark: MEANT[mark].format(other=reference_of(facts)) for mark in MEANT if mark in seen}
    if any(f.verdict == "consistent" for g in facts.groups for f in g.findings):
        meant["unmarked:"] = f"consistent with {reference_of(facts)}"
    marks = "; ".join(f"{mark} {text}" for mark, text in meant.items())
    placed = any(finding.condition == "classes" for _, finding in facts.differing)
    judged = JUDGED.format(other=reference_of(facts)) if placed else ""
    return _crossed(facts, "Groups", _marked, note=_sentences(marks, judged, _names(facts)))


def _unseen(facts: AuditFacts) -> Grid:
    """Return the smallest gap that each group would show."""
    known = any(not math.isnan(f.unseen) for g in facts.groups for f in g.findings)
    others = "all others" if facts.reference == "overall" else reference_of(facts)
    note = SHOWN.format(others=others)
    grid = _crossed(facts, "Smallest gap that would show", _least, note=note)
    return grid if known else replace(grid, rows=())


def _crossed(facts: AuditFacts, title: str, cell: Callable[[Finding], str], *, note: str) -> Grid:
    metrics = [f.name for f in facts.groups[0].findings] if facts.groups else []
    named = ", ".join(map(figures.label, facts.group_names)) or "group"
    return Grid(
        title=title,
        headings=(named, "n", *map(short_name, metrics)),
        rows=tuple(
            (label_of(g.group), figures.count(g.table.n), *map(cell, g.findings))
            for g in facts.groups
        ),
        labels=1,
        note=note,
    )


def _mark(finding: Finding) -> str:
    return figures.NOTHING if math.isnan(finding.value) else MARKS.get(finding.verdict, "")


def _marked(finding: Finding) -> str:
    if math.isnan(finding.value):
        return figures.NOTHING
    return f"{_mark(finding)}{figures.short(finding.value)}"


def _least(finding: Finding) -> str:
    if math.isnan(finding.unseen):
        return figures.NOTHING
    return "any" if math.isinf(finding.unseen) else figures.short(finding.unseen)


def _names(facts: AuditFacts) -> str:
    """Say in full what the headings of a matrix shorten."""
    found = [f.name for f in facts.groups[0].findings] if facts.groups else []
    short = {name: short_name(name) for name in found}
    return ", ".join(f"{s}: {spoken(name)}" for name, s in short.items() if s != plain_name(name))


def _sentences(*parts: str) -> str:
    return " ".join(f"{part}." for part in parts if part)


def _findings(facts: AuditFacts) -> Grid:
    pairs = [(group, finding) for group in facts.groups for finding in group.findings]
    names = tuple(map(figures.label, facts.group_names)) or ("group",)
    return Grid(
        title="Details",
        headings=(*names, "metric", *COLUMNS),
        rows=tuple(_row(facts, group, finding) for group, finding in pairs),
        labels=len(names) + 1,
        note=READING,
        bars=tuple(_bar(finding) for _, finding in pairs),
        mark="reference",
        sentence=True,
        detail=True,
    )


def _row(facts: AuditFacts, group: AuditedGroup, finding: Finding) -> tuple[str, ...]:
    percentile = finding.percentile
    return (
        *map(figures.label, group.group.values()),
        plain_name(finding.name),
        figures.count(group.table.n),
        figures.number(finding.value),
        figures.or_nothing(finding.smoothed),
        figures.or_nothing(finding.reference),
        figures.or_nothing(finding.reference_value),
        figures.NOTHING if math.isnan(percentile) else figures.percent(percentile),
        figures.p_value(finding.p_value),
        figures.p_value(finding.adjusted_p),
        verdict(facts, finding),
    )


def _bar(finding: Finding) -> Bar | None:
    interval = figures.interval(finding.low, finding.high)
    reference = figures.number(finding.reference)
    words = f"{figures.number(finding.value)}, interval {interval}, reference {reference}"
    ends = finding.low, finding.high
    return Bar.of(finding.value, *ends, finding.reference, bounds=finding.bounds, words=words)


def _gaps(gaps: tuple[GapFact, ...]) -> Grid:
    return Grid(
        title="Largest gaps between groups",
        headings=("metric", "highest", "lowest", "gap", "interval"),
        rows=tuple(_gap(gap) for gap in gaps),
        labels=3,
        note=LARGEST,
    )


def _gap(gap: GapFact) -> tuple[str, ...]:
    ends = (label_of(g) if g else figures.NOTHING for g in (gap.largest, gap.smallest))
    interval = figures.interval(gap.low, gap.high)
    return (plain_name(gap.name), *ends, figures.number(gap.difference), interval)


def _left_out(gaps: tuple[GapFact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            sentence_case(spoken(gap.name)),
            "; ".join(f"{label_of(group)} ({reason})" for group, reason in gap.undefined),
        )
        for gap in gaps
        if gap.undefined
    )


def _nulls(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Return what was held fixed for which metrics."""
    held: dict[str, list[str]] = {}
    for group in facts.groups:
        for finding in group.findings:
            names = held.setdefault(HELD.get(finding.condition, ""), [])
            if finding.condition and spoken(finding.name) not in names:
                names.append(spoken(finding.name))
    return tuple((", ".join(names), text) for text, names in held.items() if names)


def _smoothing(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    found = ((label_of(g.group), g.smoothing) for g in facts.groups)
    return tuple((where, on_smoothing(fact, facts.strength)) for where, fact in found if fact)


def _about(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    t, show = facts.table, figures.count
    rows = "row" if facts.missing == 1 else "rows"
    missing = f"; {show(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    cases = f"{show(t.n)}: {show(t.n_positive)} positive, {show(t.n_negative)} negative{missing}"
    lines = (
        ("Positive", figures.quoted(facts.positive)),
        ("Cases", cases),
        ("Groups", f"{len(facts.groups):,}, compared with {reference_of(facts)}"),
        ("Truth", figures.quoted(facts.target) if facts.target else ""),
        ("Prediction", _prediction(facts)),
        ("Base rate", "" if facts.base_rate is None else f"restated at {facts.base_rate:g}"),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _prediction(facts: AuditFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        return f"positive where {figures.quoted(facts.score)} is {facts.threshold:g} or more"
    return figures.quoted(facts.prediction) if facts.prediction else ""
