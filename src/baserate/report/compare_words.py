"""The words of a comparison: who earns what, against what, how surely, and where that turns."""

import math
from collections.abc import Iterable

from baserate import _figures as figures
from baserate.facts.comparison import (
    ClassifierFact,
    ComparisonFacts,
    CurveFact,
    MetricRanking,
    PairFact,
    SpanFact,
    WorthFact,
)
from baserate.report import compare_scores
from baserate.report.words import SIGNIFICANT, sentence_case, spoken

NAMED = 6  # things that one sentence names at most
METRICS = 8
FEW = 3  # classifiers that the first sentence names one by one

FEW_CLUSTERS = 20
UNNAMED = (
    "Items come again, and no cluster is named: each item is one. If items share a topic or a "
    "patient, name it (--cluster, cluster=), or the intervals are too narrow."
)

Span = SpanFact


def answer(facts: ComparisonFacts) -> tuple[str, ...]:
    """Return the answer: worth, certainty, metrics that mislead, where the ranking turns."""
    return (
        _earnings(facts),
        *_no_stakes(facts),
        *_certainty(facts),
        *_alike(facts),
        *_misleading(facts),
        *_turning(facts),
        *_deployed(facts),
        *_in_groups(facts),
        *compare_scores.answer(facts),
        *_crossing(facts),
    )


def unit(facts: ComparisonFacts) -> str:
    """Name what is compared."""
    return {"utility": "yield", "cost": "cost", "accuracy": "accuracy"}[facts.stakes.kind]


def highest(facts: ComparisonFacts) -> str:
    """Name what the best classifier has."""
    return {
        "utility": "the highest expected yield",
        "cost": "the lowest expected cost",
        "accuracy": "the highest accuracy",
    }[facts.stakes.kind]


def stakes(facts: ComparisonFacts) -> str:
    """Write out what decisions are worth."""
    (_, alarm), (miss, _) = facts.stakes.matrix
    text = {
        "cost": f"a false positive costs {_amount(alarm)}, a false negative {_amount(miss)}",
        "accuracy": "every right decision counts 1",
        "utility": "; ".join(_row(facts, i) for i in (0, 1)),
    }[facts.stakes.kind]
    return f"{text}; so tau is {figures.number(facts.stakes.tau)}"


def _row(facts: ComparisonFacts, i: int) -> str:
    """Write out what one decision is worth."""
    worths = zip(facts.stakes.matrix[i], facts.stakes.classes, strict=True)
    parts = (f"{figures.count(worth)} if {figures.quoted(label)}" for worth, label in worths)
    return f"{figures.quoted(facts.stakes.decisions[i])} {', '.join(parts)}"


def _amount(value: float) -> str:
    return figures.count(abs(value))


def under(facts: ComparisonFacts) -> str:
    """Say by which stakes."""
    return {
        "utility": "under these utilities",
        "cost": "at these costs",
        "accuracy": "if every error counts the same",
    }[facts.stakes.kind]


def shown(facts: ComparisonFacts, value: float) -> float:
    """Return a yield as it is shown: costs are minus yields."""
    return 0.0 - value if facts.stakes.kind == "cost" else value


def span(facts: ComparisonFacts, low: float, high: float) -> tuple[float, float]:
    """Return an interval as it is shown."""
    ends = shown(facts, low), shown(facts, high)
    return ends if facts.stakes.kind != "cost" else (ends[1], ends[0])


def choice(facts: ComparisonFacts, decision: str) -> str:
    """Name a constant decision."""
    verb = "choosing" if facts.stakes.named else "saying"
    return f"always {verb} {figures.quoted(decision)}"


def called(facts: ComparisonFacts, name: str) -> str:
    """Name a classifier, or a constant decision in words."""
    constant = name.removeprefix("always ")
    is_constant = name.startswith("always ") and constant in facts.constants
    return choice(facts, constant) if is_constant else figures.label(name)


def listed(names: Iterable[str], most: int | None = None) -> str:
    """Write names as "a, b and c", or the first of them as "a, b and 7 more"."""
    found = list(names)
    more = [] if most is None or len(found) <= most else [f"{len(found) - most} more"]
    *head, last = [*(found[:most] if more else found), *more]
    return f"{', '.join(head)} and {last}" if head else last


def best_of(facts: ComparisonFacts, place: WorthFact) -> str:
    """Name what is best in a group or at a base rate: classifiers, or the constant decision."""
    top = max(place.yields.values())
    if not top > place.constant_value:
        return choice(facts, place.constant)
    return listed(figures.label(name) for name, value in place.yields.items() if value == top)


def judged(ranking: MetricRanking) -> str:
    """Say whether a metric orders the classifiers as their yields do."""
    if len(ranking.wrong) > 1:
        return f"wrong in {len(ranking.wrong)} pairs"
    parts = [f"wrong: puts {_label(b)} before {_label(a)}" for a, b in ranking.wrong]
    parts += [f"ties {_label(a)} and {_label(b)}" for a, b in ranking.undecided[:FEW]]
    return "; ".join(parts) or "agrees"


