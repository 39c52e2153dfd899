"""An audit of several classes as a sheet: groups by averages, classes by groups, every test."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts import AuditedGroup, AverageFinding, ClassAuditFacts, Finding, GapFact
from baserate.facts.audit import shade_of
from baserate.report import class_audit_words as words
from baserate.report.audit_matrix import MARKS, SHADES, SMALL, WAYS
from baserate.report.audit_shown import MOST_GROUPS
from baserate.report.audit_words import called, label_of, reference_of
from baserate.report.methods import Statement, for_paper
from baserate.report.pictures import UNDRAWN, Drawn, captioned
from baserate.report.sheet import Cell, Grid, Part, Remarks, Sheet, render_sheet, shows_details
from baserate.report.unverified import unverified
from baserate.report.words import sentence_case, spoken

MOST = 40  # rows of a table
ACROSS = 8  # groups, or classes, side by side
NEAREST = 12  # groups and classes in a list, where both are many
GAPS = 10  # gaps of classes in a table
MORE = (
    "Every p-value, interval and gap that would go unseen: --details (details=True), or the JSON."
)
LARGEST = (
    "The largest of many gaps is large by luck too, and its interval does not allow for that: "
    "trust the marks above."
)
MEANT = {
    "higher": "↑ higher than {other} by more than luck",
    "lower": "↓ lower than {other} by more than luck",
    "too_small": "? too small to tell a gap of {gap}",
    "unresolved": "? no difference seen; what would go unseen is not known",
    "untested": "· not tested",
    "undefined": f"{figures.NOTHING} undefined",
    "consistent": "unmarked: consistent with {other}",
}
READING = {
    "Reference": "what {other} has; of all classes together, what it would have with as many cases "
    "of each class as the group; its own score stands beside it",
    "Difference": "of the two own scores, and its interval",
    "Adjusted p": "allowing for every comparison made here, over all groups, classes and metrics",
    "± (p)": "standard error of a p-value that random deals have found",
    "Unseen": "a smaller gap to {other} would go unseen more often than one time in five, all "
    "comparisons allowed for; any: every gap would",
}


class OfClass(NamedTuple):
    """One metric of one class in one group."""

    label: object
    group: AuditedGroup
    finding: Finding


def render(
    facts: ClassAuditFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    details: bool = False,
    drawn: Drawn = UNDRAWN,
) -> str:
    """Return an audit of several classes as text, JSON, Markdown or one HTML page."""
    sheet = sheet_of(facts, drawn, in_full=shows_details(format, details=details))
    return render_sheet(sheet, format, color=color, details=details)


def sheet_of(facts: ClassAuditFacts, drawn: Drawn = UNDRAWN, *, in_full: bool = True) -> Sheet:
    """Arrange the facts."""
    source = figures.label(facts.source) if facts.source else "data in memory"
    return Sheet(
        title=f"Audit of {source}",
        answer=(*unverified(facts.unverified), *words.answer(facts)),
        about=words.about(facts),
        parts=(
            *captioned(drawn),
            _averages(facts),
            *(_of_classes(facts, name) for name in parts_of(facts)),
            _gaps(facts),
            *(_detailed(facts) if in_full else ()),
        ),
        more=MORE,
        style=drawn.style,
        method=words.method(facts),
        document=facts.to_dict,
    )


def _detailed(facts: ClassAuditFacts) -> Iterator[Part]:
    """Yield what a terminal shows if asked: how to read the tests, every test, the method."""
    other = reference_of(facts)
    reading = tuple((heading, text.format(other=other)) for heading, text in READING.items())
    yield Remarks(title="How to read the tests", pairs=reading, detail=True)
    yield _tests_of_all(facts)
    yield from (_tests_of_classes(facts, name) for name in parts_of(facts))
    yield for_paper(tuple(Statement(line.rstrip(".")) for line in words.method(facts)))


def parts_of(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Return the metrics that every class has."""
    for one in facts.classes:
        for group in one.groups:
            return tuple(finding.name for finding in group.findings)
    return ()


def _averages(facts: ClassAuditFacts) -> Grid:
    """Show groups by metrics of the whole table; of many groups those that differ, then largest."""
    most = MOST if len(facts.groups) <= MOST else MOST_GROUPS  # each costs a simulation
    order = sorted(
        facts.groups,
        key=lambda g: (not any(f.differs for f in g.findings), -g.n),
    )[:most]
    shown = [group for group in facts.groups if any(group is one for one in order)]
    names = [f.name for f in facts.groups[0].findings] if facts.groups else []
    note, legend = _legend(facts, [f for group in shown for f in group.findings])
    return Grid(
        title="All classes together",
        headings=(
            ", ".join(map(figures.label, facts.group_names)) or "group",
            "n",
            *(Cell(name.replace("_", "\n", 1), page=spoken(name)) for name in names),
        ),
        rows=tuple(
            (
                label_of(group.group),
                figures.count(group.n),
                *(_cell(finding, facts.gap) for finding in group.findings),
            )
            for group in shown
        )
        if names
        else (),
        labels=1,
        note=_with_rest(note, len(shown), len(facts.groups), "groups", "the largest"),
        legend=legend,
    )


