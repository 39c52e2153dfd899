"""A comparison of several classes as a sheet: yields, metrics, differences, classes, costs."""

import math
from typing import NamedTuple

from baserate import _figures as figures
from baserate._figures import count, label, level, percent, quoted, spoken
from baserate.facts.comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedPair,
    DifferenceFact,
    TurnFact,
)
from baserate.report import compare_answer, compare_laws, compare_scores
from baserate.report.class_words import BY_UTILITY, GUESSES, named
from baserate.report.columns import PAIR, Column, each, exactly, grid, number, span, text
from baserate.report.compare import MORE
from baserate.report.compare_tables import (
    MOST,
    classifiers,
    differences,
    margins,
    metrics,
    of_places,
)
from baserate.report.compare_words import (
    earns,
    stakes_told,
    unit,
    utilities,
    worth_using,
    worths,
)
from baserate.report.methods import for_paper, sentences
from baserate.report.opening import (
    UNDRAWN,
    Pictures,
    about_lines,
    captioned,
    cases_dropped,
    opened,
    source_of,
)
from baserate.report.sheet import Grid, Remarks, Sheet
from baserate.report.words import SIGNIFICANT, UNADJUSTED, left_out, listed, reason_of

FEW = 3  # classifiers that the first sentence names one by one
NAMED = 4  # metrics, classes, costs that a sentence names
SAME = (
    "Tested on the same cases: of every two classifiers those where both are right, only one of "
    "them, or neither have a Dirichlet posterior, with half a case for each alone (and so half a "
    "case for the right and for the wrong answers of either); p is McNemar's mid-p of the cases "
    "that one alone gets right, two-sided; of averages and correlations, of swaps of both answers."
)
SEPARATE = (
    "Tested on separate cases: each table has a Dirichlet posterior of its own, with half a case "
    "for all right decisions and half a case for all others; shares of classes are as uncertain as "
    "the counts."
)
BY_ITSELF = (
    "The table of decisions by classes has a Dirichlet posterior, with half a case for all right "
    "decisions and half a case for all others."
)
EXACT = "Yields and recall are computed, averages and correlations are simulated, always "
TURNS = "Costs at which the ranking turns are those of these cases; new cases would move them."
HOLM = "Adjusted p-values allow for the number of pairs, or of classes, by Holm's method."


class Differing(NamedTuple):
    """A difference of two classifiers, and the pair or the class that it is of."""

    of: ComparedPair | ClassPairFact
    fact: DifferenceFact


def sheet_of(facts: ClassComparisonFacts, drawn: Pictures = UNDRAWN, **_: bool) -> Sheet:
    """Arrange the facts."""
    several = bool(facts.pairs)
    apart = (metrics, differences, margins, _pairs, _classes, _turns) if several else ()
    return opened(
        "Comparison" if several else "Evaluation",
        facts,
        drawn,
        answer=answer(facts) if several else alone(facts),
        about=(*about(facts), ("Data", source_of(facts))),
        parts=(
            *captioned(drawn),
            classifiers(facts) if several else worths(facts.stakes, facts.classifiers[0]),
            *(part(facts) for part in apart),
            utilities(facts.stakes),
            _groups(facts) if several else _groups_alone(facts),
            *(compare_scores.parts(facts) if facts.scores else ()),
            Remarks("No interval", _no_interval(facts)),
            for_paper(sentences(method(facts))),
        ),
        more=MORE if several else ("methods",),
        how=compare_laws.how(facts),
        method=method(facts),
    )


def _pairs(facts: ClassComparisonFacts) -> Grid:
    return grid(
        "Pairs",
        facts.pairs[:MOST],
        *PAIR,
        number("difference"),
        span(),
        text("P(first better)", "a_better", figures.chance),
        text("only\nfirst", "only_a", _cases),
        text("only\nsecond", "only_b", _cases),
        text("p", "p_value", figures.p_value),
        len(facts.pairs) > 1 and text("adjusted p", "adjusted_p", figures.p_value),
        text("design\neffect", "design_effect", figures.or_nothing),
        labels=2,
        note=f"Difference: {unit(facts)} of the first less that of the second."
        + UNADJUSTED * (len(facts.pairs) > 1)
        + " "
        + (_alone(facts) if facts.paired else "")
        + left_out(min(len(facts.pairs), MOST), len(facts.pairs)),
        detail=facts.stakes.kind == "accuracy" and any(pair.metrics for pair in facts.pairs),
    )


def _cases(n: int | None) -> str:
    return "" if n is None else figures.count(n)


def _alone(facts: ClassComparisonFacts) -> str:
    does = "decides best" if facts.stakes.named else "gets right"
    return f"Only first, only second: cases that it alone {does}."


