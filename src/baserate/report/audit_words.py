"""The words of an audit: which groups differ, which are too small to tell, how that was found."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.audit import (
    REFERENCES,
    AuditedFacts,
    AuditedGroup,
    AuditFacts,
    AverageFinding,
    Finding,
    Judgement,
)
from baserate.facts.report import SampledFacts
from baserate.report.audit_shown import is_cut, reference_of
from baserate.report.clustering import in_strata, replicates
from baserate.report.fairness import asked_alone
from baserate.report.intersections import beyond_said, family_of
from baserate.report.scores import binned
from baserate.report.words import ALONE, called, first_of, in_words, reason_of, unnamed

NAMED = 6  # findings named in the answer; the table holds the others
TESTED = (
    "Each test asks whether luck could make a group differ so much from the reference: all cases "
    "are dealt out to both in all ways, given the totals that it holds fixed (Fisher's conditional "
    "test, which errs at most as often as it says); two-sided, which is the smaller tail doubled, "
    "and {adjustment}."
)
KNOWN = (
    "Each test asks how a group of this size would score if it were like the reference, whose "
    "shares are taken as known: a sum over every table, two-sided, and {adjustment}."
)
APPROXIMATE = (
    "Each test asks whether luck could make a group differ so much from the reference: Rao and "
    "Scott's correction of Pearson's test for {of}, approximate, two-sided, and {adjustment}."
)
ALL_DEALT = (
    "Each test asks whether luck could make a group differ so much from the reference: whole "
    "clusters are dealt out to both in all ways, which errs at most as often as it says for "
    "clusters that are alike; two-sided, and {adjustment}."
)
SOME_DEALT = (
    "Each test asks whether luck could make a group differ so much from the reference: whole "
    "clusters are dealt out to both in all ways, which errs at most as often as it says for "
    "clusters that are alike; where clusters lie on both sides, or are too few or too many for "
    "that, Rao and Scott's correction for {of}, approximate; two-sided, and {adjustment}."
)
OPPOSITE = (
    " Where weights are larger for the cases called positive in a group and smaller in the "
    "reference, or the reverse, such tests find differences too often (up to 12% of the time at "
    "5%, with 20 and 50 cases)."
)
SHARED = unnamed(
    "a patient or a topic", "too much is taken for more than luck",
    "Evaluate with the run named (--run, run=) to see how much.",
)  # fmt: skip
SMOOTHED = (
    "the value after adding {strength} pseudo-cases distributed as {others}{effective}. It shrinks "
    "the very gap that is looked for: test on values, rank by smoothed values."
)
ANY = "chance of any false alarm"
ERRORS = {"benjamini-hochberg": "of the alarms false on average"}
SILENT = {"too_small", "unresolved", "undefined", "untested"}
BENJAMINI = (
    "Benjamini and Hochberg's method, which bounds the share of false alarms among alarms, not the "
    "chance of any"
)
ADJUSTED = {
    "holm": "p-values are adjusted by Holm's method",
    "benjamini-hochberg": f"p-values are adjusted by {BENJAMINI}",
    "min-p": (
        "p-values are adjusted by the enumerated law of the smallest over the metrics of a group, "
        "and by Holm's method over groups"
    ),
    "min-p or holm": (
        "p-values are adjusted over the metrics of a group by the enumerated law of the smallest "
        "(by Holm's method where the group is too large), and by Holm's method over groups"
    ),
}


def answer(facts: AuditFacts) -> tuple[str, ...]:
    """Return the answer: which groups differ, which are too small to tell, what is undefined."""
    # Where no group at all could be tested, clusters are why, and the first sentence says so.
    each_named = facts.n_comparisons or facts.n_clusters is None
    return (
        *_differing(facts), *beyond_said(facts), *asked_alone(facts), *_misjudged(facts),
        *_small(facts),
        *(not_tested(map(_judged, _left(facts))) if each_named else ()),
        *_undefined(facts),
        *((SHARED,) if facts.n_clusters is not None and facts.cluster is None else ()),
    )  # fmt: skip


def _differing(facts: AuditFacts) -> tuple[str, ...]:
    found = facts.one_sided(facts.differing)
    where = "in the JSON report" if is_cut(facts) else "below"
    blind = {one.finding.verdict for one in facts.judged} <= SILENT
    return differing(facts, found, partial(_named, facts), where, blind=blind)


def differing(
    facts: AuditedFacts,
    found: Sequence[Judgement],
    told: Callable[[Judgement], str],
    where: str,
    beyond: str = "",
    *,
    blind: bool,
) -> tuple[str, ...]:
    """Say whether groups differ by more than luck, tell the first findings, and count the others.

    `where` the others stand; `beyond` luck, in what else none is seen to differ; `blind` if all
    groups are too small to tell.
    """
    other, tests = reference_of(facts), facts.n_comparisons
    if not tests:
        return (_untested(facts),)
    comparisons = "both comparisons" if tests == 2 else f"all {tests:,} comparisons"
    allowed = f"{figures.level(facts.alpha)} {ERRORS.get(facts.adjust, ANY)}"
    chance = f"allowing for {comparisons}, {allowed}" if tests > 1 else f"1 comparison, {allowed}"
    if facts.sampled:
        chance += f"; {_by(facts)}"
    groups = {tuple(one.group.group.items()) for one in found}
    if blind:
        any_of = f"any group differs from {other}"
        whether = "the two groups differ" if facts.mirrored else any_of
        return (f"Cannot tell whether {whether} ({chance}).",)
    if facts.mirrored:
        differ = "The two groups differ" if found else "The two groups are not seen to differ"
    elif not found:
        differ = f"No group is seen to differ from {other}"
    else:
        verb = "group differs" if len(groups) == 1 else "groups differ"
        differ = f"{in_words(len(groups))} {verb} from {other}"
    head = f"{differ} by more than luck{'' if found else beyond} ({chance})."
    more = len(found) - NAMED
    rest = (f"{in_words(more)} more {where}.",) if more > 0 else ()
    return (head, *map(told, found[:NAMED]), *rest)


def _untested(facts: AuditedFacts) -> str:
    found = (one.finding for one in facts.judged)
    why = {finding.reason for finding in found if finding.verdict == "untested"}
    if facts.n_clusters is None:
        return "No group could be tested."
    text = "Cannot tell: no group could be tested"
    if facts.n_clusters == 1:
        return f"{text}. {ALONE.format(kind='cluster' if facts.cluster else 'item')}"
    return f"{text}, since {why.pop()}." if len(why) == 1 and None not in why else f"{text}."


def _by(facts: AuditedFacts) -> str:
    if facts.n_dealt and facts.n_dealt == facts.n_tested:
        return "by dealing out whole clusters"
    return f"approximate, for {sampled(facts)}"


def _named(facts: AuditFacts, one: Judgement) -> str:
    group, finding = one.group, one.finding
    value, expected = figures.told_apart(finding.value, finding.reference)
    own, other = figures.short(finding.reference_value), reference_of(facts)
    written = f"adjusted {figures.p_stated(finding.adjusted_p)}"
    head = f"{called(group.group, first=True)}: {spoken(finding.name)} {value} is "
    if math.isnan(finding.reference_value) or own == figures.short(finding.reference):
        return f"{head}{finding.verdict} than {expected} in {other} ({written})."
    placed = f"{expected} that {other} would have with as many positives and negatives"
    return f"{head}{finding.verdict} than the {placed} ({written}). {_own(facts, group, finding)}"


def _own(facts: AuditFacts, group: Any, finding: Any) -> str:
    """State the reference's own score, and whether it points the other way."""
    other, own = reference_of(facts), finding.reference_value
    who = sentence_case(other) if facts.reference in REFERENCES else other
    score = f"{who} itself has {figures.short(own)}"
    above = finding.value > own
    if finding.value == own or above == (finding.verdict == "higher"):
        return f"{score}."
    way = "below" if above else "above"
    rates = (group.reference.base_rate, group.table.base_rate)
    there, here = (figures.percent(float(rate)) for rate in rates)
    return f"{score}, {way} this group's, since {there} of it are positive against {here} here."


