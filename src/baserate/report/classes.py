"""An evaluation of several classes as a sheet: averages, every class, who is taken for whom."""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import itemgetter

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.evaluation import ClassEvaluationFacts, ClassFact, ClassGroupFact, MetricFact
from baserate.report import class_scores as scores
from baserate.report import class_words as words
from baserate.report.audit_shown import SHOWN_GROUPS
from baserate.report.columns import SPAN, Column, each, exactly, grid, number, rate, span, text
from baserate.report.compare_words import utilities, worths
from baserate.report.evaluation_methods import clauses
from baserate.report.evaluation_rows import bar_of, below
from baserate.report.methods import for_paper, sentences
from baserate.report.opening import UNDRAWN, Pictures, captioned, opened, source_of
from baserate.report.sheet import Cell, Grid, Remarks, Sheet
from baserate.report.words import foremost, guess_heading, left_out, reason_of, size_heading

SQUARE = 12  # classes whose whole table fits a page
MOST = 40  # classes, or groups, in a table
CONFUSED = 10  # pairs of classes in a table
NAME = 30  # letters of a class beside and above the counts
WEIGHTED = {
    "weighted_not_linear": "Weighted cases: what guessing scores is known only of means over cases "
    "or over rates of classes, such as accuracy, and of metrics by which it is 0, such as Cohen's "
    "kappa."
}
COUNTS = "Counts (truth in rows, predictions in columns)"


def sheet_of(
    facts: ClassEvaluationFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True
) -> Sheet:
    """Arrange the facts."""
    return opened(
        "Evaluation",
        facts,
        drawn,
        answer=words.answer(facts),
        about=(*words.about(facts), ("Data", source_of(facts))),
        parts=(
            *captioned(drawn),
            worths(facts.stakes, facts.worth),
            utilities(facts.stakes),
            _counts(facts),
            _metrics(facts),
            *below((_named(m.name), m) for m in facts.metrics),
            _classes(facts),
            _confusions(facts),
            Remarks("If the order of the classes counts", _order(facts), detail=True),
            *scores.parts(facts, MOST),
            _groups(facts),
            Remarks("Undefined", _missing(facts, lambda m: m.undefined_reason), asked=True),
            Remarks("No chance level or skill", _no_chance(facts, shown=False)),
            Remarks("No skill", _no_chance(facts, shown=True)),
            Remarks(
                "No interval",
                _missing(facts, lambda m: m.interval_reason and reason_of(m.interval_reason)),
            ),
            Remarks("Definitions", _definitions(facts), detail=True),
            *((for_paper(sentences(words.method(facts))),) if in_full else ()),
        ),
        more=("definitions", "methods"),
        how=clauses(words.method(facts)),
        method=words.method(facts),
    )


def _counts(facts: ClassEvaluationFacts) -> Grid:
    """Show the whole table while it fits a page; the confusions show what matters of others."""
    table = facts.table
    if table.n_classes > SQUARE:
        return grid(COUNTS, ())
    names = [f'"{figures.label(label, NAME)}"' for label in table.labels]
    rows = zip(range(len(names)), table.counts.tolist(), table.class_counts.tolist(), strict=True)
    below = (*table.predicted_counts.tolist(), table.n)
    return grid(
        COUNTS,
        rows,
        Column("", lambda row: names[row[0]]),
        *(Column(name, partial(_cell, place=i)) for i, name in enumerate(names)),
        number("all", itemgetter(2), figures.count),
        below=[("all cases", *(exactly(n, write=figures.count) for n in below))],
    )


def _cell(row: tuple[int, list[float], float], place: int) -> Cell:
    truth, counts, total = row
    n = counts[place]
    share = n / total if total else 0.0
    return Cell(figures.count(n), exact=(n,), share=share, wrong=place != truth)


def _metrics(facts: ClassEvaluationFacts) -> Grid:
    guess = guess_heading(facts.guess)
    bars = tuple(bar_of(fact, facts.guess) for fact in facts.metrics)
    return grid(
        "Metrics of all classes",
        facts.metrics,
        text("metric", "name", _named),
        number("value"),
        span(),
        number(guess.replace(" ", "\n"), "chance", figures.or_nothing),
        number("skill", write=figures.or_nothing),
        asked=bool(facts.asked_for) or not facts.named,
        note=_yardstick(facts),
        bars=bars if any(bars) else (),
        mark=guess,
    )


