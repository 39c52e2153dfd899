"""How an evaluation and a report of scores found what they show: lines below, and for a paper."""

import math
import re
from collections.abc import Iterator
from typing import Literal

from baserate._figures import guess, level
from baserate.counts import has_both
from baserate.facts.evaluation import EvaluationFacts, GuessingTest, IntervalOfShares, IntervalRoute
from baserate.facts.scores import EstimateFact
from baserate.facts.threshold import ThresholdFacts
from baserate.facts.verdict import VerdictFact
from baserate.report import scores, verdicts
from baserate.report.clustering import FLOOR, is_weighted, replicates
from baserate.report.methods import Statement
from baserate.report.words import COUNTS

P_VALUES: dict[GuessingTest, str] = {
    "fisher": "p: the probability that guessing with as many alarms does as well "
    "(Fisher's exact test at the table's own margins, one-sided).",
    "clusters": "p: the probability that guessing with as many alarms, as often in each cluster "
    "or not, does as well (score test and jackknife of whole clusters, one-sided, approximate).",
    "replicates": "p: the probability that guessing with as many alarms does as well (Student's "
    "test of the covariance of truth and prediction, from the replicate weights, one-sided, "
    "approximate).",
    "runs": "p: the probability that guessing with as many alarms does as well (Student's test of "
    "the covariance of truth and prediction, by items and runs, one-sided, approximate).",
    "sup": "p: the probability that guessing does as well by that metric, the largest over all "
    "numbers predicted positive.",
}
CLAUSE = re.compile(r"(?<=posterior): |; | \(|, Student|\. ")  # where the first one ends
OF_SCORES = (
    "Intervals of {level}, each of the kind beside it. p: two-sided, of a ROC area of 1/2 (of an "
    "O:E of 1)."
)
OWN_BASE_RATE = "Ranking, calibration and net benefit are those of the base rate of these cases."
INTERVALS: dict[IntervalRoute | Literal["kish", "strata"], str] = {
    "bayes": "Intervals of metrics hold {level} of the posterior: Jeffreys for a share of cases "
    "and for what such a share decides (F1), Dirichlet(counts + 1/2) for all others.",
    "kish": "Intervals of metrics hold {level} of a pseudo-posterior: counts are scaled to Kish's "
    "effective number of cases, or fewer where weights go with the outcome, with half a case in "
    "each cell.",
    "wilson": "Intervals of metrics, of level {level}: Wilson for a share of cases; all others "
    "hold that much of the posterior.",
    "jackknife": "Intervals of metrics, of level {level}: each cluster left out in turn, Student's "
    "quantiles on a scale without bounds, no narrower than so few clusters allow (they cannot "
    "show how alike their cases are); where no cluster differs, each counts as one case.",
    "replicates": "Intervals of metrics, of level {level}: recomputed under every set of replicate "
    "weights, Student's quantiles on a scale without bounds.",
    "strata": "Intervals of metrics, of level {level}: each cluster left out in turn, for which "
    "the others of its stratum stand, Student's quantiles on a scale without bounds.",
    "runs": "Intervals of metrics, of level {level}: recomputed without each item, each run and "
    "each item of a run; the variance is that by items and that by runs, less that by items of a "
    "run (two-way clustering), at least that by items. Student's quantiles on a scale without "
    "bounds.",
    "exact": "Intervals of metrics, of level {level}: Clopper-Pearson for a share of cases; all "
    "others hold that much of the posterior.",
}

SHARES: dict[IntervalOfShares, tuple[str, tuple[str, ...]]] = {
    "bayes": (
        "for shares of cases, and for what such a share decides, quantiles of Jeffreys' posterior",
        ("brown",),
    ),
    "wilson": ("for shares of cases Wilson's intervals", ("brown",)),
    "exact": ("for shares of cases Clopper and Pearson's intervals", ("clopper",)),
}
BETTER = "Whether predictions are better than guessing with as many alarms was tested by"
TESTS: dict[GuessingTest, Statement] = {
    "fisher": Statement("Fisher's exact test, one-sided", ("fisher",)),
    "clusters": Statement(
        "a score test and a jackknife of whole clusters, of which the larger p-value counts, "
        "one-sided and approximate",
        ("rotnitzky",),
    ),
    "replicates": Statement(
        "Student's test of the covariance of truth and prediction, whose variance comes from the "
        "replicate weights, one-sided and approximate"
    ),
    "runs": Statement(
        "Student's test of the covariance of truth and prediction, by items and runs, one-sided "
        "and approximate"
    ),
}
OTHERS = "for all other metrics quantiles of their law under the posterior Dirichlet(counts + 1/2)"
LOSSES = {"brier_score": ("the Brier score", "brier"), "log_loss": ("the log loss", "good")}


