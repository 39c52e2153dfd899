"""Groups by metrics at a glance: each value with the sign and the colour of its verdict."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.audit import (
    REFERENCES,
    AuditedFacts,
    AuditedGroup,
    AuditFacts,
    AverageFinding,
    Finding,
    GapFact,
    GroupOfCases,
    RatioFact,
    shade_of,
)
from baserate.report.audit_shown import reference_of
from baserate.report.audit_words import cases_of, gap_in_words
from baserate.report.columns import Column, each, grid, text
from baserate.report.fairness import SELECTED, below_four_fifths
from baserate.report.sheet import Cell, Grid, Remarks
from baserate.report.words import called, first_of, label_of, plain_name, short_name, sides_of

# What a value in the matrix is marked with, and what that means.
FEW = 6  # groups that one line names
MARKS = {"higher": "↑", "lower": "↓", "too_small": "?", "unresolved": "?", "untested": "·"}
MEANT = {
    "higher": "↑ higher than {other} by more than luck",
    "lower": "↓ lower than {other} by more than luck",
    "too_small": "? too few cases to tell a gap of {gap}",
    "unresolved": "? no difference seen; what would go unseen is not known",
    "untested": "· not tested",
    "undefined": f"{figures.NOTHING} undefined",
    "consistent": "unmarked: consistent with {other}",
}
WAYS = {"higher", "lower"}
# What colours say on a page: whom a difference harms, by the metric's direction.
SHADES = {
    "worse": "worse for the group",
    "better": "better for the group",
    "apart": "neither better nor worse",
}
SMALL = "small number: the gap up to which a difference would go unseen"
JUDGED = (
    "A score that depends on the base rate is judged by what {other} would have with the group's "
    "own positives and negatives"
)
LARGEST = (
    "The largest of many gaps is large by luck too, and its interval does not allow for that: "
    "trust the marks above."
)


class TestedGroup(NamedTuple):
    """One metric in one group: of one class, or of all of them together."""

    group: Any
    finding: Any
    label: object = None


def matrix_of(facts: AuditFacts, absent: str) -> Grid:
    """Return values, groups by metrics, marked where more can be said than that they agree.

    `absent` says what there is no room for.
    """
    metrics = [f.name for f in facts.groups[0].findings] if facts.groups else []
    placed = any(one.finding.condition == "classes" for one in facts.differing)
    judged = JUDGED.format(other=reference_of(facts)) if placed else ""
    keys = legend_of(facts, [finding for group in facts.groups for finding in group.findings])
    note = _sentences(in_words(keys), judged, absent, _names(metrics))
    return grid(
        "Groups",
        facts.groups,
        *groups_of(facts),
        *_of_how_many(facts, metrics),
        *each(
            (Cell(short_name(name), page=spoken(name)) for name in metrics),
            "findings",
            marked,
        ),
        below=_reference_row(facts, metrics),
        note=Cell(note, page=_sentences(judged, absent) or " "),
        asked=facts.fairness,
        legend=tuple(sorted(keys, key=_place)),
    )


def _reference_row(facts: AuditFacts, metrics: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the row of the group that was named as the reference, below the others."""
    if facts.reference in REFERENCES or not facts.groups:
        return
    first = facts.groups[0]
    plain = facts.effective_n is None and facts.n_clusters is None
    n = figures.count(first.reference.n) if plain else ""
    some = [""] * len([*_of_how_many(facts, metrics)])
    own = [finding.reference_value for finding in first.findings]
    values = (figures.NOTHING if math.isnan(value) else figures.short(value) for value in own)
    yield (facts.reference, n, "", "", *some, *values)


def _of_how_many(facts: AuditFacts, metrics: Sequence[str]) -> Iterator[Column]:
    """Yield of how many cases the share is that alone is asked for, and how many of these count."""
    sides = sides_of(metrics[0]) if len(metrics) == 1 and facts.effective_n is None else None
    if sides is not None:
        heading = f"{short_name(metrics[0])}: cases"

        def counted(one: AuditedGroup) -> str:
            some, others = (sum(getattr(one.table, cell) for cell in side) for side in sides)
            return f"{figures.count(some)} of {figures.count(some + others)}"

        yield Column(heading, counted)


def groups_of(facts: AuditedFacts) -> tuple[Column, ...]:
    """Return what stands beside groups: their names, and how many cases they have."""
    return (
        Column(group_heading(facts), partial(_group, facts.group_names)),
        text("n", cases_of, figures.count),
        text("effective", "effective_n", _rounded),
        text("clusters", "n_clusters", _rounded),
    )


def _group(columns: Sequence[str], one: GroupOfCases) -> str:
    """Name a group by its labels; one of fewer columns with those."""
    return label_of(one.group) if len(one.group) == len(columns) else called(one.group, first=True)


def group_heading(facts: AuditedFacts) -> str:
    """Name the columns of groups."""
    return ", ".join(map(figures.label, facts.group_names)) or "group"


