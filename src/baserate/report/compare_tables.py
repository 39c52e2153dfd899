"""The tables of any comparison: what each is worth, metrics, differences, margins."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from baserate import _figures as figures
from baserate._figures import spoken
from baserate.facts.comparison import AnyComparison, PlaceFact
from baserate.report import compare_words as words
from baserate.report.columns import (
    PAIR,
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
from baserate.report.compare_answer import CLAIMS
from baserate.report.compare_words import choice
from baserate.report.sheet import Bar, Cell, Grid
from baserate.report.words import UNADJUSTED, guess_heading, left_out, plain_name, reason_of

CONSTANTS = 5  # constant decisions that are shown, the best first
EACH = ((0.0, 1.0),)  # without utilities each right decision counts 1
MOST = 40  # rows of a table
BEST = "P(best): how probably it has {highest} of all classifiers."
READING = f"{BEST} Skill: 0 is the best constant decision, 1 perfection."


def classifiers(facts: AnyComparison) -> Grid:
    """Show what each classifier is worth, the best first, above the constant decisions."""
    constants = sorted(facts.constants.items(), key=lambda pair: -pair[1])[:CONSTANTS]
    fixed = tuple(
        (choice(facts.stakes, name), "", _shown(facts, value), *[figures.NOTHING] * 4)
        for name, value in constants
    )
    bars = (*(_bar(facts, fact) for fact in facts.ranked), *[None] * len(fixed))
    cut = "" if facts.cut_named else f" (scores cut at {words.cuts(facts)}, which nobody named)"
    priced = not all(math.isnan(one.value) for one in facts.classifiers)
    return grid(
        f"Classifiers{cut}",
        facts.ranked if priced else (),
        text("classifier", "name"),
        number("n" if facts.effective_n is None else "weight", "n", figures.count),
        Column(words.unit(facts), lambda one: _shown(facts, one.value)),
        Column("interval", lambda one: exactly(*_ends(facts, one), write=figures.interval)),
        text("P(best)", "best", figures.chance),
        text("P(beats constant)", "beats_constant", figures.chance),
        text("skill", write=figures.or_nothing),
        below=fixed,
        asked=facts.stakes.kind != "accuracy" or len(facts.classifiers) > 2,
        note=(READING if constants else BEST).format(
            highest=words.UNITS[facts.stakes.kind].highest
        ),
        mark="best constant decision" if constants else "",
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
    told = f"{figures.number(value)}, interval {figures.interval(low, high)}"
    told += "" if math.isnan(mark) else f", best constant {figures.number(mark)}"
    return Bar.of(value, low, high, mark, bounds=bounds, words=told)


def metrics(facts: AnyComparison) -> Grid:
    """Show by which metrics the classifiers are compared, each with its interval."""
    wanted = [one.name for one in facts.pairs[0].metrics]
    of = {
        one.name: {
            name: metric
            for how in (plain_name, str)  # a whole report may be restated, or one metric
            for metric in one.metrics
            for name in (how(metric.name),)
        }
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
        asked=_leads(facts),
        note=" ".join(f"No value of the guess: {reason}." for reason in lost if reason),
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
            p_of(facts, "p_value"),
            text("P(first better)", "a_better", figures.chance),
        ),
        labels=3,
        asked=_leads(facts),
        note=note.strip(),
    )


def _leads(facts: AnyComparison) -> bool:
    """Whether metrics at cuts are the answer, and not what is at stake or how scores rank."""
    return facts.stakes.kind == "accuracy" and facts.cut_named


def margins(facts: AnyComparison) -> Grid:
    """Show who is not worse than the first by more than the margin."""
    margin = f"{facts.margins[0].margin:g}" if facts.margins else ""
    return grid(
        f"Not worse by more than {margin}",
        facts.margins[:MOST] if len(facts.margins) > CLAIMS else (),
        text("new", "new"),
        text("old", "old"),
        text("by", "name", spoken),
        number("better by", "lead"),
        span(),
        text("not worse", "not_worse"),
        labels=3,
        note=left_out(min(len(facts.margins), MOST), len(facts.margins)),
    )


def p_of(facts: AnyComparison, alone: str) -> Column:
    """Return p-values: beyond two classifiers there are several tests, which are adjusted."""
    if len(facts.pairs) > 1:
        return text("adjusted\np", "adjusted_p", figures.p_value)
    return text("p", alone, figures.p_value)


def of_places(
    facts: AnyComparison, title: str, places: Sequence[PlaceFact], groups: Sequence[str],
    *sizes: Column | bool, write: Callable[[float], str], best: str, note: str = "",
) -> Grid:  # fmt: skip
    """Show what each is worth in groups or at base rates, `sizes` beside these; the `best` last."""
    names = [one.name for one in facts.classifiers]
    return grid(
        title,
        places,
        *each(map(figures.label, groups), lambda place: place.group.values()),
        *sizes,
        *each(map(figures.label, names), lambda place: map(place.yields.get, names), write),
        text("best constant", "constant_value", write),
        _better_of(names),
        Column(best, partial(words.best_of, facts)),
        labels=len(groups),
        note=note,
        sentence=True,
        asked=True,
    )


def _better_of(names: Sequence[str]) -> Column | bool:
    """Return how surely the first of two is better in each place; of more there is no such one."""
    heading = f"P({figures.label(names[0])} better)"
    return len(names) == 2 and text(
        heading, lambda place: place.best.get(names[0], math.nan), figures.chance
    )
