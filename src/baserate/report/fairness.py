"""Gaps between groups in the words of fairness: the criteria, and the four-fifths rule."""

from collections.abc import Iterator, Sequence
from math import isnan, nan

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.counts import ConfusionMatrix
from baserate.facts.audit import REFERENCES, AuditedGroup, AuditFacts, GapFact, RatioFact
from baserate.metrics.fairness import CRITERIA
from baserate.report.sheet import Remarks
from baserate.report.words import called, first_of, reason_of

FOUR_FIFTHS = 0.8
SELECTED = "predicted_positive_rate"
FEW = 3  # groups that are left out of the smallest ratio, and named
CONFLICTING = {"precision", "recall", "false_positive_rate"}
TOGETHER = (
    "the groups' base rates go from {low} to {high}. Where they differ, precision, recall and "
    "false positive rate cannot all be equal, unless no call of positive is wrong, or none right "
    "(Chouldechova 2017)"
)


def fairness_parts(facts: AuditFacts) -> tuple[Remarks, Remarks]:
    """Say whether the four-fifths rule is met and what conflicts; and what the gaps are called."""
    return (
        Remarks("Fairness", tuple(_pairs(facts))),
        Remarks("Criteria", _called([gap.name for gap in facts.gaps]), detail=True),
    )


def four_fifths(facts: AuditFacts) -> Iterator[str]:
    """Yield what the four-fifths rule makes of the groups, if selection rates were audited."""
    for gap in facts.gaps:
        if gap.name == SELECTED and gap.ratios:
            n = len(_tables(facts)) - len(gap.undefined) - len(gap.too_small)
            of = f"{n - 1:,} such ratios"
            if n > 2 and not _alone(facts):
                of = f"{n * (n - 1) // 2:,} ratios between two groups"
            yield f"{adverse_impact(gap.ratios[0], of if n > 2 else '')}{_left_out(facts, gap)}"


def asked_alone(facts: AuditFacts) -> Iterator[str]:
    """Yield the same as a sentence, if it was asked for in words of fairness and nothing else."""
    if facts.fairness and [gap.name for gap in facts.gaps] == [SELECTED]:
        yield from (f"Adverse impact: {found}." for found in four_fifths(facts))


def _pairs(facts: AuditFacts) -> Iterator[tuple[str, str]]:
    if len(facts.gaps) > 1:
        name = "Adverse impact" if facts.fairness else "Ratio of selection rates"
        yield from ((name, found) for found in four_fifths(facts))
    rates = [float(table.base_rate) for table in _tables(facts) if table.n]
    low, high = (figures.short(end(rates, default=0.0)) for end in (min, max))
    conflict = {gap.name for gap in facts.gaps} >= CONFLICTING and low != high
    if conflict and facts.base_rate is None:
        yield "Not all at once", TOGETHER.format(low=low, high=high)


def _tables(facts: AuditFacts) -> list[ConfusionMatrix]:
    """Return the tables of all groups, that of a group which the others are compared with too."""
    alone = [g.reference for g in facts.groups[:1] if _alone(facts)]
    return [g.table for g in facts.groups] + alone


def _alone(facts: AuditFacts) -> bool:
    return facts.reference not in REFERENCES


def _left_out(facts: AuditFacts, gap: GapFact) -> str:
    """Name the groups that are too small to have a part in the smallest ratio, with their own."""
    of = {(*group.group.items(),): group for group in facts.groups}
    rates = {
        key: found.value for key, group in of.items() for found in group.findings
        if found.name == gap.name
    }  # fmt: skip
    base = rates.get((*(gap.ratios[0].largest or {}).items(),), _of_reference(facts, gap))
    small = [key for group in gap.too_small if (key := (*group.items(),)) in of]
    if not (small and base > 0):
        return ""
    told = (
        f"{called(dict(key))} ({figures.short(rates[key] / base)}, n {_cases(of[key])})"
        for key in sorted(small, key=rates.__getitem__)
    )
    return f"; left out as too small to tell: {first_of(told, FEW)}"


def _cases(group: AuditedGroup) -> str:
    return figures.count(group.table.n if group.cases is None else group.cases)


def _of_reference(facts: AuditFacts, gap: GapFact) -> float:
    """Return the value of the group that was named as the reference."""
    found = (one for group in facts.groups for one in group.findings if one.name == gap.name)
    return next((one.reference_value for one in found), nan) if _alone(facts) else nan


def below_four_fifths(ratio: RatioFact) -> str:
    """Return whether a ratio is below four fifths: yes, no, or cannot tell; empty if unknown."""
    if isnan(ratio.low + ratio.high):
        return ""
    if ratio.low >= FOUR_FIFTHS:
        return "no"
    return "cannot tell" if ratio.high >= FOUR_FIFTHS else "yes"


def adverse_impact(ratio: RatioFact, of: str) -> str:
    """Return the ratio of selection rates, and what the four-fifths rule makes of it.

    It is the smallest `of` several, if there are.
    """
    if ratio.smallest is None or ratio.largest is None:
        return "no ratio of selection rates: fewer than two groups have one"
    if isnan(ratio.value):
        return "no ratio of selection rates: nobody is called positive"
    times = f"{figures.short(ratio.value)} times"
    pair = f"{called(ratio.smallest)} is called positive {times} as often as "
    pair += called(ratio.largest)
    if isnan(ratio.low):
        return f"{pair}; {reason_of(ratio.reason or 'no interval')}"
    pair += f" ({figures.interval(ratio.low, ratio.high)})"
    chosen = f", the smallest of {of}, for which the interval does not allow" if of else ""
    told = {
        "yes": f"below four fifths{chosen}",
        "no": "not below four fifths",
        "cannot tell": "cannot tell whether that is below four fifths",
    }
    return f"{pair}: {told[below_four_fifths(ratio)]}"


def _called(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Name the criteria whose metrics were all audited."""
    held = {name: metrics for name, metrics in CRITERIA.items() if {*metrics} <= {*names}}
    return tuple(
        (sentence_case(name.replace("_", " ")), " and ".join(map(spoken, metrics)))
        for name, metrics in held.items()
    )
