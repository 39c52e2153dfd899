"""Groups by metrics at a glance: each value with the sign and the colour of its verdict."""

import math
from collections.abc import Callable

from baserate import _figures as figures
from baserate.facts import AuditedGroup, AuditFacts, Finding
from baserate.report.audit_words import label_of, reference_of
from baserate.report.catalogue import plain_name, short_name
from baserate.report.sheet import Cell, Grid
from baserate.report.words import spoken

# What a value in the matrix is marked with, and what that means.
MARKS = {"higher": "↑", "lower": "↓", "too_small": "?", "unresolved": "?", "untested": "·"}
MEANT = {
    "higher": "higher than {other} by more than luck",
    "lower": "lower than {other} by more than luck",
    "too_small": "too small to tell a gap of {gap}",
    "unresolved": "no difference seen; what would go unseen is not known",
    "untested": "not tested",
    "undefined": "undefined",
}
WAYS = {"higher", "lower"}
# What colours say on a page: whom a difference harms, by the metric's direction.
SHADES = {
    "worse": "worse for the group",
    "better": "better for the group",
    "apart": "neither better nor worse",
}
SMALL = "small number: the gap up to which a difference would go unseen"
PLAIN = "unmarked: consistent with {other}"
JUDGED = (
    "A score that depends on the base rate is judged by what {other} would have with the group's "
    "own positives and negatives"
)


SIZES: tuple[tuple[str, Callable[[AuditedGroup], str]], ...] = (
    ("n", lambda g: figures.count(g.table.n if g.cases is None else g.cases)),
    ("effective", lambda g: figures.count(round(g.effective_n or 0))),
    ("clusters", lambda g: figures.count(g.n_clusters or 0)),
)


def sized(facts: AuditFacts, heading: str) -> bool:
    """Return whether groups have such a size: effective cases with weights, clusters if named."""
    known = {"effective": facts.effective_n, "clusters": facts.n_clusters}
    return known.get(heading, 0) is not None


def matrix_of(facts: AuditFacts, absent: str) -> Grid:
    """Return values, groups by metrics, marked where more can be said than that they agree.

    `absent` says what there is no room for.
    """
    metrics = [f.name for f in facts.groups[0].findings] if facts.groups else []
    placed = any(finding.condition == "classes" for _, finding in facts.differing)
    judged = JUDGED.format(other=reference_of(facts)) if placed else ""
    unsaid = {SMALL, *SHADES.values()}
    marks = "; ".join(cell for cell in _legend(facts) if cell not in unsaid)
    note = _sentences(marks, judged, absent, _names(metrics))
    return Grid(
        title="Groups",
        headings=(
            ", ".join(map(figures.label, facts.group_names)) or "group",
            *(heading for heading, _ in SIZES if sized(facts, heading)),
            *(Cell(short_name(name), page=spoken(name)) for name in metrics),
        ),
        rows=tuple(
            (
                label_of(g.group),
                *(write(g) for heading, write in SIZES if sized(facts, heading)),
                *(_cell(finding, facts.gap) for finding in g.findings),
            )
            for g in facts.groups
        ),
        labels=1,
        note=Cell(note, page=_sentences(judged, absent) or " "),
        legend=_legend(facts),
    )


def _legend(facts: AuditFacts) -> tuple[Cell, ...]:
    """Return what the marks mean that occur."""
    words = {"other": reference_of(facts), "gap": figures.short(facts.gap)}
    found = {finding.verdict for group in facts.groups for finding in group.findings}
    marks = (
        Cell(
            f"{MARKS.get(verdict, figures.NOTHING)} {text.format(**words)}",
            verdict="" if verdict in WAYS else verdict,
        )
        for verdict, text in MEANT.items()
        if verdict in found
    )
    shades = {f.shade for _, f in facts.differing}
    plain = Cell(PLAIN.format(**words), verdict="consistent")
    return (
        *marks,
        *(Cell(text, verdict=shade) for shade, text in SHADES.items() if shade in shades),
        *((plain,) if "consistent" in found else ()),
        *((Cell(SMALL),) if "too_small" in found else ()),
    )


def _cell(finding: Finding, gap: float) -> Cell:
    """Write a value with its mark; a page shows beside it what it is judged by, or would miss."""
    if math.isnan(finding.value):
        return Cell(figures.NOTHING, verdict="undefined")
    beside = ""
    if finding.verdict in {"higher", "lower"}:
        beside = f"against {figures.told_apart(finding.value, finding.reference)[1]}"
    if finding.verdict == "too_small":
        known = math.isfinite(finding.unseen)
        beside = figures.told_apart(finding.unseen, gap)[0] if known else "any"
    text = f"{MARKS.get(finding.verdict, '')}{figures.short(finding.value)}"
    return Cell(text, note=beside, verdict=finding.shade)


def _names(metrics: list[str]) -> str:
    """Say in full what the headings of a matrix shorten."""
    short = {name: short_name(name) for name in metrics}
    return ", ".join(f"{s}: {spoken(name)}" for name, s in short.items() if s != plain_name(name))


def _sentences(*parts: str) -> str:
    return " ".join(f"{part}." for part in parts if part)