def _misjudged(facts: AuditFacts) -> tuple[str, ...]:
    wrong = sorted(
        (one for one in facts.calibration if one.adjusted_p_value <= facts.alpha),
        key=lambda one: one.adjusted_p_value,
    )
    if not wrong:
        return ()
    named = (
        f"{called(one.group)} (too {'low' if one.observed > one.expected else 'high'}, O:E "
        f"{one.observed_expected.value:.2f})"
        for one in wrong
    )
    return (f"Risks are wrong by more than luck for {first_of(named, NAMED)}.",)


def gap_in_words(facts: AuditedFacts, findings: Iterable[AverageFinding | Finding]) -> str:
    """Return the gap that matters, and what it is of a cost, whose size its owner chose."""
    other = {f.name: f.gap for f in findings if math.isfinite(f.gap) and f.gap != facts.gap}
    own = " and ".join(f"{figures.short(gap)} of {spoken(name)}" for name, gap in other.items())
    return figures.short(facts.gap) + (f" ({own})" if own else "")


def _small(facts: AuditFacts) -> tuple[str, ...]:
    """Name the groups of which nothing can be told, and how many more say little.

    A group that is larger than what it is compared with is not too small: the others are too few.
    """
    left = {id(group) for group in _left(facts)}
    told = {
        called(g.group): [f.verdict for f in g.findings] for g in facts.groups if id(g) not in left
    }
    beside = {called(g.group): (g, _n_others(facts, g)) for g in facts.groups}
    large = {where for where, (g, others) in beside.items() if others < cases_of(g)}
    blind = [where for where, found in told.items() if set(found) <= SILENT and any(found)]
    named = [where for where in blind if where not in large]
    part = [w for w, found in told.items() if "too_small" in found and w not in blind]
    some = sum(where not in large for where in part)
    size = gap_in_words(facts, (f for g in facts.groups for f in g.findings))
    sentences = []
    if named:
        shown = first_of(named, NAMED, "; ")
        sentences.append(f"Too small to tell a gap of {size} by any metric: {shown}.")
    if some:
        groups = f"{in_words(some)} {'other ' * bool(named)}{'group' if some == 1 else 'groups'}"
        sentences.append(f"{groups} could not show such a gap by some metric (marked ?).")
    # Of two groups beside each other the smaller one's sentence says it.
    for where in () if facts.mirrored and sentences else [w for w in told if w in large]:
        if where in (*blind, *part):
            group, others = beside[where]
            metric = "any" if where in blind else "some"
            sentences.append(
                f"{called(group.group, first=True)} has {figures.count(cases_of(group))} cases "
                f"and only {figures.count(others)} to be compared with: too few to tell such a gap "
                f"by {metric} metric."
            )
    return tuple(
        sentence.replace("such a gap", f"a gap of {size}") if at == 0 else sentence
        for at, sentence in enumerate(sentences)
    )


