"""The words of an audit of several classes: which groups differ, in what, and what cannot be told.

A class is spoken of as found more or less often, an average as higher or lower.
"""

from functools import partial

from baserate import _figures as figures
from baserate._figures import spoken
from baserate.facts.audit import (
    REFERENCES,
    AuditedGroup,
    AverageFinding,
    ClassAuditFacts,
    Judgement,
)
from baserate.report import audit_words as shared
from baserate.report.audit_shown import SHOWN_GROUPS, groups_of, reference_of
from baserate.report.class_words import decided, named, prediction, scores
from baserate.report.opening import about_lines, cases_dropped
from baserate.report.words import called, first_of, in_words

NAMED = 6  # findings named in the answer; the tables hold the others
EXAMPLES = 3  # of groups and classes, where the tables or the JSON hold the others
TESTED = (
    "Each class against the rest: all cases are dealt out to the group and the reference in all "
    "ways, given how many are of the class; Fisher's conditional test."
)
DEALT_WITHIN = (
    "All classes together: cases of each true class are dealt out anew between the group and "
    "{others}, so that another mix of classes alone is no difference"
)
DEALT_ALL = (
    "All classes together: all cases are dealt out anew between the group and {others}, so that "
    "another mix of classes is a difference too"
)
EXACT = "the number of right cases in all ways, enumerated"
BY_CASES = {"convolution", "permutation"}  # routes of a test that deals out single cases
AS_OF_TWO = (
    "What two classes have as well ({names}) is tested as in an audit of two classes, by all ways "
    "to deal the cases out."
)
SIMULATED = "those of averages and of differences by simulation with a fixed seed"
TOO_FEW = (
    "Where none of the deals is as extreme, more of them might show a difference that so many "
    "comparisons hide: name fewer metrics."
)
EACH_APPROXIMATE = (
    "Each class against the rest is tested as in an audit of two classes for {of}: by Rao and "
    "Scott's correction of Pearson's test, or where no cluster lies on both sides and they are "
    "neither too few nor too many, by whole clusters dealt out in all ways."
)
APPROXIMATE = (
    "All classes together: {what}, in standard errors that the design gives (Rao and Scott's), "
    "with Student's law: approximate."
)
HELD = (
    "the difference from what {others} would score with as many cases of each class, so that "
    "another mix of classes alone is no difference"
)
NOT_HELD = "the difference from what {others} score, so that another mix of classes is one too"
TOGETHER = "All p-values, over groups, classes and metrics, are adjusted together by"
ADJUSTED = {
    "holm": f"{TOGETHER} Holm's method.",
    "benjamini-hochberg": f"{TOGETHER} {shared.BENJAMINI}.",
}