def _classes(facts: ClassComparisonFacts) -> Grid:
    pair = facts.leading
    every = [Differing(one, m) for one in pair.classes for m in one.metrics]
    shown, note = every, ""
    if len(every) > MOST:
        shown = sorted(every, key=_clear)[:MOST]
        note = f"The {MOST} clearest; {len(every) - MOST:,} more are in the JSON."
    first, second = figures.label(pair.a), figures.label(pair.b)
    names = list(dict.fromkeys(row.fact.name for row in every))
    of = f"{spoken(names[0])} of " if len(names) == 1 else ""
    return grid(
        f"Class by class: {of}{first} and {second}",
        shown,
        text("class", "of.label", figures.quoted),
        not of and text("metric", "fact.name", spoken),
        number(first, "fact.value_a"),
        number(second, "fact.value_b"),
        number("difference", "fact.difference"),
        span(("fact.low", "fact.high")),
        text("only\nfirst", "of.only_a", _cases),
        text("only\nsecond", "of.only_b", _cases),
        text("adjusted p", "of.adjusted_p", figures.p_value),
        labels=1 if of else 2,
        note=note,
    )


def _clear(row: Differing) -> tuple[float, float]:
    p, difference = row.of.p_value, row.fact.difference
    return 2.0 if math.isnan(p) else p, 0.0 if math.isnan(difference) else -abs(difference)


def _turns(facts: ClassComparisonFacts) -> Grid:
    return grid(
        "Costs at which the ranking turns",
        facts.leading.turns,
        Column("error", error),
        text("turns at cost", "cost", figures.number),
        text("better if it costs more", "above"),
        note="In units of any other error; each cost by itself, those nearest to 1 first.",
        sentence=True,
        detail=True,
    )


def _groups(facts: ClassComparisonFacts) -> Grid:
    return of_places(
        facts,
        "Groups",
        facts.groups[:MOST],
        facts.group_names,
        text("n", write=figures.count),
        write=exactly,
        best="highest",
        note=left_out(min(len(facts.groups), MOST), len(facts.groups)),
    )


def _groups_alone(facts: ClassComparisonFacts) -> Grid:
    return grid(
        "Groups",
        facts.groups[:MOST],
        *each(map(figures.label, facts.group_names), lambda place: place.group.values()),
        text("n", write=figures.count),
        number("utility\nper case", "worth.value"),
        text("interval", ("worth.low", "worth.high"), figures.interval),
        number("best constant", "constant_value"),
        text("P(beats constant)", "worth.beats_constant", figures.chance),
        text("skill", "worth.skill", figures.or_nothing),
        labels=len(facts.group_names),
        note=left_out(min(len(facts.groups), MOST), len(facts.groups)),
        asked=True,
    )


def _no_interval(facts: ClassComparisonFacts) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    for pair in facts.pairs:
        if pair.reason:
            found[unit(facts), reason_of(pair.reason)] = None
        for one in (*pair.metrics, *(m for of in pair.classes for m in of.metrics)):
            if one.reason and not math.isnan(one.difference):
                found[spoken(one.name), reason_of(one.reason)] = None
    return tuple(found)