def _left(facts: AuditFacts) -> list[AuditedGroup]:
    return [group for group in facts.groups if group.table.n and reasons_left(*_judged(group)[1:])]


def _judged(group: AuditedGroup) -> tuple[str, set[str], set[str]]:
    return (
        called(group.group),
        {finding.verdict for finding in group.findings},
        {finding.reason for finding in group.findings if finding.reason},
    )


def cases_of(group: Any) -> float:
    """Return how many cases a group has; a table of weights does not tell."""
    return group.table.n if group.cases is None else group.cases


def _n_others(facts: AuditFacts, group: AuditedGroup) -> float:
    """Return how many cases a group is compared with; with weights, their sum in its own unit."""
    others = group.reference.n - (group.table.n if facts.reference == "overall" else 0)
    return others if group.cases is None else others * group.cases / max(group.table.n, 1e-300)


def _undefined(facts: AuditFacts) -> tuple[str, ...]:
    gaps = [
        f"{spoken(f.name)} in {called(g.group)} ({f.reason})"
        for g in facts.groups
        for f in g.findings
        if f.verdict == "undefined"
    ]
    if not gaps:
        return ()
    return (f"Undefined: {first_of(gaps, NAMED, '; ')}.",)


def verdict(facts: AuditedFacts, finding: AverageFinding | Finding) -> str:
    """Return the verdict on one metric of one group in words."""
    other, unseen = reference_of(facts), getattr(finding, "unseen", math.nan)
    why = "" if finding.reason is None else reason_of(finding.reason)
    gap = "any gap" if math.isinf(unseen) else f"a gap under {figures.short(unseen)}"
    unknown = "no difference seen; what would go unseen is not known"
    return {
        "lower": f"lower than {other}",
        "higher": f"higher than {other}",
        "consistent": f"consistent with {other}",
        "unresolved": f"{unknown} ({why})" if why else unknown,
        "too_small": "too small to tell"
        + ("" if math.isnan(unseen) else f": {gap} would go unseen"),
        "undefined": f"undefined: {why}" if why else "undefined",
        "untested": f"not tested: {why}" if why else "not tested",
    }[finding.verdict]


