"""An audit as a sheet: findings, groups by metrics, forests, every test, what was held fixed."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.audit import POWER, AuditFacts, GapFact, SmoothingFact
from baserate.report import scores
from baserate.report.audit_matrix import (
    FEW,
    TestedGroup,
    largest_gaps,
    matrix_of,
    ratios_of_groups,
    too_small,
)
from baserate.report.audit_shown import (
    FOUND,
    groups_of,
    has_room,
    in_brief,
    left_out,
    open_forests,
    reference_of,
    shown_of,
)
from baserate.report.audit_words import (
    answer,
    cases_of,
    clusters_of,
    gap_in_words,
    how,
    method,
    sampled,
    smoothed,
    verdict,
    weights_of,
)
from baserate.report.clustering import FLOOR, replicates
from baserate.report.columns import Column, counts_of, each, grid, text
from baserate.report.evaluation_methods import OTHERS, SHARES
from baserate.report.fairness import fairness_parts
from baserate.report.intersections import beyond_pairs
from baserate.report.methods import Statement, for_paper
from baserate.report.opening import (
    UNDRAWN,
    Pictures,
    about_lines,
    cases_dropped,
    classes_of,
    opened,
)
from baserate.report.sheet import Figure, Grid, Remarks, Sheet
from baserate.report.words import called, first_of, in_words, named, reason_of, small_cells

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

APART = "Tested apart from the comparisons above, at the same {level}."
DIFFERENCE = ("finding.difference_low", "finding.difference_high")
BY_ITSELF = "its interval,\nunadjusted"
MIN_P = (
    "p-values were adjusted over the metrics of a group by the enumerated law of the smallest of "
    "them{large}, and over groups by Holm's method, {n} in all"
)
LARGE = " (of large groups by Holm's method)"
ADJUSTED = {
    "holm": Statement("p-values were adjusted for {n} by Holm's method", ("holm",)),
    "benjamini-hochberg": Statement(
        "p-values were adjusted for {n} by Benjamini and Hochberg's method, which "
        "bounds the share of false alarms among alarms",
        ("benjamini",),
    ),
    "min-p": Statement(MIN_P.replace("{large}", ""), ("westfall", "holm")),
    "min-p or holm": Statement(MIN_P.replace("{large}", LARGE), ("westfall", "holm")),
}
OF_POSITIVES = {
    "poisson_binomial": "law of the number of its positives at the stated risks (Poisson-binomial)",
    "exact": "binomial law of its positives at the mean risk",
    "conservative": "binomial law of its positives at the mean risk, which no law of risks that "
    "differ spreads wider than, where scores came counted in bins at their worst for it",
    "asymptotic": "logarithm of observed over expected, by its own clusters or replicates",
}
NORMAL = (
    "approximate, by normal laws of true and false positives, where a group had too many tables to "
    "list"
)


def sheet_of(facts: AuditFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True) -> Sheet:
    """Arrange the facts; what only details show is computed only if they are shown."""
    shown = shown_of(facts)
    return opened(
        "Audit",
        facts,
        drawn,
        answer=answer(facts),
        about=_about(facts),
        parts=(
            matrix_of(shown, left_out(facts)),
            ratios_of_groups(shown),
            *forests(facts, drawn.svgs),
            largest_gaps(facts, ((named(gap.name), gap) for gap in shown.gaps), figures.number),
            *fairness_parts(facts),
            _calibration(in_brief(facts)),
            Remarks("Left out of gaps, since undefined", _left_out(shown.gaps)),
            too_small((spoken(gap.name), gap) for gap in shown.gaps),
            drawn.lacking,
            *(_detailed(facts, shown, drawn.svgs) if in_full else ()),
        ),
        more=("the gap that each group would miss", "every p-value", "methods"),
        how=how(facts),
        method=method(facts),
    )


def _left_out(gaps: tuple[GapFact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (sentence_case(spoken(gap.name)), _undefined(gap)) for gap in gaps if gap.undefined
    )


def _undefined(gap: GapFact) -> str:
    parts = (f"{called(group)} ({reason})" for group, reason in gap.undefined)
    return first_of(parts, FEW, "; ", "; and ")


def _calibration(facts: AuditFacts) -> Grid | Remarks:
    if facts.calibration_reason:
        why = (("Calibration by group", sentence_case(reason_of(facts.calibration_reason))),)
        return Remarks("Not in this report", why)
    grid = scores.calibration_by_group(facts.calibration)
    return replace(grid, note=f"{grid.note} {APART.format(level=figures.level(facts.alpha))}")


def _about(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    t, show = facts.table, figures.count
    total = show(t.n) if facts.effective_n is None else f"total weight {show(t.n)}"
    heading, classes = classes_of(facts, t, judged=facts.judged_cases)
    return about_lines(
        (heading, figures.quoted(facts.positive)),
        ("Cases", f"{total}: {classes}{cases_dropped(facts)}"),
        ("Weights", weights_of(facts)),
        ("Clusters", clusters_of(facts)),
        ("Small cells", small_cells(facts.suppression)),
        ("Groups", groups_of(facts)),
        ("Truth", "" if facts.target is None else figures.quoted(facts.target)),
        ("Prediction", _prediction(facts)),
        ("Base rate", "" if facts.base_rate is None else f"restated at {facts.base_rate:g}"),
    )


def _prediction(facts: AuditFacts) -> str:
    if facts.score is not None and facts.threshold is not None:
        named = ", a cut that nobody named" if facts.default_threshold else ""
        score = figures.quoted(facts.score)
        return f"positive where {score} is {facts.threshold:g} or more{named}"
    return "" if facts.prediction is None else figures.quoted(facts.prediction)


def of_audit(facts: AuditFacts) -> Iterator[Statement]:
    """Yield how groups were tested, what would have gone unseen, what was drawn beside them."""
    if facts.n_comparisons:
        yield from _tests(facts)
        yield from _unseen(facts)
    yield from _values(facts)
    if any(not math.isnan(group.adjusted_p_value) for group in facts.calibration):
        routes = {group.observed_expected.p_value_route for group in facts.calibration}
        laws = " or ".join(law for route, law in OF_POSITIVES.items() if route in routes)
        yield Statement(
            "Whether the probabilities of a group are right on the whole was tested by the "
            f"{laws}; p-values were adjusted for the number of groups by Holm's method",
            ("holm",),
        )


def _tests(facts: AuditFacts) -> Iterator[Statement]:
    by = _by_condition(facts)
    laws = "; ".join(
        f"{', '.join(names)} {'with ' * (at == 'none')}{HELD[at]}" for at, names in by.items()
    )
    cites = ("briscoe", *(("fisher",) if by.keys() - {"none"} else ()))
    how = "two-sided conditional tests, which deal all cases out to the group and the reference"
    if not facts.uncertain_reference:
        how = (
            "two-sided tests, enumerated, of whether a group of this size has the reference's "
            "rates, taken as known"
        )
    if facts.sampled:
        cites = ("rao_scott",) if facts.effective_n is None else ("rao_scott", "kish")
        how = f"two-sided tests, approximate, with Rao and Scott's correction for {sampled(facts)}"
    if facts.n_dealt:
        rest = "" if facts.n_dealt == facts.n_tested else f"; where that was not possible, {how}"
        cites = ("gail",) if not rest else ("gail", *cites)
        how = f"two-sided permutation tests, enumerated, which deal out whole clusters{rest}"
    yield Statement(
        f"{figures.count(len(facts.groups))} groups were compared with {reference_of(facts)} by "
        f"{how}: {laws}",
        cites,
    )
    by = ADJUSTED[facts.adjustment]
    n = facts.n_comparisons
    said = by.text.format(n=f"{figures.count(n)} {'comparison' if n == 1 else 'comparisons'}")
    yield Statement(f"{sentence_case(said)}; alpha = {facts.alpha:g}", by.cites)


def _unseen(facts: AuditFacts) -> Iterator[Statement]:
    findings = [finding for group in facts.groups for finding in group.findings]
    if all(math.isnan(finding.unseen) for finding in findings):
        return
    large = any(f.unseen_route == "approximate" and f.route != "approximate" for f in findings)
    how = f" ({NORMAL})" if large else ""
    yield Statement(
        f"A group was called too small to tell where the test, at alpha over the number of "
        f"comparisons, would have found a difference of {gap_in_words(facts, findings)} with a "
        f"probability below {POWER:g}{how}"
    )


def _values(facts: AuditFacts) -> Iterator[Statement]:
    level = figures.level(facts.confidence_level)
    text, cites = SHARES["bayes"]
    text, cites = f"{text}; {OTHERS}", (*cites, "caelen")
    if facts.n_clusters is not None:
        text, cites = f"Student's, from the jackknife over clusters, {FLOOR}", ("korn",)
    elif facts.n_replicates is not None:
        text, cites = f"Student's, from {replicates(facts)}", ("korn",)
    yield Statement(f"Values of a group are given with {level} intervals: {text}", cites)
    if facts.effective_n is not None:
        yield Statement("Weighted cases count as Kish's effective number of cases", ("kish",))
    yield Statement(
        f"Smoothed values add {facts.strength:g} pseudo-cases that are distributed as the "
        "reference (Cross-Prior Smoothing)",
        ("briscoe", "bishop"),
    )


def _by_metric(facts: AuditFacts) -> dict[str, list[TestedGroup]]:
    """Return the findings of every group, metric by metric."""
    columns = zip(*(group.findings for group in facts.groups), strict=True)
    return {column[0].name: [*map(TestedGroup, facts.groups, column)] for column in columns}


def forests(facts: AuditFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the forests of the metrics by which groups differ; of the nearest one if none do."""
    note = FOREST.format(other=reference_of(facts))
    return tuple(
        Figure(svg=pictures[name], note="" if i else note)
        for i, name in enumerate(name for name in open_forests(facts) if name in pictures)
    )


