"""An audit in words: which groups differ, which are too small to tell, and what is undefined."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from baserate.facts import AuditedGroup, AuditFacts, Finding, GapFact
from baserate.report import figures
from baserate.report.audit_words import ADJUSTED, on_smoothing
from baserate.report.bars import Bar, place
from baserate.report.declared import plain_name, short_name
from baserate.report.sheet import Grid, Remarks, Sheet, render_sheet
from baserate.report.words import in_words, sentence_case, spoken

NAMED = 6  # findings named in the answer; the table holds the others
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
TESTED = (
    "Each test asks how a group of this size would score if it were like the reference; its law is "
    "exact, two-sided, and {adjustment}."
)
SMOOTHED = (
    "Smoothed: the value after adding {strength} pseudo-cases distributed as {others}. It "
    "shrinks the very gap that is looked for: test on values, rank by smoothed values."
)
ANY = "chance of any false alarm"
ERRORS = {"benjamini-hochberg": "of the alarms false on average"}
SILENT = {"too_small", "unresolved", "undefined", "untested"}
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
        answer=(*_differing(facts), *_small(facts), *_undefined(facts)),
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
        method=_method(facts),
        document=facts.to_dict(),
    )


def _differing(facts: AuditFacts) -> tuple[str, ...]:
    found, other, tests = facts.differing, _other(facts), facts.n_comparisons
    if not tests:
        return ("No group could be tested.",)
    comparisons = f"{tests:,} comparison{'s' * (tests > 1)}"
    chance = f"{comparisons}, {figures.level(facts.alpha)} {ERRORS.get(facts.adjust, ANY)}"
    if facts.mirrored:  # one side says all, unless only the other one does
        sides = dict[str, tuple[AuditedGroup, Finding]]()
        for group, finding in found:
            sides.setdefault(finding.name, (group, finding))
        found = tuple(sides.values())
    groups = {tuple(group.group.values()) for group, _ in found}
    if facts.mirrored:
        differ = "The two groups differ" if found else "The two groups do not differ"
        head = f"{differ} by more than luck ({chance})."
    elif not found:
        head = f"No group differs from {other} by more than luck ({chance})."
    else:
        verb = "group differs" if len(groups) == 1 else "groups differ"
        head = f"{in_words(len(groups))} {verb} from {other} by more than luck ({chance})."
    named = tuple(_named(facts, group, finding) for group, finding in found[:NAMED])
    more = len(found) - NAMED
    return (head, *named, *((f"{in_words(more)} more below.",) if more > 0 else ()))


def _named(facts: AuditFacts, group: AuditedGroup, finding: Finding) -> str:
    """Say how a group differs; from what the reference would score in its place, and does score."""
    value, expected = figures.told_apart(finding.value, finding.reference)
    own, other = figures.short(finding.reference_value), _other(facts)
    p = figures.p_value(finding.adjusted_p)
    written = f"adjusted p {p}" if p.startswith("<") else f"adjusted p = {p}"
    head = f"{sentence_case(_where(group.group))}: {spoken(finding.name)} {value} is "
    if math.isnan(finding.reference_value) or own == figures.short(finding.reference):
        return f"{head}{finding.verdict} than {expected} in {other} ({written})."
    placed = f"{expected} that {other} would have with as many positives and negatives"
    return f"{head}{finding.verdict} than the {placed} ({written}). {_own(facts, group, finding)}"


def _own(facts: AuditFacts, group: AuditedGroup, finding: Finding) -> str:
    """State the reference's own score, and whether it points the other way."""
    other, own = _other(facts), finding.reference_value
    score = f"{sentence_case(other)} itself has {figures.short(own)}"
    above = finding.value > own
    if finding.value == own or above == (finding.verdict == "higher"):
        return f"{score}."
    way = "below" if above else "above"
    rates = (group.reference.base_rate, group.table.base_rate)
    there, here = (figures.percent(float(rate)) for rate in rates)
    return f"{score}, {way} this group's, since {there} of it are positive against {here} here."


def _small(facts: AuditFacts) -> tuple[str, ...]:
    """Name the groups of which nothing can be told, and how many more say little."""
    told = {_where(g.group): [f.verdict for f in g.findings] for g in facts.groups}
    blind = [where for where, found in told.items() if set(found) <= SILENT and any(found)]
    some = sum("too_small" in found for where, found in told.items() if where not in blind)
    size = figures.short(facts.gap)
    sentences = []
    if blind:
        shown = "; ".join(blind[:NAMED]) + (
            f" and {len(blind) - NAMED} more" * (len(blind) > NAMED)
        )
        sentences.append(f"Too small to tell a gap of {size} by any metric: {shown}.")
    if some:
        groups = f"{in_words(some)} {'other ' * bool(blind)}{'group' if some == 1 else 'groups'}"
        sentences.append(f"{groups} could not show such a gap by some metric (marked ?).")
    if some and not blind:
        sentences[-1] = sentences[-1].replace("such a gap", f"a gap of {size}")
    return tuple(sentences)


def _undefined(facts: AuditFacts) -> tuple[str, ...]:
    gaps = [
        f"{spoken(f.name)} in {_where(g.group)} ({f.reason})"
        for g in facts.groups
        for f in g.findings
        if f.verdict == "undefined"
    ]
    if not gaps:
        return ()
    more = f" and {len(gaps) - NAMED} more" if gaps[NAMED:] else ""
    return (f"Undefined: {'; '.join(gaps[:NAMED])}{more}.",)


