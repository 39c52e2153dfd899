"""An audit metric by metric: a forest of its groups, every test, what was held fixed, smoothing."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts.audit import AuditFacts, Finding, SmoothingFact
from baserate.report.audit_matrix import TestedGroup, cases_of
from baserate.report.audit_shown import FOUND, has_room, strongest
from baserate.report.audit_words import reference_of, smoothed, verdict
from baserate.report.columns import Column, each, grid, text
from baserate.report.sheet import Figure, Grid, Remarks
from baserate.report.words import called, in_words, sentence_case, spoken

MOST = 4  # pictures that stand open; the others are folded, each above its table
FOREST = (
    "Grey: values that would go unseen more often than one time in five, all comparisons allowed "
    "for. Dashes: {other}, with the group's own positives and negatives where these count."
)
HELD = {
    "none": "nothing held fixed",
    "denominator": "given how many cases of its class the group has",
    "classes": "given the group's own positives and negatives",
}
READING = {
    "Reference": "what {other} has; where class totals are held fixed, what it would score with "
    "the group's own positives and negatives; its own score stands beside it",
    "Percentile": "how often a group of that size would score at most this by luck",
    "Adjusted p": "allowing for every comparison made here",
    "Unseen": "a smaller gap to {others} would go unseen more often than one time in five, all "
    "comparisons allowed for; any: every gap would, down to the score of guessing",
}


class OfMetric(NamedTuple):
    """One metric in every group."""

    name: str
    tests: tuple[TestedGroup, ...]


def by_metric(facts: AuditFacts) -> tuple[OfMetric, ...]:
    """Return the findings metric by metric."""
    columns = zip(*(group.findings for group in facts.groups), strict=True)
    return tuple(
        OfMetric(column[0].name, tuple(map(TestedGroup, facts.groups, column)))
        for column in columns
    )


def forests(facts: AuditFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the forests of the metrics by which groups differ; of the nearest one if none do."""
    note = FOREST.format(other=reference_of(facts))
    return tuple(
        Figure(svg=pictures[name], note="" if i else note)
        for i, name in enumerate(name for name in open_forests(facts) if name in pictures)
    )


def open_forests(facts: AuditFacts) -> tuple[str, ...]:
    """Return the metrics whose forests are not folded."""
    order = strongest(facts)
    differ = {one.finding.name for one in facts.differing}
    return tuple(name for name in order if name in differ)[:MOST] or order[:1]


def details_of(
    facts: AuditFacts, shown: AuditFacts, pictures: Mapping[str, str]
) -> tuple[Grid | Remarks, ...]:
    """Return every test, one table for each metric shown; its title counts all groups."""
    folded = {name: svg for name, svg in pictures.items() if name not in open_forests(facts)}
    folded = folded if has_room(shown) else {}
    others = "all others" if facts.reference == "overall" else reference_of(facts)
    words = {"other": reference_of(facts), "others": others}
    every = {of.name: of for of in by_metric(facts)}
    reading = tuple((heading, text.format(**words)) for heading, text in READING.items())
    return (
        Remarks(title="How to read the tests", pairs=reading, detail=True),
        *(_tests(shown, of, found(every[of.name]), folded) for of in by_metric(shown)),
    )


def found(of: OfMetric) -> str:
    """Say in a line what was found by one metric."""
    verdicts = [test.finding.verdict for test in of.tests]
    n_found = sum(v in FOUND for v in verdicts)
    differ = "group differs" if n_found == 1 else "groups differ"
    parts = [f"{in_words(n_found).lower()} {differ}" if n_found else "no difference seen"]
    for verdict_, words in (("too_small", "too small to tell"), ("undefined", "undefined")):
        if n := verdicts.count(verdict_):
            parts.append(f"{n:,} {words}")
    return f"{sentence_case(spoken(of.name))}: {', '.join(parts)}"


def held(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Return what was held fixed for which metrics."""
    by: dict[str, list[str]] = {}
    for group in facts.groups:
        for finding in group.findings:
            names = by.setdefault(HELD.get(finding.condition, ""), [])
            if finding.condition and spoken(finding.name) not in names:
                names.append(spoken(finding.name))
    return tuple((", ".join(names), text) for text, names in by.items() if names)


def smoothing(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Say what smoothed values are, and group by group whether smoothing helps."""
    of_groups = ((called(g.group), g.smoothing) for g in facts.groups)
    helps = ((where, on_smoothing(fact, facts.strength)) for where, fact in of_groups if fact)
    return (("smoothed", smoothed(facts)), *helps)


def _tests(facts: AuditFacts, of: OfMetric, title: str, pictures: Mapping[str, str]) -> Grid:
    names: Sequence[str] = tuple(map(figures.label, facts.group_names)) or ("group",)
    return grid(
        title,
        of.tests,
        *each(names, lambda row: row.group.group.values(), _brief),
        text("n", lambda row: cases_of(row.group), figures.count),
        text("value", "finding.value", figures.number),
        text("interval", ("finding.low", "finding.high"), figures.interval),
        text("smoothed", "finding.smoothed", figures.or_nothing),
        text("reference", "finding.reference", figures.or_nothing),
        text("own", "finding.reference_value", figures.or_nothing),
        text("percentile", "finding.percentile", _percentile),
        text("p", "finding.p_value", figures.p_value),
        text("adjusted p", "finding.adjusted_p", figures.p_value),
        Column("unseen", lambda row: least(row.finding)),
        Column("verdict", lambda row: verdict(facts, row.finding)),
        labels=len(names),
        sentence=True,
        detail=True,
        picture=pictures.get(of.name, ""),
    )


def _brief(label: object) -> str:
    return figures.label(label, figures.BRIEF)


def _percentile(share: float) -> str:
    return figures.NOTHING if math.isnan(share) else figures.percent(share)


def least(finding: Finding) -> str:
    """Write the smallest gap that would be seen."""
    if math.isnan(finding.unseen):
        return figures.NOTHING
    return "any" if math.isinf(finding.unseen) else figures.short(finding.unseen)


def on_smoothing(fact: SmoothingFact, strength: float) -> str:
    """Say whether smoothing helps, and then what could not be judged."""
    verdict = f"Strength {strength:g} {_verdict(fact, strength)}."
    if not fact.unjudged:
        return verdict
    left_out = f"Not judged, because the observed table shows no error: {', '.join(fact.unjudged)}."
    return f"{verdict} {left_out}"


def _verdict(fact: SmoothingFact, strength: float) -> str:
    if not fact.checked:
        return "cannot be judged"
    if fact.worst_ratio <= 1:
        return (
            f"helps: none of the {fact.checked} metrics checked gets a larger mean squared error, "
            f"and the median one falls to {fact.median:.0%} of the raw one"
        )
    hurt = f"{fact.worst} gets {fact.worst_ratio:.2f} times the raw mean squared error"
    if fact.best_strength < strength:
        hurt += ": the reference is far from this group there, and its best strength is "
        hurt += f"{fact.best_strength:.1f}"
    return f"may hurt, because {hurt}"
