"""The answer of a comparison: who earns what, against what, how surely, and where that turns."""

import math
from collections.abc import Mapping

from baserate import _figures as figures
from baserate._figures import label, sentence_case, spoken
from baserate.facts.comparison import (
    ActingFact,
    AnyComparison,
    ComparisonFacts,
    DifferenceFact,
    MarginFact,
    PairFact,
    WorthFact,
)
from baserate.facts.verdict import SURE, answer_of
from baserate.report import compare_lead as lead
from baserate.report import compare_scores
from baserate.report import compare_words as words
from baserate.report.clustering import (
    FEWER,
    FEWEST,
    allow_for_more,
    counting,
    few_runs,
    replicates,
    unequal,
)
from baserate.report.net_benefit import EACH, price_of, prices
from baserate.report.words import ALONE, NARROW, RUNS, SEE, SIGNIFICANT, called, stated_at, unnamed

CLAIMS = 6  # about a margin that are said in words
METRICS = 8  # that one sentence names at most
FEW = 3  # classifiers that one sentence names one by one
WORTH = {
    "yes": "{names} {do} better",
    "cannot tell": "whether {names} {do} better cannot be told",
    "no": "{names} {do} worse",
    "unknown": "whether {names} {do} better is not known",
}
NAME_COSTS = 'Worth using depends on costs: name yours (cost="fp=1,fn=10", --cost fp=1,fn=10)'
NOWHERE = "Whether any is worth using, at whatever costs of errors, these cases do not show."

FEW_SAMPLED = 20  # clusters, or effective cases
SHARED = unnamed("a topic or a patient", NARROW)


def answer(facts: ComparisonFacts) -> tuple[str, ...]:
    """Return the answer: what was asked for, how surely it differs, then what it is worth.

    Decisions by a cut that nobody named are in tables only, where scores have an answer and no
    metric was asked for.
    """
    scores = compare_scores.answer(facts)
    if facts.cut_named:
        told = (*_of_cuts(facts), *scores, *alike(facts), *_misleading(facts), *_turning(facts))
    elif facts.asked or not scores:
        told = (*scores, *_of_cuts(facts), *alike(facts))
    else:
        told = (*scores, *alike(facts, cuts=False))
    apart = in_groups(facts) if facts.cut_named or not scores else ()
    return (*untold(facts), *margins(facts), *told, *_deployed(facts), *apart)


def untold(facts: AnyComparison) -> tuple[str, ...]:
    """Say first that one cluster tells nothing, whatever its values."""
    if facts.n_clusters != 1:
        return ()
    kind = "cluster" if facts.cluster else "item"
    return (f"Which is better: cannot tell. {ALONE.format(kind=kind)}",)


def margins(facts: AnyComparison) -> tuple[str, ...]:
    """Say of each whether it is worse than the first by no more than the margin."""
    scores = {pair.measure for pair in facts.score_pairs}
    told = tuple(
        _beside_margin(one, "" if one.name in scores else stated_at(facts), facts.confidence_level)
        for one in facts.margins[:CLAIMS]
    )
    more = len(facts.margins) - len(told)
    each = "Each is judged by itself: luck lets some of several pass more often, all of them less"
    each += f"; {more} more are in the table" if more else ""
    return (*told, f"{each}.") if len(facts.margins) > 1 else told


def _beside_margin(one: MarginFact, at: str, level: float) -> str:
    new, old, margin = label(one.new), label(one.old), f"{one.margin:g}"
    by = f"by more than {margin} in {spoken(one.name)}{at}"
    if math.isnan(one.low + one.high):
        return f"Whether {new} is worse than {old} {by} is not known: there is no interval."
    ends, law = {"lower": one.low, "upper": one.high}, f"{one.law} interval".lstrip()
    if one.better == "lower":
        ends = {"upper": 0.0 - one.low, "lower": 0.0 - one.high}
    worst, best = (
        f"{end} limit of the difference {figures.number(value)}, {figures.level(level)} {law}"
        for end, value in ends.items()
    )
    return {
        "yes": f"{new} is not worse than {old} {by} ({worst}).",
        "no": f"{new} is worse than {old} {by} ({best}).",
        "cannot tell": f"Whether {new} is worse than {old} {by} cannot be told ({worst}).",
    }[one.not_worse]


