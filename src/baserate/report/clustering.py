"""The words for cases that are alike: how many clusters, and how much their cases say."""

from collections.abc import Collection, Iterable
from math import inf, isnan, nan
from typing import Any

from baserate._figures import count, number, quoted, spoken
from baserate.cases.units import SPEAKS, TABLES, believed
from baserate.facts.evaluation import ClassEvaluationFacts, EvaluationFacts, MetricFact
from baserate.report.score_rows import ends
from baserate.report.sheet import Remarks
from baserate.report.words import ALONE, NARROW, listed, unnamed

FLOOR = (
    "with a variance no less than that of cases whose intraclass correlation is "
    f"{TABLES.most:g}, or {TABLES.shared:g} over the effective number of clusters if that is less, "
    f"as far as what is seen does not speak against it (at a level of {SPEAKS:g})"
)
FEWER = "so few cannot tell how alike their cases are, {}"
NOTICED = 1.05  # times as much variance, of which less is not told
UNEQUAL = "The {} are so unequal that they count as {:.1f} of equal size."
HALF = 0.5  # of the clusters: as how many fewer count is said
Facts = EvaluationFacts | ClassEvaluationFacts
MOST = 0.9  # of what is possible: an interval that holds more says nothing
FEWEST = 5  # clusters that show how much they differ at all
FEW = 10  # clusters, fewer of which are called out
MANY = 200  # cases that so few clusters rarely hold
LEAST = 2
TWO = (
    "Two runs hardly show how much runs differ: if they do, intervals may be too narrow. Add runs."
)
RENUMBERED = (
    "If their numbers begin anew in each stratum of a survey, name the strata too (--strata); in "
    "each site, give each a name of its own."
)


def on_clusters(facts: Facts) -> tuple[str, ...]:
    """Say what clusters do to the numbers, and warn of items whose own clusters are not named."""
    if facts.n_runs is not None:
        worth = f": {worth}" if (worth := _worth(facts)) else ""
        return f"{replicates(facts)}{worth}.", *few_runs(facts)
    if facts.n_clusters is None:
        return ()
    n, m = count(facts.n), count(facts.n_clusters)
    kind = "clusters" if facts.cluster else "items"
    cases = (
        weighted_cases(facts, n, " cases of total weight ") if is_weighted(facts) else f"{n} cases"
    )
    kind = kind if facts.n_clusters != 1 else kind[:-1]
    text = f"These are {cases} in {m} {kind}, not independent ones"
    text += f": {worth}" if (worth := _worth(facts)) else ""
    if facts.n_clusters == facts.n:
        alone = f"Each case is a {kind.removesuffix('s')} of its own"
        text = f"{alone}, so that cases count as independent"
    few = f"Few {kind.removesuffix('s')}s: only {m}." if 1 < facts.n_clusters < FEW else ""
    renumbered = RENUMBERED if 1 < facts.n_clusters < FEWEST and facts.n > MANY else ""
    if few and any(map(_is_anything, facts.metrics)):
        few = f"{few[:-1]}, so that an interval that holds nearly every value tells nothing."
    items = "" if facts.cluster else unnamed("a patient or a topic", NARROW)
    return tuple(filter(None, (f"{text}.", unequal(facts), few, renumbered, items)))


def _worth(facts: Facts) -> str:
    """Say how many independent cases would know as much; empty where clusters do not tell.

    By the metrics that were asked for, else by accuracy.
    """
    own = {m.name: m.design_effect for m in facts.metrics if m.name in facts.asked_for}
    known = {name: effect for name, effect in own.items() if effect}
    effect = max(known.values(), default=facts.design_effect or 0.0)
    if counting(facts) < FEWEST or not effect:
        return ""
    many = len(known) > 1
    if allow_for_more(facts, effect):
        whose = "intervals" if many else "the interval"
        wide = known and _wide(facts, known, f"{whose} of {listed(map(spoken, known))}")
        return FEWER.format(f"and {wide}" if wide else "which intervals allow for")
    if effect < 1:  # few hold the cases
        return ""
    if known:
        told = (f"{effect:.2g} for {spoken(name)}" for name, effect in known.items())
        wide = _wide(facts, known, "intervals" if many else "its interval")
        return f"the design effect is {listed(told)}" + (f"; {wide}" if wide else "")
    size = count(round(facts.independent_n or 0.0))
    size += " independent cases" if facts.n_runs else ""
    return f"their accuracy says as much as that of {size} (design effect {effect:.2g})"


def _wide(facts: Facts, names: Collection[str], subject: str) -> str:
    """Say how many times as wide as of independent cases the intervals are; empty if unknown."""
    ratios = (widened(m) for m in facts.metrics if m.name in names)
    times = [f"{ratio:.1f}" for ratio in ratios if ratio > 0]
    if len(times) < len(names):  # of which one is unknown
        return ""
    verb = "are" if len(names) > 1 else "is"
    if len(names) > len({*times}) == 1:
        verb, times = f"are {'both' if len(names) == 2 else 'all'}", times[:1]
    return f"{subject} {verb} {listed(times)} times as wide as of independent cases"


def widened(fact: MetricFact) -> float:
    """Return how many times as wide as of independent cases an interval is; nan if unknown."""
    low, high = _alone(fact)
    return (fact.high - fact.low) / (high - low) if high > low else nan


