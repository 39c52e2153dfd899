"""Lines of method below an evaluation: how intervals, chance levels and p-values were found."""

import math

from baserate._figures import level
from baserate.facts.evaluation import EvaluationFacts
from baserate.facts.verdict import VerdictFact
from baserate.report import scores, verdicts
from baserate.report.catalogue import COUNTS
from baserate.report.evaluation_words import is_weighted
from baserate.report.words import guess

P_VALUES = {
    "fisher": "p: the probability that guessing with as many alarms does as well "
    "(Fisher's exact test at the table's own margins, one-sided).",
    "clusters": "p: the probability that guessing with as many alarms, as often in each cluster "
    "or not, does as well (score test and jackknife of whole clusters, one-sided, approximate).",
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
    "kish": "Intervals of metrics hold {level} of a pseudo-posterior: counts are scaled to Kish's "
    "effective number of cases, with half a case in each cell.",
    "wilson": "Intervals of metrics, of level {level}: Wilson for a share of cases; all others "
    "hold that much of the posterior.",
    "jackknife": "Intervals of metrics, of level {level}: each cluster left out in turn, Student's "
    "quantiles on a scale without bounds, no narrower than so few clusters allow (they cannot "
    "show how alike their cases are); where no cluster differs, each counts as one case.",
    "replicates": "Intervals of metrics, of level {level}: recomputed under every set of replicate "
    "weights, Student's quantiles on a scale without bounds.",
    "exact": "Intervals of metrics, of level {level}: Clopper-Pearson for a share of cases; all "
    "others hold that much of the posterior.",
}


def method(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say how intervals, chance levels and p-values were found."""
    scaled = facts.interval == "bayes" and facts.effective_n is not None
    route = "kish" if scaled else facts.interval
    intervals = INTERVALS[route].format(level=level(facts.confidence_level))
    known = any(not math.isnan(m.low + m.high) for m in facts.typical)
    every = [*facts.metrics, *(m for group in facts.groups for m in group.metrics)]
    if any(m.low < m.high and m.value in {m.low, m.high} for m in every):
        intervals += " One that ends at its own value is one-sided."
    if any(m.name in COUNTS and m.low < m.high for m in every):
        intervals += " That of a count is of the number expected among as many new cases."
    of_scores = "" if facts.thresholds is None else scores.method(facts.thresholds)
    own = OWN_BASE_RATE if of_scores and facts.restated else ""
    beside = filter(None, (of_scores, own))
    judged = () if facts.default_threshold else verdicts.method(_judged(facts))
    return (*((intervals,) if known else ()), *beside, *_chance_method(facts), *judged)


def _judged(facts: EvaluationFacts) -> VerdictFact | None:
    """Return the verdict on the labels, or on those of the first of several classifiers."""
    if facts.table is not None:
        return facts.better_than_guessing
    return facts.groups[0].better_than_guessing if facts.groups else None


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
        sentences.append("p: none, since Fisher's test counts cases and these counts are weights.")
    return (" ".join(sentences),) if sentences else ()