def _detailed(
    facts: AuditFacts, shown: AuditFacts, pictures: Mapping[str, str]
) -> tuple[Grid | Remarks, ...]:
    counted = shown.groups if facts.judged_cases else ()
    return (
        *_every_test(facts, shown, pictures),
        counts_of("group", counted, text("group", "group", called)),
        Remarks("More than their margins say", beyond_pairs(facts), detail=True),
        Remarks("What was tested", held(facts), detail=True),
        Remarks("Smoothing", smoothing(shown), detail=True),
        for_paper(of_audit(facts)),
    )


def _every_test(
    facts: AuditFacts, shown: AuditFacts, pictures: Mapping[str, str]
) -> tuple[Grid | Remarks, ...]:
    """Return every test, one table for each metric shown; its title counts all groups."""
    folded = {name: svg for name, svg in pictures.items() if name not in open_forests(facts)}
    folded = folded if has_room(shown) else {}
    others = "all others" if facts.reference == "overall" else reference_of(facts)
    said = {"other": reference_of(facts), "others": others}
    titles = {name: _found(name, tests) for name, tests in _by_metric(facts).items()}
    reading = tuple((heading, text.format(**said)) for heading, text in READING.items())
    return (
        Remarks("How to read the tests", reading, detail=True),
        *(
            _table(shown, tests, titles[name], folded.get(name, ""))
            for name, tests in _by_metric(shown).items()
        ),
    )


