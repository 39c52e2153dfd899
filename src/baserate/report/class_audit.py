"""An audit of several classes as a sheet: groups by averages, classes by groups, every test."""

import math
from collections.abc import Iterator
from functools import partial

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.audit import ClassAuditFacts, Finding
from baserate.report import audit_matrix as matrix
from baserate.report import class_audit_words as words
from baserate.report.audit_shown import SHOWN_GROUPS, reference_of
from baserate.report.audit_words import how, verdict
from baserate.report.columns import Column, each, grid, text
from baserate.report.methods import for_paper, sentences
from baserate.report.opening import UNDRAWN, Pictures, captioned, opened
from baserate.report.sheet import Cell, Grid, Part, Remarks, Sheet
from baserate.report.words import called, foremost, label_of, size_heading

MOST = 40  # rows of a table
ACROSS = 8  # groups, or classes, side by side
NEAREST = 12  # groups and classes in a list, where both are many
GAPS = 10  # gaps of classes in a table
READING = {
    "Reference": "what {other} has; of all classes together, what it would have with as many cases "
    "of each class as the group; its own score stands beside it",
    "Difference": "value less reference, and its interval: both of the same kind as p",
    "Adjusted p": "allowing for every comparison made here, over all groups, classes and metrics",
    "± (p)": "standard error of a p-value that random deals have found",
    "Unseen": "a smaller gap to {other} would go unseen more often than one time in five, all "
    "comparisons allowed for; any: every gap would",
}
VALUE = (
    text("value", "finding.value", figures.or_nothing),
    text("interval", ("finding.low", "finding.high"), figures.interval),
    text("reference", "finding.reference", figures.or_nothing),
)
P = text("p", "finding.p_value", figures.p_value)
ADJUSTED = text("adjusted p", "finding.adjusted_p", figures.p_value)


def sheet_of(facts: ClassAuditFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True) -> Sheet:
    """Arrange the facts."""
    return opened(
        "Audit",
        facts,
        drawn,
        answer=words.answer(facts),
        about=words.about(facts),
        parts=(
            *captioned(drawn),
            _averages(facts),
            *(_of_classes(facts, name) for name in parts_of(facts)),
            *_gaps(facts),
            *(_detailed(facts) if in_full else ()),
        ),
        more=("every p-value", "gaps that would go unseen", "methods"),
        how=how(facts),
        method=words.method(facts),
    )


def _detailed(facts: ClassAuditFacts) -> Iterator[Part]:
    other = reference_of(facts)
    reading = tuple((heading, text.format(other=other)) for heading, text in READING.items())
    yield Remarks("How to read the tests", reading, detail=True)
    yield _tests_of_all(facts)
    yield from (_tests_of_classes(facts, name) for name in parts_of(facts))
    yield for_paper(sentences(words.method(facts)))


