"""The words of a comparison: stakes and what decisions earn, classifiers, cuts, pictures."""

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from baserate import _figures as figures
from baserate._figures import spoken
from baserate.facts.comparison import (
    AnyComparison,
    ClassifierFact,
    ComparisonFacts,
    CurveFact,
    MetricRanking,
    PlaceFact,
    SpanFact,
)
from baserate.facts.stakes import ClassStakesFact, StakesFact, YieldFact
from baserate.report.columns import Column, each, exactly, grid, number, text
from baserate.report.opening import HOW_TO_READ
from baserate.report.sheet import Figure, Grid
from baserate.report.words import listed, reason_of

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

NAMED = 6  # things that one sentence names at most
FEW = 3  # ties that one cell names
CONSTANT = "decides_constantly"  # always as the best constant decision
WRITTEN = 4  # decisions and classes whose utilities a line has room for
SQUARE = 12  # of which they fit a page
CONSTANTS = 5  # constant decisions that are shown, the best first

Span = SpanFact


class Unit(NamedTuple):
    """What is compared, what the best has of it, and by which stakes."""

    name: str
    highest: str
    under: str


UNITS = {
    "utility": Unit("yield", "the highest expected yield", "under these utilities"),
    "cost": Unit("cost", "the lowest expected cost", "at these costs"),
    "accuracy": Unit("accuracy", "the highest accuracy", "in accuracy"),
}


def tested(facts: ComparisonFacts) -> list[str]:
    """Name what every two are tested by: accuracy, and of two classes the rate in either."""
    names = ("accuracy", "recall", "specificity")
    return [x for x in names if any(not math.isnan(getattr(p, f"p_{x}")) for p in facts.pairs)]


def unit(facts: AnyComparison) -> str:
    """Name what is compared."""
    return UNITS[facts.stakes.kind].name


def stakes(facts: ComparisonFacts) -> str:
    """Write out what decisions are worth; nothing where nobody said."""
    if facts.stakes.kind == "accuracy":
        return ""
    (_, alarm), (miss, _) = [map(figures.count, map(abs, row)) for row in facts.stakes.matrix]
    text = {
        "cost": f"a false positive costs {alarm}, a false negative {miss}",
        "utility": stakes_told(facts.stakes),
    }[facts.stakes.kind]
    return f"{text}; so tau is {figures.number(facts.stakes.tau)}"


def shown(facts: AnyComparison, value: float) -> float:
    """Return a yield as it is shown: costs are minus yields."""
    return 0.0 - value if facts.stakes.kind == "cost" else value


def span(facts: AnyComparison, low: float, high: float) -> tuple[float, float]:
    """Return an interval as it is shown."""
    ends = shown(facts, low), shown(facts, high)
    return ends if facts.stakes.kind != "cost" else (ends[1], ends[0])


def choice(stakes: StakesFact | ClassStakesFact, decision: Any) -> str:
    """Name a constant decision."""
    return f"always {'choosing' if stakes.named else 'saying'} {figures.quoted(decision)}"


def earns(value: float) -> str:
    """Say what is earned or lost."""
    return f"{'loses' if value < 0 else 'earns'} {figures.count(abs(value))}"


def called(facts: ComparisonFacts, name: str) -> str:
    """Name a classifier, or a constant decision in words."""
    constant = name.removeprefix("always ")
    is_constant = name.startswith("always ") and constant in facts.constants
    return choice(facts.stakes, constant) if is_constant else figures.label(name)


def best_of(facts: AnyComparison, place: PlaceFact) -> str:
    """Name what is best in a group or at a base rate: classifiers, or the constant decision."""
    top = max(place.yields.values())
    if place.constant_value >= top:
        return choice(facts.stakes, place.constant)
    return listed(figures.label(name) for name, value in place.yields.items() if value == top)


def judged(ranking: MetricRanking) -> str:
    """Say whether a metric orders the classifiers as their yields do."""
    if len(ranking.wrong) > 1:
        return f"otherwise in {len(ranking.wrong)} pairs"
    parts = [
        f"otherwise: puts {figures.label(b)} before {figures.label(a)}" for a, b in ranking.wrong
    ]
    parts += [f"ties {figures.label(a)} and {figures.label(b)}" for a, b in ranking.undecided[:FEW]]
    return "; ".join(parts) or "agrees"


def relation(curve: CurveFact) -> str:
    """Say which ROC curve lies above the other."""
    a, b = figures.label(curve.a), figures.label(curve.b)
    text = {
        "a": f"{a}, nowhere below {b}",
        "b": f"{b}, nowhere below {a}",
        "equal": "neither: they are equal",
        "crossing": "neither: they cross",
        "unknown": "not known: scores came counted in bins",
    }
    hull = {"a": f"; with cut points chosen, {a}", "b": f"; with cut points chosen, {b}"}
    chosen = hull.get(curve.hull_relation, "") if curve.relation == "crossing" else ""
    return text[curve.relation] + chosen


