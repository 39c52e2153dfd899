"""A comparison of several classes as a sheet: yields, metrics, differences, classes, costs."""

import math
from typing import NamedTuple

from baserate import _figures as figures
from baserate.facts.class_comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedClassifier,
    ComparedPair,
    DifferenceFact,
)
from baserate.report import class_compare_words as words
from baserate.report import class_worth
from baserate.report.columns import PAIR, Column, each, exactly, grid, number, rate, span, text
from baserate.report.methods import Statement, for_paper
from baserate.report.pictures import UNDRAWN, Pictures, captioned
from baserate.report.sheet import Bar, Cell, Grid, Remarks, Sheet, render_sheet
from baserate.report.verification import unverified
from baserate.report.words import UNADJUSTED, guess_heading, left_out, reason_of, spoken

MOST = 40  # rows of a table
READING = (
    "P(best): how probably it has the highest expected {unit} of all classifiers. Skill: 0 is the "
    "best constant decision, 1 perfection."
)


class Differing(NamedTuple):
    """A difference of two classifiers, and the pair or the class that it is of."""

    of: ComparedPair | ClassPairFact
    fact: DifferenceFact


def render(
    facts: ClassComparisonFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    drawn: Pictures = UNDRAWN,
) -> str:
    """Return a comparison of several classes as text, JSON, Markdown or one HTML page."""
    return render_sheet(sheet_of(facts, drawn), format, color=color)


def sheet_of(facts: ClassComparisonFacts, drawn: Pictures = UNDRAWN) -> Sheet:
    """Arrange the facts."""
    source = figures.label(facts.source) if facts.source else "data in memory"
    return Sheet(
        title=f"Comparison of {source}",
        answer=(*unverified(facts.unverified), *words.answer(facts)),
        about=(*words.about(facts), ("Data", source)),
        parts=(
            *captioned(drawn),
            _classifiers(facts),
            _metrics(facts),
            _pairs(facts),
            _differences(facts),
            _classes(facts),
            _turns(facts),
            class_worth.utilities(facts.stakes),
            _groups(facts),
            Remarks(title="No interval", pairs=_no_interval(facts)),
            for_paper(tuple(Statement(line.rstrip(".")) for line in words.method(facts))),
        ),
        style=drawn.style,
        method=words.method(facts),
        document=facts.to_dict,
    )


def _classifiers(facts: ClassComparisonFacts) -> Grid:
    fixed = [(row[0], "", *row[1:]) for row in class_worth.constant_rows(facts.stakes, 4)]
    bars = (*(_bar(facts, one) for one in facts.ranked), *[None] * len(fixed))
    return grid(
        "Classifiers",
        facts.ranked,
        text("classifier", "name"),
        number("n" if facts.effective_n is None else "weight", "n", figures.count),
        number(words.unit(facts), "value"),
        span(),
        text("P(best)", "best", figures.chance),
        text("P(beats constant)", "beats_constant", figures.chance),
        text("skill", write=figures.or_nothing),
        below=fixed,
        note=READING.format(unit=words.unit(facts)),
        mark="best constant decision",
        bars=bars if any(bars) else (),
    )


def _bar(facts: ClassComparisonFacts, one: ComparedClassifier) -> Bar | None:
    matrix = facts.stakes.matrix or ((0.0, 1.0),)
    bounds = min(map(min, matrix)), max(map(max, matrix))
    mark = facts.stakes.constant_value
    text = f"{figures.number(one.value)}, interval {figures.interval(one.low, one.high)}"
    told = f"{text}, best constant {figures.number(mark)}"
    if bounds[0] == bounds[1]:
        return None
    return Bar.of(one.value, one.low, one.high, mark, bounds=bounds, words=told)


def _metrics(facts: ClassComparisonFacts) -> Grid:
    """Show metrics in columns: each classifier, and below them the guess if it is one for all."""
    names = [Cell(spoken(m.name), page=spoken(m.name)) for m in facts.classifiers[0].metrics]
    columns = zip(*(one.metrics for one in facts.ranked), strict=True)
    known = [{round(m.chance, 12) for m in of if not math.isnan(m.chance)} for of in columns]
    below = []
    if any(known) and all(len(one) <= 1 for one in known):
        row = [figures.or_nothing(one.pop() if one else math.nan) for one in known]
        below.append((guess_heading(facts.guess), *row))
    reasons = {m.chance_reason: None for m in facts.classifiers[0].metrics if m.chance_reason}
    lost = (reason_of(reason).rstrip(".") for reason in reasons)
    return grid(
        "Metrics of all classes",
        facts.ranked if names else (),
        text("classifier", "name"),
        *each(names, "metrics", rate),
        below=below,
        note=" ".join(f"No value of the guess: {reason}." for reason in lost),
    )


