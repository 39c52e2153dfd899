"""The words for cases that are alike: how many clusters, and how much their cases say."""

from baserate._figures import count, quoted
from baserate.cases.units import FEW as FEW_CLUSTERS
from baserate.cases.units import TABLES
from baserate.facts import ClassEvaluationFacts, EvaluationFacts, MetricFact
from baserate.report.routes import ends
from baserate.report.words import ALONE, UNNAMED

FLOOR = (
    "with a variance no less than that of cases whose intraclass correlation is "
    f"{TABLES.most:g}, or {TABLES.shared:g} over the effective number of clusters if that is less"
)
UNEQUAL = "No interval: {reason}."
Facts = EvaluationFacts | ClassEvaluationFacts
MOST = 0.9  # of what is possible: an interval that holds more says nothing
FEWEST = 5  # clusters that show how much they differ at all
FEW = 10  # clusters, fewer of which are called out


def alike(facts: Facts) -> tuple[str, ...]:
    """Say what clusters do to the numbers, and warn of items whose own clusters are not named."""
    if facts.n_clusters is None:
        return ()
    n, m = count(facts.n), count(facts.n_clusters)
    kind = "clusters" if facts.cluster else "items"
    cases = f"total weight {n}" if _weighted(facts) else f"{n} cases"
    kind = kind if facts.n_clusters != 1 else kind[:-1]
    text = f"These are {cases} in {m} {kind}, not independent ones"
    known = facts.n_clusters >= FEWEST  # else the effect itself is unknown
    if known and facts.design_effect and facts.design_effect >= 1:  # below, few hold the cases
        size, effect = count(round(facts.independent_n or 0.0)), f"{facts.design_effect:.2g}"
        text += f": their accuracy says as much as that of {size} (design effect {effect})"
    if facts.n_clusters == facts.n:
        alone = f"Each case is a {kind.removesuffix('s')} of its own"
        text = f"{alone}, so that cases count as independent"
    few = f"Few {kind.removesuffix('s')}s: only {m}." if 1 < facts.n_clusters < FEW else ""
    if few and any(map(_is_anything, facts.metrics)):
        few = f"{few[:-1]}, so that an interval that holds nearly every value tells nothing."
    unnamed = UNNAMED.format(shared="a patient or a topic", so="the intervals are too narrow")
    reasons = [m.interval_reason for m in facts.metrics if unequal(m.interval_reason)]
    uneven = UNEQUAL.format(reason=reasons[0]) if reasons else ""
    return tuple(filter(None, (f"{text}.", uneven, few, "" if facts.cluster else unnamed)))


def unequal(reason: str | None) -> bool:
    """Whether there is no interval because few clusters hold nearly all cases."""
    return bool(reason and reason.startswith(FEW_CLUSTERS.split("{", maxsplit=1)[0]))


def untold(facts: Facts) -> tuple[str, ...]:
    """Say first that one cluster tells nothing, whatever its values."""
    if facts.n_clusters != 1:
        return ()
    kind = "cluster" if facts.cluster else "item"
    return (f"Better than guessing: cannot tell. {ALONE.format(kind=kind)}",)


def _is_anything(fact: MetricFact) -> bool:
    """Whether an interval holds nearly all that is possible."""
    low, high = ends(fact)
    return fact.bounds is not None and high - low > MOST * (fact.bounds[1] - fact.bounds[0])


def _weighted(facts: Facts) -> bool:
    """Whether counts are sums of weights."""
    return facts.effective_n is not None or (facts.table is not None and facts.table.is_weighted)


def clusters(facts: Facts) -> str:
    """Say what lies in clusters, and how many independent cases would say as much."""
    if facts.n_clusters is None:
        return ""
    key = facts.cluster or facts.case_id
    where = f"{count(facts.n_clusters)} of" + (f" column {quoted(key)}" if key else "")
    if facts.n_clusters == facts.n:
        return f"{where}, one for each case"
    if facts.design_effect is None or not facts.design_effect >= 1:  # few clusters hold the cases
        return where
    size, effect = count(round(facts.independent_n or 0.0)), f"{facts.design_effect:.2g}"
    return (
        f"{where}; {size} independent cases would have as sure an accuracy (design effect {effect})"
    )


def replicates(size: int) -> str:
    """Say how many sets of replicate weights intervals use.

    Examples
    --------
    >>> from baserate.report.alike import replicates
    >>> replicates(80)
    'intervals use 80 sets of replicate weights'
    """
    return f"intervals use {count(size)} sets of replicate weights"
