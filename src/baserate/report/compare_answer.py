"""The answer of a comparison: who earns what, against what, how surely, and where that turns."""

import math

from baserate import _figures as figures
from baserate._figures import label
from baserate.facts.comparison import ComparisonFacts, PairFact
from baserate.report import compare_scores
from baserate.report import compare_words as words
from baserate.report.words import ALONE, SIGNIFICANT, UNNAMED, sentence_case, spoken

METRICS = 8  # that one sentence names at most
FEW = 3  # classifiers that the first sentence names one by one

FEW_SAMPLED = 20  # clusters, or effective cases
SHARED = UNNAMED.format(shared="a topic or a patient", so="the intervals are too narrow")


def answer(facts: ComparisonFacts) -> tuple[str, ...]:
    """Return the answer: worth, certainty, metrics that mislead, where the ranking turns."""
    return (
        *_untold(facts),
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


def _untold(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say first that one cluster tells nothing, whatever its values."""
    if facts.n_clusters != 1:
        return ()
    kind = "cluster" if facts.cluster else "item"
    return (f"Which is better: cannot tell. {ALONE.format(kind=kind)}",)


def _earnings(facts: ComparisonFacts) -> str:
    """Say what each classifier is worth, beside the best constant decision."""
    ranked = facts.ranked
    named = ranked if len(ranked) <= FEW else (ranked[0], ranked[-1])
    per_case = " of cases" if facts.stakes.kind == "accuracy" else " per case"
    first = f"{label(named[0].name)} {_verb(facts, named[0].value)}{per_case}"
    others = [f"{label(fact.name)} {_after(facts, fact.value)}" for fact in named[1:]]
    head = ", ".join([first, *others])
    if len(ranked) > FEW:
        head = f"of {len(ranked)} classifiers, {first} (the best), {others[0]} (the worst)"
    if facts.restated:
        head = f"at a base rate of {facts.base_rate:g}, {head}"
    text = f"{head}; {_against_constant(facts)}"
    return sentence_case(text) if facts.restated or len(ranked) > FEW else text


def _against_constant(facts: ComparisonFacts) -> str:
    ranked, bar = facts.ranked, facts.constant_value
    always = f"{words.choice(facts, facts.constant)} {_verb(facts, bar)}"
    useless = [fact for fact in ranked if not fact.value > bar]
    if len(useless) == len(ranked):
        by = {fact.cut_by for fact in ranked}
        if facts.stakes.kind == "accuracy" and not by & {None, "threshold", "tau", "accuracy"}:
            chosen = words.listed(label(str(name)) for name in sorted(map(str, by)))
            return f"but {always}: cuts that are best for {chosen} gain no accuracy."
        none = "neither classifier is" if len(ranked) == 2 else "no classifier is"
        return f"but {always}: {none} worth using."
    if useless and len(useless) <= FEW:
        verb = "is" if len(useless) == 1 else "are"
        names = words.listed(label(fact.name) for fact in useless)
        return f"{always}, so {names} {verb} not worth using."
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
    if facts.sampled:
        sentences += _differences(facts)
    elif len(facts.classifiers) == 2:
        [pair] = facts.pairs
        other = facts.ranked[1]
        p = pair.a_better if pair.a == first.name else 1 - pair.a_better
        event = f"{label(first.name)} better than {label(other.name)}"
        sentences.append(f"P({event}) {_equals(p)} with {_cases(facts)}.")
    elif not math.isnan(first.best):
        event = f"{label(first.name)} is the best"
        sentences.append(f"P({event}) {_equals(first.best)} with {_cases(facts)}.")
    if first.value > facts.constant_value and not math.isnan(first.beats_constant):
        event = f"{label(first.name)} is worth more than {words.choice(facts, facts.constant)}"
        sentences.append(f"P({event}) {_equals(first.beats_constant)}.")
    return tuple(sentences)


def _differences(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say by how much the best and the next of clustered or weighted cases differ, how surely."""
    first, other = facts.ranked[:2]
    names = {first.name, other.name}
    pair = next(pair for pair in facts.pairs if {pair.a, pair.b} == names)
    if math.isnan(pair.low):
        return ()
    low, high = (pair.low, pair.high) if pair.a == first.name else (-pair.high, -pair.low)
    told = f"a difference of {figures.number(abs(pair.difference))}, "
    told += f"{figures.level(facts.confidence_level)} interval {figures.interval(low, high)}, "
    told += figures.p_stated(pair.p_difference)
    better = f"better than {label(other.name)}"
    said = {pair.p_difference < SIGNIFICANT, not pair.low <= 0 <= pair.high}
    if said == {True}:
        return (f"{label(first.name)} is {better} ({told}).",)
    if len(said) == 2:
        return (f"{label(first.name)} may be {better}: interval and test disagree ({told}).",)
    both = f"{label(first.name)} or {label(other.name)}"
    return (f"Which of {both} is better cannot be told ({told}).",)


def _alike(facts: ComparisonFacts) -> tuple[str, ...]:
    """Say what clusters and weights do to the numbers; warn of items without named clusters."""
    if not facts.sampled:
        return ()
    n, said = figures.count(facts.n), ()
    if facts.n_clusters is None:
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
        said += () if facts.cluster else (SHARED,)
    return (f"{text}{_as_sure(facts)}.", *said)


def _as_sure(facts: ComparisonFacts) -> str:
    """Say how many independent cases of equal weight would know the difference as well."""
    effects = [pair.design_effect for pair in facts.pairs if not math.isnan(pair.design_effect)]
    if not effects:
        return ""
    most = max(effects)
    size = _round(facts.n / most) if most > 0 else figures.NOTHING
    which = "the difference" if len(effects) == 1 else "the least known difference"
    alone = " cases of equal weight" if facts.n_clusters is None else ""
    return f": {which} is as sure as from {size}{alone} (design effect {most:.2g})"


def _round(cases: float) -> str:
    return figures.count(round(cases))


def _equals(p: float) -> str:
    text = figures.chance(p)
    return text if text[0] in "<>" else f"= {text}"


def _cases(facts: ComparisonFacts) -> str:
    if facts.paired:
        return f"these {figures.count(facts.n)} cases"
    sizes = [figures.count(fact.table.n) for fact in facts.classifiers]
    if len(set(sizes)) == 1:
        return f"these {sizes[0]} cases each"
    return f"these {words.listed(sizes)} cases" if len(sizes) <= FEW else "these cases"


def _misleading(facts: ComparisonFacts) -> tuple[str, ...]:
    """Name the metrics that put the worse classifier before the better."""
    wrong = [ranking for ranking in facts.rankings if ranking.wrong]
    if not wrong:
        return ()
    names = [spoken(ranking.name) for ranking in wrong]
    shown_names = words.listed(names, METRICS)
    verb = "ranks" if len(names) == 1 else "rank"
    if len(facts.classifiers) == 2:
        better, worse = map(label, wrong[0].wrong[0])
        text = f"{shown_names} {verb} {worse} before {better}, which is wrong {words.under(facts)}."
    else:
        text = f"{shown_names} {verb} some pair wrongly {words.under(facts)}."
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
        f"{label(above)} is better than {label(below)} for thresholds tau above {star} "
        f"({_ratio(pair.tau_star)}), {label(below)} below; here tau is {here}."
    )
    return (text,)


def _dominance(pair: PairFact, facts: ComparisonFacts) -> tuple[str, ...]:
    here = ", as they are cut here" if facts.curves else ""
    for better, worse, ends in (
        (pair.a, pair.b, pair.a_thresholds),
        (pair.b, pair.a, pair.b_thresholds),
    ):
        if not math.isnan(ends[0]):
            return (f"{label(better)} is no worse than {label(worse)} whatever the stakes{here}.",)
    return (f"{label(pair.a)} and {label(pair.b)} are worth the same whatever the stakes{here}.",)


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
    parts = [f"at {place.base_rate:g} {words.best_of(facts, place)}" for place in facts.base_rates]
    return (f"Best by base rate: {'; '.join(parts[: words.NAMED])}.",)


def _in_groups(facts: ComparisonFacts) -> tuple[str, ...]:
    """Name the groups in which something else is best than over all cases."""
    first, bar = facts.ranked[0], facts.constant_value
    overall = label(first.name) if first.value > bar else words.choice(facts, facts.constant)
    other = [
        f"{', '.join(map(label, place.group.values()))} ({words.best_of(facts, place)})"
        for place in facts.groups
        if words.best_of(facts, place) != overall
    ]
    if not other:
        return ()
    return (f"Something else than {overall} is best in {words.listed(other, words.NAMED)}.",)


def _crossing(facts: ComparisonFacts) -> tuple[str, ...]:
    if len(facts.curves) != 1:
        return ()
    [curve] = facts.curves
    a, b = label(curve.a), label(curve.b)
    if curve.relation == "unknown":
        return ()
    if curve.relation == "crossing":
        return (f"The ROC curves of {a} and {b} cross: with other cuts, either may be better.",)
    return (f"ROC curve above the other: {words.relation(curve)}.",)
