"""A comparison in words: what was asked for, how surely it differs, what it is worth."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from baserate import _figures as figures
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    DifferenceFact,
    GroupWorthFact,
    PairFact,
    WorthFact,
)
from baserate.report import compare_laws, compare_pictures, compare_scores
from baserate.report import compare_words as words
from baserate.report.catalogue import plain_name
from baserate.report.compare_answer import answer
from baserate.report.compare_methods import of_comparison
from baserate.report.compare_words import choice
from baserate.report.methods import for_paper
from baserate.report.pictures import UNDRAWN, Drawn
from baserate.report.sheet import Bar, Cell, Grid, Remarks, Sheet, render_sheet
from baserate.report.unverified import unverified
from baserate.report.words import guess_heading, small_cells, spoken

if TYPE_CHECKING:
    from baserate.report.explorer import Explorer  # loads curves, which only pages need

ALONE = ("positives,\nonly first", "positives,\nonly second", "negatives,\nonly first",
         "negatives,\nonly second", "p\naccuracy", "p\nrecall", "p\nspecificity")  # fmt: skip
READING = (
    "P(best): how probably it has {highest} of all classifiers. Skill: 0 is the best constant "
    "decision, 1 perfection."
)
MCNEMAR = "p: McNemar's mid-p of equal accuracy, recall and specificity."
CROSSING = (
    "As these cases draw them: any two curves that are not known exactly cross somewhere. Whether "
    "one ranks better, the ROC areas tell."
)
HOLM = " All {n} of them are adjusted together, by Holm's method."
REPLICATED = "p: of equal accuracy, recall and specificity, by Student's law of the replicates."
SWAPPED = "p: of equal accuracy, recall and specificity, by swaps of whole clusters."
BY_WEIGHTS = (
    "p: McNemar's test of equal accuracy, recall and specificity, approximate, weighted. Cases are "
    "counted, whatever their weight."
)
ASSUMED = "the first class of the utilities, since nothing says which one is positive"


def render_comparison(
    facts: ComparisonFacts,
    format: str = "table",  # noqa: A002 - the command line's word
    *,
    color: bool = False,
    drawn: Drawn = UNDRAWN,
    explorer: "Explorer | None" = None,
) -> str:
    """Return a comparison as text, JSON, Markdown or one HTML page.

    A page shows what is `drawn`, and the explorer of the scores.
    """
    sheet = replace(_sheet(facts, drawn), explorer=explorer)
    return render_sheet(sheet, format, color=color)


def _sheet(facts: ComparisonFacts, drawn: Drawn) -> Sheet:
    source = figures.label(facts.source) if facts.source else "data in memory"
    named = facts.stakes.kind != "accuracy"  # else nothing is said of the tau of nobody's stakes
    here = f"tau is {figures.number(facts.stakes.tau)}" if named else ""
    base_rate = figures.number(facts.base_rate)
    by_threshold = f"threshold tau, at a base rate of {base_rate}"
    by_base_rate = f"base rate, {words.under(facts)}"
    return Sheet(
        title=f"Comparison of {source}",
        answer=(*unverified(facts.unverified), *answer(facts)),
        about=_about(facts),
        parts=(
            *compare_pictures.opening(facts, drawn.svgs),
            _classifiers(facts),
            *compare_pictures.others(facts, drawn.svgs),
            _metrics(facts),
            _pairs(facts),
            _differences(facts),
            _discordant(facts),
            *(
                _best(facts, *best, folded=bool(drawn.svgs))
                for best in (
                    (by_threshold, facts.by_threshold, here),
                    (by_base_rate, facts.by_base_rate, f"the base rate is {base_rate}"),
                )
            ),
            _worth(facts, facts.base_rates[1:] and facts.base_rates, "At base rates of deployment"),
            _worth(facts, facts.groups, "Groups"),
            *compare_scores.parts(facts),
            _curves(facts),
            Remarks(title="Cut points", pairs=_cuts(facts)),
            drawn.lacking,
            for_paper(of_comparison(facts)),
        ),
        style=drawn.style,
        method=compare_laws.method(facts),
        document=facts.to_dict,
    )


def _classifiers(facts: ComparisonFacts) -> Grid:
    constants = sorted(facts.constants.items(), key=lambda pair: -pair[1])
    fixed = tuple(
        (choice(facts, name), "", figures.number(words.shown(facts, value)), *[figures.NOTHING] * 4)
        for name, value in constants
    )
    kind, size = words.unit(facts), "n" if facts.effective_n is None else "weight"
    return Grid(
        title="Classifiers",
        headings=("classifier", size, kind, "interval", "P(best)", "P(beats constant)", "skill"),
        rows=(*(_classifier(facts, fact) for fact in facts.ranked), *fixed),
        labels=1,
        note=READING.format(highest=words.highest(facts)),
        mark="best constant decision",
        bars=(*(_bar(facts, fact) for fact in facts.ranked), *[None] * len(fixed)),
    )  # fmt: skip


def _classifier(facts: ComparisonFacts, fact: ClassifierFact) -> tuple[str, ...]:
    return (
        figures.label(fact.name),
        figures.count(fact.table.n),
        figures.number(words.shown(facts, fact.value)),
        figures.interval(*words.span(facts, fact.low, fact.high)),
        figures.chance(fact.best),
        figures.chance(fact.beats_constant),
        figures.or_nothing(fact.skill),
    )


def _bar(facts: ComparisonFacts, fact: ClassifierFact) -> Bar | None:
    ends = [words.shown(facts, value) for row in facts.stakes.matrix for value in row]
    low, high = words.span(facts, fact.low, fact.high)
    value, mark = words.shown(facts, fact.value), words.shown(facts, facts.constant_value)
    text = f"{figures.number(value)}, interval {figures.interval(low, high)}, best constant "
    bounds = min(ends), max(ends)
    return Bar.of(value, low, high, mark, bounds=bounds, words=text + figures.number(mark))


def _metrics(facts: ComparisonFacts) -> Grid:
    names = tuple(figures.label(fact.name) for fact in facts.classifiers)
    judged = {plain_name(ranking.name): ranking for ranking in facts.rankings}
    rows = []
    for of_metric in zip(*(fact.metrics for fact in facts.classifiers), strict=True):
        name = plain_name(of_metric[0].name)
        ranking = judged.get(name)
        verdict = "ranks nothing" if ranking is None else words.judged(ranking)
        chances = {figures.or_nothing(metric.chance) for metric in of_metric}
        by_chance = chances.pop() if len(chances) == 1 else figures.NOTHING
        values = tuple(figures.number(metric.value) for metric in of_metric)
        first = ", ".join(map(figures.label, ranking.first)) if ranking else figures.NOTHING
        spelled = Cell(name, page=spoken(of_metric[0].name))
        rows.append((spelled, *values, by_chance, first, verdict))
    return Grid(
        title="Metrics",
        headings=(
            "metric",
            *names,
            guess_heading(facts.guess),
            "puts first",
            f"against the {words.unit(facts)}",
        ),
        rows=tuple(rows),
        labels=1,
        sentence=True,
    )


def _pairs(facts: ComparisonFacts) -> Grid:
    tested = (f"{_adjusted(facts)}p",) if facts.paired else ()
    by_sample = (*tested, *(("design effect",) if facts.sampled else ()))
    return Grid(
        title="Pairs",
        headings=("first", "second", "difference", "interval", *by_sample, "P(first better)",
                  "turns at tau", "turns at base rate"),
        rows=tuple(_pair(facts, pair) for pair in facts.pairs),
        labels=2,
        note=f"Difference: {words.unit(facts)} of the first less that of the second.",
    )  # fmt: skip


def _pair(facts: ComparisonFacts, pair: PairFact) -> tuple[str, ...]:
    return (
        figures.label(pair.a),
        figures.label(pair.b),
        figures.number(words.shown(facts, pair.difference)),
        figures.interval(*words.span(facts, pair.low, pair.high)),
        *_tested(facts, pair),
        figures.chance(pair.a_better),
        *("never" if math.isnan(at) else figures.number(at) for at in (pair.tau_star, pair.flip)),
    )


def _adjusted(facts: ComparisonFacts) -> str:
    """Return what stands before p in a heading: beyond two classifiers there are several tests."""
    return "adjusted\n" if len(facts.pairs) > 1 else ""


def _tested(facts: ComparisonFacts, pair: PairFact) -> tuple[str, ...]:
    if not facts.paired:
        return ()
    p = pair.adjusted_p if len(facts.pairs) > 1 else pair.p_difference
    effect = (figures.or_nothing(pair.design_effect),) if facts.sampled else ()
    return (figures.p_value(p), *effect)


def _differences(facts: ComparisonFacts) -> Grid:
    """Show by how much every two differ in what was asked for by name."""
    tested = (f"{_adjusted(facts)}p",) if facts.paired else ()
    rows = [
        (
            *map(figures.label, (pair.a, pair.b)),
            Cell(plain_name(one.name), page=spoken(one.name)),
            figures.number(one.difference),
            figures.interval(one.low, one.high),
            *(_p_of(facts, one) if tested else ()),
            figures.chance(one.a_better),
        )
        for pair in facts.pairs
        for one in pair.metrics
    ]
    note = f"Adjusted for {len(facts.pairs)} pairs by Holm's method, metric by metric."
    return Grid(
        title="Differences of metrics",
        headings=("first", "second", "metric", "difference", "interval", *tested,
                  "P(first better)"),
        rows=tuple(rows),
        labels=3,
        note=note if tested and len(facts.pairs) > 1 else "",
    )  # fmt: skip


def _p_of(facts: ComparisonFacts, one: DifferenceFact) -> tuple[str]:
    return (figures.p_value(one.adjusted_p if len(facts.pairs) > 1 else one.p_value),)


def _discordant(facts: ComparisonFacts) -> Grid:
    rows, several = [], len(facts.pairs) > 1
    for pair in facts.pairs:
        if pair.discordant is not None:
            tests = (pair.p_accuracy, pair.p_recall, pair.p_specificity)
            if several:
                tests = (
                    pair.adjusted_p_accuracy,
                    pair.adjusted_p_recall,
                    pair.adjusted_p_specificity,
                )
            counts = map(figures.count, pair.discordant)
            names = figures.label(pair.a), figures.label(pair.b)
            rows.append((*names, *counts, *map(figures.p_value, tests)))
    return Grid(
        title="Cases that one classifier alone gets right",
        headings=("first", "second", *ALONE),
        rows=tuple(rows),
        labels=2,
        note=_tests(facts) + (HOLM.format(n=3 * len(rows)) if several else ""),
    )


def _tests(facts: ComparisonFacts) -> str:
    if facts.n_clusters is not None:
        return SWAPPED
    if facts.n_replicates is not None:
        return REPLICATED
    return MCNEMAR if facts.effective_n is None else BY_WEIGHTS


def _best(
    facts: ComparisonFacts, title: str, spans: Iterable[words.Span], here: str, *, folded: bool
) -> Grid:
    """Return what is best from where to where; folded on a page whose pictures show it."""
    return Grid(
        title=f"Best by {title}",
        headings=("from", "to", "best"),
        rows=tuple(_ends(facts, span) for span in spans),
        labels=0,
        note=f"As these cases have it{f'; here {here}' if here else ''}.",
        sentence=True,
        detail=folded,
    )


def _ends(facts: ComparisonFacts, span: words.Span) -> tuple[str, ...]:
    best = words.listed(words.called(facts, name) for name in span.best)
    return figures.number(span.low), figures.number(span.high), best


def _worth(facts: ComparisonFacts, places: tuple[WorthFact, ...], title: str) -> Grid:
    names = [fact.name for fact in facts.classifiers]
    grouped = any(isinstance(place, GroupWorthFact) for place in places)
    first = (*map(figures.label, facts.group_names), "n") if grouped else ()
    sure = len(names) == 2 and all(place.best for place in places)
    return Grid(
        title=title,
        headings=(*first, "base rate", *map(figures.label, names), "best constant",
                  *((f"P({figures.label(names[0])} better)",) if sure else ()), "best"),
        rows=tuple(_place(facts, place, names, sure=sure) for place in places),
        labels=len(facts.group_names) if grouped else 0,
        sentence=True,
    )  # fmt: skip


def _place(
    facts: ComparisonFacts, place: WorthFact, names: Iterable[str], *, sure: bool
) -> tuple[str, ...]:
    of_group: tuple[str, ...] = ()
    if isinstance(place, GroupWorthFact):
        of_group = (*map(figures.label, place.group.values()), figures.count(place.n))
    yields = (figures.number(words.shown(facts, place.yields[name])) for name in names)
    return (
        *of_group,
        figures.number(place.base_rate),
        *yields,
        figures.number(words.shown(facts, place.constant_value)),
        *((figures.chance(next(iter(place.best.values()))),) if sure else ()),
        words.best_of(facts, place),
    )


def _curves(facts: ComparisonFacts) -> Grid:
    rows = []
    for curve in facts.curves:
        crossings = "; ".join(f"({x:.3g}, {y:.3g})" for x, y in curve.crossings[: words.NAMED])
        more = " ..." if len(curve.crossings) > words.NAMED else ""
        rows.append(
            (
                *map(figures.label, (curve.a, curve.b)),
                crossings + more or figures.NOTHING,
                words.relation(curve),
            )
        )
    return Grid(
        title="ROC curves",
        note=CROSSING if any(curve.relation == "crossing" for curve in facts.curves) else "",
        headings=("first", "second", "cross at (false positive rate, recall)", "which is above"),
        rows=tuple(rows),
        labels=3,
        sentence=True,
    )


def _cuts(facts: ComparisonFacts) -> tuple[tuple[str, str], ...]:
    cut = [fact for fact in facts.classifiers if fact.cut is not None]
    return tuple((figures.label(fact.name), words.cut(fact)) for fact in cut)


def _about(facts: ComparisonFacts) -> tuple[tuple[str, str], ...]:
    show = figures.count
    missing = f"; {show(facts.missing)} rows dropped as missing" if facts.missing else ""
    table = facts.classifiers[0].table
    both = f"{show(table.n_positive)} positive, {show(table.n_negative)} negative"
    weight = "" if facts.effective_n is None else f", total weight {show(table.n)}"
    cases = f"{weight}: {both}" if facts.paired else " in separate test sets"
    stated = " as stated" if facts.restated else ""
    assumed = f", {ASSUMED}" if facts.positive_assumed else ""
    lines = (
        ("Positive", figures.quoted(facts.positive) + assumed),
        ("Cases", f"{show(facts.n)}{cases}{missing}"),
        *_left_out(facts),
        ("Truth", figures.quoted(facts.target) if facts.target else ""),
        ("Clusters", compare_laws.clusters(facts)),
        ("Weights", compare_laws.weights(facts)),
        ("Base rate", f"{figures.number(facts.base_rate)}{stated}"),
        ("Worth", words.stakes(facts)),
    )
    return tuple((heading, text) for heading, text in lines if text)


def _left_out(facts: ComparisonFacts) -> list[tuple[str, str]]:
    """Say of each score what was done so that its counts tell nothing about few people."""
    return [
        ("Small cells", f"{figures.label(score.name)}: {small_cells(score.suppression)}")
        for score in facts.scores
        if score.suppression is not None
    ]


__all__ = ["render_comparison"]