def relation(curve: CurveFact) -> str:
    """Say which ROC curve lies above the other."""
    a, b = _label(curve.a), _label(curve.b)
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


def _earnings(facts: ComparisonFacts) -> str:
    """Say what each classifier is worth, beside the best constant decision."""
    ranked = facts.ranked
    named = ranked if len(ranked) <= FEW else (ranked[0], ranked[-1])
    per_case = " of cases" if facts.stakes.kind == "accuracy" else " per case"
    first = f"{_label(named[0].name)} {_verb(facts, named[0].value)}{per_case}"
    others = [f"{_label(fact.name)} {_after(facts, fact.value)}" for fact in named[1:]]
    head = ", ".join([first, *others])
    if len(ranked) > FEW:
        head = f"of {len(ranked)} classifiers, {first} (the best), {others[0]} (the worst)"
    if facts.restated:
        head = f"at a base rate of {facts.base_rate:g}, {head}"
    text = f"{head}; {_against_constant(facts)}"
    return sentence_case(text) if facts.restated or len(ranked) > FEW else text


def _against_constant(facts: ComparisonFacts) -> str:
    ranked, bar = facts.ranked, facts.constant_value
    always = f"{choice(facts, facts.constant)} {_verb(facts, bar)}"
    useless = [fact for fact in ranked if not fact.value > bar]
    if len(useless) == len(ranked):
        none = "neither classifier is" if len(ranked) == 2 else "no classifier is"
        return f"but {always}: {none} worth using."
    if useless and len(useless) <= FEW:
        verb = "is" if len(useless) == 1 else "are"
        return f"{always}, so {listed(_label(f.name) for f in useless)} {verb} not worth using."
    return f"{always}, so {len(useless)} are not worth using." if useless else f"{always}."


def _verb(facts: ComparisonFacts, value: float) -> str:
    if facts.stakes.kind == "accuracy":
        return f"is right in {figures.percent(value)}"
    amount = figures.count(abs(value))
    if facts.stakes.kind == "cost":
        return f"costs {amount}"
    return f"{'loses' if value < 0 else 'earns'} {amount}"


def _after(facts: ComparisonFacts, value: float) -> str:
    """Say the same of another classifier, shorter where the verb stays."""
    verb = {"cost": "costs ", "accuracy": "is right "}.get(facts.stakes.kind, "")
    return _verb(facts, value).removeprefix(verb)


def _no_stakes(facts: ComparisonFacts) -> tuple[str, ...]:
    if facts.stakes.kind != "accuracy":
        return ()
    return ("No utilities or costs were given, so every error counts the same (accuracy).",)