def cuts(facts: Any) -> str:
    """List where scores are cut."""
    known = {fact.cut for fact in facts.classifiers if fact.cut is not None}
    return listed(f"{cut:g}" for cut in sorted(known))


def cut(fact: ClassifierFact) -> str:
    """Say where a score is cut, and why there."""
    assert fact.cut is not None
    why = {
        "threshold": "",
        "tau": ", the threshold of the stakes",
    }.get(fact.cut_by or "", f", where {spoken(fact.cut_by or '')} is best")
    others = [spoken(by) if is_metric(by) else by for by in fact.cut_also]
    same = f"; cut at {listed(others)}, it decides the same" if others else ""
    if math.isnan(fact.cut) or fact.cut == math.inf:
        return f"nothing called positive{why}{same}"
    return f"positive where {figures.quoted(fact.score)} is {fact.cut:.6g} or more{why}{same}"


def is_metric(by: str | None) -> bool:
    """Whether a metric chose a cut, rather than a number or the stakes."""
    if by is None or by in {"threshold", "tau"}:
        return False
    try:
        float(by)
    except ValueError:
        return True
    return False


def opening_pictures(facts: ComparisonFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the pictures of what was asked: what is best where, or the scores that nobody cut."""
    return _figures(_of_cuts(facts) if facts.cut_named else _of_scores(facts), pictures)


def other_pictures(facts: ComparisonFacts, pictures: Mapping[str, str]) -> tuple[Figure, ...]:
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
        at = f"scores cut at {cuts(facts)}, which nobody named"
        costs, rates = f"{costs}: {at}", f"{rates}: {at}"
    return {
        "differences": ("", HOW_TO_READ["differences"]),  # where nothing is at stake
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
    named = listed(called(facts, name) for name in at.best)
    return f"{named} {'is' if len(at.best) == 1 else 'are'} best"


def stakes_told(stakes: StakesFact | ClassStakesFact) -> str:
    """Write out what decisions are worth if that is known; a large matrix has its own table."""
    if stakes.matrix is None:
        return ""
    sizes = len(stakes.decisions), len(stakes.classes)
    if max(sizes) > WRITTEN:
        return (
            f"utilities of {figures.count(sizes[0])} decisions in {figures.count(sizes[1])} classes"
        )
    rows = (
        f"{figures.quoted(decision)} {', '.join(_worths(stakes, row))}"
        for decision, row in zip(stakes.decisions, stakes.matrix, strict=True)
    )
    return "; ".join(rows)


def _worths(stakes: StakesFact | ClassStakesFact, row: tuple[float, ...]) -> list[str]:
    pairs = zip(row, stakes.classes, strict=True)
    return [f"{figures.count(worth)} if {figures.quoted(name)}" for worth, name in pairs]


def worth_using(stakes: ClassStakesFact, worth: YieldFact, confidence_level: float) -> str:
    """Say what a classifier earns, and whether it is worth using."""
    ends = f"{figures.level(confidence_level)} interval {figures.interval(worth.low, worth.high)}"
    told = f"It {earns(worth.value)} per case ({ends})"
    always = f"{choice(stakes, stakes.constant)} {earns(stakes.constant_value)}"
    if worth.beats_reason == CONSTANT:
        return f"{told}, as {choice(stakes, stakes.constant)} does: it decides so in every case."
    if worth.beats_reason:
        why = reason_of(worth.beats_reason)
        return f"Worth using: cannot tell, since {why}. {told}; {always}."
    p = figures.equals(worth.beats_constant)
    return f"Worth using: {worth.worth_using}. {told}; {always}. P(it earns more) {p}."


def worths(stakes: ClassStakesFact | None, worth: YieldFact | None) -> Grid:
    """Show one classifier beside the constant decisions."""
    if stakes is None or worth is None:
        return grid("Worth", ())
    ranked = sorted(stakes.constants.items(), key=lambda pair: -pair[1])[:CONSTANTS]
    known = [(choice(stakes, name), exactly(value)) for name, value in ranked]
    known.append(("knowing every class", exactly(stakes.perfect)))
    return grid(
        "Worth",
        [worth],
        Column("", lambda _: "as it decides"),
        number("utility\nper case", "value"),
        text("interval", ("low", "high"), figures.interval),
        text("P(beats constant)", "beats_constant", figures.chance),
        text("skill", write=figures.or_nothing),
        below=[(*row, *[figures.NOTHING] * 3) for row in known],
        asked=True,
        note="Skill: 0 is the best constant decision, 1 perfection.",
    )


def utilities(stakes: ClassStakesFact | None) -> Grid:
    """Show utilities that no line has room for and a page has."""
    title = "Utilities (decisions in rows, classes in columns)"
    if stakes is None or stakes.matrix is None:
        return grid(title, ())
    small = WRITTEN < max(len(stakes.decisions), len(stakes.classes)) <= SQUARE
    rows = zip(stakes.decisions, stakes.matrix, strict=True) if small else ()
    return grid(
        title,
        rows,
        text("decision", itemgetter(0), figures.quoted),
        *each(map(figures.quoted, stakes.classes), itemgetter(1), figures.count),
    )