def _yardstick(facts: ClassEvaluationFacts) -> str:
    """Say what the columns of the guess and of skill hold, if they are shown."""
    told = ""
    if any(not math.isnan(m.chance) for m in facts.metrics):
        name = sentence_case(guess_heading(facts.guess))
        told = f"{name}: what {words.GUESSES[facts.guess]} scores on average."
    if any(not math.isnan(m.skill) for m in facts.metrics):
        told += " Skill refers to it: 0 is that guess, 1 perfection."
    return told


def _named(name: str) -> Cell:
    return Cell(words.called(name), page=sentence_case(spoken(name)))


def _classes(facts: ClassEvaluationFacts) -> Grid:
    shown: tuple[ClassFact, ...] = facts.classes
    note = ""
    if len(facts.classes) > MOST:
        shown = tuple(words.weakest(facts)[:MOST])
        note = (
            f"The {len(shown)} classes of which fewest are found; "
            f"{len(facts.classes) - len(shown):,} more are in the JSON."
        )
    names = tuple(m.name for m in facts.classes[0].metrics) if facts.classes else ()
    return grid(
        "Each class against the rest",
        shown,
        text("class", "label", figures.quoted),
        number(size_heading(facts), "table.n_positive", figures.count),
        number("called\nso", "table.n_predicted", figures.count),
        *_rates(facts, names),
        note=note,
        asked=bool(words.of_each(facts)),
    )


def _rates(facts: ClassEvaluationFacts, names: Iterable[str]) -> Iterator[Column]:
    headings = (Cell(words.called(name), page=spoken(name)) for name in names)
    return each(headings, "metrics", lambda m: rate(m, bar_of(m, facts.guess)))


def _confusions(facts: ClassEvaluationFacts) -> Grid:
    return grid(
        "Most often confused",
        facts.confusions[:CONFUSED],
        text("truth", write=figures.quoted),
        text("called", "prediction", figures.quoted),
        number(size_heading(facts), "n", figures.count),
        number("share of\nthe class", "share", figures.percent),
        number("interval", SPAN, _percents),
        labels=2,
    )


def _order(facts: ClassEvaluationFacts) -> tuple[tuple[str, str], ...]:
    return tuple(("Wrong cases", said) for said in words.order(facts))


def _percents(low: float, high: float) -> str:
    known = not math.isnan(low + high)
    return figures.percents(low, high) if known else figures.NOTHING


def _groups(facts: ClassEvaluationFacts) -> Grid:
    shown = _largest(facts)
    names = [m.name for m in shown[0].metrics] if shown else []
    return grid(
        "Groups",
        shown,
        *each(map(figures.label, facts.group_names), lambda group: group.group.values()),
        number("n", write=figures.count),
        *_rates(facts, names),
        asked=True,
        labels=max(1, len(facts.group_names)),
        note=left_out(len(shown), len(facts.groups)),
    )


def _largest(facts: ClassEvaluationFacts) -> list[ClassGroupFact]:
    """Return the groups with the most cases; nothing is asked of the others."""
    most = MOST if len(facts.groups) <= MOST else SHOWN_GROUPS  # each costs a simulation
    return foremost(facts.groups, most, lambda group: -group.n)


def _missing(
    facts: ClassEvaluationFacts, why: Callable[[MetricFact], str | None]
) -> tuple[tuple[str, str], ...]:
    whole = [(m.name, reason) for m in facts.metrics if (reason := why(m))]
    found: dict[tuple[str, str], list[object]] = {}
    for one in facts.classes:
        for m in one.metrics:
            if reason := why(m):
                found.setdefault((m.name, reason), []).append(one.label)
    of_class = [(f"{name} of {words.named(tuple(x))}", text) for (name, text), x in found.items()]
    of_group = [
        (f"{m.name} in {', '.join(map(figures.label, group.group.values()))}", reason)
        for group in _largest(facts)
        for m in group.metrics
        if (reason := why(m))
    ]
    return (*whole, *of_class, *of_group)


def _no_chance(facts: ClassEvaluationFacts, *, shown: bool) -> tuple[tuple[str, str], ...]:
    return tuple(
        (m.name, WEIGHTED.get(m.chance_reason) or reason_of(m.chance_reason))
        for m in facts.metrics
        if m.chance_reason and not m.undefined_reason and math.isnan(m.chance) is not shown
    )


def _definitions(facts: ClassEvaluationFacts) -> tuple[tuple[str, str], ...]:
    of_class = facts.classes[0].metrics if facts.classes else ()
    return tuple((m.name, f"{m.definition}. {m.meaning}") for m in (*facts.metrics, *of_class))