def _certainty(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say how probably the first is the best, and better than the best constant decision."""
    first = facts.ranked[0]
    sentences = []
    if facts.n_clusters is not None:
        sentences += _differences(facts)
    elif len(facts.classifiers) == 2:
        [pair] = facts.pairs
        other = facts.ranked[1]
        p = pair.a_better if pair.a == first.name else 1 - pair.a_better
        event = f"{_label(first.name)} better than {_label(other.name)}"
        sentences.append(f"P({event}) {_equals(p)} with {_cases(facts)}.")
    elif not math.isnan(first.best):
        event = f"{_label(first.name)} is the best"
        sentences.append(f"P({event}) {_equals(first.best)} with {_cases(facts)}.")
    if first.value > facts.constant_value and not math.isnan(first.beats_constant):
        event = f"{_label(first.name)} is worth more than {choice(facts, facts.constant)}"
        sentences.append(f"P({event}) {_equals(first.beats_constant)}.")
    return tuple(sentences)


def _differences(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say by how much the best and the next differ where cases lie in clusters, and how surely."""
    first, other = facts.ranked[:2]
    names = {first.name, other.name}
    pair = next(pair for pair in facts.pairs if {pair.a, pair.b} == names)
    if math.isnan(pair.low):
        return ()
    low, high = (pair.low, pair.high) if pair.a == first.name else (-pair.high, -pair.low)
    told = f"a difference of {figures.number(abs(pair.difference))}, "
    told += f"{figures.level(facts.confidence_level)} interval {figures.interval(low, high)}, "
    told += figures.p_stated(pair.p_difference)
    better = f"better than {_label(other.name)}"
    said = {pair.p_difference < SIGNIFICANT, not pair.low <= 0 <= pair.high}
    if said == {True}:
        return (f"{_label(first.name)} is {better} ({told}).",)
    if len(said) == 2:
        return (f"{_label(first.name)} may be {better}: interval and test disagree ({told}).",)
    both = f"{_label(first.name)} or {_label(other.name)}"
    return (f"Which of {both} is better cannot be told ({told}).",)


def _alike(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say what clusters do to the numbers, and warn of items whose own clusters are not named."""
    if facts.n_clusters is None:
        return ()
    kind, n = "clusters" if facts.cluster else "items", figures.count(facts.n_clusters)
    text = f"These are {figures.count(facts.n)} cases in {n} {kind}, not independent ones"
    effects = [pair.design_effect for pair in facts.pairs if not math.isnan(pair.design_effect)]
    if effects:
        most = max(effects)
        size = figures.count(round(facts.n / most)) if most > 0 else figures.NOTHING
        which = "the difference" if len(effects) == 1 else "the least known difference"
        text += f": {which} is as sure as from {size} (design effect {most:.2g})"
    few = f"Few {kind}: only {n}." if facts.n_clusters < FEW_CLUSTERS else ""
    return tuple(filter(None, (f"{text}.", few, "" if facts.cluster else UNNAMED)))


def clusters(facts: ComparisonFacts) -> str:
    """Say how many clusters there are, and which column names them."""
    if facts.n_clusters is None:
        return ""
    column = figures.quoted(facts.cluster or facts.case_id)
    return f"{figures.count(facts.n_clusters)} of column {column}"


def _equals(p: float) -> str:
    text = figures.chance(p)
    return text if text[0] in "<>" else f"= {text}"


def _cases(facts: ComparisonFacts) -> str:
    if facts.paired:
        return f"these {figures.count(facts.n)} cases"
    sizes = [figures.count(fact.table.n) for fact in facts.classifiers]
    if len(set(sizes)) == 1:
        return f"these {sizes[0]} cases each"
    return f"these {listed(sizes)} cases" if len(sizes) <= FEW else "these cases"


def _misleading(facts: ComparisonFacts) -> tuple[str, ...]:
    """Name the metrics that put the worse classifier before the better."""
    wrong = [ranking for ranking in facts.rankings if ranking.wrong]
    if not wrong:
        return ()
    names = [spoken(ranking.name) for ranking in wrong]
    shown_names = listed(names, METRICS)
    verb = "ranks" if len(names) == 1 else "rank"
    if len(facts.classifiers) == 2:
        better, worse = map(_label, wrong[0].wrong[0])
        text = f"{shown_names} {verb} {worse} before {better}, which is wrong {under(facts)}."
    else:
        text = f"{shown_names} {verb} some pair wrongly {under(facts)}."
    return (sentence_case(text),)


def _turning(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say for two classifiers at which stakes the better one changes."""
    if len(facts.pairs) != 1:
        return ()
    [pair] = facts.pairs
    if math.isnan(pair.tau_star):
        return _dominance(pair, facts)
    above, below = (pair.a, pair.b) if pair.a_thresholds[1] == 1 else (pair.b, pair.a)
    star, here = figures.number(pair.tau_star), figures.number(facts.stakes.tau)
    text = (
        f"{_label(above)} is better than {_label(below)} for thresholds tau above {star} "
        f"({_ratio(pair.tau_star)}), {_label(below)} below; here tau is {here}."
    )
    return (text,)


def _dominance(pair: PairFact, facts: ComparisonFacts) -> tuple[str, ...]:
    here = ", as they are cut here" if facts.curves else ""
    for better, worse, ends in (
        (pair.a, pair.b, pair.a_thresholds),
        (pair.b, pair.a, pair.b_thresholds),
    ):
        if not math.isnan(ends[0]):
            return (
                f"{_label(better)} is no worse than {_label(worse)} whatever the stakes{here}.",
            )
    return (f"{_label(pair.a)} and {_label(pair.b)} are worth the same whatever the stakes{here}.",)


def _ratio(tau: float) -> str:
    """Write a threshold as what one error costs in units of the other."""
    if tau >= 0.5:
        times = "infinitely many" if tau == 1 else f"{tau / (1 - tau):.3g}"
        return f"a false alarm costs {times} times what a miss does"
    times = "infinitely many" if tau == 0 else f"{(1 - tau) / tau:.3g}"
    return f"a miss costs {times} times what a false alarm does"


def _deployed(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say what is best at each base rate of deployment; the first is that of the whole report."""
    if len(facts.base_rates) < 2:
        return ()
    parts = [f"at {place.base_rate:g} {best_of(facts, place)}" for place in facts.base_rates]
    return (f"Best by base rate: {'; '.join(parts[:NAMED])}.",)


def _in_groups(facts: ComparisonFacts) -> tuple[str, ...]:
    """Name the groups in which something else is best than over all cases."""
    first, bar = facts.ranked[0], facts.constant_value
    overall = _label(first.name) if first.value > bar else choice(facts, facts.constant)
    other = [
        f"{', '.join(map(figures.label, place.group.values()))} ({best_of(facts, place)})"
        for place in facts.groups
        if best_of(facts, place) != overall
    ]
    if not other:
        return ()
    return (f"Something else than {overall} is best in {listed(other, NAMED)}.",)


def _crossing(facts: ComparisonFacts) -> tuple[str, ...]:
    if len(facts.curves) != 1:
        return ()
    [curve] = facts.curves
    a, b = _label(curve.a), _label(curve.b)
    if curve.relation == "unknown":
        return ()
    if curve.relation == "crossing":
        return (f"The ROC curves of {a} and {b} cross: with other cuts, either may be better.",)
    return (f"ROC curve above the other: {relation(curve)}.",)


def _label(name: str) -> str:
    return figures.label(name)