def _pairs(facts: ClassComparisonFacts) -> Grid:
    tested = facts.paired
    return grid(
        "Pairs",
        facts.pairs[:MOST],
        *PAIR,
        number("difference"),
        span(),
        text("P(first better)", "a_better", figures.chance),
        text("only\nfirst", "only_a", _cases, shown=tested),
        text("only\nsecond", "only_b", _cases, shown=tested),
        text("p", "p_value", figures.p_value, shown=tested),
        text("adjusted p", "adjusted_p", figures.p_value, shown=tested and len(facts.pairs) > 1),
        text("design\neffect", "design_effect", figures.or_nothing, shown=facts.sampled),
        labels=2,
        note=f"Difference: {words.unit(facts)} of the first less that of the second."
        + UNADJUSTED * (len(facts.pairs) > 1)
        + " "
        + (_alone(facts) if tested else "")
        + left_out(min(len(facts.pairs), MOST), len(facts.pairs)),
    )


def _cases(n: int | None) -> str:
    return figures.count(n or 0)


def _alone(facts: ClassComparisonFacts) -> str:
    does = "decides best" if facts.stakes.named else "gets right"
    return f"Only first, only second: cases that it alone {does}."


def _differences(facts: ClassComparisonFacts) -> Grid:
    """Show the differences of every metric; of many pairs, those of the first two classifiers."""
    every = sum(len(pair.metrics) for pair in facts.pairs)
    shown = facts.pairs if every <= MOST else (facts.leading,)
    note = "" if shown is facts.pairs else "Of the first two by yield; all pairs are in the JSON."
    return grid(
        "Differences of metrics",
        (Differing(pair, one) for pair in shown for one in pair.metrics),
        text("first", "of.a"),
        text("second", "of.b"),
        text("metric", "fact.name", _spoken),
        *_difference("of first", "of second"),
        text("P(first better)", "fact.a_better", figures.chance),
        labels=3,
        note=note,
    )


def _difference(first: str, second: str) -> tuple[Column, ...]:
    return (
        number(first, "fact.value_a"),
        number(second, "fact.value_b"),
        number("difference", "fact.difference"),
        span(("fact.low", "fact.high")),
    )


def _spoken(name: str) -> Cell:
    return Cell(spoken(name), page=spoken(name))


def _classes(facts: ClassComparisonFacts) -> Grid:
    """Show what tells the first two classifiers apart in each class; of many, the clearest."""
    pair = facts.leading
    every = [Differing(one, m) for one in pair.classes for m in one.metrics]
    shown, note = every, ""
    if len(every) > MOST:
        shown = sorted(every, key=_clear)[:MOST]
        note = f"The {MOST} clearest; {len(every) - MOST:,} more are in the JSON."
    first, second = words.pair_named(pair)
    names = list(dict.fromkeys(row.fact.name for row in every))
    of = f"{spoken(names[0])} of " if len(names) == 1 else ""
    return grid(
        f"Class by class: {of}{first} and {second}",
        shown,
        text("class", "of.label", figures.quoted),
        text("metric", "fact.name", spoken, shown=not of),
        *_difference(first, second),
        text("only\nfirst", "of.only_a", _cases, shown=facts.paired),
        text("only\nsecond", "of.only_b", _cases, shown=facts.paired),
        text("adjusted p", "of.adjusted_p", figures.p_value, shown=facts.paired),
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
        Column("error", words.error),
        text("turns at cost", "cost", figures.number),
        text("better if it costs more", "above"),
        note="In units of any other error; each cost by itself, those nearest to 1 first.",
        sentence=True,
    )


def _groups(facts: ClassComparisonFacts) -> Grid:
    names = [one.name for one in facts.classifiers]
    sure = len(names) == 2 and all(place.best for place in facts.groups)
    better = f"P({figures.label(names[0])} better)"
    return grid(
        "Groups",
        facts.groups[:MOST],
        *each(map(figures.label, facts.group_names), lambda place: place.group.values()),
        text("n", write=figures.count),
        *each(map(figures.label, names), lambda place: map(place.yields.get, names), exactly),
        number("best constant", "constant_value"),
        text(better, lambda place: place.best[names[0]], figures.chance, shown=sure),
        Column("highest", lambda place: words.best_of(facts, place)),
        labels=len(facts.group_names),
        note=left_out(min(len(facts.groups), MOST), len(facts.groups)),
        sentence=True,
    )


def _no_interval(facts: ClassComparisonFacts) -> tuple[tuple[str, str], ...]:
    """Say why differences of classes have no interval, each reason once."""
    found: dict[tuple[str, str], None] = {}
    for pair in facts.pairs:
        if pair.reason:
            found[words.unit(facts), reason_of(pair.reason)] = None
        for one in (*pair.metrics, *(m for of in pair.classes for m in of.metrics)):
            if one.reason and not math.isnan(one.difference):
                found[spoken(one.name), reason_of(one.reason)] = None
    return tuple(found)
