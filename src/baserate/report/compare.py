"""A comparison in words: what was asked for, how surely it differs, what it is worth."""

import math
from collections.abc import Iterable, Sequence
from functools import partial

from baserate import _figures as figures
from baserate.facts.comparison import (
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    WorthFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.report import compare_laws, compare_scores
from baserate.report import compare_words as words
from baserate.report.columns import (
    PAIR,
    SPAN,
    Column,
    counts_of,
    each,
    grid,
    text,
)
from baserate.report.compare_answer import answer
from baserate.report.compare_laws import of_comparison
from baserate.report.compare_tables import (
    classifiers,
    differences,
    margins,
    metrics,
    of_places,
    p_of,
)
from baserate.report.methods import for_paper
from baserate.report.opening import (
    UNDRAWN,
    Pictures,
    about_lines,
    cases_dropped,
    classes_of,
    opened,
)
from baserate.report.sheet import Grid, Remarks, Sheet
from baserate.report.words import UNADJUSTED, guess_heading, named, plain_name, small_cells

MORE = ("rankings of metrics", "what is best where", "methods")
MCNEMAR = "p: McNemar's mid-p of equal {of}."
CROSSING = (
    "As these cases draw them: any two curves that are not known exactly cross somewhere. Whether "
    "one ranks better, the ROC areas tell."
)
HOLM = " Adjusted by Holm's method for all pairs"
TOGETHER = ": accuracy by itself, recall and specificity together"
BY_UNITS = "p: of equal {of}, by Student's law of the {units}."
BY_WEIGHTS = (
    "p: McNemar's test of equal {of}, approximate, weighted. Cases are counted, whatever their "
    "weight."
)
ASSUMED = "the first class of the utilities, since nothing says which one is positive"


def sheet_of(facts: ComparisonFacts, drawn: Pictures = UNDRAWN, **_: bool) -> Sheet:
    """Arrange the facts."""
    named = facts.stakes.kind != "accuracy"  # else nothing is said of the tau of nobody's stakes
    here = f"tau is {figures.number(facts.stakes.tau)}" if named else ""
    base_rate = figures.number(facts.base_rate)
    by_threshold = f"threshold tau, at a base rate of {base_rate}"
    by_base_rate = f"base rate, {words.UNITS[facts.stakes.kind].under}"
    return opened(
        "Comparison",
        facts,
        drawn,
        answer=answer(facts),
        about=_about(facts),
        parts=(
            *words.opening_pictures(facts, drawn.svgs),
            classifiers(facts),
            *words.other_pictures(facts, drawn.svgs),
            metrics(facts),
            counts_of("classifier", facts.ranked, text("classifier", "name")),
            differences(facts),
            margins(facts),
            _rankings(facts),
            _pairs(facts),
            _discordant(facts),
            *(
                _best(facts, *best)
                for best in (
                    (by_threshold, facts.by_threshold, here),
                    (by_base_rate, facts.by_base_rate, f"the base rate is {base_rate}"),
                )
            ),
            _worth(facts, facts.base_rates[1:] and facts.base_rates, "At base rates of deployment"),
            _worth(facts, facts.groups, f"Groups{', at their own base rates' * facts.restated}"),
            *compare_scores.parts(facts),
            _curves(facts),
            Remarks("Cut points", _cuts(facts), detail=True),
            drawn.lacking,
            for_paper(of_comparison(facts)),
        ),
        more=MORE if facts.by_threshold else MORE[-1:],
        how=compare_laws.how(facts),
        method=compare_laws.method(facts),
    )


def _worth_of(facts: ComparisonFacts, value: float) -> str:
    return figures.or_nothing(words.shown(facts, value))


def _interval(facts: ComparisonFacts, low: float, high: float) -> str:
    return figures.interval(*words.span(facts, low, high))


def _rankings(facts: ComparisonFacts) -> Grid:
    names = [figures.label(fact.name) for fact in facts.classifiers]
    judged = {plain_name(ranking.name): ranking for ranking in facts.rankings}
    of = {fact.name: judged.get(plain_name(fact.name)) for fact in facts.classifiers[0].metrics}
    rows = zip(*(one.metrics for one in facts.classifiers), strict=True)
    return grid(
        "Metrics and their rankings",
        rows if facts.by_threshold else (),
        text("metric", lambda row: row[0].name, named),
        *each(names, lambda row: (metric.value for metric in row), figures.number),
        Column(guess_heading(facts.guess), _chance),
        text(
            "puts first",
            lambda row: getattr(of[row[0].name], "first", ()),
            lambda names: ", ".join(map(figures.label, names)) or figures.NOTHING,
        ),
        text(f"against the {words.unit(facts)}", lambda row: of[row[0].name], _judged),
        sentence=True,
        detail=True,
    )


def _chance(metrics: tuple[MetricFact, ...]) -> str:
    chances = {figures.or_nothing(metric.chance) for metric in metrics}
    return chances.pop() if len(chances) == 1 else figures.NOTHING


def _judged(ranking: MetricRanking | None) -> str:
    return "ranks nothing" if ranking is None else words.judged(ranking)


def _pairs(facts: ComparisonFacts) -> Grid:
    return grid(
        "Pairs",
        facts.pairs,
        *PAIR,
        text("difference", write=partial(_worth_of, facts)),
        text("interval", SPAN, partial(_interval, facts)),
        p_of(facts, "p_difference"),
        text("design effect", "design_effect", figures.or_nothing),
        text("P(first better)", "a_better", figures.chance),
        text("turns at tau", "tau_star", _turn),
        text("turns at base rate", "flip", _turn),
        labels=2,
        note=f"Difference: {words.unit(facts)} of the first less that of the second."
        + UNADJUSTED * (len(facts.pairs) > 1),
        detail=facts.stakes.kind == "accuracy",
        asked=True,
    )


def _turn(at: float | None) -> str:
    return "" if at is None else "never" if math.isnan(at) else figures.number(at)


def _discordant(facts: ComparisonFacts) -> Grid:
    adjusted = "adjusted_" if len(facts.pairs) > 1 else ""
    pairs = [pair for pair in facts.pairs if pair.discordant is not None]
    tested = words.tested(facts)
    of = ("right",) if math.isnan(facts.base_rate) else ("positives", "negatives")
    alone = (f"{cases},\nonly {which}" for cases in of for which in ("first", "second"))
    return grid(
        "Cases that one classifier alone gets right",
        pairs,
        *PAIR,
        *each(alone, "discordant", figures.count),
        *(text(f"p\n{name}", f"{adjusted}p_{name}", figures.p_value) for name in tested),
        labels=2,
        note=f"{_tests(facts)}{_adjusted(facts) if adjusted else ''}" if tested else "",
        detail=True,
    )


def _adjusted(facts: ComparisonFacts) -> str:
    return f"{HOLM}{TOGETHER if words.tested(facts)[1:] else ''}."


def _tests(facts: ComparisonFacts) -> str:
    of = words.listed(words.tested(facts))
    if facts.n_clusters is not None:
        return BY_UNITS.format(of=of, units="clusters")
    if facts.n_replicates is not None:
        return BY_UNITS.format(of=of, units="items and runs" if facts.n_runs else "replicates")
    return (MCNEMAR if facts.effective_n is None else BY_WEIGHTS).format(of=of)


def _best(facts: ComparisonFacts, title: str, spans: Iterable[words.Span], here: str) -> Grid:
    return grid(
        f"Best by {title}",
        spans,
        text("from", "low", figures.number),
        text("to", "high", figures.number),
        Column("best", partial(_best_of, facts)),
        labels=0,
        note=f"As these cases have it{f'; here {here}' if here else ''}.",
        sentence=True,
        detail=True,
    )


def _best_of(facts: ComparisonFacts, span: words.Span) -> str:
    return words.listed(words.called(facts, name) for name in span.best)


def _worth(facts: ComparisonFacts, places: tuple[WorthFact, ...], title: str) -> Grid:
    grouped = any(isinstance(place, GroupWorthFact) for place in places)
    return of_places(
        facts,
        title,
        places,
        facts.group_names if grouped else (),
        grouped and text("n", write=figures.count),
        text("base rate", "base_rate", figures.or_nothing),
        write=partial(_worth_of, facts),
        best="best",
    )


def _curves(facts: ComparisonFacts) -> Grid:
    return grid(
        "ROC curves",
        facts.curves,
        *PAIR,
        text("cross at (false positive rate, recall)", "crossings", _crossings),
        Column("which is above", words.relation),
        labels=3,
        sentence=True,
        note=CROSSING if any(curve.relation == "crossing" for curve in facts.curves) else "",
        detail=True,
    )


def _crossings(points: Sequence[tuple[float, float]]) -> str:
    written = "; ".join(f"({x:.3g}, {y:.3g})" for x, y in points[: words.NAMED])
    more = " ..." if len(points) > words.NAMED else ""
    return written + more or figures.NOTHING


def _cuts(facts: ComparisonFacts) -> tuple[tuple[str, str], ...]:
    cut = [fact for fact in facts.classifiers if fact.cut is not None]
    return tuple((figures.label(fact.name), words.cut(fact)) for fact in cut)


def _about(facts: ComparisonFacts) -> tuple[tuple[str, str], ...]:
    show = figures.count
    tables = [one.table for one in facts.classifiers]
    heading, both = classes_of(facts, *tables)
    weight = "" if facts.effective_n is None else f", total weight {show(tables[0].n)}"
    cases = f"{weight}: {both}" if facts.paired else " in separate test sets"
    stated = " as stated" if facts.restated else ""
    assumed = f", {ASSUMED}" if facts.positive_assumed else ""
    return about_lines(
        (heading, figures.quoted(facts.positive) + assumed),
        ("Cases", f"{show(facts.n)}{cases}{cases_dropped(facts)}"),
        *_left_out(facts),
        ("Truth", "" if facts.target is None else figures.quoted(facts.target)),
        ("Clusters", compare_laws.clusters(facts)),
        ("Weights", compare_laws.weights(facts)),
        ("Base rate", f"{figures.or_nothing(facts.base_rate)}{stated}"),
        ("Worth", words.stakes(facts)),
    )


def _left_out(facts: ComparisonFacts) -> list[tuple[str, str]]:
    return [
        ("Small cells", f"{figures.label(score.name)}: {small_cells(score.suppression)}")
        for score in facts.scores
        if score.suppression is not None
    ]
