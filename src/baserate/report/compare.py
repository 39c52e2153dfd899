"""A comparison in words: what was asked for, how surely it differs, what it is worth."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from baserate import _figures as figures
from baserate.facts.comparison import (
    AnyComparison,
    ComparisonFacts,
    GroupWorthFact,
    MetricRanking,
    WorthFact,
)
from baserate.facts.evaluation import MetricFact
from baserate.report import compare_laws, compare_scores
from baserate.report import compare_words as words
from baserate.report.catalogue import named, plain_name
from baserate.report.columns import (
    PAIR,
    SPAN,
    Column,
    each,
    exactly,
    grid,
    number,
    rate,
    span,
    text,
    within,
)
from baserate.report.compare_answer import CLAIMS, answer
from baserate.report.compare_laws import of_comparison
from baserate.report.compare_words import choice, compared
from baserate.report.methods import for_paper
from baserate.report.opening import UNDRAWN, Pictures, about_lines, cases_dropped, opened
from baserate.report.sheet import Bar, Cell, Grid, Remarks, Sheet
from baserate.report.words import (
    UNADJUSTED,
    guess_heading,
    left_out,
    reason_of,
    small_cells,
    spoken,
)

ALONE = [f"{cases},\nonly {which}" for cases in ("positives", "negatives")
         for which in ("first", "second")]  # fmt: skip
CONSTANTS = 5  # constant decisions that are shown, the best first
EACH = ((0.0, 1.0),)  # without utilities each right decision counts 1
MOST = 40  # rows of a table
MORE = (
    "Rankings of metrics, tests one by one, what is best where, and how all of it was computed: "
    "--details (details=True), or the Markdown and HTML reports."
)
TESTED = ("accuracy", "recall", "specificity")
READING = (
    "P(best): how probably it has {highest} of all classifiers. Skill: 0 is the best constant "
    "decision, 1 perfection."
)
MCNEMAR = "p: McNemar's mid-p of equal accuracy, recall and specificity."
CROSSING = (
    "As these cases draw them: any two curves that are not known exactly cross somewhere. Whether "
    "one ranks better, the ROC areas tell."
)
HOLM = (
    " Adjusted by Holm's method for all pairs: accuracy by itself, recall and specificity together."
)
BY_UNITS = "p: of equal accuracy, recall and specificity, by Student's law of the {units}."
BY_WEIGHTS = (
    "p: McNemar's test of equal accuracy, recall and specificity, approximate, weighted. Cases are "
    "counted, whatever their weight."
)
ASSUMED = "the first class of the utilities, since nothing says which one is positive"


def sheet_of(facts: ComparisonFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True) -> Sheet:
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
            _worth(facts, facts.groups, "Groups"),
            *compare_scores.parts(facts),
            _curves(facts),
            Remarks(title="Cut points", pairs=_cuts(facts), detail=True),
            drawn.lacking,
            for_paper(of_comparison(facts)),
        ),
        more=MORE,
        method=(compare_laws.method if in_full else compare_laws.caveats)(facts),
    )


def classifiers(facts: AnyComparison) -> Grid:
    """Show what each classifier is worth, the best first, above the constant decisions."""
    constants = sorted(facts.constants.items(), key=lambda pair: -pair[1])[:CONSTANTS]
    fixed = tuple(
        (choice(facts.stakes, name), "", _shown(facts, value), *[figures.NOTHING] * 4)
        for name, value in constants
    )
    bars = (*(_bar(facts, fact) for fact in facts.ranked), *[None] * len(fixed))
    cut = "" if facts.cut_named else f" (scores cut at {words.cuts(facts)}, which nobody named)"
    return grid(
        f"Classifiers{cut}",
        facts.ranked,
        text("classifier", "name"),
        number("n" if facts.effective_n is None else "weight", "n", figures.count),
        Column(words.unit(facts), lambda one: _shown(facts, one.value)),
        Column("interval", lambda one: exactly(*_ends(facts, one), write=figures.interval)),
        text("P(best)", "best", figures.chance),
        text("P(beats constant)", "beats_constant", figures.chance),
        text("skill", write=figures.or_nothing),
        below=fixed,
        note=READING.format(highest=words.UNITS[facts.stakes.kind].highest),
        mark="best constant decision",
        bars=bars if any(bars) else (),
    )


def _shown(facts: AnyComparison, value: float) -> Cell:
    return exactly(words.shown(facts, value))


def _ends(facts: AnyComparison, one: Any) -> tuple[float, float]:
    return words.span(facts, one.low, one.high)


def _bar(facts: AnyComparison, fact: Any) -> Bar | None:
    worths = [words.shown(facts, value) for row in facts.stakes.matrix or EACH for value in row]
    bounds = min(worths), max(worths)
    if bounds[0] == bounds[1]:
        return None
    low, high = _ends(facts, fact)
    value, mark = words.shown(facts, fact.value), words.shown(facts, facts.constant_value)
    told = f"{figures.number(value)}, interval {figures.interval(low, high)}, best constant "
    return Bar.of(value, low, high, mark, bounds=bounds, words=told + figures.number(mark))


def _worth_of(facts: ComparisonFacts, value: float) -> str:
    return figures.number(words.shown(facts, value))


def _interval(facts: ComparisonFacts, low: float, high: float) -> str:
    return figures.interval(*words.span(facts, low, high))


def metrics(facts: AnyComparison) -> Grid:
    """Show by which metrics the classifiers are compared, each with its interval."""
    wanted = [one.name for one in facts.pairs[0].metrics]
    of = {
        one.name: {plain_name(metric.name): metric for metric in one.metrics}
        for one in facts.classifiers
    }
    first = of[facts.classifiers[0].name]
    known = [{round(m.chance, 12) for m in (of[x.name][name] for x in facts.classifiers)
              if not math.isnan(m.chance)} for name in wanted]  # fmt: skip
    below = []
    if any(known) and all(len(one) <= 1 for one in known):
        row = [figures.or_nothing(one.pop() if one else math.nan) for one in known]
        below.append((guess_heading(facts.guess), *row))
    reasons = {first[n].chance_reason for n in wanted if math.isnan(first[n].chance)}
    lost = (reason_of(reason).rstrip(".") for reason in sorted(filter(None, reasons)))
    return grid(
        "Metrics",
        facts.ranked if wanted else (),
        text("classifier", "name"),
        *each(
            [Cell(spoken(name), page=spoken(name)) for name in wanted],
            lambda one: [of[one.name][name] for name in wanted],
            rate,
        ),
        below=below,
        note=" ".join(f"No value of the guess: {reason}." for reason in lost),
    )


def differences(facts: AnyComparison) -> Grid:
    """Show how far every two are apart by each metric, with interval and test."""
    every, tested = sum(len(pair.metrics) for pair in facts.pairs), len(facts.pairs) > 1
    shown = facts.pairs if every <= MOST else (facts.leading,)
    note = "" if shown is facts.pairs else "Of the first two by yield; all pairs are in the JSON. "
    if facts.paired and tested:
        note += f"p is adjusted for {len(facts.pairs)} pairs by Holm's method, metric by metric."
        note += UNADJUSTED
    return grid(
        "Differences of metrics",
        ((pair, one) for pair in shown for one in pair.metrics),
        *within(itemgetter(0), *PAIR),
        *within(
            itemgetter(1),
            text("metric", "name", spoken),
            number("difference"),
            span(),
            _p(facts, "p_value"),
            text("P(first better)", "a_better", figures.chance),
        ),
        labels=3,
        note=note.strip(),
    )


def margins(facts: AnyComparison) -> Grid:
    """Show who is not worse than the first by more than the margin."""
    margin = f"{facts.margins[0].margin:g}" if facts.margins else ""
    return grid(
        f"Not worse by more than {margin}",
        facts.margins[:MOST] if len(facts.margins) > CLAIMS else (),
        text("new", "new"),
        text("old", "old"),
        text("by", "name", compared),
        number("better by", "lead"),
        span(),
        text("not worse", "not_worse"),
        labels=3,
        note=left_out(min(len(facts.margins), MOST), len(facts.margins)),
    )


def _rankings(facts: ComparisonFacts) -> Grid:
    names = [figures.label(fact.name) for fact in facts.classifiers]
    judged = {plain_name(ranking.name): ranking for ranking in facts.rankings}
    of = {fact.name: judged.get(plain_name(fact.name)) for fact in facts.classifiers[0].metrics}
    return grid(
        "Metrics and their rankings",
        zip(*(fact.metrics for fact in facts.classifiers), strict=True),
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
        _p(facts, "p_difference"),
        text(
            "design effect",
            "design_effect",
            figures.or_nothing,
            shown=facts.paired and facts.sampled,
        ),
        text("P(first better)", "a_better", figures.chance),
        text("turns at tau", "tau_star", _turn),
        text("turns at base rate", "flip", _turn),
        labels=2,
        note=f"Difference: {words.unit(facts)} of the first less that of the second."
        + UNADJUSTED * (len(facts.pairs) > 1),
        detail=facts.stakes.kind == "accuracy",
    )


def _turn(at: float) -> str:
    return "never" if math.isnan(at) else figures.number(at)


def _p(facts: ComparisonFacts, alone: str, adjusted: str = "adjusted_p") -> Column:
    """Return p-values: beyond two classifiers there are several tests, which are adjusted."""
    if len(facts.pairs) > 1:
        return text("adjusted\np", adjusted, figures.p_value, shown=facts.paired)
    return text("p", alone, figures.p_value, shown=facts.paired)


def _discordant(facts: ComparisonFacts) -> Grid:
    adjusted = "adjusted_" if len(facts.pairs) > 1 else ""
    pairs = [pair for pair in facts.pairs if pair.discordant is not None]
    return grid(
        "Cases that one classifier alone gets right",
        pairs,
        *PAIR,
        *each(ALONE, "discordant", figures.count),
        *(text(f"p\n{name}", f"{adjusted}p_{name}", figures.p_value) for name in TESTED),
        labels=2,
        note=f"{_tests(facts)}{HOLM if adjusted else ''}",
        detail=True,
    )


def _tests(facts: ComparisonFacts) -> str:
    if facts.n_clusters is not None:
        return BY_UNITS.format(units="clusters")
    if facts.n_replicates is not None:
        return BY_UNITS.format(units="replicates")
    return MCNEMAR if facts.effective_n is None else BY_WEIGHTS


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
    names = [fact.name for fact in facts.classifiers]
    grouped = any(isinstance(place, GroupWorthFact) for place in places)
    groups = facts.group_names if grouped else ()
    sure = len(names) == 2 and all(place.best for place in places)
    better = f"P({figures.label(names[0])} better)"
    return grid(
        title,
        places,
        *each(map(figures.label, groups), lambda place: place.group.values()),
        text("n", write=figures.count, shown=grouped),
        text("base rate", "base_rate", figures.number),
        *each(
            map(figures.label, names),
            lambda place: (place.yields[name] for name in names),
            partial(_worth_of, facts),
        ),
        text("best constant", "constant_value", partial(_worth_of, facts)),
        text(better, lambda place: next(iter(place.best.values())), figures.chance, shown=sure),
        Column("best", partial(words.best_of, facts)),
        labels=len(groups),
        sentence=True,
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
    table = facts.classifiers[0].table
    both = f"{show(table.n_positive)} positive, {show(table.n_negative)} negative"
    weight = "" if facts.effective_n is None else f", total weight {show(table.n)}"
    cases = f"{weight}: {both}" if facts.paired else " in separate test sets"
    stated = " as stated" if facts.restated else ""
    assumed = f", {ASSUMED}" if facts.positive_assumed else ""
    return about_lines(
        ("Positive", figures.quoted(facts.positive) + assumed),
        ("Cases", f"{show(facts.n)}{cases}{cases_dropped(facts)}"),
        *_left_out(facts),
        ("Truth", figures.quoted(facts.target) if facts.target else ""),
        ("Clusters", compare_laws.clusters(facts)),
        ("Weights", compare_laws.weights(facts)),
        ("Base rate", f"{figures.number(facts.base_rate)}{stated}"),
        ("Worth", words.stakes(facts)),
    )


def _left_out(facts: ComparisonFacts) -> list[tuple[str, str]]:
    return [
        ("Small cells", f"{figures.label(score.name)}: {small_cells(score.suppression)}")
        for score in facts.scores
        if score.suppression is not None
    ]