def _of_classes(facts: ClassAuditFacts, name: str) -> Grid:
    """Show one metric, classes by groups, or groups by classes; of many, the surest pairs."""
    title = f"{sentence_case(spoken(name))} of each class"
    if len(facts.groups) > ACROSS:
        few = len(facts.classes) <= ACROSS
        return _by_group(facts, name, title) if few else _listed(facts, name, title)
    pairs = [list(_of_class(facts, i, name)) for i in range(len(facts.classes))]
    near = sorted(pairs, key=lambda row: min((_least(one.finding) for one in row), default=9.0))
    shown = [row for row in pairs if any(row is one for one in near[:MOST])]
    note, legend = _legend(facts, [one.finding for row in shown for one in row])
    heads = tuple(called(group.group) for group in facts.groups)
    return Grid(
        title=title,
        headings=("class", "cases", *heads),
        rows=tuple(
            (
                figures.quoted(row[0].label),
                figures.count(facts.table.one_vs_rest(row[0].label).n_positive),
                *(_cell(one.finding, facts.gap) for one in row),
            )
            for row in shown
        ),
        labels=1,
        note=_with_rest(note, len(shown), len(pairs), "classes"),
        legend=legend,
    )


def _by_group(facts: ClassAuditFacts, name: str, title: str) -> Grid:
    """Show one metric, groups by classes; of many groups those with the smallest p-values."""
    columns = [list(_of_class(facts, i, name)) for i in range(len(facts.classes))]
    rows = [*zip(*columns, strict=True)]
    near = sorted(rows, key=lambda row: min(_least(one.finding) for one in row))[:MOST]
    shown = [row for row in rows if any(row is one for one in near)]
    note, legend = _legend(facts, [one.finding for row in shown for one in row])
    return Grid(
        title=title,
        headings=(
            ", ".join(map(figures.label, facts.group_names)) or "group",
            *(figures.quoted(one.label) for one in facts.classes),
        ),
        rows=tuple(
            (label_of(row[0].group.group), *(_cell(one.finding, facts.gap) for one in row))
            for row in shown
        ),
        labels=1,
        note=_with_rest(note, len(shown), len(rows), "groups"),
        legend=legend,
    )


def _listed(facts: ClassAuditFacts, name: str, title: str) -> Grid:
    """List the groups and classes whose p-values are smallest."""
    every = [one for i in range(len(facts.classes)) for one in _of_class(facts, i, name)]
    shown = sorted(every, key=lambda one: _least(one.finding))[:NEAREST]
    note, legend = _legend(facts, [one.finding for one in shown])
    return Grid(
        title=title,
        headings=("group", "class", "cases", "value", "reference", "adjusted p"),
        rows=tuple(
            (
                called(one.group.group),
                figures.quoted(one.label),
                figures.count(one.group.table.n_positive),
                _cell(one.finding, facts.gap),
                figures.or_nothing(one.finding.reference),
                _p(one.finding.adjusted_p),
            )
            for one in shown
        ),
        labels=2,
        note=_with_rest(note, len(shown), len(every), "groups within a class"),
        legend=legend,
    )


def _of_class(facts: ClassAuditFacts, place: int, name: str) -> Iterator[OfClass]:
    one = facts.classes[place]
    for group in one.groups:
        finding = next(f for f in group.findings if f.name == name)
        yield OfClass(one.label, group, finding)


def _least(finding: Finding) -> float:
    return 2.0 if math.isnan(finding.p_value) else finding.p_value


def _with_rest(
    note: str, shown: int, all_of_them: int, what: str, then: str = "those nearest to it"
) -> Cell:
    """Add how many rows there is no room for, which a page says too."""
    if shown == all_of_them:
        return Cell(note, page=" ")
    cut = f"{shown} of {all_of_them:,} {what}, those that differ, then {then}; "
    cut += "the JSON has all."
    return Cell(f"{note} {cut}".strip(), page=cut)


def _legend(
    facts: ClassAuditFacts, findings: list[AverageFinding] | list[Finding]
) -> tuple[str, tuple[Cell, ...]]:
    """Return what the marks mean that occur, as a line and as keys."""
    said = {"other": reference_of(facts), "gap": figures.short(facts.gap)}
    seen = {finding.verdict for finding in findings}
    keys = tuple(
        Cell(text.format(**said), verdict="" if verdict in WAYS else verdict)
        for verdict, text in MEANT.items()
        if verdict in seen
    )
    shades = {shade_of(finding.verdict, finding.direction) for finding in findings}
    line = "; ".join(keys) + "." * bool(keys)
    beside = any(not math.isnan(getattr(finding, "unseen", math.nan)) for finding in findings)
    keys += tuple(Cell(text, verdict=shade) for shade, text in SHADES.items() if shade in shades)
    return line, (*keys, Cell(SMALL)) if beside and "too_small" in seen else keys