def _matrix(facts: AuditFacts) -> Grid:
    """Return values, groups by metrics, marked where more can be said than that they agree."""
    seen = [mark for g in facts.groups for f in g.findings if (mark := _mark(f))]
    meant = {mark: MEANT[mark].format(other=_other(facts)) for mark in MEANT if mark in seen}
    if any(f.verdict == "consistent" for g in facts.groups for f in g.findings):
        meant["unmarked:"] = f"consistent with {_other(facts)}"
    marks = "; ".join(f"{mark} {text}" for mark, text in meant.items())
    placed = any(finding.condition == "classes" for _, finding in facts.differing)
    judged = JUDGED.format(other=_other(facts)) if placed else ""
    return _crossed(facts, "Groups", _marked, note=_sentences(marks, judged, _names(facts)))


def _unseen(facts: AuditFacts) -> Grid:
    """Return the smallest gap that each group would show."""
    known = any(not math.isnan(f.unseen) for g in facts.groups for f in g.findings)
    others = "all others" if facts.reference == "overall" else _other(facts)
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
            (_where(g.group), figures.count(g.table.n), *map(cell, g.findings))
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
        rows=tuple((*_labels(group), *_cells(facts, group, finding)) for group, finding in pairs),
        labels=len(names) + 1,
        note=READING,
        bars=tuple(_bar(finding) for _, finding in pairs),
        sentence=True,
        detail=True,
    )


def _labels(group: AuditedGroup) -> tuple[str, ...]:
    return tuple(map(figures.label, group.group.values()))


def _cells(facts: AuditFacts, group: AuditedGroup, finding: Finding) -> tuple[str, ...]:
    percentile = finding.percentile
    return (
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


def verdict(facts: AuditFacts, finding: Finding) -> str:
    """Return the verdict on one metric of one group in words."""
    other = _other(facts)
    return {
        "lower": f"lower than {other}",
        "higher": f"higher than {other}",
        "consistent": f"consistent with {other}",
        "unresolved": _unresolved(finding),
        "too_small": _too_small(finding),
        "undefined": f"undefined: {finding.reason}",
        "untested": f"not tested: {finding.reason}",
    }[finding.verdict]


def _unresolved(finding: Finding) -> str:
    why = f" ({finding.reason})" if finding.reason else ""
    return f"no difference seen; what would go unseen is not known{why}"


def _too_small(finding: Finding) -> str:
    if math.isinf(finding.unseen):
        return "too small to tell: any gap would go unseen"
    return f"too small to tell: a gap under {figures.short(finding.unseen)} would go unseen"


def _bar(finding: Finding) -> Bar | None:
    bounds = finding.bounds
    if bounds is None or not all(map(math.isfinite, bounds)):
        return None
    interval = figures.interval(finding.low, finding.high)
    reference = figures.number(finding.reference)
    words = f"{figures.number(finding.value)}, interval {interval}, reference {reference}"
    ends = finding.low, finding.high
    return place(finding.value, *ends, finding.reference, bounds=bounds, words=words)


def _gaps(gaps: tuple[GapFact, ...]) -> Grid:
    return Grid(
        title="Largest gaps between groups",
        headings=("metric", "highest", "lowest", "gap", "interval"),
        rows=tuple(_gap(gap) for gap in gaps),
        labels=3,
        note=LARGEST,
    )


def _gap(gap: GapFact) -> tuple[str, ...]:
    ends = (_where(g) if g else figures.NOTHING for g in (gap.largest, gap.smallest))
    interval = figures.interval(gap.low, gap.high)
    return (plain_name(gap.name), *ends, figures.number(gap.difference), interval)


def _left_out(gaps: tuple[GapFact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            sentence_case(spoken(gap.name)),
            "; ".join(f"{_where(group)} ({reason})" for group, reason in gap.undefined),
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
    found = ((_where(g.group), g.smoothing) for g in facts.groups)
    return tuple((where, on_smoothing(fact, facts.strength)) for where, fact in found if fact)


def _about(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    t, show = facts.table, figures.count
    rows = "row" if facts.missing == 1 else "rows"
    missing = f"; {show(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    cases = f"{show(t.n)}: {show(t.n_positive)} positive, {show(t.n_negative)} negative{missing}"
    lines = (
        ("Positive", figures.quoted(facts.positive)),
        ("Cases", cases),
        ("Groups", f"{len(facts.groups):,}, compared with {_other(facts)}"),
        ("Truth", figures.quoted(facts.target) if facts.target else ""),
        ("Prediction", _prediction(facts)),
        ("Base rate", "" if facts.base_rate is None else f"restated at {facts.base_rate:g}"),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _prediction(facts: AuditFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        return f"positive where {figures.quoted(facts.score)} is {facts.threshold:g} or more"
    return figures.quoted(facts.prediction) if facts.prediction else ""


def _method(facts: AuditFacts) -> tuple[str, ...]:
    tested = TESTED.format(adjustment=ADJUSTED[facts.adjustment])
    others = "the rest" if facts.reference == "overall" else _other(facts)
    smoothed = SMOOTHED.format(strength=f"{facts.strength:g}", others=others)
    level = figures.level(facts.confidence_level)
    return (tested, smoothed, f"Intervals hold {level} of the posterior.")


def _other(facts: AuditFacts) -> str:
    """Name what groups are compared with."""
    named = {"rest": "the rest", "overall": "all cases"}
    return named.get(facts.reference, facts.reference)


def _where(group: Mapping[str, Any]) -> str:
    return ", ".join(map(figures.label, group.values()))


__all__ = ["render_audit", "verdict"]
