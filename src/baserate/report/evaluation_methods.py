"""What an evaluation and a report of scores did, as sentences for a paper: only what they show."""

import math
from collections.abc import Iterator

from baserate._figures import level
from baserate.facts.evaluation import EvaluationFacts
from baserate.facts.scores import EstimateFact
from baserate.facts.threshold import ThresholdFacts
from baserate.report.clustering import FLOOR
from baserate.report.methods import Statement
from baserate.report.words import guess

SHARES = {
    "bayes": (
        "for shares of cases, and for what such a share decides, quantiles of Jeffreys' posterior",
        ("brown",),
    ),
    "wilson": ("for shares of cases Wilson's intervals", ("brown",)),
    "exact": ("for shares of cases Clopper and Pearson's intervals", ("clopper",)),
}
OTHERS = "for all other metrics quantiles of their law under the posterior Dirichlet(counts + 1/2)"
LOSSES = {"brier_score": ("the Brier score", "brier"), "log_loss": ("the log loss", "good")}


def of_evaluation(facts: EvaluationFacts) -> Iterator[Statement]:
    """Yield what was done to the tables, then to the score."""
    if facts.table is not None or facts.groups:
        yield from _intervals(facts)
        yield from _chance(facts)
        yield from _test(facts)
    if facts.roc_auc is not None and not math.isnan(facts.roc_auc.low):
        yield Statement("The ROC area has Obuchowski's variance by clusters", ("obuchowski",))
    if facts.thresholds is not None:
        yield from of_scores(facts.thresholds)


def _intervals(facts: EvaluationFacts) -> Iterator[Statement]:
    known = [m for m in facts.typical if not math.isnan(m.low + m.high)]
    if not known:
        return
    if facts.interval in {"jackknife", "replicates"}:
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
        how, cites = f"{facts.n_replicates:,} sets of replicate weights", ("korn",)
        degrees = f"{facts.n_replicates - 1:,} degrees of freedom"
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
    if facts.p_value_method == "fisher" and not math.isnan(facts.p_value):
        yield Statement(
            "Whether predictions are better than guessing with as many alarms was tested by "
            "Fisher's exact test, one-sided",
            ("fisher",),
        )
    elif facts.p_value_method == "clusters" and not math.isnan(facts.p_value):
        yield Statement(
            "Whether predictions are better than guessing with as many alarms was tested by a "
            "score test and a jackknife of whole clusters, of which the larger p-value counts, "
            "one-sided and approximate",
            ("rotnitzky",),
        )
    elif facts.p_value_method == "replicates" and not math.isnan(facts.p_value):
        yield Statement(
            "Whether predictions are better than guessing with as many alarms was tested by "
            "Student's test of the covariance of truth and prediction, whose variance comes from "
            "the replicate weights, one-sided and approximate"
        )
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
    if any(not math.isnan(group.adjusted_p_value) for group in found.groups):
        yield Statement(
            "O:E of groups was tested by the binomial law of their positives at the mean risk, "
            "p-values adjusted for their number by Holm's method",
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