def _cell(finding: AverageFinding | Finding, gap: float) -> Cell:
    """Write a value with its mark; a page shows beside it what it is judged by."""
    if math.isnan(finding.value):
        return Cell(figures.NOTHING, verdict="undefined")
    beside, unseen = "", getattr(finding, "unseen", math.nan)
    if finding.verdict in {"higher", "lower"}:
        beside = f"against {figures.told_apart(finding.value, finding.reference)[1]}"
    elif finding.verdict == "too_small" and not math.isnan(unseen):
        beside = figures.told_apart(unseen, gap)[0] if math.isfinite(unseen) else "any"
    mark = MARKS.get(finding.verdict, "")
    shade = shade_of(finding.verdict, finding.direction)
    return Cell(f"{mark}{figures.short(finding.value)}", note=beside, verdict=shade)


def _gaps(facts: ClassAuditFacts) -> Grid:
    """Show the largest gaps: of every average, and of the classes where groups are furthest."""
    of_classes = [(one.label, gap) for one in facts.classes for gap in one.gaps]
    far = sorted(
        (pair for pair in of_classes if not math.isnan(pair[1].difference)),
        key=lambda pair: -pair[1].difference,
    )
    rows = [_gap(spoken(gap.name), gap) for gap in facts.gaps]
    rows += [_gap(f"{spoken(gap.name)} of {figures.quoted(x)}", gap) for x, gap in far[:GAPS]]
    more = f" {len(far) - GAPS:,} smaller ones of classes are in the JSON." if far[GAPS:] else ""
    return Grid(
        title="Largest gaps between groups",
        headings=("metric", "highest", "lowest", "gap", "interval"),
        rows=tuple(rows),
        labels=3,
        note=f"{LARGEST}{more}",
    )


def _gap(name: str, gap: GapFact) -> tuple[str, ...]:
    ends = (called(g) if g else figures.NOTHING for g in (gap.largest, gap.smallest))
    return (name, *ends, figures.or_nothing(gap.difference), figures.interval(gap.low, gap.high))


def _tests_of_all(facts: ClassAuditFacts) -> Grid:
    """Show every test of a metric of all classes; of many, those with the smallest p-values."""
    every = [(group, f) for group in facts.groups for f in group.findings]
    order = sorted(every, key=lambda p: 2.0 if math.isnan(p[1].p_value) else p[1].p_value)[:MOST]
    return Grid(
        title="Tests of all classes together",
        headings=(
            "group",
            "metric",
            "value",
            "interval",
            "reference",
            "own",
            "difference",
            "interval",
            "p",
            "± (p)",
            "adjusted p",
            "verdict",
        ),
        rows=tuple(
            (
                label_of(group.group),
                spoken(f.name),
                figures.or_nothing(f.value),
                figures.interval(f.low, f.high),
                figures.or_nothing(f.reference),
                figures.or_nothing(f.reference_value),
                figures.or_nothing(f.difference),
                figures.interval(f.difference_low, f.difference_high),
                _p(f.p_value),
                "" if not f.p_error else figures.or_nothing(f.p_error),
                _p(f.adjusted_p),
                words.verdict(facts, f),
            )
            for group, f in order
        ),
        labels=2,
        sentence=True,
        detail=True,
        note=_left(len(order), len(every)),
    )


def _tests_of_classes(facts: ClassAuditFacts, name: str) -> Grid:
    every = [one for i in range(len(facts.classes)) for one in _of_class(facts, i, name)]
    shown = sorted(every, key=lambda one: _least(one.finding))[:MOST]
    return Grid(
        title=f"Tests of {spoken(name)}",
        headings=(
            "group",
            "class",
            "cases",
            "value",
            "interval",
            "reference",
            "p",
            "adjusted p",
            "unseen",
            "verdict",
        ),
        rows=tuple(
            (
                label_of(group.group),
                figures.quoted(label),
                figures.count(group.table.n_positive),
                figures.or_nothing(f.value),
                figures.interval(f.low, f.high),
                figures.or_nothing(f.reference),
                _p(f.p_value),
                _p(f.adjusted_p),
                "any" if math.isinf(f.unseen) else figures.or_nothing(f.unseen),
                words.verdict(facts, f),
            )
            for label, group, f in shown
        ),
        labels=2,
        sentence=True,
        detail=True,
        note=_left(len(shown), len(every)),
    )


def _left(shown: int, all_of_them: int) -> str:
    if shown == all_of_them:
        return ""
    return f"The {shown} with the smallest p-values; {all_of_them - shown:,} more are in the JSON."


def _p(p: float) -> str:
    return figures.NOTHING if math.isnan(p) else figures.p_value(p)