def of_evaluation(facts: EvaluationFacts) -> Iterator[Statement]:
    """Yield what was done to the tables, then to the score."""
    if facts.table is not None or facts.groups:
        yield from _intervals(facts)
        yield from _chance(facts)
        yield from _test(facts)
    if facts.thresholds is not None:
        yield from of_scores(facts.thresholds)


def _intervals(facts: EvaluationFacts) -> Iterator[Statement]:
    known = [m for m in facts.typical if not math.isnan(m.low + m.high)]
    if not known:
        return
    if facts.interval not in SHARES:
        yield _jackknife(facts)
        return
    shares, cites = SHARES[facts.interval]
    fixed = f", the base rate held fixed at {facts.base_rate:g}" if facts.restated else ""
    text = (
        f"Metrics of the confusion matrix are given with {level(facts.confidence_level)} "
        f"intervals: {shares}; {OTHERS}{fixed}"
    )
    yield Statement(text, (*cites, "caelen"))
    if facts.effective_n is not None:
        yield Statement("Weighted cases count as Kish's effective number of cases", ("kish",))


def _jackknife(facts: EvaluationFacts) -> Statement:
    how, cites = "the jackknife over clusters", ("bell", "korn")
    degrees = "Satterthwaite's degrees of freedom and up to two more"
    if facts.n_replicates is not None:
        how, cites = replicates(facts), ("korn",)
        degrees = f"{facts.n_replicates - (facts.n_strata or 1):,} degrees of freedom"
        degrees += " or, of fewer strata, as many less" if facts.n_strata else ""
    if facts.n_runs is not None:
        how, cites = f"the two-way clustered variance of {how}", ("cameron",)
        degrees = "Satterthwaite's degrees of freedom"
    text = (
        f"Metrics of the confusion matrix are given with {level(facts.confidence_level)} intervals "
        f"from {how}, by Student's quantiles with {degrees} on a scale without bounds (the logit "
        "between the bounds of a metric)"
    )
    return Statement(text if facts.n_replicates is not None else f"{text}, {FLOOR}", cites)


def _chance(facts: EvaluationFacts) -> Iterator[Statement]:
    if all(math.isnan(m.chance) for m in facts.typical):
        return
    best = facts.guess == "dutch_draw"
    what = "the best that guessing can score on average" if best else guess(facts.guess)
    at = f" at a base rate of {facts.base_rate:g}" if facts.restated else ""
    cites = ("murphy", "dutch_draw") if best else ("murphy",)
    yield Statement(
        f"Skill is (value - chance) / (perfect - chance), chance being {what}{at}", cites
    )


def _test(facts: EvaluationFacts) -> Iterator[Statement]:
    by = TESTS.get(facts.p_value_method)
    if by is not None and not math.isnan(facts.p_value):
        yield Statement(f"{BETTER} {by.text}", by.cites)
    elif any(not math.isnan(m.p_value) for m in facts.typical):
        yield Statement(
            "The p-value of a metric is the probability, enumerated, that guessing does as well, "
            "the largest over all numbers of cases predicted positive"
        )


def of_scores(facts: ThresholdFacts) -> Iterator[Statement]:
    """Yield what was done to a score, in the order of its report."""
    yield from _area(facts)
    yield from _losses(facts)
    yield from _calibration(facts)
    if facts.net_benefit:
        yield Statement(
            "Net benefit is that of decision curve analysis, with intervals of its posterior",
            ("vickers",),
        )
    yield from _cuts(facts)


def _area(facts: ThresholdFacts) -> Iterator[Statement]:
    area = next((fact for fact in facts.ranking if fact.name == "roc_auc"), None)
    if area is None or math.isnan(area.value):
        return
    if area.route in {"exact", "conservative"}:
        yield Statement(
            "The interval of the ROC area carries Clopper and Pearson's over to pairs of cases, by "
            "Bayesian bootstrap weights with one further case against the area; it held its level "
            "in simulations",
            ("clopper", "gaffke"),
        )
    if area.route == "wilson":
        yield Statement(
            "The interval of the ROC area is Wilson's, of as many independent pairs as have its "
            "variance by DeLong's placements, which luck alone and one further case of the rarer "
            "class bound",
            ("wilson", "delong"),
        )
    if facts.n_clusters is not None and not math.isnan(area.low):
        yield Statement("The ROC area has Obuchowski's variance by clusters", ("obuchowski",))
    if not math.isnan(area.p_value):
        yield Statement(
            "The p-value of the ROC area is that of 1/2, two-sided: 1 less the level at which the "
            "interval just reaches it"
        )