def answer(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Return the answer: decisions before the scores that they come from where stakes are named."""
    scores, worth = compare_scores.answer(facts), facts.stakes.kind != "accuracy"
    # Where nobody asked for a metric or named stakes, and each finds more of some class.
    traded = len(_finding(facts)) > 1 and not (facts.asked or worth or scores)
    return (
        *compare_answer.untold(facts),
        *compare_answer.margins(facts),
        *(_of_classes(facts) if traded else ()),
        *(() if worth else scores),
        *compare_answer.raced(facts),
        *compare_answer.alike(facts),
        *_apart(facts),
        *compare_answer.best(facts),
        *compare_answer.worth(facts),
        *(scores if worth else ()),
        *_other_shares(facts),
        *_metrics_disagree(facts),
        *(() if traded else _of_classes(facts)),
        *_no_stakes(facts),
        *compare_answer.in_groups(facts),
    )


def alone(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Return the answer about one classifier: what its decisions earn, and beside what."""
    told = worth_using(facts.stakes, facts.classifiers[0], facts.confidence_level)
    return (told, *compare_answer.alike(facts))


def _does(facts: ClassComparisonFacts, value: float) -> str:
    return f"is right in {percent(value)}" if facts.stakes.kind == "accuracy" else earns(value)


def _apart(facts: ClassComparisonFacts) -> tuple[str, ...]:
    pair, first, second = facts.leading, *facts.ranked[:2]
    if facts.asked or facts.stakes.kind != "accuracy":
        return ()
    if pair.only_a is None or pair.only_b is None:
        return ()
    turned = pair.a != first.name
    alone = (pair.only_b, pair.only_a) if turned else (pair.only_a, pair.only_b)
    text = f"{label(first.name)} alone gets right {count(alone[0])} cases"
    return (f"{text}, {label(second.name)} alone {count(alone[1])}.",)


def _other_shares(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say what yields would be if all test sets held the classes in the same shares."""
    if facts.same_shares:
        return ()
    head = "The test sets hold the classes in other shares, which moves yields by itself"
    known = [one for one in facts.ranked if not math.isnan(one.at_all_shares)]
    if len(known) < len(facts.ranked) or len(known) > FEW:
        return (f"{head}.",)
    at = (f"{label(one.name)} {_does(facts, one.at_all_shares)}" for one in known)
    return (f"{head}: in the shares of all cases together {listed(at)}.",)


def _metrics_disagree(facts: ClassComparisonFacts) -> tuple[str, ...]:
    pair, first, second = facts.leading, *facts.ranked[:2]
    sign = 1 if pair.a == first.name else -1
    if not pair.difference:
        return ()
    directed = {m.name: m.direction for m in first.metrics}
    wrong = [
        spoken(one.name)
        for one in pair.metrics
        if sign * one.difference * {"higher": 1, "lower": -1}.get(directed[one.name], 0) < 0
    ]
    if not wrong:
        return ()
    verb = "puts" if len(wrong) == 1 else "put"
    return (f"In these cases {listed(wrong, NAMED)} {verb} {label(second.name)} first.",)


def _finding(facts: ClassComparisonFacts) -> dict[str, list[str]]:
    """Return of which classes each of the first two finds more, beyond luck."""
    pair = facts.leading
    told = [one for one in pair.classes if one.adjusted_p < SIGNIFICANT]
    sides = {
        name: [quoted(x.label) for x in told if ((x.only_a or 0) > (x.only_b or 0)) is of_a]
        for name, of_a in ((pair.a, True), (pair.b, False))
    }
    return {name: more for name, more in sides.items() if more}


def _of_classes(facts: ClassComparisonFacts) -> tuple[str, ...]:
    if all(math.isnan(one.adjusted_p) for one in facts.leading.classes):
        return ()
    sides = _finding(facts)
    if not sides:
        return ("No class by itself tells them apart (p-values adjusted for all classes).",)
    parts = [f"{label(name)} finds more of {listed(more, NAMED)}" for name, more in sides.items()]
    return (f"Class by class, {', '.join(parts)} (p-values adjusted for all classes).",)


def _no_stakes(facts: ClassComparisonFacts) -> tuple[str, ...]:
    if facts.stakes.kind != "accuracy":
        return ()
    head = "No utilities were given, so that every error counts the same in accuracy"
    pair = facts.leading
    if not pair.turns:
        return (f"{head}.",)
    second, turn = facts.ranked[1].name, pair.turns[0]
    told = f"{head}; in these cases {label(second)} is worth more if {turned(turn, second)}"
    return (f"{told}.",)


def turned(turn: TurnFact, name: str) -> str:
    """Say at which cost of an error a classifier is the better one."""
    more = "more" if turn.above == name else "less"
    return f"{error(turn)} costs {more} than {turn.cost:.3g} times any other error"


def error(turn: TurnFact) -> str:
    """Name an error."""
    other = "anything else" if turn.prediction is None else quoted(turn.prediction)
    return f"taking {quoted(turn.truth)} for {other}"


def about(facts: ClassComparisonFacts) -> tuple[tuple[str, str], ...]:
    """Say what was compared: classes, cases, columns, stakes."""
    apart = "" if facts.paired else " in separate test sets"
    total = sum(facts.class_counts.values())
    weight = "" if facts.effective_n is None else f", total weight {count(total)}"
    return about_lines(
        ("Classes", f"{count(len(facts.labels))}: {named(facts.labels)}"),
        ("Cases", f"{count(facts.n)}{weight}{apart}{cases_dropped(facts)}"),
        ("Truth", "" if facts.target is None else quoted(facts.target)),
        ("Clusters", compare_laws.clusters(facts)),
        ("Weights", compare_laws.weights(facts)),
        ("Decisions", _decided(facts)),
        ("Worth", stakes_told(facts.stakes)),
        (
            "Guess",
            ""
            if facts.stakes.named
            else f"{GUESSES[facts.guess]} ({facts.guess.replace('_', '-')})",
        ),
    )


def _decided(facts: ClassComparisonFacts) -> str:
    if not facts.scores:
        return ""
    if facts.stakes.kind != "accuracy":
        return BY_UTILITY
    return "those with the highest score, the first of equals"


def method(facts: ClassComparisonFacts) -> tuple[str, ...]:
    """Say by which laws intervals, tests and chances were found."""
    errors = [
        one.error for pair in facts.pairs for one in pair.metrics if one.route == "simulation"
    ]
    said = f"(standard error of a probability at most {max(errors, default=0):.2g})."
    law = BY_ITSELF if not facts.pairs else SAME if facts.paired else SEPARATE
    lines = (
        compare_laws.of_sample(facts) or law,
        f"{EXACT}with the same seed {said}" if errors else "",
        compare_laws.intervals(facts, unit(facts))
        if facts.sampled
        else f"Intervals hold {level(facts.confidence_level)} of the posterior.",
        *compare_laws.best(facts),
        *compare_laws.caveats(facts),
        HOLM if facts.paired and facts.pairs else "",
        TURNS if any(pair.turns for pair in facts.pairs) else "",
        compare_scores.method(facts) if facts.scores else "",
        *compare_laws.no_chance(facts),
    )
    return tuple(filter(None, lines))
