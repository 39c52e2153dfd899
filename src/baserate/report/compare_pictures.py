"""The pictures of a comparison: their captions say what they show here."""

from collections.abc import Mapping, Sequence

from baserate import _figures as figures
from baserate.facts.comparison import ComparisonFacts, SpanFact
from baserate.report import compare_words as words
from baserate.report.sheet import Figure

Told = Mapping[str, tuple[str, str]]  # title and note of a picture, by its name

HATCHED = "Grey: a constant decision, hatched if it is the positive one."
COSTS = (
    "The threshold tau stands for all stakes: a positive decision pays where its probability "
    "exceeds tau. Base rate as here, {base_rate}."
)
RATES = "Rates within each class stay as they are; {stakes}."
MAP = (
    "Stakes to the right, base rate upwards: coloured is which classifier yields more in "
    "these cases, hatched where a constant decision yields more than any."
)
DECISION = (
    "Is a score worth using? Net benefit of acting at each threshold, beside treating all and "
    "treating no one: the highest line did best there in these cases."
)
ROC = "Recall against false positive rate at every cut; dashed: a score that knows nothing."


def opening(facts: ComparisonFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the pictures of what was asked: what is best where, or the scores that nobody cut."""
    return _figures(_of_cuts(facts) if facts.cut_named else _of_scores(facts), pictures)


def others(facts: ComparisonFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the map of stakes and base rates, and the curves of the scores or what they cut."""
    more = _of_scores(facts) if facts.cut_named else _of_cuts(facts)
    return _figures({"utility_map": ("", MAP), **more}, pictures)


def _of_cuts(facts: ComparisonFacts) -> Told:
    tau, base_rate = figures.short(facts.stakes.tau), figures.short(facts.base_rate)
    costs = f"In these cases, at tau {tau}, {_best(facts, facts.by_threshold, facts.stakes.tau)}"
    rates = f"In these cases, at a base rate of {base_rate}, "
    rates += _best(facts, facts.by_base_rate, facts.base_rate)
    stakes = f"stakes as here, tau {tau}"
    if facts.stakes.kind == "accuracy":  # nobody named stakes, so nothing is best
        costs = "Which is best in these cases depends on what errors cost"
        rates = "Which has the highest accuracy in these cases depends on the base rate"
        stakes = "best is the highest accuracy"
    if not facts.cut_named:
        at = f"scores cut at {words.cuts(facts)}, which nobody named"
        costs, rates = f"{costs}: {at}", f"{rates}: {at}"
    return {
        "best_by_threshold": (costs, f"{COSTS.format(base_rate=base_rate)} {HATCHED}"),
        "best_by_base_rate": (rates, RATES.format(stakes=stakes)),
    }


def _of_scores(facts: ComparisonFacts) -> Told:
    more = len(facts.scores) - 8
    absent = f" The first 8 of {len(facts.scores)} scores." if more > 0 else ""
    return {"decision_curve": ("", DECISION + absent), "roc": ("", ROC + absent)}


def _figures(told: Told, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    return tuple(
        Figure(title=title, svg=pictures[name], note=note)
        for name, (title, note) in told.items()
        if name in pictures
    )


def _best(facts: ComparisonFacts, spans: Sequence[SpanFact], here: float) -> str:
    at = next((span for span in spans if span.low <= here <= span.high), None)
    if at is None:
        return "nothing is known to be best"
    named = words.listed(words.called(facts, name) for name in at.best)
    return f"{named} {'is' if len(at.best) == 1 else 'are'} best"
