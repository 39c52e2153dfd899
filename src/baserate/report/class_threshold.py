"""Weights of classes in words: whether to use them, which class to call more often."""

import math

from baserate import _figures as figures
from baserate._figures import count, quoted, sentence_case, short, spoken
from baserate.facts.threshold import (
    ClassThresholdFacts,
    ClassWeightFact,
    ClassWeightsFact,
)
from baserate.report import class_words as words
from baserate.report import own_cuts
from baserate.report.audit_words import clusters_of
from baserate.report.columns import SPAN, each, exactly, grid, number, span, text
from baserate.report.methods import for_paper, sentences
from baserate.report.opening import UNDRAWN, Pictures, about_lines, captioned, cases_dropped, opened
from baserate.report.sheet import Cell, Grid, Remarks, Sheet
from baserate.report.threshold import drawn_of, worth_of_weights
from baserate.report.words import first_of, foremost

MOST = 40  # classes in a table
FEW = 3  # classes in a sentence
RULE = (
    "A case is called the class with the largest product of its weight and probability, of equal "
    "ones the first. Only ratios of weights matter; their geometric mean is 1."
)
ANEW = (
    "Expected anew is out of the bag: weights found on {n} bootstrap samples call the cases that "
    "these lack; its interval, and that of the difference, is of {drawn}. Spread holds {level} of "
    "the weights of the samples."
)
OF_FOLDS = (
    "Expected anew: weights found on the other {n} folds call the cases of each; its interval, and "
    "that of the difference, is of {drawn}. Spread: the least and the greatest of these weights."
)
SEARCH = (
    "Weights are found one class at a time over all its cut points, until none gains: better ones "
    "may exist."
)
DEPENDS = (
    "How to weigh the classes depends on what is to be maximised: name it (--metrics macro_f1), or "
    "what decisions are worth (UtilityMatrix.decide)."
)
UNTOLD = "these cases cannot tell which of the two is better on new ones"


def sheet_of(
    facts: ClassThresholdFacts, drawn: Pictures = UNDRAWN, *, in_full: bool = True
) -> Sheet:
    """Arrange the facts."""
    known = [fact for fact in facts.metrics if fact.reason is None]
    lines = _method(facts, known)
    return opened(
        "Weights of classes",
        facts,
        drawn,
        answer=answer(facts),
        about=_about(facts),
        parts=(
            *captioned(drawn),
            _metrics(known),
            *(_weights(fact, len(facts.labels)) for fact in known[:1]),
            _others(known),
            _groups(facts),
            Remarks("No weights", _reasons(facts, "reason"), asked=True),
            Remarks("Nothing to expect", _reasons(facts, "corrected_reason")),
            *((for_paper(sentences(lines)),) if in_full else ()),
        ),
        more=("methods",),
        how=lines[1:2] if known else (),
        method=lines,
    )


def answer(facts: ClassThresholdFacts) -> tuple[str, ...]:
    """Say whether weights are worth it for the first metric, and what they change."""
    first = next((fact for fact in facts.metrics if fact.reason is None), None)
    if first is None:
        return ("No weights of classes: see the reasons below.",)
    if not facts.asked_for:
        return (DEPENDS,)
    kept = not (math.isnan(first.corrected) or is_expected_better(first))
    return (*_verdict(first), *(() if kept else _moved(first)), *_gains(facts, first))


def _gains(facts: ClassThresholdFacts, first: ClassWeightsFact) -> tuple[str, ...]:
    return own_cuts.most_helped(_of_groups(facts, first.name), "weights", "are", _by_its_own)


def _by_its_own(own: ClassWeightsFact) -> str:
    there, shared = figures.told_apart(own.corrected, own.shared)
    return f"{spoken(own.name)} {there}, {shared} with the weights of all cases"


def _of_groups(facts: ClassThresholdFacts, name: str) -> list[own_cuts.Own]:
    return own_cuts.of_groups(((group, group.weights) for group in facts.groups), name)


def _groups(facts: ClassThresholdFacts) -> Grid:
    first = next((fact for fact in facts.metrics if fact.reason is None), None)
    return own_cuts.table(
        () if first is None else _of_groups(facts, first.name),
        text("most\nprobable", "unweighted", figures.or_nothing),
        text("weights of\nall cases", "shared", figures.or_nothing),
        text("own\nweights", "value", figures.or_nothing),
        text("expected\nanew", "corrected", figures.or_nothing),
        title=f"Groups: {'' if first is None else spoken(first.name)}",
        names=facts.group_names,
        sizes=(text("cases", "group.n", count),),
        lacking="weights",
        more=len(facts.metrics) > 1,
    )


def _verdict(fact: ClassWeightsFact) -> tuple[str, ...]:
    name, plain = spoken(fact.name), figures.number(fact.unweighted)
    if fact.changes_nothing:
        keep = "Call the most probable class"
        return (f"{keep}: no other weights have a better {name} than {plain} on these cases.",)
    if math.isnan(fact.corrected):
        best = f"{sentence_case(name)} is best, {short(fact.value)}, with weights of classes"
        return (f"{best}: what to expect of them on new cases is not known.",)
    if math.isnan(fact.unweighted):
        anew = f"expect {name} {short(fact.corrected)} on new cases"
        return (f"Weigh the classes: {anew}; it is undefined where the most probable is called.",)
    there, anew = figures.told_apart(fact.unweighted, fact.corrected)
    if not is_expected_better(fact):
        keep = f"Call the most probable class: {name} is {there} so"
        best = f"weights that are best on these cases, with {figures.number(fact.value)}"
        return (f"{keep}; {best}, are expected to have {anew} on new ones.",)
    ends = figures.interval(fact.low, fact.high)
    against = f"against {there} where the most probable class is called"
    if is_surely_better(fact):
        return (f"Weigh the classes: expect {name} {anew} ({ends}) on new cases, {against}.",)
    return (f"Weights of classes: expect {name} {anew} ({ends}), {against}; {UNTOLD}.",)