def _found(name: str, tests: list[TestedGroup]) -> str:
    """Say in a line what was found by one metric."""
    verdicts = [test.finding.verdict for test in tests]
    n_found = sum(v in FOUND for v in verdicts)
    differ = "group differs" if n_found == 1 else "groups differ"
    parts = [f"{in_words(n_found).lower()} {differ}" if n_found else "no difference seen"]
    for kind, called_so in (("too_small", "too small to tell"), ("undefined", "undefined")):
        if n := verdicts.count(kind):
            parts.append(f"{n:,} {called_so}")
    return f"{sentence_case(spoken(name))}: {', '.join(parts)}"


def held(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Return what was held fixed for which metrics."""
    return tuple((", ".join(names), HELD[at]) for at, names in _by_condition(facts).items())


def _by_condition(facts: AuditFacts) -> dict[str, dict[str, None]]:
    """Return the metrics by what was held fixed, each once."""
    by: dict[str, dict[str, None]] = {}
    for finding in (finding for group in facts.groups for finding in group.findings):
        if finding.condition:
            by.setdefault(finding.condition, {})[spoken(finding.name)] = None
    return by


def smoothing(facts: AuditFacts) -> tuple[tuple[str, str], ...]:
    """Say what smoothed values are, and group by group whether smoothing helps."""
    of_groups = ((called(g.group), g.smoothing) for g in facts.groups)
    helps = ((where, on_smoothing(fact, facts.strength)) for where, fact in of_groups if fact)
    return (("smoothed", smoothed(facts)), *helps)


def _table(facts: AuditFacts, tests: list[TestedGroup], title: str, picture: str) -> Grid:
    columns = facts.group_names
    names = tuple(map(figures.label, columns))
    apart = any(test.finding.has_difference for test in tests)
    brief = partial(figures.label, most=figures.BRIEF)
    return grid(
        title,
        tests,
        *each(names, lambda row: [row.group.group.get(x, "all") for x in columns], brief),
        text("n", lambda row: cases_of(row.group), figures.count),
        text("value", "finding.value", figures.number),
        text("interval", ("finding.low", "finding.high"), figures.interval),
        text("smoothed", "finding.smoothed", figures.or_nothing),
        text("reference", "finding.reference", figures.or_nothing),
        not apart and text("own", "finding.reference_value", figures.or_nothing),
        apart and text("difference", "finding.difference", figures.or_nothing),
        apart and text(BY_ITSELF, DIFFERENCE, figures.interval),
        text("percentile", "finding.percentile", _percentile),
        text("p", "finding.p_value", figures.p_value),
        text("adjusted p", "finding.adjusted_p", figures.p_value),
        text("unseen", "finding.unseen", least),
        Column("verdict", lambda row: verdict(facts, row.finding)),
        labels=len(names),
        sentence=True,
        detail=True,
        picture=picture,
    )


def _percentile(share: float) -> str:
    return figures.NOTHING if math.isnan(share) else figures.percent(share)


def least(unseen: float) -> str:
    """Write the smallest gap that would be seen."""
    if math.isnan(unseen):
        return figures.NOTHING
    return "any" if math.isinf(unseen) else figures.short(unseen)


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