def _losses(facts: ThresholdFacts) -> Iterator[Statement]:
    shown = [LOSSES[fact.name] for fact in facts.ranking if fact.name in LOSSES]
    if not shown:
        return
    names, keys = zip(*shown, strict=True)
    cites = (*keys, "gaffke") if _has(facts.ranking, "brier_score", "conservative") else keys
    bounded = "; intervals of means of bounded losses are Gaffke's" if "gaffke" in cites else ""
    text = f"Probabilities were judged by {' and '.join(names)}{bounded}"
    yield Statement(text, cites)


def _has(facts: tuple[EstimateFact, ...], name: str, route: str) -> bool:
    return any(f.name == name and f.route == route and not math.isnan(f.low) for f in facts)


def _calibration(facts: ThresholdFacts) -> Iterator[Statement]:
    found = facts.calibration
    if found is None:
        return
    if _has(found.measures, "observed_expected", "poisson_binomial"):
        yield Statement(
            "Calibration in the large is the ratio of observed to expected positives (O:E), tested "
            "by the law of the number of positives at the stated risks (Poisson-binomial); its "
            "limits turn that test around, with all odds times one factor, and are too narrow for "
            "risks that are too extreme as well",
            ("debray", "hong", "cox"),
        )
    if _has(found.measures, "observed_expected", "exact"):
        yield Statement(
            "Calibration in the large is the ratio of observed to expected positives (O:E), with "
            "Clopper and Pearson's limits and the binomial test that goes with them",
            ("debray", "clopper", "hoeffding"),
        )
    if not math.isnan(getattr(found.measure("calibration_slope"), "value", math.nan)):
        weighted = getattr(found.measure("observed_expected"), "route", None) == "asymptotic"
        scaled = ", scaled by the ratio of robust to plain variance" if weighted else ""
        first = "intercept" if weighted else "O:E"  # weights leave O:E no test
        yield Statement(
            "Calibration intercept and slope are those of logistic recalibration, with profile "
            f"likelihood intervals and likelihood ratio tests (asymptotic{scaled}); risks are "
            f"called wrong by Holm's rule over {first} and slope",
            ("cox", "holm"),
        )
    if not math.isnan(found.band_level):
        yield Statement(
            f"A {level(found.band_level)} band holds the whole calibration curve, assumed to rise "
            "with the risk",
            ("dimitriadis",),
        )
    smooth = facts.smooth_calibration
    if smooth is not None and smooth.points:
        yield Statement(
            "The smooth calibration curve is a logistic regression on a restricted cubic spline of "
            f"the log odds with {len(smooth.knots)} knots at quantiles of the scores (pointwise "
            "limits)",
            ("harrell",),
        )
    if any(not math.isnan(group.adjusted_p_value) for group in found.groups):
        yield Statement(
            "O:E of groups was tested in the same way, p-values adjusted for their number by "
            "Holm's method",
            ("holm",),
        )


def _cuts(facts: ThresholdFacts) -> Iterator[Statement]:
    known = [cut for cut in facts.cuts if cut.reason is None]
    if facts.folds and known:
        yield Statement(
            f"Thresholds maximise the mean skill over {facts.folds} folds, and were judged at the "
            "cuts that the other folds choose"
        )
    elif any(not math.isnan(cut.corrected) for cut in known):
        yield Statement(
            "Best cuts of these cases are given with their spread and with values corrected for "
            f"optimism, over {facts.n_resamples} bootstrap samples",
            ("efron",),
        )


def how(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say in a clause each what intervals and p are, of labels or of a score without a cut."""
    if facts.default_threshold and not facts.asked_for:
        return (OF_SCORES.format(level=level(facts.confidence_level)),)
    return clauses(method(facts))


def clauses(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return what lines of method say first of intervals and of p."""
    told = (line for line in lines if line.startswith(("Intervals of ", "p: ")))
    return tuple(f"{CLAUSE.split(line)[0].rstrip('. ')}." for line in told)


def method(facts: EvaluationFacts) -> tuple[str, ...]:
    """Say how intervals, chance levels and p-values were found."""
    scaled = facts.interval == "bayes" and facts.effective_n is not None
    route = "kish" if scaled else "strata" if facts.n_strata else facts.interval
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
    whole = facts.table is not None
    p_values = [facts.p_value] if whole else [m.p_value for m in facts.typical]
    tested = not all(map(math.isnan, p_values))
    judged = () if facts.default_threshold else verdicts.method(_judged(facts), tested=tested)
    return (*((intervals,) if known else ()), *beside, *_chance_method(facts), *judged)


def _judged(facts: EvaluationFacts) -> VerdictFact | None:
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
    elif is_weighted(facts) and has_both(facts.classes):
        sentences.append("p: none, since Fisher's test counts cases and these counts are weights.")
    return (" ".join(sentences),) if sentences else ()