def _of_cuts(facts: ComparisonFacts) -> tuple[str, ...]:
    """Compare decisions: by the metrics asked for, by stakes if there are any, else by accuracy."""
    told = raced(facts)
    if facts.cut_named:
        told = [*_traded(facts), *told]
    else:
        at = f"At a cut of {words.cuts(facts)}, which nobody named"
        told[0] = f"{at}, {told[0][0].lower()}{told[0][1:]}"
    return (*told, *best(facts), *(worth(facts) or _depends(facts)))


def _traded(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say first, where nobody asked for a metric or named stakes, that each has a better rate."""
    if facts.asked or facts.stakes.kind != "accuracy" or len(facts.classifiers) < 2:
        return ()
    if any(one.beats_reason for one in facts.ranked[:2]):  # such as one that decides constantly
        return ()
    pair, several = facts.leading, len(facts.pairs) > 1
    found = {one.name: one for one in pair.metrics}
    rates = [found.get(name) for name in ("recall", "specificity")]
    known = [one for one in rates if one is not None and _p(one, several) < SIGNIFICANT]
    if len(known) < 2 or known[0].difference * known[1].difference >= 0:
        return ()
    recall, specificity = (_apart(one, several) for one in known)
    more, fewer = (pair.a, pair.b) if known[0].difference > 0 else (pair.b, pair.a)
    text = f"{label(more)} finds more ({recall}), {label(fewer)} raises fewer false alarms "
    return (f"{text}({specificity}): which is better depends on what errors cost.",)


def _p(one: DifferenceFact, several: bool) -> float:  # noqa: FBT001
    return one.adjusted_p if several else one.p_value


def _apart(one: DifferenceFact, several: bool) -> str:  # noqa: FBT001
    high, low = sorted((one.value_a, one.value_b), reverse=True)
    adjusted = "adjusted " if several else ""
    values = f"{figures.number(high)} against {figures.number(low)}"
    return f"{spoken(one.name)} {values}, {adjusted}{figures.p_stated(_p(one, several))}"


def raced(facts: AnyComparison) -> list[str]:
    """Say how each does by what was asked for, and by what decisions are worth."""
    races = [*lead.of_metrics(facts)]
    if not races or facts.stakes.kind != "accuracy":
        races.append(lead.of_worth(facts))
    told = [sentence for race in races for sentence in lead.told(race)]
    return [*told, *lead.together(races)]


def best(facts: AnyComparison) -> tuple[str, ...]:
    """Say how probably the highest of several is the best, by stakes if others were asked for."""
    if facts.asked and facts.stakes.kind == "accuracy":
        return ()
    by = words.unit(facts) if facts.asked else ""
    cases = lead.these_cases(
        facts.n if facts.paired else None, [one.n for one in facts.classifiers]
    )
    return lead.best({one.name: one.best for one in facts.classifiers}, by, cases)


def worth(facts: AnyComparison) -> tuple[str, ...]:
    """Say under stakes that were named whether each is worth using."""
    if facts.stakes.kind == "accuracy":
        return ()
    bar = f"{words.choice(facts.stakes, facts.constant)} {_verb(facts, facts.constant_value)}"
    # One that takes that decision in every case is the constant decision.
    others = [one for one in facts.ranked if not one.beats_reason]
    shown = others if len(others) <= FEW else others[:1]
    chances = {one.name: one.beats_constant for one in shown}
    return (sentence_case(f"{bar}{against_constant(chances)}."),)


def against_constant(chances: Mapping[str, float]) -> str:
    """Say who does better than the best constant decision: yes, no, or cannot tell.

    The probability beside a verdict is that of the verdict; who cannot be told of has that of yes.
    """
    by_state: dict[str, list[str]] = {}
    for name, chance in chances.items():
        state = answer_of(chance)
        sure = 1 - chance if state == "no" else chance
        shown = label(name) if math.isnan(chance) else f"{label(name)} (P {figures.equals(sure)})"
        by_state.setdefault("unknown" if math.isnan(chance) else state, []).append(shown)
    said = [
        WORTH[state].format(
            names=words.listed(by_state[state]), do="does" if len(by_state[state]) == 1 else "do"
        )
        for state in WORTH
        if state in by_state
    ]
    return f": {'; '.join(said)}" if said else ""


def _depends(facts: ComparisonFacts) -> tuple[str, ...]:
    if not (facts.cut_named and facts.by_threshold) or facts.n_clusters == 1:
        return ()
    if all(fact.acting for fact in facts.classifiers):
        return _acting(facts)
    known = [fact for fact in facts.ranked if not math.isnan(fact.pays[0])]
    if not known:
        return (NOWHERE,)
    first, *more = known[:FEW]
    text = f"{label(first.name)} beats deciding always the same if {prices(*first.pays)}"
    text += "".join(f", {label(fact.name)} if {prices(*fact.pays)}" for fact in more)
    text += f", {len(known) - FEW} more at costs of their own" if len(known) > FEW else ""
    return (f"{NAME_COSTS}: {text} ({EACH.format(level=facts.confidence_level)}).",)


def _acting(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say whether each is worth using at the threshold that was named, which states the costs."""
    told = [(fact.name, found) for fact in facts.classifiers if (found := fact.acting)]
    told.sort(key=lambda pair: -pair[1].value)
    first, level = told[0][1], figures.level(facts.confidence_level)
    price = f"where {price_of(first.threshold)}"
    net = f"net benefit per 1,000 cases is {_per(first.treat_all)} by treating all, 0 by none"
    parts = [f"{label(name)} {_worth_it(one)} ({_gained(one)})" for name, one in told[:FEW]]
    parts += [f"{len(told) - FEW} more in the JSON"] if len(told) > FEW else []
    text = f"Acting from a risk of {first.threshold:g}, {price}: {net}"
    return (f"{text}. Worth using: {', '.join(parts)}; {level} intervals.",)


def _worth_it(one: ActingFact) -> str:
    if one.low > 0 and one.above_all_low > 0:
        return "yes"
    return "no" if one.high < 0 or one.above_all_high < 0 else "cannot tell"


def _gained(one: ActingFact) -> str:
    """Say how much more it brings than the better of treating all and none."""
    ends, than = (one.value, one.low, one.high), "none"
    if one.treat_all > 0:
        ends, than = (one.above_all, one.above_all_low, one.above_all_high), "all"
    value, low, high = map(_per, ends)
    return f"{value} more than by treating {than}, {low} to {high}"


def _per(value: float) -> str:
    return f"{1000 * value:.1f}"


def _verb(facts: AnyComparison, value: float) -> str:
    costs = f"costs {figures.count(abs(value))}"
    return costs if facts.stakes.kind == "cost" else words.earns(value)


def alike(facts: AnyComparison, *, cuts: bool = True) -> tuple[str, ...]:
    """Say what clusters and weights do to the numbers; warn of items without named clusters.

    How surely a difference is known is said of decisions only, where these were told (`cuts`).
    """
    if not facts.sampled:
        return ()
    n, said = figures.count(facts.n), ()
    if facts.n_runs is not None:
        return f"{replicates(facts)}{_as_sure(facts) if cuts else ''}.", *few_runs(facts)
    if facts.effective_n is None and facts.n_strata is not None:
        text = f"These are {n} cases in {figures.count(facts.n_strata)} strata"
    elif facts.n_clusters is None:
        worth = facts.effective_n or 0.0
        text = f"These are {n} weighted cases, worth {_round(worth)} effective ones (Kish)"
        said = (f"Few effective cases: only {_round(worth)}.",) if worth < FEW_SAMPLED else ()
    else:
        kind, size = "clusters" if facts.cluster else "items", figures.count(facts.n_clusters)
        weighted = "" if facts.effective_n is None else " weighted"
        if facts.n_clusters == 1:
            return () if facts.cluster else (SHARED,)
        text = f"These are {n}{weighted} cases in {size} {kind}, not independent ones"
        if facts.n_clusters == facts.n:
            return (f"Each case is a {kind[:-1]} of its own, so that cases count as independent.",)
        said = (f"Few {kind}: only {size}.",) if facts.n_clusters < FEW_SAMPLED else ()
        again = (RUNS.format(so=NARROW, see=SEE),) if facts.case_id else ()
        said += again if facts.cluster else (SHARED,)
        said = tuple(filter(None, (unequal(facts), *said)))
    return (f"{text}{_as_sure(facts) if cuts else ''}.", *said)


def _as_sure(facts: AnyComparison) -> str:
    """Say how many independent cases of equal weight would know the difference as well."""
    if counting(facts) < FEWEST:  # which hardly show how much they differ
        return ""
    known = [pair for pair in facts.pairs if not math.isnan(pair.low)]  # else clusters tell nothing
    effects = [pair.design_effect for pair in known if not math.isnan(pair.design_effect)]
    if not effects:
        return ""
    most = max(effects)
    which = "the difference" if len(effects) == 1 else "the least known difference"
    if allow_for_more(facts, most):
        return f": {FEWER.format(f'which the interval of {which} allows for')}"
    if most < 1 and facts.n_clusters is not None:  # luck: no more than there are cases
        return ""
    size = _round(facts.n / most) if most > 0 else figures.NOTHING
    alone = " cases of equal weight" if facts.effective_n and facts.n_clusters is None else ""
    alone = " independent cases" if facts.n_runs else alone
    return f": {which} is as sure as from {size}{alone} (design effect {most:.2g})"


def _round(cases: float) -> str:
    return figures.count(round(cases))


def _misleading(facts: ComparisonFacts) -> tuple[str, ...]:
    wrong = [ranking for ranking in facts.rankings if ranking.wrong]
    if not wrong or facts.stakes.kind == "accuracy":
        return ()
    names = [spoken(ranking.name) for ranking in wrong]
    shown_names, verb = words.listed(names, METRICS), "ranks" if len(names) == 1 else "rank"
    if len(facts.classifiers) == 2:
        better, worse = map(label, wrong[0].wrong[0])
        text = f"{shown_names} {verb} {worse} before {better} here; {words.unit(facts)} does not."
    else:
        text = f"{shown_names} {verb} some pair otherwise than {words.unit(facts)} does."
    return (sentence_case(text),)


def _turning(facts: ComparisonFacts) -> tuple[str, ...]:
    [pair, *others] = facts.pairs
    at = pair.tau_star
    if others or at is None:
        return ()
    if math.isnan(at):
        return _dominance(pair)
    if not (pair.p_recall < SIGNIFICANT and pair.p_specificity < SIGNIFICANT):
        return ()
    above, below = (pair.a, pair.b) if pair.a_thresholds[1] == 1 else (pair.b, pair.a)
    star, here = figures.number(at), figures.number(facts.stakes.tau)
    here = "" if facts.stakes.kind == "accuracy" else f"; here tau is {here}"
    text = (
        f"Which is better depends on the stakes: {label(above)} for thresholds tau above about "
        f"{star} ({_ratio(at)}), {label(below)} below{here}."
    )
    return (text,)


def _dominance(pair: PairFact) -> tuple[str, ...]:
    """Give the probability that one is no worse whatever the stakes, where it was so here."""
    for better, worse, ends, chance in (
        (pair.a, pair.b, pair.a_thresholds, pair.a_dominates),
        (pair.b, pair.a, pair.b_thresholds, pair.b_dominates),
    ):
        if not math.isnan(ends[0]) and not math.isnan(chance):
            event = f"{label(better)} is no worse than {label(worse)} whatever the stakes"
            return (f"P({event}) {figures.equals(chance)}.",)
    return ()


def _ratio(tau: float) -> str:
    if tau >= 0.5:
        times = "infinitely many" if tau == 1 else f"{tau / (1 - tau):.3g}"
        return f"a false alarm costs {times} times what a miss does"
    times = "infinitely many" if tau == 0 else f"{(1 - tau) / tau:.3g}"
    return f"a miss costs {times} times what a false alarm does"


def _deployed(facts: ComparisonFacts) -> tuple[str, ...]:
    if len(facts.base_rates) < 2:
        return ()
    parts = [f"at {place.base_rate:g} {_first_at(place)}" for place in facts.base_rates]
    what = {"accuracy": "Highest accuracy", "cost": "Lowest cost", "utility": "Highest yield"}
    told = "; ".join(parts[: words.NAMED])
    return (f"{what[facts.stakes.kind]} by base rate, in these cases: {told}.",)


def _first_at(place: WorthFact) -> str:
    top = max(place.yields, key=lambda name: place.yields[name])
    chance = place.best.get(top, math.nan)
    return label(top) if math.isnan(chance) else f"{label(top)} (P {figures.equals(chance)})"


def in_groups(facts: AnyComparison) -> tuple[str, ...]:
    """Name the groups in which another classifier is surely best than over all cases."""
    overall = facts.ranked[0].name
    sure = 1 - (1 - SURE) / max(len(facts.groups), 1)  # allowing for their number
    other = [
        f"{called(place.group)} ({label(name)}, P {figures.equals(chance)})"
        for place in facts.groups
        for name, chance in place.best.items()
        if name != overall and chance >= sure
    ]
    if not other:
        return ()
    own = ", at the base rates of these groups" if getattr(facts, "restated", False) else ""
    where = words.listed(other, words.NAMED)
    return (f"Another than {label(overall)} is best in {where}{own}.",)
