"""The part of a report on several classes about their scores: areas, losses, each class."""

import math

from baserate import _figures as figures
from baserate._figures import short
from baserate._holm import not_one
from baserate._measures import MEASURES
from baserate.facts.evaluation import ClassEvaluationFacts, ClassFact
from baserate.facts.scores import EstimateFact
from baserate.report import score_rows, score_words
from baserate.report.columns import grid, number, span, text, within
from baserate.report.score_rows import lacking, measure, tests
from baserate.report.score_words import SHAPES
from baserate.report.sheet import Grid, Remarks
from baserate.report.verdicts import over
from baserate.report.words import reason_of, size_heading

LARGE, SLOPE = "confidence_observed_expected", "confidence_calibration_slope"
AREAS = {"roc_auc_ovr", "roc_auc"}
FOLDED = (
    "Each of {} folds was scored by a model of its own: ROC areas are means over folds, as scores "
    "of different models are not comparable."
)
RANKED = (
    "Chance: what scores that know nothing have on average; for losses, what always saying the "
    "class shares loses. Skill: 0 is chance, 1 perfect."
)
OF_CLASS = (
    "ROC AUC: how often a case of the class scores above any other. O:E: its cases over the sum of "
    "its probabilities; above 1, these are too low. Each interval by itself."
)
MANY = "The {shown} classes with the smallest ROC areas; {more} more are in the JSON."
NO_SHARES = (
    "the scores of some case do not all lie in [0, 1] or do not sum to one, so they are no "
    "probabilities"
)
ABSENT = {
    "probabilities": "Losses and calibration",
    "roc_auc_ovo": "ROC AUC (OvO)",
    "score_measures": "Measures of the scores",
}


def asked(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say what the measures are that were asked for."""
    named = {fact.name for fact in facts.measures_named}
    others = (fact for fact in facts.measures_named if fact.name not in {*AREAS, LARGE})
    return (
        *score_words.asked(others, facts.confidence_level),
        *(_ranks(facts) if named & AREAS else ()),
        *(_believed(facts) if LARGE in named else ()),
    )


def answer(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say how well the scores rank, and whether the largest probabilities can be believed."""
    told = asked(facts)
    return tuple(one for one in (*_ranks(facts), *_believed(facts)) if one not in told)


def _ranks(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    found = facts.measure("roc_auc_ovr") or facts.measure("roc_auc")
    if found is None or math.isnan(found.value):
        return ()
    mean = ", the mean of each class against the rest," if found.name == "roc_auc_ovr" else ""
    level = figures.level(facts.confidence_level)
    known = not math.isnan(found.low + found.high)
    ends = f" ({level} interval {short(found.low)} to {short(found.high)})" if known else ""
    begun = over(facts.ranked_within, mean)
    return (f"{begun} is {short(found.value)}{ends}; chance is 0.5.",)


def _believed(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    large, slope = facts.measure(LARGE), facts.measure(SLOPE)
    if large is None or math.isnan(large.value + large.low + large.high):
        return ()
    wrong = not_one(*((f.name, f.p_value, f) for f in (large, slope) if f is not None))
    told: list[str] = []
    right = f"{short(large.value)} times as many are right as they add up to ({_beside(large)})"
    if LARGE in wrong:
        promise = "much" if large.value < 1 else "little"
        told.append(f"The largest probabilities promise too {promise}: {right}.")
    if slope is not None and SLOPE in wrong:
        who = "They are also" if told else "The largest probabilities are"
        shape = SHAPES["extreme" if slope.value < 1 else "timid"]
        told.append(f"{who} {shape} (slope {short(slope.value)}, {_beside(slope)}).")
    if not told:
        told.append(f"No evidence that the largest probabilities are wrong: {right}.")
    return tuple(told)


def _beside(fact: EstimateFact) -> str:
    ends = f"{short(fact.low)} to {short(fact.high)}"
    return ends if math.isnan(fact.p_value) else f"{ends}; {figures.p_stated(fact.p_value)}"


def parts(facts: ClassEvaluationFacts, most: int) -> tuple[Grid | Remarks, ...]:
    """Return measures of all scores, those of each class (`most` of them), and what is lacking."""
    absent = (
        (ABSENT[name], (NO_SHARES if why == "no_probabilities" else reason_of(why)))
        for name, why in facts.score_absent.items()
    )
    every = (*facts.score_measures, *(m for one in facts.classes for m in one.score_measures))
    reasons = dict.fromkeys((*lacking(facts.score_measures), *lacking(_named(facts))))
    if not every:
        return (Remarks("Not in this report", tuple(absent)),)
    return (
        _of_all(facts),
        _of_classes(facts, most),
        Remarks("Not in this report", (*reasons, *absent)),
    )


def _named(facts: ClassEvaluationFacts) -> tuple[EstimateFact, ...]:
    """Return what is unknown of classes for another reason than of all of them."""
    known = {m.reason for m in facts.score_measures}
    return tuple(
        m for one in facts.classes for m in one.score_measures if m.reason and m.reason not in known
    )


def _of_all(facts: ClassEvaluationFacts) -> Grid:
    found = facts.score_measures
    glosses = filter(None, (MEASURES[m.name].of_classes for m in found if m.name in MEASURES))
    folded = (FOLDED.format(facts.ranked_within),) if facts.ranked_within else ()
    return grid(
        "Scores of all classes",
        found,
        *score_rows.RANKED,
        asked=bool(facts.named),
        note=" ".join((*folded, RANKED, *glosses, *tests(found))),
    )


def _of_classes(facts: ClassEvaluationFacts, most: int) -> Grid:
    shown = [one for one in facts.classes if one.score_measures]
    note = OF_CLASS
    if len(shown) > most:
        note = f"{OF_CLASS} {MANY.format(shown=most, more=f'{len(shown) - most:,}')}"
        shown = sorted(shown, key=_area)[:most]
    measures = shown[0].score_measures if shown else ()
    return grid(
        "Score of each class",
        shown,
        text("class", "label", figures.quoted),
        number(size_heading(facts), "table.n_positive", figures.count),
        *(
            column
            for i, m in enumerate(measures)
            for column in within(
                lambda one, i=i: one.score_measures[i],
                number(measure(m.name), "value", figures.or_nothing),
                span(),
            )
        ),
        note=note,
    )


def _area(one: ClassFact) -> float:
    value = one.score_measures[0].value
    return math.inf if math.isnan(value) else value


def method(facts: ClassEvaluationFacts) -> tuple[str, ...]:
    """Say what the intervals of scores are."""
    every = (*facts.score_measures, *(m for one in facts.classes for m in one.score_measures))
    known = [m.route for m in every if not math.isnan(m.low + m.high)]
    promised = score_rows.promises(known, figures.level(facts.confidence_level))
    return (f"Scores: {promised[:1].lower()}{promised[1:]}",) if promised else ()