def how(facts: AuditedFacts) -> tuple[str, ...]:
    """Say in a clause each what intervals and p are."""
    by = " by Benjamini and Hochberg" if facts.adjustment == "benjamini-hochberg" else ""
    p = f"p: how often luck alone makes a group differ so much, adjusted for all comparisons{by}"
    return intervals_of(facts), f"{p}{family_of(facts)}."


def method(facts: AuditFacts) -> tuple[str, ...]:
    """Say how groups were tested and adjusted, and what intervals are."""
    words = APPROXIMATE if facts.sampled else TESTED if facts.uncertain_reference else KNOWN
    if facts.n_dealt:
        words = ALL_DEALT if facts.n_dealt == facts.n_tested else SOME_DEALT
    tested = words.format(adjustment=ADJUSTED[facts.adjustment], of=sampled(facts))
    if facts.effective_n is not None and facts.n_dealt < facts.n_tested:
        tested += OPPOSITE
    counted = (binned(facts.bins),) if facts.bins else ()
    return (tested, intervals_of(facts), *counted)


def smoothed(facts: AuditFacts) -> str:
    """Say what smoothed values are."""
    others = "the rest" if facts.reference == "overall" else reference_of(facts)
    effective = " to as many effective cases" if facts.sampled else ""
    return SMOOTHED.format(strength=f"{facts.strength:g}", others=others, effective=effective)


def intervals_of(facts: AuditedFacts) -> str:
    """Say what intervals of values are."""
    level = figures.level(facts.confidence_level)
    if facts.n_clusters is not None:
        text = f"Intervals, of level {level}, are the jackknife's over clusters (Student)"
        return f"{text}, no narrower than so few clusters allow."
    if facts.n_replicates is not None:
        of = "jackknife within strata" if facts.n_strata else "replicate weights"
        return f"Intervals, of level {level}, are Student's, from the {of}."
    if facts.effective_n is not None:
        return (
            f"Intervals hold {level} of a pseudo-posterior: counts are scaled to Kish's effective "
            "number of cases, or fewer where weights go with the outcome."
        )
    return f"Intervals hold {level} of the posterior."


def sampled(facts: AuditedFacts) -> str:
    """Name what leaves no exact test: weights, clusters or both."""
    if facts.n_replicates is not None:
        return "cases in strata" if facts.n_strata else "cases with replicate weights"
    if facts.n_clusters is None:
        return "weighted cases"
    return "cases in clusters" if facts.effective_n is None else "weighted cases in clusters"


def clusters_of(facts: SampledFacts) -> str:
    """Say how many clusters there are, and what tells them."""
    if facts.n_clusters is None:
        return in_strata(facts)
    key = facts.cluster or facts.case_id
    of = "" if key is None else f" of column {figures.quoted(key)}"
    return f"{facts.n_clusters:,}{of}"


def weights_of(facts: AuditedFacts) -> str:
    """Say what the weights are worth."""
    if facts.effective_n is None:
        return ""
    columns = len(facts.group_names)
    n = sum(group.cases or 0 for group in facts.groups if len(group.group) == columns)
    of = f" of {n:,}" if facts.reference in REFERENCES else ""
    told = facts.n_replicates is None or facts.n_strata
    sets = "" if told else f"; {replicates(facts)}"
    return f"worth {figures.count(round(facts.effective_n))} effective cases{of} (Kish){sets}"


def reasons_left(verdicts: set[str], reasons: set[str]) -> bool:
    """Whether nothing of a group could be tested, for one reason."""
    return verdicts == {"untested"} and len(reasons) == 1


def not_tested(groups: Iterable[tuple[str, set[str], set[str]]]) -> tuple[str, ...]:
    """Name the groups of which nothing could be tested, and why."""
    why: dict[str, list[str]] = {}
    for name, verdicts, reasons in groups:
        if reasons_left(verdicts, reasons):
            why.setdefault(min(reasons), []).append(name)
    return tuple(
        f"Not tested: {first_of(where, NAMED, '; ')} ({reason})." for reason, where in why.items()
    )