def parts_of(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Return the metrics that every class has."""
    for one in facts.classes:
        for group in one.groups:
            return tuple(finding.name for finding in group.findings)
    return ()


def _averages(facts: ClassAuditFacts) -> Grid:
    most = MOST if len(facts.groups) <= MOST else SHOWN_GROUPS  # each costs a simulation
    shown = foremost(facts.groups, most, lambda g: (not any(f.differs for f in g.findings), -g.n))
    names = [f.name for f in facts.groups[0].findings] if facts.groups else []
    legend = matrix.legend_of(facts, [f for group in shown for f in group.findings])
    return grid(
        "What decisions earn" if facts.decisions else "All classes together",
        shown if names else (),
        *matrix.groups_of(facts),
        *each(
            (
                Cell(spoken(name) if "[" in name else name.replace("_", "\n", 1), page=spoken(name))
                for name in names
            ),
            "findings",
            matrix.marked,
        ),
        note=_note(legend, len(shown), len(facts.groups), "groups", "the largest"),
        legend=legend,
    )


def _of_classes(facts: ClassAuditFacts, name: str) -> Grid:
    title = f"{sentence_case(spoken(name))} of each class"
    by_group = len(facts.groups) > ACROSS
    if by_group and len(facts.classes) > ACROSS:
        return _listed(facts, name, title)
    rows = [tuple(_of_class(facts, i, name)) for i in range(len(facts.classes))]
    rows = [*zip(*rows, strict=True)] if by_group else rows
    shown = foremost(rows, MOST, lambda row: min((_least(one.finding) for one in row), default=9.0))
    legend = matrix.legend_of(facts, [one.finding for row in shown for one in row])
    of_classes = (figures.quoted(one.label) for one in facts.classes)
    of_groups = (called(group.group) for group in facts.groups)
    return grid(
        title,
        shown,
        by_group and Column(matrix.group_heading(facts), lambda row: label_of(row[0].group.group)),
        not by_group and Column("class", lambda row: figures.quoted(row[0].label)),
        not by_group and Column(size_heading(facts), partial(_cases, facts)),
        *each(of_classes if by_group else of_groups, tuple, _marked),
        note=_note(legend, len(shown), len(rows), "groups" if by_group else "classes"),
        legend=legend,
    )


def _cases(facts: ClassAuditFacts, row: tuple[matrix.TestedGroup, ...]) -> str:
    return figures.count(facts.table.one_vs_rest(row[0].label).n_positive)


def _marked(one: matrix.TestedGroup) -> Cell:
    return matrix.marked(one.finding)


def _listed(facts: ClassAuditFacts, name: str, title: str) -> Grid:
    every = [one for i in range(len(facts.classes)) for one in _of_class(facts, i, name)]
    shown = sorted(every, key=lambda one: _least(one.finding))[:NEAREST]
    legend = matrix.legend_of(facts, [one.finding for one in shown])
    return grid(
        title,
        shown,
        text("group", "group.group", called),
        text("class", "label", figures.quoted),
        text(size_heading(facts), "group.table.n_positive", figures.count),
        Column("value", _marked),
        text("reference", "finding.reference", figures.or_nothing),
        text("adjusted p", "finding.adjusted_p", figures.p_value),
        labels=2,
        note=_note(legend, len(shown), len(every), "groups within a class"),
        legend=legend,
    )


def _of_class(facts: ClassAuditFacts, place: int, name: str) -> Iterator[matrix.TestedGroup]:
    one = facts.classes[place]
    for group in one.groups:
        finding = next(f for f in group.findings if f.name == name)
        yield matrix.TestedGroup(group, finding, one.label)


def _least(finding: Finding) -> float:
    return 2.0 if math.isnan(finding.p_value) else finding.p_value


def _note(
    legend: tuple[Cell, ...], shown: int, every: int, what: str, then: str = "those nearest to it"
) -> Cell:
    """Say what the marks mean, and how many rows there is no room for, which a page says too."""
    line = matrix.in_words(legend)
    note = line + "." * bool(line)
    if shown == every:
        return Cell(note, page=" ")
    cut = f"{shown} of {every:,} {what}, those that differ, then {then}; the JSON has all."
    return Cell(f"{note} {cut}".strip(), page=cut)


def _gaps(facts: ClassAuditFacts) -> tuple[Grid, Remarks]:
    of_classes = [(one.label, gap) for one in facts.classes for gap in one.gaps]
    far = sorted(
        (pair for pair in of_classes if not math.isnan(pair[1].difference)),
        key=lambda pair: -pair[1].difference,
    )
    rows = [(spoken(gap.name), gap) for gap in facts.gaps]
    rows += [(f"{spoken(gap.name)} of {figures.quoted(x)}", gap) for x, gap in far[:GAPS]]
    more = f" {len(far) - GAPS:,} smaller ones of classes are in the JSON." if far[GAPS:] else ""
    return matrix.largest_gaps(facts, rows, figures.or_nothing, more), matrix.too_small(rows)


def _tests_of_all(facts: ClassAuditFacts) -> Grid:
    every = [
        matrix.TestedGroup(group, finding) for group in facts.groups for finding in group.findings
    ]
    return _tests(
        facts,
        "Tests of all classes together",
        every,
        text("metric", "finding.name", spoken),
        *VALUE,
        text("own", "finding.reference_value", figures.or_nothing),
        text("difference", "finding.difference", figures.or_nothing),
        text("interval", ("finding.difference_low", "finding.difference_high"), figures.interval),
        P,
        text(
            "± (p)",
            "finding.p_error",
            lambda p_error: figures.or_nothing(p_error) if p_error else "",
        ),
        ADJUSTED,
    )


def _tests_of_classes(facts: ClassAuditFacts, name: str) -> Grid:
    every = [one for i in range(len(facts.classes)) for one in _of_class(facts, i, name)]
    return _tests(
        facts,
        f"Tests of {spoken(name)}",
        every,
        text("class", "label", figures.quoted),
        text(size_heading(facts), "group.table.n_positive", figures.count),
        *VALUE,
        P,
        ADJUSTED,
        text(
            "unseen",
            "finding.unseen",
            lambda gap: "any" if math.isinf(gap) else figures.or_nothing(gap),
        ),
    )


def _tests(
    facts: ClassAuditFacts, title: str, every: list[matrix.TestedGroup], *columns: Column
) -> Grid:
    shown = sorted(every, key=lambda one: _least(one.finding))[:MOST]
    left = len(every) - len(shown)
    return grid(
        title,
        shown,
        text("group", "group.group", label_of),
        *columns,
        Column("verdict", lambda one: verdict(facts, one.finding)),
        labels=2,
        sentence=True,
        detail=True,
        note=f"The {MOST} with the smallest p-values; {left:,} more are in the JSON." * bool(left),
    )