def answer(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Return the answer: which groups differ, which classes cannot be judged where."""
    return (
        *_differing(facts), *_small(facts), *_untested(facts), *_absent(facts), *_undefined(facts),
    )  # fmt: skip


def _differing(facts: ClassAuditFacts) -> tuple[str, ...]:
    where, beyond = "in the tables below", ", in any class or on the whole"
    if facts.decisions:
        beyond = ", in what their decisions earn"
    found = surest(facts)
    blind = not found and bool(facts.n_comparisons) and _blind(facts)
    return shared.differing(facts, found, partial(_named, facts), where, beyond, blind=blind)


def _blind(facts: ClassAuditFacts) -> bool:
    """Whether nothing could be told of any group; of many, whose intervals cost: no."""
    few = len(facts.groups) <= SHOWN_GROUPS
    return few and all(one.finding.verdict in shared.SILENT for one in facts.judged)


def surest(facts: ClassAuditFacts) -> list[Judgement]:
    """Return what cannot be luck, the surest first; of two mirrored groups one side.

    Always the same one, if it differs: that of the surest finding.
    """
    order = sorted(facts.differing, key=lambda one: one.finding.adjusted_p)
    lead = [one.group.group for one in order[:1]]
    sides = facts.one_sided(sorted(order, key=lambda one: one.group.group not in lead))
    return sorted(sides, key=lambda one: one.finding.adjusted_p)


def _named(facts: ClassAuditFacts, one: Judgement) -> str:
    finding, other = one.finding, _other(facts, one)
    value, expected = figures.told_apart(finding.value, finding.reference)
    sure = f"adjusted {figures.p_stated(finding.adjusted_p)}"
    group = called(one.group.group, first=True)
    if one.of_class and finding.name == "recall":
        of = "" if facts.effective_n else f" of {figures.count(_cases(one))}"
        how = "less" if finding.verdict == "lower" else "more"
        return (
            f"{group}: class {figures.quoted(one.label)} is found {how} often: {value}{of} against "
            f"{expected} in {other} ({sure})."
        )
    what = spoken(finding.name)
    if one.of_class:
        what = f"{what} of class {figures.quoted(one.label)}"
    own = figures.short(finding.reference_value)
    placed = f"{expected} in {other}"
    if own != figures.short(finding.reference) and finding.condition == "classes":
        placed = f"the {expected} that {other} would have with as many cases of each class"
        placed += f" (its own: {own})"
    return f"{group}: {what} {value} is {finding.verdict} than {placed} ({sure})."


def _other(facts: ClassAuditFacts, one: Judgement) -> str:
    others = [g.group for g in facts.groups if g.n and g.group != one.group.group]
    two = facts.mirrored and facts.reference == "rest"
    return called(others[0]) if two else reference_of(facts)


def _cases(one: Judgement) -> float:
    assert isinstance(one.group, AuditedGroup)
    return one.group.table.n_positive


def _small(facts: ClassAuditFacts) -> tuple[str, ...]:
    size = figures.short(facts.gap)
    few: dict[str, list[object]] = {}
    tested = 0
    for one in facts.classes:
        for group in one.groups:
            for finding in group.findings:
                tested += 1
                if finding.verdict == "too_small":
                    few.setdefault(called(group.group), []).append(one.label)
    if not few:
        return ()
    n = sum(map(len, few.values()))
    head = f"Too few cases to show a gap of {size}"
    if n == tested:
        return (f"{head} in any class of any group (marked ?).",)
    head = f"{head}: {n:,} of {tested:,} groups within a class"
    if len(few) > NAMED:
        return (f"{head} (marked ?).",)
    parts = (
        f"{where}: {_few(tuple(dict.fromkeys(labels)))}"
        if len(labels) < len(facts.classes)
        else f"{where}: every class"
        for where, labels in few.items()
    )
    return (f"{head} (marked ?): {'; '.join(parts)}.",)


def _untested(facts: ClassAuditFacts) -> tuple[str, ...]:
    judged = []
    for place, group in enumerate(facts.groups):
        found = facts.findings_of(place)
        told = {f.tested if isinstance(f, AverageFinding) else f.verdict for f in found}
        reasons = {f.reason for f in found if f.reason}
        judged += [(called(group.group), told, reasons)] if group.n else []
    return shared.not_tested(judged)


def _absent(facts: ClassAuditFacts) -> tuple[str, ...]:
    lines = [f"No cases of {named(facts.absent)}."] if facts.absent else []
    lacking = [
        f"{called(group.group, first=True)} has no {_few(some)}"
        for group in facts.groups
        if (some := tuple(x for x in group.absent if x not in facts.absent))
    ]
    if len(lacking) > EXAMPLES:
        of = f"{in_words(len(lacking))} of {len(facts.groups):,} groups lack a class"
        lines.append(f"{of}, for example {lacking[0]}.")
    elif lacking:
        lines.append(f"{'; '.join(lacking)}.")
    return tuple(lines)


def _few(labels: tuple[object, ...]) -> str:
    return first_of(map(figures.quoted, labels), EXAMPLES, write=figures.count)


def _undefined(facts: ClassAuditFacts) -> tuple[str, ...]:
    found: dict[str, list[str]] = {}
    for group in facts.groups:
        for f in group.findings:
            if f.tested == "undefined":
                why = f"{called(group.group)} ({f.reason})"
                found.setdefault(spoken(f.name), []).append(why)
    if not found:
        return ()
    parts = [
        f"{name} in {'; '.join(where)}"
        if len(where) == 1
        else f"{name} in {in_words(len(where)).lower()} groups, such as {where[0]}"
        for name, where in found.items()
    ]
    more = f"; and {len(parts) - EXAMPLES} more metrics" if parts[EXAMPLES:] else ""
    return (f"Undefined: {'; '.join(parts[:EXAMPLES])}{more}.",)


def about(facts: ClassAuditFacts) -> tuple[tuple[str, str], ...]:
    """Say what was audited."""
    total = figures.count(facts.n)
    total = total if facts.effective_n is None else f"total weight {total}"
    return about_lines(
        ("Classes", _counted(facts.class_labels)),
        ("Decisions", _counted(facts.decisions) or decided(facts)),
        ("Cases", f"{total}{cases_dropped(facts)}"),
        ("Weights", shared.weights_of(facts)),
        ("Clusters", shared.clusters_of(facts)),
        ("Groups", groups_of(facts)),
        ("Truth", "" if facts.target is None else f"column {figures.quoted(facts.target)}"),
        ("Prediction", prediction(facts.prediction, facts.scores, facts.tied)),
        ("Scores", scores(facts.scores)),
    )


def _counted(labels: tuple[object, ...]) -> str:
    return f"{figures.count(len(labels))}: {named(labels)}" if labels else ""


def method(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Say how groups were tested and adjusted."""
    others = "all others" if facts.reference in REFERENCES else facts.reference
    if facts.sampled:
        what = (NOT_HELD if facts.condition == "none" else HELD).format(others=others)
        tested = APPROXIMATE.format(what=what)
        if facts.classes:
            tested = f"{EACH_APPROXIMATE.format(of=shared.sampled(facts))} {tested}"
        return (
            f"{tested} Tests are two-sided.",
            ADJUSTED[facts.adjustment],
            shared.intervals_of(facts),
        )
    words = DEALT_ALL if facts.condition == "none" else DEALT_WITHIN
    words = f"{TESTED} {words}" if facts.classes else words
    deals = "; in all ways, enumerated"
    if facts.n_deals:
        deals = f"; up to {facts.n_deals:,} random deals with a fixed seed"
        deals += "" if facts.decisions else f", {EXACT}"
    level = figures.level(facts.confidence_level)
    lost = (
        f" {TOO_FEW}" if any(_at_floor(facts, f) for g in facts.groups for f in g.findings) else ""
    )
    return (
        f"{words.format(others=others)}{deals}. {_as_of_two(facts)}Tests are two-sided.{lost}",
        ADJUSTED[facts.adjustment],
        f"Intervals hold {level} of the posterior; {SIMULATED}.",
    )


def _as_of_two(facts: ClassAuditFacts) -> str:
    findings = (f for group in facts.groups for f in group.findings)
    names = dict.fromkeys(spoken(f.name) for f in findings if f.route and f.route not in BY_CASES)
    return f"{AS_OF_TWO.format(names=', '.join(names))} " if names else ""


def _at_floor(facts: ClassAuditFacts, finding: AverageFinding) -> bool:
    """Whether no deal was as extreme, and that is not enough."""
    floor = 2 / (1 + facts.n_deals)
    dealt = finding.route == "permutation" and finding.adjusted_p > facts.alpha
    return dealt and finding.p_value <= floor * (1 + 1e-9)
