"""The part of a report on thresholds about constraints: how likely new cases keep them."""

from collections.abc import Iterable
from operator import itemgetter

from baserate import _figures as figures
from baserate._figures import sentence_case, spoken
from baserate.facts.report import SampledFacts
from baserate.facts.threshold import CutFact, KeptFact
from baserate.report.columns import SPAN, grid, text, within
from baserate.report.sheet import Grid
from baserate.report.words import plain_name

KEPT = (
    "P(kept): the probability that the population keeps the constraint at this cut. Of recall, "
    "specificity and their complements it, and the {level} interval, allow for a cut that was put "
    "where these cases just keep the constraint (law of an order statistic). Of other metrics both "
    "come from their law, as elsewhere, and do not allow for that: P(kept) is then rather too high."
)
WORTH = " Cases count as many as weights and clusters are worth."
CHOSEN = (
    "Other cuts may keep this too; this one has the best {metric}, {value}, of them. What to "
    "maximise is your choice: name a metric (--metrics f1) or what errors cost."
)


def answer(cut: CutFact) -> tuple[str, ...]:
    """Say how likely the population keeps what a cut keeps on these cases."""
    return tuple(map(_kept_by_population, _known(cut)))


def on_new_cases(cuts: Iterable[CutFact], facts: SampledFacts) -> Grid:
    """Tell, for every best cut, how likely the population keeps each constraint."""
    rows = [(cut, fact) for cut in cuts for fact in _known(cut)]
    return grid(
        "Constraints on new cases",
        rows,
        text("metric", lambda row: row[0].name, plain_name),
        *within(
            itemgetter(1),
            text("constraint", write=str),
            text("these cases", "value", figures.number),
            text("interval", SPAN, figures.interval),
            text("P(kept)", "probability", figures.chance),
        ),
        labels=2,
        note=KEPT.format(level=figures.level(facts.confidence_level)) + WORTH * facts.sampled,
    )


def _known(cut: CutFact) -> tuple[KeptFact, ...]:
    return tuple(fact for fact in cut.constraints if fact.reason is None)


def _kept_by_population(fact: KeptFact) -> str:
    name, value = spoken(fact.name), figures.short(fact.value)
    low, high = map(figures.short, (fact.low, fact.high))
    chance = figures.equals(fact.probability)
    return (
        f"{sentence_case(name)} is {value} there on the cases that chose the cut; P(the population "
        f"keeps {fact.constraint}) {chance} ({name} {low} to {high})."
    )