def legend_of(
    facts: AuditedFacts, findings: Sequence[AverageFinding | Finding]
) -> tuple[Cell, ...]:
    """Return what the marks and the colours mean that occur."""
    said = {"other": reference_of(facts), "gap": gap_in_words(facts, findings)}
    seen = {finding.verdict for finding in findings}
    shades = {shade_of(finding.verdict, finding.direction) for finding in findings}
    return (
        *(
            Cell(text.format(**said), verdict="" if verdict in WAYS else verdict)
            for verdict, text in MEANT.items()
            if verdict in seen
        ),
        *(Cell(text, verdict=shade) for shade, text in SHADES.items() if shade in shades),
        *((Cell(SMALL),) if any(map(_beside, findings)) else ()),
    )


def _place(key: Cell) -> int:
    """Order the keys of two classes: what is unmarked stands below the colours."""
    return 2 if key == SMALL else int(key.verdict == "consistent")


def in_words(legend: Iterable[Cell]) -> str:
    """Return what the marks mean as a line: colours and small numbers stand on a page alone."""
    unsaid = {SMALL, *SHADES.values()}
    return "; ".join(key for key in legend if key not in unsaid)


def _beside(finding: AverageFinding | Finding) -> bool:
    """Whether the gap stands beside a value that would go unseen."""
    return finding.verdict == "too_small" and not math.isnan(getattr(finding, "unseen", math.nan))


def marked(finding: AverageFinding | Finding) -> Cell:
    """Write a value with its mark; a page shows beside it what it is judged by, or would miss."""
    if math.isnan(finding.value):
        return Cell(figures.NOTHING, verdict="undefined")
    beside, unseen = "", getattr(finding, "unseen", math.nan)
    if finding.verdict in WAYS:
        beside = f"against {figures.told_apart(finding.value, finding.reference)[1]}"
    elif _beside(finding):
        beside = figures.told_apart(unseen, finding.gap)[0] if math.isfinite(unseen) else "any"
    text = f"{MARKS.get(finding.verdict, '')}{figures.short(finding.value)}"
    shade = shade_of(finding.verdict, finding.direction)
    return Cell(text, note=beside, verdict=shade)


def _names(metrics: list[str]) -> str:
    short = {name: short_name(name) for name in metrics}
    return ", ".join(f"{s}: {spoken(name)}" for name, s in short.items() if s != plain_name(name))


def _sentences(*parts: str) -> str:
    return " ".join(f"{part}." for part in parts if part)


def _rounded(size: float | None) -> str:
    return "" if size is None else figures.count(round(size))


def largest_gaps(
    facts: AuditedFacts,
    gaps: Iterable[tuple[str, GapFact]],
    write: Callable[[float], str],
    more: str = "",
) -> Grid:
    """Return gaps, each below the name of its metric."""
    alone = facts.reference not in REFERENCES
    return grid(
        f"Largest gaps to {reference_of(facts)}" if alone else "Largest gaps between groups",
        gaps,
        Column("metric", itemgetter(0)),
        text("highest", lambda row: row[1].largest, _end),
        text("lowest", lambda row: row[1].smallest, _end),
        text("gap", lambda row: row[1].difference, write),
        Column("interval", lambda row: figures.interval(row[1].low, row[1].high)),
        labels=3,
        note=f"{LARGEST}{more}",
    )


def ratios_of_groups(facts: AuditFacts) -> Grid:
    """Return the ratio of every group to one, groups by metrics, where they were found."""
    known = [gap for gap in facts.gaps if gap.group_ratios]
    bases = {called(one.largest or {}) for gap in known for one in gap.group_ratios}
    base = next(iter(bases)) if len(bases) == 1 else "the group with the highest"
    return grid(
        f"Ratios to {base}",
        [g for g in facts.groups if any(gap.ratios_of(g.group) for gap in known)],
        *groups_of(facts),
        *each(
            (Cell(short_name(gap.name), page=spoken(gap.name)) for gap in known),
            lambda group: [gap.ratios_of(group.group) for gap in known],
            _ratio,
        ),
        Column("below 0.8", lambda group: _below(known, group)),
        detail=not facts.fairness,
        asked=facts.fairness,
    )


def _below(known: Sequence[GapFact], group: AuditedGroup) -> str:
    """Say whether the ratio of selection rates is below four fifths."""
    of = (one for gap in known if gap.name == SELECTED for one in gap.ratios_of(group.group))
    return next(map(below_four_fifths, of), "")


def _ratio(found: Sequence[RatioFact]) -> str:
    if not found or math.isnan(found[0].value):
        return figures.NOTHING
    [one] = found
    ends = "" if math.isnan(one.low) else f" ({figures.interval(one.low, one.high)})"
    return f"{figures.short(one.value)}{ends}"


def too_small(gaps: Iterable[tuple[str, GapFact]]) -> Remarks:
    """Say which groups are left out of gaps, being too small; alike ones together."""
    lacking: dict[str, list[str]] = {}
    for name, gap in gaps:
        groups = first_of(map(called, gap.too_small), FEW, "; ", "; and ")
        lacking.setdefault(groups, []).append(name)
    alike = len(lacking) == 1 and max(map(len, lacking.values())) > 1
    pairs = tuple(
        ("Of all metrics" if alike else sentence_case(", ".join(names)), groups)
        for groups, names in lacking.items()
        if groups
    )
    return Remarks("Left out of gaps, too small to show one", pairs)


def _end(group: Mapping[str, Any] | None) -> str:
    return called(group) if group else figures.NOTHING
