"""The words of an audit of several classes: which groups differ, in what, and what cannot be told.

A class is spoken of as found more or less often, an average as higher or lower.
"""

import math

from baserate import _figures as figures
from baserate.facts.audit import AuditedGroup, Finding
from baserate.facts.class_audit import AverageFinding, ClassAuditFacts, ClassDifference
from baserate.report.audit_shown import MOST_GROUPS
from baserate.report.audit_words import (
    ANY,
    ERRORS,
    SILENT,
    called,
    cannot_tell,
    clusters_of,
    intervals_of,
    reference_of,
    sampled,
    weights_of,
)
from baserate.report.class_words import named, prediction, scores
from baserate.report.not_tested import not_tested
from baserate.report.words import in_words, reason_of, spoken

NAMED = 6  # findings named in the answer; the tables hold the others
EXAMPLES = 3  # of groups and classes, where the tables or the JSON hold the others
TESTED = (
    "Each class against the rest: all cases are dealt out to the group and the reference in all "
    "ways, given how many are of the class; Fisher's conditional test. All classes together: cases "
    "of each true class are "
    "dealt out anew between the group and {others}, so that another mix of classes alone is no "
    "difference"
)
DEALT_ALL = (
    "All classes together: all cases are dealt out anew between the group and {others}, so that "
    "another mix of classes is a difference too"
)
EXACT = "the number of right cases in all ways, enumerated"
DEALT = {"convolution", "permutation"}
AS_OF_TWO = (
    "What two classes have as well ({names}) is tested as in an audit of two classes, by all ways "
    "to deal the cases out."
)
SIMULATED = "those of averages and of differences by simulation with a fixed seed"
TOO_FEW = (
    "Where none of the deals is as extreme, more of them might show a difference that so many "
    "comparisons hide: name fewer metrics."
)
APPROXIMATE = (
    "Each class against the rest is tested as in an audit of two classes for {of}: by Rao and "
    "Scott's correction of Pearson's test, or where no cluster lies on both sides and they are "
    "neither too few nor too many, by whole clusters dealt out in all ways. All classes together: "
    "{what}, in standard errors that the design gives (Rao and Scott's), with Student's law: "
    "approximate."
)
HELD = (
    "the difference from what {others} would score with as many cases of each class, so that "
    "another mix of classes alone is no difference"
)
NOT_HELD = "the difference from what {others} score, so that another mix of classes is one too"
TOGETHER = "All p-values, over groups, classes and metrics, are adjusted together by"
ADJUSTED = {
    "holm": f"{TOGETHER} Holm's method.",
    "benjamini-hochberg": (
        f"{TOGETHER} Benjamini and Hochberg's method, which bounds the share of false alarms among "
        "alarms, not the chance of any."
    ),
}