def _alone(fact: MetricFact) -> tuple[float, float]:
    low, high = fact.independent_low, fact.independent_high
    return (nan, nan) if low is None or high is None else (low, high)


def if_independent(named: Iterable[tuple[str, MetricFact]]) -> Remarks:
    """Return the intervals that metrics would have if cases were independent, by name."""
    told = "{} to {}; the one above is {:.1f} times as wide"
    known = ((name, fact) for name, fact in named if not isnan(widened(fact)))
    pairs = ((name, told.format(*map(number, _alone(m)), widened(m))) for name, m in known)
    return Remarks("Intervals if cases were independent", tuple(pairs), detail=True)


def allow_for_more(facts: Any, found: float) -> bool:
    """Whether intervals allow for more than the design effect found, as few clusters cannot tell.

    Not of many: what they show speaks against the floor.
    """
    if facts.n_clusters is None:
        return False
    m = counting(facts)
    least = 1 + max(_cases(facts) / m - 1, 0.0) * TABLES.of(m)
    more = believed(found, least, max(m - 1, 1.0), m) * max(least - found, 0.0)
    return found + more > NOTICED * max(found, 1.0)


def _cases(facts: Any) -> float:
    """Return how many cases there are, or as how many of equal weight they count."""
    return facts.n if facts.effective_n is None else facts.effective_n


def counting(facts: Any) -> float:
    """Return as how many clusters of equal size they count; inf for independent cases."""
    known = facts.n_clusters if facts.effective_clusters is None else facts.effective_clusters
    return inf if known is None else known


def unequal(facts: Any) -> str:
    """Say as how many clusters they count where few hold nearly all cases."""
    m = counting(facts)
    few = m < FEW and m < HALF * facts.n_clusters
    return UNEQUAL.format("clusters" if facts.cluster else "items", m) if few else ""


def untold(facts: Facts) -> tuple[str, ...]:
    """Say first that one cluster tells nothing, whatever its values."""
    if facts.n_clusters != 1:
        return ()
    kind = "cluster" if facts.cluster else "item"
    return (f"Better than guessing: cannot tell. {ALONE.format(kind=kind)}",)


def _is_anything(fact: MetricFact) -> bool:
    low, high = ends(fact)
    return fact.bounds is not None and high - low > MOST * (fact.bounds[1] - fact.bounds[0])


def weighted_cases(facts: Any, total: str, between: str) -> str:
    """Write a sum of weights, after how many cases have them if that is known."""
    cases = getattr(facts, "n_cases", None)  # of several classes it is not
    return f"total weight {total}" if cases is None else f"{count(cases)}{between}{total}"


def is_weighted(facts: Facts) -> bool:
    """Whether counts are sums of weights."""
    table = facts.groups[0].table if facts.table is None else facts.table
    return facts.effective_n is not None or table.is_weighted


def clusters(facts: Facts) -> str:
    """Say what lies in clusters, and how many independent cases would say as much."""
    if facts.n_runs is not None:
        return crossed(facts)
    if facts.n_clusters is None:
        return in_strata(facts)
    key = facts.cluster or facts.case_id
    where = f"{count(facts.n_clusters)} of" + (f" column {quoted(key)}" if key else "")
    if facts.n_clusters == facts.n:
        return f"{where}, one for each case"
    return "; ".join(filter(None, (where, _worth(facts))))


def in_strata(facts: Any) -> str:
    """Say how many clusters lie in how many strata, and what tells them."""
    if facts.n_strata is None:
        return ""
    cluster, strata = quoted(facts.cluster or facts.case_id), quoted(facts.strata)
    return f"{facts.n_replicates:,} of column {cluster} in {facts.n_strata:,} strata of {strata}"


def crossed(facts: Any) -> str:
    """Say how many items and runs there are, and which columns name them."""
    names = (f" of column {quoted(name)}" for name in (facts.cluster or facts.case_id, facts.run))
    strata = f" in strata of {quoted(facts.strata)}" if facts.strata else ""
    return f"{count(facts.n_items)}{next(names)}{strata}, in {facts.n_runs:,} runs{next(names)}"


def few_runs(facts: Any) -> tuple[str, ...]:
    """Warn of two runs, which differ by luck alone as little as it happens."""
    return (TWO,) if facts.n_runs == LEAST else ()


def effective(facts: Any) -> str:
    """Say what weights leave for intervals: replicate weights, or so many effective cases."""
    if facts.effective_n is None:
        return ""
    if facts.n_replicates is not None:
        return "" if facts.n_strata or facts.n_runs else f"intervals use {replicates(facts)}"
    return f"intervals use at most {count(facts.effective_n)} effective cases (Kish)"


def replicates(facts: Any) -> str:
    """Say how many sets of replicate weights there are, and which, or how many items and runs."""
    if facts.n_runs is not None:
        kind = "clusters of items" if facts.cluster else "items"
        items = f"{count(facts.n_items)} {kind} answered in {facts.n_runs:,} runs"
        return f"{items}, both taken as drawn"
    sets = f"{facts.n_replicates:,} sets of replicate weights"
    if facts.n_strata is None:
        return sets
    return f"{sets}, each without one cluster (jackknife in {facts.n_strata:,} strata)"
