"""A comparison of several classes as a sheet: yields, metrics, differences, classes, costs."""

import math

from baserate import _figures as figures
from baserate.facts.class_comparison import (
    ClassComparisonFacts,
    ClassPairFact,
    ComparedClassifier,
    ComparedPair,
    DifferenceFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.report import class_compare_words as words
from baserate.report import class_worth
from baserate.report.methods import Statement, for_paper
from baserate.report.pictures import UNDRAWN, Drawn, captioned
from baserate.report.sheet import Bar, Cell, Grid, Remarks, Sheet, render_sheet
from baserate.report.unverified import unverified
from baserate.report.words import guess_heading, left_out, reason_of, spoken

MOST = 40  # rows of a table
READING = (
    "P(best): how probably it has the highest expected {unit} of all classifiers. Skill: 0 is the "
    "best constant decision, 1 perfection."
)


def render(
    facts: ClassComparisonFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    drawn: Drawn = UNDRAWN,
) -> str:
    """Return a comparison of several classes as text, JSON, Markdown or one HTML page."""
    return render_sheet(sheet_of(facts, drawn), format, color=color)


def sheet_of(facts: ClassComparisonFacts, drawn: Drawn = UNDRAWN) -> Sheet:
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


def _number(value: float) -> Cell:
    return Cell(figures.number(value), exact=(value,))


def _span(low: float, high: float) -> Cell:
    return Cell(figures.interval(low, high), exact=(low, high))


def _classifiers(facts: ClassComparisonFacts) -> Grid:
    fixed = tuple((row[0], "", *row[1:]) for row in class_worth.constant_rows(facts.stakes, 4))
    bars = (*(_bar(facts, one) for one in facts.ranked), *[None] * len(fixed))
    return Grid(
        title="Classifiers",
        headings=("classifier", _size(facts), words.unit(facts), "interval", "P(best)",
                  "P(beats constant)", "skill"),
        rows=(*(_classifier(one) for one in facts.ranked), *fixed),
        labels=1,
        note=READING.format(unit=words.unit(facts)),
        mark="best constant decision",
        bars=bars if any(bars) else (),
    )  # fmt: skip


def _size(facts: ClassComparisonFacts) -> str:
    return "n" if facts.effective_n is None else "weight"


def _classifier(one: ComparedClassifier) -> tuple[str, ...]:
    return (
        figures.label(one.name),
        Cell(figures.count(one.n), exact=(one.n,)),
        _number(one.value),
        _span(one.low, one.high),
        figures.chance(one.best),
        figures.chance(one.beats_constant),
        figures.or_nothing(one.skill),
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
    names = [m.name for m in facts.classifiers[0].metrics]
    columns = list(zip(*(one.metrics for one in facts.ranked), strict=True))
    rows = [(figures.label(one.name), *map(_rate, one.metrics)) for one in facts.ranked]
    known = [{round(m.chance, 12) for m in of if not math.isnan(m.chance)} for of in columns]
    if any(known) and all(len(each) <= 1 for each in known):
        row = [figures.or_nothing(each.pop() if each else math.nan) for each in known]
        rows.append((guess_heading(facts.guess), *map(Cell, row)))
    reasons = {m.chance_reason: None for m in facts.classifiers[0].metrics if m.chance_reason}
    lost = (reason_of(reason).rstrip(".") for reason in reasons)
    return Grid(
        title="Metrics of all classes",
        headings=("classifier", *(Cell(spoken(name), page=spoken(name)) for name in names)),
        rows=tuple(rows) if names else (),
        labels=1,
        note=" ".join(f"No value of the guess: {reason}." for reason in lost),
    )


def _rate(fact: MetricFact) -> Cell:
    """Write a value above its interval."""
    known = not math.isnan(fact.low + fact.high)
    span = f"{figures.short(fact.low)}{figures.NOTHING}{figures.short(fact.high)}" if known else ""
    exact = (fact.value, fact.low, fact.high) if known else (fact.value,)
    return Cell(f"{figures.short(fact.value)}\n{span}", exact=exact)


def _pairs(facts: ClassComparisonFacts) -> Grid:
    tested = facts.paired
    several = len(facts.pairs) > 1
    tests = ("only\nfirst", "only\nsecond", "p", *(("adjusted p",) if several else ()))
    return Grid(
        title="Pairs",
        headings=("first", "second", "difference", "interval", "P(first better)",
                  *(tests if tested else ()), *(("design\neffect",) if facts.sampled else ())),
        rows=tuple(
            (
                *words.pair_named(pair),
                _number(pair.difference),
                _span(pair.low, pair.high),
                figures.chance(pair.a_better),
                *(_tests(pair, several=several) if tested else ()),
                *((figures.or_nothing(pair.design_effect),) if facts.sampled else ()),
            )
            for pair in facts.pairs[:MOST]
        ),
        labels=2,
        note=f"Difference: {words.unit(facts)} of the first less that of the second. "
        + (_alone(facts) if tested else "")
        + left_out(min(len(facts.pairs), MOST), len(facts.pairs)),
    )  # fmt: skip


def _alone(facts: ClassComparisonFacts) -> str:
    does = "decides best" if facts.stakes.named else "gets right"
    return f"Only first, only second: cases that it alone {does}."


def _tests(pair: ComparedPair, *, several: bool) -> tuple[str, ...]:
    counts = (figures.count(n) for n in (pair.only_a or 0, pair.only_b or 0))
    adjusted = (figures.p_value(pair.adjusted_p),) if several else ()
    return (*counts, figures.p_value(pair.p_value), *adjusted)


def _differences(facts: ClassComparisonFacts) -> Grid:
    """Show the differences of every metric; of many pairs, those of the first two classifiers."""
    every = sum(len(pair.metrics) for pair in facts.pairs)
    shown = facts.pairs if every <= MOST else (facts.leading,)
    note = "" if shown is facts.pairs else "Of the first two by yield; all pairs are in the JSON."
    return Grid(
        title="Differences of metrics",
        headings=("first", "second", "metric", "of first", "of second", "difference", "interval",
                  "P(first better)"),
        rows=tuple(
            (*words.pair_named(pair), *_difference(one)) for pair in shown for one in pair.metrics
        ),
        labels=3,
        note=note,
    )  # fmt: skip


def _difference(one: DifferenceFact) -> tuple[str, ...]:
    return (
        Cell(spoken(one.name), page=spoken(one.name)),
        *map(_number, (one.value_a, one.value_b, one.difference)),
        _span(one.low, one.high),
        figures.chance(one.a_better),
    )


def _classes(facts: ClassComparisonFacts) -> Grid:
    """Show what tells the first two classifiers apart in each class; of many, the clearest."""
    pair = facts.leading
    every = [(one, m) for one in pair.classes for m in one.metrics]
    shown, note = every, ""
    if len(every) > MOST:
        shown = sorted(every, key=lambda each: _clear(*each))[:MOST]
        note = f"The {MOST} clearest; {len(every) - MOST:,} more are in the JSON."
    first, second = words.pair_named(pair)
    names = list(dict.fromkeys(m.name for _, m in every))
    of = f"{spoken(names[0])} of " if len(names) == 1 else ""
    tests = ("only\nfirst", "only\nsecond", "adjusted p") if facts.paired else ()
    return Grid(
        title=f"Class by class: {of}{first} and {second}",
        headings=("class", *(() if of else ("metric",)), first, second, "difference", "interval",
                  *tests),
        rows=tuple(
            (figures.quoted(one.label), *(() if of else (spoken(m.name),)),
             *_of_class(facts, one, m))
            for one, m in shown
        ),
        labels=1 if of else 2,
        note=note,
    )  # fmt: skip


def _clear(one: ClassPairFact, found: DifferenceFact) -> tuple[float, float]:
    p = 2.0 if math.isnan(one.p_value) else one.p_value
    return p, -abs(found.difference) if not math.isnan(found.difference) else 0.0


def _of_class(
    facts: ClassComparisonFacts, one: ClassPairFact, found: DifferenceFact
) -> tuple[str, ...]:
    tests: tuple[str, ...] = ()
    if facts.paired:
        counts = (figures.count(n) for n in (one.only_a or 0, one.only_b or 0))
        tests = (*counts, figures.p_value(one.adjusted_p))
    return (*_difference(found)[1:-1], *tests)


def _turns(facts: ClassComparisonFacts) -> Grid:
    pair = facts.leading
    return Grid(
        title="Costs at which the ranking turns",
        headings=("error", "turns at cost", "better if it costs more"),
        rows=tuple(
            (words.error(turn), figures.number(turn.cost), figures.label(turn.above))
            for turn in pair.turns
        ),
        labels=1,
        note="In units of any other error; each cost by itself, those nearest to 1 first.",
        sentence=True,
    )


def _groups(facts: ClassComparisonFacts) -> Grid:
    names = [one.name for one in facts.classifiers]
    sure = len(names) == 2 and all(place.best for place in facts.groups)
    return Grid(
        title="Groups",
        headings=(*map(figures.label, facts.group_names), "n", *map(figures.label, names),
                  "best constant", *((f"P({figures.label(names[0])} better)",) if sure else ()),
                  "highest"),
        rows=tuple(
            (
                *map(figures.label, place.group.values()),
                figures.count(place.n),
                *(_number(place.yields[name]) for name in names),
                _number(place.constant_value),
                *((figures.chance(place.best[names[0]]),) if sure else ()),
                words.best_of(facts, place),
            )
            for place in facts.groups[:MOST]
        ),
        labels=len(facts.group_names),
        note=left_out(min(len(facts.groups), MOST), len(facts.groups)),
        sentence=True,
    )  # fmt: skip


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