def answer(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Return the answer: which groups differ, which classes cannot be judged where."""
    return (
        *_differing(facts), *_small(facts), *_untested(facts), *_absent(facts), *_undefined(facts),
    )  # fmt: skip


def _differing(facts: ClassAuditFacts) -> tuple[str, ...]:
    tests, other = facts.n_comparisons, reference_of(facts)
    if not tests:
        return ("No group could be tested.",)
    comparisons = f"{tests:,} comparison{'s' * (tests > 1)}"
    chance = f"{comparisons}, {figures.level(facts.alpha)} {ERRORS.get(facts.adjust, ANY)}"
    if facts.approximate:
        chance += f"; approximate, for {sampled(facts)}"
    found = surest(facts)
    if not found:
        if _blind(facts):
            return (f"{cannot_tell(other, mirrored=facts.mirrored)} ({chance}).",)
        whom = (
            "The two groups are not seen to differ"
            if facts.mirrored
            else (f"No group is seen to differ from {other}")
        )
        return (f"{whom} by more than luck, in any class or on the whole ({chance}).",)
    n = len({tuple(one.group.group.values()) for one in found})
    if facts.mirrored:
        head = f"The two groups differ by more than luck ({chance})."
    else:
        verb = "group differs" if n == 1 else "groups differ"
        head = f"{in_words(n)} {verb} from {other} by more than luck ({chance})."
    more = len(found) - NAMED
    rest = (f"{in_words(more)} more in the tables below.",) if more > 0 else ()
    return (head, *(_named(facts, one) for one in found[:NAMED]), *rest)


def _blind(facts: ClassAuditFacts) -> bool:
    """Whether nothing could be told of any group; of many, whose intervals cost, only by class."""
    of_class = (f for one in facts.classes for group in one.groups for f in group.findings)
    whole = (f for group in facts.groups for f in group.findings)
    few = len(facts.groups) <= MOST_GROUPS
    return few and all(f.verdict in SILENT for f in (*of_class, *whole))


def surest(facts: ClassAuditFacts) -> list[ClassDifference]:
    """Return what cannot be luck, the surest first; of two mirrored groups one side.

    Always the same one, if it differs: that of the surest finding.
    """
    order = sorted(facts.differing, key=lambda one: one.finding.adjusted_p)
    if not facts.mirrored or not order:
        return order
    lead = order[0].group.group
    once: dict[tuple[bool, str, str], ClassDifference] = {}
    for one in sorted(order, key=lambda one: one.group.group != lead):
        once.setdefault((one.of_class, repr(one.label), one.finding.name), one)
    return sorted(once.values(), key=lambda one: one.finding.adjusted_p)


def _named(facts: ClassAuditFacts, one: ClassDifference) -> str:
    """Say how a group differs, in one class or on the whole."""
    finding, other = one.finding, _other(facts, one)
    value, expected = figures.told_apart(finding.value, finding.reference)
    p = figures.p_value(finding.adjusted_p)
    sure = f"adjusted p {p}" if p.startswith("<") else f"adjusted p = {p}"
    group = called(one.group.group, first=True)
    if one.of_class and finding.name == "recall":
        of = f" of {figures.count(_cases(one))}"
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


def _other(facts: ClassAuditFacts, one: ClassDifference) -> str:
    """Name what a group is compared with: the other one of two."""
    others = [g.group for g in facts.groups if g.n and g.group != one.group.group]
    two = facts.mirrored and facts.reference == "rest"
    return called(others[0]) if two else reference_of(facts)


def _cases(one: ClassDifference) -> float:
    """Return how many cases of the class the group has."""
    assert isinstance(one.group, AuditedGroup)
    return one.group.table.n_positive


def _small(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Name the groups with too few cases of a class to show a gap that matters."""
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
    """Name the groups of which nothing could be tested, and why."""
    judged = []
    for place, group in enumerate(facts.groups):
        found = facts.findings_of(place)
        told = {f.tested if isinstance(f, AverageFinding) else f.verdict for f in found}
        reasons = {f.reason for f in found if f.reason}
        judged += [(called(group.group), told, reasons)] if group.n else []
    return not_tested(judged)


def _absent(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Name the groups that lack a class; of many a few examples."""
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
    """Name a few classes, and say how many more there are."""
    shown = ", ".join(map(figures.quoted, labels[:EXAMPLES]))
    more = len(labels) - EXAMPLES
    return f"{shown} and {figures.count(more)} more" if more > 0 else shown


def _undefined(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Say which averages have no value, in which groups, and why in the first of them."""
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


def verdict(facts: ClassAuditFacts, finding: AverageFinding | Finding) -> str:
    """Return the verdict on one metric of one group in words."""
    other = reference_of(facts)
    unseen = getattr(finding, "unseen", math.nan)
    why = f": {reason_of(finding.reason)}" if finding.reason else ""
    far = (
        ""
        if math.isnan(unseen)
        else (
            ": any gap would go unseen"
            if math.isinf(unseen)
            else f": a gap under {figures.short(unseen)} would go unseen"
        )
    )
    return {
        "lower": f"lower than {other}",
        "higher": f"higher than {other}",
        "consistent": f"consistent with {other}",
        "unresolved": f"no difference seen; what would go unseen is not known{why}",
        "too_small": f"too small to tell{far}",
        "undefined": f"undefined{why}",
        "untested": f"not tested{why}",
    }[finding.verdict]


def about(facts: ClassAuditFacts) -> tuple[tuple[str, str], ...]:
    """Say what was audited."""
    rows = "row" if facts.missing == 1 else "rows"
    dropped = f"; {figures.count(facts.missing)} {rows} dropped as missing" if facts.missing else ""
    total = figures.count(facts.n)
    total = total if facts.effective_n is None else f"total weight {total}"
    lines = (
        ("Classes", f"{figures.count(facts.table.n_classes)}: {named(facts.table.labels)}"),
        ("Cases", f"{total}{dropped}"),
        ("Weights", weights_of(facts)),
        ("Clusters", clusters_of(facts)),
        ("Groups", f"{len(facts.groups):,}, compared with {reference_of(facts)}"),
        ("Truth", f"column {figures.quoted(facts.target)}" if facts.target else ""),
        ("Prediction", prediction(facts.prediction, facts.scores, facts.tied)),
        ("Scores", scores(facts.scores)),
    )
    return tuple((heading, text) for heading, text in lines if text)


def method(facts: ClassAuditFacts) -> tuple[str, ...]:
    """Say how groups were tested and adjusted."""
    others = "all others" if facts.reference in {"rest", "overall"} else facts.reference
    if facts.approximate:
        what = (NOT_HELD if facts.condition == "none" else HELD).format(others=others)
        tested = APPROXIMATE.format(of=sampled(facts), what=what)
        return f"{tested} Tests are two-sided.", ADJUSTED[facts.adjustment], intervals_of(facts)
    words = TESTED
    if facts.condition == "none":
        words = f"{TESTED.split(' All classes', maxsplit=1)[0]} {DEALT_ALL}"
    deals = "; in all ways, enumerated"
    if facts.n_deals:
        deals = f"; up to {facts.n_deals:,} random deals with a fixed seed, {EXACT}"
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
    """Say which metrics of the whole table have the tests of two classes."""
    findings = (f for group in facts.groups for f in group.findings)
    names = dict.fromkeys(spoken(f.name) for f in findings if f.route and f.route not in DEALT)
    return f"{AS_OF_TWO.format(names=', '.join(names))} " if names else ""


def _at_floor(facts: ClassAuditFacts, finding: AverageFinding) -> bool:
    """Whether no deal was as extreme, and that is not enough."""
    floor = 2 / (1 + facts.n_deals)
    dealt = finding.route == "permutation" and finding.adjusted_p > facts.alpha
    return dealt and finding.p_value <= floor * (1 + 1e-9)