def is_expected_better(fact: ClassWeightsFact) -> bool:
    """Whether the weights are expected to be better than none on new cases."""
    gain = fact.difference if fact.direction == "higher" else -fact.difference
    return gain > 0


def is_surely_better(fact: ClassWeightsFact) -> bool:
    """Whether the interval of the difference lies on the better side of none."""
    return fact.difference_low > 0 if fact.direction == "higher" else fact.difference_high < 0


def _moved(fact: ClassWeightsFact) -> tuple[str, ...]:
    by_change = sorted(fact.classes, key=lambda one: -abs(one.called - one.called_unweighted))
    more = [one for one in by_change if one.called > one.called_unweighted]
    less = [one for one in by_change if one.called < one.called_unweighted]
    parts = (("more", more), ("less", less))
    texts = [f"{so} often {_changes(found)}" for so, found in parts if found]
    return (f"With these weights, called {'; '.join(texts)}.",) if texts else ()


def _changes(found: list[ClassWeightFact]) -> str:
    changes = (
        f"{quoted(one.label)} ({count(one.called)}, not {count(one.called_unweighted)})"
        for one in found
    )
    return first_of(changes, FEW, write=count)


def _metrics(known: list[ClassWeightsFact]) -> Grid:
    return grid(
        "Metrics, each with its own weights",
        known,
        text("metric", "name", _named),
        number("most\nprobable", "unweighted", figures.or_nothing),
        number("weighted", "value", figures.or_nothing),
        number("expected\nanew", "corrected", figures.or_nothing),
        span(),
        number("difference", write=figures.or_nothing),
        span(("difference_low", "difference_high")),
        number("P(better)", "probability_better", figures.chance),
        asked=True,
        note="Most probable: where the class with the largest probability is called. Weighted is "
        "on the cases that chose the weights; the difference is of expected anew.",
    )


def _named(name: str) -> Cell:
    return Cell(figures.label(name), page=sentence_case(spoken(name)))


def _weights(fact: ClassWeightsFact, size: int) -> Grid:
    shown = foremost(fact.classes, MOST, lambda one: -abs(one.called - one.called_unweighted))
    note = f"The {MOST} classes whose calls change most; {count(size - MOST)} more: in the JSON."
    return grid(
        f"Weights for {spoken(fact.name)}",
        shown,
        text("class", "label", quoted),
        number("cases", "n", count),
        number("called if\nmost probable", "called_unweighted", count),
        number("called\nso", "called", count),
        number("weight", write=_weight),
        number("spread", SPAN, lambda low, high: f"{_weight(low)} to {_weight(high)}"),
        note=note if size > MOST else "",
    )


def _weight(value: float) -> str:
    return f"{value:#.3g}".rstrip(".")


def _others(known: list[ClassWeightsFact]) -> Grid:
    labels = known[0].classes if known else ()
    fits = len(known) > 1 and len(labels) <= MOST
    rows = zip(*(fact.classes for fact in known[1:]), strict=True) if fits else ()
    return grid(
        "Weights for other metrics",
        rows,
        text("class", lambda row: row[0].label, quoted),
        *each(
            (Cell(fact.name, page=spoken(fact.name)) for fact in known[1:]),
            tuple,
            lambda one: exactly(one.weight, write=_weight),
        ),
    )


def _reasons(facts: ClassThresholdFacts, kind: str) -> tuple[tuple[str, str], ...]:
    found = ((spoken(fact.name), getattr(fact, kind)) for fact in facts.metrics)
    return tuple((sentence_case(name), reason) for name, reason in found if reason)


def _about(facts: ClassThresholdFacts) -> tuple[tuple[str, str], ...]:
    cases = "1 case has" if facts.tied == 1 else f"{count(facts.tied)} cases have"
    return about_lines(
        ("Classes", f"{count(len(facts.labels))}: {words.named(facts.labels)}"),
        ("Cases", f"{count(facts.n)}{cases_dropped(facts)}"),
        ("Truth", "" if facts.target is None else f"column {quoted(facts.target)}"),
        ("Scores", words.scores(facts.scores)),
        ("Weights", worth_of_weights(facts)),
        ("Clusters", clusters_of(facts)),
        ("Folds", f"{facts.folds}" if facts.folds else ""),
        ("Ties", f"{cases} several most probable classes" if facts.tied else ""),
    )


def _method(facts: ClassThresholdFacts, known: list[ClassWeightsFact]) -> tuple[str, ...]:
    level = figures.level(facts.confidence_level)
    search = (SEARCH,) if any(fact.route == "coordinate ascent" for fact in known) else ()
    judged, n = (OF_FOLDS, facts.folds - 1) if facts.folds else (ANEW, facts.n_resamples)
    return (RULE, judged.format(n=n, level=level, drawn=drawn_of(facts)), *search)
