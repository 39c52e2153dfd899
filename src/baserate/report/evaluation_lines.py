"""Lines of method below an evaluation: how intervals, chance levels and p-values were found."""

import math

from baserate._figures import level
from baserate.facts import EvaluationFacts
from baserate.report import scores
from baserate.report.evaluation_words import is_weighted
from baserate.report.words import guess

P_VALUES = {
    "fisher": "p: the probability that guessing with as many alarms does as well "
    "(Fisher's exact test at the table's own margins, one-sided).",
    "clusters": "p: the probability that guessing with as many alarms, alike or not in different "
    "clusters, does as well (score test and jackknife of whole clusters, one-sided, approximate).",
    "replicates": "p: the probability that guessing with as many alarms does as well (Student's "
    "test of the covariance of truth and prediction, from the replicate weights, one-sided, "
    "approximate).",
    "sup": "p: the probability that guessing does as well by that metric, the largest over all "
    "numbers predicted positive.",
}
OWN_BASE_RATE = "Ranking, calibration and net benefit are those of the base rate of these cases."
INTERVALS = {
    "bayes": "Intervals of metrics hold {level} of the posterior: Jeffreys for a share of cases "
    "and for what such a share decides (F1), Dirichlet(counts + 1/2) for all others.",
    "wilson": "Intervals of metrics, of level {level}: Wilson for a share of cases; all others "
    "hold that much of the posterior.",
    "jackknife": "Intervals of metrics, of level {level}: each cluster left out in turn, Student's "
    "quantiles on a scale without bounds; where no cluster differs, each counts as one case.",
    "replicates": "Intervals of metrics, of level {level}: recomputed under every set of replicate "
    "weights, Student's quantiles on a scale without bounds.",
    "exact": "Intervals of metrics, of level {level}: Clopper-Pearson for a share of cases; all "
    "others hold that much of the posterior.",
}


def method(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say how intervals, chance levels and p-values were found."""
    intervals = INTERVALS[facts.interval].format(level=level(facts.confidence_level))
    known = any(not math.isnan(m.low + m.high) for m in facts.typical)
    every = [*facts.metrics, *(m for group in facts.groups for m in group.metrics)]
    if any(m.low < m.high and m.value in {m.low, m.high} for m in every):
        intervals += " One that ends at its own value is one-sided."
    of_scores = "" if facts.thresholds is None else scores.method(facts.thresholds)
    own = OWN_BASE_RATE if of_scores and facts.restated else ""
    beside = filter(None, (of_scores, own))
    return (*((intervals,) if known else ()), *beside, *_chance_method(facts))


def _chance_method(facts: EvaluationFacts) -> tuple[str, ...]:
    scored = facts.table is None and any(not math.isnan(m.chance) for m in facts.typical)
    tested = any(not math.isnan(m.p_value) for m in facts.typical)
    where = f" at a base rate of {facts.base_rate:g}" if facts.restated else ""
    chance = (
        f"Chance: the expected score of {guess(facts.guess)}{where}. "
        "Skill: 0 is that guess, 1 is perfection, below 0 is worse than the guess."
    )
    sentences = [chance] if scored else []
    if tested:
        sentences.append(P_VALUES[facts.p_value_method])
    elif is_weighted(facts):
        sentences.append("p: none, since the exact test counts cases and these counts are weights.")
    return (" ".join(sentences),) if sentences else ()
